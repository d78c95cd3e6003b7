"""Finders in SciPy and NumPy: rows in, their nearest neighbours out, exact, ties included.

A finder is built on the points once and then asked for batches of rows. Both measure distances as
sums of squared differences in double precision, so both give the same curve. Nothing is compiled:
they serve small samples, and rows that a compiled engine gives up.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from scipy.spatial import cKDTree

from bayesfloor.arrays import Floats, Ints
from bayesfloor.search.ties import TIE, Batch

FAR = 1e300
"""Stands for a squared distance that is only known to be large."""


class Finder(Protocol):
    """Finds nearest neighbours among the points that it was built on."""

    span: int
    """Rows to ask for at a time."""

    def nearest(self, rows: Ints, width: int) -> Batch:
        """Return the `width` nearest other points of each row, near to far."""
        ...


class TreeFinder:
    """A k-d tree, for few columns."""

    span = 512

    def __init__(self, points: Floats) -> None:
        self._points = points
        self._tree = cKDTree(points, leafsize=32)  # many neighbours are asked for

    def nearest(self, rows: Ints, width: int) -> Batch:
        """Return the `width` nearest other points of each row, near to far."""
        nearest = self._tree.query(self._points[rows], k=width + 1)
        distance, found = np.asarray(nearest[0]), np.asarray(nearest[1])
        other = found != rows[:, None]
        other[other.all(axis=1), -1] = False  # crowded out: distances that round to zero
        if not other[:, 0].any():
            return Batch(rows, found[:, 1:], np.square(distance[:, 1:]))
        shape = (len(rows), width)
        return Batch(rows, found[other].reshape(shape), np.square(distance[other]).reshape(shape))


class BlockFinder:
    """Blocked matrix products, for many columns."""

    def __init__(self, points: Floats) -> None:
        self._points = points
        self._norms = np.einsum("ij,ij->i", points, points)
        # |x|² + |y|² − 2xy is off by at most a few roundings of the largest norm.
        self._slack = 8 * (points.shape[1] + 4) * np.finfo(np.float64).eps * self._norms.max()
        self.span = int(np.clip(2_000_000 // len(points), 1, 512))

    def nearest(self, rows: Ints, width: int) -> Batch:
        """Return at least the `width` nearest other points of each row, near to far.

        A matrix product ranks all points up to its rounding error. Points that this error, or a
        tie, leaves in doubt near the last place are kept too; all are measured exactly and
        sorted. What lies beyond the last place that is certain counts as far away.
        """
        rough, others = self._rough(rows), len(self._points) - 1
        kept, last = _smallest(rough, width)
        within = last * (1 + 2 * TIE) + 2 * self._slack
        doubtful = int(np.count_nonzero(rough <= within[:, None], axis=1).max())
        if width < doubtful:
            width = min(doubtful + 1, others)
            kept, last = _smallest(rough, width)
        squared = self._exact(rows, kept)
        if width < others:
            squared[squared > (last - self._slack)[:, None]] = FAR
        order = np.argsort(squared, axis=1, kind="stable")
        found = np.take_along_axis(kept, order, axis=1)
        return Batch(rows, found, np.take_along_axis(squared, order, axis=1))

    def _rough(self, rows: Ints) -> Floats:
        """Squared distances from the rows to all points, up to `_slack`; infinite to themselves."""
        rough = self._points[rows] @ self._points.T
        rough *= -2
        rough += self._norms
        rough += self._norms[rows][:, None]
        rough[np.arange(len(rows)), rows] = np.inf
        return rough

    def _exact(self, rows: Ints, found: Ints) -> Floats:
        """Squared distances by differences, a block of rows at a time."""
        squared = np.empty(found.shape)
        step = max(1, 500_000 // (found.shape[1] * self._points.shape[1]))
        for a in range(0, len(rows), step):
            apart = self._points[found[a : a + step]] - self._points[rows[a : a + step], None]
            squared[a : a + step] = np.einsum("ijk,ijk->ij", apart, apart)
        return squared


def _smallest(table: Floats, width: int) -> tuple[Ints, Floats]:
    """Return the columns of the `width` smallest entries of each row, and the largest of these."""
    columns = np.argpartition(table, width - 1, axis=1)[:, :width]
    return columns, np.take_along_axis(table, columns[:, -1:], axis=1)[:, 0]
