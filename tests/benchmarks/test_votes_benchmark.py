from __future__ import annotations

import pytest

from scripts import run_benchmark

pytestmark = pytest.mark.slow


def test_the_script_prints_how_often_intervals_hold_and_how_wide_they_are() -> None:
    done = run_benchmark(
        "votes", "--quick", "--items", "30", "--repetitions", "2", "--workers", "1"
    )
    assert (done.returncode, done.stderr) == (0, "")
    lines = [line for line in done.stdout.splitlines() if "Beta(0.3, 0.3)" in line]
    assert len(lines) == 5
    assert all(float(line.split()[-3]) in (0.0, 0.5, 1.0) for line in lines)
    assert "holds: mean" in done.stdout


def test_what_cannot_be_drawn_is_refused() -> None:
    done = run_benchmark("votes", "--items", "1")
    assert done.returncode == 2
    assert "at least 2 items" in done.stderr
