r"""Answers that a rule may give, what each of them costs, and the lower bound on their mean cost.

Action k loses :math:`L_{kc}` at a row of class c. At posterior η the best rule loses
:math:`\min_k (L\eta)_k`. Let :math:`a_k = -L_k`, p any class probabilities, μ > 0 and v any vector.
At every point

.. math:: \max_k a_k \cdot \eta \le v \cdot \eta + G + \mu |\eta - p|^2 , \quad
    G = \max_k \sup_x \bigl[(a_k - v) \cdot x - \mu |x - p|^2\bigr] ,

with x on the simplex, where η is: :math:`x = \eta` is one of those that the supremum goes over. It
is reached at the projection of :math:`p + (a_k - v)/(2\mu)`. Where that is inside the simplex, the
supremum is :math:`(a_k - v) \cdot p + |\Pi(a_k - v)|^2/(4\mu)`, Π taking the mean away from a
vector; it is that or less elsewhere. With 0/1 losses and this formula it is the bound of
`bayesfloor.bounds.sharpened`.

The bound holds for every v, so that a v that is only nearly the best costs some width, and no
truth. With :math:`v = \sum_k \lambda_k a_k` the formula without the simplex is least, for η = p,
where λ makes :math:`\lambda \cdot b - |\Pi v|^2/(4\mu)` largest,
:math:`b_k = a_k \cdot p + |\Pi a_k|^2/(4\mu)`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from bayesfloor.base.arrays import Bools, Floats, Ints
from bayesfloor.bounds.loss import losses as squared_losses
from bayesfloor.bounds.posterior_error import POSTERIOR_TIE
from bayesfloor.bounds.sharpened import MOST_CHOOSING_ROWS, project_to_simplex

ASCENT_STEPS = 40
"""Steps towards the best λ, of which no formula is known: what is then missing is a thousandth of
the largest loss or less on random tables of up to five actions, see the tests."""
SHARPER = (1.0, 4.0, 16.0)
"""Multiples of μ of which mixtures are tried: a judgement."""
MOST_PROJECTED = 10
"""Actions up to which x is kept on the simplex: beyond, the projections take longer than they are
worth. A judgement."""
MOST_PROJECTED_ROWS = 4000
"""Rows that choose the sharpness where their scores are many projections: seconds. A judgement."""
HALVINGS = 30
"""Halvings of the bracket of a threshold or slope: what is left is 1e-9 of it."""
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
        apart = _centred(self.losses)[:, None] - _centred(self.losses)
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
        tangent = _two_class_tangents if posterior.shape[1] == 2 else _tangents
        scores = np.empty(len(labels))
        for i in range(0, len(labels), CHUNK):
            rows = slice(i, i + CHUNK)
            value, slope = tangent(self.losses, posterior[rows], sharpness)
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


def _two_class_tangents(losses: Floats, p: Floats, mu: float) -> tuple[Floats, Floats]:
    """Return the best line through each row of two classes: its height at p, and its slope.

    What an action needs above the line falls or rises with the slope, so a bracket of the slope is
    halved.
    """
    slopes, gains = losses[:, 1] - losses[:, 0], p @ -losses.T
    up, down = p[:, 1:], p[:, :1]  # how far the first class can rise and fall

    def needed(slope: Floats) -> tuple[Floats, Floats]:
        steep = slopes - slope
        move = np.clip(steep / (4 * mu), -down, up)
        return gains + steep * move - 2 * mu * move**2, steep

    low, high = (np.full((len(p), 1), slope) for slope in (slopes.min(), slopes.max()))
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        height, steep = needed(middle)
        rises = np.take_along_axis(steep, height.argmax(axis=1)[:, None], axis=1) > 0
        low, high = np.where(rises, middle, low), np.where(rises, high, middle)
    slope = (low + high) / 2
    return needed(slope)[0].max(axis=1), slope * np.array([0.5, -0.5])


def _tangents(losses: Floats, p: Floats, mu: float) -> tuple[Floats, Floats]:
    """Return a good plane through each row: its height at p, and the vector v.

    The best of a few mixtures of actions: that without the simplex, sharper ones, which are better
    where p is far from another answer, and the best action itself.
    """
    gains, n = p @ -losses.T, len(p)
    best = np.zeros_like(gains)
    best[np.arange(n), gains.argmax(axis=1)] = 1.0
    height, mixture = _height(losses, p, gains, best, mu), best
    inner = _centred(losses) @ _centred(losses).T
    for sharper in SHARPER:
        weights = best_mixtures(gains, inner, sharper * mu)
        other = _height(losses, p, gains, weights, mu)
        mixture = np.where((other < height)[:, None], weights, mixture)
        height = np.minimum(height, other)
    return height, mixture @ -losses


def _height(losses: Floats, p: Floats, gains: Floats, weights: Floats, mu: float) -> Floats:
    """Return how high above p the planes of mixtures must be, to be above every action, (n,)."""
    v = weights @ -losses
    height = np.full(len(p), -np.inf)
    for action, gain in zip(losses, gains.T, strict=True):
        steep = -action - v
        if len(losses) > MOST_PROJECTED:
            rise = (_centred(steep) ** 2).sum(axis=1) / (4 * mu)
        else:
            move = project_to_simplex(p + steep / (2 * mu)) - p
            rise = (steep * move).sum(axis=1) - mu * (move**2).sum(axis=1)
        height = np.maximum(height, gain + rise)
    return height


def best_mixtures(gains: Floats, inner: Floats, sharpness: float) -> Floats:
    r"""Return the λ of each row, (n, actions), of which the bound without the simplex is best.

    Parameters
    ----------
    gains : (n, actions) array
        :math:`a_k \cdot p`.
    inner : (actions, actions) array
        :math:`\Pi a_k \cdot \Pi a_l`.
    sharpness : float
        μ.
    """
    norm = float(np.linalg.norm(inner, 2)) or 1.0
    step, start = 2 * sharpness / norm, gains + np.diag(inner) / (4 * sharpness)
    found = project_to_simplex(step * gains)
    ahead, momentum = found, 1.0
    for _ in range(ASCENT_STEPS):
        slope = start - ahead @ inner / (2 * sharpness)
        moved = project_to_simplex(ahead + step * slope)
        faster = (1 + np.sqrt(1 + 4 * momentum**2)) / 2
        ahead = moved + (momentum - 1) / faster * (moved - found)
        found, momentum = moved, faster
    return found


def _threshold(start: Floats, steep: Floats) -> Floats:
    """Return where the parts of `start` above it, times `steep`, sum to one, (n, 1)."""
    order = np.argsort(-start, axis=1)
    falling = np.take_along_axis(start, order, axis=1)
    slopes = steep[order]
    thresholds = (np.cumsum(slopes * falling, axis=1) - 1) / np.cumsum(slopes, axis=1)
    last = (falling > thresholds).sum(axis=1, keepdims=True) - 1
    return np.take_along_axis(thresholds, last, axis=1)


def _centred(vectors: Floats) -> Floats:
    return vectors - vectors.mean(axis=1, keepdims=True)


def _own(values: Floats | Bools, labels: Ints) -> Floats:
    return np.asarray(np.take_along_axis(values, labels[:, None], axis=1)[:, 0])
