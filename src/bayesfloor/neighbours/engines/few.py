"""The engine for few points: matrix products in double precision, the least of them picked fast."""

from __future__ import annotations

import numpy as np

from bayesfloor.base.arrays import Floats, Ints
from bayesfloor.neighbours.engines.plain import PlainSums
from bayesfloor.neighbours.finders import BlockFinder
from bayesfloor.neighbours.kernels.selection import are_apart, select
from bayesfloor.neighbours.task import SearchTask


class FewFinder(BlockFinder):
    """Blocked matrix products, of which compiled code picks the least: the same as NumPy does."""

    def is_untied(self, ranks: int, probes: int) -> bool:
        """Tell whether up to `probes` points have no tie among their ``ranks + 1`` nearest."""
        others = len(self._points) - 1
        some = np.arange(0, others + 1, -(-(others + 1) // probes))
        return others > 0 and self.nearest(some, min(ranks + 1, others)).untied

    def _least(self, rough: Floats, rows: Ints, count: int) -> Ints:
        room = count + count // 4 + 17  # a judgement: with more room, a bound is found sooner
        near = np.empty((len(rows), room), dtype=np.int64)
        select(rough, rows, count, int(self._index_mask), near)
        near.sort(axis=1)
        return near[:, :count].copy()  # compiled code is for arrays without gaps

    def _are_apart(self, squared: Floats, share: float, slack: Floats) -> bool:
        return are_apart(squared, share, slack[:, 0])


class FewSums(PlainSums):
    """Sums by NumPy, the same as those of `NumpySums` to the last digit."""

    multiplies = True

    def __init__(self, task: SearchTask, finder: FewFinder | None = None) -> None:
        super().__init__(task, finder or FewFinder(task.points))
