"""The compiled half of the engine for few points: the least numbers of each row, in no order.

Numbers carry their indices in their last bits, so no two are equal, and for any count there is a
bound with that many of them below it. Counting is fast, so bounds are tried until one fits. The
bits of a positive double, read as a whole number, are nearly a logarithm of it; so between two
bounds the logarithm of the count is nearly linear, and the next bound is interpolated.
"""

from __future__ import annotations

import numpy as np

from bayesfloor.base.arrays import Floats, Ints
from bayesfloor.neighbours.kernels.jit import jit, jit_strict

ABOVE_ALL_KEYS = 2**63 - 1
"""The largest whole number, above the bits of every finite double."""
FIRST_SLOPE = 2.0**51
"""First guess of how much a bound grows with the logarithm of its count.

In d dimensions a count grows with the squared distance to the power d/2, and bits grow by 2^52 when
a number doubles: that is 2^53 / (d ln 2), and about 2^51 for d = 6.
"""
MOST_TURNS = 1000
"""Bounds that are tried at most. Steps of 2^54 cross all doubles in 512 turns, and every fourth
turn halves what is left, of 63 bits; more are tried only for a count that the keys do not have."""
EMPTY_BOUND = -1
"""The bound that is returned then: no key is within it."""
SHORTEST_STEP, LONGEST_STEP = 2.0**40, 2.0**54
"""Steps of a bound while no bound on the other side is known. A judgement: 2^54 is a factor 16."""


@jit
def select(rough: Floats, rows: Ints, count: int, index_mask: int, near: Ints) -> None:
    """Write the least numbers of each row with their indices, `count` of them or some more.

    Parameters
    ----------
    rough : (b, u) array
        Squared distances; they are overwritten.
    rows : (b,) array
        The index that each row leaves out, its own.
    count : int
        Numbers that are wanted of each row.
    index_mask : int
        Mask of the last bits, which are replaced by indices.
    near : (b, w) array
        Receives the numbers, filled up with `ABOVE_ALL_KEYS`. With more room it takes less time.
    """
    bound, slope = 0, FIRST_SLOPE
    for b in range(len(rows)):
        keys = rough[b].view(np.int64)
        for j in range(len(keys)):
            keys[j] = max(keys[j], 0) & ~index_mask | j  # below zero is rounding
        keys[rows[b]] = ABOVE_ALL_KEYS
        if b == 0:
            bound = keys[0 if rows[b] else len(keys) - 1]
        bound, slope = find_bound(keys, count, near.shape[1] - 1, bound, slope)
        kept = 0
        for j in range(len(keys)):
            near[b, kept] = keys[j]  # no branch that would be guessed wrong
            kept += keys[j] <= bound
        near[b, kept:] = ABOVE_ALL_KEYS


@jit
def count_up_to(keys: Ints, bound: int) -> int:
    """Count the keys up to a bound."""
    count = 0
    for j in range(len(keys)):
        count += keys[j] <= bound
    return count


@jit
def find_bound(keys: Ints, least: int, most: int, bound: int, slope: float) -> tuple[int, float]:
    """Return a bound that from `least` to `most` of the keys are within, and the slope found.

    The search starts from a guess. The slope, by how much a bound grows with the logarithm of its
    count, serves the next row.
    """
    low, high, few, many = -1, ABOVE_ALL_KEYS, 0.5, float(len(keys))
    wanted = np.log(0.5 * (least + most))
    for turns in range(1, MOST_TURNS):
        found = count_up_to(keys, bound)
        if least <= found <= most:
            return bound, slope
        if found < least:
            low, few = bound, found + 0.5
        else:
            high, many = bound, float(found)
        if low < 0 or high == ABOVE_ALL_KEYS:  # no bound on the other side is known yet
            step = slope * (wanted - np.log(found + 0.5)) * turns
            size = min(max(abs(step), SHORTEST_STEP * 2.0**turns), LONGEST_STEP)
            more = min(int(size), ABOVE_ALL_KEYS - bound)
            bound = bound + more if found < least else max(bound - int(size), 0)
        else:
            slope = (high - low) / (np.log(many) - np.log(few))
            share = (wanted - np.log(few)) / (np.log(many) - np.log(few))
            share = min(max(share, 0.1), 0.9) if turns % 4 else 0.5
            bound = low + max(int(share * (high - low)), 1)
    return EMPTY_BOUND, slope


@jit_strict
def are_apart(squared: Floats, share: float, slack: Floats) -> bool:
    """Tell whether ascending numbers in rows grow by more than a share and some slack."""
    for b in range(len(squared)):
        row, close = squared[b], 0
        for j in range(1, len(row)):
            close += row[j] * (1 - share) - row[j - 1] <= slack[b]
        if close:
            return False
    return True
