"""What the Python examples of a page print, below them."""

from __future__ import annotations

import doctest
import io
from contextlib import chdir, redirect_stdout
from pathlib import Path
from textwrap import indent
from typing import Any


def refreshed(text: str, folder: Path) -> str:
    """Return the page with the output of its examples, run in order in a folder."""
    names: dict[str, Any] = {}
    made = []
    for part in doctest.DocTestParser().parse(text):
        if isinstance(part, str):
            made.append(part)
            continue
        with chdir(folder), redirect_stdout(io.StringIO()) as printed:
            exec(compile(part.source, "example", "single"), names)
        made.append(_prompted(part.source) + printed.getvalue())
    return "".join(made)


def _prompted(source: str) -> str:
    first, *others = source.splitlines(keepends=True)
    return f">>> {first}{indent(''.join(others), '... ')}"
