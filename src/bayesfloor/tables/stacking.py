"""Several files, or a data frame in memory, become one frame."""

from __future__ import annotations

import os
from decimal import Decimal
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from bayesfloor.base.errors import DataError, reading
from bayesfloor.base.formatting import is_missing, show
from bayesfloor.tables.column_choice import own_names
from bayesfloor.tables.formats import Part

if TYPE_CHECKING:
    import narwhals.stable.v1 as nw
    import polars as pl


def memory_parts(value: Any) -> list[Part] | None:
    """Return a data frame of any library, or several, as parts; None for what are none."""
    if isinstance(value, list | tuple) and value:
        parts = [_memory_part(one, f"data frame {place}") for place, one in enumerate(value, 1)]
        found = [part for part in parts if part is not None]
        return found if len(found) == len(parts) else None
    part = _memory_part(value, "data frame")
    return None if part is None else [part]


def _memory_part(value: Any, name: str) -> Part | None:
    if isinstance(value, str | os.PathLike):
        return None
    import narwhals.stable.v1 as nw

    with reading(f"the {name}", "turn its columns into numbers or text"):
        if hasattr(type(value), "collect") and hasattr(type(value), "columns"):
            raise DataError(f"the {name} is lazy; call .collect() on it first")
        columns: Any = getattr(value, "columns", None)
        if hasattr(columns, "is_unique"):  # those of pandas may be equal
            own_names(list(map(str, columns)))
        data = nw.from_native(value, eager_only=True, pass_through=True)
        if not isinstance(data, nw.DataFrame):
            return None
        if not data.shape[0]:
            raise DataError(f"the {name} has no rows; pass rows")
        return Part(name, _polars(data).rename(str))


def _polars(data: nw.DataFrame[Any]) -> pl.DataFrame:
    """Return the columns in polars' types; those of mixed objects as text, as in a file."""
    import polars as pl

    try:
        return data.to_polars()
    except Exception:
        return pl.DataFrame([pl.Series(str(one.name), _values(one)) for one in data.iter_columns()])


def _values(column: Any) -> Any:
    try:
        return column.to_polars()
    except Exception:
        values = [None if is_missing(value) else value for value in column.to_list()]
        for value in values:
            if not isinstance(value, str | Real | Decimal | np.bool_ | None):
                came = f"column {str(column.name)!r} holds {show(value)}"
                raise DataError(f"{came}; turn it into numbers or text, or --drop it") from None
        return [None if value is None else str(value) for value in values]


def stacked(parts: list[Part]) -> pl.DataFrame:
    """Put tables below each other, and arrays beside each other."""
    if len(parts) == 1:
        return parts[0].frame
    if all(part.beside for part in parts):
        return _beside(parts)
    for part in parts:
        if part.beside:
            raise DataError(f"{part.name}: an array goes with arrays only; pass one kind of file")
    import polars as pl

    frames = [_like(parts[0], part) for part in parts]
    try:
        return pl.concat(frames, how="vertical_relaxed")
    except Exception as problem:
        raise DataError(f"{_clash(parts)}; write the column alike in all files") from problem


def _beside(parts: list[Part]) -> pl.DataFrame:
    import polars as pl

    seen: dict[str, str] = {}
    for part in parts:
        if part.frame.height != parts[0].frame.height:
            rows = f"{part.frame.height} rows, {parts[0].name} has {parts[0].frame.height}"
            raise DataError(f"{part.name}: {rows}; pass arrays of one sample")
        for column in part.frame.columns:
            if column in seen:
                raise DataError(f"{part.name}: named like {seen[column]}; rename one of them")
            seen[column] = part.name
    return pl.concat([part.frame for part in parts], how="horizontal")


def _like(first: Part, part: Part) -> pl.DataFrame:
    """Return the columns of a part in the order of the first one's."""
    ours, theirs = first.frame.columns, part.frame.columns
    for names, owner, other in ((ours, first, part), (theirs, part, first)):
        lacking = [name for name in names if name not in other.frame.columns]
        if lacking:
            where = f"{other.name}: no column {lacking[0]!r}, which {owner.name} has"
            hint = "pass tables of the same columns, with --no-header if they start with rows"
            raise DataError(f"{where}; {hint}")
    return part.frame.select(ours)


def _clash(parts: list[Part]) -> str:
    """Name a column whose types do not go together."""
    first = parts[0]
    for part in parts[1:]:
        for name, dtype in part.frame.schema.items():
            if dtype != first.frame.schema[name]:
                types = f"{dtype}, in {first.name} {first.frame.schema[name]}"
                return f"{part.name}: column {name!r} is {types}"
    return f"{first.name}: its columns do not go with those of the other files"
