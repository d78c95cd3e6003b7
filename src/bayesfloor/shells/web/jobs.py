"""One piece of work for a worker process, from the queue to its end."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

QUEUED, RUNNING, DONE, FAILED, CANCELLED = "queued", "running", "done", "failed", "cancelled"
"""States of a job, in the order in which it has them; it ends in one of the last three."""
ENDED = frozenset([DONE, FAILED, CANCELLED])
"""States that a job does not leave."""
ID_BYTES = 12
"""Random bytes in the name of a job, a file or a visit: nobody guesses 96 bits."""


def new_id() -> str:
    """Return a name that nobody can guess."""
    return secrets.token_urlsafe(ID_BYTES)


@dataclass(slots=True, eq=False)
class Job:
    """A function of the worker with its task, and what has become of it."""

    work: Callable[[Any], Any]
    task: Any
    uploads: tuple[str, ...]  # the names of the files that it reads
    id: str = field(default_factory=new_id)
    state: str = QUEUED
    doing: str = ""  # what it does at the moment
    share: float = 0.0  # of that, done
    result: Any = None
    problem: str = ""

    @property
    def ended(self) -> bool:
        """Whether nothing more will come of it."""
        return self.state in ENDED

    def start(self) -> None:
        """Note that a worker has begun."""
        self.state = RUNNING

    def hear(self, told: tuple[str, float]) -> None:
        """Note how far the worker is."""
        self.doing, self.share = told

    def end(self, state: str, *, result: Any = None, problem: str = "") -> None:
        """Note the end; the first one counts."""
        if not self.ended:
            self.result, self.problem, self.task = result, problem, None
            self.state = state  # last, as other threads look at it first
