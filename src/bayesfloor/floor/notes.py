"""Sentences a reader must know before trusting a number."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator

import numpy as np

from bayesfloor.base.formatting import cut
from bayesfloor.bounds.henze_penrose import independent_mismatch
from bayesfloor.curve.intrinsic_dimension import crowding
from bayesfloor.representation import Representation
from bayesfloor.representation.pooling import PooledMismatch
from bayesfloor.sample.gate import Sample

FEW_ROWS = 30
MANY_DUPLICATES = 0.1
MANY_VALUES = 0.1
"""Share of the rows that have a value of their own in each column, where columns are continuous."""
SMALLEST = 1e-300
"""Stands for a radius of zero, whose logarithm is none."""
BEYOND = 3.0
"""Standard errors beyond which an impossible mismatch is not chance."""
LOW_DIMENSION = 3
"""Intrinsic dimension that is never high."""
SMALL_GAP = 0.1
"""Maps are learned well if more rows would win less than this share of the mismatch."""


def make_notes(
    sample: Sample,
    represented: Representation,
    solved: PooledMismatch,
    method: str,
    tolerance: float | None = None,
) -> tuple[str, ...]:
    """Collect the warnings that apply."""
    notes = [
        *_searched(sample, solved),
        *_not_met(solved, tolerance),
        *_small_classes(sample),
        *(_high_dimension(sample, solved) if represented.is_raw else _learned(represented)),
        *_few_rows(sample, represented, solved),
        *(_constant() if is_constant(sample) else _duplicates(solved)),
        *_near_copies(sample, represented, solved),
        *_clipped(sample, solved),
        *_useless(sample, solved.se),
    ]
    if method != "wnn":
        notes.append(f"The interval of {method} holds its sampling noise but not its bias.")
    return tuple(notes)


def _searched(sample: Sample, solved: PooledMismatch) -> Iterator[str]:
    if solved.searched < sample.n:
        yield (
            f"The neighbours of {solved.searched:,} of {sample.n:,} rows, drawn at random, were"
            " searched before the tolerance was met or time was up; the intervals include that"
            " noise."
        )


def _not_met(solved: PooledMismatch, tolerance: float | None) -> Iterator[str]:
    if tolerance is not None and solved.se > tolerance:
        yield (
            f"The tolerance of {tolerance:g} was not met: the standard error of the mismatch is"
            f" {solved.se:.2g}."
        )


def _small_classes(sample: Sample) -> Iterator[str]:
    few = [
        f"{cut(str(name))} ({count})"
        for name, count in zip(sample.classes.tolist(), sample.counts, strict=True)
        if count < FEW_ROWS
    ]
    if few:
        shown = ", ".join(few[:5]) + (f" and {len(few) - 5} more" if len(few) > 5 else "")
        yield f"Classes with fewer than {FEW_ROWS} rows say little: {shown}."


def _high_dimension(sample: Sample, solved: PooledMismatch) -> Iterator[str]:
    curve = solved.curve
    near, far = curve.radius[0], curve.radius[-1]
    high = curve.intrinsic_dimension > LOW_DIMENSION  # ties make distances equal too
    if high and far > 0 and near > far / 2 and len(curve.rank) > 5:
        yield (
            f"The intrinsic dimension, about {curve.intrinsic_dimension:.0f}, is high for"
            f" {sample.n:,} rows: the nearest neighbour is more than half as far as the"
            f" {curve.rank[-1]}th, so the answer leans on the smooth trend of the labels and may"
            " miss finer structure."
        )


def _learned(represented: Representation) -> Iterator[str]:
    maps = ", ".join(f"{name} ({n})" for name, n in Counter(represented.chosen).most_common())
    yield (
        f"The neighbours were searched among numbers learned from the other rows, by {maps}: the"
        " upper bound holds whatever was learned, the lower bound if nothing that matters was lost."
    )


def _few_rows(sample: Sample, represented: Representation, solved: PooledMismatch) -> Iterator[str]:
    """Say how many rows it would take for maps to be learned well."""
    if represented.is_raw:
        return
    n, d = sample.n, sample.d
    wanted = max(10 * d, n * represented.gap / (SMALL_GAP * max(solved.mismatch, 1 / n)))
    if wanted <= max(n, 10 * d) and n >= 10 * d:
        return
    doubt = (
        f"{n:,} rows are too few for so many columns to say how low the error can go, so the"
        " interval reaches down to 0"
        if represented.is_guess
        else f"With more rows than {n:,} the maps would likely still improve"
    )
    yield f"{doubt}; about {_rounded_up(wanted)} would settle it."


def _rounded_up(count: float) -> str:
    """Write a count with one digit, rounded up."""
    unit = 10 ** int(math.log10(count))
    return f"{math.ceil(count / unit) * unit:,}"


def is_constant(sample: Sample) -> bool:
    """Tell points that are all the same."""
    first = sample.points[0]
    return bool((sample.points[-1] == first).all() and (sample.points == first).all())


def _constant() -> Iterator[str]:
    yield (
        "All rows have the same values, so these columns say nothing of the label, and no"
        " classifier does better than to name the commonest class."
    )


def _duplicates(solved: PooledMismatch) -> Iterator[str]:
    if solved.duplicates > MANY_DUPLICATES:
        yield (
            f"{solved.duplicates:.0%} of the rows equal another row; if these are copies rather"
            " than repeated measurements, remove them, because copies look like certainty."
        )


def _near_copies(
    sample: Sample, represented: Representation, solved: PooledMismatch
) -> Iterator[str]:
    """Tell rows that follow from others; where columns take few values, rows crowd without it."""
    if solved.duplicates > MANY_DUPLICATES:
        return
    if represented.is_raw:
        nearer = crowding(2 * np.log(solved.curve.radius.clip(SMALLEST)), solved.searched)
    else:
        nearer = represented.locality.crowding if represented.locality else 0.0
    if nearer and all(len(np.unique(c)) > MANY_VALUES * sample.n for c in sample.points.T):
        yield (
            f"Nearest neighbours are {nearer:.0%} nearer than those of independent rows would be:"
            " some rows look like near copies of others, as measurements of one thing or moments of"
            " one recording do. If so, keep one of each, because copies look like certainty."
        )


def _clipped(sample: Sample, solved: PooledMismatch) -> Iterator[str]:
    ceiling = independent_mismatch(sample.priors)
    if solved.mismatch < 0:
        yield "The estimated mismatch is below zero, within its error; the bounds are clipped to 0."
    elif solved.mismatch > min(ceiling + BEYOND * solved.se, 1.0):
        yield (
            "Neighbours differ in their label more often than any two rows, as on a chessboard: the"
            " columns do tell of the label, in a way that comparing neighbours turns round, so do"
            " not trust this answer."
        )
    elif solved.mismatch > ceiling:
        yield (
            "The estimated mismatch is above that of labels independent of the columns, within its"
            " error; the bounds are clipped there."
        )


def _useless(sample: Sample, se: float) -> Iterator[str]:
    if se > independent_mismatch(sample.priors):
        yield "The standard error exceeds all possible values, so the estimate says nothing."
