"""A column that tells when rows were becomes numbers in the order of time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayesfloor.base.errors import DataError
from bayesfloor.tables.column_types import infer_types
from bayesfloor.tables.problems import Problems

if TYPE_CHECKING:
    import polars as pl


def moments(column: pl.Series) -> pl.Series:
    """Return numbers, dates, or text that reads as either, as numbers; missing values stay."""
    import polars as pl

    problems = Problems()
    typed = infer_types(column.to_frame(), problems).frame
    problems.check()
    values = typed.to_series() if typed.width else column
    if values.dtype.is_temporal():
        return values.to_physical().cast(pl.Float64)
    if values.dtype.is_numeric():
        return values.cast(pl.Float64)
    raise DataError(
        f"time= names {column.name!r}, which holds text; name a column of numbers or dates"
    )
