"""A pool of processes that end with the process that started them.

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
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any, TypeVar

Task = TypeVar("Task")
Result = TypeVar("Result")


THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
"""What libraries of matrix products read their number of threads from when they load."""


class Pool:
    """Runs a function on many tasks; the processes start with the first task.

    Parameters
    ----------
    workers : int
        Number of processes.
    threads : int or None
        Threads of matrix products in each; None for as many as their libraries start.
    when_orphaned : callable, optional
        What each process does before it ends because its parent was killed, also where that
        happens while it starts.
    """

    def __init__(
        self,
        workers: int,
        *,
        threads: int | None = 1,
        when_orphaned: Callable[[], object] | None = None,
    ) -> None:
        self._workers, self._threads, self._when_orphaned = workers, threads, when_orphaned
        self._processes: dict[Connection, BaseProcess] = {}

    def run(
        self,
        function: Callable[[Task], Result],
        tasks: Sequence[Task],
        heard: Callable[[Any], None] = lambda _: None,
    ) -> Generator[tuple[Task, Result], None, None]:
        """Yield each task with its result, in the order of completion.

        `heard` is called with what tasks `tell` meanwhile.

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
                        message = pipe.recv()
                    if isinstance(message, _Told):
                        heard(message.what)
                        continue
                    result, problem = message
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

    def is_alive(self) -> bool:
        """Tell whether processes were started and all of them run."""
        processes = list(self._processes.values())
        return bool(processes) and all(process.is_alive() for process in processes)

    def kill(self) -> None:
        """Kill all processes from another thread; whoever runs tasks then gets their error."""
        for process in list(self._processes.values()):
            process.kill()

    def stop(self) -> None:
        """Kill all processes, and wait for their end."""
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
                given = theirs, self._threads, self._when_orphaned
                process = context.Process(target=_serve, args=given, daemon=True)
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


@dataclass(frozen=True, slots=True)
class _Told:
    """Something that a task says before it is done."""

    what: Any


_parent: list[Connection] = []  # in a process of a pool, its pipe
_left_to_do: list[Callable[[], object]] = []  # when the parent was killed
_ending = threading.Lock()


def tell(what: Any) -> None:
    """Send something to whoever runs this task, before its result; from one thread at a time."""
    for pipe in _parent:
        pipe.send(_Told(what))


def _serve(
    pipe: Connection, threads: int | None, when_orphaned: Callable[[], object] | None
) -> None:
    """Run the tasks that arrive, and send back each result or exception."""
    if when_orphaned is not None:
        _left_to_do.append(when_orphaned)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    if threads is not None:
        from threadpoolctl import threadpool_limits

        several = dict.fromkeys(THREAD_VARIABLES, str(threads))
        os.environ.update(several)  # for libraries that load later
        threadpool_limits(threads)  # for those that are loaded
    _parent.append(pipe)
    while True:
        try:
            function, task = pipe.recv()
        except (EOFError, ConnectionError):
            return _act_as_orphan()
        try:
            pipe.send(_outcome(function, task))
        except ConnectionError:
            return _act_as_orphan()
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
        _act_as_orphan()
        os._exit(1)


def _act_as_orphan() -> None:
    """Do what is left to do, once: whichever thread sees the parent's end later waits for it."""
    with _ending:
        while _left_to_do:
            with suppress(Exception):
                _left_to_do.pop()()


@contextmanager
def ignore_interrupts() -> Iterator[None]:
    """Ignore Ctrl-C; processes started in the block ignore it for good.

    Only the main thread may change how it is handled; other threads block it meanwhile, which the
    processes that they start inherit.
    """
    if threading.current_thread() is not threading.main_thread():
        with _blocking_interrupts():
            yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        if before is not None:  # None: it was not set from Python
            signal.signal(signal.SIGINT, before)


@contextmanager
def _blocking_interrupts() -> Iterator[None]:
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
