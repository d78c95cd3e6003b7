"""The label column is cleaned, and refused unless it holds classes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayesfloor.base.errors import DataError
from bayesfloor.base.formatting import quoted_names, show
from bayesfloor.tables.text_columns import clean_texts

if TYPE_CHECKING:
    import polars as pl

MAX_CLASS_SHARE = 0.5
"""Largest number of classes per row: each class needs two rows for an error to be estimated."""


def clean_labels(column: pl.Series) -> tuple[pl.Series, tuple[str, ...]]:
    """Return labels with null for missing; merge those that differ by spaces or a full stop."""
    import polars as pl

    dtype = column.dtype
    if dtype in (pl.Categorical, pl.Enum) or dtype == pl.Int128:
        column, dtype = column.cast(pl.String), pl.String()
    if dtype == pl.String:
        texts, levels = clean_texts(column.to_frame())
        classes = set(levels[column.name].to_list())
        labels, stop_notes = _merge_full_stops(texts.to_series(), classes)
        merged = {label for label in classes if not _has_extra_stop(label, classes)}
        return labels, _space_notes(column) + stop_notes + _capital_notes(merged)
    if dtype.is_float():
        column = column.fill_nan(None)
    if dtype.is_nested() or dtype in (pl.Object, pl.Binary):
        came = f"the label {column.name!r} holds values of type {dtype}"
        raise DataError(f"{came}; pass a column of text or numbers")
    return column, ()


def _merge_full_stops(column: pl.Series, classes: set[str]) -> tuple[pl.Series, tuple[str, ...]]:
    """Replace 'a.' by 'a' where both occur, as in data that were split into two files."""
    dotted = sorted(label for label in classes if _has_extra_stop(label, classes))
    if not dotted:
        return column, ()
    note = f"Labels that differ only by a full stop were merged: {quoted_names(dotted)}."
    return column.replace(dotted, [label[:-1] for label in dotted]), (note,)


def _space_notes(column: pl.Series) -> tuple[str, ...]:
    """Name the labels that equal another one but for the spaces around them."""
    raw = set(column.drop_nulls().unique().to_list())
    same = sorted(label for label in raw if label != label.strip() and label.strip() in raw)
    note = f"Labels that differ only by spaces were merged: {quoted_names(same)}."
    return (note,) if same else ()


def _has_extra_stop(label: str, classes: set[str]) -> bool:
    return label[-1:] == "." and label[:-1] in classes


def _capital_notes(classes: set[str]) -> tuple[str, ...]:
    """Warn of labels that differ only by capitals, which are not merged."""
    by_text: dict[str, list[str]] = {}
    for label in sorted(classes):
        by_text.setdefault(label.lower(), []).append(label)
    same = [label for several in by_text.values() if len(several) > 1 for label in several]
    note = f"Labels that differ only by capitals are separate classes: {quoted_names(same)}."
    return (note,) if same else ()


def check_labels(labels: pl.Series) -> None:
    """Refuse labels that are all equal, or mostly different."""
    classes, rows = labels.n_unique(), len(labels)
    what = f"the label {labels.name!r}"
    if classes == 1:
        value = f"the same value, {show(labels[0])}, in all {rows} rows"
        raise DataError(f"{what} has {value}; pass a column with at least two classes")
    if classes > 2 and classes > MAX_CLASS_SHARE * rows:
        each = "a different value in every row"
        came = each if classes == rows else f"{classes} different values in {rows} rows"
        raise DataError(f"{what} has {came}; pass a column of classes, or bin it into classes")
