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
from typing import NamedTuple, Protocol, TypeAlias

import numpy as np
from scipy.special import expit, logsumexp

from bayesfloor.base.arrays import Floats
from bayesfloor.bounds.henze_penrose import bayes_error_bounds, independent_mismatch

LEAST_SHARE = 1e-4
"""Posteriors are kept this share of the prior away from zero."""
SHARPEST = 64.0
PRECISION = 1e-3
"""Share of t, and of weights; a Newton step that small leaves about its square."""
MOST_ROWS = 50_000
"""Rows that are looked at, where there are more."""
TINY = 1e-12
"""Chance that is added where none would divide."""
TIED = 1e-9
"""Classes whose chances differ by less, relatively, are equally likely at a row."""
NEAR, LONGEST = 0.05, 3.0
"""Of a step of the weights' logarithms: from where on t moves too, and the longest one."""
FARTHEST = 1.5
"""Of a step of log t: beyond, nothing is straight."""
MOST_STEPS = 100
ROUNDING = 1e-12
"""A mismatch so close to that of independent labels is theirs."""


@dataclass(frozen=True, slots=True, eq=False)
class Point:
    """The Bayes error of some posteriors."""

    error: float
    by_class: Floats  # (m,), the share of each class that the best classifier gets wrong


Weights: TypeAlias = Floats | float
"""Logarithms of the weights, or the one that is enough for two classes."""


class Slopes(NamedTuple):
    """Posteriors when their means are mended, to first order, and from there on by t."""

    mismatch: float
    slope: float  # of the mismatch
    mend: Weights  # what the weights lack
    turn: Weights  # slopes of the weights that keep the means
    far: float  # the most that any weight lacks


class Place(NamedTuple):
    """Where in the family some posteriors are."""

    t: float
    weights: Weights


class Shapes(Protocol):
    """Posteriors by their place."""

    start: Place
    """The posteriors as they came."""

    def full(self, place: Place) -> Floats:
        """Return the posteriors of all classes, (m, rows)."""
        ...

    def height(self, place: Place) -> float:
        """Return a convex function of the weights, least where the means are right."""
        ...

    def slopes(self, place: Place) -> Slopes:
        """Look at the neighbourhood of some posteriors."""
        ...


class ManyShapes:
    """Posteriors of any number of classes, (m, rows): few long rows are fast to sum over."""

    def __init__(self, logs: Floats, priors: Floats) -> None:
        self._logs, self._priors = logs - logs.max(axis=0), priors
        self.start = Place(1.0, np.log(priors))

    def full(self, place: Place) -> Floats:
        """Return the posteriors of all classes, (m, rows)."""
        logs = place.t * self._logs + np.reshape(place.weights, (-1, 1))
        odds = np.exp(logs - logs.max(axis=0))
        return np.asarray(odds / odds.sum(axis=0))

    def height(self, place: Place) -> float:
        """Return the mean logarithm of the odds' sum, less that of right means."""
        logs = place.t * self._logs + np.reshape(place.weights, (-1, 1))
        return float(logsumexp(logs, axis=0).mean() - np.dot(self._priors, place.weights))

    def slopes(self, place: Place) -> Slopes:
        """Look at the neighbourhood of some posteriors."""
        at = self.full(place)
        rows, squares, turned = at.shape[1], at * at, at * self._logs
        total, mean_log, means = squares.sum(axis=0), turned.sum(axis=0), at.mean(axis=1)
        drift = (turned.sum(axis=1) - at @ mean_log) / rows  # of the means with t
        # How the means move with the weights. All weights together move nothing: they stay.
        moves = np.diag(means + TINY) - at @ at.T / rows + 1.0
        mend, turn = np.linalg.solve(moves, np.column_stack([self._priors - means, -drift])).T
        by_weights = 2 * (at @ total - squares.sum(axis=1)) / rows
        by_t = 2 * (np.vdot(total, mean_log) - np.vdot(at, turned)) / rows
        mismatch, slope = 1 - total.mean() + by_weights @ mend, by_t + by_weights @ turn
        return Slopes(float(mismatch), float(slope), mend, turn, float(np.abs(mend).max()))


class TwoShapes:
    """Posteriors of two classes, by that of the first: several times as fast.

    One weight is enough, that of the first class over the other.
    """

    def __init__(self, logs: Floats, priors: Floats) -> None:
        score = logs[0] - logs[1]
        self._score, self._prior = score, float(priors[0])
        self._per_row = np.array([np.ones_like(score), score]).T / len(score)
        self._room = np.empty((3, len(score)))
        self.start = Place(1.0, float(np.log(priors[0] / priors[1])))

    def full(self, place: Place) -> Floats:
        """Return the posteriors of both classes, (2, rows)."""
        first = expit(place.t * self._score + place.weights)
        return np.array([first, 1 - first])

    def height(self, place: Place) -> float:
        """Return the mean logarithm of the odds' sum, less that of right means."""
        sums = np.logaddexp(0, place.t * self._score + place.weights)
        return float(sums.mean() - self._prior * place.weights)

    def slopes(self, place: Place) -> Slopes:
        """Look at the neighbourhood of some posteriors."""
        at, spread, uneven = self._room
        expit(place.t * self._score + place.weights, out=at)
        np.subtract(at, at * at, out=spread)
        np.multiply(spread, 1 - 2 * at, out=uneven)
        (mean, _), (moves, drift), (by_weight, by_t) = (self._room @ self._per_row).tolist()
        mend, turn = (self._prior - mean) / (moves + TINY), -drift / (moves + TINY)
        mismatch, slope = 2 * (moves + by_weight * mend), 2 * (by_t + by_weight * turn)
        return Slopes(mismatch, slope, mend, turn, abs(mend))


