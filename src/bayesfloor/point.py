r"""The Bayes error itself, inside its bounds.

The posteriors :math:`\eta_c` about each row are noisy and smoothed, so their own error would be too
small or too large. They are sharpened or flattened by one number t,

.. math:: \eta_c^{(t)} \propto \pi_c (\eta_c / \pi_c)^t ,

until their mismatch is the one that was estimated; the error is then read off. It always lies
between the bounds, because both belong to the same posteriors.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import brentq

from bayesfloor.arrays import Floats
from bayesfloor.bounds import bayes_error_bounds

LEAST_SHARE = 1e-4
"""Posteriors are kept this share of the prior away from zero."""
SHARPEST = 64.0
MOST_ROWS = 50_000
"""Rows that are looked at, evenly spaced, where there are more."""


class Family:
    """Posteriors of a sample, sharpened or flattened."""

    def __init__(self, posterior: Floats, priors: Floats) -> None:
        posterior = posterior[~np.isnan(posterior[:, 0])]  # rows that were not asked
        step = -(-len(posterior) // MOST_ROWS)
        kept = (1 - LEAST_SHARE) * posterior[::step] + LEAST_SHARE * priors
        self._priors = priors
        logs = np.log(kept / priors)
        self._logs = logs - logs.max(axis=1, keepdims=True)

    def error_at(self, mismatch: float) -> float:
        """Return the Bayes error of the posteriors that have this mismatch."""
        low, high = bayes_error_bounds(mismatch, self._priors)
        if high <= 0 or self._mismatch(0.0) <= mismatch:
            return high
        sharpest = self._mismatch(SHARPEST)
        t = (
            brentq(lambda t: self._mismatch(t) - mismatch, 0.0, SHARPEST, xtol=1e-4)
            if sharpest < mismatch
            else SHARPEST
        )
        return float(np.clip((1 - self._at(t).max(axis=1)).mean(), low, high))

    def _at(self, t: float) -> Floats:
        odds = self._priors * np.exp(t * self._logs)
        return odds / odds.sum(axis=1, keepdims=True)

    def _mismatch(self, t: float) -> float:
        return float(1 - (self._at(t) ** 2).sum(axis=1).mean())
