"""The minimum spanning tree by the faster algorithm, and its number of edges between classes."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import coo_array

from bayesfloor.base.arrays import Floats, Ints
from bayesfloor.base.executor import ALL_CORES, Executor
from bayesfloor.neighbours.finders import check_finite
from bayesfloor.neighbours.spanning_tree.prim import prim_edges, squared_lengths
from bayesfloor.sample.distinct_points import sorted_runs

COMPILED_FROM = 5000
"""Points from which compiled code is used. A judgement: with fewer, plain NumPy is done before
compiled code is loaded."""
SMALLEST_COORDINATE = 2.0**-400
"""Coordinates below this, where the largest is below 1, count as zero: squares must not underflow.

The square 2^-800 keeps its 33 bits, as the smallest normal double is 2^-1022.
"""


def cross_edges(
    points: Floats,
    labels: Ints,
    n_classes: int,
    executor: Executor = ALL_CORES,
    *,
    groups: Ints | None = None,
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
    groups : (n,) array, optional
        Rows of one group are never joined, see `group_cross_edges`; two groups or more.

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
    if groups is not None:
        return group_cross_edges(points, labels, n_classes, groups, executor)
    order, starts = sorted_runs(points)
    cells, cell = points[order[starts]] + 0.0, np.cumsum(starts) - 1  # -0.0 becomes 0.0
    one, shape = np.ones(len(labels)), (len(cells), n_classes)
    counts = coo_array((one, (cell, labels[order])), shape=shape).tocsr()  # sums the repeated
    sizes = np.bincount(cell)
    inside = sizes - counts.multiply(counts).sum(axis=1) / sizes
    u, v = spanning_edges(cells, executor).T
    between = 1 - counts[u].multiply(counts[v]).sum(axis=1) / (sizes[u] * sizes[v])
    return float(inside.sum() + between.sum())


def group_cross_edges(
    points: Floats, labels: Ints, n_classes: int, groups: Ints, executor: Executor = ALL_CORES
) -> float:
    r"""Count the edges that join two classes in the shortest tree without edges inside a group.

    Rows of different groups that are equal are joined by edges of length zero: a spanning tree of
    their complete multipartite graph, drawn uniformly. With :math:`s` rows in all and
    :math:`s_g` of group g, rows of the groups g and h are joined with the probability
    :math:`(1 - 1/s)(1/(s - s_g) + 1/(s - s_h))`, their effective resistance. Such a point may be
    joined with any other; one with rows of a single group only with points of others. Its first
    row takes part in the spanning tree of the points, and each further row has an edge to the
    nearest point that it may be joined with. The ends of an edge between two points are drawn
    among their pairs of rows of different groups.
    """
    order, starts = sorted_runs(points)
    cell = np.empty(len(labels), dtype=np.int64)
    cell[order] = np.cumsum(starts) - 1
    places, sizes = points[order[starts]] + 0.0, np.bincount(cell)
    first = groups[order[starts]]
    mixed = np.bincount(cell, groups != first[cell], minlength=len(places)) > 0
    colours = np.where(mixed, -1, first)
    edges = spanning_edges(places, executor, colours=colours)
    alone = np.flatnonzero(~mixed & (sizes > 1))
    nearest = shortest_edges(places, alone, edges)
    u, v = np.concatenate([edges, np.column_stack([alone, nearest])]).T
    times = np.concatenate([np.ones(len(edges)), sizes[alone] - 1.0])
    counts = coo_array(
        (np.ones(len(labels)), (cell, labels)), shape=(len(places), n_classes)
    ).tocsr()
    by_group = coo_array(
        (np.ones(len(labels)), (cell, groups)), shape=(len(places), int(groups.max()) + 1)
    ).tocsr()
    codes = groups * n_classes + labels
    by_both = coo_array(
        (np.ones(len(labels)), (cell, codes)), shape=(len(places), int(codes.max()) + 1)
    ).tocsr()

    def pairs(table: Any) -> Floats:
        return np.asarray(table[u].multiply(table[v]).sum(axis=1)).ravel()

    same = pairs(counts) - pairs(by_both)
    between = 1 - same / (sizes[u] * sizes[v] - pairs(by_group))
    inside = _edges_inside(cell, labels, groups, np.flatnonzero(mixed))
    return float(inside + times @ between)


def _edges_inside(cell: Ints, labels: Ints, groups: Ints, mixed: Ints) -> float:
    """Count the edges of length zero that join two classes, of points with several groups."""
    total = 0.0
    rows = np.argsort(cell, kind="stable")
    begins = np.searchsorted(cell[rows], np.r_[mixed, mixed + 1]).reshape(2, -1)
    for start, stop in begins.T:
        here = rows[start:stop]
        _, group = np.unique(groups[here], return_inverse=True)
        _, label = np.unique(labels[here], return_inverse=True)
        table = np.zeros((group.max() + 1, label.max() + 1))
        np.add.at(table, (group, label), 1.0)
        sizes, s = table.sum(axis=1), float(len(here))
        # Rows of g that differ in class from rows of other groups, weighed by 1 / (s − s_g).
        others = table.sum(axis=0) - table
        differ = sizes * (s - sizes) - (table * others).sum(axis=1)
        total += (1 - 1 / s) * float((differ / (s - sizes)).sum())
    return total


def shortest_edges(points: Floats, asked: Ints, edges: Ints) -> Ints:
    """Return the other end of the shortest edge of some points.

    The minimum spanning tree has the shortest edge that a point may have.
    """
    u, v = np.concatenate([edges, edges[:, ::-1]]).T
    squared = squared_lengths(scale_points(points)[u].T, scale_points(points)[v].T)
    order = np.lexsort((np.maximum(u, v), np.minimum(u, v), squared, u))
    return v[order[np.searchsorted(u[order], asked)]]


def spanning_edges(
    points: Floats,
    executor: Executor = ALL_CORES,
    *,
    colours: Ints | None = None,
    compiled_from: int = COMPILED_FROM,
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
    colours : (n,) array, optional
        Points of one colour are not joined, unless it is −1; not all points have the same.
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
        ends = prim_edges(scaled, colours)
    else:
        from bayesfloor.neighbours.spanning_tree.boruvka import boruvka_edges  # slow to load

        ends = boruvka_edges(scaled, executor, colours=colours)
    starts, stops = np.minimum(*ends.T), np.maximum(*ends.T)
    return np.stack(np.divmod(np.sort(starts * len(points) + stops), len(points)), axis=1)


def scale_points(points: Floats) -> Floats:
    """Scale coordinates below 1 by a power of two, which is exact, and set tiny ones to zero."""
    scaled = np.ldexp(points, -np.frexp(np.abs(points).max(initial=0.0))[1])
    return np.where(np.abs(scaled) < SMALLEST_COORDINATE, 0.0, scaled)
