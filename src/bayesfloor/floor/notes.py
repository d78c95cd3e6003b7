"""Sentences a reader must know before trusting a number."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from bayesfloor.base.cautions import Caution
from bayesfloor.base.choices import RAW
from bayesfloor.base.clustered_noise import effective_groups, widening
from bayesfloor.base.formatting import cut
from bayesfloor.base.grounds import MODELS
from bayesfloor.base.settings import Settings
from bayesfloor.bounds.henze_penrose import independent_mismatch
from bayesfloor.curve.intrinsic_dimension import crowding
from bayesfloor.estimators.method import Method
from bayesfloor.floor.model import ModelReview
from bayesfloor.floor.row_order import row_order_notes
from bayesfloor.representation import Conclusion, Learned, Measured, PooledMismatch
from bayesfloor.representation.auto import alternates
from bayesfloor.sample.sample import Sample

FEW_GROUPS = 30
"""Groups below which intervals are wider by more than four per cent, which is told."""
SMALL_CLASS = 30
"""Rows of a class below which it says little: the usual rule of thumb."""
MANY_DUPLICATES = 0.1
"""Share of rows with an exact copy from which on it is mentioned: a judgement."""
CONTINUOUS_VALUES = 0.1
"""Different values of a continuous column, at least, as a share of the rows: a judgement."""
ZERO_RADIUS = 1e-300
"""Stands for a radius of zero, which has no logarithm."""
NEVER_HIGH_DIMENSION = 3
"""Intrinsic dimension that is never called high: a judgement."""
FAR_NEAREST = 0.5
"""Distance of the nearest neighbour over the last from which on neighbours are called far:
a judgement."""
SHORT_CURVE = 5
"""Ranks up to which a curve is too short to judge distances by: a judgement."""
SHOWN_WEIGHT = 0.05
"""Weight of a map from which on it is named. A judgement."""


def make_notes(
    sample: Sample,
    measured: Measured,
    conclusion: Conclusion,
    method: Method,
    settings: Settings,
    *,
    copied: float | None = None,
) -> tuple[str, ...]:
    """Collect the warnings that apply; `copied` is the share of copies before text was encoded."""
    neighbours, learned = measured.neighbours, measured.learned
    copied = _copied(measured) if copied is None else copied
    notes = [
        *(_searched(sample, neighbours) if neighbours else ()),
        *_not_met(conclusion, settings.tolerance),
        *_small_classes(sample),
        *(_high_dimension(sample, neighbours) if neighbours and not learned else ()),
        *(_learned(learned) if learned else ()),
        *(_few_rows(sample, learned) if learned else ()),
        *(_same_values() if is_constant(sample) else _duplicates(copied)),
        *_near_copies(sample, measured, max(copied, _copied(measured))),
        *(row_order_notes(sample) if sample.groups is None else _groups(sample, settings)),
        *(_clipped(sample, conclusion) if conclusion.rests_on is not MODELS else ()),
        *_useless(sample, conclusion.se),
    ]
    if not method.covers_bias:
        notes.append(f"The interval of {settings.method} covers its sampling error, not its bias.")
    return tuple(notes)


def model_notes(model: ModelReview | None, n: int) -> tuple[str, ...]:
    """Say which part the user's model has in the floor."""
    if model is None:
        return ()
    notes = list[str]()
    if model.beats_floor:
        notes.append(
            Caution(
                "Your model beats the floor",
                "The predictions are better than the floor allows. Either the model has seen the"
                " labels of these rows, in training or by a leak, or the floor is too high because"
                " what its lower end rests on does not hold here. They have no part in the floor;"
                " check first that they were made on rows that the model was not learned from.",
            )
        )
    elif model.weight > 0:
        notes.append(
            f"The model's predictions have a weight of {model.weight:.0%} in the class"
            " probabilities of the floor: it holds only if they were made on rows that the model"
            " was not learned from."
        )
    if model.rows < n:
        notes.append(
            f"{model.rows:,} of {n:,} rows have a prediction: the model is compared on these, and"
            " has no part in the floor."
        )
    return tuple(notes)


def _searched(sample: Sample, pooled: PooledMismatch) -> Iterator[str]:
    if pooled.searched < sample.n:
        yield (
            f"The neighbours of {pooled.searched:,} of {sample.n:,} rows, drawn at random, were"
            " searched before the tolerance was met or time was up; the intervals allow for that."
        )


def _not_met(pooled: Conclusion, tolerance: float | None) -> Iterator[str]:
    if tolerance is not None and pooled.se > tolerance:
        yield (
            f"The tolerance of {tolerance:g} was not met: the standard error of the mismatch is"
            f" {pooled.se:.2g}."
        )


def _small_classes(sample: Sample) -> Iterator[str]:
    few = [
        f"{cut(str(name))} ({count})"
        for name, count in zip(sample.classes.tolist(), sample.counts, strict=True)
        if count < SMALL_CLASS
    ]
    if few:
        shown = ", ".join(few[:5]) + (f" and {len(few) - 5} more" if len(few) > 5 else "")
        others = f" and {len(few) - 1} more" if len(few) > 1 else ""
        yield Caution(
            f"Rare classes: {few[0]}{others}",
            f"Classes with fewer than {SMALL_CLASS} rows tell little: {shown}.",
        )


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


