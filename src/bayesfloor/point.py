r"""The Bayes error itself, inside its bounds.

The posteriors :math:`\eta_c` about each row are noisy and smoothed, so their own error would be too
small or too large. They are sharpened or flattened by one number t,

.. math:: \eta_c^{(t)} \propto w_c (\eta_c / \pi_c)^t ,

until their mismatch is the one that was estimated; the error is then read off. The weights
:math:`w_c` keep the mean of :math:`\eta_c^{(t)}` at the share of the class: else sharper posteriors
would take a rare class for a frequent one. The error always lies between the bounds, because both
belong to the same posteriors.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from bayesfloor.arrays import Floats
from bayesfloor.bounds import bayes_error_bounds, independent_mismatch

LEAST_SHARE = 1e-4
"""Posteriors are kept this share of the prior away from zero."""
SHARPEST = 64.0
PRECISION = 1e-4
"""Of t; a Newton step that small leaves much less."""
MOST_ROWS = 50_000
"""Rows that are looked at, where there are more."""
TINY = 1e-12
"""Chance that is added where none would divide."""
TIED = 1e-9
"""Classes whose chances differ by less, relatively, are equally likely at a row."""
NEAR, LONGEST = 0.05, 3.0
"""Of a step of the weights' logarithms: from where on t moves too, and the longest one."""
MOST_STEPS = 100
ROUNDING = 1e-12
"""A mismatch so close to that of independent labels is theirs."""


@dataclass(frozen=True, slots=True, eq=False)
class Point:
    """The Bayes error of some posteriors."""

    error: float
    by_class: Floats  # (m,), the share of each class that the best classifier gets wrong


class _Slopes(NamedTuple):
    """Posteriors when their means are mended, to first order, and from there on by t."""

    mismatch: float
    slope: float  # of the mismatch
    mend: Floats  # (m,), what the weights lack
    turn: Floats  # (m,), slopes of the weights that keep the means

    def step_to(self, mismatch: float) -> float:
        """Return the step of t to a mismatch, whose logarithm is nearly straight."""
        if self.slope >= 0 or min(mismatch, self.mismatch) <= 0:
            return math.inf
        return math.log(mismatch / self.mismatch) * self.mismatch / self.slope


class Family:
    """Posteriors of a sample, sharpened or flattened."""

    def __init__(self, posterior: Floats, priors: Floats) -> None:
        posterior = _thinned(posterior[~np.isnan(posterior[:, 0])])  # less rows not asked
        self._priors = priors
        kept = (1 - LEAST_SHARE) * posterior + LEAST_SHARE * priors
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
        """Return the posteriors that have this mismatch, or the sharpest, (m, rows).

        Newton's steps, of t and the weights at once when the means are nearly right; where one
        leaves the limits that are known of t, it is doubled or they halve.
        """
        if independent_mismatch(self._priors) - ROUNDING <= mismatch:
            return self._priors[:, None]
        flat, sharp, t, weights = 0.0, SHARPEST, 1.0, np.log(self._priors)
        before, least = weights, np.inf
        for _ in range(MOST_STEPS):
            at, height = self._at(t, weights)
            if height > least:  # went too far
                weights = (before + weights) / 2
                continue
            here = self._slopes(at)
            far = float(np.abs(here.mend).max())
            if far > NEAR:
                before, least = weights, height
                weights = weights + here.mend * min(1.0, LONGEST / far)
                continue
            weights, least = weights + here.mend, np.inf
            if here.mismatch > mismatch:
                flat = t
            else:
                sharp = t
            step = here.step_to(mismatch)
            if sharp - flat < PRECISION:
                break
            if flat < t + step < sharp:
                to = t + step
            elif flat == t and sharp == SHARPEST:
                to = min(2 * t, SHARPEST)
            else:
                to = (flat + sharp) / 2
            weights, t = weights + (to - t) * here.turn, to
            if abs(step) < PRECISION:
                break
        return self._at(t, weights)[0]

    def _at(self, t: float, weights: Floats) -> tuple[Floats, float]:
        """Return the posteriors of some sharpness and logarithms of weights, and a height.

        The height is a convex function of the weights, least where the means are right.
        """
        logs = t * self._logs + weights[:, None]
        most = logs.max(axis=0)
        odds = np.exp(logs - most)
        total = odds.sum(axis=0)
        return odds / total, float((most + np.log(total)).mean() - self._priors @ weights)

    def _slopes(self, at: Floats) -> _Slopes:
        """Look at the neighbourhood of some posteriors."""
        rows, squares, turned = at.shape[1], at * at, at * self._logs
        total, mean_log, means = squares.sum(axis=0), turned.sum(axis=0), at.mean(axis=1)
        drift = (turned.sum(axis=1) - at @ mean_log) / rows  # of the means with t
        # How the means move with the weights. All weights together move nothing: they stay.
        moves = np.diag(means + TINY) - at @ at.T / rows + 1.0
        mend, turn = np.linalg.solve(moves, np.column_stack([self._priors - means, -drift])).T
        by_weights = 2 * (at @ total - squares.sum(axis=1)) / rows
        by_t = 2 * (np.vdot(total, mean_log) - np.vdot(at, turned)) / rows
        mismatch, slope = 1 - total.mean() + by_weights @ mend, by_t + by_weights @ turn
        return _Slopes(float(mismatch), float(slope), mend, turn)


def _thinned(posterior: Floats) -> Floats:
    """Return rows evenly spaced from the least to the most certain, whatever order they come in."""
    step = -(-len(posterior) // MOST_ROWS)
    if step <= 1:
        return posterior
    certainty = np.einsum("ij,ij->i", posterior, posterior)
    return np.asarray(posterior[np.lexsort((posterior[:, 0], certainty))[step // 2 :: step]])
