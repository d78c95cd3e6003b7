"""Which leaves of a tree may hold the neighbours of a row, the nearest first.

Rows that lie in one leaf share a list of the leaves near their box, and each row measures only the
boxes on that list.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bayesfloor.base.arrays import Floats, Ints
from bayesfloor.neighbours.kernels.bits import TINY_SQUARED
from bayesfloor.neighbours.kernels.boxes import Boxes, box_gaps
from bayesfloor.neighbours.kernels.jit import jit, jit_allocating
from bayesfloor.neighbours.kernels.kd_tree import UNBOUNDED, KDTree

LEAF_SIZE = 64
"""Points in a leaf, one for each bit of a word; also leaves in a block."""
BOX_SLACK = 1 + 1e-12
"""Factor that covers the rounding of squared distances to points and to boxes.

Such a sum of d squares is off by at most about d + 2 roundings of 1.1e-16: enough for thousands of
columns, where a tree is of no use.
"""
EMPTY_REACH = -1.0
"""The reach of a list that has not been made; below 0, the reach of the leaves at distance 0."""
LIST_HEADROOM = 1.5
"""A list reaches this many times as far, squared, as the row needs for which it is made.

Other rows of the leaf may need more. A judgement: the longer the list, the less often it is made.
"""
GAP_STEPS = 16
"""Steps of distance by which leaves are ordered. A judgement: a full sort would take longer."""


class Leaves(NamedTuple):
    """The points of a `KDTree`, and the boxes around its leaves and around blocks of leaves."""

    points: Floats  # (u, d) in the tree's order
    tiles: Floats  # (leaves, d, LEAF_SIZE)
    boxes: Boxes
    blocks: Boxes


class LeafList(NamedTuple):
    """The leaves near the rows of a leaf, and near one of these rows, with room for all leaves."""

    low: Floats  # (d,) corners of the box around the rows
    high: Floats  # (d,)
    reach: Floats  # (1,) squared distance up to which leaves are listed
    listed: Ints  # (1,) their number
    leaves: Ints
    boxes: Boxes
    gaps: Floats  # squared distances to boxes
    near: Ints  # the leaves near one row
    near_gaps: Floats
    ordered: Ints  # the same, the nearest first
    ordered_gaps: Floats
    starts: Ints  # (GAP_STEPS + 1,)
    squared: Floats  # (LEAF_SIZE,) squared distances to the points of a leaf
    visits: Ints  # (1,) leaves visited so far


def tree_leaves(tree: KDTree) -> Leaves:
    """Take the leaves out of a tree; as nodes are in preorder, leaves are in the tree's order."""
    is_leaf = tree.last - tree.first == 1
    low, high = (np.ascontiguousarray(corner[is_leaf].T) for corner in (tree.low, tree.high))
    starts = np.arange(0, low.shape[1], LEAF_SIZE)
    blocks = Boxes(
        np.minimum.reduceat(low, starts, axis=1), np.maximum.reduceat(high, starts, axis=1)
    )
    return Leaves(tree.points, tree.tiles, Boxes(low, high), blocks)


@jit_allocating
def new_leaf_list(tree: Leaves) -> LeafList:
    """Allocate a list with room for all leaves of a tree."""
    d, leaves = tree.boxes.low.shape
    return LeafList(
        np.empty(d),
        np.empty(d),
        np.zeros(1),
        np.zeros(1, dtype=np.int64),
        np.empty(leaves, dtype=np.int32),
        Boxes(np.empty((d, leaves)), np.empty((d, leaves))),
        np.empty(leaves),
        np.empty(leaves, dtype=np.int32),
        np.empty(leaves),
        np.empty(leaves, dtype=np.int32),
        np.empty(leaves),
        np.empty(GAP_STEPS + 1, dtype=np.int64),
        np.empty(LEAF_SIZE),
        np.zeros(1, dtype=np.int64),
    )


@jit
def box_leaf_rows(points: Floats, queries: Ints, start: int, nearby: LeafList) -> int:
    """Write the box around the next query points that lie in one leaf; return where they end."""
    stop, leaf = start, queries[start] // LEAF_SIZE
    nearby.low[:], nearby.high[:], nearby.reach[0] = np.inf, -np.inf, EMPTY_REACH
    while stop < len(queries) and queries[stop] // LEAF_SIZE == leaf:
        for j in range(len(nearby.low)):
            x = points[queries[stop], j]
            nearby.low[j], nearby.high[j] = min(nearby.low[j], x), max(nearby.high[j], x)
        stop += 1
    return stop


@jit
def nearest_leaves(tree: Leaves, place: Floats, bound: float, nearby: LeafList) -> int:
    """Order the leaves within a bound by their distances to one of the rows; return how many."""
    if bound > nearby.reach[0]:
        list_leaves(tree, bound, nearby)
    limit, listed = bound * BOX_SLACK, nearby.listed[0]
    box_gaps(place, place, nearby.boxes, 0, listed, nearby.gaps)
    found = 0
    for a in range(listed):
        nearby.near[found], nearby.near_gaps[found] = nearby.leaves[a], nearby.gaps[a]
        found += nearby.gaps[a] <= limit
    sort_by_gap(nearby, found, limit)
    return found


@jit
def list_leaves(tree: Leaves, bound: float, nearby: LeafList) -> None:
    """List the leaves near the box around the rows, a little farther than the bound."""
    nearby.reach[0] = min(bound * LIST_HEADROOM, UNBOUNDED)
    limit = nearby.reach[0] * BOX_SLACK
    gaps, near, leaves, listed = nearby.gaps, nearby.near, nearby.leaves, 0
    blocks, total, found = tree.blocks.low.shape[1], tree.boxes.low.shape[1], 0
    box_gaps(nearby.low, nearby.high, tree.blocks, 0, blocks, gaps)
    for b in range(blocks):
        near[found] = b
        found += gaps[b] <= limit
    for b in near[:found]:
        start, stop = b * LEAF_SIZE, min((b + 1) * LEAF_SIZE, total)
        box_gaps(nearby.low, nearby.high, tree.boxes, start, stop, gaps)
        for a in range(stop - start):
            leaves[listed] = start + a
            listed += gaps[a] <= limit
    for j in range(len(nearby.low)):
        for a in range(listed):
            nearby.boxes.low[j, a] = tree.boxes.low[j, leaves[a]]
            nearby.boxes.high[j, a] = tree.boxes.high[j, leaves[a]]
    nearby.listed[0] = listed


@jit
def sort_by_gap(nearby: LeafList, found: int, limit: float) -> None:
    """Sort the leaves near a row by distance, in steps: a counting sort."""
    scale = (GAP_STEPS - 1) / limit if limit > TINY_SQUARED else 0.0
    gaps, starts = nearby.near_gaps, nearby.starts
    starts[:] = 0
    for a in range(found):
        starts[int(gaps[a] * scale) + 1] += 1
    for s in range(GAP_STEPS):
        starts[s + 1] += starts[s]
    for a in range(found):
        s = int(gaps[a] * scale)
        nearby.ordered[starts[s]], nearby.ordered_gaps[starts[s]] = nearby.near[a], gaps[a]
        starts[s] += 1
