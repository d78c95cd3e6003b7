from __future__ import annotations

import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "defences.py"


def test_the_script_prints_what_the_defences_cost() -> None:
    command = [sys.executable, str(SCRIPT), "--most", "500", "--runs", "1"]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    assert (done.returncode, done.stderr) == (0, "")
    rows = [line.split("│") for line in done.stdout.splitlines() if line.startswith("│")]
    assert len(rows) == 8
    assert all(0 < float(row[3]) < 100 for row in rows)
