"""Borůvka's algorithm in compiled code, on a tree of full leaves, for any number of columns.

Every point lists its few nearest. Components join along the first edge that leaves them, round by
round, for as long as the lists show it; then the points whose lists are used up ask again. The
component with the most such points waits: the others join it before it has to ask.
"""

from __future__ import annotations

import numpy as np

from bayesfloor.base.arrays import Bools, Floats, Ints
from bayesfloor.base.executor import ALL_CORES, Executor
from bayesfloor.neighbours.kernels.jit import jit_strict
from bayesfloor.neighbours.kernels.kd_tree import UNBOUNDED, build_tree
from bayesfloor.neighbours.spanning_tree.component_search import (
    COMPONENT_LEAF_SIZE,
    MIXED_NODE,
    NeighbourLists,
    list_nearest,
)

LISTED = 4
"""Points in a list. A judgement: with more, lists last for more rounds, but take longer to make."""
READY_SHARE = 0.1
"""Share of the components that must know their first edge for a round without new lists.

A judgement: below it, a round joins too little to be worth its pass over the points.
"""
MOST_CHUNK_LEAVES = 256
"""Leaves that a worker searches at a time, at most: an interrupt waits for these. A judgement."""
LOW_DIMENSION = 8
"""Columns up to which a leaf meets few others. A judgement, as for the finders."""
CHUNK_WORK = 200_000_000
"""Leaves times coordinates of all points in a chunk, in more columns than `LOW_DIMENSION`.

There a leaf may meet all points. A judgement: an interrupt waits for seconds at most.
"""
CHUNKS_PER_WORKER = 8
"""Chunks for each worker, at least, so that those with much to do even out. A judgement."""
NO_LIMIT = 1e300
"""A factor that widens every bound beyond all points."""


def boruvka_edges(
    points: Floats,
    executor: Executor = ALL_CORES,
    *,
    colours: Ints | None = None,
    listed: int = LISTED,
) -> Ints:
    """Find the edges of the minimum spanning tree, in no order, by pairs of rows.

    Workers write into shared arrays. Their number changes how soon bounds shrink, not the edges.
    Points of one colour are not joined, see `spanning_edges`.
    """
    forest = Forest(points, listed, executor, colours)
    forest.list_nearest(np.full(len(points), UNBOUNDED), NO_LIMIT)
    while forest.n_components > 1:
        before = forest.n_components
        forest.join()
        if forest.n_components == before:  # would go on for ever
            raise RuntimeError("components of points that are finite and distinct always join")
    return forest.tree.order[forest.edges]


