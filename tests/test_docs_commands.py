"""The commands in console blocks of pages print what the pages show; this takes a while."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

from bayesfloor.shells.demos import DEMOS
from printed_numbers import same_print

pytestmark = pytest.mark.slow
DOCS = Path(__file__).parents[1] / "docs"


@pytest.mark.parametrize("name", ["tutorial.md", "gallery.md"])
def test_commands_print_what_the_page_shows(name: str, tmp_path: Path) -> None:
    refreshed = runpy.run_path(str(DOCS / "scripts" / "console.py"))["refreshed"]
    shown = (DOCS / name).read_text(encoding="utf-8")
    assert same_print(shown, refreshed(shown, tmp_path)), "run make docs"
    for demo in DEMOS if name == "gallery.md" else ():
        page = (tmp_path / f"bayesfloor-{demo}.html").read_text(encoding="utf-8")
        assert DEMOS[demo].title in page
