"""Rows in time order are cut into blocks, which act as groups: neighbours in time tell the label.

A block is `BLOCK_LENGTHS` times as long as labels stay alike, so that few rows lie near the end of
one. Labels are compared at 1, 2, 4, ... rows apart, until they agree no more often than by chance.
A block has at least the cube root of all rows, as in a block bootstrap (Künsch 1989), and there are
`FEWEST_BLOCKS` at least.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from bayesfloor.base.arrays import AnyArray, Floats, Ints
from bayesfloor.base.errors import DataError
from bayesfloor.sample.groups import one_value_a_row

BLOCK_LENGTHS = 10
"""Length of a block over the distance at which labels stop to agree: one row in ten or so is near
the rows of another block. A judgement."""
FEWEST_BLOCKS = 10
"""Blocks at least, as fewer say little about the noise: a judgement."""
SURELY_ALIKE = 3.0
"""Standard errors by which labels must agree more often than by chance to count as alike."""


def time_blocks(time: Any, labels: Ints) -> Ints:
    """Return the block of each row, coded in the order of time, two of them or more.

    Parameters
    ----------
    time : array of length n
        Numbers or dates, in any order.
    labels : (n,) array
        The class of each row.

    Examples
    --------
    >>> blocks = time_blocks(np.arange(2000), np.arange(2000) // 20 % 2)
    >>> int(blocks.max()) + 1, np.bincount(blocks).tolist()[:3]
    (12, [167, 167, 166])
    """
    moments = _moments(time, len(labels))
    order = np.argsort(moments, kind="stable")
    in_order = moments[order]
    place = np.searchsorted(in_order, moments)  # rows of one moment share a block
    blocks = place * block_number(labels[order]) // len(labels)
    codes = np.unique(blocks, return_inverse=True)[1]
    if codes.max() == 0:
        raise DataError("time has the same value in nearly all rows; leave time= out")
    return codes


def block_number(labels: Ints) -> int:
    """Return the number of blocks of rows in time order."""
    n = len(labels)
    length = max(BLOCK_LENGTHS * alike_for(labels), n ** (1 / 3))
    return max(min(int(n / length), n // 2), min(FEWEST_BLOCKS, n // 2), 2)


def alike_for(labels: Ints) -> int:
    """Return at which distance, 1, 2, 4, ... rows, labels agree no more often than by chance.

    Examples
    --------
    >>> alike_for(np.random.default_rng(0).integers(0, 2, 1000))
    1
    """
    n, shares = len(labels), np.bincount(labels) / len(labels)
    chance = float(shares @ shares)
    apart = 1
    while apart < n // 2:
        agree = float(np.mean(labels[apart:] == labels[:-apart]))
        if agree - chance < SURELY_ALIKE * (chance * (1 - chance) / (n - apart)) ** 0.5:
            break
        apart *= 2
    return apart


def _moments(time: Any, n: int) -> Floats:
    """Return numbers or dates as numbers."""
    values: AnyArray = one_value_a_row(time, n, name="time")
    if values.dtype.kind == "O":
        values = _unboxed(values)
    if values.dtype.kind in "Mm":
        values = values.astype(np.int64)
    if values.dtype.kind not in "biuf":
        raise DataError("time holds text; pass numbers or dates")
    moments = values.astype(np.float64)
    if not np.isfinite(moments).all():
        row = int(np.argmin(np.isfinite(moments)))
        raise DataError(f"time is infinite in row {row}; pass finite numbers or dates")
    return moments


def _unboxed(values: AnyArray) -> AnyArray:
    """Return Python's numbers or dates as a plain column, if they are all of a kind."""
    for dtype in (np.float64, "datetime64[us]"):
        try:
            return values.astype(dtype)
        except (TypeError, ValueError):
            continue
    return values
