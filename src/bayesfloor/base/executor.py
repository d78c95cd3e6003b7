"""Work on all cores, with results in order."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from functools import cache
from typing import Any, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


def in_order(
    work: Callable[[Item], Result],
    items: Sequence[Item],
    *,
    workers: int | None = None,
    multiplies: bool = False,
) -> Iterator[Result]:
    """Yield what work makes of each item, in order whatever the number of threads.

    If work multiplies matrices, these products start no threads of their own beside ours.

    Examples
    --------
    >>> list(in_order(str.upper, ["a", "b"], workers=2))
    ['A', 'B']
    """
    threads = len(items) if len(items) < 2 else min(workers or os.cpu_count() or 1, len(items))
    if threads <= 1:
        yield from map(work, items)
        return
    with _one_blas_thread() if multiplies else nullcontext():
        pool = ThreadPoolExecutor(threads)
        try:
            yield from pool.map(work, items)
        finally:
            pool.shutdown(cancel_futures=True)


def _one_blas_thread() -> AbstractContextManager[object]:
    return _libraries().limit(limits=1, user_api="blas")


@cache
def _libraries() -> Any:
    """Look once for the libraries whose threads are limited: it takes milliseconds."""
    import scipy.linalg  # noqa: F401  # brings a library of its own
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
