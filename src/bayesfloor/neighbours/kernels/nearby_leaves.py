"""Which leaves of a tree may hold the neighbours of a row, the nearest first.

Rows that lie in one leaf share a list: the leaves near the box around these rows. A row has only to
measure the boxes on the list. Boxes lie column by column, so that many are measured at once.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bayesfloor.base.arrays import Floats, Ints
from bayesfloor.neighbours.kernels.bits import TINY
from bayesfloor.neighbours.kernels.jit import allocating, compiled

WIDTH = 64
"""Points in a leaf, one for each bit of a word, and leaves in a block."""
ANY = 1e290
"""A bound that no squared distance between points reaches, but those to no point do."""
SLACK = 1 + 1e-12
"""Covers the rounding of bounds and of distances to boxes."""
NOWHERE_YET = -1.0
"""The reach of an empty list; that of the leaves at distance 0 is 0."""
HEADROOM = 1.5
"""The list reaches so much farther than the row that it is made for."""
STEPS = 16
"""Distances that leaves are ordered by."""


class Boxes(NamedTuple):
    """The corners of some boxes."""

    low: Floats  # (d, boxes)
    high: Floats  # (d, boxes)


class Leaves(NamedTuple):
    """The points of a `Tree`, and the boxes around its leaves and around blocks of leaves."""

    points: Floats  # (u, d) in the tree's order
    tiles: Floats  # (leaves, d, WIDTH)
    boxes: Boxes
    blocks: Boxes


class Nearby(NamedTuple):
    """The leaves around some rows, and around one of them, with room for all leaves."""

    low: Floats  # (d,) corners of the box around the rows
    high: Floats  # (d,)
    reach: Floats  # (1,) squared distance up to which leaves are listed
    listed: Ints  # (1,) their number
    leaves: Ints
    boxes: Boxes
    gaps: Floats  # squared distances to boxes
    near: Ints  # the leaves around one row
    near_gaps: Floats
    ordered: Ints  # the same, the nearest first
    ordered_gaps: Floats
    starts: Ints  # (STEPS + 1,)
    squared: Floats  # (WIDTH,) squared distances to the points of a leaf
    visits: Ints  # (1,) leaves visited so far


@allocating
def new_around(tree: Leaves) -> Nearby:
    """Make room for the leaves around some rows."""
    d, leaves = tree.boxes.low.shape
    return Nearby(
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
        np.empty(STEPS + 1, dtype=np.int64),
        np.empty(WIDTH),
        np.zeros(1, dtype=np.int64),
    )


@compiled
def enclose(points: Floats, asked: Ints, start: int, around: Nearby) -> int:
    """Take the rows from a place on that lie in one leaf; return where the next ones start."""
    stop, leaf = start, asked[start] // WIDTH
    around.low[:], around.high[:], around.reach[0] = np.inf, -np.inf, NOWHERE_YET
    while stop < len(asked) and asked[stop] // WIDTH == leaf:
        for j in range(len(around.low)):
            x = points[asked[stop], j]
            around.low[j], around.high[j] = min(around.low[j], x), max(around.high[j], x)
        stop += 1
    return stop


@compiled
def leaves_around(tree: Leaves, place: Floats, bound: float, around: Nearby) -> int:
    """Order the leaves up to a bound by their distances to one of the rows; return how many."""
    if bound > around.reach[0]:
        list_leaves(tree, bound, around)
    limit, listed = bound * SLACK, around.listed[0]
    measure_boxes(place, place, around.boxes, 0, listed, around.gaps)
    found = 0
    for a in range(listed):
        around.near[found], around.near_gaps[found] = around.leaves[a], around.gaps[a]
        found += around.gaps[a] <= limit
    put_nearest_first(around, found, limit)
    return found


@compiled
def list_leaves(tree: Leaves, bound: float, around: Nearby) -> None:
    """List the leaves near the box around the rows, with some headroom."""
    around.reach[0] = min(bound * HEADROOM, ANY)
    limit = around.reach[0] * SLACK
    gaps, near, leaves, listed = around.gaps, around.near, around.leaves, 0
    blocks, total, found = tree.blocks.low.shape[1], tree.boxes.low.shape[1], 0
    measure_boxes(around.low, around.high, tree.blocks, 0, blocks, gaps)
    for b in range(blocks):
        near[found] = b
        found += gaps[b] <= limit
    for b in near[:found]:
        start, stop = b * WIDTH, min((b + 1) * WIDTH, total)
        measure_boxes(around.low, around.high, tree.boxes, start, stop, gaps)
        for a in range(stop - start):
            leaves[listed] = start + a
            listed += gaps[a] <= limit
    for j in range(len(around.low)):
        for a in range(listed):
            around.boxes.low[j, a] = tree.boxes.low[j, leaves[a]]
            around.boxes.high[j, a] = tree.boxes.high[j, leaves[a]]
    around.listed[0] = listed


@compiled
def measure_boxes(
    low: Floats, high: Floats, boxes: Boxes, start: int, stop: int, gaps: Floats
) -> None:
    """Write the squared distances between one box and some others."""
    gaps[: stop - start] = 0.0
    for j in range(len(low)):
        lows, highs = boxes.low[j, start:stop], boxes.high[j, start:stop]
        for a in range(stop - start):
            gap = max(max(lows[a] - high[j], low[j] - highs[a]), 0.0)
            gaps[a] += gap * gap


@compiled
def put_nearest_first(around: Nearby, found: int, limit: float) -> None:
    """Put the leaves near a row in order, up to small differences."""
    scale = (STEPS - 1) / limit if limit > TINY else 0.0
    gaps, starts = around.near_gaps, around.starts
    starts[:] = 0
    for a in range(found):
        starts[int(gaps[a] * scale) + 1] += 1
    for s in range(STEPS):
        starts[s + 1] += starts[s]
    for a in range(found):
        s = int(gaps[a] * scale)
        around.ordered[starts[s]], around.ordered_gaps[starts[s]] = around.near[a], gaps[a]
        starts[s] += 1
