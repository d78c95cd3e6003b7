"""How hard to search: by which engine, on which executor, all rows or until they are enough."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

from bayesfloor.base.executor import ALL_CORES, Executor
from bayesfloor.base.progress import Advance

FIRST_ROUND = 256
"""Cells of each of the 16 random groups that are searched at first.

A judgement: 4096 cells take little time and show the noise of searching only some.
"""


@dataclass(frozen=True, slots=True)
class Effort:
    """How hard to search.

    With a tolerance or a deadline, rows are searched in random order until the standard error of
    the mismatch is within the tolerance or time is up.
    """

    engine: str = "auto"
    executor: Executor = ALL_CORES
    tolerance: float | None = None
    deadline: float | None = None  # in the time of `time.monotonic`
    seed: int = 0
    advance: Advance | None = None
    first_round: int = FIRST_ROUND  # cells of each random group that are searched at first

    @property
    def is_partial(self) -> bool:
        """Whether a part of the rows may be enough."""
        return self.tolerance is not None or self.deadline is not None

    def for_one_of(self, samples: int, left: int) -> Effort:
        """Return the effort for one of several samples whose results are averaged.

        The samples that are left, `left` of them with this one, share the time that is left.
        """
        return replace(
            self,
            tolerance=None if self.tolerance is None else self.tolerance * samples**0.5,
            deadline=None
            if self.deadline is None
            else time.monotonic() + self.seconds_left() / left,
        )

    def seconds_left(self) -> float:
        """Return the time until the deadline."""
        return float("inf") if self.deadline is None else self.deadline - time.monotonic()

    def is_met_by(self, se: float) -> bool:
        """Tell whether a standard error is within the tolerance."""
        return self.tolerance is not None and se <= self.tolerance


ALL_ROWS = Effort()
"""Search all rows, by the fastest engine, on all cores."""
