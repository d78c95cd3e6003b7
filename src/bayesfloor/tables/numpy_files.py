"""NumPy files become frames: one column for a vector, several for a matrix."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np

from bayesfloor.base.arrays import AnyArray
from bayesfloor.base.errors import DataError
from bayesfloor.tables.sources import Contents

if TYPE_CHECKING:
    import polars as pl


def load_array(data: Contents) -> AnyArray:
    """Read a `.npy` file, without running what a pickle in it may hold."""
    with _objects_named():
        return np.asarray(np.load(io.BytesIO(data), allow_pickle=False))


def load_archive(data: Contents) -> dict[str, AnyArray]:
    """Read all arrays of a `.npz` file."""
    with _objects_named(), np.load(io.BytesIO(data), allow_pickle=False) as archive:
        return {name: archive[name] for name in archive.files}


@contextmanager
def _objects_named() -> Iterator[None]:
    """Refuse arrays of Python objects by what they are: they would have to be unpickled."""
    try:
        yield
    except ValueError as problem:
        if "Object arrays" not in str(problem):
            raise
        raise DataError("an array holds Python objects; save numbers or text") from problem


def array_frame(arrays: dict[str, AnyArray]) -> pl.DataFrame:
    """Put arrays side by side: a vector y as column "y", a matrix X as "X 1", "X 2", ..."""
    import polars as pl

    for name, array in arrays.items():
        if array.ndim not in (1, 2):
            raise DataError(f"array {name!r} is {array.ndim}-D; save vectors and matrices")
        if array.dtype.kind not in "biufUSM":
            raise DataError(f"array {name!r} holds {array.dtype.name}; save numbers or text")
    lengths = {name: len(array) for name, array in arrays.items()}
    if len(set(lengths.values())) > 1:
        shown = ", ".join(f"{name!r} has {length}" for name, length in lengths.items())
        raise DataError(f"the arrays differ in their rows: {shown}; save arrays of one sample")
    return pl.DataFrame(
        [
            pl.Series(title, _plain(column))
            for name, array in arrays.items()
            for title, column in _columns(name, array)
        ]
    )


def _columns(name: str, array: AnyArray) -> list[tuple[str, AnyArray]]:
    if array.ndim == 1:
        return [(name, array)]
    return [(f"{name} {j + 1}", column) for j, column in enumerate(array.T)]


def _plain(column: AnyArray) -> AnyArray:
    """Return a column in the order of bytes and of memory that polars takes."""
    if column.dtype.kind == "S":
        return np.char.decode(column, "latin-1")
    return np.ascontiguousarray(column.astype(column.dtype.newbyteorder("=")))
