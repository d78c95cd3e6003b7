"""Columns of numbers are scaled so that their distances weigh alike."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

MAX_SQUARED_EXPONENT = 256
"""Numbers from 2^-256 to 2^256 have squares whose sums neither overflow nor vanish: a float holds
2^±1022, and the squares, 2^±512 at most, leave room for 2^500 rows."""
MAX_FLOAT_EXPONENT = sys.float_info.max_exp - 1
"""The largest power of two that is a float, 2^1023, has this exponent."""


@dataclass(frozen=True, slots=True)
class Scale:
    """Says how columns of numbers are scaled."""

    summary: str  # for the help of the command line
    apply: Callable[[pl.DataFrame], pl.DataFrame]


def standardise(frame: pl.DataFrame) -> pl.DataFrame:
    """Subtract from each column its lower median, and divide it by its standard deviation.

    The median is a value of the column, so that the steps of a grid stay equal.
    """
    import polars as pl

    every, n = pl.all(), frame.width
    summary = frame.select(
        every.min().name.prefix("low "),
        every.max().name.prefix("high "),
        every.quantile(0.5, "lower").name.prefix("median "),
    ).row(0)
    lows, highs, medians = summary[:n], summary[n : 2 * n], summary[2 * n :]
    scaled = []
    for name, low, high, median in zip(frame.columns, lows, highs, medians, strict=True):
        factor = _power_of_two(max(-low, high))
        values = pl.col(name).cast(pl.Float64)  # a column at a time, not the whole frame
        shifted = values * factor - median * factor if factor != 1 else values - median
        scaled.append(shifted / shifted.std(ddof=0) if low < high else shifted)
    return frame.select(scaled)


def _power_of_two(largest: float) -> float:
    """Return the factor that brings numbers whose squares overflow or vanish near 1, else 1."""
    exponent = math.frexp(largest)[1]
    if abs(exponent) <= MAX_SQUARED_EXPONENT:
        return 1.0
    return math.ldexp(1.0, min(-exponent, MAX_FLOAT_EXPONENT))


def standardised_ranks(frame: pl.DataFrame) -> pl.DataFrame:
    """Replace numbers by their ranks, averaged over ties, and standardise these."""
    import polars as pl

    return standardise(frame.select(pl.all().rank()))


def unscaled(frame: pl.DataFrame) -> pl.DataFrame:
    """Return numbers as they are, in double precision."""
    import polars as pl

    return frame.cast(pl.Float64)


SCALES = {
    "standard": Scale("divide numbers by their standard deviation", standardise),
    "rank": Scale("replace numbers by their ranks, then standardise", standardised_ranks),
    "none": Scale("leave numbers as they are", unscaled),
}
"""How numbers can be scaled."""
