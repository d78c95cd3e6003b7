"""Missing values: refused, rows left out, or filled in and marked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from bayesfloor.base.errors import DataError
from bayesfloor.tables.column_choice import MOST_NAMES, listed

if TYPE_CHECKING:
    import polars as pl

MISSING_CHOICES = {
    "error": "refuse the table",
    "drop": "leave out the rows",
    "impute": "fill in the median or the most frequent value, and mark it in a column of its own",
}
"""What can be done about missing values."""


def check_missing(frame: pl.DataFrame, strays: Mapping[str, Sequence[str]]) -> None:
    """Refuse missing values, naming columns, shares of rows, and texts that count as missing."""
    gaps = _gaps(frame)
    if gaps:
        shares = [
            f"{name!r} {_percent(count, frame.height)}"
            + (f" (no numbers: {listed(strays[name])})" if name in strays else "")
            for name, count in gaps.items()
        ]
        more = f" and {len(gaps) - MOST_NAMES} more" if len(gaps) > MOST_NAMES else ""
        raise DataError(
            f"missing values, with their share of rows: {', '.join(shares[:MOST_NAMES])}{more};"
            " pass --missing drop to leave out these rows, or --missing impute"
        )


def complete_rows(frame: pl.DataFrame, labels: pl.Series) -> tuple[pl.Series, tuple[str, ...]]:
    """Mark the rows in which no value is missing, and note how many are."""
    import polars as pl

    full = frame.select(pl.all_horizontal(pl.all().is_not_null()).alias("full")).to_series()
    full = full & labels.is_not_null()
    total, gone = len(full), len(full) - int(full.sum())
    if gone == total:
        raise DataError("a value is missing in every row; pass --missing impute, or --drop columns")
    share = _percent(gone, total)
    note = f"Left out {gone} of {total} rows ({share}), in which a value is missing."
    return full, (note,) if gone else ()


def imputed(frame: pl.DataFrame) -> tuple[pl.DataFrame, list[pl.Series], tuple[str, ...]]:
    """Return the frame without gaps, columns that mark where they were, and a note."""
    import polars as pl

    gaps = _gaps(frame)
    if not gaps:
        return frame, [], ()
    empty = [name for name, count in gaps.items() if count == frame.height]
    if empty:
        raise DataError(f"every value is missing in {listed(empty)}; --drop such columns")
    marks = frame.select(pl.col(*gaps).is_null().name.suffix(" is missing")).get_columns()
    filled = frame.with_columns(
        pl.col(name).fill_null(
            pl.col(name).median()
            if frame[name].dtype.is_numeric()
            else pl.col(name).drop_nulls().mode().sort().first()
        )
        for name in gaps
    )
    note = (
        "Missing values were filled in, with the median or the most frequent value, and marked by"
        f" a column each: {listed(list(gaps))}."
    )
    return filled, marks, (note,)


def _gaps(frame: pl.DataFrame) -> dict[str, int]:
    """Return the columns with missing values, and how many."""
    counts = {column.name: column.null_count() for column in frame.iter_columns()}
    return {name: count for name, count in counts.items() if count}


def _percent(count: int, total: int) -> str:
    """Write a share so that few are not shown as none."""
    return f"{count / total:.1%}" if count / total >= 0.0005 else f"{count} of {total}"
