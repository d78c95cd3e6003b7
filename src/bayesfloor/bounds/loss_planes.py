r"""Planes above what every answer gains: the lower bound on the mean cost of the best answers.

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

import numpy as np

from bayesfloor.base.arrays import Floats
from bayesfloor.bounds.sharpened import project_to_simplex

ASCENT_STEPS = 40
"""Steps towards the best λ, of which no formula is known: what is then missing is a thousandth of
the largest loss or less on random tables of up to five actions, see the tests."""
SHARPER = (1.0, 4.0, 16.0)
"""Multiples of μ of which mixtures are tried: a judgement."""
MOST_PROJECTED = 10
"""Actions up to which x is kept on the simplex: beyond, the projections take longer than they are
worth. A judgement."""
HALVINGS = 30
"""Halvings of the bracket of a threshold or slope: what is left is 1e-9 of it."""


def best_planes(losses: Floats, p: Floats, mu: float) -> tuple[Floats, Floats]:
    """Return a plane above all actions for each row: its height at p, (n,), and v, (n, m).

    Parameters
    ----------
    losses : (actions, m) array
        What an action loses at a row of each class.
    p : (n, m) array
        Class probabilities.
    mu : float
        Sharpness, μ.
    """
    return (_best_lines if p.shape[1] == 2 else _good_planes)(losses, p, mu)


def _best_lines(losses: Floats, p: Floats, mu: float) -> tuple[Floats, Floats]:
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


def _good_planes(losses: Floats, p: Floats, mu: float) -> tuple[Floats, Floats]:
    """Return a good plane through each row: its height at p, and the vector v.

    The best of a few mixtures of actions: that without the simplex, sharper ones, which are better
    where p is far from another answer, and the best action itself.
    """
    gains, n = p @ -losses.T, len(p)
    best = np.zeros_like(gains)
    best[np.arange(n), gains.argmax(axis=1)] = 1.0
    height, mixture = _height(losses, p, gains, best, mu), best
    inner = centred(losses) @ centred(losses).T
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
            rise = (centred(steep) ** 2).sum(axis=1) / (4 * mu)
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


def centred(vectors: Floats) -> Floats:
    """Return vectors, (n, m), without their means: Π."""
    return vectors - vectors.mean(axis=1, keepdims=True)
