"""Work in a form that can be sent: a short pickle, and beside it the large arrays it refers to.

An array that several pieces of work refer to is then sent once. Arrays of few different values,
such as labels, travel as codes of a byte each, and probabilities of two classes as those of one.
"""

from __future__ import annotations

import io
import pickle
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeGuard

import numpy as np

from bayesfloor.base.arrays import AnyArray

LARGE = 65_536
"""Bytes from which on an array travels beside the pickle. A judgement: the fixed cost of an array
of its own is that of some kilobytes."""
PROBED = 1000
"""Numbers that show whether an array has few different values. A judgement."""
MOST_CODED = 16
"""Different values up to which an array is sent as codes. A judgement: enough for most labels."""


@dataclass(frozen=True, slots=True, eq=False)
class CodedArray:
    """An array as codes of its few values."""

    codes: AnyArray  # of bytes, or empty if there is one value
    values: AnyArray
    shape: tuple[int, ...]

    def decoded(self) -> AnyArray:
        """Return the array as it was."""
        if len(self.values) == 1:
            return np.full(self.shape, self.values[0])
        return self.values[self.codes].reshape(self.shape)


@dataclass(frozen=True, slots=True, eq=False)
class NarrowArray:
    """Integers in the smallest type that holds them."""

    numbers: AnyArray
    dtype: np.dtype[Any]

    def decoded(self) -> AnyArray:
        """Return the array as it was."""
        return self.numbers.astype(self.dtype)


@dataclass(frozen=True, slots=True, eq=False)
class ComplementedArray:
    """Two columns by the second, where the first is what that leaves of one."""

    second: AnyArray  # (n,)

    def decoded(self) -> AnyArray:
        """Return the array as it was."""
        return np.column_stack([1 - self.second, self.second])


Encoded: TypeAlias = CodedArray | NarrowArray | ComplementedArray


def encode(array: AnyArray) -> AnyArray | Encoded:
    """Return an array as it is sent: as few bytes as can be told at a glance, without any loss.

    Examples
    --------
    >>> sent = encode(np.repeat([3.5, -1.0], 500))
    >>> sent.codes.nbytes, sent.decoded()[[0, -1]].tolist()
    (1000, [3.5, -1.0])
    """
    flat = np.ascontiguousarray(array).reshape(-1)
    values = np.unique(flat[:: max(1, len(flat) // PROBED)])
    if array.dtype.itemsize > 1 and 0 < len(values) <= MOST_CODED:
        codes = np.minimum(np.searchsorted(values, flat), len(values) - 1).astype(np.uint8)
        found = values[codes]
        if found.tobytes() == flat.tobytes():
            return CodedArray(codes if len(values) > 1 else codes[:0], values, array.shape)
    if array.dtype.kind in "iu" and array.dtype.itemsize > 1:
        narrow = np.result_type(np.min_scalar_type(flat.min()), np.min_scalar_type(flat.max()))
        if narrow.kind in "iu" and narrow.itemsize < array.dtype.itemsize:
            return NarrowArray(array.astype(narrow), array.dtype)
    if array.dtype == np.float64 and array.shape[1:] == (2,):
        second = np.ascontiguousarray(array[:, 1])
        if (1 - second).tobytes() == array[:, 0].tobytes():
            return ComplementedArray(second)
    return np.ascontiguousarray(array)


def encode_result(result: Any) -> Any:
    """Return a result as it is sent back: encoded if it is a large array."""
    return encode(result) if _is_large(result) and result.flags.c_contiguous else result


def decode(sent: Any) -> Any:
    """Return what was sent as it was before, and what was not encoded as it is."""
    return sent.decoded() if isinstance(sent, Encoded) else sent


def pack(value: object, name: Callable[[AnyArray], str]) -> tuple[bytes, list[str]]:
    """Pickle a value, functions in it by value, without its large arrays.

    Parameters
    ----------
    value : object
        What to pickle.
    name : callable
        Takes a large array and returns the name under which `unpack` will find it.

    Returns
    -------
    bytes and list of str
        The pickle, and the names of the arrays in it.
    """
    import cloudpickle  # comes with Dask

    names: dict[str, None] = {}

    class Packer(cloudpickle.Pickler):  # type: ignore[misc]
        def persistent_id(self, one: object) -> str | None:
            if not _is_large(one):
                return None
            known = name(one)
            names[known] = None
            return known

    with io.BytesIO() as file:
        Packer(file).dump(value)
        return file.getvalue(), list(names)


def _is_large(one: object) -> TypeGuard[AnyArray]:
    """Tell an array that is worth a parcel of its own."""
    return type(one) is np.ndarray and one.nbytes >= LARGE and not one.dtype.hasobject


def unpack(body: bytes, arrays: Mapping[str, AnyArray]) -> Any:
    """Return a value that was packed, with its large arrays by name."""

    class Unpacker(pickle.Unpickler):
        def persistent_load(self, name: str) -> AnyArray:
            return arrays[name]

    with io.BytesIO(body) as file:
        return Unpacker(file).load()
