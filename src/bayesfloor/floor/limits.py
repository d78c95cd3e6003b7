"""The two ends of a floor: what a held-out rule reaches, and what no rule can go below.

For the mismatch and the divergence the class shares are given. New rows are another matter: their
shares are known from the sample alone, and the Bayes error moves with them.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import hypot

import numpy as np
from scipy.special import ndtri

from bayesfloor.base.arrays import Floats, Ints
from bayesfloor.base.clustered_noise import design_effect, label_design_effect, widening
from bayesfloor.bounds.excess_error import plug_in_bound
from bayesfloor.bounds.henze_penrose import Bound, independent_mismatch
from bayesfloor.bounds.loss import mean_loss_by_class
from bayesfloor.bounds.posterior_error import POSTERIOR_TIE, TemperedPosteriors
from bayesfloor.bounds.prior_error import minority_limit, prior_error, wilson_limit
from bayesfloor.bounds.sharpened import SharpenedBound, sharpened_bound
from bayesfloor.representation.conclusion import Conclusion, groups_of
from bayesfloor.sample.sample import Sample


@dataclass(frozen=True, slots=True)
class Ends:
    """Bounds on the Bayes error, and the interval that has their margins of error."""

    lower: float
    upper: float
    interval: tuple[float, float]
    sharpened: SharpenedBound | None = None  # what the lower end is, unless it is another bound


@dataclass(frozen=True, slots=True)
class Limits:
    """The intervals of a floor, and the estimate between its bounds."""

    mismatch: tuple[float, float]
    published: Ends  # what the mismatch alone says
    ends: Ends
    estimate: float
    estimate_interval: tuple[float, float]


def make_limits(
    sample: Sample,
    conclusion: Conclusion,
    bound: Bound,
    confidence: float,
    *,
    sharpen: bool = True,
) -> Limits:
    """Return the confidence intervals of the mismatch, the Bayes error and its estimate.

    Parameters
    ----------
    sample : Sample
        Points and labels.
    conclusion : Conclusion
        What neighbours and maps say together.
    bound : Bound
        From the mismatch to the Bayes error.
    confidence : float
        Of the intervals.
    sharpen : bool
        Whether to use the class probabilities; without, the bounds are the published ones.

    Returns
    -------
    Limits
    """
    priors, tail = sample.priors, (1 - confidence) / 2
    ceiling, z = independent_mismatch(priors), -float(ndtri(tail))
    labels = sample.labels[conclusion.rows]
    counted = counted_rows(sample, confidence)

    def prior_margin(means: Floats) -> float:
        return z * prior_error(means, priors, counted)

    at_given_shares = _mismatch_ends(conclusion, conclusion.below, 0.0)
    by_class = mean_loss_by_class(conclusion.posterior, labels, sample.m)
    low, high = _mismatch_ends(conclusion, conclusion.doubted_below, prior_margin(by_class))
    largest = min(minority_limit(priors, counted, tail), 1 - 1 / sample.m)
    lower, upper = bound.limits(conclusion.mismatch, priors)
    published = Ends(
        lower, upper, (bound.limits(low, priors)[0], min(bound.unclipped_upper(high), largest))
    )
    ends = published
    if sharpen:
        ends = _sharpened_ends(sample, conclusion, published, largest, confidence)
    tempered = TemperedPosteriors(conclusion.posterior, priors, bound=bound)
    point, least, most = errors = tempered.errors(conclusion.mismatch, *at_given_shares)
    aside = max(prior_margin(one.by_class) for one in errors)
    estimate = min(max(point.error, ends.lower), ends.upper)
    below = hypot(min(least.error - point.error, 0.0), aside)
    above = hypot(max(most.error - point.error, 0.0), aside)
    above += z**2 / (2 * counted) * max(float(np.ptp(one.by_class)) for one in errors)  # Wilson's
    return Limits(
        mismatch=(min(max(at_given_shares[0], 0.0), ceiling), min(at_given_shares[1], ceiling)),
        published=published,
        ends=ends,
        estimate=estimate,
        estimate_interval=(
            max(min(estimate, point.error) - below, ends.interval[0]),
            min(max(estimate, point.error) + above, ends.interval[1]),
        ),
    )


def _sharpened_ends(
    sample: Sample,
    conclusion: Conclusion,
    published: Ends,
    largest: float,
    confidence: float,
) -> Ends:
    """Return the error that the held-out rule reaches, and what no rule goes below.

    Where rows repeat, the published lower end stands if the sharpened one is no higher.
    """
    posterior, labels = conclusion.posterior, sample.labels[conclusion.rows]
    errors, groups = held_out_errors(posterior, labels), groups_of(sample, conclusion.rows)
    error, tail = float(errors.mean()), (1 - confidence) / 2
    upper = min(error, 1 - float(sample.priors.max()))
    together = rows_as_one(errors, groups, confidence, least=conclusion.design_effect)
    rows = len(labels) / together
    high = max(min(wilson_limit(error, rows, tail), largest), upper)
    if conclusion.known is None:
        return Ends(0.0, upper, (0.0, high))
    if conclusion.rests_on.worst_case:
        found = sharpened_bound(
            posterior,
            labels,
            conclusion.known,
            conclusion.parts,
            confidence=confidence,
            groups=groups,
        )
        if found.limit <= published.interval[0]:
            lower = min(published.lower, upper)
            return Ends(lower, upper, (min(published.interval[0], lower), high))
    else:
        below = error - (1 - wilson_limit(1 - error, rows, tail))
        found = plug_in_bound(
            posterior,
            labels,
            conclusion.known,
            errors,
            below,
            confidence=confidence,
            groups=groups,
        )
    lower = min(max(found.value, 0.0), upper)
    return Ends(lower, upper, (min(max(found.limit, 0.0), lower), high), found)


def counted_rows(sample: Sample, confidence: float) -> float:
    """Return as how many independent rows the rows count where classes are counted."""
    effect = label_design_effect(sample.labels, sample.groups)
    return sample.n / (effect * widening(confidence, sample.groups) ** 2)


def rows_as_one(
    values: Floats, groups: Ints | None, confidence: float, *, least: float = 1.0
) -> float:
    """Return how many rows count as one independent row in the mean of some values.

    That is their design effect by groups, and at least `least`: rows that are right or wrong
    together are so in a group above all, and are not counted twice.
    """
    return max(design_effect(values, groups), least) * widening(confidence, groups) ** 2


def held_out_errors(posterior: Floats, labels: Ints) -> Floats:
    """Return whether the likeliest class of each row is not its label, (n,), ties shared.

    Examples
    --------
    >>> held_out_errors(np.array([[0.5, 0.5], [0.2, 0.8]]), np.array([0, 1])).tolist()
    [0.5, 0.0]
    """
    best = posterior > (1 - POSTERIOR_TIE) * posterior.max(axis=1, keepdims=True)
    own = np.take_along_axis(best, labels[:, None], axis=1)[:, 0]
    return np.asarray(1 - own / best.sum(axis=1))


def _mismatch_ends(
    conclusion: Conclusion, below: float, prior_margin: float
) -> tuple[float, float]:
    """Return the ends of the mismatch's interval, unclipped.

    A negative estimate counts as zero at the upper end.
    """
    below, above = (hypot(margin, prior_margin) for margin in (below, conclusion.above))
    low = 0.0 if conclusion.known is None else conclusion.mismatch - below
    return low, max(conclusion.mismatch, 0.0) + above
