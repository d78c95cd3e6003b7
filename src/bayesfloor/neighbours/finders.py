"""Finders in SciPy and NumPy: rows in, their nearest neighbours out, exact, ties included.

A finder is built on the points once and then asked for batches of rows. Both find the same
neighbours, so both give the same curve. Nothing is compiled: finders serve small samples, and rows
that a compiled engine leaves unsettled.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from scipy.spatial import cKDTree

from bayesfloor.base.arrays import Floats, Ints
from bayesfloor.base.errors import DataError
from bayesfloor.neighbours.ties import TIE_TOLERANCE, NeighbourBatch, group_starts

FAR_AWAY = 1e300
"""Stands for a squared distance that is only known to be beyond those that are certain."""
BLOCK_ENTRIES = 400_000
"""Distances that are ranked at a time. A judgement: 3 MB of doubles, which stay in the cache."""
NEGLIGIBLE_ROUNDING = 1e-10
"""Share of a squared distance above which its rounding is too much: it is measured exactly.

It is that of `TIE_TOLERANCE`, as less cannot change which points are tied.
"""
DOUBLE_EPS = float(np.finfo(np.float64).eps)
"""Twice the relative rounding error of one operation, 2.2e-16."""
TREE_SPAN, MOST_SPAN = 512, 1024
"""Rows to search in a tree at a time, and by matrix products at most. Judgements."""
SPAN_ENTRIES = 2_000_000
"""Distances that are held for the rows searched at a time. A judgement: 16 MB of doubles."""
EXACT_ENTRIES = 500_000
"""Coordinates that are subtracted at a time. A judgement: 4 MB of doubles."""


def check_finite(points: Floats) -> None:
    """Refuse points that are not finite: compiled code would not end, or end the process."""
    if not np.isfinite(points).all():
        raise DataError("points to compare are not finite; pass smaller values, or another map")


def without_own_group(batch: NeighbourBatch, groups: Ints, ranks: int) -> NeighbourBatch:
    """Return a batch without the neighbours of each row's own group, near to far.

    What is left of a row is filled up with cells that are far away. Unless all cells were found,
    the last tie group may go on beyond the batch, so that it counts as far away too. Where no two
    neighbours are tied and all rows have more than `ranks` of them, so many are enough.
    """
    found, squared = batch.found, batch.squared
    if not found.size:
        return batch
    kept = groups[found] != groups[batch.rows][:, None]
    is_whole = found.shape[1] == len(groups) - 1
    if batch.untied:
        kept[:, -1] &= is_whole
        place = np.cumsum(kept, axis=1, dtype=np.int32)
        if place[:, -1].min() > ranks:
            kept &= place <= ranks + 1
            shape = (len(found), ranks + 1)
            return NeighbourBatch(
                batch.rows, found[kept].reshape(shape), squared[kept].reshape(shape), untied=True
            )
    kept &= squared < FAR_AWAY
    if not is_whole:
        tie = np.cumsum(group_starts(squared), axis=1)
        kept &= tie < tie[:, -1:]
    place = np.cumsum(kept, axis=1)
    shape = (len(found), int(place[:, -1].max()) + 1)
    place += np.arange(len(found))[:, None] * shape[1] - 1
    near, far = np.zeros(shape, dtype=np.int64), np.full(shape, FAR_AWAY)
    near.ravel()[place[kept]], far.ravel()[place[kept]] = found[kept], squared[kept]
    return NeighbourBatch(batch.rows, near, far)


class Finder(Protocol):
    """Finds nearest neighbours among the points that it was built on."""

    span: int
    """Rows to search for at a time."""

    def nearest(self, rows: Ints, width: int) -> NeighbourBatch:
        """Return the `width` nearest other points of each row, near to far."""
        ...


class TreeFinder:
    """A k-d tree, for few columns."""

    span = TREE_SPAN

    def __init__(self, points: Floats) -> None:
        self._points = points
        self._tree = cKDTree(points, leafsize=32)  # many neighbours are asked for

    def nearest(self, rows: Ints, width: int) -> NeighbourBatch:
        """Return the `width` nearest other points of each row, near to far."""
        nearest = self._tree.query(self._points[rows], k=width + 1)
        distance, found = np.asarray(nearest[0]), np.asarray(nearest[1])
        other = found != rows[:, None]
        other[other.all(axis=1), -1] = False  # crowded out: distances that round to zero
        if not other[:, 0].any():
            return NeighbourBatch(rows, found[:, 1:], np.square(distance[:, 1:]))
        shape = (len(rows), width)
        return NeighbourBatch(
            rows, found[other].reshape(shape), np.square(distance[other]).reshape(shape)
        )


class BlockFinder:
    """Blocked matrix products, for many columns."""

    def __init__(self, points: Floats) -> None:
        self._points = points
        self._norms = np.einsum("ij,ij->i", points, points)
        # |x|² + |y|² − 2xy is off by at most a few roundings of the norms.
        self._rounding = 8 * (points.shape[1] + 4) * DOUBLE_EPS
        self._index_mask = np.int64((1 << len(points).bit_length()) - 1)
        u, d = points.shape
        self._left, self._right = np.ones((u, d + 2)), np.ones((u, d + 2))
        np.multiply(points, -2, out=self._left[:, :d])
        self._left[:, d], self._right[:, :d], self._right[:, -1] = self._norms, points, self._norms
        self.span = min(max(SPAN_ENTRIES // u, 1), MOST_SPAN)

    def nearest(self, rows: Ints, width: int) -> NeighbourBatch:
        """Return the `width` nearest other points of each row, near to far, and one more.

        A matrix product ranks all points up to its rounding error. Points whose order is in doubt
        because of rounding or a tie are measured exactly. Those beyond the last place that is
        certain count as far away.

        The rounding error is a share of both norms, |x|² of the row and |y|² of the point. If
        |y| > 2|x|, the squared distance is above |y|²/4. So the error is below that share of 5|x|²
        plus four squared distances.
        """
        others = len(self._points) - 1
        found, squared = self._ranked(rows, min(width + 1, others))
        slack = 5 * self._rounding * self._norms[rows][:, None]
        share = 2 * TIE_TOLERANCE + 8 * self._rounding + float(self._index_mask) * DOUBLE_EPS
        untied = self._are_apart(squared, share, 2 * slack)
        if untied and (squared[:, :1] * NEGLIGIBLE_ROUNDING >= slack).all():
            return NeighbourBatch(rows, found, squared, untied)
        doubtful = squared * NEGLIGIBLE_ROUNDING < slack
        if not untied:
            unsure = squared[:, 1:] * (1 - share) - squared[:, :-1] <= 2 * slack
            doubtful[:, 1:] |= unsure
            doubtful[:, :-1] |= unsure
        certain = squared[:, -1:] * (1 - share) - slack
        row, column = np.nonzero(doubtful)
        squared[row, column] = self._exact(rows[row], found[row, column])
        if untied:
            return NeighbourBatch(rows, found, squared, untied)
        order = np.argsort(squared, axis=1, kind="stable")
        found = np.take_along_axis(found, order, axis=1)
        squared = np.take_along_axis(squared, order, axis=1)
        if found.shape[1] < others:  # a tie group is certain as a whole, or not at all
            group = np.cumsum(group_starts(squared), axis=1)
            first = np.where(squared > certain, group, others).min(axis=1, keepdims=True)
            squared[group >= first] = FAR_AWAY
        return NeighbourBatch(rows, found, squared)

    def _ranked(self, rows: Ints, count: int) -> tuple[Ints, Floats]:
        """Return the nearest points and their squared distances, by a matrix product.

        The last bits of a distance, which are noise, are replaced by the index of the point, so
        that plain numbers are sorted. That is several times as fast as sorting indices by distance.
        """
        u, blocks = len(self._points), list[Ints]()
        step = max(BLOCK_ENTRIES // u, 1)
        room = np.empty((min(step, len(rows)), u))
        for a in range(0, len(rows), step):
            some = rows[a : a + step]
            rough = np.matmul(self._left[some], self._right.T, out=room[: len(some)])
            blocks.append(self._least(rough, some, count))
        near = blocks[0] if len(blocks) == 1 else np.concatenate(blocks)
        found = near & self._index_mask
        near &= ~self._index_mask
        return found, near.view(np.float64)

    def _least(self, rough: Floats, rows: Ints, count: int) -> Ints:
        """Return the least numbers of each row, in order, with their indices; overwrite `rough`.

        The row itself is left out.
        """
        rough[np.arange(len(rows)), rows] = np.inf
        keys = rough.view(np.int64)
        keys &= ~self._index_mask
        keys |= np.arange(len(self._points))
        keys.partition(count - 1, axis=1)
        return np.sort(keys[:, :count])

    def _are_apart(self, squared: Floats, share: float, slack: Floats) -> bool:
        """Tell whether ascending numbers in rows grow by more than a share and some slack."""
        return bool((squared[:, 1:] * (1 - share) - squared[:, :-1] > slack).all())

    def _exact(self, rows: Ints, found: Ints) -> Floats:
        """Return squared distances by differences, some at a time."""
        squared = np.empty(len(rows))
        step = max(1, EXACT_ENTRIES // self._points.shape[1])
        for a in range(0, len(rows), step):
            apart = self._points[found[a : a + step]] - self._points[rows[a : a + step]]
            squared[a : a + step] = np.einsum("ij,ij->i", apart, apart)
        return squared
