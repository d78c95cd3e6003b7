from __future__ import annotations

import pytest

from scripts import run_benchmark

pytestmark = pytest.mark.slow


def test_the_script_prints_coverage_and_width_of_a_pair() -> None:
    pair = ("--pair", "table, 3 to 4")
    done = run_benchmark("compare", *pair, "--rows", "200", "--repetitions", "2", "--workers", "1")
    assert (done.returncode, done.stderr) == (0, "")
    assert "table, 3 to 4" in done.stdout
    assert "holds: mismatch" in done.stdout


def test_what_cannot_be_drawn_is_refused() -> None:
    done = run_benchmark("compare", "--rows", "10")
    assert done.returncode == 2
    assert "at least 100 rows" in done.stderr
