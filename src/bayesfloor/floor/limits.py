"""Confidence limits, of the mismatch at the shares that were counted and of the error of new rows.

For the mismatch and the divergence the class shares are given. New rows are another matter: their
shares are known from the sample alone, and the Bayes error moves with them.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import hypot

from scipy.special import ndtri

from bayesfloor.base.arrays import Floats
from bayesfloor.bounds.henze_penrose import Bound, independent_mismatch
from bayesfloor.bounds.loss import mean_loss_by_class
from bayesfloor.bounds.posterior_error import TemperedPosteriors
from bayesfloor.bounds.prior_error import minority_limit, prior_error
from bayesfloor.representation import PooledMismatch, Representation
from bayesfloor.sample.sample import Sample


@dataclass(frozen=True, slots=True)
class Limits:
    """The intervals of a floor, and the estimate between its bounds."""

    mismatch: tuple[float, float]
    error: tuple[float, float]
    estimate: float
    estimate_interval: tuple[float, float]


def make_limits(
    sample: Sample,
    measured: Representation,
    pooled: PooledMismatch,
    bound: Bound,
    confidence: float,
) -> Limits:
    """Return the confidence intervals of the mismatch, the Bayes error and its estimate."""
    priors, ceiling = sample.priors, independent_mismatch(sample.priors)
    tail = (1 - confidence) / 2
    z = -float(ndtri(tail))

    def prior_margin(means: Floats) -> float:
        return z * prior_error(means, priors, sample.n)

    ends = _ends(measured, pooled, 0.0)
    by_class = mean_loss_by_class(pooled.posterior, sample.labels, sample.m)
    low, high = _ends(measured, pooled, prior_margin(by_class))
    largest = bound.unclipped_upper(high)
    highest = min(largest, minority_limit(priors, sample.n, tail), 1 - 1 / sample.m)
    error = bound.limits(low, priors)[0], highest
    tempered = TemperedPosteriors(pooled.posterior, priors, bound=bound)
    point, least, most = errors = tempered.errors(pooled.mismatch, *ends)
    aside = max(prior_margin(one.by_class) for one in errors)
    below = hypot(min(least.error - point.error, 0.0), aside)
    above = hypot(max(most.error - point.error, 0.0), aside)
    return Limits(
        mismatch=(min(max(ends[0], 0.0), ceiling), min(ends[1], ceiling)),
        error=error,
        estimate=point.error,
        estimate_interval=(max(point.error - below, error[0]), min(point.error + above, error[1])),
    )


def _ends(
    measured: Representation, pooled: PooledMismatch, prior_margin: float
) -> tuple[float, float]:
    """Return the ends of the mismatch's interval, unclipped.

    The lower end allows for what better maps would gain. A negative estimate counts as zero at the
    upper end.
    """
    below, above = (hypot(margin, prior_margin) for margin in pooled.margins)
    low = 0.0 if measured.is_guess else pooled.mismatch - measured.gap - below
    return low, max(pooled.mismatch, 0.0) + above
