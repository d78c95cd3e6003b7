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

from dataclasses import dataclass, replace
from functools import cached_property, reduce

import numpy as np

from bayesfloor.base.arrays import Floats
from bayesfloor.curve.basis import (
    NOTHING,
    Basis,
    Columns,
    Features,
    Splines,
    each_block,
    nearly_orthonormal,
    upright,
)
from bayesfloor.sample.distinct_points import Cells

BUDGET = 0.1
"""Most columns of a trend, as a share of the rows."""
BENT_BUDGET = 0.025
"""The same of one that is bent once more: shares fitted with many columns follow noise."""
MOST_COLUMNS = 256
QUANTILES = np.linspace(0.02, 0.98, 10)
"""Of a score, where the knots of its spline are."""
CLOSE = 1e-3
"""Knots of a spline are farther apart than this share of their range."""
LEVEL = 1e-9
"""And than this, so that shares that hardly vary are not bent."""


@dataclass(frozen=True, eq=False)
class Trend:
    """Class shares fitted by least squares on an orthonormal basis."""

    basis: Basis
    shares: Floats  # (p, m) class shares in terms of the basis
    n: int  # rows it was fitted to

    @property
    def p(self) -> int:
        """Number of columns fitted."""
        return len(self.shares)

    @cached_property
    def energy(self) -> float:
        """Mean squared length of the residuals, one-hot label minus trend."""
        return 1 - float(np.vdot(self.shares, self.shares)) / self.n

    @property
    def loss(self) -> float:
        """Generalised cross-validation: the energy, raised for every column fitted."""
        return self.energy / (1 - self.p / self.n) ** 2

    @cached_property
    def fitted(self) -> Floats:
        """Fitted class shares, (u, m)."""
        u = self.basis.u
        if self.p == 1:
            return np.broadcast_to(self.basis.at(slice(1)) @ self.shares, (u, self.shares.shape[1]))
        return np.concatenate(list(each_block(u, lambda rows: self.basis.at(rows) @ self.shares)))


def fit_trend(cells: Cells) -> Trend:
    """Fit constant, spherical and quadratic trends; return the best by cross-validation.

    All three follow the points when these are rotated, shifted or scaled together. The best is
    bent once more, by splines of its own shares: these are steep where the shares are, so they can
    follow a jump, and cross-validation tells whether they do.
    """
    trends, most = [fit_constant(cells)], min(BUDGET * cells.n, MOST_COLUMNS)
    trends += [
        bent(fit(cells, make_features(cells, degree)), cells)
        for degree in ("spherical", "quadratic")
        if linear_columns(cells, degree) + spline_columns(cells) <= most
    ]
    best = min(trends, key=lambda trend: trend.loss)
    too_wide = best.p + spline_columns(cells) > MOST_COLUMNS or best.p > BENT_BUDGET * cells.n
    if best.p == 1 or too_wide:
        return best
    return min(best, bent(best, cells), key=lambda trend: trend.loss)


def fit_constant(cells: Cells) -> Trend:
    """Return the shares of the classes as a trend."""
    nowhere, root = np.zeros(cells.points.shape[1]), np.sqrt(cells.n)
    features = Features(cells.points, "constant", nowhere, 1.0)
    basis = Basis(features, np.full((1, 1), 1 / root))
    return Trend(basis, cells.counts.sum(axis=0)[None] / root, cells.n)


def linear_columns(cells: Cells, degree: str) -> int:
    """Count the columns of a trend that is not bent."""
    d = cells.points.shape[1]
    return 2 + d if degree == "spherical" else 1 + d * (d + 3) // 2


def spline_columns(cells: Cells) -> int:
    """Count the columns that bend a trend."""
    m = cells.counts.shape[1]
    return (len(QUANTILES) - 2) * (m if m > 2 else 1)


def make_features(cells: Cells, degree: str) -> Features:
    """Centre the points and take their mean spread as the unit."""
    centre = cells.sizes @ cells.points / cells.n
    spread = cells.sizes @ np.square(cells.points - centre) / cells.n
    return Features(cells.points, degree, centre, float(np.sqrt(spread.mean())) or 1.0)


def bent(trend: Trend, cells: Cells) -> Trend:
    """Fit again, with splines of the shares that were fitted, so that these may level off."""
    scores = trend.fitted.T if trend.fitted.shape[1] > 2 else trend.fitted.T[[_first_of(cells)]]
    scores = np.ascontiguousarray(scores)
    return fit(cells, Splines(scores, tuple(make_knots(score, cells) for score in scores)), trend)


def make_knots(score: Floats, cells: Cells) -> Floats:
    """Put the knots of a spline at quantiles of its score."""
    rows = np.sort(score if cells.single else np.repeat(score, cells.sizes))
    first, *others = np.interp(QUANTILES * (cells.n - 1), np.arange(cells.n), rows).tolist()
    knots, least = [first], max(CLOSE * (others[-1] - first), LEVEL)
    for knot in others:
        if knot - knots[-1] > least:
            knots.append(knot)
    return np.array(knots if len(knots) > 2 else [])


def _first_of(cells: Cells) -> int:
    """Return the class whose share is bent, of two: the rarer one, or that of closer points.

    Splines that end at the same knots can be written in two ways, from either side, and where
    knots almost coincide rounding makes them differ. The names of the classes must not decide.
    """
    counts = cells.counts.sum(axis=0)
    if counts[0] == counts[1]:
        spread = ((cells.points - cells.points.mean(axis=0)) ** 2).sum(axis=1)
        counts = (spread @ cells.counts / spread.sum().clip(NOTHING)).round(9)
    return int(counts.argmin()) if counts[0] != counts[1] else int(cells.class_order()[0])


def fit(cells: Cells, columns: Columns, before: Trend | None = None) -> Trend:
    """Weighted least squares of the class shares, dropping what is linearly dependent.

    Columns may be added to those of a trend. Those of some of the points, if there are many, are
    turned into a basis that is nearly orthonormal. The inner products of its columns, over all
    points, then make it so.
    """
    u, sizes = len(cells.points), None if cells.single else cells.sizes
    known = None if before is None else before.basis
    nearly = nearly_orthonormal(columns, known, sizes)

    def products(rows: slice) -> tuple[Floats, Floats, Floats]:
        old, new = nearly.parts(rows)
        weighed = new if sizes is None else new * sizes[rows, None]
        return old.T @ weighed, weighed.T @ new, new.T @ cells.counts[rows].astype(np.float64)

    parts = zip(*each_block(u, products), strict=True)
    cross, inner, shares = (reduce(np.add, every) for every in parts)
    if before is None or nearly.aside is None:
        root = upright(inner)
        return Trend(replace(nearly, turn=nearly.turn @ root), root.T @ shares, cells.n)
    root = upright(inner - cross.T @ cross)
    turn, aside = nearly.turn @ root, (nearly.aside + cross) @ root
    more = root.T @ (shares - cross.T @ before.shares)
    return Trend(Basis(columns, turn, known, aside), np.vstack([before.shares, more]), cells.n)
