"""The nearest points outside a point's own component, found for the points of a leaf at a time.

Points are known by their position in the tree's order, and components by numbers from 0.

This is another search than that of `kernels.tree_search`, on the same kind of tree. That one
collects all points within a radius, for hundreds of ranks, and may take its sums in any order. This
one keeps the few nearest outside a component and skips nodes that lie inside it, so it descends the
tree with bounds that shrink as edges are found. And it must round every squared length as `prim`
does, column by column, because ties are broken where lengths are equal. Its leaves are smaller, as
it looks for less.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from bayesfloor.base.arrays import Bools, Floats, Ints
from bayesfloor.neighbours.kernels.boxes import interval_gap
from bayesfloor.neighbours.kernels.jit import jit_strict
from bayesfloor.neighbours.kernels.kd_tree import UNBOUNDED, KDTree
from bayesfloor.neighbours.spanning_tree.prim import LOW_BITS

COMPONENT_LEAF_SIZE = 32
"""Points in a leaf. A judgement: the few nearest points lie in few leaves, so leaves are small."""
ROUNDED_SLACK = 1 + 1e-9
"""Factor that covers the rounding of squared lengths to 33 bits, 2^-34 or 6e-11, and of sums."""
JUST_ABOVE = 1 + 2.0**-34
"""Takes a squared length of 33 bits above itself, but not above the next one: half a step."""
MIXED_NODE = -1
"""Stands for the component of a node with points of several."""
MIXED_ROWS = -2
"""Stands for the component of query points of several; no node is inside it."""
ANY_COLOUR = -1
"""The colour of a point that may be joined with any other."""
STACK_SIZE = 128
"""Nodes that can wait to be visited. A descent leaves one a level, and a balanced tree has fewer
than 64 levels."""


class NeighbourLists(NamedTuple):
    """For each point the nearest outside its component, as it was when the point was last a query.

    Every point that was outside and is not in the list has a squared distance of `limit` or more.
    """

    squares: Floats  # (n, k) rounded and ascending; ties are in the order of rows
    found: npt.NDArray[np.int32]  # (n, k), -1 after the last
    limit: Floats  # (n,)
    start: npt.NDArray[np.int32]  # (n,) entries before this one are no longer outside


@jit_strict
def list_nearest(
    tree: KDTree,
    component: Ints,
    node_component: Ints,
    queries: Bools,
    bound: Floats,
    widen: float,
    lists: NeighbourLists,
    colours: Ints,
    first_leaf: int,
    stop_leaf: int,
) -> None:
    """List the nearest points of the query points in the leaves from `first_leaf` to `stop_leaf`.

    `bound` has for each component the squared length of some edge that leaves it, and shrinks with
    every shorter one found. A list ends at `widen` times the bound. Threads may share the bounds:
    every value there is the length of some edge, so the first edge of a component, which is as
    short or shorter, is always found. Points of one colour, if it is not `ANY_COLOUR`, are not
    joined; `colours` is empty if there are none.

    It is one long function because calls for its parts would take up to a tenth more time.
    """
    points, order, tiles, first, last, low, high = tree
    squares, found, limit, start = lists
    (n, d), k = points.shape, squares.shape[1]
    rows, reach, columns = (
        np.empty(COMPONENT_LEAF_SIZE, dtype=np.int64),
        np.empty(COMPONENT_LEAF_SIZE),
        np.zeros((d, COMPONENT_LEAF_SIZE)),
    )
    gaps, square, box = (
        np.empty(COMPONENT_LEAF_SIZE),
        np.empty(COMPONENT_LEAF_SIZE),
        np.empty((2, d)),
    )
    stack, heights = np.empty(STACK_SIZE, dtype=np.int64), np.empty(STACK_SIZE)
    for leaf in range(first_leaf, stop_leaf):
        size = 0
        for p in range(leaf * COMPONENT_LEAF_SIZE, min(n, (leaf + 1) * COMPONENT_LEAF_SIZE)):
            if queries[p]:
                rows[size] = p
                size += 1
        if size == 0:
            continue
        home = component[rows[0]]
        for i in range(size):
            p = rows[i]
            home = home if component[p] == home else MIXED_ROWS
            reach[i] = min(UNBOUNDED, bound[component[p]] * widen)
            for r in range(k):
                squares[p, r], found[p, r] = UNBOUNDED, -1
            for j in range(d):
                columns[j, i] = points[p, j]
        for j in range(d):
            box[0, j], box[1, j] = columns[j, 0], columns[j, 0]
            for i in range(1, size):
                box[0, j], box[1, j] = min(box[0, j], columns[j, i]), max(box[1, j], columns[j, i])
        gaps[:] = 0.0
        stack[0], heights[0] = 0, 0.0
        top, other = 1, leaf
        while other >= 0:  # the leaf itself, then all others that are near enough
            farthest = 0.0
            for i in range(size):
                if gaps[i] <= reach[i] * ROUNDED_SLACK:
                    p = rows[i]
                    own = component[p]
                    reach[i] = min(reach[i], bound[own] * widen)
                    if leaf_distances(points, tiles, p, other, reach[i] * ROUNDED_SLACK, square):
                        insert_nearest(
                            component,
                            order,
                            squares,
                            found,
                            square,
                            colours,
                            p,
                            other,
                            reach[i] * ROUNDED_SLACK,
                        )
                        if squares[p, 0] < bound[own]:
                            bound[own] = squares[p, 0]
                        reach[i] = min(min(reach[i], squares[p, k - 1]), bound[own] * widen)
                farthest = max(farthest, reach[i])
            farthest *= ROUNDED_SLACK
            other = -1
            while top > 0 and other < 0:
                top -= 1
                node = stack[top] if heights[top] <= farthest else -1
                while node >= 0 and last[node] - first[node] > 1:
                    middle = (first[node] + last[node] + 1) // 2
                    left, right = node + 1, node + 2 * (middle - first[node])
                    near = (
                        np.inf if node_component[left] == home else node_gap(box, low, high, left)
                    )
                    far = (
                        np.inf if node_component[right] == home else node_gap(box, low, high, right)
                    )
                    if far < near:
                        left, right, near, far = right, left, far, near
                    if far <= farthest:
                        stack[top], heights[top] = right, far
                        top += 1
                    node = left if near <= farthest else -1
                if node >= 0 and first[node] != leaf:
                    other = first[node]
                    point_gaps(columns, low, high, node, gaps)
        for i in range(size):
            p = rows[i]
            start[p] = 0
            limit[p] = reach[i] * (1.0 if squares[p, k - 1] == reach[i] else JUST_ABOVE)
            for r in range(k):
                if squares[p, r] > reach[i]:
                    found[p, r] = -1


@jit_strict
def node_gap(box: Floats, low: Floats, high: Floats, node: int) -> float:
    """Return the squared distance between a box and that of a node."""
    total = 0.0
    for j in range(box.shape[1]):
        gap = interval_gap(box[0, j], box[1, j], low[node, j], high[node, j])
        total += gap * gap
    return total


@jit_strict
def point_gaps(columns: Floats, low: Floats, high: Floats, node: int, gaps: Floats) -> None:
    """Write the squared distances from points to the box of a node."""
    gaps[:] = 0.0
    for j in range(len(columns)):
        a, b = low[node, j], high[node, j]
        for i in range(len(gaps)):
            gap = interval_gap(columns[j, i], columns[j, i], a, b)
            gaps[i] += gap * gap


@jit_strict
def leaf_distances(
    points: Floats, tiles: Floats, p: int, leaf: int, limit: float, square: Floats
) -> int:
    """Write the squared distances to the points of a leaf; count those within a limit."""
    width, last = tiles.shape[2], points.shape[1] - 1
    square[:] = 0.0
    for j in range(last):
        x = points[p, j]
        for b in range(width):
            y = x - tiles[leaf, j, b]
            square[b] += y * y
    x, near = points[p, last], 0
    for b in range(width):
        y = x - tiles[leaf, last, b]
        total = square[b] + y * y
        square[b] = total
        near += total <= limit
    return near


@jit_strict
def insert_nearest(
    component: Ints,
    order: Ints,
    squares: Floats,
    found: npt.NDArray[np.int32],
    square: Floats,
    colours: Ints,
    p: int,
    leaf: int,
    limit: float,
) -> None:
    """Insert the points of a leaf that are outside and within a limit into the list of a point."""
    k, base = squares.shape[1], leaf * len(square)
    colour = colours[p] if len(colours) > 0 else ANY_COLOUR
    for b in range(len(square)):
        q = base + b
        if square[b] <= limit and component[q] != component[p]:
            if colour != ANY_COLOUR and colours[q] == colour:
                continue
            new, i = rounded(square[b]), k
            while i > 0 and (
                new < squares[p, i - 1]
                or (new == squares[p, i - 1] and order[q] < order[found[p, i - 1]])
            ):
                i -= 1
                if i + 1 < k:
                    squares[p, i + 1], found[p, i + 1] = squares[p, i], found[p, i]
            if i < k:
                squares[p, i], found[p, i] = new, q
                limit = min(limit, squares[p, k - 1] * ROUNDED_SLACK)


@jit_strict
def rounded(square: float) -> float:
    """Round a squared length to 33 bits."""
    bits = np.float64(square).view(np.int64) + (1 << LOW_BITS - 1)
    return np.int64(bits >> LOW_BITS << LOW_BITS).view(np.float64)
