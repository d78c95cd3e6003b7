"""A difference between two column sets or samples, with its interval and its p-value."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

from bayesfloor.base.arrays import Floats
from bayesfloor.comparison.paired_excess import ExcessDifference

BISECTIONS = 80
"""Halvings that find a quantile: beyond them, floats end."""
REACH = 9.0
"""Standard errors beyond which a normal distribution has nothing left."""
LEAST_NOISE = 1e-12
"""Standard error of a difference, at least: two sets may agree on every row."""


@dataclass(frozen=True, slots=True)
class Difference:
    """How much larger a number is of one set than of another.

    Attributes
    ----------
    value : float
        Negative where the number of the set is lower than that of the reference.
    interval : tuple of float
        Confidence interval.
    p_value : float
        Two-sided, of no difference.
    """

    value: float
    interval: tuple[float, float]
    p_value: float


def make_difference(
    value: float, error: float, confidence: float, excess: ExcessDifference, share: float = 1.0
) -> Difference:
    """Return a difference of means less what maps would still gain.

    Parameters
    ----------
    value, error : float
        The difference of means over rows, and its standard error.
    confidence : float
        Of the interval.
    excess : ExcessDifference
        What is to be taken away.
    share : float
        How much of it.

    Examples
    --------
    >>> from bayesfloor.comparison.paired_excess import NO_EXCESS
    >>> found = make_difference(-0.0296, 0.01, 0.95, NO_EXCESS)
    >>> round(found.interval[1], 4), round(found.p_value, 3)
    (-0.01, 0.003)
    """
    means = value - share * excess.means
    errors = np.hypot(max(error, LEAST_NOISE), share * excess.errors)
    tail = (1 - confidence) / 2
    low, middle, high = (_quantile(means, errors, excess.weights, q) for q in (tail, 0.5, 1 - tail))
    below = float(excess.weights @ ndtr(-means / errors))
    return Difference(middle, (low, high), min(2 * min(below, 1 - below), 1.0))


def _quantile(means: Floats, errors: Floats, weights: Floats, share: float) -> float:
    """Return a quantile of a mixture of normal distributions."""
    low, high = float((means - REACH * errors).min()), float((means + REACH * errors).max())
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        reached = float(weights @ ndtr((middle - means) / errors))
        low, high = (middle, high) if reached < share else (low, middle)
    return high
