"""Missing values are refused, left out with their rows, or imputed and marked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from bayesfloor.base.errors import DataError
from bayesfloor.base.formatting import first_few, quoted_names

if TYPE_CHECKING:
    import polars as pl

MISSING_TEXTS = frozenset(
    ["", "?", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "-nan", "NULL", "null", "None"]
)
"""Texts that mean a missing value: a selection of the defaults of `pandas.read_csv`, a judgement,
and the question mark of the UCI repository."""
MISSING_CHOICES = {
    "error": "refuse the table",
    "drop": "leave out the rows",
    "impute": "fill in the median or the most frequent value, and mark it in an extra column",
}
"""What can be done about missing values, and the words for it on the command line."""
LEAST_SHOWN_SHARE = 0.0005
"""Share of rows that is written as a percentage, 0.1 % when rounded; smaller ones would look like
zero and are written as counts."""


def check_missing(frame: pl.DataFrame, strays: Mapping[str, Sequence[str]]) -> None:
    """Refuse missing values; name the columns, the shares of rows, and stray texts."""
    counts = _missing_counts(frame)
    if counts:
        shares = [
            f"{name!r} ({_share(count, frame.height)}"
            + (f", counting {quoted_names(strays[name])})" if name in strays else ")")
            for name, count in counts.items()
        ]
        raise DataError(
            f'values are missing in {first_few(shares)}; pass missing="drop" to leave out these'
            ' rows, or missing="impute" to fill them in'
        )


def complete_rows(frame: pl.DataFrame, labels: pl.Series) -> tuple[pl.Series, tuple[str, ...]]:
    """Return a mask of the rows without missing values, and a note on the others."""
    import polars as pl

    complete = frame.select(pl.all_horizontal(pl.all().is_not_null()).alias("row")).to_series()
    complete = complete & labels.is_not_null()
    total, dropped = len(complete), len(complete) - int(complete.sum())
    if dropped == total:
        hint = 'pass missing="impute", or leave columns out with drop='
        raise DataError(f"a value is missing in every row; {hint}")
    note = f"Left out {dropped} of {total} rows in which a value is missing"
    shown = f" ({dropped / total:.1%})." if dropped / total >= LEAST_SHOWN_SHARE else "."
    return complete, (note + shown,) if dropped else ()


def impute(frame: pl.DataFrame) -> tuple[pl.DataFrame, list[pl.Series], tuple[str, ...]]:
    """Return the frame with missing values filled in, columns that mark them, and a note."""
    import polars as pl

    counts = _missing_counts(frame)
    if not counts:
        return frame, [], ()
    empty = [name for name, count in counts.items() if count == frame.height]
    if empty:
        what = f"every value is missing in {quoted_names(empty)}"
        raise DataError(f"{what}; leave these columns out with drop=")
    marks = frame.select(pl.col(*counts).is_null().name.suffix(" is missing")).get_columns()
    filled = frame.with_columns(
        pl.col(name).fill_null(
            pl.col(name).median()
            if frame[name].dtype.is_numeric()
            else pl.col(name).drop_nulls().mode().sort().first()
        )
        for name in counts
    )
    note = (
        "Missing values were replaced by the median or the most frequent value, and marked in an"
        f" extra column each: {quoted_names(list(counts))}."
    )
    return filled, marks, (note,)


def _missing_counts(frame: pl.DataFrame) -> dict[str, int]:
    """Return the number of missing values of each column that has any."""
    counts = {column.name: column.null_count() for column in frame.iter_columns()}
    return {name: count for name, count in counts.items() if count}


def _share(count: int, total: int) -> str:
    """Write a share of rows, small ones as a count so that they are not shown as zero."""
    shown = count / total >= LEAST_SHOWN_SHARE
    return f"{count / total:.1%} of rows" if shown else f"{count} of {total} rows"
