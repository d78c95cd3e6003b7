"""Decorators that compile the kernels: once for all runs, where a cache can be written."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

from numba import njit, types
from numba.core import cgutils
from numba.extending import intrinsic

Function = TypeVar("Function", bound=Callable[..., Any])

SUMS_IN_ANY_ORDER = {"contract", "reassoc", "nsz", "nnan"}
"""Flags of LLVM's fast-math: sums may be taken in any order, and NaN does not occur.

Infinity does occur, so "ninf" is not among them.
"""


def jit(function: Function) -> Function:
    """Compile a function that allocates no arrays; its sums may be taken in any order.

    Numba does not count references to arrays here. Counting would take longer than the work of
    short loops, and threads would wait for each other at the counts of arrays that they share.
    """
    return _cached_njit(function, fastmath=SUMS_IN_ANY_ORDER, _nrt=False)


def jit_allocating(function: Function) -> Function:
    """Compile a function that allocates arrays; its sums may be taken in any order."""
    return _cached_njit(function, fastmath=SUMS_IN_ANY_ORDER)


def jit_strict(function: Function) -> Function:
    """Compile a function that rounds every operation as NumPy does."""
    return _cached_njit(function)


def jit_in_order(function: Function) -> Function:
    """Compile a function that allocates no arrays and takes sums in the order that is written."""
    return _cached_njit(function, _nrt=False)


def jit_inline(function: Function) -> Function:
    """Put the body of a function into its callers, which decide how sums may be taken."""
    return cast(Function, njit(inline="always")(function))


def _cached_njit(function: Function, **more: Any) -> Function:
    """Compile a function on its first call; it releases Python's global lock while it runs.

    The machine code is kept beside the source or in the user's cache folder. Where neither can be
    written, it is compiled anew in every process.
    """
    options: dict[str, Any] = {"nogil": True, "error_model": "numpy", **more}
    try:
        return cast(Function, njit(cache=True, **options)(function))
    except RuntimeError:  # no folder for the cache
        return cast(Function, njit(**options)(function))


@intrinsic
def _lowest_set_bit(_: Any, bits: Any) -> Any:
    """Generate the instruction that counts the zeros below the lowest set bit."""

    def generate(_: Any, builder: Any, __: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], cgutils.true_bit)

    return types.int64(bits), generate


lowest_set_bit = cast(Callable[[int], int], _lowest_set_bit)
"""Returns the position of the lowest set bit of a number other than 0; for compiled code only."""
