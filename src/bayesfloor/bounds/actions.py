"""Answers that a rule may give, and what each of them costs.

Each kind knows what the best rule loses and what a row adds to the lower bound on that, which is
derived in `bayesfloor.bounds.loss_planes`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from bayesfloor.base.arrays import Bools, Floats, Ints
from bayesfloor.bounds.loss import losses as squared_losses
from bayesfloor.bounds.loss_planes import HALVINGS, best_planes, centred
from bayesfloor.bounds.posterior_error import POSTERIOR_TIE
from bayesfloor.bounds.sharpened import MOST_CHOOSING_ROWS

MOST_PROJECTED_ROWS = 4000
"""Rows that choose the sharpness where their scores are many projections: seconds. A judgement."""
CHUNK = 100_000
"""Rows that are worked on at once, so that temporary arrays stay small."""


class Actions(Protocol):
    """The answers that are allowed, with their losses, none below zero."""

    @property
    def largest(self) -> Floats:
        """The largest loss at a row of each class, (m,)."""
        ...

    @property
    def scale(self) -> float:
        """How far apart losses are, in units of those of 0/1 losses: that of the sharpness."""
        ...

    @property
    def choosing_rows(self) -> int:
        """Rows that choose the sharpness, at most: fewer where scores take long."""
        ...

    def best_constant(self, shares: Floats) -> Floats:
        """Return the losses by class, (m,), of the best answer that does not look at the row."""
        ...

    def held_out(self, posterior: Floats, labels: Ints) -> Floats:
        """Return the loss of the best answer by each row's probabilities, (n,), ties shared."""
        ...

    def expected(self, posterior: Floats) -> Floats:
        """Return the least expected loss of each row if its probabilities are true, (n,)."""
        ...

    def lower_scores(self, posterior: Floats, labels: Ints, sharpness: float) -> Floats:
        """Return what each row adds to the bound, (n,): their mean plus μR bounds the loss."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class LossTable:
    """A few actions, each with its loss at a row of each class.

    Examples
    --------
    >>> miss = LossTable(np.array([[0.0, 10.0], [1.0, 0.0]]))  # answer the first, the second
    >>> p, labels = np.array([[0.8, 0.2], [0.95, 0.05]]), np.array([0, 1])
    >>> miss.held_out(p, labels).tolist(), miss.expected(p).round(2).tolist()
    ([1.0, 10.0], [0.8, 0.5])
    """

    losses: Floats  # (actions, m)

    @property
    def largest(self) -> Floats:
        """The largest loss at a row of each class, (m,)."""
        return np.asarray(self.losses.max(axis=0))

    @property
    def scale(self) -> float:
        """Largest distance between two actions, over that of two classes with 0/1 losses."""
        apart = centred(self.losses)[:, None] - centred(self.losses)
        return float(np.sqrt((apart**2).sum(axis=2).max() / 2)) or 1.0

    @property
    def choosing_rows(self) -> int:
        """Rows that choose the sharpness, at most."""
        return MOST_CHOOSING_ROWS if self.losses.shape[1] == 2 else MOST_PROJECTED_ROWS

    def best_constant(self, shares: Floats) -> Floats:
        """Return the losses by class, (m,), of the best answer that does not look at the row."""
        return np.asarray(self.losses[int((self.losses @ shares).argmin())])

    def held_out(self, posterior: Floats, labels: Ints) -> Floats:
        """Return the loss of the best answer by each row's probabilities, (n,), ties shared."""
        expected = posterior @ self.losses.T
        near = POSTERIOR_TIE * self.scale
        best = expected <= expected.min(axis=1, keepdims=True) + near
        own = self.losses.T[labels]
        return np.asarray((best * own).sum(axis=1) / best.sum(axis=1))

    def expected(self, posterior: Floats) -> Floats:
        """Return the least expected loss of each row if its probabilities are true, (n,)."""
        return np.asarray((posterior @ self.losses.T).min(axis=1))

    def lower_scores(self, posterior: Floats, labels: Ints, sharpness: float) -> Floats:
        """Return what each row adds to the bound, (n,)."""
        scores = np.empty(len(labels))
        for i in range(0, len(labels), CHUNK):
            rows = slice(i, i + CHUNK)
            value, slope = best_planes(self.losses, posterior[rows], sharpness)
            along = _own(slope, labels[rows]) - (slope * posterior[rows]).sum(axis=1)
            scores[rows] = -value - along
        return scores - sharpness * squared_losses(posterior, labels)


