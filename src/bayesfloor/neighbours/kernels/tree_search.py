"""The compiled half of the engine for few columns: rows search the leaves near them."""

from __future__ import annotations

from bayesfloor.base.arrays import Floats, Ints
from bayesfloor.neighbours.kernels.jit import jit, jit_allocating, lowest_set_bit
from bayesfloor.neighbours.kernels.kd_tree import UNBOUNDED
from bayesfloor.neighbours.kernels.kernel_input import KernelInput
from bayesfloor.neighbours.kernels.nearby_leaves import (
    BOX_SLACK,
    EMPTY_REACH,
    LEAF_SIZE,
    LeafList,
    Leaves,
    box_leaf_rows,
    nearest_leaves,
    new_leaf_list,
)
from bayesfloor.neighbours.kernels.ordering import (
    OVERFLOWED,
    Scratch,
    drop_unneeded,
    is_covered,
    new_scratch,
    sort_candidates,
)
from bayesfloor.neighbours.kernels.summing import (
    Sums,
    add_row,
    flush_logs,
    other_cells,
    own_ranks,
)

OWN_SQUARED = 1e300
"""Stands for the squared distance of a point to itself: above `UNBOUNDED`, so it is not found."""
FIRST_STRETCH = 0.5
"""Share by which the squared radius of the row before is stretched at first. A judgement."""
STRETCH_AFTER_MISS, STRETCH_AFTER_ROW = 1.4, 0.99
"""Factors of the stretch when a radius was too small, and after every row.

They balance at one miss in 33 rows, ln 1.4 / -ln 0.99. A judgement.
"""
MOST_SEARCHES = 48
"""Searches for the neighbours of a row at most. The number that is needed doubles with each but the
first two, so that all points are needed long before."""


@jit_allocating
def sum_rows(tree: Leaves, queries: Ints, data: KernelInput, sums: Sums) -> int:
    """Add the neighbours of the query points, by their positions in the tree, to the sums.

    Returns the number of leaves visited.
    """
    ranks = len(sums.away)
    nearby, done, room = new_leaf_list(tree), 0, 2 * ranks + 4 * LEAF_SIZE
    while done < len(queries):
        scratch = new_scratch(room, ranks)
        done += sum_until_full(tree, queries[done:], data, sums, scratch, nearby)
        room *= 2
    flush_logs(sums)
    return int(nearby.visits[0])


@jit
def sum_until_full(
    tree: Leaves, queries: Ints, data: KernelInput, sums: Sums, scratch: Scratch, nearby: LeafList
) -> int:
    """Add rows until one has more candidates than there is room for; return how many were added.

    The radius of the row before, a little stretched, is tried first. The stretch grows when it was
    too little, and shrinks slowly otherwise.
    """
    ranks, reach, stretch, stop = len(sums.away), UNBOUNDED, FIRST_STRETCH, 0
    for a in range(len(queries)):
        i = queries[a]
        if a == stop:
            stop = box_leaf_rows(tree.points, queries, a, nearby)
        owned = own_ranks(i, data)
        need, sure = max(ranks - owned, 0) + 1, reach == UNBOUNDED
        bound = UNBOUNDED
        if sure:
            bound = bound_for(tree.points, i, need, data)
        else:
            bound = min(reach * (1 + stretch), UNBOUNDED)
        for _ in range(MOST_SEARCHES):
            m, found_within = collect_candidates(tree, i, bound, need, data, scratch, nearby)
            if m == OVERFLOWED:
                return a
            count, kept_within = sort_candidates(scratch, m, data, need)
            within = min(found_within, kept_within)
            if is_covered(scratch, count, data, owned, ranks, within):
                break
            if count == other_cells(i, data):
                break
            if sure:
                need *= 2
            elif within >= bound:
                stretch *= STRETCH_AFTER_MISS
            sure, bound = True, bound_for(tree.points, i, need, data)
        if sure:
            nearby.reach[0] = EMPTY_REACH  # the list is too long for other rows
        stretch *= STRETCH_AFTER_ROW
        add_row(i, scratch, count, data, sums)
        reach = scratch.sorted_keys[count - 1] if count else UNBOUNDED
    return len(queries)


