"""A pool of single-threaded processes that end with the process that started them.

The executor of the standard library can hang when it is stopped while tasks are running
(https://github.com/python/cpython/issues/94777, in Python before 3.11.5). Here each process has one
pipe and no helper thread, so there is nothing to wait for.
"""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import threading
import traceback
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any, TypeVar

Task = TypeVar("Task")
Result = TypeVar("Result")


THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
"""What libraries of matrix products read their number of threads from when they load."""


class Pool:
    """Runs a function on many tasks; the processes start with the first task."""

    def __init__(self, workers: int) -> None:
        self._workers = workers
        self._processes: dict[Connection, BaseProcess] = {}

    def run(
        self, function: Callable[[Task], Result], tasks: Sequence[Task]
    ) -> Generator[tuple[Task, Result], None, None]:
        """Yield each task with its result, in the order of completion.

        Raises
        ------
        ChildProcessError
            If a process was killed; whatever the function raises comes out as it is.
        """
        if tasks and not self._processes:
            self._start()
        left = deque(tasks)
        busy: dict[Connection, Task] = {}
        try:
            for pipe in list(self._processes)[: len(tasks)]:
                busy[pipe] = left.popleft()
                with _reaching_workers():
                    pipe.send((function, busy[pipe]))
            while busy:
                answered = wait(list(busy))
                for pipe in [pipe for pipe in busy if pipe in answered]:
                    with _reaching_workers():
                        result, problem = pipe.recv()
                    if problem is not None:
                        raise problem
                    task = busy.pop(pipe)
                    if left:
                        busy[pipe] = left.popleft()
                        with _reaching_workers():
                            pipe.send((function, busy[pipe]))
                    yield task, result
        finally:
            if busy:  # their results are no longer wanted
                self.stop()

    def stop(self) -> None:
        """Kill all processes."""
        with ignore_interrupts():
            for process in self._processes.values():
                process.kill()
            for pipe, process in self._processes.items():
                process.join()
                pipe.close()
            self._processes.clear()

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        with ignore_interrupts():  # for good, in the processes that start here
            for _ in range(self._workers):
                ours, theirs = context.Pipe()
                process = context.Process(target=_serve, args=(theirs,), daemon=True)
                process.start()
                theirs.close()
                self._processes[ours] = process


@contextmanager
def open_pool(workers: int) -> Iterator[Pool]:
    """Open a pool whose processes end with the block."""
    pool = Pool(workers)
    try:
        yield pool
    finally:
        pool.stop()


@contextmanager
def _reaching_workers() -> Iterator[None]:
    try:
        yield
    except (EOFError, ConnectionError) as problem:
        raise ChildProcessError(
            "a worker process was killed, perhaps for lack of memory; use fewer workers"
        ) from problem


def _serve(pipe: Connection) -> None:
    """Run the tasks that arrive, on one thread, and send back each result or exception."""
    from threadpoolctl import threadpool_limits

    os.environ.update(dict.fromkeys(THREAD_VARIABLES, "1"))  # for libraries that load later
    threadpool_limits(1)  # for those that are loaded
    threading.Thread(target=_end_with_parent, daemon=True).start()
    while True:
        try:
            function, task = pipe.recv()
        except EOFError:
            return
        try:
            pipe.send(_outcome(function, task))
        except ConnectionError:
            return
        except Exception as problem:  # the result cannot be pickled
            pipe.send((None, _sendable(problem)))


def _outcome(function: Callable[[Any], Any], task: Any) -> tuple[Any, Exception | None]:
    try:
        return function(task), None
    except Exception as problem:
        return None, _sendable(problem)


def _sendable(problem: Exception) -> Exception:
    """Return an exception with its traceback as a note, or as text if it cannot be pickled."""
    where = "".join(traceback.format_exception(problem))
    try:
        pickle.loads(pickle.dumps(problem))
    except Exception:
        return RuntimeError(where)
    problem.add_note(where)
    return problem


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


@contextmanager
def ignore_interrupts() -> Iterator[None]:
    """Ignore Ctrl-C; processes started in the block ignore it for good.

    Only the main thread receives it, and only the main thread may change how it is handled.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        if before is not None:  # None: it was not set from Python
            signal.signal(signal.SIGINT, before)
