"""Data frames of any library become tables as if they had been read from files."""

from __future__ import annotations

import os
from decimal import Decimal
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from bayesfloor.base.errors import DataError, reading
from bayesfloor.base.formatting import is_missing, show
from bayesfloor.tables.column_choice import column_names, fill_names
from bayesfloor.tables.loaded_table import LoadedTable

if TYPE_CHECKING:
    import narwhals.stable.v1 as nw
    import polars as pl


def load_data_frames(value: Any) -> list[LoadedTable] | None:
    """Return one data frame or a list of them as tables, or None for anything else."""
    if isinstance(value, list | tuple) and value:
        tables = [_load(one, f"data frame {number}") for number, one in enumerate(value, 1)]
        loaded = [table for table in tables if table is not None]
        return loaded if len(loaded) == len(tables) else None
    table = _load(value, "data frame")
    return None if table is None else [table]


def _load(value: Any, name: str) -> LoadedTable | None:
    if isinstance(value, str | os.PathLike):
        return None
    import narwhals.stable.v1 as nw

    with reading(f"the {name}", "turn its columns into numbers or text"):
        if type(value).__module__.startswith("dask.") and hasattr(value, "compute"):
            value = value.compute()  # on the cluster of the client, if there is one
        if hasattr(type(value), "collect") and hasattr(type(value), "columns"):
            raise DataError(f"the {name} is lazy; call .collect() on it first")
        columns: Any = getattr(value, "columns", None)
        if hasattr(columns, "is_unique"):  # pandas allows equal names
            column_names(list(map(str, columns)))
        data = nw.from_native(value, eager_only=True, pass_through=True)
        if not isinstance(data, nw.DataFrame):
            return None
        if not data.shape[0]:
            raise DataError(f"the {name} has no rows; pass one with rows")
        frame = _as_polars(data)
        frame.columns = fill_names([str(column) for column in data.columns])
        return LoadedTable(name, frame)


def _as_polars(data: nw.DataFrame[Any]) -> pl.DataFrame:
    """Return the columns in the types of polars, and mixed objects as text, as in a file."""
    import polars as pl

    try:
        return data.to_polars()
    except Exception:
        return pl.DataFrame([pl.Series(str(one.name), _values(one)) for one in data.iter_columns()])


def _values(column: Any) -> Any:
    """Return a column in a type of polars, or as text if its objects are of several types."""
    try:
        return column.to_polars()
    except Exception:
        values = [None if is_missing(value) else value for value in column.to_list()]
        for value in values:
            if not isinstance(value, str | Real | Decimal | np.bool_ | None):
                came = f"column {str(column.name)!r} holds {show(value)}"
                hint = "turn it into numbers or text, or leave it out with drop="
                raise DataError(f"{came}; {hint}") from None
        return [None if value is None else str(value) for value in values]
