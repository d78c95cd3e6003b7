r"""A smooth trend of the labels over the points, subtracted before neighbours are compared.

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
from functools import cached_property, partial, reduce
from typing import Any

import numpy as np

from bayesfloor.base.arrays import Floats
from bayesfloor.curve.basis import OrthonormalBasis, nearly_orthonormal_basis, orthonormalizer
from bayesfloor.curve.design_columns import (
    DEFAULT_BLOCKS,
    DEGREES,
    Blocks,
    DesignColumns,
    Polynomials,
    Splines,
)
from bayesfloor.sample.distinct_points import Cells

KNOT_QUANTILES = np.linspace(0.02, 0.98, 10)
"""Quantiles of a score at which its spline has knots.

A judgement: eight splines follow the levelling-off of a posterior at 0 and 1, and the outer two per
cent of the rows, which would pull at it, lie beyond the knots."""
KNOT_GAP = 1e-3
"""Least distance between two knots, as a share of their range.

A judgement: splines of closer knots are alike up to rounding."""
LEAST_KNOT_GAP = 1e-9
"""Least distance between two knots in units of probability.

A judgement: fitted probabilities that vary less are constant up to rounding."""
LEAST_SPREAD = 1e-150
"""Sum of squared distances that stands for zero where points are all equal, so that none divides
by zero."""


@dataclass(frozen=True, slots=True)
class TrendLimits:
    """How many design columns a trend may have.

    The values are judgements that the tables of docs/accuracy.md were measured with.
    """

    columns_per_row: float = 0.1
    refined_columns_per_row: float = 0.025
    """The same for a trend that is refined by more splines: probabilities that were fitted with
    many columns follow noise, and their splines would follow it too."""
    most_columns: int = 256


@dataclass(frozen=True, eq=False)
class Trend:
    """Class probabilities fitted by least squares on an orthonormal basis."""

    basis: OrthonormalBasis
    coefficients: Floats  # (p, m), of each class on the basis
    n: int  # rows it was fitted to

    def __reduce__(self) -> tuple[Any, ...]:
        """Travel without what has been computed."""
        return Trend, (self.basis, self.coefficients, self.n)

    @property
    def p(self) -> int:
        """Number of design columns fitted."""
        return len(self.coefficients)

    @cached_property
    def mean_squared_residual(self) -> float:
        """Mean squared length of the residuals, one-hot label minus trend."""
        return 1 - float(np.vdot(self.coefficients, self.coefficients)) / self.n

    @property
    def cross_validation(self) -> float:
        """Generalised cross-validation (Craven & Wahba, 1979): the lower, the better the fit."""
        return self.mean_squared_residual / (1 - self.p / self.n) ** 2

    @cached_property
    def fitted(self) -> Floats:
        """Fitted class probabilities, (u, m); they may lie outside [0, 1]."""
        u, coefficients = self.basis.u, self.coefficients
        if self.p == 1:
            return np.broadcast_to(
                self.basis.at(slice(1)) @ coefficients, (u, coefficients.shape[1])
            )
        blocks = self.basis.blocks.map(u, lambda rows: self.basis.at(rows) @ coefficients)
        return np.concatenate(list(blocks))

    @cached_property
    def leverage(self) -> Floats:
        """Share of a row's own label in its fitted probabilities, (u,)."""
        u = self.basis.u
        if self.p == 1:
            return np.full(u, 1 / self.n)

        def of_block(rows: slice) -> Floats:
            columns = self.basis.at(rows)
            return np.asarray(np.einsum("ij,ij->i", columns, columns))

        return np.concatenate(list(self.basis.blocks.map(u, of_block)))


def fit_trend(
    cells: Cells, blocks: Blocks = DEFAULT_BLOCKS, *, limits: TrendLimits = TrendLimits()
) -> Trend:
    """Fit constant, spherical and quadratic trends; return the best by cross-validation.

    All three follow the points when these are rotated, shifted or scaled together. The best is
    refined by splines of its own fitted probabilities: these are steep where the probabilities are,
    so they can follow a discontinuity, and cross-validation tells whether they do.

    Parameters
    ----------
    cells : Cells
        The distinct points with their class counts.
    blocks : Blocks
        The executor, and how many points it takes at a time.
    limits : TrendLimits
        How many design columns a trend may have.

    Returns
    -------
    Trend
    """
    trends = [fit_constant(cells)]
    most = min(limits.columns_per_row * cells.n, limits.most_columns)
    trends += [
        add_splines(fit_columns(cells, make_polynomials(cells, degree, blocks)), cells)
        for degree in ("spherical", "quadratic")
        if count_polynomials(cells, degree) + count_splines(cells) <= most
    ]
    best = min(trends, key=lambda trend: trend.cross_validation)
    if best.p == 1 or not _may_be_refined(best, cells, limits):
        return best
    return min(best, add_splines(best, cells), key=lambda trend: trend.cross_validation)


def _may_be_refined(trend: Trend, cells: Cells, limits: TrendLimits) -> bool:
    """Tell whether the limits leave room for more splines."""
    fits = trend.p + count_splines(cells) <= limits.most_columns
    return fits and trend.p <= limits.refined_columns_per_row * cells.n


def fit_constant(cells: Cells) -> Trend:
    """Return the trend that is the class priors everywhere."""
    origin, root = np.zeros(cells.points.shape[1]), np.sqrt(cells.n)
    constant = Polynomials(cells.points, "constant", origin, 1.0)
    basis = OrthonormalBasis(constant, np.full((1, 1), 1 / root))
    return Trend(basis, cells.counts.sum(axis=0)[None] / root, cells.n)


