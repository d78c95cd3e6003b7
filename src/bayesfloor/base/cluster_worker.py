"""What a worker of a cluster runs: items of work that was sent once, and is kept while wanted.

Every task runs its libraries on one thread, as the fits and matrix products of a thread pool do, so
that it rounds as these do.
"""

from __future__ import annotations

import platform
import sys
import warnings
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import lru_cache
from importlib.metadata import version
from threading import Lock
from typing import Any

from bayesfloor.base.executor import threads_of_worker
from bayesfloor.base.parcels import decode, encode_result, unpack

MOST_KEPT = 2
"""Pieces of work that a worker keeps: what it works on, and what comes next. A judgement."""
COMPARED = ("bayesfloor", "numpy", "scipy", "scikit-learn", "numba")
"""Packages whose versions must agree, because results depend on them."""

_kept: OrderedDict[str, Any] = OrderedDict()
_keeping = Lock()
_running, _limits = 0, ExitStack()
_counting = Lock()


def run_items(name: str, work: bytes, items: bytes, arrays: Mapping[str, Any]) -> list[Any]:
    """Return the results of some items, large arrays encoded.

    Parameters
    ----------
    name : str
        Of the work, by which it is kept.
    work, items : bytes
        Packed, see `bayesfloor.base.parcels`.
    arrays : mapping
        The large arrays that both refer to, encoded.
    """
    with one_thread():
        function = _unpacked(name, work, arrays)
        return [encode_result(function(item)) for item in unpack(items, _Decoding(arrays))]


def never_run(*_: object) -> None:
    """Stand for work that waits for arrays, so that every worker keeps them."""


def forget(name: str) -> None:
    """Give back the memory of some work."""
    with _keeping:
        _kept.pop(name, None)


def versions() -> dict[str, str]:
    """Return the versions that results depend on."""
    return {"Python": platform.python_version(), **{one: version(one) for one in COMPARED}}


@contextmanager
def one_thread() -> Iterator[None]:
    """Keep the libraries of this process on one thread while any task runs, and warnings quiet."""
    import sklearn.utils  # noqa: F401  # limits reach what is loaded only

    global _running
    libraries = _libraries(len(sys.modules))
    with _counting:
        if _running == 0:
            _limits.enter_context(libraries.limit(limits=1))
            _limits.enter_context(warnings.catch_warnings())
            warnings.simplefilter("ignore")
        _running += 1
    try:
        with libraries.limit(limits=1, user_api="openmp"):  # it has a limit for each thread
            yield
    finally:
        with _counting:
            _running -= 1
            if _running == 0:
                _limits.close()


@lru_cache(maxsize=1)
def _libraries(_: int) -> Any:
    """Find the libraries whose threads can be limited, again where more modules are loaded."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def _unpacked(name: str, work: bytes, arrays: Mapping[str, Any]) -> Any:
    """Return work by its name; the first task of a worker unpacks it, and others wait for that."""
    with _keeping:
        if name not in _kept:
            while len(_kept) >= MOST_KEPT:
                _kept.popitem(last=False)
            with threads_of_worker(_threads()):
                _kept[name] = unpack(work, _Decoding(arrays))
        return _kept[name]


def _threads() -> int:
    from distributed import get_worker

    try:
        return int(get_worker().state.nthreads)
    except ValueError:  # not on a worker
        return 1


class _Decoding(dict[str, Any]):
    """Decodes arrays when they are asked for, each once."""

    def __init__(self, arrays: Mapping[str, Any]) -> None:
        super().__init__()
        self._sent = arrays

    def __missing__(self, name: str) -> Any:
        self[name] = decode(self._sent[name])
        return self[name]
