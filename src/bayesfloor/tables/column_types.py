"""Columns become numbers, true and false, dates, or text; everything else is refused."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from bayesfloor.base.errors import DataError
from bayesfloor.base.formatting import first_few, quoted_names
from bayesfloor.tables.dates import (
    ReadDates,
    as_days,
    check_dates,
    read_dates,
)
from bayesfloor.tables.problems import Problems
from bayesfloor.tables.text_columns import clean_texts
from bayesfloor.tables.text_numbers import (
    NumbersWithStrays,
    numbers_of_texts,
    plain_numbers,
    start_with_plain_numbers,
)

if TYPE_CHECKING:
    import polars as pl

MAX_EXACT_INTEGER = 2**53
"""Integers up to this are exact as floats, whose significand has 53 bits (IEEE 754)."""


class TypedColumns(NamedTuple):
    """Holds columns of known types.

    Numbers are Float64, or Float32 if they came so, true and false Boolean, dates and times
    temporal. Text is an Enum whose texts are in order, or String if it never repeats.
    """

    frame: pl.DataFrame
    strays: dict[str, Sequence[str]]  # texts in columns of numbers that count as missing
    notes: tuple[str, ...]


def infer_types(frame: pl.DataFrame, problems: Problems) -> TypedColumns:
    """Give each column the type that fits its values, without those that are a problem."""
    import polars as pl

    kinds = (pl.String, pl.Categorical, pl.Enum)
    text = {c.name: c.cast(pl.String) for c in frame.iter_columns() if c.dtype in kinds}
    texts, levels = clean_texts(pl.DataFrame(text))
    columns: list[pl.Series] = []
    for column in frame.iter_columns():
        with problems.collected():
            columns.append(
                _numbers_or_text(texts[column.name], levels[column.name])
                if column.name in levels
                else _check_type(column)
            )
    dated = {
        column.name: dates
        for column in columns
        if column.dtype == pl.String
        if (dates := read_dates(column, levels[column.name]))
    }
    columns = [dated[c.name].dates if c.name in dated else c for c in columns]
    remaining = {c.name: levels[c.name] for c in columns if c.dtype == pl.String}
    numeric = {
        name: numbers for name in remaining if (numbers := numbers_of_texts(remaining[name]))
    }
    typed = pl.DataFrame(columns)
    changes = [_numbers_in(name, numbers) for name, numbers in numeric.items()]
    changes += [
        pl.col(name).cast(pl.Enum(remaining[name]))
        for name in remaining
        if name not in numeric and len(remaining[name]) < texts[name].count()
    ]
    if changes:
        typed = typed.with_columns(changes)
    for name in numeric:
        with problems.collected():
            typed = typed.with_columns(_finite(typed[name]))
    read: dict[str, NumbersWithStrays | ReadDates] = {**numeric, **dated}
    strays = {name: read[name].strays for name in typed.columns if name in read}
    strays = {name: texts for name, texts in strays.items() if texts}
    read_as_numbers = [name for name in numeric if name not in strays]
    return TypedColumns(typed, strays, _type_notes(read_as_numbers, strays, dated))


def _numbers_in(name: str, known: NumbersWithStrays) -> pl.Expr:
    """Return the expression that turns a column of text into its numbers, strays into null."""
    import polars as pl

    return pl.col(name).replace_strict(
        known.texts, known.numbers, default=None, return_dtype=pl.Float64
    )


def _type_notes(
    read_as_numbers: Sequence[str],
    strays: Mapping[str, Sequence[str]],
    dated: Mapping[str, ReadDates],
) -> tuple[str, ...]:
    numbers = (
        f"Text that starts with a number was read as that number: {quoted_names(read_as_numbers)}."
    )
    where = [f"{quoted_names(texts)} in {name!r}" for name, texts in strays.items()]
    missing = (
        f"Text among numbers or dates was treated as missing: {first_few(where, separator='; ')}."
    )
    doubtful = [name for name, dates in dated.items() if dates.ambiguous]
    order = (
        f"Day and month may be swapped, as dates can be read either way: {quoted_names(doubtful)}."
    )
    notes = ((numbers, read_as_numbers), (missing, where), (order, doubtful))
    return tuple(note for note, holds in notes if holds)


def _check_type(column: pl.Series) -> pl.Series:
    """Return a column that is not text as numbers, true and false or dates; refuse other types."""
    import polars as pl

    dtype = column.dtype
    if dtype.is_numeric():
        return _finite(_floats(column))
    if dtype == pl.Duration:
        return as_days(column)
    if dtype in (pl.Date, pl.Datetime):
        check_dates(column)
    if dtype.is_temporal() or dtype == pl.Boolean:
        return column
    if dtype == pl.Null:
        return column.cast(pl.Float64)
    came = f"column {column.name!r} holds values of type {dtype.base_type()}"
    raise DataError(f"{came}; turn them into numbers or text, or leave it out with drop=")


def _numbers_or_text(text: pl.Series, levels: pl.Series) -> pl.Series:
    """Return text that holds plain numbers only as numbers, and other text unchanged."""
    if start_with_plain_numbers(levels):
        numbers = plain_numbers(text)
        if numbers.null_count() == text.null_count():
            return _finite(numbers)
    return text


def _floats(column: pl.Series) -> pl.Series:
    """Return floats as they are, others as Float64; subtract the least from too large integers."""
    import polars as pl

    if column.dtype in (pl.Float32, pl.Float64):
        return column

    if column.dtype.is_integer() and column.count():
        low, high = int(column.min()), int(column.max())  # type: ignore[arg-type]
        if max(-low, high) > MAX_EXACT_INTEGER and high - low < 2**63:
            column = column - pl.Series([low], dtype=column.dtype)
    return column.cast(pl.Float64)


def _finite(column: pl.Series) -> pl.Series:
    """Return numbers with NaN as missing; refuse infinity."""
    if math.isfinite(column.sum()):  # then every number is finite
        return column
    infinite = column.is_infinite()
    if infinite.any():
        where = f"column {column.name!r} holds infinity in row {infinite.arg_true()[0]}"
        raise DataError(f"{where}; remove the row or leave the column out with drop=")
    return column.fill_nan(None)
