"""The compiled half of the engine for many columns: matrix products are sifted for candidates.

For points x and y a product gives ``|x|² + |y|² − 2xy`` in single precision, off by at most
``ε (|x|² + |y|²)``. Subtracting that error leaves a lower bound of the squared distance. Points
whose lower bound is within a row's bound are candidates; when there is no room for more of them,
the bound shrinks. At the end the candidates are measured in double precision.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bayesfloor.base.arrays import Bools, Floats, Floats32, Ints
from bayesfloor.neighbours.kernels.jit import jit, jit_allocating
from bayesfloor.neighbours.kernels.kernel_input import KernelInput
from bayesfloor.neighbours.kernels.ordering import (
    OVERFLOWED,
    Scratch,
    assign_buckets,
    find_last_bucket,
    is_covered,
    sort_candidates,
)
from bayesfloor.neighbours.kernels.summing import (
    Sums,
    add_row,
    flush_logs,
    other_cells,
    own_ranks,
)

SIEVE_STRIDE = 32
"""Products that are compared with the bound at once. A judgement: a few vector registers."""
SIEVE_CHUNK = 128
"""Products whose candidates are stored at once. A judgement: some strides, with little room."""
NO_BOUND = np.float32(3e38)
"""A bound that all distances are within; the largest number in single precision is 3.4e38."""
NEVER_WITHIN = np.float32(np.inf)
"""The distance of a row to itself, which is not within any bound."""
FLOAT32_ROUNDING = 2e-7
"""Relative error of a bound in single precision: above 2^-23, one unit in its last place."""
GUESS_DEVIATIONS, GUESS_SPARE = 4, 5
"""A bound is guessed so that the sample has the expected number of points within it, plus 4
standard deviations of a Poisson count, plus 5 where counts are small. A judgement: few rows need a
second search."""
ROOM_PER_RANK = 4
"""Candidates that a row has room for, per rank. A judgement."""


class Targets(NamedTuple):
    """The points that are searched, and their norms."""

    points: Floats  # (u, d)
    norms: Floats  # (u,) squared distances from the centre
    lower: Floats32  # (u,) the same, less the error of a product
    error: float
    own_first: Ints  # (u,) first point of the own group, which lie next to each other
    own_last: Ints  # (u,) one past its last


class Sieve(NamedTuple):
    """The candidates of a block of rows."""

    rows: Ints  # (b,)
    need: Ints  # (b,) rows that the candidates must include
    keys: Floats32  # (b, room) lower bounds of the squared distances, less the row's own norm
    items: Ints  # (b, room)
    counts: Ints  # (b,)
    bounds: Floats32  # (b,) a point with a key above is not needed


def new_sieve(rows: Ints, data: KernelInput, ranks: int) -> Sieve:
    """Allocate room for the candidates of some rows."""
    room = ROOM_PER_RANK * ranks + SIEVE_CHUNK
    return Sieve(
        rows,
        np.maximum(ranks - (0 if len(data.groups) else data.sizes[rows] - 1), 0)
        + np.ones(len(rows), dtype=np.int64),
        np.empty((len(rows), room), dtype=np.float32),
        np.empty((len(rows), room), dtype=np.int32),
        np.zeros(len(rows), dtype=np.int64),
        np.full(len(rows), NO_BOUND),
    )


@jit
def guess_bounds(
    products: Floats32,
    sample: Ints,
    share: float,
    targets: Targets,
    data: KernelInput,
    sieve: Sieve,
    scratch: Scratch,
) -> None:
    """Guess the bounds from a sample of the points with a known share of all rows."""
    for b in range(len(sieve.rows)):
        i, m = sieve.rows[b], 0
        own = targets.norms[i]
        for a in range(len(sample)):
            key = targets.lower[sample[a]] - 2 * products[b, a]
            scratch.keys[m], scratch.items[m] = max(key + own, 0.0), sample[a]
            m += not targets.own_first[i] <= sample[a] < targets.own_last[i]
        expected = sieve.need[b] * share
        scale = assign_buckets(scratch, m)
        wanted = int(expected + GUESS_DEVIATIONS * np.sqrt(expected) + GUESS_SPARE)
        last, _ = find_last_bucket(scratch, m, data, wanted)
        if scale > 0:
            sieve.bounds[b] = np.float32((last + 1) / scale - own)


@jit_allocating
def sift(
    products: Floats32,
    start: int,
    targets: Targets,
    data: KernelInput,
    sieve: Sieve,
    scratch: Scratch,
) -> None:
    """Collect the candidates among a block of points, the first of which is `start`."""
    close = np.empty(products.shape[1], dtype=np.float32)
    slots = np.empty(SIEVE_CHUNK + 1, dtype=np.int32)
    sift_rows(products, start, targets, data, sieve, scratch, close, slots)


@jit
def sift_rows(
    products: Floats32,
    start: int,
    targets: Targets,
    data: KernelInput,
    sieve: Sieve,
    scratch: Scratch,
    close: Floats32,
    slots: Ints,
) -> None:
    """Collect the candidates of every row; `close` and `slots` are scratch room for one row."""
    width, room = products.shape[1], sieve.keys.shape[1]
    lower = targets.lower[start : start + width]
    for b in range(len(sieve.rows)):
        i, m, bound = sieve.rows[b], sieve.counts[b], sieve.bounds[b]
        keys, items = sieve.keys[b], sieve.items[b]
        lower_bounds(lower, products[b], close)
        own_last = min(targets.own_last[i] - start, width)
        for c in range(max(targets.own_first[i] - start, 0), own_last):
            close[c] = NEVER_WITHIN
        for a in range(0, width if m != OVERFLOWED else 0, SIEVE_CHUNK):
            chunk = close[a : a + SIEVE_CHUNK]
            count = positions_within(chunk, bound, slots)
            if count > 0 and m + count > room:
                m, bound = shrink_bound(b, m, bound, targets, data, sieve, scratch)
                if m + count > room:
                    m = OVERFLOWED
                    break
            for c in range(count):
                keys[m + c], items[m + c] = chunk[slots[c]], start + a + slots[c]
            m += count
        sieve.counts[b], sieve.bounds[b] = m, bound


@jit
def lower_bounds(norms: Floats32, products: Floats32, close: Floats32) -> None:
    """Write the lower bounds of squared distances."""
    for j in range(len(close)):
        close[j] = norms[j] - products[j] - products[j]


@jit
def positions_within(chunk: Floats32, bound: np.float32, slots: Ints) -> int:
    """Write the positions of the numbers within a bound; return how many there are.

    Most strides have none, so they are counted first, which is fast.
    """
    count = np.uint32(0)
    for a in range(0, len(chunk), SIEVE_STRIDE):
        stride, within = chunk[a : a + SIEVE_STRIDE], np.int32(0)
        for j in range(len(stride)):
            within += np.int32(stride[j] <= bound)
        if within > 0:
            for j in range(len(stride)):
                slots[count] = a + j
                count += np.uint32(stride[j] <= bound)
    return int(count)


@jit
def shrink_bound(
    b: int,
    m: int,
    bound: np.float32,
    targets: Targets,
    data: KernelInput,
    sieve: Sieve,
    scratch: Scratch,
) -> tuple[int, np.float32]:
    """Drop candidates that are not needed; return how many stay, and the new bound."""
    keys, items, norm = sieve.keys[b], sieve.items[b], targets.norms[sieve.rows[b]]
    own = norm * (1 - targets.error)
    for a in range(m):
        scratch.keys[a], scratch.items[a] = max(keys[a] + own, 0.0), items[a]
    scale = assign_buckets(scratch, m)
    last, _ = find_last_bucket(scratch, m, data, sieve.need[b])
    if scale > 0 and last < len(scratch.bucket_starts) - 1:
        most = 0.0
        for a in range(m):
            if scratch.buckets[a] <= last:
                most = max(most, targets.norms[items[a]])
        edge = (last + 1) / scale + 2 * targets.error * (norm + most) - own
        bound = np.float32(min(np.float64(bound), edge + FLOAT32_ROUNDING * (abs(edge) + own)))
    kept = 0
    for a in range(m):
        keys[kept], items[kept] = keys[a], items[a]
        kept += keys[a] <= bound
    return kept, bound


@jit
def sum_candidates(
    targets: Targets, data: KernelInput, sieve: Sieve, scratch: Scratch, sums: Sums, settled: Bools
) -> None:
    """Measure the candidates exactly, add the rows that this settles to the sums, and mark them."""
    ranks = len(sums.away)
    for b in range(len(sieve.rows)):
        i, m = sieve.rows[b], sieve.counts[b]
        if m == OVERFLOWED:
            continue
        m, bound = shrink_bound(b, m, sieve.bounds[b], targets, data, sieve, scratch)
        within = bound + targets.norms[i] * (1 - targets.error)
        m = measure_candidates(i, sieve.items[b], m, within, targets.points, scratch)
        count, kept_within = sort_candidates(scratch, m, data, sieve.need[b])
        within = min(within, kept_within)
        owned = own_ranks(i, data)
        all_found = count == other_cells(i, data)
        if all_found or is_covered(scratch, count, data, owned, ranks, within):
            add_row(i, scratch, count, data, sums)
            settled[b] = True
    flush_logs(sums)


@jit
def measure_candidates(
    i: int, items: Ints, m: int, within: float, points: Floats, scratch: Scratch
) -> int:
    """Write the exact squared distances of the candidates within a bound; return how many."""
    here, kept = points[i], 0
    for a in range(m):
        there, total = points[items[a]], 0.0
        for j in range(len(here)):
            x = here[j] - there[j]
            total += x * x
        scratch.keys[kept], scratch.items[kept] = total, items[a]
        kept += total <= within
    return kept
