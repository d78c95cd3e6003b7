"""Numbers, true and false and text become columns of numbers whose distances weigh alike."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
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


def standard(values: Floats) -> Floats:
    """Return numbers from their median, in standard deviations.

    A power of two, which is exact, first brings the largest magnitude near 1, so that no square
    overflows or vanishes.
    """
    values = np.ldexp(values, -int(np.frexp(np.abs(values).max())[1]))
    half = (len(values) - 1) // 2
    values = values - np.partition(values, half)[half]
    values = np.ldexp(values, -int(np.frexp(np.abs(values).max())[1]))
    deviation = values.std()
    return values / deviation if deviation > 0 else values


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

    crowded: dict[str, str] = {}
    parts = [part for column in columns for part in _encoded(column, scale, crowded)]
    names = _distinct([part.name for part in parts])
    renamed = [part.alias(name) for part, name in zip(parts, names, strict=True)]
    note = (
        f"Of columns with many different texts only the {MOST_LEVELS} most frequent are told apart:"
        f" {', '.join(list(crowded.values())[:8])}."
    )
    return pl.DataFrame(renamed), (note,) if crowded else ()


def _encoded(column: pl.Series, scale: str, crowded: dict[str, str]) -> Iterator[pl.Series]:
    """Yield the columns that stand for one column."""
    import polars as pl

    if column.dtype == pl.Boolean:
        yield column
    elif column.dtype == pl.String:
        yield from _categories(column, crowded)
    else:
        yield pl.Series(column.name, SCALES[scale](column.to_numpy()))


def _categories(column: pl.Series, crowded: dict[str, str]) -> Iterator[pl.Series]:
    """Yield one column for two texts, else one for each text."""
    import polars as pl

    levels = _levels(column)
    if len(levels) <= 2:
        yield (column == levels[-1]).alias(f"{column.name}={levels[-1]}")
        return
    told = levels[:MOST_LEVELS] if len(levels) > MOST_LEVELS else levels
    codes = column.replace_strict(
        told, range(len(told)), default=len(told), return_dtype=pl.UInt32
    ).to_numpy()
    if len(levels) > len(told):
        share = float((codes < len(told)).mean())
        crowded[column.name] = f"{column.name!r} has {len(levels)}, of which they hold {share:.0%}"
    for code, level in enumerate([*told, OTHER][: len(told) + (len(levels) > len(told))]):
        yield pl.Series(f"{column.name}={level}", np.where(codes == code, HALF, 0.0))


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
