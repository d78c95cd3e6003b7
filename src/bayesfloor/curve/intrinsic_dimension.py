r"""What the distances to the neighbours tell of the points: their dimension, and near copies.

Where the density is smooth, :math:`r_k^d` is gamma distributed with shape k about each point. The
mean :math:`\log r_k^2` of independent rows is therefore a straight line in the digamma function
ψ(k), with slope 2/d.
"""

from __future__ import annotations

import numpy as np
from scipy.special import digamma

from bayesfloor.base.arrays import Floats, Ints

FEWEST_RANKS = 3
"""Ranks that a slope is read off at least; a line through two says nothing of its error."""
LINE_RANKS = slice(2, 30)
"""Places of the ranks, 3 to 30, whose line tells how far away the nearest neighbour would be.

A judgement: near copies come in pairs or in threes, and far neighbours lie where the density is
another."""
FEWEST_LINE_RANKS = 8
"""Ranks that the line is drawn through at least: a judgement."""
LEAST_CROWDING = 0.07
"""Crowding below this share may come from a density that is not smooth.

A judgement: with it no population of `bayesfloor.truth`, whose rows are independent, crowds, as
tests/curve/test_intrinsic_dimension.py checks."""
LEAST_SIGNIFICANCE = 5.0
"""Standard errors that crowding must exceed; fewer may be chance, with a probability below 1e-6."""


def intrinsic_dimension(rank: Ints, log_squared: Floats, d: int) -> float:
    r"""Return the dimension that the mean :math:`\log r_k^2` grows with, at most d; 0 of few ranks.

    Examples
    --------
    >>> rank = np.arange(1, 31)
    >>> round(intrinsic_dimension(rank, 2 / 3 * digamma(rank), 10), 6)
    3.0
    """
    if len(rank) < FEWEST_RANKS:
        return 0.0
    x = digamma(rank)
    x -= x.mean()
    slope = float(x @ log_squared / (x @ x))
    return float(min(2 / slope, d)) if slope > 0 else float(d)


def crowding(log_squared: Floats, rows: int) -> float:
    r"""Return the share by which nearest neighbours are nearer than those of independent rows.

    It is one minus the index of aggregation of Clark & Evans (1954, Ecology 35, 445-453), with the
    expected distance from ranks 3 to 30 instead of the density; 0 if it is no larger than chance or
    an uneven density explains.

    Parameters
    ----------
    log_squared : (ranks,) array
        Mean logarithm of the squared distance to the k-th neighbour.
    rows : int
        Number of rows that were averaged over.

    Examples
    --------
    >>> line = 0.7 * digamma(np.arange(1, 31))
    >>> crowding(line, 1000), round(crowding(line - [1, *[0] * 29], 1000), 2)
    (0.0, 0.39)
    """
    y = log_squared[LINE_RANKS]
    if len(y) < FEWEST_LINE_RANKS or rows < 1:
        return 0.0
    x = digamma(np.arange(1, LINE_RANKS.stop + 1))
    first, x = x[0], x[LINE_RANKS][: len(y)]
    middle = x.mean()
    slope = float((x - middle) @ y / ((x - middle) @ x))
    excess = float(y.mean() + slope * (first - middle) - log_squared[0])
    standard_error = slope * np.pi / np.sqrt(6 * rows)  # the variance of log r² is slope² π²/6
    share = 1 - float(np.exp(-excess / 2))
    return share if excess > LEAST_SIGNIFICANCE * standard_error and share > LEAST_CROWDING else 0.0
