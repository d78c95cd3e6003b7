r"""What the maps of two column sets would still gain with ever more rows, one less the other.

The excess V of each set is fitted as that of one set alone is (see
`bayesfloor.representation.learning_curve`), to the differences between the loss of a row and that
of maps of each size, on average :math:`V - B (n_0/n)^\beta`. Both sets have one power β, as maps of
the same kinds learn from both, and are measured on the same labels: how their differences vary
together from row to row tells :math:`V_A - V_B` better than both would tell it apart.

A curve tells what maps lose on average over the rows that they might have learned from; those at
hand were luckier or less lucky. What labels add to a map that follows them in D directions is a sum
of D squares, with a relative standard error of :math:`\sqrt{2/D}`; the mean of it, read off pairs
of maps, has one of :math:`\sqrt{1/D}`, and so has the product of what they add to two maps, learned
on rows apart. None is lessened by measuring more rows.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bayesfloor.base.arrays import Floats, Ints
from bayesfloor.base.clustered_noise import mean_covariance
from bayesfloor.representation.learning_curve import EXPONENTS, PRIOR_WEIGHTS, MeasuredExcess

PAIRED_BIASES = 24
"""Values of each bias that are tried for each exponent, evenly over `BIAS_REACH` standard errors.
With more of them, ends of intervals move by less than a hundredth of the width."""
BIAS_REACH = 4.0
"""Standard errors on either side of the likeliest bias that are tried."""
DIRECTIONS = 20.0
"""Directions in which a map follows the labels that it learns from. A judgement: by how much losses
above the mismatch vary in `benchmarks/compare.py`, about 6 for lines in 5 columns, 20 for trees."""
THIRDS_MEASURED = 3
"""Pairs of maps of each smaller size, each measured on a third of the rows."""


@dataclass(frozen=True, slots=True, eq=False)
class ExcessDifference:
    """What is known of the difference of two excesses: a mixture of normal distributions.

    Part of their errors is the noise of the measured rows, which is shared with all else that is
    measured on these; so it is kept row by row.
    """

    means: Floats  # (parts,)
    errors: Floats  # (parts,), beside the noise of the rows
    weights: Floats  # (parts,), sum to one
    rows: Floats | float = 0.0  # (n,), what each row adds to all means, times n


NO_EXCESS = ExcessDifference(np.zeros(1), np.zeros(1), np.ones(1))
"""The difference where both sides are known to have no excess, or nothing is known of it."""


def fit_excess_difference(
    first: MeasuredExcess, second: MeasuredExcess, groups: Ints | None = None
) -> ExcessDifference:
    """Fit both excesses for each power β and both biases, and weigh these by how well they fit.

    Parameters
    ----------
    first, second : MeasuredExcess
        What the same rows say of each size, in the same order.
    groups : (n,) array, optional
        What each row belongs to: rows of a group are not independent.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> noise = 0.1 * rng.normal(size=(5000, 1))
    >>> sizes, falls = np.array([800.0, 400, 200, 100]), np.array([1, 2, 4, 8])
    >>> first = MeasuredExcess(0.03 - 0.02 * falls + noise, sizes, 0.0, 1.0)
    >>> second = MeasuredExcess(0.02 - 0.01 * falls + noise, sizes, 0.0, 1.0)
    >>> found = fit_excess_difference(first, second)
    >>> round(float(found.weights @ found.means), 2)
    0.01
    """
    both = first, second
    apart = np.hstack([one.apart for one in both])
    of_rows = mean_covariance(apart, groups)
    beside = np.diag(np.concatenate([one.shape_variance for one in both]))
    beside += _covariance_of_luck(first, second, of_rows)
    precision = np.linalg.inv(of_rows + beside)
    sides = _by_side([np.ones_like(one.sizes) for one in both])
    fitted = np.linalg.solve(sides.T @ precision @ sides, sides.T @ precision)  # the excesses
    contrast = fitted[0] - fitted[1]
    unexplained = np.asarray(precision - precision @ sides @ fitted, dtype=np.float64)
    seen, means, logs = apart.mean(axis=0), [], []
    for power, prior in zip(EXPONENTS, PRIOR_WEIGHTS, strict=True):
        falls = _by_side([(one.sizes[0] / one.sizes) ** power for one in both])
        biases, step = _possible_biases(seen, falls, unexplained)
        left = seen + biases @ falls.T
        misfit = np.einsum("ij,jk,ik->i", left, unexplained, left)
        means.append(left @ contrast)
        logs.append(np.log(prior * step) - misfit / 2)
    weights = np.exp(np.concatenate(logs) - np.concatenate(logs).max())
    errors = np.full(len(weights), np.sqrt(contrast @ beside @ contrast))
    rows = apart @ contrast
    return ExcessDifference(np.concatenate(means), errors, weights / weights.sum(), rows)


def _covariance_of_luck(first: MeasuredExcess, second: MeasuredExcess, of_rows: Floats) -> Floats:
    """Return what the rows that happened to be learned from add to the covariance of both sides.

    Where maps of two sets say much the same, they are lucky together. How they go up and down
    together from row to row is taken for how alike they are.
    """
    luck = np.concatenate([luck_errors(one) for one in (first, second)])
    covariance = np.diag(luck**2)
    spread = np.sqrt(np.diag(of_rows))
    count = len(first.sizes)
    for j in range(min(count, len(second.sizes))):
        a, b = j, count + j
        if spread[a] > 0 and spread[b] > 0:
            alike = max(float(of_rows[a, b] / (spread[a] * spread[b])), 0.0)
            covariance[a, b] = covariance[b, a] = alike * luck[a] * luck[b]
    return covariance


def luck_errors(one: MeasuredExcess) -> Floats:
    """Return the standard error by the rows that were learned from, at each size, (s,)."""
    variance = one.variance * (one.sizes[0] / one.sizes) ** one.exponent
    own, known_from_pairs = 2.0, 1.0  # the map's variance is that of pairs, which are lucky too
    squares = np.full(len(one.sizes), 1 / THIRDS_MEASURED)
    squares[0] = own + known_from_pairs
    return np.asarray(variance * np.sqrt(squares / DIRECTIONS))


def _by_side(columns: list[Floats]) -> Floats:
    """Put the entries of both sides below each other, each side in a column of its own."""
    first, second = columns
    empty = np.zeros_like
    return np.column_stack([np.r_[first, empty(second)], np.r_[empty(first), second]])


def _possible_biases(seen: Floats, falls: Floats, unexplained: Floats) -> tuple[Floats, float]:
    """Return pairs of biases, none below zero, over what the fit leaves open, and their step."""
    covariance = np.linalg.inv(falls.T @ unexplained @ falls)
    likeliest, errors = -covariance @ falls.T @ unexplained @ seen, np.sqrt(np.diag(covariance))
    axes = [
        np.linspace(
            max(0.0, bias - BIAS_REACH * error),
            max(bias + BIAS_REACH * error, 2.5 * error),
            PAIRED_BIASES,
        )
        for bias, error in zip(likeliest.tolist(), errors.tolist(), strict=True)
    ]
    step = float(np.prod([axis[1] - axis[0] for axis in axes]) / np.prod(errors))
    return np.array(np.meshgrid(*axes)).reshape(2, -1).T, step
