"""Smooth functions of a row, orthonormal over all rows: what a difference of means shows up in.

A graph of near neighbours is slow to see a small difference that stretches over all rows. Linear
and quadratic functions of the columns see it at once.
"""

from __future__ import annotations

import numpy as np
from scipy.special import chdtrc, gammaln, ndtri_exp

from bayesfloor.base.arrays import Floats
from bayesfloor.sample.distinct_points import Cells

ROWS_PER_FEATURE = 10
"""Rows for each function, at least: with fewer, the chi-squared limit is rough. A judgement."""
MOST_FEATURES = 200
"""Functions at most; the work grows with their square. A judgement."""
NO_SPREAD = 1e-10
"""Directions whose share of the largest variance is below this are rounding."""
LOWEST_SCORE = -40.0
"""Score of what shows no difference at all: below all others, and finite."""
SMALLEST_TAIL = 1e-280
"""Chances below this are too near the smallest number to be computed."""


def smooth_features(cells: Cells) -> Floats:
    """Return functions of the cells, (u, r), that are orthonormal over rows and sum to zero.

    The leading principal components come first, then their squares, as many as the rows allow.
    """
    weights = np.sqrt(cells.sizes.astype(np.float64))[:, None]
    most = min(max(cells.n // ROWS_PER_FEATURE, 1), MOST_FEATURES)
    components = _principal(cells.points, weights, most)
    squares = components[:, : max(most - components.shape[1], 0)] ** 2
    design = np.hstack([components, squares]) * weights
    design -= weights * ((weights * design).sum(axis=0) / cells.n)
    if not design.shape[1]:
        return design
    basis, spreads, _ = np.linalg.svd(design, full_matrices=False)
    kept = spreads**2 > NO_SPREAD * max(float(spreads[0] ** 2), NO_SPREAD)
    return np.asarray(basis[:, kept] / weights)


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
