"""Compilation without fast-math, so that squared lengths are those that NumPy finds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

from numba import njit

Function = TypeVar("Function", bound=Callable[..., Any])


def strict(function: Function) -> Function:
    """Compile a function on its first call; it frees Python's lock while it runs."""
    options: dict[str, Any] = {"nogil": True, "error_model": "numpy"}
    try:
        return cast(Function, njit(cache=True, **options)(function))
    except RuntimeError:  # no folder for the cache
        return cast(Function, njit(**options)(function))
