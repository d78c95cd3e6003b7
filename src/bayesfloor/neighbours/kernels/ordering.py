"""The first half of a row's work in compiled engines: candidates become sorted neighbours.

Candidates are collected in no order until they are complete or too many. They are then put into
buckets by their squared distances. That finds the last one needed and almost sorts them, in time
proportional to their number.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bayesfloor.base.arrays import Floats, Ints
from bayesfloor.neighbours.kernels.bits import TINY_SQUARED
from bayesfloor.neighbours.kernels.jit import jit, jit_allocating
from bayesfloor.neighbours.kernels.kernel_input import KernelInput
from bayesfloor.neighbours.ties import TIE_TOLERANCE

OVERFLOWED = -1
"""Stands for the number of candidates of a row that has more than there is room for."""
SHELL_GAPS = np.array([701, 301, 132, 57, 23, 10, 4])
"""Gaps of Shell's sort before the last, which is 1: Ciura (2001), LNCS 2138, 106-117."""


class Scratch(NamedTuple):
    """Room for the candidates of one row, and for its neighbours once sorted."""

    keys: Floats  # squared distances of the candidates
    items: Ints  # the candidates
    buckets: Ints  # the bucket of each
    sorted_keys: Floats
    sorted_items: Ints
    bucket_starts: Ints  # (buckets,)
    bucket_rows: Ints  # (buckets,) rows of the cells in each
    values: Floats  # (K,)
    cells: Ints  # (K,) the neighbour of each rank
    shares: Floats  # (K,) one over its rows


@jit_allocating
def new_scratch(room: int, ranks: int) -> Scratch:
    """Allocate room for a number of candidates."""
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


@jit
def assign_buckets(scratch: Scratch, m: int) -> float:
    """Write the bucket of each candidate; return buckets per unit, 0 if all are in one bucket."""
    top = 0.0
    for a in range(m):
        top = max(top, scratch.keys[a])
    last = len(scratch.bucket_starts) - 1
    scale = (last + 1) / top if top > TINY_SQUARED else 0.0
    for a in range(m):
        scratch.buckets[a] = np.int32(min(scratch.keys[a] * scale, last))
    return scale


@jit
def find_last_bucket(scratch: Scratch, m: int, data: KernelInput, need: int) -> tuple[int, int]:
    """Write where each bucket would start if the candidates were sorted.

    Returns the bucket that holds the needed row, or else the last, and the size of the largest.
    """
    counts, rows, buckets = scratch.bucket_starts, scratch.bucket_rows, scratch.buckets
    counts[:] = 0
    for a in range(m):
        counts[buckets[a]] += 1
    if not data.single:
        rows[:] = 0
        for a in range(m):
            rows[buckets[a]] += data.sizes[scratch.items[a]]
    last, seen, start, most = 0, 0, 0, 0
    for b in range(len(counts)):
        count = counts[b]
        counts[b] = start
        start += count
        most = max(most, count)
        seen += count if data.single else rows[b]
        last += seen < need
    return min(last, len(counts) - 1), most


@jit
def drop_beyond_bucket(scratch: Scratch, m: int, scale: float, last: int) -> tuple[int, float]:
    """Drop candidates beyond a bucket; return how many stay, and the bound below which they are."""
    kept = 0
    for a in range(m):
        scratch.keys[kept], scratch.items[kept] = scratch.keys[a], scratch.items[a]
        kept += scratch.buckets[a] <= last
    return kept, (last + 1) / scale


@jit
def narrow_candidates(
    scratch: Scratch, m: int, data: KernelInput, need: int
) -> tuple[int, float, float, int, int]:
    """Drop far candidates while they make the buckets too wide to separate the needed ones.

    Returns how many stay, the bound below which they are, the buckets per unit, and what
    `find_last_bucket` returns.
    """
    limit, scale = np.inf, assign_buckets(scratch, m)
    last, most = find_last_bucket(scratch, m, data, need)
    while scale > 0 and 4 * last < len(scratch.bucket_starts):
        m, limit = drop_beyond_bucket(scratch, m, scale, last)
        scale = assign_buckets(scratch, m)
        last, most = find_last_bucket(scratch, m, data, need)
    return m, limit, scale, last, most


@jit
def drop_unneeded(scratch: Scratch, m: int, data: KernelInput, need: int) -> tuple[int, float]:
    """Drop candidates beyond the needed row; return how many stay, and the bound they are below."""
    m, limit, scale, last, _ = narrow_candidates(scratch, m, data, need)
    if scale == 0 or last == len(scratch.bucket_starts) - 1:
        return m, limit
    return drop_beyond_bucket(scratch, m, scale, last)


@jit
def sort_candidates(scratch: Scratch, m: int, data: KernelInput, need: int) -> tuple[int, float]:
    """Sort the candidates up to the bucket of the needed row.

    Returns how many these are, and a bound below which none is left out.
    """
    m, limit, scale, last, most = narrow_candidates(scratch, m, data, need)
    starts = scratch.bucket_starts
    for a in range(m):
        b = scratch.buckets[a]
        scratch.sorted_keys[starts[b]] = scratch.keys[a]
        scratch.sorted_items[starts[b]] = scratch.items[a]
        starts[b] += 1
    total = starts[last]
    for gap in SHELL_GAPS:
        if 4 * gap < most:
            shell_pass(scratch.sorted_keys, scratch.sorted_items, total, gap)
    swap_pairs(scratch.sorted_keys, scratch.sorted_items, total)
    shell_pass(scratch.sorted_keys, scratch.sorted_items, total, 1)
    return total, (last + 1) / scale if scale > 0 and last < len(starts) - 1 else limit


@jit
def shell_pass(keys: Floats, items: Ints, m: int, gap: int) -> None:
    """Sort the keys that lie `gap` apart, items with them, by insertion."""
    for a in range(gap, m):
        key, item = keys[a], items[a]
        b = a
        while b >= gap and keys[b - gap] > key:
            keys[b], items[b] = keys[b - gap], items[b - gap]
            b -= gap
        keys[b], items[b] = key, item


@jit
def swap_pairs(keys: Floats, items: Ints, m: int) -> None:
    """Swap adjacent keys that are out of order, many at once, to leave less for insertion."""
    for start in range(2):
        for a in range(start, m - 1, 2):
            x, y, i, j = keys[a], keys[a + 1], items[a], items[a + 1]
            swap = x > y
            keys[a], keys[a + 1] = y if swap else x, x if swap else y
            items[a], items[a + 1] = j if swap else i, i if swap else j


@jit
def is_covered(
    scratch: Scratch, m: int, data: KernelInput, owned: int, ranks: int, within: float
) -> bool:
    """Tell whether the tie group of the last rank is complete.

    It is if a farther neighbour follows, or if it ends below `within`: all neighbours up to there
    are known.
    """
    keys, seen = scratch.sorted_keys, owned
    start = min(ranks, m) if data.single else 0
    if data.single:
        seen += start
    for a in range(start, m):
        if seen >= ranks and (a == 0 or keys[a] > keys[a - 1] * (1 + TIE_TOLERANCE)):
            return True
        seen += data.sizes[scratch.sorted_items[a]]
    return seen >= ranks and (m == 0 or keys[m - 1] * (1 + TIE_TOLERANCE) < within)
