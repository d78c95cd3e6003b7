"""The Bayes error itself, inside its bounds.

The posteriors about each row are noisy and smoothed, so their own error would be too small or too
large. They are tempered, see `bayesfloor.bounds.tempered_posteriors`, until their mismatch is the
one that was estimated; the error is then read off. It always lies between the bounds, because both
belong to the same posteriors.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from bayesfloor.base.arrays import Floats
from bayesfloor.bounds.henze_penrose import HENZE_PENROSE, Bound, independent_mismatch
from bayesfloor.bounds.tempered_posteriors import (
    Linearization,
    MultiClassFamily,
    PosteriorFamily,
    Tempering,
    TwoClassFamily,
)

PRIOR_SHARE = 1e-4
"""Share of the priors that is mixed into the posteriors, so that none is zero.

A judgement: posteriors from a few dozen labels do not tell 1e-4 from zero."""
LARGEST_INVERSE_TEMPERATURE = 64.0
"""Inverse temperature of the sharpest posteriors.

A judgement: odds of 1.2 become odds of 100,000, so that what is still uncertain stays so."""
MOST_TEMPERED_ROWS = 50_000
"""Rows that the posteriors are thinned to.

A judgement: the standard error of a share of so many rows is 0.002 at most, and evenly spaced ones
have less."""
STEP_TOLERANCE = 1e-3
"""Newton's steps below this, relative for the inverse temperature, end the search.

They converge quadratically, so what is left is about the square, 1e-6."""
BRACKET_TOLERANCE = STEP_TOLERANCE**2
"""Relative width of the bracket of the inverse temperature that ends the search."""
SMALL_CORRECTION = 0.05
"""Correction of the log weights below which the inverse temperature moves too: a judgement."""
LARGEST_CORRECTION = 3.0
"""Largest step of the log weights: farther on they are not linear. A judgement."""
LARGEST_LOG_STEP = 1.5
"""Largest step of the logarithm of the inverse temperature: a judgement."""
MOST_STEPS = 100
"""Newton's steps and halvings at most; a few are usual."""
POSTERIOR_TIE = 1e-9
"""Classes whose posteriors differ by less, relatively, are equally likely at a row."""
INDEPENDENCE_TOLERANCE = 1e-12
"""A mismatch this close to that of independent labels is theirs, up to rounding."""


@dataclass(frozen=True, slots=True, eq=False)
class PosteriorError:
    """The Bayes error of some posteriors."""

    error: float
    by_class: Floats  # (m,), the share of each class that the best classifier gets wrong


class TemperedPosteriors:
    """The posteriors of a sample, and their Bayes error at any mismatch.

    Parameters
    ----------
    posterior : (n, m) array
        The posterior about each row; rows of NaN were not searched and are left out.
    priors : (m,) array
        The priors of the classes.
    most_rows : int
        Rows that the posteriors are thinned to.

    Examples
    --------
    >>> posterior = np.array([[0.9, 0.1], [0.2, 0.8]])
    >>> tempered = TemperedPosteriors(posterior, np.array([0.55, 0.45]))
    >>> [round(found.error, 3) for found in tempered.errors(0.25, 0.1)]
    [0.15, 0.056]
    """

    def __init__(
        self,
        posterior: Floats,
        priors: Floats,
        most_rows: int = MOST_TEMPERED_ROWS,
        *,
        bound: Bound = HENZE_PENROSE,
    ) -> None:
        posterior = _thinned(posterior[~np.isnan(posterior[:, 0])], most_rows)
        self._priors, self._bound = priors, bound
        mixed = (1 - PRIOR_SHARE) * posterior + PRIOR_SHARE * priors
        log_ratios = np.log(np.ascontiguousarray(mixed.T) / priors[:, None])
        make_family = TwoClassFamily if len(priors) == 2 else MultiClassFamily
        self.family: PosteriorFamily = make_family(log_ratios, priors)

    def errors(self, *mismatches: float) -> list[PosteriorError]:
        """Return the Bayes errors of the posteriors that have these mismatches.

        The search for the others starts where that for the first ended.
        """
        start, found = self.family.start, list[PosteriorError]()
        for mismatch in mismatches:
            low, high = self._bound.limits(mismatch, self._priors)
            tempering = self.tempering(mismatch, start) if high > 0 else None
            start = tempering if tempering is not None and not found else start
            found.append(self._error(tempering, low, high))
        return found

    def tempering(self, mismatch: float, start: Tempering | None = None) -> Tempering:
        """Return the tempering at which the posteriors have a mismatch, or the sharpest one."""
        most = independent_mismatch(self._priors)
        if most - INDEPENDENCE_TOLERANCE <= mismatch:
            return Tempering(0.0, self.family.start.log_weights)
        if start is None or start.inverse_temperature <= 0:
            start = self.family.start
        return TemperingSearch(self.family, mismatch, most).run(start)

    def _error(self, tempering: Tempering | None, low: float, high: float) -> PosteriorError:
        """Return the error between its bounds; it is `high`, zero, without a tempering."""
        if tempering is None:
            return PosteriorError(high, np.zeros(len(self._priors)))
        eta = self.family.posteriors(tempering)
        best = eta > (1 - POSTERIOR_TIE) * eta.max(axis=0)
        right = (eta * best / best.sum(axis=0)).sum(axis=1)
        error, total = 1 - float(right.sum()) / eta.shape[1], eta.sum(axis=1)
        clipped = min(max(error, low), high)
        wrong = 1 - np.divide(right, total, out=np.ones_like(total), where=total > 0)
        scale = clipped / error if error > 0 else 1.0
        return PosteriorError(clipped, np.minimum(wrong * scale, 1.0))