@dataclass(frozen=True, slots=True, eq=False)
class AnswerSets:
    """Name k classes; a row whose class is not among them loses the weight of its class.

    Examples
    --------
    >>> two = AnswerSets(2, np.ones(3))
    >>> two.held_out(np.array([[0.5, 0.3, 0.2], [0.5, 0.3, 0.2]]), np.array([1, 2])).tolist()
    [0.0, 1.0]
    """

    k: int
    weights: Floats  # (m,), above zero

    @property
    def largest(self) -> Floats:
        """The largest loss at a row of each class, (m,)."""
        return self.weights

    @property
    def scale(self) -> float:
        """Distance between two classes, over that of 0/1 losses."""
        return float(np.sqrt((np.sort(self.weights)[-2:] ** 2).sum() / 2))

    @property
    def choosing_rows(self) -> int:
        """Rows that choose the sharpness, at most."""
        return MOST_CHOOSING_ROWS

    def best_constant(self, shares: Floats) -> Floats:
        """Return the losses by class, (m,), of the best answer that does not look at the row."""
        named = np.argsort(-self.weights * shares, kind="stable")[: self.k]
        losses = self.weights.copy()
        losses[named] = 0.0
        return losses

    def held_out(self, posterior: Floats, labels: Ints) -> Floats:
        """Return the loss of the best answer by each row's probabilities, (n,), ties shared."""
        gains = posterior * self.weights
        last = np.partition(gains, -self.k, axis=1)[:, [-self.k]]
        near = POSTERIOR_TIE * last
        above, level = gains > last + near, np.abs(gains - last) <= near
        left = self.k - above.sum(axis=1)
        own_above, own_level = (_own(one, labels) for one in (above, level))
        named = own_above + own_level * left / level.sum(axis=1)
        return np.asarray(self.weights[labels] * (1 - named))

    def expected(self, posterior: Floats) -> Floats:
        """Return the least expected loss of each row if its probabilities are true, (n,)."""
        gains = np.partition(posterior * self.weights, -self.k, axis=1)
        return np.asarray(gains[:, : -self.k].sum(axis=1))

    def lower_scores(self, posterior: Floats, labels: Ints, sharpness: float) -> Floats:
        """Return what each row adds to the bound, (n,)."""
        gains, four = posterior * self.weights, 4 * sharpness
        v = self.weights * self._shares(gains, sharpness)
        apart = gains + (self.weights**2 - 2 * self.weights * v) / four
        if self.k == 1:  # Π is cheap where an answer is one class
            apart -= (self.weights - v.sum(axis=1, keepdims=True)) ** 2 / (four * v.shape[1])
        best = np.partition(apart, -self.k, axis=1)[:, -self.k :].sum(axis=1)
        slack = best + (v**2).sum(axis=1) / four - (v * posterior).sum(axis=1)
        own = self.weights[labels] - _own(v, labels)
        return np.asarray(own - slack - sharpness * squared_losses(posterior, labels))

    def _shares(self, gains: Floats, sharpness: float) -> Floats:
        """Return how much of each class to name, (n, m): between 0 and 1, k in all.

        Of one class it is found by sorting, else by halving a bracket.
        """
        steep = 2 * sharpness / self.weights**2
        start = gains + 1 / (2 * steep)
        if self.k == 1:
            return np.maximum((start - _threshold(start, steep)) * steep, 0.0)
        low = (start - 1 / steep).min(axis=1, keepdims=True)
        high = start.max(axis=1, keepdims=True)
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            many = np.clip((start - middle) * steep, 0, 1).sum(axis=1, keepdims=True) > self.k
            low, high = np.where(many, middle, low), np.where(many, high, middle)
        return np.clip((start - (low + high) / 2) * steep, 0, 1)


def _threshold(start: Floats, steep: Floats) -> Floats:
    """Return where the parts of `start` above it, times `steep`, sum to one, (n, 1)."""
    order = np.argsort(-start, axis=1)
    falling = np.take_along_axis(start, order, axis=1)
    slopes = steep[order]
    thresholds = (np.cumsum(slopes * falling, axis=1) - 1) / np.cumsum(slopes, axis=1)
    last = (falling > thresholds).sum(axis=1, keepdims=True) - 1
    return np.take_along_axis(thresholds, last, axis=1)


def _own(values: Floats | Bools, labels: Ints) -> Floats:
    return np.asarray(np.take_along_axis(values, labels[:, None], axis=1)[:, 0])
