"""The compiled half of the engine for few points: the least numbers of each row, in no order.

Numbers carry their places in their last bits, so that no two are equal and some bound has the
wanted count of them below it. Counting is fast, so bounds are tried. As whole numbers, positive
doubles are nearly their logarithms: between two bounds the logarithm of the count is nearly
straight in them.
"""

from __future__ import annotations

import numpy as np

from bayesfloor.base.arrays import Floats, Ints
from bayesfloor.neighbours.kernels.jit import compiled, strict

LAST = 2**63 - 1
"""Above all numbers."""
SLOPE = 2.0**51
"""Of a bound with the logarithm of its count, before any has been tried: four dimensions."""
SHORTEST, LONGEST = 2.0**40, 2.0**54
"""Steps of a bound while the wanted one is not known to lie between two."""


@compiled
def select(rough: Floats, rows: Ints, count: int, places: int, near: Ints) -> None:
    """Write the least numbers of each row with their places, `count` of them or some more.

    Parameters
    ----------
    rough : (b, u) array
        Squared distances; they are overwritten.
    rows : (b,) array
        The place that each row leaves out, its own.
    count : int
        Numbers that are wanted of each row.
    places : int
        Mask of the bits that make way for places.
    near : (b, w) array
        Where they are written, filled up with `LAST`; the more room, the sooner they are found.
    """
    bound, slope = 0, SLOPE
    for b in range(len(rows)):
        keys = rough[b].view(np.int64)
        for j in range(len(keys)):
            keys[j] = max(keys[j], 0) & ~places | j  # below zero is rounding
        keys[rows[b]] = LAST
        if b == 0:
            bound = keys[0 if rows[b] else len(keys) - 1]
        bound, slope = bound_of(keys, count, near.shape[1] - 1, bound, slope)
        kept = 0
        for j in range(len(keys)):
            near[b, kept] = keys[j]  # no branch that would be guessed wrong
            kept += keys[j] <= bound
        near[b, kept:] = LAST


@compiled
def count_below(keys: Ints, bound: int) -> int:
    """Count the numbers up to a bound."""
    count = 0
    for j in range(len(keys)):
        count += keys[j] <= bound
    return count


@compiled
def bound_of(keys: Ints, least: int, most: int, bound: int, slope: float) -> tuple[int, float]:
    """Return a number that from `least` to `most` of the keys are up to, from a first guess.

    Returns too by how much it grows with the logarithm of the count, for the next row.
    """
    low, high, few, many = -1, LAST, 0.5, float(len(keys))
    wanted, turns = np.log(0.5 * (least + most)), 0
    while True:
        found = count_below(keys, bound)
        if least <= found <= most:
            return bound, slope
        turns += 1
        if found < least:
            low, few = bound, found + 0.5
        else:
            high, many = bound, float(found)
        if low < 0 or high == LAST:  # not known to lie between two
            step = slope * (wanted - np.log(found + 0.5)) * turns
            size = min(max(abs(step), SHORTEST * 2.0**turns), LONGEST)
            bound = bound + int(size) if found < least else max(bound - int(size), 0)
        else:
            slope = (high - low) / (np.log(many) - np.log(few))
            share = (wanted - np.log(few)) / (np.log(many) - np.log(few))
            share = min(max(share, 0.1), 0.9) if turns % 4 else 0.5
            bound = low + max(int(share * (high - low)), 1)


@strict
def are_apart(squared: Floats, share: float, slack: Floats) -> bool:
    """Tell whether numbers that ascend in rows do so by more than a share and some slack."""
    for b in range(len(squared)):
        row, close = squared[b], 0
        for j in range(1, len(row)):
            close += row[j] * (1 - share) - row[j - 1] <= slack[b]
        if close:
            return False
    return True
