from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
NOTEBOOKS = sorted((ROOT / "docs" / "examples").glob("*.ipynb"))


def cells(path: Path, kind: str) -> list[dict[str, Any]]:
    found = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return [cell for cell in found if cell["cell_type"] == kind]


def test_the_list_of_examples_names_every_notebook() -> None:
    listed = (ROOT / "docs" / "examples.md").read_text(encoding="utf-8")
    links = re.findall(r"\(examples/(\w+\.ipynb)\)", listed)
    assert sorted(links) == [path.name for path in NOTEBOOKS]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_are_kept_without_outputs_and_load_nothing_from_elsewhere(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert "http" not in text
    assert "fetch_" not in text
    for cell in cells(path, "code"):
        assert cell["outputs"] == []
        assert cell["execution_count"] is None


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_begin_with_their_question_and_are_short(path: Path) -> None:
    first = "".join(cells(path, "markdown")[0]["source"])
    assert first.startswith("# ")
    assert "?" in first
    assert sum(len(cell["source"]) for cell in cells(path, "code")) < 40


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_are_on_real_data(path: Path) -> None:
    code = "".join("".join(cell["source"]) for cell in cells(path, "code"))
    assert not re.search(r"default_rng|make_(blobs|moons|circles|classification)|populations", code)
    said = "".join("".join(cell["source"]) for cell in cells(path, "markdown"))
    assert "load_" in code or re.search(r"\(\d{4}\)", said), "its source is not named"
