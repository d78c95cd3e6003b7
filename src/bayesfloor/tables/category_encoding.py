"""Text becomes columns of numbers in which two different texts have distance 1."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from bayesfloor.base.arrays import Floats, Ints
from bayesfloor.base.formatting import MISSING_WORD, first_few
from bayesfloor.tables.scaling import Scale
from bayesfloor.tables.text_columns import as_enum

if TYPE_CHECKING:
    import polars as pl

MAX_INDICATORS = 50
"""Number of texts of one column that get an indicator column each, the most frequent ones: more
would slow down the neighbour search and say little per column, a judgement."""
SHARED_COLUMNS = 16
"""Number of columns that all rarer texts share, each in its own random direction: the dot product
of two directions has standard deviation 1/√16, so their distance is 1 ± 1/8."""
INDICATOR_VALUE = math.sqrt(0.5)
"""Value of an indicator column: rows of different texts differ in two, so √(½ + ½) = 1 apart."""
OTHER_TEXTS = "other"
"""Name of the texts that occur once, in that of their common indicator column."""


class EncodedText(NamedTuple):
    """Holds the columns that stand for one column of text."""

    columns: list[tuple[str, pl.Expr]]  # names and values
    merged: str = ""  # which texts share columns, in words; empty if none do


def encode_columns(
    columns: Sequence[pl.Series], scale: Scale
) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """Return columns of numbers, and a note on columns of text in which texts share columns.

    One standard deviation of a number, true against false, and one text against another all have
    distance 1. Missing numbers get the median, and a missing text is one more text.
    """
    import polars as pl

    columns = [as_enum(column) for column in columns]
    dtypes = [column.dtype for column in columns]
    frame = _numbers_and_codes(columns, dtypes, scale)
    encoded = [
        _encode_text(column.name, dtype, frame[place])
        if isinstance(dtype, pl.Enum)
        else EncodedText([(column.name, pl.col(place))])
        for column, dtype, place in zip(columns, dtypes, frame.columns, strict=True)
    ]
    named = [pair for one in encoded for pair in one.columns]
    names = _make_distinct([name for name, _ in named])
    chosen = (values.alias(name) for name, (_, values) in zip(names, named, strict=True))
    return frame.select(chosen), _merged_notes([one.merged for one in encoded if one.merged])


def _merged_notes(merged: list[str]) -> tuple[str, ...]:
    note = (
        f"In columns of many different texts the {MAX_INDICATORS} most frequent get a column each,"
        f" the others share {SHARED_COLUMNS}, and those that occur once count as one:"
        f" {first_few(merged, separator='; ')}. If the rare texts matter, the floor is too high."
    )
    return (note,) if merged else ()


def _numbers_and_codes(
    columns: Sequence[pl.Series], dtypes: Sequence[pl.DataType], scale: Scale
) -> pl.DataFrame:
    """Return numbers scaled and texts as codes, named by position because names may clash."""
    import polars as pl

    placed = {str(j): column for j, column in enumerate(columns)}
    kinds = dict(zip(placed, dtypes, strict=True))
    numbers = {place: c for place, c in placed.items() if kinds[place].is_float()}
    codes = {place: _codes(c) for place, c in placed.items() if kinds[place] == pl.Enum}
    scaled = _filled(scale.apply(pl.DataFrame(numbers))).to_dict() if numbers else {}
    return pl.DataFrame({**placed, **scaled, **codes})


def _codes(column: pl.Series) -> pl.Series:
    """Return texts as numbers from 0, the largest of which stands for missing values."""
    import polars as pl

    codes, known = column.to_physical(), len(column.dtype.categories)  # type: ignore[attr-defined]
    return codes.cast(pl.UInt32).fill_null(known) if column.null_count() else codes


def _missing_text(known: Collection[str]) -> str:
    """Return a text for missing values that is not one of the others."""
    word = MISSING_WORD
    while word in known:
        word = f"({word})"
    return word


def _filled(frame: pl.DataFrame) -> pl.DataFrame:
    """Replace missing numbers by the lower median, which is a value of the column."""
    import polars as pl

    gaps = [column.name for column in frame.iter_columns() if column.null_count()]
    if not gaps:
        return frame
    return frame.with_columns(pl.col(gaps).fill_null(pl.col(gaps).quantile(0.5, "lower")))


def _encode_text(name: str, dtype: pl.Enum, values: pl.Series) -> EncodedText:
    """Return indicators of the frequent texts, shared columns for rarer ones, and "other"."""
    import polars as pl

    codes, sizes = _by_frequency(values)
    frequent, column = codes[:MAX_INDICATORS].tolist(), pl.col(values.name)
    levels = dtype.categories.to_list()
    levels.append(_missing_text(levels))
    texts = [levels[code] for code in frequent]
    if len(codes) <= 2:  # one column is enough
        return EncodedText([(f"{name}={texts[-1]}", column == frequent[-1])])
    indicators = {
        f"{name}={text}": column == code for text, code in zip(texts, frequent, strict=True)
    }
    rare, repeated = codes[MAX_INDICATORS:], sizes[MAX_INDICATORS:] > 1
    if not repeated.all():
        indicators[f"{name}={OTHER_TEXTS}"] = column.is_in(rare[~repeated].tolist())
    one, zero = pl.lit(INDICATOR_VALUE), pl.lit(0.0)
    columns = [
        (title, pl.when(mark).then(one).otherwise(zero)) for title, mark in indicators.items()
    ]
    if repeated.any():
        shared = _directions(rare[repeated], len(levels))[values.to_numpy()]
        columns += [(f"{name}~{j}", pl.lit(pl.Series(c))) for j, c in enumerate(shared.T, 1)]
    single = np.count_nonzero(~repeated) / sizes.sum()
    merged = f"{name!r} has {len(codes)} texts, and {single:.0%} of the rows hold one that occurs"
    return EncodedText(columns, f"{merged} once" if len(rare) else "")


def _directions(codes: Ints, count: int) -> Floats:
    """Return for each of `count` codes a vector: of length √½ for the given ones, else zero.

    Random directions are almost at right angles, so that two texts are about 1 apart.
    """
    vectors = np.zeros((count, SHARED_COLUMNS))
    drawn = np.random.default_rng(0).normal(size=(len(codes), SHARED_COLUMNS))
    vectors[codes] = INDICATOR_VALUE * drawn / np.linalg.norm(drawn, axis=1, keepdims=True)
    return vectors


def _by_frequency(codes: pl.Series) -> tuple[Ints, Ints]:
    """Return the codes that occur, the most frequent first, and their numbers of rows."""
    sizes = np.bincount(codes.to_numpy())
    order = np.argsort(-sizes, kind="stable")[: np.count_nonzero(sizes)]
    return order, sizes[order]


def _make_distinct(names: Sequence[str]) -> list[str]:
    """Add a number to each name that occurred before."""
    distinct: dict[str, None] = {}
    for name in names:
        count, fresh = 1, name
        while fresh in distinct:
            count += 1
            fresh = f"{name} ({count})"
        distinct[fresh] = None
    return list(distinct)
