"""Prim's algorithm in plain NumPy: nothing to load or to compile, in time of order n²."""

from __future__ import annotations

import numpy as np

from bayesfloor.base.arrays import Floats, Ints

LOW_BITS = 20
"""Bits that are dropped from the 53 of a squared length.

The 33 that stay are a relative 1e-10: far above the rounding of coordinates such as multiples of
0.1, and far below any difference that carries information. A judgement.
"""


def prim_edges(points: Floats, colours: Ints | None = None) -> Ints:
    """Grow the tree from row 0, with one row of distances at a time.

    Points of one colour are not joined, see `spanning_edges`.
    """
    n = len(points)
    outside, columns = np.arange(n), np.array(points.T, order="C")
    squares, parents = np.full(n, np.inf), np.full(n, n)
    tree = np.empty((n - 1, 2), dtype=np.int64)
    at = 0
    for left in range(n - 1, 0, -1):
        newest, place = outside[at], columns[:, at, None].copy()
        for array in (outside, columns, squares, parents):
            array[..., at] = array[..., left]  # the last takes the place of the one that left
        fresh = squared_lengths(place, columns[:, :left])
        if colours is not None and colours[newest] >= 0:
            fresh[colours[outside[:left]] == colours[newest]] = np.inf
        old = squares[:left]
        closer = (fresh < old) | ((fresh == old) & (newest < parents[:left]))
        old[closer], parents[:left][closer] = fresh[closer], newest
        at = first_position(old, parents, outside)
        tree[left - 1] = parents[at], outside[at]
    return tree


def first_position(squares: Floats, starts: Ints, stops: Ints) -> int:
    """Find the first edge in the total order."""
    tied = np.flatnonzero(squares == squares.min())
    low, high = np.minimum(starts[tied], stops[tied]), np.maximum(starts[tied], stops[tied])
    return int(tied[np.lexsort((high, low))[0]])


def squared_lengths(starts: Floats, stops: Floats) -> Floats:
    """Square the distances between columns of coordinates, and round them to 33 bits."""
    total = np.zeros(stops.shape[1])
    for start, stop in zip(starts, stops, strict=True):  # in the same order as `component_search`
        total += (start - stop) ** 2
    bits = total.view(np.int64) + (1 << LOW_BITS - 1)
    return (bits >> LOW_BITS << LOW_BITS).view(np.float64)
