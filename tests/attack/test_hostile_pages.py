"""Whatever a table calls its columns, classes and cells, the page shows it and obeys none of it."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import bayesfloor as bf
from hostile import ATTACK, check_message

PAGES = 200 if ATTACK else 1
EVIL = [
    "<script>alert(1)</script>",
    "</svg></style><img src=x onerror=alert(1)>",
    "{{ 7 * 7 }}{% for x in y %}",
    "' onload='x",
    '"><a href="javascript:x">',
    "\u202eevil\u0000\x1b[31m",
    "]]><!--",
    "\ud800",
    "&lt;b&gt;",
    "url(http://x.example)",
]
TEXT = st.one_of(st.sampled_from(EVIL), st.text(max_size=12))
FORBIDDEN = {"script", "iframe", "object", "embed", "link", "form", "base", "img", "foreignobject"}
"""Elements that no page has, whoever wrote the table."""


class Elements(HTMLParser):
    """Collects what a browser would act on."""

    def __init__(self) -> None:
        super().__init__()
        self.tags, self.acts = set[str](), list[tuple[str, str | None]]()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        loads = ("href", "src", "action", "xlink:href")
        self.acts += [
            (name, value)
            for name, value in attrs
            if name.startswith("on") or (name in loads and not (value or "").startswith("#"))
        ]


@settings(max_examples=PAGES, suppress_health_check=list(HealthCheck))
@given(
    names=st.lists(TEXT, min_size=2, max_size=2, unique=True),
    classes=st.lists(TEXT, min_size=2, max_size=3, unique=True),
    cells=st.lists(TEXT, min_size=1, max_size=4),
    title=TEXT,
)
@example(names=EVIL[:2], classes=EVIL[2:5], cells=EVIL, title=EVIL[0])
def test_any_names_and_cells_are_shown_and_inert(
    names: list[str], classes: list[str], cells: list[str], title: str, tmp_path: Path
) -> None:
    def plain(text: str) -> str:  # a frame has no lone halves of letters
        return text.encode("utf-8", "replace").decode()

    rng = np.random.default_rng(0)
    rows = 90
    columns: dict[str, Any] = {
        plain(names[0]): rng.normal(size=rows) + np.arange(rows) % len(classes),
        plain(names[1]): [plain(cells[j % len(cells)]) for j in rng.integers(99, size=rows)],
    }
    if len(columns) < 2 or "y" in columns:
        return
    frame = pl.DataFrame({**columns, "y": [plain(classes[j % len(classes)]) for j in range(rows)]})
    page = tmp_path / "page.html"
    try:
        floor = bf.bayes_error(frame, "y", representation="raw")
        floor.report(page, title=plain(title))
    except bf.DataError as problem:
        check_message(problem)
        return
    found = Elements()
    found.feed(page.read_text(encoding="utf-8"))
    assert not found.tags & FORBIDDEN
    assert found.acts == []


@settings(max_examples=PAGES, suppress_health_check=list(HealthCheck))
@given(
    key=TEXT,
    column=TEXT,
    name=st.sampled_from(["model.csv", "<img src=x>.csv", "{{7*7}}.csv"]),
    answers=st.lists(TEXT, min_size=1, max_size=3),
)
@example(key=EVIL[0], column=EVIL[1], name="<img src=x>.csv", answers=EVIL[2:3])
@example(key="id", column="model", name="model.csv", answers=EVIL[3:5])
def test_predictions_of_any_names_are_shown_and_inert(
    key: str, column: str, name: str, answers: list[str], tmp_path: Path
) -> None:
    def plain(text: str) -> str:
        return text.encode("utf-8", "replace").decode()

    rng = np.random.default_rng(0)
    rows, classes = 90, [plain(EVIL[2]), plain(EVIL[0])]
    label = [classes[j % 2] for j in range(rows)]
    told = [plain(answers[j % len(answers)]) if j % 9 == 0 else label[-j] for j in range(rows)]
    ids = [f"{plain(key)}{j}" for j in range(rows)]
    if len({plain(key), plain(column), "y", "x"}) < 4:
        return
    x = rng.normal(size=rows) + np.arange(rows) % 2
    table = pl.DataFrame({plain(key): ids, "x": x, "y": label})
    file = tmp_path / name
    pl.DataFrame({plain(key): ids, plain(column): told}).write_csv(file)
    try:
        floor = bf.bayes_error(table, "y", key=plain(key), predictions=file, representation="raw")
    except bf.DataError as problem:
        check_message(problem)
        return
    floor.report(tmp_path / "page.html")
    found = Elements()
    found.feed((tmp_path / "page.html").read_text(encoding="utf-8"))
    assert not found.tags & FORBIDDEN
    assert found.acts == []


@pytest.mark.parametrize("name", EVIL)
def test_a_class_of_any_name_is_told_on_the_terminal_and_in_json(name: str) -> None:
    import json

    X = np.random.default_rng(0).normal(size=(60, 2))
    floor = bf.bayes_error(X, [name, "other"] * 30, representation="raw")
    assert json.loads(json.dumps(floor.to_dict()))["classes"] == sorted([name, "other"])
    assert "<script>" not in floor._repr_html_()
