from __future__ import annotations

import pytest

from scripts import run_benchmark

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(("study", "name"), [("shares", "square()"), ("jumps", "plane, d = 2")])
def test_the_script_prints_how_often_intervals_hold(study: str, name: str) -> None:
    options = ("--rows", "30", "--repetitions", "2", "--workers", "1")
    done = run_benchmark("intervals", study, *options, "--only", name, "--representation", "raw")
    assert (done.returncode, done.stderr) == (0, "")
    (line,) = [line for line in done.stdout.splitlines() if line.strip().startswith(name)]
    values = [float(value) for value in line.replace(name, "").split()]
    assert len(values) == 6
    assert set(values) <= {0.0, 0.5, 1.0}


def test_what_cannot_be_drawn_is_refused() -> None:
    done = run_benchmark("intervals", "jumps", "--rows", "3")
    assert done.returncode == 2
    assert "at least 20 rows" in done.stderr
