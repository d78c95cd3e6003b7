from __future__ import annotations

import pytest

from scripts import run_benchmark

pytestmark = pytest.mark.slow


def test_the_script_prints_a_line_for_each_population_and_way() -> None:
    options = ["--only", "n = 200", "--repetitions", "2", "--ways", "raw", "knn k=1"]
    done = run_benchmark("highdim", *options, "--workers", "1")
    assert (done.returncode, done.stderr) == (0, "")
    lines = [line for line in done.stdout.splitlines() if "independent labels" in line]
    assert [line.split("n = 200")[1].split("0.5000")[0].strip() for line in lines] == [
        "raw",
        "knn k=1",
    ]
    assert all(line.count("0.5000") >= 2 for line in lines)  # R and the Bayes error
