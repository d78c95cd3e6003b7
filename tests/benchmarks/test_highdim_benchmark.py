from __future__ import annotations

import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "highdim.py"


def test_the_script_prints_a_line_for_each_population_and_way() -> None:
    options = ["--only", "n = 200", "--repetitions", "2", "--ways", "raw", "knn k=1"]
    command = [sys.executable, str(SCRIPT), *options, "--workers", "1"]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", timeout=120, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    lines = [line for line in done.stdout.splitlines() if "independent labels" in line]
    assert [line.split("n = 200")[1].split("0.5000")[0].strip() for line in lines] == [
        "raw",
        "knn k=1",
    ]
    assert all(line.count("0.5000") >= 2 for line in lines)  # R and the Bayes error
