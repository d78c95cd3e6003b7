"""Columns of text are cleaned, and coded by their different texts."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

MISSING_TEXTS = frozenset(
    ["", "?", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "-nan", "NULL", "null", "None"]
)
"""Texts that mean a missing value: a selection of the defaults of `pandas.read_csv`, a judgement,
and the question mark of the UCI repository."""


def clean_texts(frame: pl.DataFrame) -> tuple[pl.DataFrame, dict[str, pl.Series]]:
    """Strip the texts of a frame, and turn those that mean a missing value into null.

    Returns the frame, and for each column its different texts in order. Every different text is
    cleaned once, however many rows hold it.
    """
    import polars as pl

    if not frame.width:
        return frame, {}
    stripped = pl.element().str.strip_chars()
    cleaned_text = pl.when(~stripped.is_in(list(MISSING_TEXTS))).then(stripped)
    distinct = frame.select(pl.all().unique().implode())
    cleaned = distinct.select(pl.all().list.eval(cleaned_text))
    levels, changes = {}, []
    for name in frame.columns:
        old, new = distinct[name][0], cleaned[name][0]
        if not new.equals(old):
            changes.append(pl.col(name).replace_strict(old, new, return_dtype=pl.String))
            new = new.unique()
        levels[name] = new.drop_nulls().sort()
    return frame.with_columns(changes) if changes else frame, levels


def as_enum(column: pl.Series) -> pl.Series:
    """Return text as an Enum of its different texts in order, and other columns unchanged."""
    import polars as pl

    if column.dtype == pl.String:
        return column.cast(pl.Enum(column.drop_nulls().unique().sort()))
    return column
