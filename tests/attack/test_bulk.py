"""The script that makes very many hostile calls makes some, and finds nothing wrong."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).parent / "bulk.py"


def test_calls_drawn_by_number_are_answered_or_refused() -> None:
    command = [sys.executable, str(SCRIPT), "--calls", "150", "--seed", "0"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    assert [line.split()[-2:] for line in done.stdout.splitlines()[:5]] == [["0", "wrong"]] * 5
