from __future__ import annotations

import re
from pathlib import Path

import pytest
import typer

from bayesfloor.cli import app
from bayesfloor.methods import METHODS

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
COMMANDS = sorted(typer.main.get_command(app).commands)  # type: ignore[attr-defined]


@pytest.mark.parametrize("command", COMMANDS)
def test_the_readme_shows_every_command(command: str) -> None:
    assert f"bayesfloor {command}" in README


@pytest.mark.parametrize("method", sorted(METHODS))
def test_the_readme_and_the_method_page_name_every_method(method: str) -> None:
    assert f"`{method}`" in README
    assert f"`{method}`" in (ROOT / "docs" / "method.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), target


@pytest.mark.parametrize("target", ["demo", "test"])
def test_the_makefile_has_what_the_readme_promises(target: str) -> None:
    assert f"make {target}" in README
    assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)


def test_every_module_is_in_the_map_of_the_contributors() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    helpers = {"__init__", "arrays", "errors", "files", "progress"}
    for path in (ROOT / "src" / "bayesfloor").glob("*.py"):
        assert path.stem in helpers or f"`{path.name}`" in text, path.name
