"""The columns of a table as they are tested one by one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from bayesfloor.base.arrays import Ints
from bayesfloor.base.formatting import MISSING_WORD
from bayesfloor.two_sample.column_profiles import ColumnValues

if TYPE_CHECKING:
    import polars as pl


def typed_columns(frame: pl.DataFrame) -> list[ColumnValues]:
    """Return columns of numbers, dates, true and false, and texts as numbers or codes."""
    return [_column_values(column) for column in frame.iter_columns()]


def _column_values(column: pl.Series) -> ColumnValues:
    import polars as pl

    if column.dtype.is_numeric():
        return ColumnValues(column.name, column.cast(pl.Float64).fill_null(np.nan).to_numpy())
    if column.dtype.is_temporal():
        days = column.to_physical().cast(pl.Float64)
        return ColumnValues(column.name, days.fill_null(np.nan).to_numpy())
    texts = column.cast(pl.String).fill_null(MISSING_WORD)
    known = texts.unique(maintain_order=True).sort()
    codes = texts.cast(pl.Enum(known)).to_physical().cast(pl.Float64)
    return ColumnValues(column.name, codes.to_numpy(), known.to_list())


def owners_of(encoded: Sequence[str], names: Sequence[str]) -> Ints:
    """Return the column that each encoded column stands for: the longest name it starts with.

    Examples
    --------
    >>> owners_of(["size", "city=Rome", "city=Bonn"], ["size", "city"]).tolist()
    [0, 1, 1]
    """
    place = {name: j for j, name in enumerate(names)}
    by_length = sorted(names, key=len, reverse=True)
    return np.array(
        [place[next(name for name in by_length if one.startswith(name))] for one in encoded]
    )
