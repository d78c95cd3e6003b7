"""A balanced k-d tree whose leaves are full: points in, tiles of coordinates out.

Nodes are numbered in preorder. A node covers the leaves from `first` to `last`; its left child
follows it, and its right child follows the left one's nodes, so no links are kept. The points of
leaf l are ``l * width`` to ``(l + 1) * width`` in the tree's order, column by column in a tile.
"""

from __future__ import annotations

import os
from dataclasses import dataclass

import numpy as np

from bayesfloor.base.arrays import Floats, Ints
from bayesfloor.base.executor import ALL_CORES
from bayesfloor.neighbours.kernels.jit import compiled

NOWHERE = 1e150
"""Coordinate of the places in the last leaf that hold no point: finite, as is its square."""
MANY = 50_000
"""Points above which subtrees are built on all cores."""


@dataclass(frozen=True, slots=True, eq=False)
class Tree:
    """Points in the order of the leaves, and the boxes around them."""

    points: Floats  # (u, d) in the tree's order
    order: Ints  # (u,) index of each of them among the points given
    tiles: Floats  # (leaves, d, width)
    first: Ints  # (nodes,) first leaf of each node
    last: Ints  # (nodes,) one past its last leaf
    low: Floats  # (nodes, d) corners of its box
    high: Floats  # (nodes, d)


def build_tree(points: Floats, width: int) -> Tree:
    """Build the tree of some points with `width` points in a leaf."""
    n, d = points.shape
    leaves = -(-n // width)
    own, order = np.array(points, order="C"), np.arange(n, dtype=np.int32)
    first, last = np.empty(2 * leaves - 1, dtype=np.int64), np.empty(2 * leaves - 1, dtype=np.int64)
    low, high = np.empty((2 * leaves - 1, d)), np.empty((2 * leaves - 1, d))
    first[0], last[0] = 0, leaves
    tops, parts = top_nodes(leaves, 2 * (os.cpu_count() or 1) if n > MANY else 1)

    tiles = np.empty((leaves, d, width))
    tiles[-1] = NOWHERE

    def grow(start: int, stop: int) -> None:
        split(own, order, width, start, stop, first, last, low, high)

    def finish(nodes: tuple[int, int]) -> None:
        grow(*nodes)
        fill(own, tiles, first[nodes[0]], last[nodes[0]])

    for node in tops:
        grow(node, node + 1)
    list(ALL_CORES.map(finish, parts))
    return Tree(own, order, tiles, first, last, low, high)


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


@compiled
def split(
    points: Floats,
    order: Ints,
    width: int,
    start_node: int,
    stop_node: int,
    first: Ints,
    last: Ints,
    low: Floats,
    high: Floats,
) -> None:
    """Halve the leaves of some nodes along their widest sides, and sort the points into them."""
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
            part(points, order, widest, start, stop, middle * width)
            first[node + 1], last[node + 1] = a, middle
            right = node + 2 * (middle - a)
            first[right], last[right] = middle, b


@compiled
def part(points: Floats, order: Ints, j: int, start: int, stop: int, middle: int) -> None:
    """Move the points so that those before `middle` are not above those after it, in column j."""
    left, right = start, stop - 1
    while left < right:
        pivot = points[(left + right) // 2, j]
        i, k = left, right
        while i <= k:
            while points[i, j] < pivot:
                i += 1
            while points[k, j] > pivot:
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


@compiled
def fill(points: Floats, tiles: Floats, first: int, last: int) -> None:
    """Copy the points of some leaves into the tiles."""
    _, d, width = tiles.shape
    for leaf in range(first, last):
        start = leaf * width
        for a in range(min(width, len(points) - start)):
            for j in range(d):
                tiles[leaf, j, a] = points[start + a, j]
