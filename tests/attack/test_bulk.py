"""The script that makes very many hostile calls and files makes some, and finds nothing wrong."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow
SCRIPT = Path(__file__).parent / "bulk.py"
OTHERS = ["predictions", "vote files", "folders", "clients", "addresses"]
OTHERS += ["item columns", "item files"]


@pytest.mark.parametrize(
    ("words", "kinds"),
    [
        (("--calls", "150"), 11),
        (("--files", "--calls", "60"), 3),
        (("--only", *OTHERS, "--calls", "400"), 7),
    ],
)
def test_what_is_drawn_by_number_is_answered_or_refused(words: tuple[str, ...], kinds: int) -> None:
    command = [sys.executable, str(SCRIPT), *words, "--seed", "0"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    told = [line.split()[-2:] for line in done.stdout.splitlines()[:kinds]]
    assert told == [["0", "wrong"]] * kinds


def test_files_that_reach_new_lines_are_damaged_further() -> None:
    command = [sys.executable, str(SCRIPT.with_name("guided.py")), "--files", "150"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    told = done.stdout.replace(",", "").split()
    assert told[:2] == ["150", "files"]
    assert int(told[2]) > 0
    assert told[-2:] == ["0", "wrong"]
