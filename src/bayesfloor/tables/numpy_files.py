"""NumPy files become frames: a vector is one column, a matrix is several."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np

from bayesfloor.base.arrays import AnyArray
from bayesfloor.base.errors import DataError
from bayesfloor.tables.sources import Source

if TYPE_CHECKING:
    import polars as pl

READABLE_KINDS = "biufUSM"
"""The `dtype.kind` of arrays that can be columns: boolean, integer, float, text, bytes, date."""


def read_npy(source: Source) -> pl.DataFrame:
    """Read the array of a `.npy` file, named after the file."""
    with _refuse_objects():
        array = np.load(io.BytesIO(source.data), allow_pickle=False)
    return _frame({source.stem: np.asarray(array)})


def read_npz(source: Source) -> pl.DataFrame:
    """Read all arrays of a `.npz` file, side by side."""
    with _refuse_objects(), np.load(io.BytesIO(source.data), allow_pickle=False) as archive:
        return _frame({name: archive[name] for name in archive.files})


@contextmanager
def _refuse_objects() -> Iterator[None]:
    """Refuse arrays of Python objects: loading a pickle may run any code."""
    try:
        yield
    except ValueError as problem:
        if "Object arrays" not in str(problem):
            raise
        raise DataError("an array holds Python objects; save numbers or text") from problem


def _frame(arrays: dict[str, AnyArray]) -> pl.DataFrame:
    """Put arrays side by side: a vector y as column "y", a matrix X as "X 1", "X 2", ..."""
    import polars as pl

    _check_arrays(arrays)
    return pl.DataFrame(
        [
            pl.Series(title, _polars_values(column))
            for name, array in arrays.items()
            for title, column in _columns(name, array)
        ]
    )


def _check_arrays(arrays: dict[str, AnyArray]) -> None:
    """Refuse arrays that are not vectors or matrices of plain values with the same rows."""
    for name, array in arrays.items():
        if array.ndim not in (1, 2):
            raise DataError(f"array {name!r} is {array.ndim}-D; save vectors and matrices only")
        if array.dtype.kind not in READABLE_KINDS:
            raise DataError(f"array {name!r} holds {array.dtype.name}; save numbers or text")
    lengths = {name: len(array) for name, array in arrays.items()}
    if len(set(lengths.values())) > 1:
        shown = ", ".join(f"{name!r} has {length}" for name, length in lengths.items())
        raise DataError(f"the arrays differ in their number of rows ({shown}); make them equal")


def _columns(name: str, array: AnyArray) -> list[tuple[str, AnyArray]]:
    if array.ndim == 1:
        return [(name, array)]
    return [(f"{name} {j}", column) for j, column in enumerate(array.T, 1)]


def _polars_values(column: AnyArray) -> AnyArray:
    """Return a column as polars takes it: contiguous, in native byte order, bytes as text."""
    if column.dtype.kind == "S":
        return np.char.decode(column, "latin-1")
    return np.ascontiguousarray(column.astype(column.dtype.newbyteorder("=")))
