"""A file that is cut, replaced or removed while it is read is a table or one line."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from hostile import ATTACK

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows locks open files")
SCRIPT = Path(__file__).with_name("shrinking.py")
MOMENTS, SECONDS = ("100", "20") if ATTACK else ("2", "0.5")


def test_a_file_that_changes_while_it_is_read_does_not_end_the_process() -> None:
    words = ("--moments", MOMENTS, "--seconds", SECONDS)
    command = [sys.executable, str(SCRIPT), *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    files, read, refused = (int(word.replace(",", "")) for word in done.stdout.split()[::2])
    assert files == read + refused
    assert min(read, refused) > 0
