"""Arrays, lists and data frames of any library are read as columns of NumPy values."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from bayesfloor.base.arrays import AnyArray
from bayesfloor.base.errors import DataError, reading

CONVERSIONS = {"nnz": ("sparse", ".toarray()"), "collect": ("lazy", ".collect()")}
"""Types that hold no plain values: the attribute that gives them away, their nature, and the call
that turns them into an array or a data frame (SciPy, and polars, Dask and others)."""


class ForeignColumn(NamedTuple):
    """Holds one column of the user's data, its values not yet checked."""

    title: str  # "column 0" of an array, "column 'age'" of a frame
    values: AnyArray  # (n,), of any dtype
    kind: str  # dtype.kind of NumPy, or "category"


@dataclass(frozen=True, eq=False)
class ForeignTable:
    """Holds the user's array or data frame, and gives its columns one by one."""

    name: str  # "X", "Y" or "y"
    type_name: str  # of what the user passed
    shape: tuple[int, ...]
    data: AnyArray | list[ForeignColumn]

    @property
    def numbers(self) -> AnyArray | None:
        """The array itself if it holds numbers, otherwise None."""
        if isinstance(self.data, np.ndarray) and self.data.dtype.kind in "biuf":
            return self.data
        return None

    @cached_property
    def columns(self) -> list[ForeignColumn]:
        """The columns in order; a vector is one column, other arrays than matrices have none."""
        if not isinstance(self.data, np.ndarray):
            return self.data
        parts: Iterable[AnyArray] = {1: self.data[None], 2: self.data.T}.get(self.data.ndim, [])
        return [_column(j, values) for j, values in enumerate(parts)]


def read_columns(name: str, value: Any) -> ForeignTable:
    """Split a frame, series, array or nested list into columns."""
    with reading(name):
        type_name = type(value).__name__
        if type(value) is np.ndarray:
            return _table(name, type_name, value)
        import narwhals.stable.v1 as nw

        for attribute, (nature, call) in CONVERSIONS.items():
            if hasattr(type(value), attribute):
                raise DataError(f"{name} is a {nature} {type_name}; call {call} on it first")
        data = nw.from_native(value, eager_only=True, allow_series=True, pass_through=True)
        if isinstance(data, nw.DataFrame):
            columns = [_column(s.name, s.to_numpy(), str(s.dtype)) for s in data.iter_columns()]
            return ForeignTable(name, type_name, data.shape, columns)
        array = data.to_numpy() if isinstance(data, nw.Series) else _array(name, value)
        return _table(name, type_name, array)


def _table(name: str, type_name: str, array: AnyArray) -> ForeignTable:
    return ForeignTable(name, type_name, array.shape, _native(array))


def _array(name: str, value: Any) -> AnyArray:
    """Return a list, tuple or array-like as an array, with None where it is masked."""
    if isinstance(value, np.ma.MaskedArray) and np.ma.is_masked(value):
        return np.where(np.ma.getmaskarray(value), np.array(None), np.ma.getdata(value))
    try:
        array = np.asarray(value)
    except ValueError:
        lengths = [np.size(row) for row in value] if isinstance(value, list | tuple) else []
        for row, length in enumerate(lengths):
            if length != lengths[0]:
                here = f"row {row} of {name} has length {length}, row 0 has {lengths[0]}"
                raise DataError(f"{here}; give all rows the same length") from None
        raise
    if array.dtype.kind in "US" and not hasattr(value, "dtype"):
        return np.asarray(value, dtype=object)  # NumPy writes numbers next to text as text
    return array


def _column(title: object, values: AnyArray, frame_dtype: str = "") -> ForeignColumn:
    if values.ndim > 1:  # a data frame may have a column of vectors
        values = np.fromiter(values, dtype=object, count=len(values))
    category = frame_dtype.startswith(("Categorical", "Enum"))
    kind = "category" if category else values.dtype.kind
    return ForeignColumn(f"column {title!r}", _native(values), kind)


def _native(values: AnyArray) -> AnyArray:
    """Return values in the byte order of the machine."""
    return values if values.dtype.isnative else values.astype(values.dtype.newbyteorder("="))
