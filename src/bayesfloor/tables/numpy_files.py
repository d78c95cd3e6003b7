"""NumPy files become frames: a vector is one column, a matrix is several."""

from __future__ import annotations

import io
import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING

import numpy as np

from bayesfloor.base.arrays import AnyArray
from bayesfloor.base.errors import DataError
from bayesfloor.tables.compression import too_large
from bayesfloor.tables.loaded_table import VALUE_BYTES
from bayesfloor.tables.sources import Source

if TYPE_CHECKING:
    import polars as pl

READABLE_KINDS = "biufUSM"
"""The `dtype.kind` of arrays that can be columns: boolean, integer, float, text, bytes, date."""


def read_npy(source: Source) -> pl.DataFrame:
    """Read the array of a `.npy` file, named after the file."""
    file = io.BytesIO(source.data)
    with _refuse_objects():
        _check_header(file, len(source.data), source.limit)
        file.seek(0)
        array = np.load(file, allow_pickle=False)
    return _frame({source.stem: np.asarray(array)})


def read_npz(source: Source) -> pl.DataFrame:
    """Read all arrays of a `.npz` file, side by side."""
    with _refuse_objects(), np.load(io.BytesIO(source.data), allow_pickle=False) as archive:
        members = archive.zip.infolist()
        if sum(member.file_size for member in members) > source.limit:
            raise too_large("the arrays", source.limit)
        for member in members:
            with archive.zip.open(member) as file:
                _check_header(file, member.file_size, source.limit)
        return _frame({name: archive[name] for name in archive.files})


def _check_header(file: IO[bytes], size: int, limit: int) -> None:
    """Refuse an array that says to be larger than its file, or than there is memory for.

    NumPy allocates what the header says before it reads on.
    """
    version = np.lib.format.read_magic(file)
    header = np.lib.format.read_array_header_1_0
    if version != (1, 0):  # version 3 differs in the letters that names may have
        header = np.lib.format.read_array_header_2_0
    shape, _, dtype = header(file)
    values = math.prod(shape)
    if values * dtype.itemsize > size and not dtype.hasobject:
        raise ValueError("the array has fewer values than its header says")
    if values * VALUE_BYTES > limit:
        raise too_large("the array", limit)


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
