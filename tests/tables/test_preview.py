"""What a preview says of columns, before a label is chosen."""

from __future__ import annotations

import polars as pl
import pytest

from bayesfloor.tables import ReadOptions, TablePreview, preview_table

ROWS = 40


def preview(**columns: object) -> TablePreview:
    return preview_table(pl.DataFrame(columns), ReadOptions())


def test_each_column_is_described() -> None:
    found = preview(
        size=[i % 9 / 7 for i in range(ROWS)],
        old=[i % 2 == 0 for i in range(ROWS)],
        day=[f"2024-01-{1 + i % 28:02}" for i in range(ROWS)],
        town=["Ulm", "Bonn", None, "Kiel"] * (ROWS // 4),
    )
    assert found.rows == ROWS
    kinds = {column.name: column.kind for column in found.columns}
    assert kinds == {"size": "number", "old": "true or false", "day": "date", "town": "text"}
    town = found.columns[-1]
    assert (town.distinct, town.missing, town.examples) == (3, 10, ("Ulm", "Bonn", "Kiel"))
    assert not any(column.left_out or column.problem for column in found.columns)


def test_columns_that_would_be_left_out_or_refused_say_why() -> None:
    found = preview(
        id=range(ROWS),
        same=["a"] * ROWS,
        endless=[float("inf"), *range(ROWS - 1)],
        parts=[[1, 2]] * ROWS,
        sort=["x", "y"] * (ROWS // 2),
    )
    by_name = {column.name: column for column in found.columns}
    assert by_name["id"].left_out == "the value is different in every row, like an identifier"
    assert by_name["same"].left_out == "the value is the same in all rows"
    assert "holds infinity in row 0" in by_name["endless"].problem
    assert "type List" in by_name["parts"].problem
    assert by_name["parts"].kind == "unknown"
    assert "a different value in every row" in by_name["id"].label_problem
    assert "the same value" in by_name["same"].label_problem
    assert "type List" in by_name["parts"].label_problem
    assert by_name["sort"].label_problem == ""
    assert found.likely_label == "sort"


@pytest.mark.parametrize(
    ("columns", "likely"),
    [
        ({"target": "ab", "b": "xy"}, "target"),
        ({"a": "ab", " Target ": "xy", "c": "xy"}, " Target "),
        ({"class": "ab", "label": "xy"}, "label"),
        ({"a": "ab", "b": "xy"}, "b"),
        ({"a": "ab", "target": "xx"}, "a"),
        ({"a": "aa"}, None),
    ],
)
def test_the_label_is_guessed_by_name_then_by_place(
    columns: dict[str, str], likely: str | None
) -> None:
    frame = {name: list(two) * (ROWS // 2) for name, two in columns.items()}
    assert preview_table(pl.DataFrame(frame), ReadOptions()).likely_label == likely


def test_a_column_of_few_classes_is_likelier_than_one_of_many() -> None:
    found = preview(sort=["x", "y"] * 50, town=[f"town {i % 30}" for i in range(100)])
    assert found.likely_label == "sort"


def test_a_column_without_values_is_no_label() -> None:
    found = preview(a=[None] * ROWS, b=["x", "y"] * (ROWS // 2))
    assert found.columns[0].label_problem == "every value is missing"
    assert found.columns[0].missing == ROWS
    assert found.likely_label == "b"
