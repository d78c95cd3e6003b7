from __future__ import annotations

import pytest

from scripts import run_benchmark

pytestmark = pytest.mark.slow


def test_the_script_prints_coverage_and_width_of_every_question() -> None:
    done = run_benchmark(
        "decisions", "--rows", "30", "--repetitions", "1", "--workers", "1", "--only", "ripley()"
    )
    assert (done.returncode, done.stderr) == (0, "")
    (line,) = [line for line in done.stdout.splitlines() if line.strip().startswith("ripley()")]
    assert line.count("of 1") == 4


def test_what_cannot_be_drawn_is_refused() -> None:
    done = run_benchmark("decisions", "--rows", "3")
    assert done.returncode == 2
    assert "at least 20 rows" in done.stderr
