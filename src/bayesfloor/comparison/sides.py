"""What one column set, or one sample, says of each of its rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import numpy as np
from scipy.special import ndtri

from bayesfloor.base.arrays import Floats, Ints
from bayesfloor.bounds.loss import losses
from bayesfloor.comparison.difference import Difference, make_difference
from bayesfloor.comparison.paired_excess import (
    NO_EXCESS,
    ExcessDifference,
    fit_excess_difference,
)
from bayesfloor.floor.limits import held_out_errors
from bayesfloor.floor.record import Floor
from bayesfloor.floor.run import Run
from bayesfloor.representation import Learned, conclude, learn
from bayesfloor.representation.conclusion import mismatch_variance
from bayesfloor.sample.sample import Sample

FEWEST_CURVE_SIZES = 3
"""Sizes of a learning curve that tell an excess and its power."""
REGRET_SHARE = 0.6
"""Error above the Bayes error over the excess of a rule. Of two classes with a smooth posterior it
is half the density of the posterior at ½, 0.5 where all values are as frequent, and about 1 at a
discontinuity; between them, by `benchmarks/compare.py`."""


@dataclass(frozen=True, slots=True, eq=False)
class OwnExcess:
    """The loss of class probabilities above the mismatch, and its standard error."""

    value: float
    error: float


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """Class probabilities of all rows of one set, measured on labels they have not seen."""

    losses: Floats  # (n,)
    errors: Floats  # (n,), whether the likeliest class is wrong
    excess: OwnExcess | None  # None where it is not known
    sizes: Ints | None = None  # (s,), of the learning curve
    curve: Floats | None = None  # (n, s), the loss of each row at each size


@dataclass(frozen=True, slots=True)
class Differences:
    """How two sets differ, the first less the second."""

    mismatch: Difference
    floor: Difference
    held_out: Difference
    excess_known: bool  # otherwise mismatch and floor are those of the maps at hand


def learned_maps(floor: Floor) -> Learned:
    """Return the maps of a floor, which are learned now where it did without."""
    run = cast(Run, floor.run)
    if run.measured.learned is not None:
        return run.measured.learned
    settings = run.settings
    return learn(
        run.sample, seed=settings.seed, executor=settings.executor, progress=settings.progress
    )


def side_of_maps(sample: Sample, learned: Learned, confidence: float) -> Side:
    """Return what learned maps say."""
    curve, posterior = learned.curve, learned.posterior
    excess, rows = None, np.empty_like(curve.row_losses)
    rows[learned.partition.order] = curve.row_losses
    if curve.excess is not None and not learned.is_guess:
        tail = (1 - confidence) / 2
        width = curve.excess.quantile(1 - tail) - curve.excess.quantile(tail)
        excess = OwnExcess(curve.excess.value, width / (-2 * float(ndtri(tail))))
    return Side(
        losses(posterior, sample.labels),
        held_out_errors(posterior, sample.labels),
        excess,
        curve.sizes,
        rows,
    )


def side_of_neighbours(floor: Floor) -> Side:
    """Return what neighbours say, where no maps were learned."""
    run, z = cast(Run, floor.run), float(ndtri(0.5 + floor.confidence / 2))
    found = conclude(run.sample, run.measured, confidence=floor.confidence)
    labels = run.sample.labels[found.rows]
    own = losses(found.posterior, labels)
    widest = max(found.below, found.above) / z
    beside_labels = max(widest**2 - mismatch_variance(own, labels, run.sample), 0.0) ** 0.5
    excess = OwnExcess(float(own.mean()) - found.mismatch, beside_labels)
    return Side(own, held_out_errors(found.posterior, labels), excess)


def paired_differences(first: Side, second: Side, confidence: float) -> Differences:
    """Compare two sets on the same rows: the noise that their labels share cancels."""
    n = len(first.losses)
    apart = first.losses - second.losses
    wrong = first.errors - second.errors
    noise = float(apart.std()) / n**0.5, float(wrong.std()) / n**0.5
    means = float(apart.mean()), float(wrong.mean())
    return _differences(means, noise, confidence, _shared_excess(first, second))


def unpaired_differences(first: Side, second: Side, confidence: float) -> Differences:
    """Compare two sets as if their rows had nothing in common."""
    pairs = (first.losses, second.losses), (first.errors, second.errors)
    means = tuple(float(a.mean() - b.mean()) for a, b in pairs)
    noise = tuple(float((a.var() / len(a) + b.var() / len(b)) ** 0.5) for a, b in pairs)
    excess = _separate_excess(first, second)
    return _differences((means[0], means[1]), (noise[0], noise[1]), confidence, excess)


def _differences(
    means: tuple[float, float],
    noise: tuple[float, float],
    confidence: float,
    excess: ExcessDifference | None,
) -> Differences:
    """Put the means of losses and of errors, with their noise, into differences."""
    (loss, error), (of_loss, of_error) = means, noise
    taken = NO_EXCESS if excess is None else excess
    return Differences(
        make_difference(loss, of_loss, confidence, taken),
        make_difference(error, of_error, confidence, taken, REGRET_SHARE),
        make_difference(error, of_error, confidence, NO_EXCESS),
        excess is not None,
    )


def _shared_excess(first: Side, second: Side) -> ExcessDifference | None:
    """Return the difference of excesses, from learning curves on the same rows if there are any."""
    if first.excess is None or second.excess is None:
        return None
    if first.curve is None or second.curve is None:
        return _separate_excess(first, second)
    assert first.sizes is not None
    count = min(first.curve.shape[1], second.curve.shape[1])
    if count < FEWEST_CURVE_SIZES:
        return None
    return fit_excess_difference(
        first.curve[:, :count], second.curve[:, :count], first.sizes[:count]
    )


def _separate_excess(first: Side, second: Side) -> ExcessDifference | None:
    if first.excess is None or second.excess is None:
        return None
    mean = first.excess.value - second.excess.value
    error = float(np.hypot(first.excess.error, second.excess.error))
    return ExcessDifference(np.array([mean]), np.array([error]), np.ones(1))
