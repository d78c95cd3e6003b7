"""A balanced k-d tree whose leaves are full: points in, tiles of coordinates out.

Nodes are numbered in preorder. A node covers the leaves from `first` to `last`; its left child
follows it, and its right child follows the left one's nodes, so no links are kept. The points of
leaf l are ``l * width`` to ``(l + 1) * width`` in the tree's order, column by column in a tile.

Two searches use the tree: that for the neighbours of every rank (`tree_search`) and that for the
nearest point in another component (`spanning_tree.component_search`, which says why it is another).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bayesfloor.base.arrays import Floats, Ints
from bayesfloor.base.executor import ALL_CORES, Executor
from bayesfloor.neighbours.kernels.jit import jit

NO_POINT = 1e150
"""Coordinate of the places in the last leaf that hold no point: finite, as is its square."""
UNBOUNDED = 1e290
"""A bound on squared distances that no pair of points reaches.

It is below the squared distance to an empty place, ``NO_POINT**2``, which so is never within it.
"""
PARALLEL_POINTS = 50_000
"""Points above which workers share in building a tree. A judgement: fewer take milliseconds."""
SUBTREES_PER_WORKER = 2
"""Subtrees for each worker, so that one which is slow does not hold up the others. A judgement."""


class KDTree(NamedTuple):
    """Points in the order of the leaves, and the boxes around them."""

    points: Floats  # (u, d) in the tree's order
    order: Ints  # (u,) index of each of them among the points that the tree was built on
    tiles: Floats  # (leaves, d, width)
    first: Ints  # (nodes,) first leaf of each node
    last: Ints  # (nodes,) one past its last leaf
    low: Floats  # (nodes, d) corners of its box
    high: Floats  # (nodes, d)


def build_tree(
    points: Floats,
    width: int,
    executor: Executor = ALL_CORES,
    *,
    order: Ints | None = None,
    parallel_points: int = PARALLEL_POINTS,
) -> KDTree:
    """Build the tree of some points with `width` points in a leaf.

    Workers write into shared arrays, each into subtrees of its own, so their number changes
    nothing. With `parallel_points` or fewer points one worker builds the whole tree. The `order`
    of a tree of the same points, where it is known, saves finding it again.
    """
    n, d = points.shape
    leaves, sorts = -(-n // width), order is None
    if order is None:
        own, order = np.array(points, order="C"), np.arange(n, dtype=np.int32)
    else:
        own = points[order]
    first, last = np.empty(2 * leaves - 1, dtype=np.int64), np.empty(2 * leaves - 1, dtype=np.int64)
    low, high = np.empty((2 * leaves - 1, d)), np.empty((2 * leaves - 1, d))
    first[0], last[0] = 0, leaves
    wanted = SUBTREES_PER_WORKER * executor.workers if n > parallel_points else 1
    tops, subtrees = top_nodes(leaves, wanted)

    tiles = np.empty((leaves, d, width))
    tiles[-1] = NO_POINT

    def grow(start: int, stop: int) -> None:
        split_nodes(own, order, width, sorts, start, stop, first, last, low, high)

    def finish(nodes: tuple[int, int]) -> None:
        grow(*nodes)
        fill_tiles(own, tiles, first[nodes[0]], last[nodes[0]])

    for node in tops:
        grow(node, node + 1)
    list(executor.map(finish, subtrees))
    return KDTree(own, order, tiles, first, last, low, high)


def top_nodes(leaves: int, wanted: int) -> tuple[list[int], list[tuple[int, int]]]:
    """Return the nodes above a number of subtrees, parents first, and the nodes of each subtree.

    Examples
    --------
    >>> top_nodes(5, 2)
    ([0], [(1, 6), (6, 9)])
    """
    tops: list[int] = []
    subtrees = [(0, leaves)]  # root and number of leaves
    while len(subtrees) < wanted and all(count > 1 for _, count in subtrees):
        tops += [node for node, _ in subtrees]
        subtrees = [
            child
            for node, count in subtrees
            for child in (
                (node + 1, (count + 1) // 2),
                (node + 2 * ((count + 1) // 2), count // 2),
            )
        ]
    return tops, [(node, node + 2 * count - 1) for node, count in subtrees]


@jit
def split_nodes(
    points: Floats,
    order: Ints,
    width: int,
    sorts: bool,
    start_node: int,
    stop_node: int,
    first: Ints,
    last: Ints,
    low: Floats,
    high: Floats,
) -> None:
    """Halve the leaves of some nodes along their widest sides, and sort the points if need be."""
    n, d = points.shape
    for node in range(start_node, stop_node):
        a, b = first[node], last[node]
        start, stop = a * width, min(b * width, n)
        widest = 0
        for j in range(d):
            least = most = points[start, j]
            for i in range(start + 1, stop):
                least, most = min(least, points[i, j]), max(most, points[i, j])
            low[node, j], high[node, j] = least, most
            if most - least > high[node, widest] - low[node, widest]:
                widest = j
        if b - a > 1:
            middle = (a + b + 1) // 2
            if sorts:
                partition(points, order, widest, start, stop, middle * width)
            first[node + 1], last[node + 1] = a, middle
            right = node + 2 * (middle - a)
            first[right], last[right] = middle, b


@jit
def partition(points: Floats, order: Ints, j: int, start: int, stop: int, middle: int) -> None:
    """Move the points so that those before `middle` are not above those after it, in column j."""
    left, right = start, stop - 1
    while left < right:
        pivot = points[(left + right) // 2, j]
        i, k = left, right
        while i <= k:
            while i < right and points[i, j] < pivot:
                i += 1
            while k > left and points[k, j] > pivot:
                k -= 1
            if i <= k:
                order[i], order[k] = order[k], order[i]
                for c in range(points.shape[1]):
                    points[i, c], points[k, c] = points[k, c], points[i, c]
                i += 1
                k -= 1
        if middle <= k:
            right = k
        elif middle >= i:
            left = i
        else:
            return


@jit
def fill_tiles(points: Floats, tiles: Floats, first: int, last: int) -> None:
    """Copy the points of some leaves into the tiles."""
    _, d, width = tiles.shape
    for leaf in range(first, last):
        start = leaf * width
        for a in range(min(width, len(points) - start)):
            for j in range(d):
                tiles[leaf, j, a] = points[start + a, j]
