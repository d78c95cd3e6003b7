"""Shared ranks: points at equal distance share the ranks they take up.

A tie group covers as many ranks as it has points, and each of these ranks gets the
group's mean. That is the expectation over random tie-breaking, and it does not
depend on the order of the rows.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bayesfloor.base.arrays import Bools, Floats, Ints

TIE_TOLERANCE = 1e-10
"""Squared distances that differ by less than this share count as equal.

A judgement: it is far above the rounding of a distance, about 1e-15, and far below any difference
that carries information.
"""


@dataclass(frozen=True, slots=True)
class NeighbourBatch:
    """Cells and their nearest other cells, near to far, wide enough for every rank asked for."""

    rows: Ints  # (b,) cells
    found: Ints  # (b, w) their neighbours
    squared: Floats  # (b, w) squared distances, ascending
    untied: bool = False  # known that no two neighbours of a row are tied

    def only(self, kept: Bools) -> NeighbourBatch:
        """Return some of the rows."""
        if kept.all():
            return self
        return NeighbourBatch(self.rows[kept], self.found[kept], self.squared[kept], self.untied)


def no_neighbours(rows: Ints) -> NeighbourBatch:
    """Return the batch of cells without neighbours: there is no other cell."""
    return NeighbourBatch(rows, np.empty((len(rows), 0), dtype=np.int64), np.empty((len(rows), 0)))


@dataclass(frozen=True, slots=True)
class TieGroups:
    """Tie groups of a batch, row after row, near to far, and the ranks they cover."""

    first: Ints  # (g,) position of a group's first neighbour in the flat batch
    row: Ints  # (g,) the row of the batch that a group belongs to
    size: Ints  # (g,) points in the group
    start: Ints  # (g,) rank at which the group starts, counted from 0
    length: Ints  # (g,) ranks of the group below the number of ranks asked for

    def cover(self, wanted: Bools) -> Bools:
        """Tell which groups cover a rank that is wanted among all that are asked for, (g,)."""
        before = np.concatenate([[0], np.cumsum(wanted)])
        start = np.minimum(self.start, len(wanted))
        return np.asarray(before[start + self.length] > before[start])


def group_starts(squared: Floats) -> Bools:
    """Mark, in each row of ascending squared distances, where a tie group begins.

    Examples
    --------
    >>> group_starts(np.array([[1.0, 1.0, 2.0]])).tolist()
    [[True, False, True]]
    """
    fresh = np.ones(squared.shape, dtype=np.bool_)
    np.greater(squared[:, 1:], squared[:, :-1] * (1 + TIE_TOLERANCE), out=fresh[:, 1:])
    return fresh


def are_covered(batch: NeighbourBatch, sizes: Ints, ranks: int, owned: Ints | None = None) -> Bools:
    """Tell for each row whether all points of its first `ranks` ranks, ties included, are found.

    The group that holds the last rank is known to be whole only if a farther neighbour
    follows it. `owned` are the ranks that the other rows of its own cell take, by default all.
    """
    if not batch.found.size:
        return np.ones(len(batch.rows), dtype=np.bool_)
    if sizes.max() == 1:  # ranks are columns
        if batch.untied:
            return np.full(len(batch.rows), batch.found.shape[1] > ranks)
        return np.any(group_starts(batch.squared[:, ranks - 1 :])[:, 1:], axis=1)
    owned = sizes[batch.rows] - 1 if owned is None else owned
    before = np.cumsum(sizes[batch.found], axis=1) + owned[:, None]
    fresh = group_starts(batch.squared)[:, 1:]
    return (fresh & (before[:, :-1] >= ranks)).any(axis=1) | (owned >= ranks)


def tie_groups(
    batch: NeighbourBatch, sizes: Ints, ranks: int, owned: Ints | None = None
) -> TieGroups:
    """Cut a batch into tie groups and say which ranks each covers, after those of the own cell."""
    owned = sizes[batch.rows] - 1 if owned is None else owned
    if not batch.found.size:  # a single cell has no neighbour outside
        none = np.empty(0, dtype=np.int64)
        return TieGroups(none, none, none, none, none)
    first = np.flatnonzero(group_starts(batch.squared))
    row = first // batch.found.shape[1]
    size = np.add.reduceat(sizes[batch.found].ravel(), first)
    total = np.cumsum(size) - size
    row_begins = np.searchsorted(row, np.arange(len(batch.rows)))
    start = total - total[row_begins][row] + owned[row]
    return TieGroups(first, row, size, start, np.clip(ranks - start, 0, size))
