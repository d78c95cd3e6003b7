"""The engines without compiled code: neighbours from SciPy or NumPy, summed over by NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np

from bayesfloor.base.arrays import Bools, Floats, Ints
from bayesfloor.neighbours.finders import BlockFinder, Finder, TreeFinder, without_own_group
from bayesfloor.neighbours.kernels.bits import TINY_SQUARED
from bayesfloor.neighbours.task import BatchSums, Field, SearchTask
from bayesfloor.neighbours.ties import (
    NeighbourBatch,
    TieGroups,
    are_covered,
    group_starts,
    no_neighbours,
    tie_groups,
)

MOST_ENTRIES = 2_000_000
"""Neighbours that a worker holds at a time. A judgement: 16 MB of doubles."""
PRODUCT_LEVELS = 3
"""How often numbers are multiplied, two by two, before logarithms are taken.

At most 15 numbers are multiplied together: 2³ in pairs of pairs, and the odd ones that are left.
"""
MULTIPLIED = (2.0**-60, 2.0**60)
"""Range of the numbers that are multiplied: 15 of them stay within 2^±900, inside the doubles."""
LEVERAGE_RANKS_AT_ONCE = 3
"""Ranks at which the leverage field is multiplied at a time, to save memory. A judgement."""
EXPECTED_MARGIN = 1.2
"""Margin over the mean number of cells that hold the ranks, in the first search. A judgement:
rows for which it is too little are searched again."""
GROUP_PROBES = 8
"""Rows that show how many of their nearest cells are of their own group. A judgement."""


class PlainSums:
    """Sums by NumPy over the neighbours of a finder."""

    multiplies = False

    def __init__(self, task: SearchTask, finder: Finder) -> None:
        self._task, self._finder = task, finder
        self._single = bool(task.sizes.max() == 1)
        self.order: Ints = np.arange(len(task.points))
        self.span = min(finder.span, max(1, MOST_ENTRIES // task.ranks))
        self._own_cells = 0 if task.groups is None else self._probe_own_cells(task.groups)
        self._fields = tuple(Field(np.asfortranarray(f.sums), f.own) for f in task.fields)
        self._wanted: tuple[Bools, ...] = (np.ones(task.ranks, dtype=np.bool_),) * len(task.fields)
        if task.leverage is not None:
            sums = task.leverage.sums(self.order)
            self._fields += (Field(sums, task.leverage.own(sums, task.sizes)),)
            wanted = np.zeros(task.ranks, dtype=np.bool_)
            wanted[task.leverage.at] = True
            self._wanted += (wanted,)

    def __reduce__(self) -> tuple[Any, ...]:
        """Travel as the task: the rest is computed anew."""
        return type(self), (self._task,)

    def sum(self, rows: Ints) -> list[BatchSums]:
        """Search for the neighbours of some cells and sum over them.

        Rows whose ranks are not covered (the last one is tied to points not yet found) are
        searched again, twice as wide, fewer at a time.
        """
        sizes, ranks = self._task.sizes, self._task.ranks
        others = len(sizes) - 1
        expected = ranks + 1
        if not self._single:
            expected = int(EXPECTED_MARGIN * ranks * len(sizes) / sizes.sum()) + 2
        sums, pending = list[BatchSums](), [(rows, min(others, expected + self._own_cells))]
        while pending:
            open_rows, width = pending.pop()
            step = max(1, MOST_ENTRIES // max(width, 1))
            for some in (open_rows[a : a + step] for a in range(0, len(open_rows), step)):
                batch = self._nearest(some, width)
                covered = are_covered(batch, sizes, ranks, self._task.owned(some))
                done = covered | (width == others)
                if done.any():
                    sums += self._sum(batch.only(done))
                if not done.all():
                    pending.append((some[~done], min(others, 2 * width)))
        return sums

    def _probe_own_cells(self, groups: Ints) -> int:
        """Return how many cells of their own group rows should have among their nearest, at most.

        Some rows show it, and others may have twice as many and some more.
        """
        own, ranks = int(np.bincount(groups).max()) - 1, self._task.ranks
        width = min(ranks + min(own, ranks), len(groups) - 1)
        if own == 0 or width == 0:
            return 0
        rows = np.unique(np.linspace(0, len(groups) - 1, GROUP_PROBES).astype(np.int64))
        is_own = groups[self._finder.nearest(rows, width).found] == groups[rows][:, None]
        others_before = np.cumsum(~is_own, axis=1)
        most = int((is_own & (others_before <= ranks)).sum(axis=1).max())
        return min(2 * most + GROUP_PROBES, own)

    def _nearest(self, rows: Ints, width: int) -> NeighbourBatch:
        """Return the nearest other cells of each row, without those of its own group."""
        batch = self._finder.nearest(rows, width) if width else no_neighbours(rows)
        groups = self._task.groups
        return batch if groups is None else without_own_group(batch, groups, self._task.ranks)

    def _sum(self, batch: NeighbourBatch) -> list[BatchSums]:
        """Sum over one batch, the short way where no rank is shared."""
        unshared = self._has_one_rank_each(batch)
        ways = ((self._sum_one_rank_each, unshared), (self._sum_shared_ranks, ~unshared))
        return [way(batch.only(rows)) for way, rows in ways if rows.any()]

    def _has_one_rank_each(self, batch: NeighbourBatch) -> Bools:
        """Tell for each row whether its k-th neighbour has rank k.

        It has if cells have one row and no two neighbours are tied. Tiny distances are left out.
        """
        ranks, sizes = self._task.ranks, self._task.sizes
        if batch.found.shape[1] < ranks:
            return np.zeros(len(batch.rows), dtype=np.bool_)
        unshared = batch.squared[:, 0] > TINY_SQUARED
        if not batch.untied:
            unshared &= group_starts(batch.squared[:, : ranks + 1]).all(axis=1)
        if not self._single:
            unshared &= (sizes[batch.rows] == 1) & (sizes[batch.found[:, :ranks]] == 1).all(axis=1)
        return unshared

    def _sum_one_rank_each(self, batch: NeighbourBatch) -> BatchSums:
        ranks, near, rows = self._task.ranks, self._task.near, batch.rows
        found = np.ascontiguousarray(batch.found)  # or every `take` copies it
        local = np.empty((len(found), self._fields[0].sums.shape[1]))
        products = np.zeros((len(self._fields), ranks))
        for f in range(len(self._task.fields)):
            for c, column in enumerate(self._fields[f].sums.T):
                values = column.take(found)[:, :ranks]
                products[f] += column[rows] @ values
                if f == 0:
                    local[:, c] = values[:, :near].sum(axis=1)
        if self._task.leverage is not None:
            sums = self._fields[-1].sums
            own = sums[rows].ravel()
            for a in range(0, len(self._task.leverage.at), LEVERAGE_RANKS_AT_ONCE):
                at = self._task.leverage.at[a : a + LEVERAGE_RANKS_AT_ONCE]
                others = sums.take(found[:, at].T, axis=0).reshape(len(at), -1)
                products[-1, at] = others @ own
        squared = batch.squared if self._task.groups is None else batch.squared[:, :ranks]
        log_squared = log_sums(squared)[:ranks]
        return BatchSums(rows, products, log_squared, np.full(ranks, float(len(found))), local)

    def _sum_shared_ranks(self, batch: NeighbourBatch) -> BatchSums:
        sizes, ranks = self._task.sizes, self._task.ranks
        owned = self._task.owned(batch.rows)
        groups = tie_groups(batch, sizes, ranks, owned)
        owned = np.minimum(owned, ranks)
        near_length = np.clip(self._task.near - groups.start, 0, groups.length)
        local = np.zeros((len(batch.rows), self._fields[0].sums.shape[1]))
        for c, column in enumerate(self._fields[0].sums.T):
            mean = _group_sums(column[batch.found], groups) / groups.size
            local[:, c] = np.bincount(groups.row, near_length * mean, minlength=len(local))
        products = []
        for field, wanted in zip(self._fields, self._wanted, strict=True):
            by_group = _products(field.sums, batch, groups, groups.cover(wanted))
            products.append(_by_rank(by_group, field.own[batch.rows], groups, owned, ranks))
        squared = batch.squared.ravel()[groups.first]
        weight = np.where(squared > 0, sizes[batch.rows][groups.row], 0)
        logs = weight * np.log(np.where(squared > 0, squared, 1.0))
        nothing = np.zeros(len(batch.rows))
        log_squared = _by_rank(logs, nothing, groups, owned, ranks)
        away = _by_rank(weight.astype(np.float64), nothing, groups, owned, ranks)
        return BatchSums(batch.rows, np.array(products), log_squared, away, local)


class ScipySums(PlainSums):
    """A k-d tree of SciPy's, for few columns."""

    def __init__(self, task: SearchTask) -> None:
        super().__init__(task, TreeFinder(task.points))


