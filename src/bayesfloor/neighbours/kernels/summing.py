"""What the compiled engines do with one row, then: ordered neighbours to sums over the ranks."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bayesfloor.base.arrays import Floats, Floats32, Ints
from bayesfloor.neighbours.kernels.bits import BIAS, FACTORS, MANTISSA, ONE, TINY
from bayesfloor.neighbours.kernels.jit import compiled
from bayesfloor.neighbours.kernels.ordering import Load, Scratch
from bayesfloor.neighbours.ties import TIE

LOG_TWO = float(np.log(2))


class Sums(NamedTuple):
    """Running sums over the rows, finished by `fold`."""

    products: Floats  # (f + 1, K)
    log_squared: Floats  # (K,)
    away: Floats  # (K,) rows whose k-th neighbour is at a positive distance
    local: Floats  # (u, c of the first field), shared between all sums
    mantissa: Floats  # (K,) product of the factors not yet in log_squared, all between 1 and 2
    exponent: Ints  # (K,) sum of the powers of two not yet in log_squared
    factors: Ints  # (1,) their number


def new_sums(load: Load, ranks: int, local: Floats) -> Sums:
    """Return empty sums."""
    return Sums(
        np.zeros((len(load.begins), ranks)),
        np.zeros(ranks),
        np.zeros(ranks),
        local,
        np.ones(ranks),
        np.zeros(ranks, dtype=np.int64),
        np.zeros(1, dtype=np.int64),
    )


@compiled
def add_row(i: int, scratch: Scratch, m: int, load: Load, sums: Sums) -> None:
    """Add the m ordered neighbours of row i to the sums."""
    ranks = len(sums.away)
    if is_tied(scratch.near_keys, min(m, ranks + 1)):
        add_shared(i, scratch, m, load, sums)
    elif m >= ranks and is_single(i, scratch.near_items[:ranks], load):
        add_plain(i, scratch, load, sums)
    else:
        add_apart(i, scratch, m, load, sums)


@compiled
def is_tied(keys: Floats, m: int) -> bool:
    """Tell whether neighbours are at one distance, or at one so small that its digits are lost."""
    tied = m > 0 and keys[0] < TINY
    for a in range(1, m):
        tied |= keys[a] <= keys[a - 1] * (1 + TIE)
    return tied


@compiled
def is_single(i: int, items: Ints, load: Load) -> bool:
    """Tell whether a point and its neighbours have one row each."""
    if load.single:
        return True
    rows = load.sizes[i]
    for item in items:
        rows += load.sizes[item]
    return rows == len(items) + 1


@compiled
def add_plain(i: int, scratch: Scratch, load: Load, sums: Sums) -> None:
    """Add a row whose k-th neighbour has rank k."""
    ranks, items, values = len(sums.away), scratch.near_items, scratch.values
    for f in range(len(load.begins) - 1):
        for c in range(load.begins[f], load.begins[f + 1]):
            own, products = load.columns[i, c], sums.products[f]
            for r in range(ranks):
                values[r] = load.columns[items[r], c]
            for r in range(ranks):
                products[r] += own * values[r]
            if f == 0:
                total = 0.0
                for r in range(load.near):
                    total += values[r]
                sums.local[i, c] = total
    for r in load.at:
        sums.products[-1, r] += thin_product(load.thin, i, items[r])
    add_logs(scratch.near_keys.view(np.int64), values, sums)


@compiled
def thin_product(thin: Floats32, i: int, item: int) -> float:
    """Multiply the thin field's vectors of two points."""
    total = 0.0
    for c in range(thin.shape[1]):
        total += np.float64(thin[i, c]) * np.float64(thin[item, c])
    return total


@compiled
def add_logs(bits: Ints, values: Floats, sums: Sums) -> None:
    """Add the logarithms of numbers, given by their bits: those of their products."""
    factor, exponent, mantissa = values.view(np.int64), sums.exponent, sums.mantissa
    for r in range(len(values)):
        exponent[r] += (bits[r] >> 52) - BIAS
    for r in range(len(values)):
        factor[r] = bits[r] & MANTISSA | ONE
    for r in range(len(values)):
        mantissa[r] *= values[r]
    sums.factors[0] += 1
    if sums.factors[0] == FACTORS:
        fold(sums)


