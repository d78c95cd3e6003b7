"""The spanning tree by the faster engine, and the number of its edges between classes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.sparse import coo_array

from bayesfloor.base.arrays import Floats, Ints
from bayesfloor.neighbours.spanning_tree.prim import prim_edges
from bayesfloor.sample.distinct_points import sorted_runs

COMPILED_FROM = 5000
"""Points: with fewer, plain NumPy is done before compiled code is loaded."""


def cross_edges(points: Floats, labels: Ints, n_classes: int) -> float:
    r"""Count the edges of the minimum spanning tree that join two classes, see [1]_.

    Equal points form a cell, and the count is the mean over random choices among their edges. A
    cell with :math:`c_a` of its :math:`s` points in class a has :math:`s - 1` edges of length
    zero; each joins any pair with the same chance, so :math:`s - \sum_a c_a^2 / s` of them join two
    classes. An edge between the cells u and v has random ends in both, and joins two classes with
    chance :math:`1 - \sum_a c_a(u) c_a(v) / (s(u) s(v))`.

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
    u, v = spanning_edges(cells).T
    between = 1 - counts[u].multiply(counts[v]).sum(axis=1) / (sizes[u] * sizes[v])
    return float(inside.sum() + between.sum())


def spanning_edges(points: Floats) -> Ints:
    """Find the Euclidean minimum spanning tree of different points.

    Edges are ordered by squared length, then by the smaller row index, then by the larger. Squared
    lengths are first rounded to 33 bits (a relative 1e-10), so that lengths which differ only by
    the rounding of coordinates, as on a grid scaled by 0.1, count as equal. Coordinates below
    1e-120 of the largest count as zero.

    Parameters
    ----------
    points : (n, d) array
        Finite points, no two rows equal.

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
    points = np.ldexp(points, -np.frexp(np.abs(points).max(initial=0.0))[1])  # below 1, exact
    points = np.where(np.abs(points) < 2.0**-400, 0.0, points)  # squares must not underflow
    ends = _engine(len(points))(points)
    starts, stops = np.minimum(*ends.T), np.maximum(*ends.T)
    return np.stack(np.divmod(np.sort(starts * len(points) + stops), len(points)), axis=1)


def _engine(n: int) -> Callable[[Floats], Ints]:
    if n < COMPILED_FROM:
        return prim_edges
    from bayesfloor.neighbours.spanning_tree.boruvka import boruvka_edges  # takes a while to load

    return boruvka_edges