class Family:
    """Posteriors of a sample, sharpened or flattened."""

    def __init__(self, posterior: Floats, priors: Floats) -> None:
        posterior = _thinned(posterior[~np.isnan(posterior[:, 0])])  # less rows not asked
        self._priors = priors
        kept = (1 - LEAST_SHARE) * posterior + LEAST_SHARE * priors
        logs = np.log(np.ascontiguousarray(kept.T) / priors[:, None])
        self.shapes: Shapes = (TwoShapes if len(priors) == 2 else ManyShapes)(logs, priors)

    def points(self, *mismatches: float) -> list[Point]:
        """Return the Bayes errors of the posteriors that have these mismatches.

        The others are searched from the first.
        """
        near, found = self.shapes.start, list[Point]()
        for mismatch in mismatches:
            low, high = bayes_error_bounds(mismatch, self._priors)
            place = self.find(mismatch, near) if high > 0 else None
            near = place if place is not None and not found else near
            found.append(self._point(place, low, high))
        return found

    def _point(self, place: Place | None, low: float, high: float) -> Point:
        """Return the error between its bounds; without a place, there is none."""
        if place is None:
            return Point(high, np.zeros(len(self._priors)))
        at = self.shapes.full(place)
        best = at > (1 - TIED) * at.max(axis=0)
        right = (at * best / best.sum(axis=0)).sum(axis=1)
        error, total = 1 - float(right.sum()) / at.shape[1], at.sum(axis=1)
        found = min(max(error, low), high)
        wrong = 1 - np.divide(right, total, out=np.ones_like(total), where=total > 0)
        return Point(found, np.minimum(wrong * (found / error if error > 0 else 1.0), 1.0))

    def find(self, mismatch: float, start: Place | None = None) -> Place:
        """Return the place of the posteriors that have this mismatch, or of the sharpest.

        Newton's steps, of t and the weights at once when the means are nearly right; where one
        leaves the limits that are known of t, it is doubled or they halve.
        """
        shapes, most = self.shapes, independent_mismatch(self._priors)
        if most - ROUNDING <= mismatch:
            return Place(0.0, shapes.start.weights)
        place = start if start is not None and start.t > 0 else shapes.start
        flat, sharp, before, least = 0.0, SHARPEST, place, math.inf
        for _ in range(MOST_STEPS):
            t, weights = place
            if least < math.inf and shapes.height(place) > least:  # went too far
                place = Place(t, (before.weights + weights) / 2)
                continue
            here = shapes.slopes(place)
            if here.far > NEAR:
                before, least = place, shapes.height(place)
                place = Place(t, weights + here.mend * min(1.0, LONGEST / here.far))
                continue
            least = math.inf
            flat, sharp = (t, sharp) if here.mismatch > mismatch else (flat, t)
            to = _next(t, here, mismatch, most)
            close = max(here.far, abs(to / t - 1)) < PRECISION
            if not (close or flat < to < sharp):
                unlimited = flat == t and sharp == SHARPEST
                to = min(2 * t, SHARPEST) if unlimited else (flat + sharp) / 2
            place = Place(to, weights + here.mend + (to - t) * here.turn)
            if close or sharp - flat < PRECISION**2 * t:
                break
        return place


def _next(t: float, here: Slopes, mismatch: float, most: float) -> float:
    """Return where the mismatch is likely the one that is wanted.

    log(most/mismatch − 1) is nearly straight in log t: it grows by 2 where posteriors are flat, and
    by 1 where they are sharp and the rows between two classes are what is left of the mismatch.
    """
    if here.slope >= 0 or not 0 < here.mismatch < most or mismatch <= 0:
        return math.inf
    growth = -t * here.slope * most / (here.mismatch * (most - here.mismatch))
    apart = math.log((most / mismatch - 1) / (most / here.mismatch - 1))
    return t * math.exp(min(max(apart / growth, -FARTHEST), FARTHEST))


def _thinned(posterior: Floats) -> Floats:
    """Return rows evenly spaced from the least to the most certain, whatever order they come in."""
    step = -(-len(posterior) // MOST_ROWS)
    if step <= 1:
        return posterior
    certainty = np.einsum("ij,ij->i", posterior, posterior)
    return np.asarray(posterior[np.lexsort((posterior[:, 0], certainty))[step // 2 :: step]])
