"""Where work runs: the public call hands one executor to every loop that can run in parallel.

An executor maps a function over items and yields the results in the order of the items, so that the
number of workers never changes a result. The one here is a pool of threads; a cluster's client can
take its place: work that writes into the caller's arrays stays here, see `beside_the_data`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import cache
from typing import Any, Protocol, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


class Executor(Protocol):
    """Maps a function over items, in order, on one worker or more."""

    @property
    def workers(self) -> int:
        """Number of workers; speed may depend on it, results may not."""
        ...

    @property
    def shares_memory(self) -> bool:
        """Whether workers write into the caller's arrays; a cluster's do not."""
        ...

    def map(
        self,
        work: Callable[[Item], Result],
        items: Sequence[Item],
        *,
        multiplies: bool = False,
        initializer: Callable[[], object] | None = None,
        stop: Callable[[], object] | None = None,
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
            Called once by each worker before its first item.
        stop : callable, optional
            Called when no more results are wanted, before waiting for the running items.
        """
        ...


@dataclass(frozen=True, slots=True)
class Threads:
    """Runs work on threads of this process.

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
    def shares_memory(self) -> bool:
        """Whether workers write into the caller's arrays: threads do."""
        return True

    def map(
        self,
        work: Callable[[Item], Result],
        items: Sequence[Item],
        *,
        multiplies: bool = False,
        initializer: Callable[[], object] | None = None,
        stop: Callable[[], object] | None = None,
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
                if stop is not None:
                    stop()
                pool.shutdown(cancel_futures=True)


ALL_CORES = Threads()
"""Runs work on as many threads as there are cores."""
ONE_THREAD = Threads(1)
"""Runs work that is too short to be worth starting threads."""


def beside_the_data(executor: Executor) -> Executor:
    """Return where work can write into the caller's arrays: there, or on this thread."""
    return executor if executor.shares_memory else ONE_THREAD


def _one_blas_thread() -> AbstractContextManager[object]:
    return _libraries().limit(limits=1, user_api="blas")


@cache
def _libraries() -> Any:
    """Find the libraries whose threads can be limited, once, because it takes milliseconds."""
    import scipy.linalg  # noqa: F401  # loads its own BLAS
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