class NumpySums(PlainSums):
    """Matrix products in double precision, for many columns."""

    multiplies = True

    def __init__(self, task: SearchTask) -> None:
        super().__init__(task, BlockFinder(task.points))


def log_sums(values: Floats) -> Floats:
    """Sum the logarithms of positive numbers, ascending in rows, down the columns.

    Logarithms are taken of products, unless these could leave the range of doubles.
    """
    if values[:, 0].min() > MULTIPLIED[0] and values[:, -1].max() < MULTIPLIED[1]:
        for _ in range(PRODUCT_LEVELS):
            half = len(values) // 2
            if half:
                odd, values = values[2 * half :], values[:half] * values[half : 2 * half]
                values[: len(odd)] *= odd
    return np.log(values).sum(axis=0)


def _products(sums: Floats, batch: NeighbourBatch, groups: TieGroups, wanted: Bools) -> Floats:
    """Return the inner product of each row with the mean of a group, 0 if it is not wanted."""
    lengths = np.diff(groups.first, append=batch.found.size)
    entries = np.flatnonzero(np.repeat(wanted, lengths))
    row, other = batch.rows[entries // batch.found.shape[1]], batch.found.ravel()[entries]
    products = np.zeros(len(entries))
    for column in sums.T:
        products += column[row] * column[other]
    group = np.repeat(np.flatnonzero(wanted), lengths[wanted])
    return np.bincount(group, products, minlength=len(wanted)) / groups.size


def _group_sums(values: Floats, groups: TieGroups) -> Floats:
    return np.add.reduceat(values.ravel(), groups.first) if len(groups.first) else np.empty(0)


def _by_rank(by_group: Floats, own: Floats, groups: TieGroups, owned: Ints, ranks: int) -> Floats:
    """Add up the values of groups and of own cells at each of the ranks that they cover, (K,).

    A value that covers ranks a..b enters a running sum at a and leaves it after b.
    """
    values = np.concatenate([by_group, own])
    start = np.concatenate([groups.start, np.zeros_like(owned)])
    stop = start + np.concatenate([groups.length, owned])
    enters = np.bincount(start.clip(max=ranks), values, minlength=ranks + 1)
    leaves = np.bincount(stop.clip(max=ranks), values, minlength=ranks + 1)
    return np.cumsum(enters - leaves)[:ranks]
