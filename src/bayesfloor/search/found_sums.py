"""What engines have in common that first find neighbours, then sum over them."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from bayesfloor.arrays import Ints
from bayesfloor.search.job import Job, Part
from bayesfloor.search.plain import Finder
from bayesfloor.search.ties import Batch, alone, covered

MOST_ENTRIES = 2_000_000
"""Neighbours held at a time by a thread."""


class FoundSums(ABC):
    """Sums over the neighbours of a finder."""

    multiplies = False

    def __init__(self, job: Job, finder: Finder) -> None:
        self._job, self._finder = job, finder
        self._single = bool(job.sizes.max() == 1)
        self.order: Ints = np.arange(len(job.points))
        self.span = min(finder.span, max(1, MOST_ENTRIES // job.ranks))

    def sum(self, rows: Ints) -> list[Part]:
        """Search for the neighbours of some cells and sum over them.

        Rows whose ranks are not covered (the last one is tied to points not yet found) are
        searched again, twice as wide, fewer at a time.
        """
        sizes, ranks = self._job.sizes, self._job.ranks
        others = len(sizes) - 1
        expected = ranks + 1 if self._single else int(1.2 * ranks * len(sizes) / sizes.sum()) + 2
        parts, pending = list[Part](), [(rows, min(others, expected))]
        while pending:
            open_rows, width = pending.pop()
            step = max(1, MOST_ENTRIES // max(width, 1))
            for some in (open_rows[a : a + step] for a in range(0, len(open_rows), step)):
                batch = self._finder.nearest(some, width) if width else alone(some)
                done = covered(batch, sizes, ranks) | (width == others)
                if done.any():
                    parts += self._sum(batch.only(done))
                if not done.all():
                    pending.append((some[~done], min(others, 2 * width)))
        return parts

    @abstractmethod
    def _sum(self, batch: Batch) -> list[Part]:
        """Sum over one batch."""