class Forest:
    """Components of points, with the edges that have joined them."""

    def __init__(
        self, points: Floats, listed: int, executor: Executor, colours: Ints | None = None
    ) -> None:
        n = len(points)
        self.tree = build_tree(points, COMPONENT_LEAF_SIZE, executor)
        none = np.empty(0, dtype=np.int64)
        self.colours = none if colours is None else colours[self.tree.order]
        self.lists = NeighbourLists(
            np.empty((n, listed)),
            np.empty((n, listed), dtype=np.int32),
            np.empty(n),
            np.empty(n, dtype=np.int32),
        )
        low = points.shape[1] <= LOW_DIMENSION
        most = MOST_CHUNK_LEAVES if low else min(MOST_CHUNK_LEAVES, CHUNK_WORK // points.size)
        share = len(self.tree.tiles) // (CHUNKS_PER_WORKER * executor.workers)
        self.chunk = max(1, min(most, share))
        self.executor = executor
        self.component, self.n_components = np.arange(n), n
        self.queries = np.ones(n, dtype=bool)
        self.edges, self.joined = np.empty((n - 1, 2), dtype=np.int64), 0

    def list_nearest(self, bound: Floats, widen: float) -> None:
        """Make new lists for the query points."""
        node_component = np.empty(len(self.tree.first), dtype=np.int64)
        find_node_components(self.tree.first, self.tree.last, self.component, node_component)
        leaves = len(self.tree.tiles)

        def search(start: int) -> None:
            stop = min(start + self.chunk, leaves)
            inside = (self.tree, self.component, node_component, self.queries, bound, widen)
            list_nearest(*inside, self.lists, self.colours, start, stop)

        for _ in self.executor.map(search, range(0, leaves, self.chunk)):
            pass

    def join(self) -> None:
        """Join the components that know their first edge, after new lists if these are few."""
        least, ends, unlisted = self._first_edges()
        ready = unlisted > least
        if ready.mean() < READY_SHARE:
            waiting = mark_queries(self.component, least, self.lists, self.queries)
            ready[:] = True
            ready[waiting.argmax()] = False
            self.queries &= ready[self.component]
            self.list_nearest(least.copy(), 1.0)
            ends = self._first_edges()[1]
        self.joined, self.n_components = join_components(
            self.component, self.n_components, ends[ready], self.edges, self.joined
        )

    def _first_edges(self) -> tuple[Floats, Ints, Floats]:
        return first_edges(self.tree.order, self.component, self.n_components, self.lists)


@jit_strict
def find_node_components(first: Ints, last: Ints, component: Ints, node_component: Ints) -> None:
    """Write for each node the component that all its points are in, or `MIXED_NODE`."""
    for node in range(len(first) - 1, -1, -1):
        a, b = first[node], last[node]
        if b - a > 1:
            middle = (a + b + 1) // 2
            left, right = node_component[node + 1], node_component[node + 2 * (middle - a)]
            node_component[node] = left if left == right else MIXED_NODE
        else:
            node_component[node] = component[a * COMPONENT_LEAF_SIZE]
            for p in range(
                a * COMPONENT_LEAF_SIZE + 1, min(len(component), b * COMPONENT_LEAF_SIZE)
            ):
                if component[p] != node_component[node]:
                    node_component[node] = MIXED_NODE
                    break


@jit_strict
def first_edges(
    order: Ints, component: Ints, n_components: int, lists: NeighbourLists
) -> tuple[Floats, Ints, Floats]:
    """Find the first listed edge that leaves each component.

    Returns its squared length, its ends, and the least squared length that an edge which is not
    listed can have.
    """
    squares, found, limit, start = lists
    k = squares.shape[1]
    least, unlisted = np.full(n_components, np.inf), np.full(n_components, np.inf)
    ends = np.full((n_components, 2), -1)
    for p in range(len(component)):
        own, i = component[p], start[p]
        while i < k and found[p, i] >= 0 and component[found[p, i]] == own:
            i += 1
        start[p] = i
        if i == k or found[p, i] < 0:
            start[p] = k
            unlisted[own] = min(unlisted[own], limit[p])
        elif squares[p, i] < least[own] or (
            squares[p, i] == least[own] and comes_first(order, p, found[p, i], ends, own)
        ):
            least[own], ends[own, 0], ends[own, 1] = squares[p, i], p, found[p, i]
    return least, ends, unlisted


@jit_strict
def comes_first(order: Ints, p: int, q: int, ends: Ints, own: int) -> bool:
    """Tell whether an edge comes, by its rows, before one as long that a component has found."""
    a, b = order[p], order[q]
    c, e = order[ends[own, 0]], order[ends[own, 1]]
    low, high = min(a, b), min(c, e)
    return low < high or (low == high and max(a, b) < max(c, e))


@jit_strict
def mark_queries(component: Ints, least: Floats, lists: NeighbourLists, queries: Bools) -> Ints:
    """Mark the points whose first edge may be unlisted; count them in each component."""
    waiting = np.zeros(len(least), dtype=np.int64)
    for p in range(len(component)):
        own = component[p]
        queries[p] = lists.start[p] == lists.squares.shape[1] and lists.limit[p] <= least[own]
        waiting[own] += queries[p]
    return waiting


@jit_strict
def join_components(
    component: Ints, n_components: int, chosen: Ints, edges: Ints, joined: int
) -> tuple[int, int]:
    """Join components along the chosen edges and renumber them; count edges and components."""
    parent = np.arange(n_components)
    for e in range(len(chosen)):
        a, b = root(parent, component[chosen[e, 0]]), root(parent, component[chosen[e, 1]])
        if a != b:
            parent[max(a, b)] = min(a, b)
            edges[joined, 0], edges[joined, 1] = chosen[e, 0], chosen[e, 1]
            joined += 1
    number, left = np.empty(n_components, dtype=np.int64), 0
    for c in range(n_components):  # a root comes before its members
        if parent[c] == c:
            number[c] = left
            left += 1
        else:
            number[c] = number[root(parent, c)]
    for p in range(len(component)):
        component[p] = number[component[p]]
    return joined, left


@jit_strict
def root(parent: Ints, c: int) -> int:
    """Find the root that a component has been joined to; shorten the path to it."""
    while parent[c] != c:
        parent[c] = parent[parent[c]]
        c = parent[c]
    return c
