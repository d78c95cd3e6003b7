"""Numbers, true and false and text become columns of numbers whose distances weigh alike."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import numpy as np

from bayesfloor.arrays import Floats

if TYPE_CHECKING:
    import polars as pl

MOST_LEVELS = 50
"""Texts of a column that are told apart; rarer ones count as one."""
HALF = math.sqrt(0.5)
"""Two rows of different categories differ in two columns, so their distance is 1."""
OTHER = "other"
MOST_BITS = 256
"""Numbers up to two to this power, or from its inverse on, have squares that can be added up."""


def standard(values: Floats) -> Floats:
    """Return numbers from their median, in standard deviations."""
    values = _with_squares(values)
    half = (len(values) - 1) // 2
    values = _with_squares(values - np.partition(values, half)[half])
    deviation = values.std()
    return np.divide(values, deviation, out=values) if deviation > 0 else values


def _with_squares(values: Floats) -> Floats:
    """Bring values whose squares overflow or vanish near 1, by a power of two, which is exact."""
    exponent = int(np.frexp(max(-float(values.min()), float(values.max())))[1])
    return np.ldexp(values, -exponent) if abs(exponent) > MOST_BITS else values


def ranks(values: Floats) -> Floats:
    """Return the ranks of numbers, ties shared, in standard deviations."""
    from scipy.stats import rankdata

    return standard(rankdata(values))


def unscaled(values: Floats) -> Floats:
    """Return numbers as they came."""
    return values


SCALES: dict[str, Callable[[Floats], Floats]] = {
    "standard": standard,
    "rank": ranks,
    "none": unscaled,
}
"""How numbers are scaled."""


def encoded(columns: Iterable[pl.Series], scale: str) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """Return columns of numbers, and notes on text of which some was not told apart.

    A standard deviation of a number, true against false, and one text against another have
    distance 1 each.
    """
    import polars as pl

    with ThreadPoolExecutor() as pool:  # NumPy and polars let other threads run
        found = list(pool.map(lambda column: _encoded(column, scale), columns))
    parts = [part for several, _ in found for part in several]
    names = _distinct([part.name for part in parts])
    renamed = [part.alias(name) for part, name in zip(parts, names, strict=True)]
    crowded = [text for _, text in found if text]
    note = (
        f"Of columns with many different texts only the {MOST_LEVELS} most frequent are told apart:"
        f" {', '.join(crowded[:8])}."
    )
    return pl.DataFrame(renamed), (note,) if crowded else ()


def _encoded(column: pl.Series, scale: str) -> tuple[list[pl.Series], str]:
    """Return the columns that stand for one column, and what was not told apart in it."""
    import polars as pl

    if column.dtype == pl.Boolean:
        return [column], ""
    if column.dtype == pl.String:
        return _categories(column)
    return [pl.Series(column.name, SCALES[scale](column.to_numpy()))], ""


def _categories(column: pl.Series) -> tuple[list[pl.Series], str]:
    """Return one column for two texts, else one for each text."""
    import polars as pl

    levels, name = _levels(column), column.name
    if len(levels) <= 2:
        return [(column == levels[-1]).alias(f"{name}={levels[-1]}")], ""
    told, crowded = levels[:MOST_LEVELS], ""
    places = range(len(told))
    codes = column.replace_strict(told, places, default=len(told), return_dtype=pl.UInt32)
    if len(levels) > len(told):
        share = float((codes < len(told)).mean())  # type: ignore[arg-type]
        crowded = f"{name!r} has {len(levels)}, of which they hold {share:.0%}"
        told = [*told, OTHER]
    marks = [pl.when(pl.first() == code).then(HALF).otherwise(0.0) for code in range(len(told))]
    found = codes.to_frame().select(mark.alias(str(j)) for j, mark in enumerate(marks))
    parts = zip(told, found.iter_columns(), strict=True)
    return [part.alias(f"{name}={level}") for level, part in parts], crowded


def _levels(column: pl.Series) -> list[str]:
    """Return the texts of a column, the frequent ones first; the order of rows does not matter."""
    counts = column.value_counts(name="rows")
    return counts.sort(["rows", column.name], descending=[True, False])[column.name].to_list()


def _distinct(names: list[str]) -> list[str]:
    """Add a number to the names that come again."""
    seen: set[str] = set()
    for place, name in enumerate(names):
        count, fresh = 1, name
        while fresh in seen:
            count += 1
            fresh = f"{name} ({count})"
        seen.add(fresh)
        names[place] = fresh
    return names
