r"""The Bayes error itself, inside its bounds.

The posteriors :math:`\eta_c` about each row are noisy and smoothed, so their own error would be too
small or too large. They are sharpened or flattened by one number t,

.. math:: \eta_c^{(t)} \propto \pi_c (\eta_c / \pi_c)^t ,

until their mismatch is the one that was estimated; the error is then read off. It always lies
between the bounds, because both belong to the same posteriors.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bayesfloor.arrays import Floats
from bayesfloor.bounds import bayes_error_bounds, independent_mismatch

LEAST_SHARE = 1e-4
"""Posteriors are kept this share of the prior away from zero."""
SHARPEST = 64.0
PRECISION = 1e-4
"""Of t; a Newton step that small leaves much less."""
MOST_ROWS = 50_000
"""Rows that are looked at, evenly spaced, where there are more."""
TIED = 1e-9
"""Classes whose chances differ by less, relatively, are equally likely at a row."""
ROUNDING = 1e-12
"""A mismatch so close to that of independent labels is theirs."""


@dataclass(frozen=True, slots=True, eq=False)
class Point:
    """The Bayes error of some posteriors."""

    error: float
    by_class: Floats  # (m,), the share of each class that the best classifier gets wrong


class Family:
    """Posteriors of a sample, sharpened or flattened."""

    def __init__(self, posterior: Floats, priors: Floats) -> None:
        posterior = posterior[~np.isnan(posterior[:, 0])]  # rows that were not asked
        step = -(-len(posterior) // MOST_ROWS)
        self._priors = priors
        kept = (1 - LEAST_SHARE) * posterior[::step] + LEAST_SHARE * priors
        logs = np.log(np.ascontiguousarray(kept.T) / priors[:, None])
        self._logs = logs - logs.max(axis=0)  # (m, rows): few long rows are fast to sum over

    def at(self, mismatch: float) -> Point:
        """Return the Bayes error of the posteriors that have this mismatch."""
        low, high = bayes_error_bounds(mismatch, self._priors)
        if high <= 0:
            return Point(high, np.zeros(len(self._priors)))
        at = self._with(mismatch)
        best = at > (1 - TIED) * at.max(axis=0)
        right = (at * best / best.sum(axis=0)).sum(axis=1)
        error, total = 1 - float(right.sum()) / at.shape[1], at.sum(axis=1)
        found = min(max(error, low), high)
        wrong = 1 - np.divide(right, total, out=np.ones_like(total), where=total > 0)
        return Point(found, np.minimum(wrong * (found / error if error > 0 else 1.0), 1.0))

    def _with(self, mismatch: float) -> Floats:
        """Return the posteriors that have this mismatch, (m, rows)."""
        if independent_mismatch(self._priors) - ROUNDING <= mismatch:
            return self._priors[:, None]
        return self._at(self._power(mismatch))

    def _power(self, mismatch: float) -> float:
        """Return the t at which the posteriors have this mismatch, or the largest.

        Newton's steps, but where one leaves the limits that are known, t is doubled or they halve.
        """
        flat, sharp, t = 0.0, SHARPEST, 1.0
        while sharp - flat > PRECISION:
            value, slope = self._mismatch(t)
            if value > mismatch:
                flat = t
            else:
                sharp = t
            step = (mismatch - value) / slope if slope < 0 else np.inf
            if abs(step) < PRECISION:
                return t + step
            if flat < t + step < sharp:
                t += step
            elif flat == t and sharp == SHARPEST:
                t = min(2 * t, SHARPEST)
            else:
                t = (flat + sharp) / 2
        return t

    def _at(self, t: float) -> Floats:
        odds = self._priors[:, None] * np.exp(t * self._logs)
        return odds / odds.sum(axis=0)

    def _mismatch(self, t: float) -> tuple[float, float]:
        """Return the mismatch and its derivative by t."""
        at = self._at(t)
        turned = at * self._logs
        slope = np.vdot((at * at).sum(axis=0), turned.sum(axis=0)) - np.vdot(at, turned)
        return 1 - np.vdot(at, at) / at.shape[1], 2 * slope / at.shape[1]
