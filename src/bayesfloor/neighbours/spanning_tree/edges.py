"""The minimum spanning tree by the faster algorithm, and its number of edges between classes."""

from __future__ import annotations

import numpy as np
from scipy.sparse import coo_array

from bayesfloor.base.arrays import Floats, Ints
from bayesfloor.base.executor import ALL_CORES, Executor
from bayesfloor.neighbours.finders import check_finite
from bayesfloor.neighbours.spanning_tree.prim import prim_edges
from bayesfloor.sample.distinct_points import sorted_runs

COMPILED_FROM = 5000
"""Points from which compiled code is used. A judgement: with fewer, plain NumPy is done before
compiled code is loaded."""
SMALLEST_COORDINATE = 2.0**-400
"""Coordinates below this, where the largest is below 1, count as zero: squares must not underflow.

The square 2^-800 keeps its 33 bits, as the smallest normal double is 2^-1022.
"""


def cross_edges(
    points: Floats, labels: Ints, n_classes: int, executor: Executor = ALL_CORES
) -> float:
    r"""Count the edges of the minimum spanning tree that join two classes, see [1]_.

    Equal points form a cell, and the count is the mean over random choices among their edges. A
    cell with :math:`c_a` of its :math:`s` points in class a has :math:`s - 1` edges of length
    zero; each joins any pair with the same probability, so :math:`s - \sum_a c_a^2 / s` of them
    join two classes. An edge between the cells u and v has random ends in both, and joins two
    classes with probability :math:`1 - \sum_a c_a(u) c_a(v) / (s(u) s(v))`.

    Cells are numbered in lexicographic order and ties between them follow `spanning_edges`. So the
    order of rows never matters, but a rotation or reflection of tied data may change the count.

    Parameters
    ----------
    points : (n, d) array
        Finite points, duplicates allowed.
    labels : (n,) array
        Classes, coded 0 to ``n_classes - 1``.
    n_classes : int
        Number of classes.
    executor : Executor
        Where the search runs; the number of workers does not change the count.

    Returns
    -------
    float
        Expected number of edges between classes, from 0 to n - 1.

    References
    ----------
    .. [1] Friedman & Rafsky (1979), Ann. Statist. 7, 697-717.

    Examples
    --------
    >>> cross_edges(np.array([[0.0], [1.0], [3.0], [3.0]]), np.array([0, 1, 0, 1]), 2)
    2.5
    """
    order, starts = sorted_runs(points)
    cells, cell = points[order[starts]] + 0.0, np.cumsum(starts) - 1  # -0.0 becomes 0.0
    one, shape = np.ones(len(labels)), (len(cells), n_classes)
    counts = coo_array((one, (cell, labels[order])), shape=shape).tocsr()  # sums the repeated
    sizes = np.bincount(cell)
    inside = sizes - counts.multiply(counts).sum(axis=1) / sizes
    u, v = spanning_edges(cells, executor).T
    between = 1 - counts[u].multiply(counts[v]).sum(axis=1) / (sizes[u] * sizes[v])
    return float(inside.sum() + between.sum())


def spanning_edges(
    points: Floats, executor: Executor = ALL_CORES, *, compiled_from: int = COMPILED_FROM
) -> Ints:
    """Find the Euclidean minimum spanning tree of different points.

    Edges are ordered by squared length, then by the smaller row index, then by the larger. Squared
    lengths are first rounded to 33 bits (a relative 1e-10), so that lengths which differ only by
    the rounding of coordinates, as on a grid scaled by 0.1, count as equal. Coordinates below
    1e-120 of the largest count as zero.

    Parameters
    ----------
    points : (n, d) array
        Finite points, no two rows equal.
    executor : Executor
        Where the search runs; the number of workers does not change the edges.
    compiled_from : int
        Number of points from which compiled code is used; it finds the same edges.

    Returns
    -------
    (n - 1, 2) array
        Row indices of the ends, the smaller first, edges sorted by these indices.

    Examples
    --------
    >>> spanning_edges(np.array([[0.0], [7.0], [1.0], [3.0]]))
    array([[0, 2],
           [1, 3],
           [2, 3]])
    """
    check_finite(points)
    scaled = scale_points(points)
    if len(points) < compiled_from:
        ends = prim_edges(scaled)
    else:
        from bayesfloor.neighbours.spanning_tree.boruvka import boruvka_edges  # slow to load

        ends = boruvka_edges(scaled, executor)
    starts, stops = np.minimum(*ends.T), np.maximum(*ends.T)
    return np.stack(np.divmod(np.sort(starts * len(points) + stops), len(points)), axis=1)


def scale_points(points: Floats) -> Floats:
    """Scale coordinates below 1 by a power of two, which is exact, and set tiny ones to zero."""
    scaled = np.ldexp(points, -np.frexp(np.abs(points).max(initial=0.0))[1])
    return np.where(np.abs(scaled) < SMALLEST_COORDINATE, 0.0, scaled)
