"""The record of a labelled table, and how a frame becomes one: columns, rows, then numbers."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from bayesfloor.tables.category_encoding import encode_columns
from bayesfloor.tables.column_types import infer_types
from bayesfloor.tables.dates import expand_dates
from bayesfloor.tables.group_columns import group_column_notes
from bayesfloor.tables.label_column import (
    check_labels,
    clean_labels,
    common_classes,
    quantity_notes,
)
from bayesfloor.tables.leaks import label_codes, leak_notes
from bayesfloor.tables.missing_values import (
    MissingChoice,
    check_missing,
    complete_rows,
    impute,
    labelled_rows,
)
from bayesfloor.tables.problems import Problems
from bayesfloor.tables.scaling import Scale
from bayesfloor.tables.screening import useful_columns

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, slots=True, eq=False)
class LabelledTable:
    """Holds a table that is ready for `bayes_error`.

    Attributes
    ----------
    X : polars.DataFrame
        Finite numbers, or true and false: numbers are scaled, text is encoded.
    y : polars.Series
        The labels.
    rows : polars.DataFrame
        The original values of the rows and columns that were used.
    notes : tuple of str
        Sentences that say what was left out or filled in, and what gives the label away.
    name : str
        The name of the file, or of the first of several.
    texts_merged : bool
        Whether a column has so many different texts that some of them share columns of `X`.
    texts_left_out : tuple of str
        Columns of free text, which `X` is without.
    row_numbers : polars.Series or None
        Where the rows were, counted from 0, before some were left out; None where none was.
    groups, time : polars.Series or None
        What each row belongs to, and when it was, where such columns were named.
    sample_weight : polars.Series or None
        The weight of each row, where such a column was named.
    key : polars.Series or None
        What each row is called, where such a column was named.
    rows_read : int or None
        Rows of the table before some were left out.
    copied : float or None
        Share of rows that equal another row before text was encoded or left out; None where rows
        of `X` are equal only if the original rows are.
    typed : polars.DataFrame or None
        The columns as numbers, true and false, dates and texts, before missing values were filled
        in and texts encoded.
    """

    X: pl.DataFrame
    y: pl.Series
    rows: pl.DataFrame
    notes: tuple[str, ...]
    name: str
    texts_merged: bool = False
    texts_left_out: tuple[str, ...] = ()
    copied: float | None = None
    row_numbers: pl.Series | None = None
    typed: pl.DataFrame | None = None
    groups: pl.Series | None = None
    time: pl.Series | None = None
    sample_weight: pl.Series | None = None
    key: pl.Series | None = None
    rows_read: int | None = None


class TableChoices(NamedTuple):
    """Holds what the user says about columns and rows."""

    keep: Collection[str]
    scale: Scale
    missing: MissingChoice
    min_class_rows: int
    tells_leaks: bool = True  # whether columns that give the label away are named
    grouped: bool = False  # whether groups or times are named
    nameless: str = ""  # what the first column is called if the header has no name for it


def label_table(
    frame: pl.DataFrame, choices: TableChoices, name: str, notes: tuple[str, ...]
) -> LabelledTable:
    """Turn the columns of a frame, the last of which is the label, into numbers."""
    data, column_notes = _choose_columns(frame, choices)
    data, row_notes = _choose_rows(data, choices)
    leaks = _leaks_and_groups(data, choices) if choices.tells_leaks else ()
    filled, marks, impute_notes = impute(data.typed)
    columns, date_notes = expand_dates(filled)
    X, merged_notes = encode_columns([*columns, *marks], choices.scale)
    notes += column_notes + row_notes
    notes += leaks + date_notes + impute_notes + merged_notes
    merged, typed = bool(merged_notes), data.typed.columns
    left_out = tuple(name for name in data.rows.columns if name not in typed)
    counts = merged or bool(left_out)  # rows that differ in their texts are no copies
    copied = int(data.rows.is_duplicated().sum()) / data.rows.height if counts else None
    rows = data.rows[typed]
    return LabelledTable(
        X,
        data.labels,
        rows,
        notes,
        name,
        texts_merged=merged,
        texts_left_out=left_out,
        copied=copied,
        row_numbers=data.numbers,
        typed=data.typed,
    )


def _leaks_and_groups(data: _LabelledRows, choices: TableChoices) -> tuple[str, ...]:
    """Name columns that give the label away, and those that look like groups unless these are."""
    classes = label_codes(data.labels)
    leaks = leak_notes(data.typed, classes)
    return leaks if choices.grouped else leaks + group_column_notes(data.typed, classes)


class _LabelledRows(NamedTuple):
    """Holds columns of known types, these and free text as they came, and the labels."""

    typed: pl.DataFrame
    rows: pl.DataFrame
    labels: pl.Series
    numbers: pl.Series | None = None  # of the rows in the table, where some were left out

    def only(self, kept: pl.Series) -> _LabelledRows:
        """Return some of the rows."""
        import polars as pl

        if kept.all():
            return self
        typed, rows, labels, numbers = self
        numbers = pl.int_range(len(kept), eager=True) if numbers is None else numbers
        columns = typed.filter(kept), rows.filter(kept)
        return _LabelledRows(*columns, labels.filter(kept), numbers.filter(kept))


def _choose_columns(
    frame: pl.DataFrame, choices: TableChoices
) -> tuple[_LabelledRows, tuple[str, ...]]:
    """Give columns their types and leave out those of no use; tell all problems at once."""
    problems = Problems()
    types = infer_types(frame[:, :-1], problems)
    with problems.collected():
        labels, label_notes = clean_labels(frame.to_series(-1))
        if labels.count():
            check_labels(labels.drop_nulls())
    if types.frame.width:
        with problems.collected():
            useful = useful_columns(types.frame, choices.keep, choices.nameless)
            if choices.missing.refuses_table:
                check_missing(useful.frame.with_columns(labels), types.strays)
    problems.check()
    rows = frame[[*useful.frame.columns, *useful.free_text]]
    return _LabelledRows(useful.frame, rows, labels), label_notes + types.notes + useful.notes


def _choose_rows(
    data: _LabelledRows, choices: TableChoices
) -> tuple[_LabelledRows, tuple[str, ...]]:
    """Leave out rows without a label, of a rare class, and if asked with a missing value."""
    quantity = quantity_notes(data.labels)
    known, notes = labelled_rows(data.labels)
    data, notes = data.only(known), quantity + notes
    if choices.missing.drops_rows:
        complete, drop_notes = complete_rows(data.typed)
        data, notes = data.only(complete), notes + drop_notes
        check_labels(data.labels)
    common, rare_notes = common_classes(data.labels, choices.min_class_rows)
    return data.only(common), notes + rare_notes
