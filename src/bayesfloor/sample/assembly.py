"""Columns become the points of a sample: centred, scaled by one power of two, stored by rows."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from bayesfloor.base.arrays import AnyArray, Floats, Ints
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
    centred = list(sharing.map(partial(_centred, executor=sharing), blocks))
    peak = max(max(float(values.max()), -float(values.min())) for values, _ in centred)
    d = sum(len(block) for block in blocks)
    if not math.isfinite(2 * peak * math.sqrt(d)):
        _check_extent([values for values, _ in centred])
    exponent = math.frexp(peak)[1] - 1 if peak else 0
    points = np.empty((len(labels), d))

    def fill(start: int) -> None:
        rows, first = slice(start, start + limits.block), 0
        for values, _ in centred:
            last = first + len(values)
            _divide(values[:, rows].T, exponent, points[rows, first:last])
            first = last
        points[rows] += 0.0  # -0.0 becomes 0.0: equal points have equal bytes

    list(executor.map(fill, range(0, len(labels), limits.block)))
    distinct = max(gap for _, gap in centred) > SMALLEST_GAP * peak
    return Sample(points, labels, classes, math.ldexp(1.0, exponent), distinct)


def _check_extent(blocks: Sequence[AnyArray]) -> None:
    """Refuse points that may be farther apart than the largest number, or are not finite.

    Compiled code must not get such a number, and no distance between the points could be named.
    """
    halves = [(block.max(axis=1) / 2 - block.min(axis=1) / 2) for block in blocks]
    extent = np.concatenate(halves).astype(np.float64)
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


def _centred(block: AnyArray, executor: Executor) -> tuple[AnyArray, float]:
    """Subtract its lower median from each row, so that grids stay exact.

    The median is one of the row's own values. A row far from zero loses nothing, as the difference
    of floats within a factor of two is exact (Sterbenz). A row that spans many magnitudes could
    lose digits: it stays as it is unless the gaps between its sorted values survive, to nine
    digits.

    Returns the rows, and the widest of their smallest gaps between sorted values (0 if unknown).
    """
    if block.dtype.kind in "biu":
        return _integer_offsets(block), 0.0
    wide = block.astype(np.result_type(block.dtype, np.float64), order="C")
    half = (wide.shape[1] - 1) // 2
    ordered = _sorted(wide, half, executor)
    middle = ordered[:, half : half + 1].copy()
    gaps = ordered[:, 1:] - ordered[:, :-1]
    ordered -= middle
    kept = (
        np.abs(ordered[:, 1:] - ordered[:, :-1] - gaps) <= NINE_DIGITS * gaps
    )  # false on overflow
    least = float(gaps.min(axis=1).max()) if wide.dtype == np.float64 else 0.0
    wide -= np.where(kept.all(axis=1, keepdims=True), middle, 0.0)
    return wide, least


def _sorted(rows: AnyArray, half: int, executor: Executor) -> AnyArray:
    """Sort each row, by halves where several workers can share them."""
    if executor.workers == 1:
        return np.sort(rows)
    ordered = np.partition(rows, half)
    list(executor.map(np.ndarray.sort, [ordered[:, :half], ordered[:, half:]]))
    return ordered


def _integer_offsets(block: AnyArray) -> Floats:
    """Subtract the lower median in 64-bit integers, where differences that wrap are still right."""
    wide = block.astype(np.uint64 if block.dtype.kind == "u" else np.int64, order="C")
    half = (wide.shape[1] - 1) // 2
    middle = np.partition(wide, half)[:, half : half + 1]
    above = wide >= middle
    distance = np.where(above, wide - middle, middle - wide).view(np.uint64).astype(np.float64)
    return np.where(above, distance, -distance)
