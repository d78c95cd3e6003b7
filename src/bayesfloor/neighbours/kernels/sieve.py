"""The compiled half of the engine for many columns: matrix products are sifted for candidates.

For points x and y the product gives ``|x|² + |y|² − 2xy`` in single precision, off by at most
``ε (|x|² + |y|²)``. Less that error it is a lower bound of the squared distance. Points whose lower
bound is within a row's bound are candidates; when the room for them is used up, the bound shrinks.
At the end the candidates are measured in double precision.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bayesfloor.base.arrays import Bools, Floats, Floats32, Ints
from bayesfloor.neighbours.kernels.jit import allocating, compiled
from bayesfloor.neighbours.kernels.ordering import (
    FULL,
    Load,
    Scratch,
    bucketed,
    is_covered,
    last_bucket,
    put_in_order,
)
from bayesfloor.neighbours.kernels.summing import Sums, add_row, fold

STRIDE, CHUNK = 32, 128
"""Products that are looked at together, and whose candidates are taken together."""
FARTHEST, BEYOND = np.float32(3e38), np.float32(np.inf)
"""Above every distance, and above that."""
ROUNDED = 2e-7
"""Covers the rounding of a bound to single precision."""


class Places(NamedTuple):
    """The points as the sieve needs them."""

    points: Floats  # (u, d)
    norms: Floats  # (u,) squared distances from the centre
    lower: Floats32  # (u,) the same, less the error of a product
    error: float


class Sieve(NamedTuple):
    """Candidates of a block of rows."""

    rows: Ints  # (b,)
    need: Ints  # (b,) rows that the candidates must hold
    keys: Floats32  # (b, room) lower bounds of the squared distances, less the row's own norm
    items: Ints  # (b, room)
    counts: Ints  # (b,)
    bounds: Floats32  # (b,) of the keys: a point beyond is not needed


def new_sieve(rows: Ints, load: Load, ranks: int) -> Sieve:
    """Make room for the candidates of some rows."""
    room = 4 * ranks + CHUNK
    return Sieve(
        rows,
        np.maximum(ranks - load.sizes[rows] + 1, 0) + 1,
        np.empty((len(rows), room), dtype=np.float32),
        np.empty((len(rows), room), dtype=np.int32),
        np.zeros(len(rows), dtype=np.int64),
        np.full(len(rows), FARTHEST),
    )


@compiled
def aim(
    products: Floats32,
    sample: Ints,
    share: float,
    places: Places,
    load: Load,
    sieve: Sieve,
    scratch: Scratch,
) -> None:
    """Guess the bounds from a sample of the points that holds some share of all rows."""
    for b in range(len(sieve.rows)):
        i, m = sieve.rows[b], 0
        own = places.norms[i]
        for a in range(len(sample)):
            key = places.lower[sample[a]] - 2 * products[b, a]
            scratch.keys[m], scratch.items[m] = max(key + own, 0.0), sample[a]
            m += sample[a] != i
        expected = sieve.need[b] * share
        scale = bucketed(scratch, m)
        last, _ = last_bucket(scratch, m, load, int(expected + 4 * np.sqrt(expected) + 5))
        if scale > 0:
            sieve.bounds[b] = np.float32((last + 1) / scale - own)


@allocating
def sift(
    products: Floats32, start: int, places: Places, load: Load, sieve: Sieve, scratch: Scratch
) -> None:
    """Take the candidates among a block of points, the first of which is `start`."""
    close = np.empty(products.shape[1], dtype=np.float32)
    slots = np.empty(CHUNK + 1, dtype=np.int32)
    sift_rows(products, start, places, load, sieve, scratch, close, slots)


@compiled
def sift_rows(
    products: Floats32,
    start: int,
    places: Places,
    load: Load,
    sieve: Sieve,
    scratch: Scratch,
    close: Floats32,
    slots: Ints,
) -> None:
    """Take the candidates of every row; `close` and `slots` are room for those of one."""
    width, room = products.shape[1], sieve.keys.shape[1]
    lower = places.lower[start : start + width]
    for b in range(len(sieve.rows)):
        i, m, bound = sieve.rows[b] - start, sieve.counts[b], sieve.bounds[b]
        keys, items = sieve.keys[b], sieve.items[b]
        bound_all(lower, products[b], close)
        if 0 <= i < width:
            close[i] = BEYOND
        for a in range(0, width if m != FULL else 0, CHUNK):
            chunk = close[a : a + CHUNK]
            count = marked(chunk, bound, slots)
            if count > 0 and m + count > room:
                m, bound = shrink(b, m, bound, places, load, sieve, scratch)
                if m + count > room:
                    m = FULL
                    break
            for c in range(count):
                keys[m + c], items[m + c] = chunk[slots[c]], start + a + slots[c]
            m += count
        sieve.counts[b], sieve.bounds[b] = m, bound


@compiled
def bound_all(norms: Floats32, products: Floats32, close: Floats32) -> None:
    """Write the lower bounds of squared distances."""
    for j in range(len(close)):
        close[j] = norms[j] - products[j] - products[j]


@compiled
def marked(chunk: Floats32, bound: np.float32, slots: Ints) -> int:
    """Write the places of numbers up to a bound; return how many these are.

    Most strides have none, and counting is fast.
    """
    count = np.uint32(0)
    for a in range(0, len(chunk), STRIDE):
        part, within = chunk[a : a + STRIDE], np.int32(0)
        for j in range(len(part)):
            within += np.int32(part[j] <= bound)
        if within > 0:
            for j in range(len(part)):
                slots[count] = a + j
                count += np.uint32(part[j] <= bound)
    return int(count)


@compiled
def shrink(
    b: int, m: int, bound: np.float32, places: Places, load: Load, sieve: Sieve, scratch: Scratch
) -> tuple[int, np.float32]:
    """Drop candidates that are not needed; return how many stay, and what bounds them."""
    keys, items, norm = sieve.keys[b], sieve.items[b], places.norms[sieve.rows[b]]
    own = norm * (1 - places.error)
    for a in range(m):
        scratch.keys[a], scratch.items[a] = max(keys[a] + own, 0.0), items[a]
    scale = bucketed(scratch, m)
    last, _ = last_bucket(scratch, m, load, sieve.need[b])
    if scale > 0 and last < len(scratch.counts) - 1:
        most = 0.0
        for a in range(m):
            if scratch.slots[a] <= last:
                most = max(most, places.norms[items[a]])
        edge = (last + 1) / scale + 2 * places.error * (norm + most) - own
        bound = np.float32(min(np.float64(bound), edge + ROUNDED * (abs(edge) + own)))
    kept = 0
    for a in range(m):
        keys[kept], items[kept] = keys[a], items[a]
        kept += keys[a] <= bound
    return kept, bound


@compiled
def finish(
    places: Places, load: Load, sieve: Sieve, scratch: Scratch, sums: Sums, settled: Bools
) -> None:
    """Measure the candidates exactly and add the rows to the sums; mark those that could be."""
    ranks = len(sums.away)
    for b in range(len(sieve.rows)):
        i, m = sieve.rows[b], sieve.counts[b]
        if m == FULL:
            continue
        m, bound = shrink(b, m, sieve.bounds[b], places, load, sieve, scratch)
        within = bound + places.norms[i] * (1 - places.error)
        m = measured(i, sieve.items[b], m, within, places.points, scratch)
        near, kept_within = put_in_order(scratch, m, load, sieve.need[b])
        within = min(within, kept_within)
        owned = load.sizes[i] - 1
        if near == len(load.sizes) - 1 or is_covered(scratch, near, load, owned, ranks, within):
            add_row(i, scratch, near, load, sums)
            settled[b] = True
    fold(sums)


@compiled
def measured(i: int, items: Ints, m: int, within: float, points: Floats, scratch: Scratch) -> int:
    """Write the exact squared distances of the candidates that are near enough."""
    here, kept = points[i], 0
    for a in range(m):
        there, total = points[items[a]], 0.0
        for j in range(len(here)):
            x = here[j] - there[j]
            total += x * x
        scratch.keys[kept], scratch.items[kept] = total, items[a]
        kept += total <= within
    return kept