def count_polynomials(cells: Cells, degree: str) -> int:
    """Count the design columns of a trend without splines."""
    return 1 + DEGREES[degree].count(cells.points.shape[1])


def count_splines(cells: Cells) -> int:
    """Count the design columns that splines add to a trend."""
    m = cells.counts.shape[1]
    return (len(KNOT_QUANTILES) - 2) * (m if m > 2 else 1)


def count_design_columns(n: int, d: int, m: int, *, limits: TrendLimits = TrendLimits()) -> int:
    """Return the most design columns that the trend of n rows can have, of d columns and m classes.

    Examples
    --------
    >>> count_design_columns(1000, 3, 2), count_design_columns(1000, 30, 2)
    (26, 48)
    """
    splines = (len(KNOT_QUANTILES) - 2) * (m if m > 2 else 1)
    most = min(limits.columns_per_row * n, limits.most_columns)
    fitting = [p + splines for p in (2 + d, 1 + d * (d + 3) // 2) if p + splines <= most]
    return min(max(fitting) + splines, limits.most_columns) if fitting else 1


def make_polynomials(cells: Cells, degree: str, blocks: Blocks = DEFAULT_BLOCKS) -> Polynomials:
    """Return polynomials of the points, centred and in units of their mean spread."""
    centre = cells.sizes @ cells.points / cells.n
    spread = cells.sizes @ np.square(cells.points - centre) / cells.n
    return Polynomials(cells.points, degree, centre, float(np.sqrt(spread.mean())) or 1.0, blocks)


def add_splines(trend: Trend, cells: Cells) -> Trend:
    """Fit again with splines of the fitted probabilities, so that these may level off."""
    only = None if trend.fitted.shape[1] > 2 else _score_class(cells)
    scores = _scores(trend, only)
    knots = tuple(make_knots(score, cells) for score in scores)
    source = partial(_scores, replace(trend), only)  # a copy, without what it has computed
    return fit_columns(cells, Splines(scores, knots, trend.basis.blocks, source), trend)


def _scores(trend: Trend, only: int | None) -> Floats:
    """Return the fitted probabilities of one class or all, (s, u)."""
    return np.ascontiguousarray(trend.fitted.T if only is None else trend.fitted.T[[only]])


def make_knots(score: Floats, cells: Cells) -> Floats:
    """Return the knots of a spline, at quantiles of its score over the rows; none if it is flat."""
    rows = np.sort(score if cells.single else np.repeat(score, cells.sizes))
    first, *others = np.interp(KNOT_QUANTILES * (cells.n - 1), np.arange(cells.n), rows).tolist()
    knots, least = [first], max(KNOT_GAP * (others[-1] - first), LEAST_KNOT_GAP)
    for knot in others:
        if knot - knots[-1] > least:
            knots.append(knot)
    return np.array(knots if len(knots) > 2 else [])


def _score_class(cells: Cells) -> int:
    """Return which of two classes has splines: the rarer one, or the one of closer points.

    Splines with the same outer knots can be written from either side, and where knots almost
    coincide rounding makes the two differ. The names of the classes must not decide.
    """
    counts = cells.counts.sum(axis=0)
    if counts[0] == counts[1]:
        spread = ((cells.points - cells.points.mean(axis=0)) ** 2).sum(axis=1)
        counts = (spread @ cells.counts / spread.sum().clip(LEAST_SPREAD)).round(9)
    return int(counts.argmin()) if counts[0] != counts[1] else int(cells.class_order()[0])


def fit_columns(cells: Cells, columns: DesignColumns, previous: Trend | None = None) -> Trend:
    """Fit the labels by least squares on design columns, without those that are dependent.

    The columns may be added to those of a previous trend. A basis that is orthonormal over a subset
    of the rows, if there are many, is made orthonormal over all by its inner products.
    """
    sizes = None if cells.single else cells.sizes
    basis = nearly_orthonormal_basis(columns, previous.basis if previous else None, sizes)
    cross, inner, labels = _inner_products(cells, basis)
    if previous is None or basis.projection is None:
        root = orthonormalizer(inner)
        exact = replace(basis, transform=basis.transform @ root)
        return Trend(exact, root.T @ labels, cells.n)
    root = orthonormalizer(inner - cross.T @ cross)
    exact = replace(
        basis, transform=basis.transform @ root, projection=(basis.projection + cross) @ root
    )
    added = root.T @ (labels - cross.T @ previous.coefficients)
    return Trend(exact, np.vstack([previous.coefficients, added]), cells.n)


def _inner_products(cells: Cells, basis: OrthonormalBasis) -> tuple[Floats, Floats, Floats]:
    """Return the products of new columns with previous ones, each other and labels, over all rows.

    They are (p of the previous basis, p), (p, p) and (p, m).
    """

    def of_block(rows: slice) -> tuple[Floats, Floats, Floats]:
        previous, new = basis.split(rows)
        weighted = new if cells.single else new * cells.sizes[rows, None]
        labels = new.T @ cells.counts[rows].astype(np.float64)
        return previous.T @ weighted, weighted.T @ new, labels

    parts = zip(*basis.blocks.map(basis.u, of_block), strict=True)
    cross, inner, labels = (reduce(np.add, part) for part in parts)
    return cross, inner, labels
