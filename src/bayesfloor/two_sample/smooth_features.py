"""Smooth functions of a row, orthonormal over all rows: what a difference of means shows up in.

A graph of near neighbours is slow to see a small difference that stretches over all rows. Linear
and quadratic functions of the columns see it at once, and waves of a column's ranks see where the
samples take turns along it, which distances in several columns hide.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import chdtrc, gammaln, ndtri_exp

from bayesfloor.base.arrays import Floats, Ints
from bayesfloor.sample.distinct_points import Cells

ROWS_PER_FEATURE = 10
"""Rows for each function, at least: with fewer, the chi-squared limit is rough. A judgement."""
MOST_FEATURES = 200
"""Functions at most; the work grows with their square. A judgement."""
MOST_FEATURE_VALUES = 10_000_000
"""Values of all functions of all rows where there are waves: 80 MB. A judgement; where so many rows
are compared, near rows show the same."""
FEATURE_BYTES = 40
"""Bytes of each such value: five copies while waves are made orthonormal."""
FIRST_WAVE, LAST_WAVE = 3, 8
"""Half-waves of the cosines of a column's ranks. One and two bend as linear and quadratic functions
do; eight are four periods, and finer ones are left to the nearest rows. A judgement."""
NO_SPREAD = 1e-10
"""Directions whose share of the largest variance is below this are rounding."""
LOWEST_SCORE = -40.0
"""Score of what shows no difference at all: below all others, and finite."""
SMALLEST_TAIL = 1e-280
"""Chances below this are too near the smallest number to be computed."""


@dataclass(frozen=True, slots=True, eq=False)
class SmoothFeatures:
    """Functions of the cells, each block orthonormal over rows, summing to zero."""

    trend: Floats  # (u, r), linear and quadratic
    waves: Floats  # (u, s), orthogonal to the trend


def smooth_features(cells: Cells, max_memory: int | None = None) -> SmoothFeatures:
    """Return linear and quadratic functions and waves of the columns, as many as the rows allow.

    With `max_memory`, waves are left out that would take more bytes.
    """
    most = min(max(cells.n // ROWS_PER_FEATURE, 1), MOST_FEATURES)
    trend = _trend(cells, most)
    values = MOST_FEATURE_VALUES
    if max_memory is not None:
        values = min(values, max_memory // FEATURE_BYTES)
    left = min(most, values // len(cells.points)) - trend.shape[1]
    return SmoothFeatures(trend, _waves(cells, trend, left))


def _trend(cells: Cells, most: int) -> Floats:
    """Return the leading principal components, then their squares, orthonormal, (u, r)."""
    weights = np.sqrt(cells.sizes.astype(np.float64))[:, None]
    components = _principal(cells.points, weights, most)
    squares = components[:, : max(most - components.shape[1], 0)] ** 2
    design = _centred(np.hstack([components, squares]), weights)
    if not design.shape[1]:
        return design
    basis, spreads, _ = np.linalg.svd(design, full_matrices=False)
    kept = spreads**2 > NO_SPREAD * max(float(spreads[0] ** 2), NO_SPREAD)
    return np.asarray(basis[:, kept] / weights)


def _waves(cells: Cells, trend: Floats, most: int) -> Floats:
    """Return cosines of the ranks in each column, orthonormal and orthogonal to the trend, (u, s).

    The longest come first, each of all columns, as long as all of these are allowed.
    """
    last = min(LAST_WAVE, FIRST_WAVE - 1 + max(most, 0) // cells.points.shape[1])
    if last < FIRST_WAVE:
        return np.zeros((len(cells.points), 0))
    weights = np.sqrt(cells.sizes.astype(np.float64))[:, None]
    ranks = np.column_stack([_rank_shares(column, cells.sizes) for column in cells.points.T])
    cosines = [np.cos(half * np.pi * ranks) for half in range(FIRST_WAVE, last + 1)]
    design, known = _centred(np.hstack(cosines), weights), trend * weights
    basis, spreads, _ = np.linalg.svd(design - known @ (known.T @ design), full_matrices=False)
    return np.asarray(basis[:, spreads**2 > NO_SPREAD * cells.n] / weights)


def _rank_shares(values: Floats, sizes: Ints) -> Floats:
    """Return the mean rank of the rows with each value over their number, between 0 and 1.

    Examples
    --------
    >>> _rank_shares(np.array([5.0, 1.0, 5.0]), np.array([1, 2, 1])).tolist()
    [0.75, 0.25, 0.75]
    """
    _, place = np.unique(values, return_inverse=True)
    rows = np.bincount(place, sizes)
    return np.asarray(((np.cumsum(rows) - rows / 2) / rows.sum())[place])


def _centred(values: Floats, weights: Floats) -> Floats:
    """Weigh functions of the cells by the roots of their sizes, (u, 1), their means taken away."""
    design = values * weights
    return np.asarray(design - weights * ((weights * design).sum(axis=0) / (weights**2).sum()))


def _principal(points: Floats, weights: Floats, most: int) -> Floats:
    """Return the leading principal components of rows, (u, r), each of variance one."""
    n = float((weights**2).sum())
    centred = points - (weights**2 * points).sum(axis=0) / n
    scaled = centred * weights
    variances, directions = np.linalg.eigh(scaled.T @ scaled / n)
    kept = np.flatnonzero(variances > NO_SPREAD * max(float(variances[-1]), 0.0))[::-1][:most]
    return np.asarray(centred @ (directions[:, kept] / np.sqrt(variances[kept])))


def chi_squared_score(values: Floats, degrees: int) -> Floats:
    """Return the normal score that is exceeded as often as a chi-squared number.

    The logarithm of a chance too small for a number is that of the leading terms of its expansion.

    Examples
    --------
    >>> chi_squared_score(np.array([3.841459, 4000.0]), 1).round(2).tolist()
    [1.64, 63.23]
    """
    tail, half = chdtrc(degrees, values), degrees / 2
    x = np.maximum(values / 2, degrees)  # used where it is far above the degrees
    far = (half - 1) * np.log(x) - x - gammaln(half) - np.log1p((1 - half) / x)
    near = np.log(np.maximum(tail, SMALLEST_TAIL))
    score = -ndtri_exp(np.where(tail > SMALLEST_TAIL, near, far))
    return np.maximum(score, LOWEST_SCORE)
