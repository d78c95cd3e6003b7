"""What one column set, or one sample, says of each of its rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import cast

import numpy as np
from scipy.special import ndtri

from bayesfloor.base.arrays import Floats
from bayesfloor.base.clustered_noise import mean_error, widening
from bayesfloor.base.grounds import REPEATS
from bayesfloor.bounds.loss import losses
from bayesfloor.comparison.difference import Difference, make_difference
from bayesfloor.comparison.paired_excess import (
    NO_EXCESS,
    ExcessDifference,
    fit_excess_difference,
)
from bayesfloor.comparison.shared_noise import SharedNoise, errors_of_copies, shared_error
from bayesfloor.floor.limits import held_out_errors
from bayesfloor.floor.record import Floor
from bayesfloor.floor.run import Run
from bayesfloor.representation import Learned, conclude, learn
from bayesfloor.representation.conclusion import (
    SHARED_VARIANCE,
    SHARED_VARIANCE_OF_MAPS,
    groups_of,
    mismatch_variance,
    undecided_rows,
)
from bayesfloor.representation.learning_curve import MeasuredExcess
from bayesfloor.sample.distinct_points import make_cells
from bayesfloor.sample.sample import Sample

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
    measured: MeasuredExcess | None  # by maps, of the same rows
    noise: SharedNoise


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
    excess = measured = None
    if curve.excess is not None and curve.measured is not None and not learned.is_guess:
        tail = (1 - confidence) / 2
        width = curve.excess.quantile(1 - tail) - curve.excess.quantile(tail)
        excess = OwnExcess(curve.excess.value, width / (-2 * float(ndtri(tail))))
        apart = np.empty_like(curve.measured.apart)
        apart[learned.partition.order] = curve.measured.apart
        measured = replace(curve.measured, apart=apart)
    undecided = undecided_rows(posterior, round(sample.n**0.5))
    added = np.where(undecided, SHARED_VARIANCE_OF_MAPS, 0.0)
    return Side(
        losses(posterior, sample.labels),
        held_out_errors(posterior, sample.labels),
        excess,
        measured,
        SharedNoise(np.arange(sample.n), added, sample.groups),
    )


def side_of_neighbours(floor: Floor) -> Side:
    """Return what neighbours say, where no maps were learned."""
    run, z = cast(Run, floor.run), float(ndtri(0.5 + floor.confidence / 2))
    sample = run.sample
    found = conclude(sample, run.measured, confidence=floor.confidence)
    labels, groups = sample.labels[found.rows], groups_of(sample, found.rows)
    own = losses(found.posterior, labels)
    widest = max(found.below, found.above) / z
    beside_labels = max(widest**2 - mismatch_variance(own, labels, sample, groups), 0.0) ** 0.5
    excess = OwnExcess(float(own.mean()) - found.mismatch, beside_labels)
    assert run.measured.neighbours is not None
    if found.rests_on is REPEATS:
        cells = make_cells(sample)
        errors = errors_of_copies(sample, run.measured.neighbours.posterior, cells)[found.rows]
        noise = SharedNoise(cells.of_row[found.rows], np.zeros(len(own)), groups)
        return Side(own, errors, excess, None, noise)
    undecided = undecided_rows(found.posterior, round(sample.n**0.5))
    noise = SharedNoise(np.arange(len(own)), np.where(undecided, SHARED_VARIANCE, 0.0), groups)
    return Side(own, held_out_errors(found.posterior, labels), excess, None, noise)


def paired_differences(first: Side, second: Side, confidence: float) -> Differences:
    """Compare two sets on the same rows: the noise that their labels share cancels."""
    excess = _shared_excess(first, second)
    rows = NO_EXCESS.rows if excess is None else excess.rows
    loss, wrong = first.losses - second.losses, first.errors - second.errors
    groups, noise = first.noise.groups, (first.noise, second.noise)
    error = shared_error(wrong, *noise)
    errors = (  # a curve adds to the noise of what it is fitted to, and never takes any away
        max(mean_error(loss - rows, groups), mean_error(loss, groups)),
        max(shared_error(wrong - REGRET_SHARE * rows, *noise), error),
        error,
    )
    wider = widening(confidence, groups)
    means = float(loss.mean()), float(wrong.mean())
    return _differences(means, [wider * error for error in errors], confidence, excess)


def unpaired_differences(first: Side, second: Side, confidence: float) -> Differences:
    """Compare two sets as if their rows had nothing in common."""
    squares = np.zeros(2)
    for side in (first, second):
        groups = side.noise.groups
        error = mean_error(side.losses, groups), shared_error(side.errors, side.noise, side.noise)
        squares += (widening(confidence, groups) * np.array(error)) ** 2
    loss, wrong = np.sqrt(squares).tolist()
    pairs = (first.losses, second.losses), (first.errors, second.errors)
    means = [float(a.mean() - b.mean()) for a, b in pairs]
    excess = _separate_excess(first, second)
    return _differences((means[0], means[1]), [loss, wrong, wrong], confidence, excess)


def _differences(
    means: tuple[float, float],
    errors: Sequence[float],
    confidence: float,
    excess: ExcessDifference | None,
) -> Differences:
    """Put the means of losses and of errors into differences.

    The standard errors are those of mismatch, floor and held-out error, less that of the excess.
    """
    loss, wrong = means
    taken = NO_EXCESS if excess is None else excess
    return Differences(
        make_difference(loss, errors[0], confidence, taken),
        make_difference(wrong, errors[1], confidence, taken, REGRET_SHARE),
        make_difference(wrong, errors[2], confidence, NO_EXCESS),
        excess is not None,
    )


def _shared_excess(first: Side, second: Side) -> ExcessDifference | None:
    """Return the difference of excesses, from learning curves on the same rows if there are any."""
    if first.measured is None or second.measured is None:
        return _separate_excess(first, second)
    return fit_excess_difference(first.measured, second.measured, first.noise.groups)


def _separate_excess(first: Side, second: Side) -> ExcessDifference | None:
    if first.excess is None or second.excess is None:
        return None
    mean = first.excess.value - second.excess.value
    error = float(np.hypot(first.excess.error, second.excess.error))
    return ExcessDifference(np.array([mean]), np.array([error]), np.ones(1))
