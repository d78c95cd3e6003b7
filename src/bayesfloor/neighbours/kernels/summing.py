"""The second half of a row's work in compiled engines: sorted neighbours are summed by rank."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bayesfloor.base.arrays import Floats, Floats32, Ints
from bayesfloor.neighbours.kernels.bits import (
    EXPONENT_BIAS,
    EXPONENT_OF_ONE,
    MANTISSA_MASK,
    MOST_FACTORS,
    TINY_SQUARED,
)
from bayesfloor.neighbours.kernels.jit import jit
from bayesfloor.neighbours.kernels.kernel_input import KernelInput
from bayesfloor.neighbours.kernels.ordering import Scratch
from bayesfloor.neighbours.task import BatchSums
from bayesfloor.neighbours.ties import TIE_TOLERANCE

LOG_TWO = float(np.log(2))
"""Logarithm of 2, by which the sum of exponents enters the sum of logarithms."""


class Sums(NamedTuple):
    """Running sums over the rows, up to date after `flush_logs`."""

    products: Floats  # (f + 1, K)
    log_squared: Floats  # (K,)
    away: Floats  # (K,) rows whose k-th neighbour is at a positive distance
    local: Floats  # (u, c of the first field), shared between all sums
    mantissa: Floats  # (K,) product of the factors not yet in log_squared, all between 1 and 2
    exponent: Ints  # (K,) sum of the powers of two not yet in log_squared
    factors: Ints  # (1,) their number


def new_sums(data: KernelInput, ranks: int, local: Floats) -> Sums:
    """Return empty sums."""
    return Sums(
        np.zeros((len(data.begins), ranks)),
        np.zeros(ranks),
        np.zeros(ranks),
        local,
        np.ones(ranks),
        np.zeros(ranks, dtype=np.int64),
        np.zeros(1, dtype=np.int64),
    )


def batch_sums(rows: Ints, sums: Sums, local: Floats, data: KernelInput) -> BatchSums:
    """Return finished sums as those of a batch of rows."""
    products = sums.products if data.leverage.shape[1] else sums.products[:-1]
    return BatchSums(rows, products, sums.log_squared, sums.away, local)


@jit
def add_row(i: int, scratch: Scratch, m: int, data: KernelInput, sums: Sums) -> None:
    """Add the m sorted neighbours of row i to the sums."""
    ranks = len(sums.away)
    if is_tied(scratch.sorted_keys, min(m, ranks + 1)):
        add_tied(i, scratch, m, data, sums)
    elif m >= ranks and is_single(i, scratch.sorted_items[:ranks], data):
        add_single_rows(i, scratch, data, sums)
    else:
        add_cells(i, scratch, m, data, sums)


@jit
def is_tied(keys: Floats, m: int) -> bool:
    """Tell whether two neighbours are at one distance, or one is too near to keep its digits."""
    tied = m > 0 and keys[0] < TINY_SQUARED
    for a in range(1, m):
        tied |= keys[a] <= keys[a - 1] * (1 + TIE_TOLERANCE)
    return tied


@jit
def is_single(i: int, items: Ints, data: KernelInput) -> bool:
    """Tell whether a point and its neighbours have one row each."""
    if data.single:
        return True
    rows = data.sizes[i]
    for item in items:
        rows += data.sizes[item]
    return rows == len(items) + 1


@jit
def add_single_rows(i: int, scratch: Scratch, data: KernelInput, sums: Sums) -> None:
    """Add a row whose k-th neighbour has rank k."""
    ranks, items, values = len(sums.away), scratch.sorted_items, scratch.values
    for f in range(len(data.begins) - 1):
        for c in range(data.begins[f], data.begins[f + 1]):
            own, products = data.columns[i, c], sums.products[f]
            for r in range(ranks):
                values[r] = data.columns[items[r], c]
            for r in range(ranks):
                products[r] += own * values[r]
            if f == 0:
                total = 0.0
                for r in range(data.near):
                    total += values[r]
                sums.local[i, c] = total
    for r in data.leverage_ranks:
        sums.products[-1, r] += leverage_product(data.leverage, i, items[r])
    add_logs(scratch.sorted_keys.view(np.int64), values, sums)


@jit
def leverage_product(leverage: Floats32, i: int, item: int) -> float:
    """Multiply the leverage vectors of two points."""
    total = 0.0
    for c in range(leverage.shape[1]):
        total += np.float64(leverage[i, c]) * np.float64(leverage[item, c])
    return total


@jit
def add_logs(bits: Ints, values: Floats, sums: Sums) -> None:
    """Add the logarithms of positive numbers, given by their bits, by way of their products."""
    factor, exponent, mantissa = values.view(np.int64), sums.exponent, sums.mantissa
    for r in range(len(values)):
        exponent[r] += (bits[r] >> 52) - EXPONENT_BIAS
    for r in range(len(values)):
        factor[r] = bits[r] & MANTISSA_MASK | EXPONENT_OF_ONE
    for r in range(len(values)):
        mantissa[r] *= values[r]
    sums.factors[0] += 1
    if sums.factors[0] == MOST_FACTORS:
        flush_logs(sums)


@jit
def flush_logs(sums: Sums) -> None:
    """Move the logarithms of the products that are pending into the sums."""
    for r in range(len(sums.away)):
        sums.log_squared[r] += np.log(sums.mantissa[r]) + sums.exponent[r] * LOG_TWO
        sums.mantissa[r], sums.exponent[r] = 1.0, 0
        sums.away[r] += sums.factors[0]
    sums.factors[0] = 0


@jit
def add_cells(i: int, scratch: Scratch, m: int, data: KernelInput, sums: Sums) -> None:
    """Add a row whose neighbours are cells without ties; each takes up a rank for each of its rows.

    The first ranks are those of the other rows in the row's own cell.
    """
    ranks, size, cells, shares = len(sums.away), data.sizes[i], scratch.cells, scratch.shares
    first = stop = add_own_cell(i, data, sums)
    for a in range(m):
        if stop == ranks:
            break
        item, start = scratch.sorted_items[a], stop
        rows, log = data.sizes[item], size * np.log(scratch.sorted_keys[a])
        stop = min(start + rows, ranks)
        for r in range(start, stop):
            cells[r], shares[r] = item, 1 / rows
            sums.log_squared[r] += log
            sums.away[r] += size
    for f in range(len(data.begins) - 1):
        for c in range(data.begins[f], data.begins[f + 1]):
            own, total = data.columns[i, c], 0.0
            for r in range(first, stop):
                value = data.columns[cells[r], c] * shares[r]
                sums.products[f, r] += own * value
                total += value if r < data.near else 0.0
            if f == 0:
                sums.local[i, c] = total
    for r in data.leverage_ranks:
        if first <= r < stop:
            sums.products[-1, r] += leverage_product(data.leverage, i, cells[r]) * shares[r]


@jit
def own_ranks(i: int, data: KernelInput) -> int:
    """Return the ranks that the other rows of the own cell take: none if rows have groups."""
    return 0 if len(data.groups) > 0 else data.sizes[i] - 1


@jit
def other_cells(i: int, data: KernelInput) -> int:
    """Return the number of cells that may be neighbours."""
    return len(data.sizes) - (data.own_cells[i] if len(data.groups) > 0 else 1)


@jit
def add_own_cell(i: int, data: KernelInput, sums: Sums) -> int:
    """Add the other rows of a row's own cell, which take the first ranks; return how many."""
    ranks = min(own_ranks(i, data), len(sums.away))
    for f in range(len(data.begins)):
        for r in range(ranks):
            sums.products[f, r] += data.own[i, f]
    return ranks


