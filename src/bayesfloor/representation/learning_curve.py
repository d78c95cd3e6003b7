r"""What maps would still lose of their loss with more and more rows to learn from.

The loss of a map p is the mismatch R plus its excess :math:`E|\eta - p|^2`, which has two parts.
Its *variance* comes from the rows that happened to be learned from: two maps a and b learned on
rows apart differ by it, :math:`E|p_a - p_b|^2 / 2`, and no label is needed to tell. Its *bias* is
what the mean of such maps misses. The residuals of two such maps share the bias alone,

.. math:: E[(e_Y - p_a) \cdot (e_Y - p_b)] = R + E|\eta - \bar p|^2,

see [1]_. The bias falls by a power β of the rows that is not known. Cross-residuals at some sizes,
measured on the same rows, tell bias and β, together with what they leave open.

References
----------
.. [1] Newey & Robins (2018), Cross-fitting and fast remainder rates for semiparametric estimation.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from scipy.special import ndtr

from bayesfloor.base.arrays import Floats, Ints
from bayesfloor.base.clustered_noise import design_effect, mean_covariance, mean_errors
from bayesfloor.bounds.loss import cross_losses, losses

EXPONENTS = np.linspace(0.2, 1.2, 11)
"""Exponents β that are tried: smooth nonparametric maps have 1/3 to 2/3."""
PRIOR_WEIGHTS = np.clip((EXPONENTS - 0.15) / 0.25, 0.0, 1.0)
"""How likely the exponents are beforehand: all alike from 0.4 on, slower ones less and less, none
at 0.15. They decide how far the lower end reaches where the curve leaves the exponent open. A
judgement: without slow ones intervals are too narrow for classes whose odds bend in a way that
maps learn slowly."""
MOST_VARIANCE_EXPONENT = 1.2
"""The variance falls by no larger power of the rows: that of parametric maps is 1."""
VARIANCE_ERROR = 0.15
"""Relative standard error of the variance at the largest size, which is extrapolated from smaller
ones: what an exponent that is off by 0.15 adds from a third of the rows to nine tenths."""
SHAPE_ERROR = 0.1
"""Relative standard error of a fall of the bias over a doubling of the rows, beside that of the
measured rows: other training rows would give another fall. A judgement."""
ROUNDING_VARIANCE = 1e-12
"""Variance of what is measured, at least, where all maps agree on every row."""
BIASES = 60
"""Values of the bias that are tried for each exponent, over five standard errors on either side."""
QUANTILE_STEPS = 60
"""Halvings that find a quantile, to far below what matters."""


@dataclass(frozen=True, slots=True, eq=False)
class Excess:
    """What is known of the excess: a mixture of normal distributions, none of it below zero."""

    means: Floats  # (components,)
    error: float  # of every component
    weights: Floats  # (components,), sum to one
    exponent: float  # by which the excess falls about the largest size

    @property
    def value(self) -> float:
        """The median."""
        return self.quantile(0.5)

    def quantile(self, share: float) -> float:
        """Return the excess that is not exceeded with the chance `share`."""
        low = float((self.means - 9 * self.error).min())
        high = float((self.means + 9 * self.error).max())
        for _ in range(QUANTILE_STEPS):
            middle = (low + high) / 2
            reached = float(self.weights @ ndtr((middle - self.means) / self.error))
            low, high = (middle, high) if reached < share else (low, middle)
        return max(high, 0.0)


@dataclass(frozen=True, slots=True, eq=False)
class MeasuredExcess:
    """What an excess is fitted to: the loss of each row less that of maps of each size."""

    apart: Floats  # (n, s), the variance of the maps left out: on average excess minus bias
    sizes: Floats  # (s,), rows that were learned from, the most first
    variance: float  # of the maps of the largest size
    exponent: float  # the power by which it falls
    shape_error: float = SHAPE_ERROR  # relative standard error of a fall over a doubling of rows

    @property
    def shape_variance(self) -> Floats:
        """What variance and shape add to the variance of the mean at each size, (s,)."""
        fallen = np.cumsum(np.maximum(-np.diff(self.apart.mean(axis=0)), 0.0))
        scale = (self.sizes[0] / self.sizes[1:]) ** 0.5
        shape = np.r_[VARIANCE_ERROR * self.variance, self.shape_error * fallen * scale]
        return np.asarray(shape**2 + ROUNDING_VARIANCE)


@dataclass(frozen=True, slots=True, eq=False)
class LearningCurve:
    """The loss of maps by the number of rows they were learned on."""

    sizes: Ints  # (s,), falling: all training rows, a half, a quarter, ...
    losses: Floats  # (s,), means over the same rows
    errors: Floats  # (s,), standard errors of the differences to the first
    excess: Excess | None  # what more rows would take away; None if too few sizes were learned
    measured: MeasuredExcess | None = field(default=None, repr=False)  # what that was fitted to


@dataclass(frozen=True, slots=True, eq=False)
class MapPair:
    """Class probabilities of each row by two maps, learned on so many rows apart."""

    size: int
    first: Floats  # (n, m)
    second: Floats  # (n, m)

    def cross_residuals(self, labels: Ints) -> Floats:
        """Return the products of what the two maps miss, (n,)."""
        return cross_losses(self.first, self.second, labels)

    def losses(self, labels: Ints) -> Floats:
        """Return the mean loss of the two maps, (n,)."""
        return (losses(self.first, labels) + losses(self.second, labels)) / 2

    @property
    def variance(self) -> float:
        """The variance of either map."""
        return float(((self.first - self.second) ** 2).sum(axis=1).mean()) / 2


def make_learning_curve(
    served: Floats,
    whole: tuple[int, Floats],
    pairs: Sequence[MapPair],
    labels: Ints,
    groups: Ints | None = None,
) -> LearningCurve:
    """Make the curve of maps from what pairs of them say of the same rows.

    Parameters
    ----------
    served : (n, m) array
        The class probabilities whose excess is wanted.
    whole : int and (n,) array
        Rows of the largest size, and the loss of each row by maps that were learned on so many.
    pairs : sequence of MapPair
        Maps of smaller sizes, the largest first.
    labels : (n,) array
        The class of each row.
    groups : (n,) array, optional
        What each row belongs to: rows of a group are not independent.
    """
    size, lost = whole
    found = np.column_stack([lost, *(one.losses(labels) for one in pairs)])
    sizes = np.array([size, *(one.size for one in pairs)])
    errors = mean_errors(found - found[:, :1], groups)
    excess = measured = None
    if len(pairs) > 1:
        variance, exponent = extrapolate_variance(pairs, size)
        biased = [lost - variance]
        biased += [one.cross_residuals(labels) for one in pairs]
        apart = losses(served, labels)[:, None] - np.column_stack(biased)
        shape_error = SHAPE_ERROR * design_effect(found[:, 0], groups) ** 0.5
        measured = MeasuredExcess(apart, sizes.astype(np.float64), variance, exponent, shape_error)
        excess = fit_excess(measured, groups)
    return LearningCurve(sizes, found.mean(axis=0), errors, excess, measured)


def extrapolate_variance(pairs: Sequence[MapPair], size: int) -> tuple[float, float]:
    """Return the variance of maps learned on `size` rows, and the exponent it falls by.

    Examples
    --------
    >>> apart = [np.full((2, 2), value) for value in (0.2, 0.1, 0.0)]
    >>> pairs = [MapPair(200, apart[1], apart[2]), MapPair(50, apart[0], apart[2])]
    >>> [round(value, 6) for value in extrapolate_variance(pairs, 400)]
    [0.005, 1.0]
    """
    variances = np.array([one.variance for one in pairs])
    if not (variances > 0).all():
        return float(variances[0]), 0.0
    sizes = np.log([one.size for one in pairs])
    slope = float(np.polyfit(sizes, np.log(variances), 1)[0])
    exponent = min(max(-slope, 0.0), MOST_VARIANCE_EXPONENT)
    return float(variances[0]) * (pairs[0].size / size) ** exponent, exponent


def fit_excess(measured: MeasuredExcess, groups: Ints | None = None) -> Excess:
    """Fit excess and bias for each exponent, and weigh these by how well they fit.

    Parameters
    ----------
    measured : MeasuredExcess
        What rows say of each size.
    groups : (n,) array, optional
        What each row belongs to: rows of a group are not independent.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> noise = 0.001 * rng.normal(size=(5000, 4))
    >>> sizes = np.array([800.0, 400, 200, 100])
    >>> apart = 0.03 - 0.01 * np.array([1, 2, 4, 8]) + noise
    >>> found = fit_excess(MeasuredExcess(apart, sizes, 0.0, 1.0))
    >>> found.quantile(0.025) < 0.03 < found.quantile(0.975)
    True
    """
    apart, sizes = measured.apart, measured.sizes
    seen = apart.mean(axis=0)
    covariance = mean_covariance(apart, groups) + np.diag(measured.shape_variance)
    precision = np.asarray(np.linalg.inv(covariance), dtype=np.float64)
    information = float(precision.sum())
    means, weights, falls = [], [], []
    for power, prior in zip(EXPONENTS, PRIOR_WEIGHTS, strict=True):
        shape = (sizes[0] / sizes) ** power  # of a bias of one at the largest size
        biases, step = _possible_biases(seen, shape, precision)
        fitted = seen + biases[:, None] * shape
        excess = (fitted @ precision.sum(axis=1)) / information
        left = fitted - excess[:, None]
        misfit = np.einsum("ij,jk,ik->i", left, precision, left)
        means.append(excess)
        weights.append(np.log(prior * step) - misfit / 2)
        falls.append(np.maximum(biases * power + measured.variance * measured.exponent, 0.0))
    logs = np.concatenate(weights)
    share = np.exp(logs - logs.max())
    share /= share.sum()
    known = np.concatenate(means)
    fall, middle = float(share @ np.concatenate(falls)), float(share @ np.maximum(known, 0.0))
    return Excess(known, information**-0.5, share, _exponent(fall, middle))


def _possible_biases(seen: Floats, shape: Floats, precision: Floats) -> tuple[Floats, float]:
    """Return biases, none below zero, over what the fit leaves open, and their step in errors."""
    design = np.column_stack([np.ones_like(shape), -shape])
    inverse = np.linalg.inv(design.T @ precision @ design)
    bias, error = float((inverse @ design.T @ precision @ seen)[1]), float(inverse[1, 1]) ** 0.5
    found = np.linspace(max(0.0, bias - 5 * error), max(bias + 5 * error, 2.5 * error), BIASES)
    return found, float(found[1] - found[0]) / error


def _exponent(fall: float, excess: float) -> float:
    """Return the power by which the excess falls, from its derivative by the log of the rows."""
    if excess <= 0:
        return 1.0
    return min(max(fall / excess, float(EXPONENTS[0])), float(EXPONENTS[-1]))
