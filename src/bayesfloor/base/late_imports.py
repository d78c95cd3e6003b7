"""Names of a package that are imported when they are first used: a list of options needs few."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def late_names(package: str, homes: Mapping[str, tuple[str, ...]]) -> Callable[[str], Any]:
    """Return the ``__getattr__`` of a package that has names of its modules.

    Parameters
    ----------
    package : str
        The package, ``__name__`` within it.
    homes : mapping of str to tuples of str
        The names that each module has for it.

    Examples
    --------
    >>> find = late_names("os", {"path": ("join",)})
    >>> find("join")("a", "b")
    'a/b'
    """
    modules = {name: module for module, names in homes.items() for name in names}

    def find(name: str) -> Any:
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(f"{package}.{modules[name]}"), name)
        setattr(sys.modules[package], name, value)
        return value

    return find
