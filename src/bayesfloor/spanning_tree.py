"""Points to the edges of their Euclidean minimum spanning tree, and the edges that join classes.

The tree is exact. Edges have a strict total order, so there is one minimum spanning tree, and two
engines find it: Borůvka's algorithm on k-d trees in low dimension, Prim's in high dimension.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.spatial import cKDTree

from bayesfloor.arrays import Bools, Floats, Ints

TREE_DIMENSION = 9  # above it Prim's plain rows are faster than a k-d tree
LISTED = 12  # neighbours a point lists at the start
BASE = 16  # of the digits that tell components apart
SLACK = 1 + 1e-9  # covers the rounding of squared lengths, 2**-33, and of arithmetic
BLOCK = 64  # points whose ties are held at a time
LOW_BITS = 20  # dropped from the 53 of a squared length


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
    cells, cell = np.unique(points + 0.0, axis=0, return_inverse=True)  # -0.0 becomes 0.0
    one, shape = np.ones(len(labels)), (len(cells), n_classes)
    counts = coo_array((one, (cell.ravel(), labels)), shape=shape).tocsr()  # sums the repeated
    sizes = np.bincount(cell.ravel())
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
    engine = boruvka_edges if points.shape[1] <= TREE_DIMENSION else prim_edges
    ends = np.sort(engine(points), axis=1)
    return ends[np.lexsort(ends.T[::-1])]


def squared_lengths(starts: Floats, stops: Floats) -> Floats:
    """Square the distances between columns of coordinates, and round them to 33 bits."""
    total = np.zeros(stops.shape[1])
    for start, stop in zip(starts, stops, strict=True):  # one order of sums for both engines
        total += (start - stop) ** 2
    bits = total.view(np.int64) + (1 << LOW_BITS - 1)
    return (bits >> LOW_BITS << LOW_BITS).view(np.float64)


def prim_edges(points: Floats) -> Ints:
    """Grow the tree from row 0, with one row of distances at a time."""
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


@dataclass(frozen=True, slots=True)
class Pool:
    """Known edges, in any order, perhaps repeated."""

    squares: Floats  # (e,), rounded
    ends: Ints  # (2, e), the smaller index first

    def between(self, part: Ints) -> Pool:
        """Keep the edges that join two components."""
        kept = part[self.ends[0]] != part[self.ends[1]]
        return Pool(self.squares[kept], self.ends[:, kept])

    def least(self, part: Ints) -> Floats:
        """Find the smallest squared length that leaves each component, or infinity."""
        least = np.full(part.max() + 1, np.inf)
        for end in self.ends:
            np.minimum.at(least, part[end], self.squares)
        return least

    def first(self, part: Ints, moving: Bools) -> Ints:
        """Find the edges, first in the total order, that leave each moving component."""
        sides = part[self.ends]
        least = np.flatnonzero((self.squares == self.least(part)[sides]).any(axis=0))
        order = least[np.lexsort((self.ends[1, least], self.ends[0, least], self.squares[least]))]
        parts, at = np.unique(sides[:, order].T, return_index=True)  # at: the first occurrence
        return self.ends[:, np.unique(order[at[moving[parts]] // 2])]


def boruvka_edges(points: Floats) -> Ints:
    """Join components to the nearest other ones, round by round.

    A point's edges to other components are in the pool if their squared length is below its
    ``reach``. A component knows its first edge when all its points reach beyond it; points that
    fall short ask for more. In a round only the half of the components with the fewest such points
    moves: a large component is often joined by small ones before it has to ask.
    """
    part = np.arange(len(points))
    ends, squares = View(points, part).nearest(part, LISTED + 1)
    pool, reach = measured(points, ends), squares[:, -1]
    tree = [np.empty((2, 0), dtype=np.int64)]
    while part.any():
        pool = pool.between(part)
        limit = pool.least(part)
        short = reach <= limit[part] * SLACK
        waiting = np.bincount(part[short], minlength=len(limit))
        moving = waiting <= np.median(waiting)
        asked = np.flatnonzero(short & moving[part])
        if len(asked):
            found, reach[asked] = foreign_edges(points, part, asked, limit)
            pool = measured(points, np.hstack([pool.ends, found]))
        tree.append(pool.first(part, moving))
        part = joined(part, tree[-1])
    return np.hstack(tree).T


def measured(points: Floats, ends: Ints) -> Pool:
    """Attach squared lengths to edges."""
    starts, stops = np.sort(ends, axis=0)
    columns = points.T
    return Pool(squared_lengths(columns[:, starts], columns[:, stops]), np.stack([starts, stops]))


def joined(part: Ints, edges: Ints) -> Ints:
    """Give numbers from 0 to the components after edges have joined some of them."""
    size = part.max() + 1
    graph = coo_array((np.ones(edges.shape[1]), part[edges]), shape=(size, size))
    return connected_components(graph, directed=False)[1].astype(np.int64)[part]


class View:
    """Some of the points in a k-d tree."""

    def __init__(self, points: Floats, rows: Ints) -> None:
        self.points, self.rows = points, rows
        self.tree = cKDTree(points[rows], balanced_tree=False)

    def nearest(self, asked: Ints, k: int) -> tuple[Ints, Floats]:
        """List the edges to the k nearest, and their squared lengths, infinite beyond the last."""
        lengths, found = map(np.asarray, self.tree.query(self.points[asked], k=k))
        row, rank = np.nonzero(np.isfinite(lengths))
        return np.stack([asked[row], self.rows[found[row, rank]]]), lengths**2

    def first(self, asked: Ints, radius: Floats) -> Ints:
        """Find each asked point's first edge in the total order, where the radius holds it."""
        found = self.tree.query_ball_point(self.points[asked], radius)
        sizes = np.array([len(rows) for rows in found])
        starts, stops = np.repeat(asked, sizes), self.rows[np.concatenate(found)]
        squares = squared_lengths(self.points.T[:, starts], self.points.T[:, stops])
        order = np.lexsort((stops, squares, np.repeat(np.arange(len(asked)), sizes)))
        at = order[np.cumsum(sizes) - sizes]
        return np.stack([starts[at], stops[at]])


def foreign_edges(points: Floats, part: Ints, asked: Ints, limit: Floats) -> tuple[Ints, Floats]:
    """List edges from the asked points to other components, and how far that reaches.

    ``limit`` bounds the least edge that leaves each component from above. Where a second neighbour
    ties with the least, more may tie, and the first of them in the total order is listed.
    """
    limit, reach, edges = limit.copy(), np.full(len(part), np.inf), []
    for inside, others in splits(part, asked):
        view, home = View(points, others), part[inside]
        ends, squares = view.nearest(inside, 2)
        np.minimum.at(limit, home, squares[:, 0])
        tied = np.flatnonzero(squares[:, 1] <= limit[home] * SLACK)
        blocks = (tied[at : at + BLOCK] for at in range(0, len(tied), BLOCK))
        ties = (view.first(inside[b], np.sqrt(limit[home[b]]) * SLACK) for b in blocks)
        edges += [ends, *ties]
        reach[inside] = np.minimum(reach[inside], squares[:, 1])
    return np.hstack(edges), reach[asked]


def splits(part: Ints, asked: Ints) -> Iterator[tuple[Ints, Ints]]:
    """Pair asked points with others so that every point meets all outside its component.

    Two components differ in some digit of their numbers. For each digit, the points that have one
    value of it meet the points that have another.
    """
    scale = 1
    while scale <= part.max():
        digit = part // scale % BASE
        for value in np.unique(digit[asked]):
            yield asked[digit[asked] == value], np.flatnonzero(digit != value)
        scale *= BASE
