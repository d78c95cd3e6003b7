"""Bounds on the Bayes error from votes, with limits that need no assumption on the posteriors.

Every item has a score whose mean is below, or above, the Bayes error, whatever the posteriors are,
see `bayesfloor.bounds.vote_scores`. The scores do not tell classes or items apart, so items count
by the pattern of their votes alone: how many fell on the most frequent class, the second, and so
on.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit

from bayesfloor.base.arrays import Floats, Ints
from bayesfloor.bounds.bounded_mean import bounded_mean_limits
from bayesfloor.bounds.henze_penrose import bayes_error_bounds, independent_mismatch
from bayesfloor.bounds.minority_polynomials import nearest_law
from bayesfloor.bounds.prior_error import minority_limit
from bayesfloor.bounds.vote_scores import (
    foretelling_errors,
    foretelling_losses,
    pair_mismatch,
    polynomial_scores,
    sharpened_vote_scores,
)

SHARPNESSES = np.geomspace(0.5, 30.0, 14)
"""Values of μ that are tried. Uniform probabilities want ½ or more; what 30 and more would add
shows from a hundred million items on, see `_most_sharpness`."""
SMOOTHINGS = (0.0, 2.0, np.inf)
"""Votes added to the others, spread evenly: none, two, and so many that the others do not count. A
judgement: few, because every choice among more flatters the limit."""
ROUNDING = 1e-12
"""Scores are off by less than this."""


@dataclass(frozen=True, slots=True)
class Patterns:
    """Different patterns of votes, and how many items have each."""

    counts: Ints  # (k, m), falling in each row
    times: Ints  # (k,)

    @property
    def items(self) -> int:
        """Number of items."""
        return int(self.times.sum())


@dataclass(frozen=True, slots=True)
class VoteBounds:
    """What votes say of the Bayes error and of the mismatch."""

    lower: float
    upper: float
    interval: tuple[float, float]
    published: tuple[float, float]  # the Henze-Penrose bounds
    published_interval: tuple[float, float]
    mismatch: float
    mismatch_se: float
    mismatch_interval: tuple[float, float]
    loss: float  # of the shares of the other votes


def vote_patterns(counts: Ints) -> Patterns:
    """Return the patterns of some items.

    Examples
    --------
    >>> found = vote_patterns(np.array([[3, 1], [1, 3], [4, 0]]))
    >>> found.counts.tolist(), found.times.tolist()
    ([[3, 1], [4, 0]], [2, 1])
    """
    falling = -np.sort(-counts, axis=1)
    patterns, times = np.unique(falling, axis=0, return_counts=True)
    return Patterns(patterns, times)


def bound_by_votes(counts: Ints, *, confidence: float) -> VoteBounds:
    """Bound the Bayes error of items by their votes.

    Parameters
    ----------
    counts : (n, m) array
        Votes for each class on each item, two or more on every one of two items or more.
    confidence : float
        Of the intervals.
    """
    patterns, tail = vote_patterns(counts), (1 - confidence) / 2
    n, m, times = patterns.items, counts.shape[1], patterns.times
    priors = vote_shares(counts).mean(axis=0)
    pairs = pair_mismatch(patterns.counts)
    mismatch = float(pairs @ times / n)
    mismatch_se = standard_error(pairs, times)
    errors = foretelling_errors(patterns.counts)
    error = float(errors @ times / n)
    upper = min(error, 1 - float(priors.max()))
    high = min(bounded_mean_limits(errors, times, tail)[1], minority_limit(priors, n, tail))
    high = max(min(high, 1 - 1 / m), upper)
    value, limit = _lower_end(patterns, mismatch, mismatch_se, tail)
    low, most = bounded_mean_limits(pairs, times, tail)
    lower = min(max(value, 0.0), upper)
    published = bayes_error_bounds(mismatch, priors)
    return VoteBounds(
        lower=lower,
        upper=upper,
        interval=(min(max(limit, 0.0), lower), high),
        published=published,
        published_interval=(
            bayes_error_bounds(low, priors)[0],
            min(most, minority_limit(priors, n, tail), 1 - 1 / m),
        ),
        mismatch=mismatch,
        mismatch_se=mismatch_se,
        mismatch_interval=(low, min(most, independent_mismatch(priors))),
        loss=float(foretelling_losses(patterns.counts) @ times / n),
    )


def vote_shares(counts: Ints) -> Floats:
    """Return the share of each class among the votes on each item, (n, m)."""
    return np.asarray(counts / counts.sum(axis=1, keepdims=True))


def standard_error(values: Floats, times: Ints) -> float:
    """Return the standard error of the mean of values that were seen so many times each."""
    n = int(times.sum())
    mean = values @ times / n
    return float(np.sqrt((values - mean) ** 2 @ times / (n - 1) / n))


def _lower_end(
    patterns: Patterns, mismatch: float, mismatch_se: float, tail: float
) -> tuple[float, float]:
    """Return the lower bound whose limit is the highest, and that limit."""
    times, n = patterns.times, patterns.items
    z = -float(stdtrit(n - 1, tail))
    most = _most_sharpness(z * mismatch_se, patterns.counts.shape[1])
    ends = [
        (mean - z * standard_error(scores, times) - ROUNDING, mean)
        for scores in _lower_scores(patterns.counts, mismatch, most)
        for mean in (float(scores @ times / n),)
    ]
    limit, value = max(ends)
    return value, limit


def _lower_scores(counts: Ints, mismatch: float, most_sharpness: float) -> Iterator[Floats]:
    """Yield scores whose means are below the Bayes error.

    There are few of them, and the polynomial is chosen by the mismatch alone, so that taking the
    best limit flatters it by little: benchmarks/votes.py measures that.
    """
    for smoothing in SMOOTHINGS:
        for sharpness in SHARPNESSES[most_sharpness >= SHARPNESSES]:
            yield sharpened_vote_scores(counts, float(sharpness), smoothing)
    yield polynomial_scores(counts, nearest_law(mismatch))


def _most_sharpness(margin: float, m: int) -> float:
    r"""Return the largest μ that can be of use where the mismatch is known to a margin.

    With uniform probabilities the best μ is :math:`\tfrac12 \sqrt{r / (r - R)}`, where r = 1 − 1/m
    is the largest mismatch there is; that R is nearer to r than its margin cannot be known.
    """
    largest = (1 - 1 / m) / max(margin, ROUNDING)
    return max(0.5 * float(np.sqrt(largest)), 1.0)
