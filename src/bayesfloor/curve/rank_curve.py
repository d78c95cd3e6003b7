"""Rank curves: how often the k-th neighbour has another label, and how far away it is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import digamma, gammaln

from bayesfloor.base.arrays import Floats, Ints

LEAST_DIMENSION = 0.1
"""Intrinsic dimension below which radii are not averaged as if it were even lower.

A judgement: it is zero for a few values that repeat, and the mean of a power then overflows."""


@dataclass(frozen=True, slots=True, eq=False)
class RankCurve:
    """Mismatch and radius of each neighbour rank, over all points of a sample."""

    rank: Ints  # (K,) 1..K
    mismatch: Floats  # (K,) share of points whose k-th neighbour has another label
    adjusted: Floats  # (K,) the same after the labels' trend is subtracted, see `trend`
    radius: Floats  # (K,) geometric mean distance to the k-th neighbour, 0 where all are equal
    at_zero: Floats  # (K,) share of points whose k-th neighbour is at distance zero
    intrinsic_dimension: float
    pair_factor: float | None = None
    """Mismatch of any two rows over that of two rows of different groups; None without groups."""

    def radius_power(self, s: float | Ints, unit: float = 1.0) -> Floats:
        r"""Return the mean of :math:`r_k^s`, (K,), which a bias of that order is proportional to.

        The radius is in units of `unit`. Over places the mean is geometric, so that outlying points
        cannot upset it. At one place :math:`r_k^d` is gamma distributed with shape k, and the mean
        is arithmetic: a factor :math:`\Gamma(k + s/d) / (\Gamma(k)\, e^{s\,\psi(k)/d})`. Points at
        distance zero count as zero.
        """
        k, d = self.rank, max(self.intrinsic_dimension, LEAST_DIMENSION)
        arithmetic = np.exp(gammaln(k + s / d) - gammaln(k) - s / d * digamma(k))
        return (1 - self.at_zero) * (self.radius / unit) ** s * arithmetic
