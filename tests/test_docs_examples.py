"""Examples in Python on pages print what the pages show."""

from __future__ import annotations

import doctest
from pathlib import Path

import pytest

from printed_numbers import NearNumbers

pytestmark = pytest.mark.slow
DOCS = Path(__file__).parents[1] / "docs"


@pytest.mark.parametrize(
    "name",
    [
        "tutorial.md",
        "votes.md",
        "groups.md",
        "compare.md",
        "columns.md",
        "shift.md",
        "leakage.md",
        "sources.md",
        "decisions.md",
        "ceilings.md",
        "model.md",
    ],
)
def test_the_examples_of_a_page_print_what_it_shows(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # they write files
    page = DOCS / name
    text = page.read_text(encoding="utf-8")
    examples = doctest.DocTestParser().get_doctest(text, {}, name, str(page), 0)
    runner = doctest.DocTestRunner(NearNumbers(), optionflags=doctest.NORMALIZE_WHITESPACE)
    found = runner.run(examples)
    assert found.attempted > 5
    assert found.failed == 0
