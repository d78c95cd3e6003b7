"""Numbers, true and false and text become columns of numbers whose distances weigh alike."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from bayesfloor.base.arrays import Floats, Ints
from bayesfloor.tables.text_levels import coded

if TYPE_CHECKING:
    import polars as pl

MOST_LEVELS = 50
"""Texts of a column that have a column each."""
SHARED = 16
"""Columns that all rarer texts share, each in a direction of its own."""
HALF = math.sqrt(0.5)
"""Two rows of different categories differ in two columns, so their distance is 1."""
OTHER = "other"
MOST_BITS = 256
"""Numbers up to two to this power, or from its inverse on, have squares that can be added up."""
MOST_EXPONENT = 1023
"""The largest power of two that is a float."""


def standard(frame: pl.DataFrame) -> pl.DataFrame:
    """Return numbers from their median, in standard deviations."""
    import polars as pl

    every, n = pl.all(), frame.width
    found = frame.select(
        every.min().name.prefix("low "),
        every.max().name.prefix("high "),
        every.quantile(0.5, "lower").name.prefix("middle "),
    ).row(0)
    low, high, middle = found[:n], found[n : 2 * n], found[2 * n :]
    scaled = []
    for name, least, most, median in zip(frame.columns, low, high, middle, strict=True):
        power = _power_of_two(max(-least, most))
        shifted = pl.col(name) * power - median * power if power != 1 else pl.col(name) - median
        scaled.append(shifted / shifted.std(ddof=0) if least < most else shifted)
    return frame.select(scaled)


def _power_of_two(largest: float) -> float:
    """Return what brings numbers whose squares overflow or vanish near 1, exactly; else 1."""
    exponent = math.frexp(largest)[1]
    return math.ldexp(1.0, min(-exponent, MOST_EXPONENT)) if abs(exponent) > MOST_BITS else 1.0


def ranks(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the ranks of numbers, ties shared, in standard deviations."""
    import polars as pl

    return standard(frame.select(pl.all().rank()))


def unscaled(frame: pl.DataFrame) -> pl.DataFrame:
    """Return numbers as they came."""
    return frame


SCALES: dict[str, Callable[[pl.DataFrame], pl.DataFrame]] = {
    "standard": standard,
    "rank": ranks,
    "none": unscaled,
}
"""How numbers are scaled."""


def encoded(columns: Sequence[pl.Series], scale: str) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """Return columns of numbers, and notes on text of which some was not told apart.

    A standard deviation of a number, true against false, and one text against another have
    distance 1 each.
    """
    import polars as pl

    columns = [coded(column) for column in columns]
    dtypes = [column.dtype for column in columns]
    frame = _placed(columns, dtypes, scale)
    found = [
        _texts(column.name, dtype, frame[place])
        if isinstance(dtype, pl.Enum)
        else ([(column.name, pl.col(place))], "")
        for column, dtype, place in zip(columns, dtypes, frame.columns, strict=True)
    ]
    parts = [part for several, _ in found for part in several]
    names = _distinct([name for name, _ in parts])
    crowded = [text for _, text in found if text]
    note = (
        f"Of columns with many different texts the {MOST_LEVELS} most frequent have a column each,"
        f" the others share {SHARED}, and those that come once count as one:"
        f" {'; '.join(crowded[:8])}. If these texts matter more than that shows, the floor is too"
        " high."
    )
    chosen = (part.alias(name) for name, (_, part) in zip(names, parts, strict=True))
    return frame.select(chosen), (note,) if crowded else ()


def _placed(
    columns: Sequence[pl.Series], dtypes: Sequence[pl.DataType], scale: str
) -> pl.DataFrame:
    """Return columns under their places, as names may clash: numbers scaled, texts as codes."""
    import polars as pl

    placed = {str(j): column for j, column in enumerate(columns)}
    kinds = dict(zip(placed, dtypes, strict=True))
    numbers = {place: c for place, c in placed.items() if kinds[place] == pl.Float64}
    codes = {place: c.to_physical() for place, c in placed.items() if kinds[place] == pl.Enum}
    scaled = SCALES[scale](pl.DataFrame(numbers)).to_dict() if numbers else {}
    return pl.DataFrame({**placed, **scaled, **codes})


def _texts(name: str, dtype: pl.Enum, values: pl.Series) -> tuple[list[tuple[str, pl.Expr]], str]:
    """Return names and values of what stands for a text, and what was not told apart in it."""
    import polars as pl

    codes, sizes = _frequent(values)
    told, part = codes[:MOST_LEVELS].tolist(), pl.col(values.name)
    levels = dtype.categories.gather(told).to_list()
    if len(codes) <= 2:  # one column is enough
        return [(f"{name}={levels[-1]}", part == told[-1])], ""
    marks = {f"{name}={level}": part == code for level, code in zip(levels, told, strict=True)}
    rest, often = codes[MOST_LEVELS:], sizes[MOST_LEVELS:] > 1
    if not often.all():
        marks[f"{name}={OTHER}"] = part.is_in(rest[~often].tolist())
    half, zero = pl.lit(HALF), pl.lit(0.0)
    parts = [(title, pl.when(mark).then(half).otherwise(zero)) for title, mark in marks.items()]
    if often.any():
        shared = _directions(rest[often], len(dtype.categories))[values.to_numpy()]
        parts += [(f"{name}~{j}", pl.lit(pl.Series(c))) for j, c in enumerate(shared.T, 1)]
    alone = np.count_nonzero(~often) / sizes.sum()
    crowded = f"{name!r} has {len(codes)}, {alone:.0%} of the rows one that comes once"
    return parts, crowded if len(rest) else ""


def _directions(codes: Ints, most: int) -> Floats:
    """Return a vector for each code below `most`: those given have length √½, the others zero.

    Two directions drawn at random are almost at right angles, so two texts are 1 apart, give or
    take an eighth.
    """
    found = np.zeros((most, SHARED))
    drawn = np.random.default_rng(0).normal(size=(len(codes), SHARED))
    found[codes] = HALF * drawn / np.linalg.norm(drawn, axis=1, keepdims=True)
    return found


def _frequent(codes: pl.Series) -> tuple[Ints, Ints]:
    """Return the codes that come, the frequent ones first, and their numbers of rows."""
    sizes = np.bincount(codes.to_numpy())
    order = np.argsort(-sizes, kind="stable")[: np.count_nonzero(sizes)]
    return order, sizes[order]


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
