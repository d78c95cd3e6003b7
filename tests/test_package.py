from __future__ import annotations

import ast
import importlib.metadata
import re
from pathlib import Path

import pytest

import bayesfloor as bf

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "bayesfloor"
FOLDERS = sorted(path for path in SOURCE.rglob("__init__.py") if path.parent != SOURCE)


def test_the_version_stands_in_one_place() -> None:
    assert importlib.metadata.version("bayesfloor") == bf.__version__
    assert bf.__version__ not in (ROOT / "pyproject.toml").read_text(encoding="utf-8")


def test_changelog_release_notes_and_citation_have_the_version_and_its_day() -> None:
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    dated = re.search(r"^## (\S+) \((\d{4}-\d\d-\d\d)\)$", text, re.M)
    assert dated is not None
    version, day = dated.groups()
    assert version == bf.__version__
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {version}\ndate-released: {day}\n" in citation
    notes = (ROOT / "docs" / "releases.md").read_text(encoding="utf-8")
    assert f"\n## {version}, {day}\n" in notes


@pytest.mark.parametrize("path", FOLDERS, ids=lambda path: str(path.parent.relative_to(SOURCE)))
def test_folders_say_that_they_are_not_public(path: Path) -> None:
    said = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
    assert said is not None
    assert "Not public" in said


def test_every_public_name_says_what_it_is() -> None:
    for name in set(bf.__all__) - {"METHODS", "__version__"}:
        assert getattr(bf, name).__doc__, name
