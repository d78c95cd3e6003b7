"""What the compiled engines do with one row, first: candidates to ordered neighbours.

Candidates are kept in no order until they are too many or complete. Their squared distances then
fall into buckets of equal width, which finds the last one needed and almost sorts them, in time
proportional to their number.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bayesfloor.base.arrays import Floats, Floats32, Ints
from bayesfloor.neighbours.kernels.bits import TINY
from bayesfloor.neighbours.kernels.jit import allocating, compiled
from bayesfloor.neighbours.ties import TIE

FULL = -1
"""Stands for the number of candidates of a row that had more than there is room for."""
GAPS = np.array([701, 301, 132, 57, 23, 10, 4])
"""Of Shell's sort (Ciura), before neighbours are sorted."""


class Load(NamedTuple):
    """What is multiplied and averaged, in the engine's order of the points.

    The columns of the fields that are wanted at every rank lie side by side; one more field, thin
    because it is wanted at a few ranks only, may follow them.
    """

    sizes: Ints  # (u,) rows in each cell
    columns: Floats  # (u, c)
    begins: Ints  # (f + 1,) where the columns of each field begin
    thin: Floats32  # (u, t)
    at: Ints  # ascending ranks at which the thin field is wanted
    own: Floats  # (u, f + 1) products within the cell, see `Field`; not read if `single`
    near: int
    single: bool  # every cell has one row


class Scratch(NamedTuple):
    """Room for the candidates of one row, and for its neighbours in order."""

    keys: Floats  # squared distances
    items: Ints
    slots: Ints  # buckets
    near_keys: Floats
    near_items: Ints
    counts: Ints  # (buckets,)
    rows: Ints  # (buckets,)
    values: Floats  # (K,)
    cells: Ints  # (K,) the neighbour of each rank
    shares: Floats  # (K,) one over its rows


@allocating
def new_scratch(room: int, ranks: int) -> Scratch:
    """Make room for some candidates."""
    buckets = 2 * ranks + 16
    return Scratch(
        np.empty(room),
        np.empty(room, dtype=np.int32),
        np.empty(room, dtype=np.int32),
        np.empty(room),
        np.empty(room, dtype=np.int32),
        np.empty(buckets, dtype=np.int32),
        np.empty(buckets, dtype=np.int32),
        np.empty(ranks),
        np.empty(ranks, dtype=np.int32),
        np.empty(ranks),
    )


@compiled
def bucketed(scratch: Scratch, m: int) -> float:
    """Write the bucket of each candidate; return the buckets in a unit, 0 if there is one only."""
    top = 0.0
    for a in range(m):
        top = max(top, scratch.keys[a])
    last = len(scratch.counts) - 1
    scale = (last + 1) / top if top > TINY else 0.0
    for a in range(m):
        scratch.slots[a] = np.int32(min(scratch.keys[a] * scale, last))
    return scale


@compiled
def last_bucket(scratch: Scratch, m: int, load: Load, need: int) -> tuple[int, int]:
    """Find where each bucket starts, were candidates in order, and write that to its count.

    Returns the bucket that holds the needed row, or else the last, and the most that are in one.
    """
    counts, rows, slots = scratch.counts, scratch.rows, scratch.slots
    counts[:] = 0
    for a in range(m):
        counts[slots[a]] += 1
    if not load.single:
        rows[:] = 0
        for a in range(m):
            rows[slots[a]] += load.sizes[scratch.items[a]]
    last, seen, start, most = 0, 0, 0, 0
    for b in range(len(counts)):
        count = counts[b]
        counts[b] = start
        start += count
        most = max(most, count)
        seen += count if load.single else rows[b]
        last += seen < need
    return min(last, len(counts) - 1), most


@compiled
def kept_below(scratch: Scratch, m: int, scale: float, last: int) -> tuple[int, float]:
    """Drop candidates beyond a bucket; return how many stay, and what bounds them."""
    kept = 0
    for a in range(m):
        scratch.keys[kept], scratch.items[kept] = scratch.keys[a], scratch.items[a]
        kept += scratch.slots[a] <= last
    return kept, (last + 1) / scale


@compiled
def narrowed(scratch: Scratch, m: int, load: Load, need: int) -> tuple[int, float, float, int, int]:
    """Drop far candidates for as long as they make the buckets too wide to tell the needed apart.

    Returns how many stay, what bounds them, the buckets in a unit, and `last_bucket`.
    """
    limit, scale = np.inf, bucketed(scratch, m)
    last, most = last_bucket(scratch, m, load, need)
    while scale > 0 and 4 * last < len(scratch.counts):
        m, limit = kept_below(scratch, m, scale, last)
        scale = bucketed(scratch, m)
        last, most = last_bucket(scratch, m, load, need)
    return m, limit, scale, last, most


@compiled
def cut(scratch: Scratch, m: int, load: Load, need: int) -> tuple[int, float]:
    """Drop candidates beyond the needed row; return how many stay, and what bounds them."""
    m, limit, scale, last, _ = narrowed(scratch, m, load, need)
    if scale == 0 or last == len(scratch.counts) - 1:
        return m, limit
    return kept_below(scratch, m, scale, last)


@compiled
def put_in_order(scratch: Scratch, m: int, load: Load, need: int) -> tuple[int, float]:
    """Sort the candidates up to the bucket of the needed row.

    Returns how many these are, and a bound below which none was left out.
    """
    m, limit, scale, last, most = narrowed(scratch, m, load, need)
    place = scratch.counts
    for a in range(m):
        b = scratch.slots[a]
        scratch.near_keys[place[b]] = scratch.keys[a]
        scratch.near_items[place[b]] = scratch.items[a]
        place[b] += 1
    total = place[last]
    for gap in GAPS:
        if 4 * gap < most:
            shell_pass(scratch.near_keys, scratch.near_items, total, gap)
    swap_pairs(scratch.near_keys, scratch.near_items, total)
    shell_pass(scratch.near_keys, scratch.near_items, total, 1)
    return total, (last + 1) / scale if scale > 0 and last < len(place) - 1 else limit


@compiled
def shell_pass(keys: Floats, items: Ints, m: int, gap: int) -> None:
    """Sort the keys that lie `gap` apart, items with them, by insertion."""
    for a in range(gap, m):
        key, item = keys[a], items[a]
        b = a
        while b >= gap and keys[b - gap] > key:
            keys[b], items[b] = keys[b - gap], items[b - gap]
            b -= gap
        keys[b], items[b] = key, item


@compiled
def swap_pairs(keys: Floats, items: Ints, m: int) -> None:
    """Swap neighbours that are out of order, many at once: little is left for insertion then."""
    for start in range(2):
        for a in range(start, m - 1, 2):
            x, y, i, j = keys[a], keys[a + 1], items[a], items[a + 1]
            swap = x > y
            keys[a], keys[a + 1] = y if swap else x, x if swap else y
            items[a], items[a + 1] = j if swap else i, i if swap else j


@compiled
def is_covered(scratch: Scratch, m: int, load: Load, owned: int, ranks: int, within: float) -> bool:
    """Tell whether the tie group of the last rank is whole.

    It is if a farther neighbour follows, or if it ends below `within`, up to which all are known.
    """
    keys, seen = scratch.near_keys, owned
    start = min(ranks, m) if load.single else 0
    if load.single:
        seen += start
    for a in range(start, m):
        if seen >= ranks and (a == 0 or keys[a] > keys[a - 1] * (1 + TIE)):
            return True
        seen += load.sizes[scratch.near_items[a]]
    return seen >= ranks and (m == 0 or keys[m - 1] * (1 + TIE) < within)