def _learned(learned: Learned) -> Iterator[str]:
    maps = ", ".join(f"{name} {weight:.0%}" for name, weight in shown_weights(learned.weights))
    part = learned.partition.scheme.learned_share
    yield f"Maps were learned on {part} of the rows and measured on the rest, in turn: {maps}."


def shown_weights(weights: dict[str, float]) -> list[tuple[str, float]]:
    """Return the maps whose weight shows."""
    return [(name, weight) for name, weight in weights.items() if weight >= SHOWN_WEIGHT]


def _few_rows(sample: Sample, learned: Learned) -> Iterator[str]:
    """Say that maps had too few rows to learn from, or no time for all columns."""
    if learned.leaves_columns_out:
        yield (
            f"{sample.d:,} columns are more than boosting could look at in bounded time. Models"
            " made for such data, such as networks for the pixels of images, may do far better, so"
            " the interval reaches down to 0; pass such a model as representation to learn more."
        )
    elif learned.is_guess:
        yield (
            f"{sample.n:,} rows are too few for so many columns to tell how low the error can go,"
            " so the interval reaches down to 0."
        )


def is_constant(sample: Sample) -> bool:
    """Tell points that are all the same."""
    first = sample.points[0]
    return bool((sample.points[-1] == first).all() and (sample.points == first).all())


def _same_values() -> Iterator[str]:
    yield Caution(
        "All rows have the same values",
        "All rows have the same values, so these columns say nothing about the label, and no"
        " classifier does better than always to answer the most frequent class.",
    )


def _copied(measured: Measured) -> float:
    """Return the share of rows that equal another row."""
    if measured.surroundings is not None:
        return measured.surroundings.copied
    return 0.0 if measured.neighbours is None else measured.neighbours.duplicates


def _duplicates(copied: float) -> Iterator[str]:
    if copied > MANY_DUPLICATES:
        yield Caution(
            f"Copied rows: {copied:.0%}",
            f"{copied:.0%} of the rows equal another row; if these are copies rather"
            " than repeated measurements, remove them, because copies look like certainty; if they"
            " are rows of one person or thing, say which by groups=.",
        )


def _near_copies(sample: Sample, measured: Measured, copied: float) -> Iterator[str]:
    """Tell rows that follow from others; where columns take few values, rows crowd without it."""
    if copied > MANY_DUPLICATES:
        return
    neighbours, surroundings = measured.neighbours, measured.surroundings
    nearer = 0.0
    if neighbours is not None and neighbours.name == RAW:
        radius = neighbours.curve.radius.clip(ZERO_RADIUS)
        nearer = crowding(2 * np.log(radius), neighbours.searched)
    elif surroundings is not None:
        nearer = surroundings.locality.crowding
    if nearer and all(len(np.unique(c)) > CONTINUOUS_VALUES * sample.n for c in sample.points.T):
        yield Caution(
            "Near copies of rows?",
            f"Nearest neighbours are {nearer:.0%} nearer than those of independent rows would be:"
            " some rows look like near copies of others, such as several measurements of one thing"
            " or moments of one recording. If so, say which belong together by groups= or time=,"
            " because copies look like certainty.",
        )


def _groups(sample: Sample, settings: Settings) -> Iterator[str]:
    """Tell groups that are few, and classes that other groups tell nothing about."""
    assert sample.groups is not None
    count, effective = int(sample.groups.max()) + 1, effective_groups(sample.groups)
    wider = widening(settings.confidence, sample.groups)
    if effective < FEW_GROUPS:
        counts = "" if effective > 0.9 * count else f", which count as {effective:.0f},"
        yield Caution(
            f"Few groups: {count}",
            f"{count} groups{counts} are few to tell how groups differ: intervals are"
            f" {wider - 1:.0%} wider for it, by the quantiles of Student's t. More groups would"
            " narrow the answer, more rows of the same ones hardly.",
        )
    pairs = np.unique(sample.groups * sample.m + sample.labels)
    alone = np.flatnonzero(np.bincount(pairs % sample.m, minlength=sample.m) == 1)
    if len(alone):
        names = ", ".join(cut(str(sample.classes[c])) for c in alone[:5])
        more = f" and {len(alone) - 5} more" if len(alone) > 5 else ""
        yield Caution(
            "Classes of a single group",
            f"Classes that one group alone has cannot be told from other groups: {names}{more}.",
        )


def _clipped(sample: Sample, pooled: Conclusion) -> Iterator[str]:
    ceiling = independent_mismatch(sample.priors)
    if pooled.mismatch < 0:
        yield "The estimated mismatch is below zero, within its error; the bounds are clipped to 0."
    elif alternates(sample, pooled.mismatch, pooled.se):
        yield Caution(
            "Neighbours mislead here",
            "Neighbours differ in their label more often than any two rows do, as on a chessboard:"
            " the columns do say something about the label, but comparing neighbours turns it"
            " round, so do not trust this answer.",
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