class TemperingSearch:
    """Newton's method for the tempering at which posteriors have a mismatch.

    While the means are far from the priors, the weights alone are corrected, and corrections that
    went too far are halved. Then the inverse temperature moves at the same time. Where it would
    leave the bracket that is known, it is doubled or the bracket is halved.
    """

    def __init__(self, family: PosteriorFamily, mismatch: float, most: float) -> None:
        self._family, self._mismatch, self._most = family, mismatch, most
        self._low, self._high = 0.0, LARGEST_INVERSE_TEMPERATURE

    def run(self, start: Tempering) -> Tempering:
        """Search from a tempering."""
        tempering, corrected, potential = start, start, math.inf
        for _ in range(MOST_STEPS):
            t, log_weights = tempering
            if potential < math.inf and self._family.potential(tempering) > potential:
                tempering = Tempering(t, (corrected.log_weights + log_weights) / 2)
                continue
            near = self._family.linearize(tempering)
            if near.largest_correction > SMALL_CORRECTION:
                corrected, potential = tempering, self._family.potential(tempering)
                step = min(1.0, LARGEST_CORRECTION / near.largest_correction)
                tempering = Tempering(t, log_weights + near.correction * step)
                continue
            potential = math.inf
            tempering, close = self._moved(tempering, near)
            if close or self._high - self._low < BRACKET_TOLERANCE * t:
                break
        return tempering

    def _moved(self, tempering: Tempering, near: Linearization) -> tuple[Tempering, bool]:
        """Move the inverse temperature with the weights; tell whether the step was small."""
        t, log_weights = tempering
        if near.mismatch > self._mismatch:
            self._low = t
        else:
            self._high = t
        to = next_inverse_temperature(t, near, self._mismatch, self._most)
        close = max(near.largest_correction, abs(to / t - 1)) < STEP_TOLERANCE
        if not (close or self._low < to < self._high):
            unlimited = self._low == t and self._high == LARGEST_INVERSE_TEMPERATURE
            doubled = min(2 * t, LARGEST_INVERSE_TEMPERATURE)
            to = doubled if unlimited else (self._low + self._high) / 2
        moved = log_weights + near.correction + (to - t) * near.weight_slopes
        return Tempering(to, moved), close


def next_inverse_temperature(t: float, near: Linearization, mismatch: float, most: float) -> float:
    """Return where the mismatch is likely the one that is wanted; infinity if nothing tells.

    log(most/mismatch − 1) is nearly linear in log t: its slope is 2 where posteriors are flat, and
    1 where they are sharp and the rows between two classes are what is left of the mismatch.
    """
    if near.slope >= 0 or not 0 < near.mismatch < most or mismatch <= 0:
        return math.inf
    growth = -t * near.slope * most / (near.mismatch * (most - near.mismatch))
    difference = math.log((most / mismatch - 1) / (most / near.mismatch - 1))
    step = min(max(difference / growth, -LARGEST_LOG_STEP), LARGEST_LOG_STEP)
    return t * math.exp(step)


def _thinned(posterior: Floats, most_rows: int) -> Floats:
    """Return rows evenly spaced from the least to the most certain, whatever order they come in."""
    step = -(-len(posterior) // most_rows)
    if step <= 1:
        return posterior
    certainty = np.einsum("ij,ij->i", posterior, posterior)
    return np.asarray(posterior[np.lexsort((posterior[:, 0], certainty))[step // 2 :: step]])
