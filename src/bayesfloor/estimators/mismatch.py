"""An estimate of the mismatch, with all that is known of its error."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from scipy.special import ndtr, ndtri

from bayesfloor.base.arrays import Floats

PRECISION = 1e-12
"""Of a quantile, in standard deviations, or of itself where it is larger."""
NO_CHANCE = 1e-12
"""Chance that is so small a share of the offsets is none."""

TINY = float(np.finfo(float).tiny)
ROOT_2PI = float(np.sqrt(2 * np.pi))


@dataclass(frozen=True, slots=True, eq=False)
class MismatchEstimate:
    """The mismatch, unclipped; the truth may be off it as any of some models says, and by chance.

    Models that disagree often do so on one side, so the interval need not be symmetric.
    """

    mismatch: float
    chance: float  # variance about any of the models
    offsets: Floats = field(default_factory=lambda: np.zeros(1))  # (models,), from the mismatch
    weights: Floats = field(default_factory=lambda: np.ones(1))  # (models,), sum to one
    jump: tuple[float, float] | None = None  # mismatch if labels jump, and its variance

    @property
    def variance(self) -> float:
        """Mean square of all errors."""
        return self.chance + float(self.weights @ self.offsets**2)

    def with_noise(self, variance: float) -> MismatchEstimate:
        """Return the estimate with more chance."""
        return replace(self, chance=self.chance + variance)

    def reach(self, confidence: float) -> tuple[float, float]:
        """Return how far the interval reaches below and above the mismatch.

        Examples
        --------
        >>> below, above = MismatchEstimate(0.2, 0.01**2).reach(0.95)
        >>> round(below, 4), round(above, 4)
        (0.0196, 0.0196)
        """
        tail, farthest = (1 - confidence) / 2, float(np.abs(self.offsets).max())
        unit = max(float(np.sqrt(self.chance)), NO_CHANCE * farthest, TINY)
        below, above = (_tail(side * self.offsets / unit, self.weights, tail) for side in (1, -1))
        return max(-below * unit, 0.0), max(-above * unit, 0.0)


def _tail(centres: Floats, weights: Floats, share: float) -> float:
    """Quantile of a mixture of unit normals, by Newton's steps inside known limits."""
    z = float(ndtri(share))
    low, high = float(centres.min()) + z, float(centres.max()) + z
    x = min(max(float(weights @ centres) + z, low), high)
    precision = PRECISION * max(1.0, -low, high)
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


def combined(
    found: list[MismatchEstimate], weights: Floats, other: float, confidence: float
) -> tuple[float, float, tuple[float, float]]:
    """Return the weighted mean of independent estimates, its variance and its reach.

    The variance is what they state, or more where they disagree, and some other one. The interval
    reaches down to zero where classes that never mix would explain the neighbours as well.
    """
    values, stated = np.array([(one.mismatch, one.variance) for one in found]).T
    mean, squares = float(weights @ values), weights**2
    between = squares @ (values - mean) ** 2 * len(found) / max(len(found) - 1, 1)
    expected = squares @ stated
    raised = max(between / expected, 1.0) if expected > 0 else 1.0
    reaches = np.array([one.reach(confidence) for one in found])
    z = -float(ndtri((1 - confidence) / 2))
    below, above = np.sqrt(raised * (squares @ reaches**2) + z**2 * other).tolist()
    if _may_be_a_jump([one.jump for one in found], weights, z):
        below = max(below, mean)
    return mean, float(max(expected, between)) + other, (below, above)


def _may_be_a_jump(jumps: list[tuple[float, float] | None], weights: Floats, z: float) -> bool:
    """Tell whether labels that jump would leave no mismatch, or none that is beyond its noise."""
    known = [one for one in jumps if one is not None]
    if len(known) < len(jumps):
        return False
    means, variances = np.array(known).T
    return bool(weights @ means <= z * np.sqrt(weights**2 @ variances))
