"""Columns become the points of a sample: centred, scaled by one power of two, stored by rows."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from bayesfloor.base.arrays import AnyArray, Bools, Floats, Ints
from bayesfloor.base.errors import DataError
from bayesfloor.base.executor import ALL_CORES, ONE_THREAD, Executor
from bayesfloor.base.memory import available_memory, show_size
from bayesfloor.base.memory_costs import assembly_bytes
from bayesfloor.sample.sample import Sample

SMALLEST_GAP = 1e-280
"""Gap between values, as a share of the largest magnitude, that no scaling here rounds to zero: it
is a power of ten above the smallest normal double."""
SAFE_EXPONENT = 1000
"""Powers of two up to this one, and their inverses, are doubles (the largest has exponent 1023)."""
NINE_DIGITS = 2.0**-30
"""Relative change of a gap that leaves nine digits of it."""

SMALL_TABLE = 100_000_000
"""Bytes up to which memory is not asked for: about what the libraries of a call take anyway."""


@dataclass(frozen=True, slots=True)
class AssemblyLimits:
    """Sizes from which on columns are worked on piece by piece; results do not depend on them."""

    long: int = 100_000  # rows of a column that is worth sharing out between workers
    block: int = 65_536  # rows that are stored at a time: some hundred kilobytes a column


LIMITS = AssemblyLimits()
"""The sizes that are used; others are for tests."""


def fitting_limits(
    n: int,
    d: int,
    limits: AssemblyLimits = LIMITS,
    *,
    executor: Executor = ALL_CORES,
    memory: Callable[[], int] = available_memory,
) -> AssemblyLimits:
    """Return limits that fit into the memory: columns a few at a time where all would not.

    Tables whose columns do not fit even so are refused. Memory is not asked for if it is little.
    """
    least = assembly_bytes(n, d, at_a_time=executor.workers)
    whole = least if n > limits.long else assembly_bytes(n, d, at_a_time=d)
    if whole <= SMALL_TABLE:
        return limits
    room = memory()
    if least > room:
        needs = f"would take about {show_size(least)} of memory, and {show_size(room)} are left"
        raise DataError(f"{n:,} rows of {d:,} columns {needs}; pass fewer rows or columns")
    return limits if whole <= room else replace(limits, long=0)


@dataclass(frozen=True, slots=True)
class Centring:
    """What is subtracted from the rows of a block, and what that leaves.

    The rows themselves stay as they came: they are centred a piece at a time, when they are stored.
    """

    block: AnyArray  # (c, n)
    middles: AnyArray  # (c, 1), zero where a row stays as it is
    lows: AnyArray  # (c,), centred
    highs: AnyArray  # (c,), centred
    gap: float  # widest of the rows' smallest gaps between sorted values, 0 if unknown

    def centred(self, rows: slice) -> AnyArray:
        """Return some of the values, centred."""
        part = self.block[:, rows].astype(self.middles.dtype)
        if part.dtype.kind in "iu":
            return _integer_offsets(part, self.middles)
        part -= self.middles
        return part


@np.errstate(all="ignore")
def assemble(
    blocks: Sequence[AnyArray],
    labels: Ints,
    classes: AnyArray,
    *,
    executor: Executor = ALL_CORES,
    limits: AssemblyLimits = LIMITS,
) -> Sample:
    """Centre the columns and divide them by the power of two below their largest magnitude.

    `blocks` are the columns as rows of arrays, see `as_blocks`.
    """
    sharing = executor if len(labels) > limits.long else ONE_THREAD
    found = list(sharing.map(partial(_centring, executor=sharing, limits=limits), blocks))
    peak = max(max(float(one.highs.max()), -float(one.lows.min())) for one in found)
    d = sum(len(block) for block in blocks)
    if not math.isfinite(2 * peak * math.sqrt(d)):
        _check_extent(found)
    exponent = math.frexp(peak)[1] - 1 if peak else 0
    points = np.empty((len(labels), d))

    def fill(start: int) -> None:
        rows, first = slice(start, start + limits.block), 0
        for one in found:
            last = first + len(one.block)
            _divide(one.centred(rows).T, exponent, points[rows, first:last])
            first = last
        points[rows] += 0.0  # -0.0 becomes 0.0: equal points have equal bytes

    list(executor.map(fill, range(0, len(labels), limits.block)))
    distinct = max(one.gap for one in found) > SMALLEST_GAP * peak
    return Sample(points, labels, classes, math.ldexp(1.0, exponent), distinct)


def _check_extent(found: Sequence[Centring]) -> None:
    """Refuse points that may be farther apart than the largest number, or are not finite.

    Compiled code must not get such a number, and no distance between the points could be named.
    """
    extent = np.concatenate([one.highs / 2 - one.lows / 2 for one in found]).astype(np.float64)
    longest = float(extent.max())
    if not math.isfinite(2 * longest * float(np.linalg.norm(extent / longest))):
        came = "rows differ by more than the largest number, 1.8e308"
        raise DataError(f"{came}; divide all values by a million")


def _divide(values: AnyArray, exponent: int, out: Floats) -> None:
    """Divide by a power of two: by a product, unless the inverse of that power overflows."""
    if abs(exponent) < SAFE_EXPONENT:
        np.multiply(values, 2.0**-exponent, out=out, casting="same_kind")
    else:
        np.ldexp(values, -exponent, out=out, casting="same_kind")


def as_blocks(
    columns: Sequence[AnyArray] | AnyArray, limits: AssemblyLimits = LIMITS
) -> list[AnyArray]:
    """Return columns as rows of arrays: in one array if they have one type and are short."""
    if len(columns[0]) <= limits.long:
        if isinstance(columns, np.ndarray):
            return [columns]
        if len({values.dtype for values in columns}) == 1:
            return [np.stack(columns)]
    return [values[None] for values in columns]


def _centring(block: AnyArray, executor: Executor, limits: AssemblyLimits) -> Centring:
    """Find the lower median of each row, which is subtracted so that grids stay exact.

    The median is one of the row's own values. A row far from zero loses nothing, as the difference
    of floats within a factor of two is exact (Sterbenz). A row that spans many magnitudes could
    lose digits: it stays as it is unless the gaps between its sorted values survive, to nine
    digits.
    """
    half = (block.shape[1] - 1) // 2
    if block.dtype.kind in "biu":
        wide = block.astype(np.uint64 if block.dtype.kind == "u" else np.int64, order="C")
        middles = np.partition(wide, half)[:, half : half + 1].copy()  # not a view of all
        ends = wide.min(axis=1), wide.max(axis=1)
        lows, highs = (_integer_offsets(end[:, None], middles)[:, 0] for end in ends)
        return Centring(block, middles, lows, highs, 0.0)
    ordered = _sorted(block, half, executor)
    wider = np.result_type(block.dtype, np.float64)
    medians = ordered[:, half : half + 1].astype(wider)
    kept, least = _gaps(ordered, medians, limits.block)
    subtracted = np.where(kept[:, None], medians, wider.type(0))
    low, high = (ordered[:, [end]].astype(wider) - subtracted for end in (0, -1))
    gap = float(least.max()) if wider == np.float64 else 0.0
    return Centring(block, subtracted, low[:, 0], high[:, 0], gap)


def _gaps(ordered: AnyArray, middles: AnyArray, piece: int) -> tuple[Bools, AnyArray]:
    """Tell the sorted rows whose gaps survive that the middle is subtracted, and the least gaps."""
    kept = np.ones(len(ordered), dtype=np.bool_)
    least = np.full(len(ordered), np.inf, dtype=middles.dtype)
    for start in range(0, ordered.shape[1] - 1, piece):
        values = ordered[:, start : start + piece + 1].astype(middles.dtype)
        gaps = values[:, 1:] - values[:, :-1]
        np.minimum(least, gaps.min(axis=1), out=least)
        values -= middles
        change = np.abs(values[:, 1:] - values[:, :-1] - gaps)
        kept &= (change <= NINE_DIGITS * gaps).all(axis=1)  # false on overflow
    return kept, least


def _sorted(rows: AnyArray, half: int, executor: Executor) -> AnyArray:
    """Sort each row, by halves where several workers can share them."""
    if executor.workers == 1:
        return np.sort(rows)
    ordered = np.partition(rows, half)
    list(executor.map(np.ndarray.sort, [ordered[:, :half], ordered[:, half:]]))
    return ordered


def _integer_offsets(wide: AnyArray, middles: AnyArray) -> Floats:
    """Subtract the middles in 64-bit integers, where differences that wrap are still right."""
    above = wide >= middles
    distance = np.where(above, wide - middles, middles - wide).view(np.uint64).astype(np.float64)
    return np.where(above, distance, -distance)
