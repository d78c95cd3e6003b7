"""Columns as they came become numbers, true and false, or text; everything else is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayesfloor.errors import DataError
from bayesfloor.tables.choose import listed
from bayesfloor.tables.dialect import MISSING

if TYPE_CHECKING:
    import polars as pl

DATE = r"^(\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4})([T ].*)?$"
TIME = r"^\d{1,2}:\d{2}(:\d{2})?(\.\d+)?( ?[AaPp][Mm])?$"
PROBE = 100
"""Values that tell whether a column of text may hold dates or numbers."""
STEP = r"^[<>≤≥~]?\s*[$€£]?\s*(-?\d+(?:\.\d+)?)(?:\s*(?:-|–|to)\s*\d+(?:\.\d+)?)?\s*(.*)$"
"""A step of a scale, such as 20-29, 3rd or 12 %: its number, and what follows."""
ENDINGS = frozenset(["", "st", "nd", "rd", "th", "+"])
EXACT = 2**53
"""Integers up to here are floats."""


def typed_columns(frame: pl.DataFrame) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """Return numbers as Float64, true and false as Boolean, all else as String, and notes."""
    import polars as pl

    columns = [plain_column(column) for column in frame.iter_columns()]
    dates = [column.name for column in columns if _holds_dates(column)]
    if dates:
        what = f"dates or times in {listed(dates)}"
        raise DataError(f"{what}; turn them into numbers, such as days or hours, or --drop them")
    scales = {column.name: _steps(column) for column in columns if column.dtype == pl.String}
    stepped = [name for name, numbers in scales.items() if numbers is not None]
    numbers = [scales.get(column.name) for column in columns]
    found = [old if new is None else new for old, new in zip(columns, numbers, strict=True)]
    note = f"Text that starts with numbers was taken as these numbers: {listed(stepped)}."
    return pl.DataFrame(found), (note,) if stepped else ()


def plain_column(column: pl.Series) -> pl.Series:
    """Return a column as numbers, true and false, text or dates, missing values as null."""
    import polars as pl

    dtype = column.dtype
    if dtype in (pl.Categorical, pl.Enum):
        column, dtype = column.cast(pl.String), pl.String()
    if dtype == pl.String:
        return _numbers_or_text(column)
    if dtype.is_numeric():
        return _finite(_floats(column))
    if dtype.is_temporal() or dtype == pl.Boolean:
        return column
    if dtype == pl.Null:
        return column.cast(pl.Float64)
    came = f"column {column.name!r} holds values of type {dtype}"
    raise DataError(f"{came}; turn them into columns of numbers or text, or --drop it")


def plain_text(column: pl.Series) -> pl.Series:
    """Return text without blanks around it, and without the texts for missing values."""
    import polars as pl

    text = column.str.strip_chars()
    missing = text.is_in(list(MISSING))
    return text.set(missing.fill_null(False), None) if missing.any() else text.cast(pl.String)


def _numbers_or_text(column: pl.Series) -> pl.Series:
    import polars as pl

    text = plain_text(column)
    first = text.drop_nulls().head(PROBE)
    if first.cast(pl.Float64, strict=False).null_count():
        return text
    numbers = text.cast(pl.Float64, strict=False)
    return _finite(numbers) if numbers.null_count() == text.null_count() else text


def _floats(column: pl.Series) -> pl.Series:
    """Return numbers as Float64; integers too large for that are counted from the least."""
    import polars as pl

    if column.dtype in (pl.Int64, pl.UInt64) and column.count():
        low, high = int(column.min()), int(column.max())  # type: ignore[arg-type]
        if max(-low, high) > EXACT and high - low < 2**63:
            column = column - low
    return column.cast(pl.Float64)


def _finite(column: pl.Series) -> pl.Series:
    """Return numbers with NaN as missing; refuse infinity."""
    if column.is_finite().all():
        return column
    infinite = column.is_infinite()
    if infinite.any():
        where = f"column {column.name!r} holds infinity in row {infinite.arg_true()[0]}"
        raise DataError(f"{where}; remove the row or --drop the column")
    return column.fill_nan(None)


def _holds_dates(column: pl.Series) -> bool:
    """Tell dates, and text that looks like them."""
    import polars as pl

    if column.dtype != pl.String:
        return column.dtype.is_temporal()
    first = column.drop_nulls().head(PROBE)
    like = first.str.contains(DATE) | first.str.contains(TIME)
    return bool(len(first)) and bool(like.all())


def _steps(column: pl.Series) -> pl.Series | None:
    """Return the numbers that text starts with, if it is a scale: each number one text."""
    import polars as pl

    if column.drop_nulls().head(PROBE).str.extract(STEP, 1).null_count():
        return None
    levels = column.drop_nulls().unique()
    parts = levels.str.extract_groups(STEP).struct.unnest()
    number, ending = parts.to_series(0).cast(pl.Float64), parts.to_series(1).str.strip_chars()
    units = set(ending.to_list()) - ENDINGS
    if len(levels) < 3 or number.null_count() or len(units) > 1:
        return None
    if number.n_unique() < len(levels):
        return None
    return column.replace_strict(levels, number, return_dtype=pl.Float64)
