"""What the commands of a page's console blocks print, below them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from textwrap import fill

WIDTH, INDENT = 100, 16
"""Characters of a line, and before the text of a fact."""
COLOURS = ("FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE")
"""Settings that would have the commands print as to a terminal."""
BLOCK = re.compile(r"(?<=^```console\n).*?(?=^```$)", re.MULTILINE | re.DOTALL)
"""Matches the lines of a console block."""


def refreshed(text: str, folder: Path) -> str:
    """Return the page with the output of its commands, run in order in a folder."""
    return BLOCK.sub(lambda block: "".join(_runs(block.group(), folder)), text)


def _runs(block: str, folder: Path) -> list[str]:
    """Return each command, which may go on in lines that end with a backslash, and its output."""
    commands = re.findall(r"^\$ (?:.*\\\n)*.*\n", block, re.MULTILINE)
    return [command + _output(command[2:], folder) for command in commands]


def _output(command: str, folder: Path) -> str:
    here = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    env = {**os.environ, "PATH": here, "PYTHONIOENCODING": "utf-8", **dict.fromkeys(COLOURS, "")}
    done = subprocess.run(
        ["bash", "-c", command], cwd=folder, env=env, capture_output=True, encoding="utf-8"
    )
    if done.returncode:
        raise RuntimeError(f"{command}{done.stderr}")
    return "".join(f"{_wrapped(line)}\n" for line in done.stdout.splitlines())


def _wrapped(line: str) -> str:
    """Break a line between words, below the text of a fact and not below its name."""
    is_fact = line[INDENT - 1 : INDENT] == " " != line[INDENT : INDENT + 1]
    indent = " " * INDENT if is_fact else ""
    return fill(line, WIDTH, subsequent_indent=indent, break_on_hyphens=False)
