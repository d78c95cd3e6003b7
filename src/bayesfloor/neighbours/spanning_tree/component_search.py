"""The nearest points outside a point's own component, found for the points of a leaf at a time.

Points are known by their place in the tree's order, and components by numbers from 0.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from bayesfloor.base.arrays import Bools, Floats, Ints
from bayesfloor.neighbours.kernels.jit import strict
from bayesfloor.neighbours.spanning_tree.prim import LOW_BITS

WIDTH = 32
"""Points in a leaf."""
ANY = 1e290
"""No squared length reaches this, but those to the empty places of the last leaf do."""
SLACK = 1 + 1e-9
"""Covers the rounding of squared lengths to 33 bits, and of arithmetic."""
BEYOND = 1 + 2.0**-34
"""Takes a rounded squared length above itself, but not above the next one."""
SEVERAL = -2
"""Stands for the component of asked points that are in several."""


class Shape(NamedTuple):
    """The fields of `bayesfloor.neighbours.kernels.kd_tree.Tree`, as compiled code takes them."""

    points: Floats
    order: Ints
    tiles: Floats
    first: Ints
    last: Ints
    low: Floats
    high: Floats


class Lists(NamedTuple):
    """For each point the nearest outside its component, as it was when the point last asked.

    Every point that was outside and is not in the list has a squared distance of `limit` or more.
    """

    squares: Floats  # (n, k) rounded and ascending; ties are in the order of rows
    found: npt.NDArray[np.int32]  # (n, k), -1 after the last
    limit: Floats  # (n,)
    at: npt.NDArray[np.int32]  # (n,) entries before this one are no longer outside


@strict
def search(
    shape: Shape,
    part: Ints,
    pure: Ints,
    asked: Bools,
    bound: Floats,
    widen: float,
    lists: Lists,
    start: int,
    stop: int,
) -> None:
    """Make the lists of the asked points in the leaves from `start` to `stop`.

    `bound` has for each component the squared length of some edge that leaves it, and shrinks with
    every shorter one found. A list ends at `widen` times the bound. Threads may share the bounds:
    each value ever there is the length of an edge, so that of the first edge is never cut off.
    """
    points, order, tiles, first, last, low, high = shape
    squares, found, limit, at = lists
    (n, d), k = points.shape, squares.shape[1]
    rows, reach, columns = np.empty(WIDTH, dtype=np.int64), np.empty(WIDTH), np.zeros((d, WIDTH))
    gaps, square, box = np.empty(WIDTH), np.empty(WIDTH), np.empty((2, d))
    stack, heights = np.empty(128, dtype=np.int64), np.empty(128)
    for leaf in range(start, stop):
        size = 0
        for p in range(leaf * WIDTH, min(n, (leaf + 1) * WIDTH)):
            if asked[p]:
                rows[size] = p
                size += 1
        if size == 0:
            continue
        home = part[rows[0]]
        for i in range(size):
            p = rows[i]
            home = home if part[p] == home else SEVERAL
            reach[i] = min(ANY, bound[part[p]] * widen)
            for r in range(k):
                squares[p, r], found[p, r] = ANY, -1
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
                if gaps[i] <= reach[i] * SLACK:
                    p = rows[i]
                    own = part[p]
                    reach[i] = min(reach[i], bound[own] * widen)
                    if measure(points, tiles, p, other, reach[i] * SLACK, square):
                        offer(part, order, squares, found, square, p, other, reach[i] * SLACK)
                        if squares[p, 0] < bound[own]:
                            bound[own] = squares[p, 0]
                        reach[i] = min(min(reach[i], squares[p, k - 1]), bound[own] * widen)
                farthest = max(farthest, reach[i])
            farthest *= SLACK
            other = -1
            while top > 0 and other < 0:
                top -= 1
                node = stack[top] if heights[top] <= farthest else -1
                while node >= 0 and last[node] - first[node] > 1:
                    middle = (first[node] + last[node] + 1) // 2
                    left, right = node + 1, node + 2 * (middle - first[node])
                    near = np.inf if pure[left] == home else box_gap(box, low, high, left)
                    far = np.inf if pure[right] == home else box_gap(box, low, high, right)
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
            at[p] = 0
            limit[p] = reach[i] * (1.0 if squares[p, k - 1] == reach[i] else BEYOND)
            for r in range(k):
                if squares[p, r] > reach[i]:
                    found[p, r] = -1


@strict
def box_gap(box: Floats, low: Floats, high: Floats, node: int) -> float:
    """Return the squared distance between a box and a node's."""
    total = 0.0
    for j in range(box.shape[1]):
        gap = max(max(low[node, j] - box[1, j], box[0, j] - high[node, j]), 0.0)
        total += gap * gap
    return total


@strict
def point_gaps(columns: Floats, low: Floats, high: Floats, node: int, gaps: Floats) -> None:
    """Find the squared distances from points to a node's box."""
    gaps[:] = 0.0
    for j in range(len(columns)):
        a, b = low[node, j], high[node, j]
        for i in range(len(gaps)):
            gap = max(max(a - columns[j, i], columns[j, i] - b), 0.0)
            gaps[i] += gap * gap


@strict
def measure(points: Floats, tiles: Floats, p: int, leaf: int, limit: float, square: Floats) -> int:
    """Find the squared distances to the points of a leaf, and count those up to a limit."""
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


@strict
def offer(
    part: Ints,
    order: Ints,
    squares: Floats,
    found: npt.NDArray[np.int32],
    square: Floats,
    p: int,
    leaf: int,
    limit: float,
) -> None:
    """Put the points of a leaf that are outside and up to a limit into the list of a point."""
    k, base = squares.shape[1], leaf * len(square)
    for b in range(len(square)):
        q = base + b
        if square[b] <= limit and part[q] != part[p]:
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
                limit = min(limit, squares[p, k - 1] * SLACK)


@strict
def rounded(square: float) -> float:
    """Round a squared length to 33 bits."""
    bits = np.float64(square).view(np.int64) + (1 << LOW_BITS - 1)
    return np.int64(bits >> LOW_BITS << LOW_BITS).view(np.float64)
