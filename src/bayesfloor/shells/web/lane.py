"""A queue with one worker process, which is replaced when it was killed or has grown too large."""

from __future__ import annotations

import sys
import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from bayesfloor.base.errors import DataError
from bayesfloor.base.processes import Pool
from bayesfloor.shells.web.jobs import CANCELLED, DONE, FAILED, Job
from bayesfloor.shells.web.page_words import page_words

KILLED = (
    "The worker process has ended before its time, most likely for lack of memory; use fewer"
    " columns, a smaller file, or restart bayesfloor serve with a larger --max-memory."
)
"""What is said of a job whose process was killed."""
JOIN_SECONDS = 0.1
"""Time between two attempts to end a process that may just be starting. A judgement."""


class Lane:
    """Serves jobs in the order in which they came, one at a time.

    Parameters
    ----------
    settle : callable
        Run first in every process, with `settings`: it loads libraries, so that jobs need not.
    settings : object
        Whatever `settle` takes.
    worn_out : callable
        Run after every job, in the process, with `settings`: whether it should be replaced.
    when_orphaned : callable, optional
        What a process does before it ends because this one was killed.
    """

    def __init__(
        self,
        settle: Callable[[Any], object],
        settings: Any,
        *,
        worn_out: Callable[[Any], bool],
        when_orphaned: Callable[[], object] | None = None,
    ) -> None:
        self._settle, self._settings, self._worn_out = settle, settings, worn_out
        self._pool = Pool(1, threads=None, when_orphaned=when_orphaned)
        self._settled = False
        self._waiting, self._current = deque[Job](), list[Job]()
        self._wake, self._stopping, self._broken = threading.Condition(), False, False
        self._thread = threading.Thread(target=self._serve, daemon=True)

    def start(self) -> None:
        """Start to serve; the process is made ready before the first job comes."""
        self._thread.start()

    def add(self, job: Job) -> None:
        """Put a job at the end of the queue."""
        with self._wake:
            self._waiting.append(job)
            self._wake.notify()

    def place(self, job: Job) -> int:
        """Return how many jobs are served before this one."""
        with self._wake:
            waiting = [*self._current, *self._waiting]
            return waiting.index(job) if job in waiting else 0

    def cancel(self, job: Job) -> None:
        """Take a job out of the queue, or end the process that works on it."""
        with self._wake:
            job.end(CANCELLED)
            if job in self._waiting:
                self._waiting.remove(job)
            if job in self._current:
                self._broken = True
                self._pool.kill()

    def stop(self) -> None:
        """End the process and forget the queue."""
        with self._wake:
            self._stopping = True
            for job in (*self._current, *self._waiting):
                job.end(CANCELLED)
            self._waiting.clear()
            self._wake.notify()
        while self._thread.is_alive():
            self._pool.kill()
            self._thread.join(JOIN_SECONDS)
        self._pool.stop()

    def _serve(self) -> None:
        while not self._stopping:
            with suppress(Exception):  # the next job tries again, and says what is wrong
                self._make_ready()
            with self._wake:
                self._wake.wait_for(lambda: self._stopping or self._waiting)
                if self._stopping:
                    return
                job = self._waiting.popleft()
                self._current, self._broken = [job], False
                job.start()
            self._do(job)

    def _do(self, job: Job) -> None:
        """Run a job to its end, whatever that is."""
        worn_out = True
        try:
            self._make_ready()
            result, refused = self._run(_attempt, (job.work, job.task), job)
            if refused:
                job.end(FAILED, problem=page_words(refused))
            else:
                job.end(DONE, result=result)
            worn_out = self._run(self._worn_out, self._settings)
        except (ChildProcessError, OSError):
            job.end(FAILED, problem=KILLED)
        except Exception as problem:
            job.end(FAILED, problem=_unexpected(problem))
        with self._wake:
            self._current = []
            if worn_out or self._broken:
                self._settled = False
                self._pool.stop()

    def _make_ready(self) -> None:
        if not (self._settled and self._pool.is_alive()):
            self._pool.stop()
            self._run(self._settle, self._settings)
            self._settled = True

    def _run(self, work: Callable[[Any], Any], task: Any, job: Job | None = None) -> Any:
        hear = (lambda _: None) if job is None else job.hear
        ((_, result),) = self._pool.run(work, [task], hear)
        return result


def _attempt(order: tuple[Callable[[Any], Any], Any]) -> tuple[Any, str]:
    """Return the result of a job, or why its data cannot be used; other errors end the process."""
    work, task = order
    try:
        return work(task), ""
    except DataError as problem:
        return None, str(problem)


def _unexpected(problem: Exception) -> str:
    """Print where an error arose, and return what to say of it."""
    for where in getattr(problem, "__notes__", [repr(problem)]):
        print(where, file=sys.stderr)  # noqa: T201
    return (
        f"Something went wrong inside bayesfloor ({type(problem).__name__}); the terminal of"
        " bayesfloor serve shows where. Please report it."
    )
