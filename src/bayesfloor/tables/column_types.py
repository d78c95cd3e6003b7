"""Columns as they came become numbers, true and false, or text; everything else is refused."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from bayesfloor.base.errors import DataError
from bayesfloor.tables.column_choice import listed
from bayesfloor.tables.text_levels import PROBE, like_dates, numbers_and_strays, plain_texts, steps

if TYPE_CHECKING:
    import polars as pl

EXACT = 2**53
"""Integers up to here are floats."""


def typed_columns(
    frame: pl.DataFrame,
) -> tuple[pl.DataFrame, tuple[str, ...], dict[str, list[str]]]:
    """Return numbers as Float64, true and false as Boolean, text as Enum, notes, and stray texts.

    The texts of an Enum are in order. Text that never repeats stays String. Stray texts, by column,
    stand among numbers, and were taken as missing.
    """
    import polars as pl

    kinds = (pl.String, pl.Categorical, pl.Enum)
    words = {c.name: c.cast(pl.String) for c in frame.iter_columns() if c.dtype in kinds}
    texts, levels = plain_texts(pl.DataFrame(words))
    columns = [
        _numbers_or_text(texts[column.name], levels[column.name])
        if column.name in levels
        else _plain_column(column)
        for column in frame.iter_columns()
    ]
    _check_dates(columns)
    left = {column.name: levels[column.name] for column in columns if column.dtype == pl.String}
    scales = {name: numbers for name in left if (numbers := steps(left[name])) is not None}
    others = {name: levels for name, levels in left.items() if name not in scales}
    strays = {name: parts for name in others if (parts := numbers_and_strays(others[name]))}
    known = {name: (left[name], scales[name]) for name in scales}
    known |= {name: (words, numbers) for name, (words, numbers, _) in strays.items()}
    changes = [
        pl.col(name).replace_strict(*known[name], default=None, return_dtype=pl.Float64)
        if name in known
        else pl.col(name).cast(pl.Enum(left[name]))
        for name in left
        if name in known or len(left[name]) < texts[name].count()
    ]
    typed = pl.DataFrame(columns)
    if changes:
        typed = typed.with_columns(changes)
    if known:
        typed = typed.with_columns(_finite(typed[name]) for name in known)
    scale_note = (
        f"Text that starts with numbers was taken as these numbers: {listed(list(scales))}."
    )
    found = [f"{listed(texts)} in {name!r}" for name, (_, _, texts) in strays.items()]
    stray_note = f"Texts among numbers were taken as missing values: {'; '.join(found)}."
    notes = [note for note, holds in ((scale_note, scales), (stray_note, found)) if holds]
    return typed, tuple(notes), {name: texts for name, (_, _, texts) in strays.items()}


def _plain_column(column: pl.Series) -> pl.Series:
    """Return a column that is not text as numbers, true and false or dates, gaps as null."""
    import polars as pl

    dtype = column.dtype
    if dtype.is_numeric():
        return _finite(_floats(column))
    if dtype.is_temporal() or dtype == pl.Boolean:
        return column
    if dtype == pl.Null:
        return column.cast(pl.Float64)
    came = f"column {column.name!r} holds values of type {dtype}"
    raise DataError(f"{came}; turn them into columns of numbers or text, or --drop it")


def _numbers_or_text(text: pl.Series, levels: pl.Series) -> pl.Series:
    import polars as pl

    if not levels.head(PROBE).cast(pl.Float64, strict=False).null_count():
        numbers = text.cast(pl.Float64, strict=False)
        if numbers.null_count() == text.null_count():
            return _finite(numbers)
    return text


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
    if math.isfinite(column.sum()):  # so is every number
        return column
    infinite = column.is_infinite()
    if infinite.any():
        where = f"column {column.name!r} holds infinity in row {infinite.arg_true()[0]}"
        raise DataError(f"{where}; remove the row or --drop the column")
    return column.fill_nan(None)


def _check_dates(columns: list[pl.Series]) -> None:
    """Refuse dates, and text that looks like them."""
    import polars as pl

    dates = [
        column.name
        for column in columns
        if column.dtype.is_temporal() or (column.dtype == pl.String and like_dates(column))
    ]
    if dates:
        what = f"dates or times in {listed(dates)}"
        raise DataError(f"{what}; turn them into numbers, such as days or hours, or --drop them")
