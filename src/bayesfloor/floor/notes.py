"""Sentences a reader must know before trusting a number."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator

import numpy as np

from bayesfloor.base.formatting import cut
from bayesfloor.base.settings import Settings
from bayesfloor.bounds.henze_penrose import independent_mismatch
from bayesfloor.curve.intrinsic_dimension import crowding
from bayesfloor.estimators.method import Method
from bayesfloor.representation import Representation
from bayesfloor.representation.pooling import PooledMismatch
from bayesfloor.sample.sample import Sample

FEW_ROWS = 30
"""Rows of a class below which it says little: the usual rule of thumb."""
MANY_DUPLICATES = 0.1
"""Share of rows with an exact copy from which on it is mentioned: a judgement."""
CONTINUOUS_VALUES = 0.1
"""Different values of a continuous column, at least, as a share of the rows: a judgement."""
ZERO_RADIUS = 1e-300
"""Stands for a radius of zero, which has no logarithm."""
IMPOSSIBLE_ERRORS = 3.0
"""Standard errors beyond which an impossible mismatch is not chance: a judgement."""
NEVER_HIGH_DIMENSION = 3
"""Intrinsic dimension that is never called high: a judgement."""
FAR_NEAREST = 0.5
"""Distance of the nearest neighbour over the last from which on neighbours are called far:
a judgement."""
SHORT_CURVE = 5
"""Ranks up to which a curve is too short to judge distances by: a judgement."""
SMALL_GAP = 0.1
"""Maps are learned well if more rows would lower the mismatch by less than this share of it."""
ROWS_PER_COLUMN = 10
"""Rows for each column that learning wants, at least: the usual rule of thumb."""


def make_notes(
    sample: Sample,
    measured: Representation,
    pooled: PooledMismatch,
    method: Method,
    settings: Settings,
) -> tuple[str, ...]:
    """Collect the warnings that apply."""
    notes = [
        *_searched(sample, pooled),
        *_not_met(pooled, settings.tolerance),
        *_small_classes(sample),
        *(_high_dimension(sample, pooled) if measured.is_raw else _learned(measured)),
        *_few_rows(sample, measured, pooled),
        *(_constant() if is_constant(sample) else _duplicates(pooled)),
        *_near_copies(sample, measured, pooled),
        *_clipped(sample, pooled),
        *_useless(sample, pooled.se),
    ]
    if not method.covers_bias:
        notes.append(f"The interval of {settings.method} covers its sampling error, not its bias.")
    return tuple(notes)


def _searched(sample: Sample, pooled: PooledMismatch) -> Iterator[str]:
    if pooled.searched < sample.n:
        yield (
            f"The neighbours of {pooled.searched:,} of {sample.n:,} rows, drawn at random, were"
            " searched before the tolerance was met or time was up; the intervals allow for that."
        )


def _not_met(pooled: PooledMismatch, tolerance: float | None) -> Iterator[str]:
    if tolerance is not None and pooled.se > tolerance:
        yield (
            f"The tolerance of {tolerance:g} was not met: the standard error of the mismatch is"
            f" {pooled.se:.2g}."
        )


def _small_classes(sample: Sample) -> Iterator[str]:
    few = [
        f"{cut(str(name))} ({count})"
        for name, count in zip(sample.classes.tolist(), sample.counts, strict=True)
        if count < FEW_ROWS
    ]
    if few:
        shown = ", ".join(few[:5]) + (f" and {len(few) - 5} more" if len(few) > 5 else "")
        yield f"Classes with fewer than {FEW_ROWS} rows tell little: {shown}."


def _high_dimension(sample: Sample, pooled: PooledMismatch) -> Iterator[str]:
    curve = pooled.curve
    near, far = curve.radius[0], curve.radius[-1]
    high = curve.intrinsic_dimension > NEVER_HIGH_DIMENSION  # ties make distances equal too
    if high and far > 0 and near > FAR_NEAREST * far and len(curve.rank) > SHORT_CURVE:
        yield (
            f"The intrinsic dimension, about {curve.intrinsic_dimension:.0f}, is high for"
            f" {sample.n:,} rows: the nearest neighbour is more than half as far as the"
            f" {curve.rank[-1]}th, so the answer leans on the smooth trend of the labels and may"
            " miss finer structure."
        )


def _learned(measured: Representation) -> Iterator[str]:
    maps = ", ".join(f"{name} ({n})" for name, n in Counter(measured.maps).most_common())
    yield (
        f"Neighbours were compared by class probabilities learned on other rows, by {maps}:"
        " the upper bound holds whatever was learned, the lower bound if nothing that matters was"
        " lost."
    )


def _few_rows(sample: Sample, measured: Representation, pooled: PooledMismatch) -> Iterator[str]:
    """Say how many rows it would take for maps to be learned well."""
    if measured.is_raw:
        return
    n, d = sample.n, sample.d
    wanted = max(ROWS_PER_COLUMN * d, n * measured.gap / (SMALL_GAP * max(pooled.mismatch, 1 / n)))
    if wanted <= max(n, ROWS_PER_COLUMN * d) and n >= ROWS_PER_COLUMN * d:
        return
    doubt = (
        f"{n:,} rows are too few for so many columns to tell how low the error can go, so the"
        " interval reaches down to 0"
        if measured.is_guess
        else f"With more than {n:,} rows the maps would likely still improve"
    )
    yield f"{doubt}; about {_rounded_up(wanted)} should be enough."


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
        "All rows have the same values, so these columns say nothing about the label, and no"
        " classifier does better than always to answer the most frequent class."
    )


def _duplicates(pooled: PooledMismatch) -> Iterator[str]:
    if pooled.duplicates > MANY_DUPLICATES:
        yield (
            f"{pooled.duplicates:.0%} of the rows equal another row; if these are copies rather"
            " than repeated measurements, remove them, because copies look like certainty."
        )


def _near_copies(sample: Sample, measured: Representation, pooled: PooledMismatch) -> Iterator[str]:
    """Tell rows that follow from others; where columns take few values, rows crowd without it."""
    if pooled.duplicates > MANY_DUPLICATES:
        return
    if measured.is_raw:
        nearer = crowding(2 * np.log(pooled.curve.radius.clip(ZERO_RADIUS)), pooled.searched)
    else:
        nearer = measured.locality.crowding if measured.locality else 0.0
    if nearer and all(len(np.unique(c)) > CONTINUOUS_VALUES * sample.n for c in sample.points.T):
        yield (
            f"Nearest neighbours are {nearer:.0%} nearer than those of independent rows would be:"
            " some rows look like near copies of others, such as several measurements of one thing"
            " or moments of one recording. If so, keep one of each, because copies look like"
            " certainty."
        )


def _clipped(sample: Sample, pooled: PooledMismatch) -> Iterator[str]:
    ceiling = independent_mismatch(sample.priors)
    if pooled.mismatch < 0:
        yield "The estimated mismatch is below zero, within its error; the bounds are clipped to 0."
    elif pooled.mismatch > min(ceiling + IMPOSSIBLE_ERRORS * pooled.se, 1.0):
        yield (
            "Neighbours differ in their label more often than any two rows do, as on a chessboard:"
            " the columns do say something about the label, but comparing neighbours turns it"
            " round, so do not trust this answer."
        )
    elif pooled.mismatch > ceiling:
        yield (
            "The estimated mismatch is above that of labels independent of the columns, within its"
            " error; the bounds are clipped there."
        )


def _useless(sample: Sample, se: float) -> Iterator[str]:
    if se > independent_mismatch(sample.priors):
        yield (
            "The standard error is larger than the largest possible mismatch, so the estimate says"
            " nothing."
        )
