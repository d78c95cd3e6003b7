"""An estimate of the mismatch, with all that is known of its error."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from scipy.special import ndtr, ndtri

from bayesfloor.base.arrays import Floats

QUANTILE_PRECISION = 1e-12
"""Precision of a quantile, in standard deviations, or relative where it is larger: close to the
rounding of doubles."""
NEGLIGIBLE_NOISE = 1e-12
"""Sampling noise below this share of the largest offset is treated as zero."""
SMALLEST_DOUBLE = float(np.finfo(float).tiny)
"""The smallest normal double: a unit is no smaller, so that dividing by it does not overflow."""
ROOT_2PI = float(np.sqrt(2 * np.pi))
"""The inverse of the standard normal density at zero."""


@dataclass(frozen=True, slots=True, eq=False)
class MismatchEstimate:
    """The mismatch, unclipped; the truth is off it by one of several offsets, and by noise.

    Each offset belongs to a model. Models that disagree often do so on one side, so the interval
    need not be symmetric.
    """

    mismatch: float
    noise: float  # variance about any of the models
    offsets: Floats = field(default_factory=lambda: np.zeros(1))  # (models,), from the mismatch
    weights: Floats = field(default_factory=lambda: np.ones(1))  # (models,), sum to one
    discontinuous: tuple[float, float] | None = None
    """Mismatch if the posterior is discontinuous, and its variance; None if no model says so."""

    @property
    def variance(self) -> float:
        """Mean square of all errors."""
        return self.noise + float(self.weights @ self.offsets**2)

    def with_noise(self, variance: float) -> MismatchEstimate:
        """Return the estimate with more noise."""
        return replace(self, noise=self.noise + variance)

    def margins(self, confidence: float) -> tuple[float, float]:
        """Return how far the interval reaches below and above the mismatch.

        Examples
        --------
        >>> below, above = MismatchEstimate(0.2, 0.01**2).margins(0.95)
        >>> round(below, 4), round(above, 4)
        (0.0196, 0.0196)
        """
        tail, farthest = (1 - confidence) / 2, float(np.abs(self.offsets).max())
        unit = max(float(np.sqrt(self.noise)), NEGLIGIBLE_NOISE * farthest, SMALLEST_DOUBLE)
        below, above = (
            _mixture_quantile(side * self.offsets / unit, self.weights, tail) for side in (1, -1)
        )
        return max(-below * unit, 0.0), max(-above * unit, 0.0)


def _mixture_quantile(centres: Floats, weights: Floats, share: float) -> float:
    """Return a quantile of a mixture of unit normals, by Newton's steps inside known limits."""
    z = float(ndtri(share))
    low, high = float(centres.min()) + z, float(centres.max()) + z
    x = min(max(float(weights @ centres) + z, low), high)
    precision = QUANTILE_PRECISION * max(1.0, -low, high)
    while high - low > precision:
        apart = x - centres
        excess = float(weights @ ndtr(apart)) - share
        low, high = (low, x) if excess > 0 else (x, high)
        density = float(weights @ np.exp(-0.5 * apart * apart)) / ROOT_2PI
        step = excess / density if density > 0 else np.inf
        if abs(step) < precision:
            break
        x = x - step if low < x - step < high else (low + high) / 2
    return x


@dataclass(frozen=True, slots=True)
class PooledEstimate:
    """The mean of independent estimates, with what is known of its error."""

    mismatch: float
    variance: float
    margins: tuple[float, float]  # of the interval, below and above the mismatch
    discontinuous: tuple[float, float] | None  # mismatch if the posterior is, and its variance


def pool_estimates(
    estimates: list[MismatchEstimate], weights: Floats, confidence: float
) -> PooledEstimate:
    """Return the weighted mean of independent estimates.

    The variance is what the estimates state, or more where they disagree.
    The interval reaches down to zero where classes that never mix would explain the neighbours as
    well.
    """
    values, stated = np.array([(one.mismatch, one.variance) for one in estimates]).T
    mean, squares = float(weights @ values), weights**2
    between = squares @ (values - mean) ** 2 * len(estimates) / max(len(estimates) - 1, 1)
    expected = squares @ stated
    raised = max(between / expected, 1.0) if expected > 0 else 1.0
    margins = np.array([one.margins(confidence) for one in estimates])
    z = -float(ndtri((1 - confidence) / 2))
    below, above = np.sqrt(raised * (squares @ margins**2)).tolist()
    known = [one.discontinuous for one in estimates if one.discontinuous is not None]
    discontinuous = None
    if len(known) == len(estimates):
        means, variances = np.array(known).T
        discontinuous = float(weights @ means), float(squares @ variances)
        if discontinuous[0] <= z * discontinuous[1] ** 0.5:
            below = max(below, mean)
    return PooledEstimate(mean, float(max(expected, between)), (below, above), discontinuous)
