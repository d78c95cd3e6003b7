from __future__ import annotations

import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "next_source.py"


def run(*options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(SCRIPT), *options]
    return subprocess.run(command, capture_output=True, encoding="utf-8", timeout=120, check=False)


def test_the_script_prints_how_often_the_best_source_is_found() -> None:
    done = run("--repetitions", "1", "--batches", "2", "--workers", "1")
    assert (done.returncode, done.stderr) == (0, "")
    lines = [line for line in done.stdout.splitlines() if "in turn" in line]
    assert [line.split()[2] for line in lines] == ["300", "360"]


def test_what_cannot_be_run_is_refused() -> None:
    done = run("--batches", "0")
    assert done.returncode == 2
    assert "at least 1 repetition" in done.stderr
