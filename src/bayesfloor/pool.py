"""Processes of one thread each, that end with the process that started them."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from typing import TypeVar

Task = TypeVar("Task")
Result = TypeVar("Result")


class Pool:
    """Runs a function on many tasks; processes start when the first task comes."""

    def __init__(self, executor: ProcessPoolExecutor) -> None:
        self._executor = executor

    def run(
        self, function: Callable[[Task], Result], tasks: Sequence[Task]
    ) -> Iterator[tuple[Task, Result]]:
        """Yield each task with its result, in the order of completion."""
        with _deaf_to_interrupts():  # for good, in the processes that start here
            futures = {self._executor.submit(function, task): task for task in tasks}
        for future in as_completed(futures):
            yield futures.pop(future), future.result()


@contextmanager
def open_pool(workers: int) -> Iterator[Pool]:
    """Open a pool; on Ctrl-C or an error its processes end at once."""
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, context, _settle) as executor:
        try:
            yield Pool(executor)
        except BaseException:
            executor.shutdown(wait=False, cancel_futures=True)
            for worker in multiprocessing.active_children():
                worker.terminate()
            raise


def _settle() -> None:
    """Keep a worker to one thread, and end it when the process that started it is gone."""
    from threadpoolctl import threadpool_limits

    threadpool_limits(1)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


@contextmanager
def _deaf_to_interrupts() -> Iterator[None]:
    """Ignore Ctrl-C; processes started meanwhile ignore it for good."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