@jit
def bound_for(points: Floats, i: int, need: int, data: KernelInput) -> float:
    """Return a squared distance within which enough points lie that may be neighbours."""
    if need > other_cells(i, data):
        return UNBOUNDED
    if len(data.groups) > 0:
        return sure_bound_outside_group(points, i, need, data.groups)
    return sure_bound(points, i, need)


@jit
def sure_bound(points: Floats, i: int, need: int) -> float:
    """Return a squared distance within which enough other points lie: those next in the order."""
    n, d = points.shape
    if need >= n:
        return UNBOUNDED
    start, bound = min(max(i - need // 2, 0), n - need - 1), 0.0
    for k in range(start, start + need + 1):
        squared = 0.0
        for j in range(d):
            squared += (points[k, j] - points[i, j]) ** 2
        bound = max(bound, squared)
    return bound * BOX_SLACK


@jit
def sure_bound_outside_group(points: Floats, i: int, need: int, groups: Ints) -> float:
    """Return the same of points outside of the own group: the next on both sides in turn."""
    n, d = points.shape
    below, above, found, bound = i - 1, i + 1, 0, 0.0
    while found < need and (below >= 0 or above < n):
        for k in (below, above):
            if 0 <= k < n and groups[k] != groups[i] and found < need:
                squared = 0.0
                for j in range(d):
                    squared += (points[k, j] - points[i, j]) ** 2
                bound = max(bound, squared)
                found += 1
        below, above = below - 1, above + 1
    return bound * BOX_SLACK


@jit
def collect_candidates(
    tree: Leaves,
    i: int,
    bound: float,
    need: int,
    data: KernelInput,
    scratch: Scratch,
    nearby: LeafList,
) -> tuple[int, float]:
    """Collect the other points within the bound, or within a smaller one that is enough.

    Returns their number, and the bound below which none is missing.
    """
    place, keys, items, squared = tree.points[i], scratch.keys, scratch.items, nearby.squared
    m = 0
    for a in range(nearest_leaves(tree, place, bound, nearby)):
        if nearby.ordered_gaps[a] > bound * BOX_SLACK:
            continue
        if m + LEAF_SIZE > len(keys):
            m, limit = drop_unneeded(scratch, m, data, need)
            bound = min(bound, limit * BOX_SLACK)
            if 2 * m > len(keys):
                return OVERFLOWED, bound
        leaf = nearby.ordered[a]
        base = leaf * LEAF_SIZE
        measure_leaf(place, tree.tiles[leaf], squared)
        if len(data.groups) > 0:
            hide_own_group(data.groups[base : base + LEAF_SIZE], data.groups[i], squared)
        elif base <= i < base + LEAF_SIZE:
            squared[i - base] = OWN_SQUARED
        bits = bits_within(squared, bound)
        while bits != 0:
            b = lowest_set_bit(bits)
            keys[m], items[m] = squared[b], base + b
            m += 1
            bits &= bits - 1
        nearby.visits[0] += 1
    return m, bound


@jit
def hide_own_group(groups: Ints, own: int, squared: Floats) -> None:
    """Move the points of a leaf that are of the own group out of reach."""
    for a in range(LEAF_SIZE):
        squared[a] = OWN_SQUARED if groups[a] == own else squared[a]


@jit
def measure_leaf(place: Floats, tile: Floats, squared: Floats) -> None:
    """Write the squared distances to the points of a leaf, three columns at a time."""
    d, j = len(place), 0
    squared[:] = 0.0
    while j + 3 <= d:
        x, y, z = place[j], place[j + 1], place[j + 2]
        for a in range(LEAF_SIZE):
            p, q, r = tile[j, a] - x, tile[j + 1, a] - y, tile[j + 2, a] - z
            squared[a] += p * p + q * q + r * r
        j += 3
    if j + 2 <= d:
        x, y = place[j], place[j + 1]
        for a in range(LEAF_SIZE):
            p, q = tile[j, a] - x, tile[j + 1, a] - y
            squared[a] += p * p + q * q
        j += 2
    if j < d:
        x = place[j]
        for a in range(LEAF_SIZE):
            p = tile[j, a] - x
            squared[a] += p * p


@jit
def bits_within(squared: Floats, bound: float) -> int:
    """Return a word with a bit for each point of a leaf, set if the point is within the bound."""
    bits = 0
    for a in range(LEAF_SIZE):
        bits |= int(squared[a] <= bound) << a
    return bits
