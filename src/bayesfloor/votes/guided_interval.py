"""Bounds on the Bayes error from votes and from maps that were learned from the items' columns.

The interval of the votes alone stays, and an end moves inward where the maps help. Both ends need
no assumption on the maps, because none of them has seen the votes of the items that it is used on.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.special import stdtrit

from bayesfloor.base.arrays import Floats, Ints
from bayesfloor.bounds.bounded_mean import bounded_mean_limits
from bayesfloor.bounds.guided_votes import (
    guided_errors,
    guided_losses,
    guided_scores,
    posterior_shares,
    prior_errors,
)
from bayesfloor.votes.interval import (
    MOST_CHOOSING_ITEMS,
    VOTE_ROUNDING,
    VOTE_SHARPNESSES,
    VoteBounds,
    bound_by_votes,
    most_sharpness,
    standard_error,
)

MAP_WEIGHTS = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0)
"""Votes that the maps may count for: from a tie that they break, to where five votes do not count
beside them. A judgement."""


@dataclass(frozen=True, slots=True, eq=False)
class GuidedBounds:
    """What votes and columns say of the Bayes error together."""

    bounds: VoteBounds
    alone: tuple[float, float]  # the interval of the votes alone
    shares: Floats  # (n, m), of the votes and the maps together
    weight: float  # votes that the maps count for, on average
    map_error: float  # of the maps alone, which see the columns and no vote
    map_limit: float  # the upper end of its interval


def bound_with_maps(
    counts: Ints,
    prior: Floats,
    fold: Ints,
    *,
    confidence: float,
    most_choosing: int = MOST_CHOOSING_ITEMS,
) -> GuidedBounds:
    """Bound the Bayes error of items by their votes and by maps of their columns.

    Parameters
    ----------
    counts : (n, m) array
        Votes for each class on each item, two or more on every one of two items or more.
    prior : (n, m) array
        Class probabilities of each item, by maps that were learned outside of its fold.
    fold : (n,) array
        The fold of each item.
    confidence : float
        Of the intervals.
    most_choosing : int
        Items that choose the lower bound, at most.
    """
    tail, n = (1 - confidence) / 2, len(counts)
    alone = bound_by_votes(counts, confidence=confidence, most_choosing=most_choosing)
    weight, once = prior_weights(counts, prior, fold), np.ones(n, np.int64)
    errors = guided_errors(counts, prior, weight)
    upper = min(alone.upper, float(errors.mean()))
    high = max(min(alone.interval[1], bounded_mean_limits(errors, once, tail)[1]), upper)
    value, limit = _lower_end(counts, prior, weight, alone, tail, most_choosing)
    if limit <= alone.interval[0]:
        value, limit = alone.lower, alone.interval[0]
    lower = min(max(value, 0.0), upper)
    by_maps = prior_errors(counts, prior)
    return GuidedBounds(
        replace(alone, lower=lower, upper=upper, interval=(min(limit, lower), high)),
        alone.interval,
        posterior_shares(counts, prior, weight),
        float(weight.mean()),
        float(by_maps.mean()),
        bounded_mean_limits(by_maps, once, tail)[1],
    )


def prior_weights(counts: Ints, prior: Floats, fold: Ints) -> Floats:
    """Return how many votes the maps count for on each item: what loses least in other folds."""
    losses = np.column_stack(
        [guided_losses(counts, prior, np.full(len(counts), one)) for one in MAP_WEIGHTS]
    )
    weight = np.empty(len(counts))
    for f in np.unique(fold):
        inside = fold == f
        others = losses[~inside] if not inside.all() else losses
        weight[inside] = MAP_WEIGHTS[int(others.mean(axis=0).argmin())]
    return weight


def _lower_end(
    counts: Ints,
    prior: Floats,
    weight: Floats,
    alone: VoteBounds,
    tail: float,
    most_choosing: int,
) -> tuple[float, float]:
    """Return the lower bound whose limit is the highest, and that limit."""
    n, m = counts.shape
    z = -float(stdtrit(n - 1, tail))
    order = np.argsort(guided_losses(counts, prior, weight), kind="stable")
    some = order[:: -(-n // most_choosing)]

    def limit(scores: Floats) -> float:
        spread = standard_error(scores, np.ones(len(scores), np.int64)) * np.sqrt(len(scores) / n)
        return float(scores.mean() - z * spread - VOTE_ROUNDING)

    useful = VOTE_SHARPNESSES[most_sharpness(z * alone.mismatch_se, m) >= VOTE_SHARPNESSES]
    best = max(
        useful.tolist(),
        key=lambda one: limit(guided_scores(counts[some], prior[some], weight[some], one)),
    )
    scores = guided_scores(counts, prior, weight, best)
    return float(scores.mean()), limit(scores)
