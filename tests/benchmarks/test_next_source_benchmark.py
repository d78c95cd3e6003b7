from __future__ import annotations

import pytest

from scripts import run_benchmark

pytestmark = pytest.mark.slow


def test_the_script_prints_how_often_the_best_source_is_found() -> None:
    done = run_benchmark("next_source", "--repetitions", "1", "--batches", "2", "--workers", "1")
    assert (done.returncode, done.stderr) == (0, "")
    lines = [line for line in done.stdout.splitlines() if "in turn" in line]
    assert [line.split()[2] for line in lines] == ["300", "360"]


def test_what_cannot_be_run_is_refused() -> None:
    done = run_benchmark("next_source", "--batches", "0")
    assert done.returncode == 2
    assert "at least 1 repetition" in done.stderr
