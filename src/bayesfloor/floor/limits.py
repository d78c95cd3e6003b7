"""Confidence limits, of the mismatch at the shares that were counted and of the error of new rows.

For the mismatch and the divergence the class shares are given. New rows are another matter: their
shares are known from the sample alone, and the Bayes error moves with them.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import hypot

from scipy.special import ndtri

from bayesfloor.base.arrays import Floats
from bayesfloor.bounds.henze_penrose import bayes_error_bounds, independent_mismatch
from bayesfloor.bounds.posterior_error import TemperedPosteriors
from bayesfloor.bounds.prior_error import largest_left_over, mismatch_by_class, share_error
from bayesfloor.representation import Representation
from bayesfloor.representation.pooling import PooledMismatch
from bayesfloor.sample.gate import Sample


@dataclass(frozen=True, slots=True)
class Limits:
    """The intervals of a floor, and the estimate between its bounds."""

    mismatch: tuple[float, float]
    error: tuple[float, float]
    estimate: float
    estimate_interval: tuple[float, float]


def make_limits(
    sample: Sample, represented: Representation, solved: PooledMismatch, confidence: float
) -> Limits:
    """Turn the reach of the mismatch into limits that are possible."""
    priors, ceiling = sample.priors, independent_mismatch(sample.priors)
    tail = (1 - confidence) / 2
    z = -float(ndtri(tail))

    def of_shares(means: Floats) -> float:
        return z * share_error(means, priors, sample.n)

    ends = _ends(represented, solved, 0.0)
    by_class = mismatch_by_class(solved.posterior, sample.labels, sample.m)
    low, high = _ends(represented, solved, of_shares(by_class))
    highest = min(high, largest_left_over(priors, sample.n, tail), 1 - 1 / sample.m)
    error = bayes_error_bounds(low, priors)[0], highest
    tempered = TemperedPosteriors(solved.posterior, priors)
    point, least, most = errors = tempered.errors(solved.mismatch, *ends)
    aside = max(of_shares(one.by_class) for one in errors)
    below = hypot(min(least.error - point.error, 0.0), aside)
    above = hypot(max(most.error - point.error, 0.0), aside)
    return Limits(
        mismatch=(min(max(ends[0], 0.0), ceiling), min(ends[1], ceiling)),
        error=error,
        estimate=point.error,
        estimate_interval=(max(point.error - below, error[0]), min(point.error + above, error[1])),
    )


def _ends(
    represented: Representation, solved: PooledMismatch, of_shares: float
) -> tuple[float, float]:
    """Return the ends of the mismatch's interval, unclipped; maps may still win something.

    A mismatch below zero is none, but one may have gone unseen.
    """
    below, above = (hypot(reach, of_shares) for reach in solved.reach)
    low = 0.0 if represented.is_guess else solved.mismatch - represented.gap - below
    return low, max(solved.mismatch, 0.0) + above
