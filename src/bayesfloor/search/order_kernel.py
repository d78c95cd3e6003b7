"""What the compiled engines do with one row, first: candidates to ordered neighbours.

Candidates are kept in no order until they are too many or complete. Their squared distances then
fall into buckets of equal width, which finds the last one needed and almost sorts them, in time
proportional to their number.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bayesfloor.arrays import Floats, Floats32, Ints
from bayesfloor.search.bits import TINY
from bayesfloor.search.compiled import compiled
from bayesfloor.search.ties import TIE

GAPS = np.array([701, 301, 132, 57, 23, 10, 4, 1])  # of Shell's sort (Ciura)


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


@compiled
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
def grown(scratch: Scratch, m: int, room: int) -> Scratch:
    """Make more room and take the first m candidates along."""
    larger = new_scratch(room, len(scratch.values))
    larger.keys[:m] = scratch.keys[:m]
    larger.items[:m] = scratch.items[:m]
    return larger


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
def last_bucket(scratch: Scratch, m: int, load: Load, need: int) -> int:
    """Count the candidates of each bucket; return the bucket that holds the needed row."""
    counts, rows, slots = scratch.counts, scratch.rows, scratch.slots
    counts[:] = 0
    for a in range(m):
        counts[slots[a]] += 1
    if not load.single:
        rows[:] = 0
        for a in range(m):
            rows[slots[a]] += load.sizes[scratch.items[a]]
    total = 0
    for b in range(len(counts)):
        total += counts[b] if load.single else rows[b]
        if total >= need:
            return b
    return len(counts) - 1


@compiled
def cut(scratch: Scratch, m: int, load: Load, need: int) -> tuple[int, float]:
    """Drop candidates beyond the needed row; return how many stay, and what bounds them."""
    scale = bucketed(scratch, m)
    last = last_bucket(scratch, m, load, need)
    if scale == 0 or last == len(scratch.counts) - 1:
        return m, np.inf
    return kept_below(scratch, m, scale, last)


@compiled
def kept_below(scratch: Scratch, m: int, scale: float, last: int) -> tuple[int, float]:
    """Drop candidates beyond a bucket; return how many stay, and what bounds them."""
    kept = 0
    for a in range(m):
        scratch.keys[kept], scratch.items[kept] = scratch.keys[a], scratch.items[a]
        kept += scratch.slots[a] <= last
    return kept, (last + 1) / scale


@compiled
def put_in_order(scratch: Scratch, m: int, load: Load, need: int) -> tuple[int, float]:
    """Sort the candidates up to the bucket of the needed row.

    Returns how many these are, and a bound below which none was left out.
    """
    place, limit = scratch.counts, np.inf
    scale = bucketed(scratch, m)
    last = last_bucket(scratch, m, load, need)
    if scale > 0 and 4 * last < len(place):  # far candidates make the buckets too wide
        m, limit = kept_below(scratch, m, scale, last)
        scale = bucketed(scratch, m)
        last = last_bucket(scratch, m, load, need)
    total, most = 0, 0
    for b in range(last + 1):
        count = place[b]
        most = max(most, count)
        place[b] = total
        total += count
    for a in range(m):
        b = scratch.slots[a]
        if b <= last:
            scratch.near_keys[place[b]] = scratch.keys[a]
            scratch.near_items[place[b]] = scratch.items[a]
            place[b] += 1
    for gap in GAPS:
        if 4 * gap < most or gap == 1:
            shell_pass(scratch.near_keys, scratch.near_items, total, gap)
    return total, (last + 1) / scale if last < len(place) - 1 else limit


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
