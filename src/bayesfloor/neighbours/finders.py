"""Finders in SciPy and NumPy: rows in, their nearest neighbours out, exact, ties included.

A finder is built on the points once and then asked for batches of rows. Both find the same, so both
give the same curve. Nothing is compiled: they serve small samples, and rows that a compiled engine
gives up.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from scipy.spatial import cKDTree

from bayesfloor.base.arrays import Floats, Ints
from bayesfloor.neighbours.ties import TIE, Batch, new_groups

FAR = 1e300
"""Stands for a squared distance that is only known to be large."""
BLOCK = 400_000
"""Distances that are sifted at a time."""
CLOSE = 1e-10
"""Rounding above this share of a squared distance is too much: it is measured exactly."""


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
        # |x|² + |y|² − 2xy is off by at most a few roundings of the norms.
        self._rounding = 8 * (points.shape[1] + 4) * np.finfo(np.float64).eps
        self._places = np.int64((1 << len(points).bit_length()) - 1)
        u, d = points.shape
        self._left, self._right = np.ones((u, d + 2)), np.ones((u, d + 2))
        np.multiply(points, -2, out=self._left[:, :d])
        self._left[:, d], self._right[:, :d], self._right[:, -1] = self._norms, points, self._norms
        self.span = min(max(2_000_000 // u, 1), 1024)

    def nearest(self, rows: Ints, width: int) -> Batch:
        """Return the `width` nearest other points of each row, near to far, and one more.

        A matrix product ranks all points up to its rounding error. Points whose order that, or a
        tie, leaves in doubt are measured exactly. What lies beyond the last place that is certain
        counts as far away.

        Rounding is a share of both norms, |x|² of the row and |y|² of the point. If |y| > 2|x|, the
        squared distance is above |y|²/4: so it is below a share of 5|x|² and 4 squared distances.
        """
        others = len(self._points) - 1
        found, squared = self._ranked(rows, min(width + 1, others))
        slack = 5 * self._rounding * self._norms[rows][:, None]
        share = 2 * TIE + 8 * self._rounding + float(self._places) * np.finfo(np.float64).eps
        apart = self._are_apart(squared, share, 2 * slack)
        if apart and (squared[:, :1] * CLOSE >= slack).all():
            return Batch(rows, found, squared, apart)
        doubtful = squared * CLOSE < slack
        if not apart:
            unsure = squared[:, 1:] * (1 - share) - squared[:, :-1] <= 2 * slack
            doubtful[:, 1:] |= unsure
            doubtful[:, :-1] |= unsure
        certain = squared[:, -1:] * (1 - share) - slack
        row, column = np.nonzero(doubtful)
        squared[row, column] = self._exact(rows[row], found[row, column])
        if apart:
            return Batch(rows, found, squared, apart)
        order = np.argsort(squared, axis=1, kind="stable")
        found = np.take_along_axis(found, order, axis=1)
        squared = np.take_along_axis(squared, order, axis=1)
        if found.shape[1] < others:  # a tie group is certain as a whole, or not at all
            group = np.cumsum(new_groups(squared), axis=1)
            first = np.where(squared > certain, group, others).min(axis=1, keepdims=True)
            squared[group >= first] = FAR
        return Batch(rows, found, squared)

    def _ranked(self, rows: Ints, count: int) -> tuple[Ints, Floats]:
        """Return the nearest points and their squared distances, by a matrix product.

        The last bits of a distance, which are noise, make way for the place of the point, so that
        plain numbers are sorted: that is several times as fast as sorting places by distances.
        """
        u, parts = len(self._points), list[Ints]()
        step = max(BLOCK // u, 1)
        room = np.empty((min(step, len(rows)), u))
        for a in range(0, len(rows), step):
            some = rows[a : a + step]
            rough = np.matmul(self._left[some], self._right.T, out=room[: len(some)])
            parts.append(self._least(rough, some, count))
        near = parts[0] if len(parts) == 1 else np.concatenate(parts)
        found = near & self._places
        near &= ~self._places
        return found, near.view(np.float64)

    def _least(self, rough: Floats, rows: Ints, count: int) -> Ints:
        """Return the least numbers of each row, in order, with their places; its own is left out.

        The numbers are overwritten.
        """
        rough[np.arange(len(rows)), rows] = np.inf
        keys = rough.view(np.int64)
        keys &= ~self._places
        keys |= np.arange(len(self._points))
        keys.partition(count - 1, axis=1)
        return np.sort(keys[:, :count])

    def _are_apart(self, squared: Floats, share: float, slack: Floats) -> bool:
        """Tell whether numbers that ascend in rows do so by more than a share and some slack."""
        return bool((squared[:, 1:] * (1 - share) - squared[:, :-1] > slack).all())

    def _exact(self, rows: Ints, found: Ints) -> Floats:
        """Squared distances by differences, some at a time."""
        squared = np.empty(len(rows))
        step = max(1, 500_000 // self._points.shape[1])
        for a in range(0, len(rows), step):
            apart = self._points[found[a : a + step]] - self._points[rows[a : a + step]]
            squared[a : a + step] = np.einsum("ij,ij->i", apart, apart)
        return squared
