"""Bounds on the Bayes error from votes, with limits that need no assumption on the posteriors.

Every item has a score whose mean is below, or above, the Bayes error, whatever the posteriors are,
see `bayesfloor.bounds.vote_scores`. The scores do not tell classes or items apart, so items count
by the pattern of their votes alone: how many fell on the most frequent class, the second, and so
on.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.special import stdtrit

from bayesfloor.base.arrays import Floats, Ints
from bayesfloor.bounds.bounded_mean import bounded_mean_limits
from bayesfloor.bounds.henze_penrose import bayes_error_bounds, independent_mismatch
from bayesfloor.bounds.minority_polynomials import nearest_law
from bayesfloor.bounds.prior_error import minority_limit
from bayesfloor.bounds.vote_scores import (
    leave_one_out_errors,
    leave_one_out_losses,
    pair_mismatch,
    polynomial_scores,
    sharpened_vote_scores,
)

VOTE_SHARPNESSES = np.geomspace(0.5, 30.0, 14)
"""Values of μ that are tried. Uniform probabilities want ½ or more; what 30 and more would add
shows from a hundred million items on, see `most_sharpness`."""
SMOOTHINGS = (0.0, 2.0, np.inf)
"""Votes added to the others, spread evenly: none, two, and so many that the others do not count. A
judgement: few, because every choice among more flatters the limit."""
MOST_CHOOSING_ITEMS = 20_000
"""Items that choose the lower bound at most, so that hundreds of thousands take seconds: a
judgement."""
FEWEST_CHOOSING_ITEMS, MOST_CHOOSING_CELLS, MOST_SCORED_CELLS = 30, 10**8, 10**10
"""Items that choose at least; and cells, the squared numbers of different counts on items, that are
looked at for each choice, and for the bound: tenths of a second, and ten seconds. Judgements."""
VOTE_ROUNDING = 1e-12
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
    _, first, times = np.unique(_row_numbers(falling), return_index=True, return_counts=True)
    return Patterns(falling[first], times)


def _row_numbers(rows: Ints) -> Ints:
    """Return numbers that are equal where rows are, and in their order, (n,).

    They are the digits of a number; before it overflows, it is replaced by its rank.
    """
    number = np.zeros(len(rows), np.int64)
    for column in rows.T:
        base = int(column.max()) + 1
        if base > 1 and int(number.max()) >= 2**62 // base:
            number = np.unique(number, return_inverse=True)[1].astype(np.int64)
        number = number * base + column
    return number


def bound_by_votes(
    counts: Ints, *, confidence: float, most_choosing: int = MOST_CHOOSING_ITEMS
) -> VoteBounds:
    """Bound the Bayes error of items by their votes.

    Parameters
    ----------
    counts : (n, m) array
        Votes for each class on each item, two or more on every one of two items or more.
    confidence : float
        Of the intervals.
    most_choosing : int
        Items that choose the lower bound, at most.
    """
    patterns, tail = vote_patterns(counts), (1 - confidence) / 2
    n, m, times = patterns.items, counts.shape[1], patterns.times
    priors = vote_shares(counts).mean(axis=0)
    pairs = pair_mismatch(patterns.counts)
    mismatch = float(pairs @ times / n)
    mismatch_se = standard_error(pairs, times)
    errors = leave_one_out_errors(patterns.counts)
    error = float(errors @ times / n)
    upper = min(error, 1 - float(priors.max()))
    high = min(bounded_mean_limits(errors, times, tail)[1], minority_limit(priors, n, tail))
    high = max(min(high, 1 - 1 / m), upper)
    value, limit = _lower_end(patterns, mismatch, mismatch_se, tail, most_choosing)
    low, most = bounded_mean_limits(pairs, times, tail)
    lower = min(max(value, 0.0), upper)
    published, independent = bayes_error_bounds(mismatch, priors), independent_mismatch(priors)
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
        mismatch_interval=(min(low, independent), min(most, independent)),
        loss=float(leave_one_out_losses(patterns.counts) @ times / n),
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
    patterns: Patterns, mismatch: float, mismatch_se: float, tail: float, most_choosing: int
) -> tuple[float, float]:
    """Return the lower bound whose limit is the highest, and that limit."""
    times, n = patterns.times, patterns.items
    z = -float(stdtrit(n - 1, tail))
    cells = float((_distinct_counts(patterns.counts) ** 2) @ times)
    affordable = max(int(n * MOST_CHOOSING_CELLS / cells), FEWEST_CHOOSING_ITEMS)
    some = _thinned(patterns, min(most_choosing, affordable))

    def limit(scores: Floats, times: Ints) -> float:
        spread = standard_error(scores, times) * np.sqrt(times.sum() / n)
        return float(scores @ times / times.sum() - z * spread - VOTE_ROUNDING)

    most = most_sharpness(z * mismatch_se, patterns.counts.shape[1])
    smoothings = SMOOTHINGS if cells <= MOST_SCORED_CELLS else SMOOTHINGS[-1:]
    candidates = _lower_candidates(mismatch, most, smoothings)
    best = max(candidates, key=lambda score: limit(score(some.counts), some.times))
    scores = best(patterns.counts)
    return float(scores @ times / n), limit(scores, times)


def _thinned(patterns: Patterns, most: int) -> Patterns:
    """Return at most so many items, evenly spaced in the order of their patterns."""
    step = -(-patterns.items // most)
    times = np.diff(np.cumsum(patterns.times) // step, prepend=0)
    return Patterns(patterns.counts[times > 0], times[times > 0])


def _distinct_counts(falling: Ints) -> Floats:
    """Return how many different counts there are on each item, (n,)."""
    return np.asarray(1.0 + (np.diff(falling, axis=1) != 0).sum(axis=1))


def _lower_candidates(
    mismatch: float, most_sharpness: float, smoothings: Sequence[float]
) -> list[Callable[[Ints], Floats]]:
    """Return functions that score items so that the mean is below the Bayes error.

    There are few of them, and the polynomial is chosen by the mismatch alone, so that taking the
    best limit flatters it by little: benchmarks/votes.py measures that.
    """
    sharpened = [
        partial(sharpened_vote_scores, sharpness=float(sharpness), smoothing=smoothing)
        for smoothing in smoothings
        for sharpness in VOTE_SHARPNESSES[most_sharpness >= VOTE_SHARPNESSES]
    ]
    return [partial(polynomial_scores, law=nearest_law(mismatch)), *sharpened]


def most_sharpness(margin: float, m: int) -> float:
    r"""Return the largest μ that can be of use where the mismatch is known to a margin.

    With uniform probabilities the best μ is :math:`\tfrac12 \sqrt{r / (r - R)}`, where r = 1 − 1/m
    is the largest mismatch there is; that R is nearer to r than its margin cannot be known.
    """
    largest = (1 - 1 / m) / max(margin, VOTE_ROUNDING)
    return max(0.5 * float(np.sqrt(largest)), 1.0)
