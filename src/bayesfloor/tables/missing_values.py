"""Missing values are imputed and marked, left out with their rows, or refused."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bayesfloor.base.errors import DataError
from bayesfloor.base.formatting import first_few, quoted_names

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, slots=True)
class MissingChoice:
    """What is done about missing values; what is neither refused nor left out is imputed."""

    summary: str  # on the command line
    refuses_table: bool = False
    drops_rows: bool = False


MISSING_CHOICES = {
    "impute": MissingChoice(
        "fill in the median and mark it in an extra column; in text it is one more value"
    ),
    "drop": MissingChoice("leave out the rows", drops_rows=True),
    "error": MissingChoice("refuse the table", refuses_table=True),
}
"""What can be done about missing values, by the name that users pass."""
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


def labelled_rows(labels: pl.Series) -> tuple[pl.Series, tuple[str, ...]]:
    """Return a mask of the rows that have a label, and a note on the others."""
    known = labels.is_not_null()
    if not known.any():
        raise DataError(f"the label {labels.name!r} is missing in every row; name another label=")
    return known, _left_out_notes(known, "without a label")


def complete_rows(frame: pl.DataFrame) -> tuple[pl.Series, tuple[str, ...]]:
    """Return a mask of the rows without missing values, and a note on the others."""
    import polars as pl

    complete = frame.select(pl.all_horizontal(pl.all().is_not_null()).alias("row")).to_series()
    if not complete.any():
        hint = 'pass missing="impute", or leave columns out with drop='
        raise DataError(f"a value is missing in every row; {hint}")
    return complete, _left_out_notes(complete, "in which a value is missing")


def _left_out_notes(kept: pl.Series, which: str) -> tuple[str, ...]:
    dropped = len(kept) - int(kept.sum())
    return (f"{left_out(dropped, len(kept), which)}.",) if dropped else ()


def left_out(dropped: int, total: int, which: str) -> str:
    """Say how many rows were left out, and which.

    Examples
    --------
    >>> left_out(2, 40, "without a label")
    'Left out 2 of 40 rows without a label (5.0%)'
    """
    share = f" ({dropped / total:.1%})" if dropped / total >= LEAST_SHOWN_SHARE else ""
    return f"Left out {dropped:,} of {total:,} rows {which}{share}"


def impute(frame: pl.DataFrame) -> tuple[pl.DataFrame, list[pl.Series], tuple[str, ...]]:
    """Return true and false with gaps as text, columns that mark missing numbers, and notes.

    Missing numbers and texts stay missing until they are encoded: then numbers get the median of
    those that are there, which are scaled already, and texts a value of their own.
    """
    import polars as pl

    counts = _missing_counts(frame)
    if not counts:
        return frame, [], ()
    empty = [name for name, count in counts.items() if count == frame.height]
    if empty:
        what = f"every value is missing in {quoted_names(empty)}"
        raise DataError(f"{what}; leave these columns out with drop=")
    numbers = [name for name in counts if _is_number(frame[name])]
    texts = [name for name in counts if name not in numbers]
    marks = frame.select(pl.col(numbers).is_null().name.suffix(" is missing")).get_columns()
    flags = [name for name in texts if frame[name].dtype == pl.Boolean]
    as_text = frame.with_columns(pl.col(flags).cast(pl.String)) if flags else frame
    return as_text, marks, _impute_notes(numbers, texts)


def _is_number(column: pl.Series) -> bool:
    """Return whether a column is or becomes numbers, as dates do."""
    return column.dtype.is_float() or column.dtype.is_temporal()


def _impute_notes(numbers: list[str], texts: list[str]) -> tuple[str, ...]:
    notes = {
        "Missing numbers were replaced by the median and marked in an extra column": numbers,
        "Missing texts count as a value of their own": texts,
    }
    return tuple(f"{note}: {quoted_names(names)}." for note, names in notes.items() if names)


def _missing_counts(frame: pl.DataFrame) -> dict[str, int]:
    """Return the number of missing values of each column that has any."""
    counts = {column.name: column.null_count() for column in frame.iter_columns()}
    return {name: count for name, count in counts.items() if count}


def _share(count: int, total: int) -> str:
    """Write a share of rows, small ones as a count so that they are not shown as zero."""
    shown = count / total >= LEAST_SHOWN_SHARE
    return f"{count / total:.1%} of rows" if shown else f"{count} of {total} rows"
