"""Compilation of the kernels: once for all runs, in a cache where one can be written."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

from numba import njit

Function = TypeVar("Function", bound=Callable[..., Any])


def compiled(function: Function) -> Function:
    """Compile a function on its first call, with sums in any order."""
    return _compiled(function, fastmath={"contract", "reassoc", "nsz", "nnan"})


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
