"""The engine for few points: matrix products in double precision, sifted by compiled code."""

from __future__ import annotations

import numpy as np

from bayesfloor.arrays import Floats, Ints
from bayesfloor.search.found_sums import FoundSums
from bayesfloor.search.job import Job, Part
from bayesfloor.search.load import load_of, part_of
from bayesfloor.search.plain import BlockFinder
from bayesfloor.search.select_kernel import select
from bayesfloor.search.sum_kernel import add_rows, new_sums
from bayesfloor.search.ties import Batch


class FewFinder(BlockFinder):
    """Blocked matrix products, of which compiled code picks the least."""

    def is_untied(self, ranks: int, probes: int) -> bool:
        """Tell whether some points have no others at one distance, among so many and one more."""
        others = len(self._points) - 1
        some = np.arange(0, others + 1, -(-(others + 1) // probes))
        return others > 0 and self.nearest(some, min(ranks + 1, others)).apart

    def _least(self, rough: Floats, rows: Ints, count: int) -> Ints:
        near = np.empty((len(rows), count + count // 4 + 17), dtype=np.int64)
        select(rough, rows, count, int(self._places), near)
        near.sort(axis=1)
        return near[:, :count]


class FewSums(FoundSums):
    """Sums by compiled code over the neighbours that it has picked."""

    multiplies = True

    def __init__(self, job: Job, finder: FewFinder) -> None:
        super().__init__(job, finder)
        self._load = load_of(job, self.order)

    def _sum(self, batch: Batch) -> list[Part]:
        rows, local = batch.rows, np.empty((len(self.order), self._job.fields[0].sums.shape[1]))
        sums = new_sums(self._load, self._job.ranks, local)
        add_rows(rows, batch.found, batch.squared, self._load, sums)
        return [part_of(rows, sums, local[rows], self._load)]
