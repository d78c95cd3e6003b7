"""Borůvka's algorithm in compiled code, on a tree of full leaves, for any number of columns.

Every point lists its few nearest. Components join along the first edge that leaves them, round by
round, as long as the lists tell it; then the points whose lists have run out ask again. The
component with the most such points sits out: the others join it before it has to ask.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from bayesfloor.base.arrays import Bools, Floats, Ints
from bayesfloor.neighbours.kernels.jit import strict
from bayesfloor.neighbours.kernels.kd_tree import build_tree
from bayesfloor.neighbours.spanning_tree.component_search import ANY, WIDTH, Lists, Shape, search

LISTED = 4
"""Neighbours in a list."""
READY = 0.1
"""Share of the components that must know their first edge for a round without questions."""
CHUNK = 256
"""Leaves at a time in one thread, at most: an interrupt waits for these."""
LOW_DIMENSION = 8
WORK = 200_000_000
"""In more columns than that a leaf may meet all points: leaves times coordinates in a chunk."""
SHARES = 8
"""Chunks for each thread, at least: those with much to do even out."""
WITHOUT_END = 1e300
"""Widens any bound beyond all points."""


def boruvka_edges(points: Floats, workers: int | None = None) -> Ints:
    """Find the edges of the minimum spanning tree, in no order, by pairs of rows."""
    workers = workers or os.cpu_count() or 1
    forest = Forest(points, LISTED, workers)
    with ThreadPoolExecutor(workers) as pool:
        try:
            forest.ask(pool, np.full(len(points), ANY), WITHOUT_END)
            while forest.size > 1:
                forest.join(pool)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return forest.shape.order[forest.edges]


class Forest:
    """Components of points, with the edges that have joined them."""

    def __init__(self, points: Floats, listed: int, workers: int) -> None:
        n, tree = len(points), build_tree(points, WIDTH)
        self.shape = Shape(
            tree.points, tree.order, tree.tiles, tree.first, tree.last, tree.low, tree.high
        )
        self.lists = Lists(
            np.empty((n, listed)),
            np.empty((n, listed), dtype=np.int32),
            np.empty(n),
            np.empty(n, dtype=np.int32),
        )
        most = CHUNK if points.shape[1] <= LOW_DIMENSION else min(CHUNK, WORK // points.size)
        self.chunk = max(1, min(most, len(tree.tiles) // (SHARES * workers)))
        self.part, self.size = np.arange(n), n
        self.asked = np.ones(n, dtype=bool)
        self.edges, self.joined = np.empty((n - 1, 2), dtype=np.int64), 0

    def ask(self, pool: ThreadPoolExecutor, bound: Floats, widen: float) -> None:
        """Make the lists of the asked points anew."""
        pure = np.empty(len(self.shape.first), dtype=np.int64)
        find_pure(self.shape.first, self.shape.last, self.part, pure)
        leaves, step = len(self.shape.tiles), self.chunk
        given = (self.shape, self.part, pure, self.asked, bound, widen, self.lists)
        chunks = [
            pool.submit(search, *given, start, min(start + step, leaves))
            for start in range(0, leaves, step)
        ]
        for chunk in chunks:
            chunk.result()

    def join(self, pool: ThreadPoolExecutor) -> None:
        """Join the components that know their first edge, or else make more of them know it."""
        least, ends, floor = first_edges(self.shape.order, self.part, self.size, self.lists)
        ready = floor > least
        if ready.mean() < READY:
            waiting = mark_asked(self.part, least, self.lists, self.asked)
            ready[:] = True
            ready[waiting.argmax()] = False
            self.asked &= ready[self.part]
            self.ask(pool, least.copy(), 1.0)
            ends = first_edges(self.shape.order, self.part, self.size, self.lists)[1]
        self.joined, self.size = join(self.part, self.size, ends[ready], self.edges, self.joined)


@strict
def find_pure(first: Ints, last: Ints, part: Ints, pure: Ints) -> None:
    """Find for each node the component that all its points are in, or -1."""
    for node in range(len(first) - 1, -1, -1):
        a, b = first[node], last[node]
        if b - a > 1:
            middle = (a + b + 1) // 2
            left, right = pure[node + 1], pure[node + 2 * (middle - a)]
            pure[node] = left if left == right else -1
        else:
            pure[node] = part[a * WIDTH]
            for p in range(a * WIDTH + 1, min(len(part), b * WIDTH)):
                if part[p] != pure[node]:
                    pure[node] = -1
                    break


@strict
def first_edges(order: Ints, part: Ints, size: int, lists: Lists) -> tuple[Floats, Ints, Floats]:
    """Find the first listed edge that leaves each component.

    Returns its squared length, its ends, and the least squared length that an edge which is not
    listed can have.
    """
    squares, found, limit, at = lists
    k = squares.shape[1]
    least, floor = np.full(size, np.inf), np.full(size, np.inf)
    ends = np.full((size, 2), -1)
    for p in range(len(part)):
        own, i = part[p], at[p]
        while i < k and found[p, i] >= 0 and part[found[p, i]] == own:
            i += 1
        at[p] = i
        if i == k or found[p, i] < 0:
            at[p] = k
            floor[own] = min(floor[own], limit[p])
        elif squares[p, i] < least[own] or (
            squares[p, i] == least[own] and comes_first(order, p, found[p, i], ends, own)
        ):
            least[own], ends[own, 0], ends[own, 1] = squares[p, i], p, found[p, i]
    return least, ends, floor


@strict
def comes_first(order: Ints, p: int, q: int, ends: Ints, own: int) -> bool:
    """Tell whether an edge comes before a component's, which is as long, by its rows."""
    a, b = order[p], order[q]
    c, e = order[ends[own, 0]], order[ends[own, 1]]
    low, high = min(a, b), min(c, e)
    return low < high or (low == high and max(a, b) < max(c, e))


@strict
def mark_asked(part: Ints, least: Floats, lists: Lists, asked: Bools) -> Ints:
    """Mark points that may have an unlisted first edge; count them in each component."""
    waiting = np.zeros(len(least), dtype=np.int64)
    for p in range(len(part)):
        own = part[p]
        asked[p] = lists.at[p] == lists.squares.shape[1] and lists.limit[p] <= least[own]
        waiting[own] += asked[p]
    return waiting


@strict
def join(part: Ints, size: int, chosen: Ints, edges: Ints, joined: int) -> tuple[int, int]:
    """Join components along edges, and number them anew; count the edges and components."""
    parent = np.arange(size)
    for e in range(len(chosen)):
        a, b = root(parent, part[chosen[e, 0]]), root(parent, part[chosen[e, 1]])
        if a != b:
            parent[max(a, b)] = min(a, b)
            edges[joined, 0], edges[joined, 1] = chosen[e, 0], chosen[e, 1]
            joined += 1
    number, left = np.empty(size, dtype=np.int64), 0
    for c in range(size):  # roots come before what hangs on them
        if parent[c] == c:
            number[c] = left
            left += 1
        else:
            number[c] = number[root(parent, c)]
    for p in range(len(part)):
        part[p] = number[part[p]]
    return joined, left


@strict
def root(parent: Ints, c: int) -> int:
    """Find the component that a component now belongs to; shorten the way there."""
    while parent[c] != c:
        parent[c] = parent[parent[c]]
        c = parent[c]
    return c