@jit
def add_tied(i: int, scratch: Scratch, m: int, data: KernelInput, sums: Sums) -> None:
    """Add a row with tied neighbours: every rank of a tie group gets the mean of the group."""
    ranks, size, keys = len(sums.away), data.sizes[i], scratch.sorted_keys
    start, a = add_own_cell(i, data, sums), 0
    sums.local[i, :] = 0.0
    while a < m and start < ranks:
        b, rows = a, 0
        while b < m and (b == a or keys[b] <= keys[b - 1] * (1 + TIE_TOLERANCE)):
            rows += data.sizes[scratch.sorted_items[b]]
            b += 1
        stop = min(start + rows, ranks)
        add_tie_group(i, scratch.sorted_items[a:b], rows, start, stop, data, sums)
        if keys[a] > 0:
            log = size * np.log(keys[a])
            for r in range(start, stop):
                sums.log_squared[r] += log
                sums.away[r] += size
        start, a = start + rows, b


@jit
def add_tie_group(
    i: int, items: Ints, rows: int, start: int, stop: int, data: KernelInput, sums: Sums
) -> None:
    """Add the products of row i with a tie group that covers the ranks from start to stop."""
    near = max(0, min(data.near, stop) - start)
    for f in range(len(data.begins) - 1):
        product = 0.0
        for c in range(data.begins[f], data.begins[f + 1]):
            mean = 0.0
            for item in items:
                mean += data.columns[item, c]
            mean /= rows
            product += data.columns[i, c] * mean
            if f == 0:
                sums.local[i, c] += near * mean
        for r in range(start, stop):
            sums.products[f, r] += product
    if any_between(data.leverage_ranks, start, stop):
        product = 0.0
        for item in items:
            product += leverage_product(data.leverage, i, item)
        for r in range(start, stop):
            sums.products[-1, r] += product / rows


@jit
def any_between(ranks: Ints, start: int, stop: int) -> bool:
    """Tell whether one of some ascending ranks is from `start` to below `stop`."""
    for r in ranks:
        if r >= start:
            return bool(r < stop)
    return False
