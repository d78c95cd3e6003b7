"""Run the commands and the Python examples of some pages, and write what they print below them."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import console
import examples

if __name__ == "__main__":
    for name in sys.argv[1:]:
        page = Path(name)
        for refreshed in (console.refreshed, examples.refreshed):
            with tempfile.TemporaryDirectory() as scratch:
                text = refreshed(page.read_text(encoding="utf-8"), Path(scratch))
            page.write_text(text, encoding="utf-8")
