r"""What the maps of two column sets would still gain with ever more rows, one less the other.

The losses of both on the same rows are :math:`a + V_A (n_0/n)^\beta` and
:math:`b + V_B (n_0/n)^\beta`, with one power β, as maps of the same kinds learn from both. Their
drops from size to size come from the same labels, so that most of the noise of :math:`V_A - V_B`
cancels.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bayesfloor.base.arrays import Floats, Ints
from bayesfloor.representation.learning_curve import (
    EXPONENTS,
    PRIOR_WEIGHTS,
    SHAPE_ERROR,
)

LEAST_ERROR = 1e-9
"""Standard error of a drop of the loss, at least, where all maps agree on every row."""


@dataclass(frozen=True, slots=True, eq=False)
class ExcessDifference:
    """What is known of the difference of two excesses: a mixture of normal distributions."""

    means: Floats  # (parts,)
    errors: Floats  # (parts,)
    weights: Floats  # (parts,), sum to one


NO_EXCESS = ExcessDifference(np.zeros(1), np.zeros(1), np.ones(1))
"""The difference where both sides are known to have no excess, or nothing is known of it."""


def fit_excess_difference(first: Floats, second: Floats, sizes: Ints) -> ExcessDifference:
    """Fit both excesses for each power β, and weigh the powers by how well they fit.

    Parameters
    ----------
    first, second : (n, s) arrays
        The loss of each row by maps of each size; rows are the same.
    sizes : (s,) array
        Rows that were learned from, the most first; three sizes or more.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> noise = 0.1 * rng.normal(size=(5000, 1))
    >>> first = 0.3 + 0.02 * np.array([1, 2, 4, 8]) + noise
    >>> second = 0.2 + 0.01 * np.array([1, 2, 4, 8]) + noise
    >>> found = fit_excess_difference(first, second, np.array([800, 400, 200, 100]))
    >>> round(float(found.weights @ found.means), 2)
    0.01
    """
    drops = np.hstack([np.diff(first, axis=1), np.diff(second, axis=1)])
    drop, steps = drops.mean(axis=0), first.shape[1] - 1
    relative = np.tile(SHAPE_ERROR * sizes[1] / np.asarray(sizes[1:], dtype=np.float64), 2)
    shape = np.maximum(relative * np.maximum(drop, 0.0), LEAST_ERROR)
    precision = np.linalg.inv(np.cov(drops.T) / len(drops) + np.diag(shape**2))
    ratio = sizes[0] / np.asarray(sizes, dtype=np.float64)
    means, errors, misfit = np.empty((3, len(EXPONENTS)))
    for j, exponent in enumerate(EXPONENTS):
        design = np.kron(np.eye(2), np.diff(ratio**exponent)[:, None])  # (2 steps, 2)
        covariance = np.linalg.inv(design.T @ precision @ design)
        excesses = covariance @ design.T @ precision @ drop
        means[j] = excesses[0] - excesses[1]
        errors[j] = np.sqrt(covariance[0, 0] + covariance[1, 1] - 2 * covariance[0, 1])
        left = drop - design @ excesses
        misfit[j] = left @ precision @ left
    assert design.shape == (2 * steps, 2)
    weights = PRIOR_WEIGHTS * np.exp(-(misfit - misfit.min()) / 2)
    return ExcessDifference(means, errors, weights / weights.sum())
