"""The label column: text without blanks, none missing, few enough classes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayesfloor.base.errors import DataError
from bayesfloor.base.formatting import show
from bayesfloor.tables.column_choice import listed
from bayesfloor.tables.text_levels import plain_texts

if TYPE_CHECKING:
    import polars as pl


def plain_labels(column: pl.Series) -> tuple[pl.Series, tuple[str, ...]]:
    """Return labels with gaps as null; those that differ by a full stop only become one."""
    import polars as pl

    dtype = column.dtype
    if dtype in (pl.Categorical, pl.Enum) or dtype == pl.Int128:
        column, dtype = column.cast(pl.String), pl.String()
    if dtype == pl.String:
        texts, levels = plain_texts(column.to_frame())
        found = set(levels[column.name].to_list())
        labels, notes = _without_full_stops(texts.to_series(), found)
        notes = _spaced(column) + notes
        return labels, notes + _alike({level for level in found if not _is_dotted(level, found)})
    if dtype.is_float():
        column = column.fill_nan(None)
    if dtype.is_nested() or dtype in (pl.Object, pl.Binary):
        came = f"the label {column.name!r} holds values of type {dtype}"
        raise DataError(f"{came}; pass a column of text or numbers")
    return column, ()


def _without_full_stops(column: pl.Series, levels: set[str]) -> tuple[pl.Series, tuple[str, ...]]:
    """Take 'a.' for 'a' where both come, as in data that were split into two files."""
    dotted = sorted(level for level in levels if _is_dotted(level, levels))
    if not dotted:
        return column, ()
    note = f"Labels that differ by a full stop only were taken as one: {listed(dotted)}."
    return column.replace(dotted, [level[:-1] for level in dotted]), (note,)


def _spaced(column: pl.Series) -> tuple[str, ...]:
    """Name the labels that are others with blanks around them."""
    levels = set(column.drop_nulls().unique().to_list())
    same = sorted(level for level in levels if level != level.strip() and level.strip() in levels)
    note = f"Labels that differ by blanks only were taken as one: {listed(same)}."
    return (note,) if same else ()


def _is_dotted(level: str, levels: set[str]) -> bool:
    return level[-1:] == "." and level[:-1] in levels


def _alike(levels: set[str]) -> tuple[str, ...]:
    """Warn of labels that differ by capitals only: they are classes of their own."""
    by_text: dict[str, list[str]] = {}
    for level in sorted(levels):
        by_text.setdefault(level.lower(), []).append(level)
    same = [level for several in by_text.values() if len(several) > 1 for level in several]
    note = f"Labels that differ by capitals only are classes of their own: {listed(same)}."
    return (note,) if same else ()


def check_labels(labels: pl.Series) -> None:
    """Refuse labels that are missing, of one class, or of about as many classes as rows."""
    classes, rows, gaps = labels.n_unique(), len(labels), labels.null_count()
    what = f"the label {labels.name!r}"
    if gaps:
        where = f"is missing in {gaps} of {rows} rows"
        raise DataError(f"{what} {where}; pass --missing drop to leave them out")
    if classes == 1:
        value = f"one value only, {show(labels[0])}, in all {rows} rows"
        raise DataError(f"{what} has {value}; pass a column with two classes or more")
    if classes > 2 and 2 * classes > rows:
        each = "a different value in every row"
        came = each if classes == rows else f"{classes} different values in {rows} rows"
        raise DataError(f"{what} has {came}; pass a column of classes, or cut it into classes")
