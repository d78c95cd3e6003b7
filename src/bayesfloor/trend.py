r"""A smooth trend of the labels over the points, taken away before neighbours are compared.

Neighbours differ in their labels by chance and because the posterior changes between them. The
second part is the bias of every neighbour method. A trend :math:`t(x)` fitted by least squares
removes what is smooth of it: with residuals :math:`e_i`, one-hot label minus trend,

.. math:: \overline{\|e_i\|^2} - \overline{e_i \cdot e_{Q_k(i)}}

has the mismatch as its limit for a vanishing radius *whatever the trend is*, and its bias is that
of the residual posterior :math:`\eta - t` instead of :math:`\eta`. With a constant trend it is the
plain rank curve.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bayesfloor.arrays import Floats
from bayesfloor.cells import Cells

BUDGET = 0.1
"""Most columns of a trend, as a share of the rows."""
MOST_COLUMNS = 256
KNOTS = 10


@dataclass(frozen=True, slots=True)
class Trend:
    """Fitted class shares, and the orthonormal basis that they were fitted with."""

    fitted: Floats  # (u, m)
    basis: Floats  # (u, p); the rows of the sample, so weighted by cell size, are orthonormal

    @property
    def p(self) -> int:
        """Number of columns fitted."""
        return self.basis.shape[1]


def fit_trend(cells: Cells) -> Trend:
    """Fit constant, spherical and quadratic trends; return the best by cross-validation.

    All three follow the points when these are rotated, shifted or scaled together.
    """
    n = cells.n
    trends = [_fit(cells, np.ones((len(cells.points), 1)))]
    trends += [
        _fit_curved(cells, _features(cells, full)) for full in (False, True) if _fits(cells, full)
    ]
    return min(trends, key=lambda trend: _energy(cells, trend) / (1 - trend.p / n) ** 2)


def _fits(cells: Cells, full: bool) -> bool:
    """Tell whether a trend stays within the budget of columns."""
    d, m = cells.points.shape[1], cells.counts.shape[1]
    linear = 2 + d if not full else 1 + d * (d + 3) // 2
    return linear + (KNOTS - 2) * (m if m > 2 else 1) <= min(BUDGET * cells.n, MOST_COLUMNS)


def _features(cells: Cells, full: bool) -> Floats:
    """1, x and |x|², or 1, x and all products of two coordinates, (u, p)."""
    sizes = cells.sizes[:, None]
    x = cells.points - (sizes * cells.points).sum(axis=0) / cells.n
    x /= np.sqrt((sizes * x**2).sum() / x.shape[1] / cells.n) or 1.0
    if not full:
        return np.column_stack([np.ones(len(x)), x, (x**2).sum(axis=1)])
    a, b = np.triu_indices(x.shape[1])
    return np.column_stack([np.ones(len(x)), x, x[:, a] * x[:, b]])


def _fit_curved(cells: Cells, features: Floats) -> Trend:
    """Fit the features, then again with splines of the scores, so that shares may level off."""
    scores = _fit(cells, features).fitted
    used = scores.T if scores.shape[1] > 2 else scores.T[:1]
    return _fit(cells, np.column_stack([features, *(_spline(s, cells) for s in used)]))


def _fit(cells: Cells, features: Floats) -> Trend:
    """Weighted least squares of the class shares, dropping what is linearly dependent."""
    root = np.sqrt(cells.sizes)[:, None]
    columns = features * root
    columns = columns / np.maximum(np.sqrt((columns**2).mean(axis=0)), np.finfo(np.float64).tiny)
    q, r = np.linalg.qr(columns)
    left, singular, _ = np.linalg.svd(r)
    basis = q @ left[:, : len(singular)][:, singular > 1e-10 * singular[0]]
    fitted = basis @ (basis.T @ (cells.counts / root)) / root
    return Trend(fitted, basis / root)


def _spline(score: Floats, cells: Cells) -> Floats:
    """Cubic spline columns of a score, straight beyond the outer knots, without the line itself."""
    knots = np.unique(np.quantile(np.repeat(score, cells.sizes), np.linspace(0.02, 0.98, KNOTS)))
    if len(knots) < 3 or knots[-1] - knots[0] < 1e-9:
        return np.empty((len(score), 0))
    t = (knots - knots[0]) / (knots[-1] - knots[0])
    x = ((score - knots[0]) / (knots[-1] - knots[0]))[:, None]
    cubes = np.maximum(x - t, 0) ** 3
    bends = (cubes[:, :-1] - cubes[:, -1:]) / (t[-1] - t[:-1])
    return bends[:, :-1] - bends[:, -1:]


def _energy(cells: Cells, trend: Trend) -> float:
    """Mean squared length of the residuals, one-hot label minus trend."""
    fitted, sizes = trend.fitted, cells.sizes[:, None]
    return float((cells.counts * (1 - 2 * fitted) + sizes * fitted**2).sum()) / cells.n
