"""The engine for few points: matrix products in double precision, sifted by compiled code."""

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
        """Tell whether some points have no others at one distance, among so many and one more."""
        others = len(self._points) - 1
        some = np.arange(0, others + 1, -(-(others + 1) // probes))
        return others > 0 and self.nearest(some, min(ranks + 1, others)).apart

    def _least(self, rough: Floats, rows: Ints, count: int) -> Ints:
        near = np.empty((len(rows), count + count // 4 + 17), dtype=np.int64)
        select(rough, rows, count, int(self._places), near)
        near.sort(axis=1)
        return near[:, :count].copy()  # compiled code is for arrays without gaps

    def _are_apart(self, squared: Floats, share: float, slack: Floats) -> bool:
        return are_apart(squared, share, slack[:, 0])


class FewSums(PlainSums):
    """Sums by NumPy, to the last digit the same as those of `NumpySums`."""

    multiplies = True

    def __init__(self, task: SearchTask, finder: FewFinder) -> None:
        super().__init__(task, finder)
