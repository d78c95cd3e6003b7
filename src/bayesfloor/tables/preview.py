"""What a table holds, column by column, before anybody says which of them is the label."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bayesfloor.base.errors import DataError
from bayesfloor.base.formatting import shorten
from bayesfloor.base.memory import check_space_for, memory_errors
from bayesfloor.tables.column_types import infer_types
from bayesfloor.tables.label_column import check_labels, clean_labels
from bayesfloor.tables.problems import Problems
from bayesfloor.tables.read_options import ReadOptions
from bayesfloor.tables.reader import read_frame
from bayesfloor.tables.screening import rules_for

if TYPE_CHECKING:
    import polars as pl

EXAMPLES_SHOWN = 3
"""Different values of a column that a preview shows: they fit on a line of a phone."""
EXAMPLE_ROWS = 100
"""Rows that these are looked for in, evenly spaced: tables are often sorted. A judgement."""
LABEL_NAMES = (
    *("label", "labels", "target", "outcome", "y", "diagnosis", "survived", "churn", "species"),
    *("class", "classes", "category"),
)
"""Names that columns of labels often have, the likeliest first: for a guess that people correct."""
FEW_CLASSES = 20
"""Classes of a label that is guessed by its place, at most; a judgement."""


@dataclass(frozen=True, slots=True)
class ColumnPreview:
    """What one column holds, and what would become of it."""

    name: str
    kind: str  # "number", "true or false", "date", "text" or "unknown"
    distinct: int | None  # different values, missing ones not counted; None if unknown
    missing: int
    examples: tuple[str, ...]
    left_out: str  # why it is not used unless it is kept; empty if it is
    problem: str  # why it cannot be used at all; empty if it can
    label_problem: str  # why it cannot be the label; empty if it can


@dataclass(frozen=True, slots=True)
class TablePreview:
    """What a table holds, and which column is likely its label, if any."""

    name: str
    rows: int
    columns: tuple[ColumnPreview, ...]
    notes: tuple[str, ...]
    likely_label: str | None


def preview_table(paths: Any, options: ReadOptions) -> TablePreview:
    """Read a table, and say of each column what it holds and what would become of it.

    Parameters
    ----------
    paths : path, pattern, open file or data frame, or several of them
        As in `read_table`.
    options : ReadOptions
        How text is written, what to read of a database, and the memory for it.

    Returns
    -------
    TablePreview

    Raises
    ------
    DataError
        If the table cannot be read.
    """
    check_space_for("polars")
    read = read_frame(paths, options)
    with memory_errors():
        types = infer_types(read.frame, Problems())
        columns = tuple(
            _preview(column, types.frame.get_column(column.name, default=None), read.nameless)
            for column in read.frame.iter_columns()
        )
    notes = (*read.notes, *types.notes)
    return TablePreview(read.name, read.frame.height, columns, notes, _likely_label(columns))


def _preview(column: pl.Series, typed: pl.Series | None, nameless: str) -> ColumnPreview:
    """Describe a column as it came, and as typed; None if it has no type that can be used."""
    shown = column if typed is None else typed
    distinct, label_problem = _classes(column)
    return ColumnPreview(
        name=column.name,
        kind="unknown" if typed is None else _kind(typed),
        distinct=distinct,
        missing=shown.null_count(),
        examples=_examples(column),
        left_out="" if typed is None else _reason_left_out(typed, nameless),
        problem=_problem(column) if typed is None else "",
        label_problem=label_problem,
    )


def _kind(typed: pl.Series) -> str:
    import polars as pl

    if typed.dtype == pl.Boolean:
        return "true or false"
    if typed.dtype.is_temporal():
        return "date"
    return "number" if typed.dtype.is_numeric() else "text"


def _reason_left_out(typed: pl.Series, nameless: str) -> str:
    """Return why a column is not used unless it is kept, or an empty text."""
    return next((rule.reason for rule in rules_for(nameless) if rule.applies(typed)), "")


def _problem(column: pl.Series) -> str:
    """Return why a column cannot be used."""
    problems = Problems()
    infer_types(column.to_frame(), problems)
    try:
        problems.check()
    except DataError as problem:
        return str(problem)
    return ""


def _classes(column: pl.Series) -> tuple[int | None, str]:
    """Return the number of classes if this column were the label, and why it cannot be."""
    distinct = None
    try:
        labels = clean_labels(column)[0].drop_nulls()
        distinct = labels.n_unique()
        if not len(labels):
            raise DataError("every value is missing")
        check_labels(labels)
    except DataError as problem:
        return distinct, str(problem)
    return distinct, ""


def _examples(column: pl.Series) -> tuple[str, ...]:
    some = column.gather_every(len(column) // EXAMPLE_ROWS + 1).drop_nulls().to_list()
    return tuple(dict.fromkeys(map(shorten, some)))[:EXAMPLES_SHOWN]


def _likely_label(columns: tuple[ColumnPreview, ...]) -> str | None:
    """Guess the label: by its name, else the last column of few classes, else the last that can."""
    possible = [column for column in columns if not column.label_problem]
    by_name = {column.name.strip().casefold(): column.name for column in reversed(possible)}
    named = [by_name[name] for name in LABEL_NAMES if name in by_name]
    few = [c.name for c in possible if c.distinct is not None and c.distinct <= FEW_CLASSES]
    last = [column.name for column in possible]
    return next(iter([*named, *few[:-2:-1], *last[:-2:-1]]), None)