@compiled
def fold(sums: Sums) -> None:
    """Bring the logarithms up to date."""
    for r in range(len(sums.away)):
        sums.log_squared[r] += np.log(sums.mantissa[r]) + sums.exponent[r] * LOG_TWO
        sums.mantissa[r], sums.exponent[r] = 1.0, 0
        sums.away[r] += sums.factors[0]
    sums.factors[0] = 0


@compiled
def add_apart(i: int, scratch: Scratch, m: int, load: Load, sums: Sums) -> None:
    """Add a row whose neighbours, at distances of their own, take up a rank for each of their rows.

    The first ranks are those of the other rows in its own cell.
    """
    ranks, size, cells, shares = len(sums.away), load.sizes[i], scratch.cells, scratch.shares
    first = stop = add_own(i, load, sums)
    for a in range(m):
        if stop == ranks:
            break
        item, start = scratch.near_items[a], stop
        rows, log = load.sizes[item], size * np.log(scratch.near_keys[a])
        stop = min(start + rows, ranks)
        for r in range(start, stop):
            cells[r], shares[r] = item, 1 / rows
            sums.log_squared[r] += log
            sums.away[r] += size
    for f in range(len(load.begins) - 1):
        for c in range(load.begins[f], load.begins[f + 1]):
            own, total = load.columns[i, c], 0.0
            for r in range(first, stop):
                value = load.columns[cells[r], c] * shares[r]
                sums.products[f, r] += own * value
                total += value if r < load.near else 0.0
            if f == 0:
                sums.local[i, c] = total
    for r in load.at:
        if first <= r < stop:
            sums.products[-1, r] += thin_product(load.thin, i, cells[r]) * shares[r]


@compiled
def add_own(i: int, load: Load, sums: Sums) -> int:
    """Add the other rows in the cell of a row, which take up the first ranks; return how many."""
    ranks = min(load.sizes[i] - 1, len(sums.away))
    for f in range(len(load.begins)):
        for r in range(ranks):
            sums.products[f, r] += load.own[i, f]
    return ranks


@compiled
def add_shared(i: int, scratch: Scratch, m: int, load: Load, sums: Sums) -> None:
    """Add a row whose neighbours share ranks: a tie group gives each of its ranks its mean."""
    ranks, size, keys = len(sums.away), load.sizes[i], scratch.near_keys
    start, a = add_own(i, load, sums), 0
    sums.local[i, :] = 0.0
    while a < m and start < ranks:
        b, rows = a, 0
        while b < m and (b == a or keys[b] <= keys[b - 1] * (1 + TIE)):
            rows += load.sizes[scratch.near_items[b]]
            b += 1
        stop = min(start + rows, ranks)
        add_group(i, scratch.near_items[a:b], rows, start, stop, load, sums)
        if keys[a] > 0:
            log = size * np.log(keys[a])
            for r in range(start, stop):
                sums.log_squared[r] += log
                sums.away[r] += size
        start, a = start + rows, b


@compiled
def add_group(
    i: int, items: Ints, rows: int, start: int, stop: int, load: Load, sums: Sums
) -> None:
    """Add the products of row i with a tie group that covers the ranks from start to stop."""
    near = max(0, min(load.near, stop) - start)
    for f in range(len(load.begins) - 1):
        product = 0.0
        for c in range(load.begins[f], load.begins[f + 1]):
            mean = 0.0
            for item in items:
                mean += load.columns[item, c]
            mean /= rows
            product += load.columns[i, c] * mean
            if f == 0:
                sums.local[i, c] += near * mean
        for r in range(start, stop):
            sums.products[f, r] += product
    if has_between(load.at, start, stop):
        product = 0.0
        for item in items:
            product += thin_product(load.thin, i, item)
        for r in range(start, stop):
            sums.products[-1, r] += product / rows


@compiled
def has_between(at: Ints, start: int, stop: int) -> bool:
    """Tell whether one of the ranks, ascending, lies between start and stop."""
    for r in at:
        if r >= start:
            return bool(r < stop)
    return False
