r"""What maps would still lose of their loss with more and more rows to learn from.

The loss of a map learned on n rows is :math:`a + V n_0^\beta n^{-\beta}`: the excess V at the size
:math:`n_0` at hand falls by a power β of the rows that is not known. Losses at some sizes, measured
on the same rows, tell V and β, together with what they leave open.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from scipy.special import ndtr

from bayesfloor.base.arrays import Floats, Ints

EXPONENTS = np.linspace(0.2, 1.2, 21)
"""Exponents β that are tried: parametric maps have 1, smooth nonparametric ones 1/3 to 2/3."""
PRIOR_WEIGHTS = np.clip((EXPONENTS - 0.15) / 0.25, 0.0, 1.0)
"""How likely the exponents are beforehand: all alike from 0.4 on, slower ones less and less, none
at 0.15. They decide how far the lower end reaches where the curve leaves the exponent open. A
judgement: without slow ones intervals are too narrow for classes whose odds bend in a way that
maps learn slowly."""
SHAPE_ERROR = 0.1
"""Relative standard error of the last drop of the loss, beside that of the measured rows; those of
smaller sizes have as much more as they are smaller. Other training rows would give another drop;
and what falls fast, such as the noise of many coefficients, hides at small sizes what falls slowly.
A judgement."""
LEAST_ERROR = 1e-9
"""Standard error of a drop of the loss, at least, where all maps agree on every row."""
QUANTILE_STEPS = 60
"""Halvings that find a quantile, to far below what matters."""


@dataclass(frozen=True, slots=True, eq=False)
class Excess:
    """What is known of the excess: a mixture of normal distributions, none of it below zero."""

    means: Floats  # (exponents,)
    errors: Floats  # (exponents,)
    weights: Floats  # (exponents,), sum to one
    exponent: float  # the mean of β

    @property
    def value(self) -> float:
        """The median."""
        return self.quantile(0.5)

    def quantile(self, share: float) -> float:
        """Return the excess that is not exceeded with the chance `share`."""
        above = ndtr(self.means / self.errors)
        low, high = 0.0, float(max((self.means + 9 * self.errors).max(), 0.0))
        for _ in range(QUANTILE_STEPS):
            middle = (low + high) / 2
            inside = ndtr((middle - self.means) / self.errors) - (1 - above)
            reached = float(self.weights @ (inside / np.maximum(above, np.finfo(float).tiny)))
            low, high = (middle, high) if reached < share else (low, middle)
        return high


@dataclass(frozen=True, slots=True, eq=False)
class LearningCurve:
    """The loss of maps by the number of rows they were learned on."""

    sizes: Ints  # (s,), falling: all training rows, a half, a quarter, ...
    losses: Floats  # (s,), means over the same rows
    errors: Floats  # (s,), standard errors of the differences to the first
    excess: Excess | None  # what more rows would take away; None if too few sizes were learned
    row_losses: Floats = field(repr=False)  # (n, s), the loss of each row at each size

    @property
    def end(self) -> float:
        """Loss that the curve would likely end at."""
        return float(self.losses[0]) - (0.0 if self.excess is None else self.excess.value)


def make_learning_curve(sizes: Ints, losses: Floats) -> LearningCurve:
    """Make the curve from the losses of the same rows at some sizes.

    Parameters
    ----------
    sizes : (s,) array
        Rows that were learned from, the most first.
    losses : (n, s) array
        The loss of each row by maps of each size.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> falls = 0.2 + 0.01 * np.array([1, 2, 4, 8]) + 0.001 * rng.normal(size=(5000, 4))
    >>> curve = make_learning_curve(np.array([800, 400, 200, 100]), falls)
    >>> curve.excess.quantile(0.025) < 0.01 < curve.excess.quantile(0.975)
    True
    """
    n, s = losses.shape
    means = losses.mean(axis=0)
    apart = (losses - losses[:, :1]).std(axis=0) / np.sqrt(n)
    excess = fit_excess(losses, np.asarray(sizes, dtype=np.float64)) if s > 2 else None
    return LearningCurve(sizes, means, apart, excess, losses)


def fit_excess(losses: Floats, sizes: Floats) -> Excess:
    """Fit the excess for each exponent, and weigh the exponents by how well they fit."""
    drops = losses[:, 1:] - losses[:, :-1]
    drop = drops.mean(axis=0)
    covariance = np.atleast_2d(np.cov(drops.T)) / len(drops)
    relative = SHAPE_ERROR * sizes[1] / sizes[1:]
    shape = np.maximum(relative * np.maximum(drop, 0.0), LEAST_ERROR)
    precision = np.linalg.inv(covariance + np.diag(shape**2))
    ratio = sizes[0] / sizes
    means, errors, misfit = np.empty((3, len(EXPONENTS)))
    for j, exponent in enumerate(EXPONENTS):
        expected = np.diff(ratio**exponent)  # of an excess of one
        information = float(expected @ precision @ expected)
        means[j], errors[j] = expected @ precision @ drop / information, information**-0.5
        left = drop - expected * means[j]
        misfit[j] = left @ precision @ left
    logs = np.log(np.maximum(ndtr(means / errors), np.finfo(float).tiny)) - misfit / 2
    weights = PRIOR_WEIGHTS * np.exp(logs - logs.max())
    weights /= weights.sum()
    return Excess(means, errors, weights, float(weights @ EXPONENTS))
