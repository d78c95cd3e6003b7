"""Compilation of the kernels: once for all runs, in a cache where one can be written."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

from numba import njit, types
from numba.core import cgutils
from numba.extending import intrinsic

Function = TypeVar("Function", bound=Callable[..., Any])


SUMS = {"contract", "reassoc", "nsz", "nnan"}
"""Sums may be taken in any order; infinity stays what it is."""


def compiled(function: Function) -> Function:
    """Compile a function that makes no arrays on its first call, with sums in any order.

    References to arrays are not counted: that would take longer than the work in short loops, and
    threads would wait for each other at the counts of arrays that they share.
    """
    return _compiled(function, fastmath=SUMS, _nrt=False)


def allocating(function: Function) -> Function:
    """Compile a function that makes arrays on its first call, with sums in any order."""
    return _compiled(function, fastmath=SUMS)


def strict(function: Function) -> Function:
    """Compile a function on its first call, with every rounding as in NumPy."""
    return _compiled(function)


def _compiled(function: Function, **more: Any) -> Function:
    """Compile a function; it frees Python's lock while it runs.

    The machine code is kept beside the source or in the user's cache folder. Where neither can be
    written it is compiled anew in every process.
    """
    options: dict[str, Any] = {"nogil": True, "error_model": "numpy", **more}
    try:
        return cast(Function, njit(cache=True, **options)(function))
    except RuntimeError:  # no folder for the cache
        return cast(Function, njit(**options)(function))


@intrinsic
def _first_bit(_: Any, bits: Any) -> Any:
    """Say how the place of the lowest bit that is set is computed."""

    def generate(_: Any, builder: Any, __: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], cgutils.true_bit)

    return types.int64(bits), generate


first_bit = cast(Callable[[int], int], _first_bit)
"""The place of the lowest bit that is set in a number that is not 0, in compiled code."""
