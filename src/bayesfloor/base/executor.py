"""Where work runs: the public call hands one executor to every loop that can run in parallel.

An executor maps a function over items and yields the results in the order of the items, so that the
number of workers never changes a result. The one here is a pool of threads; one over the workers of
a Dask cluster is in `base.cluster`. Work that writes into the caller's arrays runs on threads of
this process whatever the executor is, see `Executor.local`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from typing import Any, Protocol, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


_of_this_worker: ContextVar[int | None] = ContextVar("threads", default=None)


class Executor(Protocol):
    """Maps a function over items, in order, on one worker or more."""

    @property
    def workers(self) -> int:
        """Number of workers; speed may depend on it, results may not."""
        ...

    @property
    def memory(self) -> int | None:
        """Bytes that any worker may take; None if workers share the memory of this process."""
        ...

    @property
    def local(self) -> Executor:
        """Where work runs that writes into the caller's arrays, or returns much for little work."""
        ...

    def map(
        self,
        work: Callable[[Item], Result],
        items: Sequence[Item],
        *,
        multiplies: bool = False,
        initializer: Callable[[], object] | None = None,
    ) -> Iterator[Result]:
        """Yield the result of each item, in order.

        Parameters
        ----------
        work : callable
            Takes one item.
        items : sequence
            What to work on.
        multiplies : bool
            Whether `work` is mostly matrix products; BLAS then runs on one thread.
        initializer : callable, optional
            Called once by each thread before its first item, to keep libraries from starting
            threads of their own; the workers of a cluster see to that themselves.
        """
        ...


@dataclass(frozen=True, slots=True)
class Threads:
    """Runs work on threads of this process; sent to a worker of a cluster, on that worker's.

    Examples
    --------
    >>> list(Threads(2).map(str.upper, ["a", "b"]))
    ['A', 'B']
    """

    count: int | None = None  # all cores by default

    @property
    def workers(self) -> int:
        """Number of threads."""
        return self.count or os.cpu_count() or 1

    @property
    def memory(self) -> None:
        """Threads share the memory of this process."""
        return

    @property
    def local(self) -> Threads:
        """Where work runs that writes into the caller's arrays: here."""
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return _make_threads, (self.count,)

    def map(
        self,
        work: Callable[[Item], Result],
        items: Sequence[Item],
        *,
        multiplies: bool = False,
        initializer: Callable[[], object] | None = None,
    ) -> Iterator[Result]:
        """Yield the result of each item, in order; one thread or one item needs no pool.

        Matrix products of several items run on one thread each, whatever the number of workers: on
        two threads a library may round otherwise.
        """
        threads = min(self.workers, len(items))
        with _one_blas_thread() if multiplies and len(items) > 1 else nullcontext():
            if threads <= 1 and initializer is None:
                yield from map(work, items)
                return
            pool = ThreadPoolExecutor(max(threads, 1), initializer=initializer)
            try:
                yield from pool.map(work, items)
            finally:
                pool.shutdown(cancel_futures=True)


ALL_CORES = Threads()
"""Runs work on as many threads as there are cores."""
ONE_THREAD = Threads(1)
"""Runs work that is too short to be worth starting threads."""


@contextmanager
def threads_of_worker(count: int) -> Iterator[None]:
    """Make threads that arrive here in this block so many, as this worker has."""
    token = _of_this_worker.set(count)
    try:
        yield
    finally:
        _of_this_worker.reset(token)


def _make_threads(count: int | None) -> Threads:
    return Threads(_of_this_worker.get() or count)


def _one_blas_thread() -> AbstractContextManager[object]:
    return _libraries().limit(limits=1, user_api="blas")


@cache
def _libraries() -> Any:
    """Find the libraries whose threads can be limited, once, because it takes milliseconds."""
    import scipy.linalg  # noqa: F401  # loads its own BLAS
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
