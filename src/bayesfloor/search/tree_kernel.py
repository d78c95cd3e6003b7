"""The compiled engine for few columns: every row goes down the tree and is summed up at once."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bayesfloor.arrays import Floats, Ints
from bayesfloor.search.compiled import compiled
from bayesfloor.search.order_kernel import (
    Load,
    Scratch,
    cut,
    grown,
    is_covered,
    new_scratch,
    put_in_order,
)
from bayesfloor.search.sum_kernel import Sums, add_row, fold

ANY = 1e290
"""A bound that no squared distance between points reaches, but those to no point do."""
ITSELF = 1e300
"""The squared distance of a point to itself, which is no neighbour."""
SLACK = 1 + 1e-12
"""Covers the rounding of bounds and of distances to boxes."""


class Nodes(NamedTuple):
    """A `Tree` as compiled code takes it."""

    points: Floats
    tiles: Floats
    first: Ints
    last: Ints
    low: Floats
    high: Floats


class Path(NamedTuple):
    """Nodes still to be visited with their squared distances, and room for a leaf's."""

    nodes: Ints
    squared: Floats
    leaf: Floats
    visits: Floats  # (1,) leaves so far


@compiled
def sum_rows(tree: Nodes, asked: Ints, load: Load, sums: Sums) -> int:
    """Add the neighbours of the asked points, given by their place in the tree, to the sums.

    Returns the number of leaves that were visited.

    The radius of the point before, a little stretched, is tried first. How much it is stretched
    follows from how often that was too little.
    """
    ranks, width = len(sums.away), tree.tiles.shape[2]
    scratch = new_scratch(2 * ranks + 4 * width, ranks)
    path = Path(np.empty(128, dtype=np.int64), np.empty(128), np.empty(width), np.zeros(1))
    reach, stretch = ANY, 0.5
    for i in asked:
        owned = load.sizes[i] - 1
        need, bound = max(ranks - owned, 0) + 1, min(reach * (1 + stretch), ANY)
        while True:
            scratch, m, found_within = candidates(tree, i, bound, need, load, scratch, path)
            near, kept_within = put_in_order(scratch, m, load, need)
            within = min(found_within, kept_within)
            if is_covered(scratch, near, load, owned, ranks, within) or near == len(load.sizes) - 1:
                break
            if bound < ANY:
                stretch *= 1.4
            else:
                need *= 2
            bound = ANY
        stretch *= 0.99
        add_row(i, scratch, near, load, sums)
        reach = scratch.near_keys[near - 1] if near else ANY
    fold(sums)
    return int(path.visits[0])


@compiled
def candidates(
    tree: Nodes, i: int, bound: float, need: int, load: Load, scratch: Scratch, path: Path
) -> tuple[Scratch, int, float]:
    """Collect the other points up to the bound, or a smaller one that holds the needed rows.

    Returns them, their number, and the bound below which none is missing.
    """
    nodes, heights, squared = path.nodes, path.squared, path.leaf
    place, low, high, tiles = tree.points[i], tree.low, tree.high, tree.tiles
    keys, items = scratch.keys, scratch.items
    width = len(squared)
    m, top = 0, 1
    nodes[0], heights[0] = 0, 0.0
    while top > 0:
        top -= 1
        if heights[top] > bound:
            continue
        node = nodes[top]
        first, last = tree.first[node], tree.last[node]
        while last - first > 1:
            middle = (first + last + 1) // 2
            left, right = node + 1, node + 2 * (middle - first)
            to_left = box_distance(place, low[left], high[left])
            to_right = box_distance(place, low[right], high[right])
            if to_left <= to_right:
                if to_right <= bound:
                    nodes[top], heights[top] = right, to_right
                    top += 1
                node, last = left, middle
            else:
                if to_left <= bound:
                    nodes[top], heights[top] = left, to_left
                    top += 1
                node, first = right, middle
        if m + width > len(keys):
            m, limit = cut(scratch, m, load, need)
            bound = min(bound, limit * SLACK)
            if 2 * m > len(keys):
                scratch = grown(scratch, m, 2 * len(keys))
                keys, items = scratch.keys, scratch.items
        path.visits[0] += 1
        if measure_leaf(place, tiles[first], squared) > bound:
            continue
        base = first * width
        if base <= i < base + width:
            squared[i - base] = ITSELF
        for a in range(width):
            keys[m], items[m] = squared[a], base + a
            m += squared[a] <= bound
    return scratch, m, bound


@compiled
def measure_leaf(place: Floats, tile: Floats, squared: Floats) -> float:
    """Write the squared distances to the points of a leaf; return the least."""
    d, width = tile.shape
    squared[:] = 0.0
    j = 0
    while j + 3 <= d:
        x, y, z = place[j], place[j + 1], place[j + 2]
        for a in range(width):
            p, q, r = tile[j, a] - x, tile[j + 1, a] - y, tile[j + 2, a] - z
            squared[a] += p * p + q * q + r * r
        j += 3
    while j < d:
        x = place[j]
        for a in range(width):
            p = tile[j, a] - x
            squared[a] += p * p
        j += 1
    least = ANY
    for a in range(width):
        least = min(least, squared[a])
    return least


@compiled
def box_distance(place: Floats, low: Floats, high: Floats) -> float:
    """Return the squared distance from a point to a box, rounded down."""
    total = 0.0
    for j in range(len(place)):
        gap = max(max(low[j] - place[j], place[j] - high[j]), 0.0)
        total += gap * gap
    return total * (1 / SLACK)
