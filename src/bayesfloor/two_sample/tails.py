"""Chances that the largest of several normal scores, which depend on each other, is large."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from scipy.sparse.csgraph import minimum_spanning_tree
from scipy.special import log_ndtr, ndtr, ndtri_exp

from bayesfloor.base.arrays import Floats
from bayesfloor.two_sample.smooth_features import LOWEST_SCORE

QUADRATURE = np.polynomial.legendre.leggauss(200)
"""Nodes and weights on [-1, 1] for the chance that one of two normal scores is large."""
TAIL_REACH = 10.0
"""Standard deviations below its peak from which on the integrand counts: beyond, it is 1e-22."""


def two_sided_score(z: Floats) -> Floats:
    """Return the normal score that is exceeded as often as |z| is, on both sides together.

    Examples
    --------
    >>> two_sided_score(np.array([1.959964, -50.0])).round(3).tolist()
    [1.645, 49.986]
    """
    log_chance = np.minimum(np.log(2) + log_ndtr(-np.abs(z)), 0.0)
    return np.maximum(-ndtri_exp(log_chance), LOWEST_SCORE)


def either_tail(score: float, correlation: float) -> float:
    r"""Return the chance that one of two normal scores exceeds a number.

    :math:`P(\max(A, B) > t)` is :math:`P(A > t)` and
    :math:`\int_{-\infty}^t \varphi(a) P(B > t | a) da`.

    Examples
    --------
    >>> round(either_tail(1.0, 0.0), 6)  # 1 - Φ(1)²
    0.292139
    """
    rho = min(max(correlation, -1 + 1e-9), 1 - 1e-9)
    nodes, weights = QUADRATURE
    low = min(rho * score, score) - TAIL_REACH
    a = low + (score - low) * (nodes + 1) / 2
    density = np.exp(-(a**2) / 2) / np.sqrt(2 * np.pi)
    beyond = ndtr(-(score - rho * a) / np.sqrt(1 - rho**2))
    either = float(ndtr(-score)) + float(weights @ (density * beyond)) * (score - low) / 2
    return min(either, 1.0)


def largest_tail(score: float, correlations: Floats) -> float:
    r"""Return the chance that the largest of some normal scores exceeds a number.

    :math:`P(\max \le t)` is taken as :math:`\prod_i P_i \prod_{ij} P_{ij} / (P_i P_j)`, the second
    product over the pairs of the spanning tree that depend on each other most: exact for two
    scores and for trees of dependence, and too small a chance for others, if anything [1]_.

    Parameters
    ----------
    score : float
        The number, :math:`t`.
    correlations : (m, m) array
        Of the scores.

    References
    ----------
    .. [1] Hunter (1976), J. Appl. Probab. 13, 597-603.

    Examples
    --------
    >>> round(largest_tail(1.0, np.eye(4)), 6)  # 1 - Φ(1)⁴
    0.498933
    """
    one, m = float(ndtr(-score)), len(correlations)
    below = np.zeros((m, m))
    for i, j in combinations(range(m), 2):
        either = either_tail(score, float(correlations[i, j]))
        below[i, j] = np.log1p(-min(either, 1 - 1e-300)) - 2 * float(log_ndtr(score))
    alone = m * float(log_ndtr(score))
    tree = minimum_spanning_tree(-np.maximum(below, 0.0))
    return float(min(max(-np.expm1(alone - tree.sum()), one), 1.0))
