"""The compiled engine for few columns: every row searches the leaves around and is summed up."""

from __future__ import annotations

from bayesfloor.base.arrays import Floats, Ints
from bayesfloor.neighbours.kernels.jit import allocating, compiled, first_bit
from bayesfloor.neighbours.kernels.nearby_leaves import (
    ANY,
    NOWHERE_YET,
    SLACK,
    WIDTH,
    Leaves,
    Nearby,
    enclose,
    leaves_around,
    new_around,
)
from bayesfloor.neighbours.kernels.ordering import (
    FULL,
    Load,
    Scratch,
    cut,
    is_covered,
    new_scratch,
    put_in_order,
)
from bayesfloor.neighbours.kernels.summing import Sums, add_row, fold

ITSELF = 1e300
"""The squared distance of a point to itself, which is no neighbour."""


@allocating
def sum_rows(tree: Leaves, asked: Ints, load: Load, sums: Sums) -> int:
    """Add the neighbours of the asked points, given by their place in the tree, to the sums.

    Returns the number of leaves that were visited.
    """
    ranks = len(sums.away)
    around, done, room = new_around(tree), 0, 2 * ranks + 4 * WIDTH
    while done < len(asked):
        scratch = new_scratch(room, ranks)
        done += sum_until_full(tree, asked[done:], load, sums, scratch, around)
        room *= 2
    fold(sums)
    return int(around.visits[0])


@compiled
def sum_until_full(
    tree: Leaves, asked: Ints, load: Load, sums: Sums, scratch: Scratch, around: Nearby
) -> int:
    """Add rows until there is too little room for the candidates of one; return how many.

    The radius of the point before, a little stretched, is tried first. How much it is stretched
    follows from how often that was too little.
    """
    ranks, reach, stretch, stop = len(sums.away), ANY, 0.5, 0
    for a in range(len(asked)):
        i = asked[a]
        if a == stop:
            stop = enclose(tree.points, asked, a, around)
        owned = load.sizes[i] - 1
        need, sure = max(ranks - owned, 0) + 1, reach == ANY
        bound = sure_bound(tree.points, i, need) if sure else min(reach * (1 + stretch), ANY)
        while True:
            m, found_within = candidates(tree, i, bound, need, load, scratch, around)
            if m == FULL:
                return a
            near, kept_within = put_in_order(scratch, m, load, need)
            within = min(found_within, kept_within)
            if is_covered(scratch, near, load, owned, ranks, within) or near == len(load.sizes) - 1:
                break
            if sure:
                need *= 2
            elif within >= bound:
                stretch *= 1.4
            sure, bound = True, sure_bound(tree.points, i, need)
        if sure:
            around.reach[0] = NOWHERE_YET  # the list is too long for other rows
        stretch *= 0.99
        add_row(i, scratch, near, load, sums)
        reach = scratch.near_keys[near - 1] if near else ANY
    return len(asked)


@compiled
def sure_bound(points: Floats, i: int, need: int) -> float:
    """Return a squared distance that holds enough other points: those beside it in the tree."""
    n, d = points.shape
    if need >= n:
        return ANY
    start, bound = min(max(i - need // 2, 0), n - need - 1), 0.0
    for k in range(start, start + need + 1):
        squared = 0.0
        for j in range(d):
            squared += (points[k, j] - points[i, j]) ** 2
        bound = max(bound, squared)
    return bound * SLACK


@compiled
def candidates(
    tree: Leaves,
    i: int,
    bound: float,
    need: int,
    load: Load,
    scratch: Scratch,
    around: Nearby,
) -> tuple[int, float]:
    """Collect the other points up to the bound, or a smaller one that holds the needed rows.

    Returns their number, and the bound below which none is missing.
    """
    place, keys, items, squared = tree.points[i], scratch.keys, scratch.items, around.squared
    m = 0
    for a in range(leaves_around(tree, place, bound, around)):
        if around.ordered_gaps[a] > bound * SLACK:
            continue
        if m + WIDTH > len(keys):
            m, limit = cut(scratch, m, load, need)
            bound = min(bound, limit * SLACK)
            if 2 * m > len(keys):
                return FULL, bound
        leaf = around.ordered[a]
        base = leaf * WIDTH
        measure_leaf(place, tree.tiles[leaf], squared)
        if base <= i < base + WIDTH:
            squared[i - base] = ITSELF
        bits = bits_within(squared, bound)
        while bits != 0:
            b = first_bit(bits)
            keys[m], items[m] = squared[b], base + b
            m += 1
            bits &= bits - 1
        around.visits[0] += 1
    return m, bound


@compiled
def measure_leaf(place: Floats, tile: Floats, squared: Floats) -> None:
    """Write the squared distances to the points of a leaf, three columns at a time."""
    d, j = len(place), 0
    squared[:] = 0.0
    while j + 3 <= d:
        x, y, z = place[j], place[j + 1], place[j + 2]
        for a in range(WIDTH):
            p, q, r = tile[j, a] - x, tile[j + 1, a] - y, tile[j + 2, a] - z
            squared[a] += p * p + q * q + r * r
        j += 3
    if j + 2 <= d:
        x, y = place[j], place[j + 1]
        for a in range(WIDTH):
            p, q = tile[j, a] - x, tile[j + 1, a] - y
            squared[a] += p * p + q * q
        j += 2
    if j < d:
        x = place[j]
        for a in range(WIDTH):
            p = tile[j, a] - x
            squared[a] += p * p


@compiled
def bits_within(squared: Floats, bound: float) -> int:
    """Return a word with a bit for each point of a leaf, set if it is within the bound."""
    bits = 0
    for a in range(WIDTH):
        bits |= int(squared[a] <= bound) << a
    return bits
