r"""A smooth trend of the labels over the points, taken away before neighbours are compared.

Neighbours differ in their labels by chance and because the posterior changes between them. The
second part is the bias of every neighbour method. A trend :math:`t(x)` fitted by least squares
removes what is smooth of it: with residuals :math:`e_i`, one-hot label minus trend,

.. math:: \overline{\|e_i\|^2} - \overline{e_i \cdot e_{Q_k(i)}}

has the mismatch as its limit for a vanishing radius *whatever the trend is*, and its bias is that
of the residual posterior :math:`\eta - t` instead of :math:`\eta`. With a constant trend it is the
plain rank curve.

A trend has up to 256 columns, and a table of them for millions of points would not fit in memory.
So the columns of many points are made anew, block by block, whenever they are needed, and only
small matrices that sum over the points are kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeVar

import numpy as np
from scipy.linalg.lapack import dtrtri

from bayesfloor.arrays import Floats, Ints
from bayesfloor.cells import Cells
from bayesfloor.threads import in_order

BUDGET = 0.1
"""Most columns of a trend, as a share of the rows."""
BENT_BUDGET = 0.025
"""The same of one that is bent once more: shares fitted with many columns follow noise."""
MOST_COLUMNS = 256
KNOTS = 10
CLOSE = 1e-3
"""Knots of a spline are farther apart than this share of their range."""
LEVEL = 1e-9
"""And than this, so that shares that hardly vary are not bent."""
DEPENDENT = 1e-10
"""Singular values below this, relative to the largest, belong to columns that say nothing new."""
APART = 1e-9
"""Share of a column's square that those before it leave over, if it is well apart from them."""
NOTHING = 1e-150
"""Stands for the norm of a column of zeros: its square is a number still."""
BLOCK = 16384
"""Points whose columns are held at a time, and kept if there are no more."""
MOST_DECOMPOSED = 50_000
"""Points whose columns are decomposed; among more of them, that many are enough."""

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Bends:
    """Cubic splines of a score, straight beyond the outer knots, without the line itself."""

    score: Floats  # (u,)
    knots: Floats  # none if the score does not vary

    def at(self, rows: slice | Ints) -> Floats:
        """Return the columns of some points."""
        if not len(self.knots):
            return np.empty((len(self.score[rows]), 0))
        first, span = self.knots[0], self.knots[-1] - self.knots[0]
        t = (self.knots - first) / span
        x = ((self.score[rows] - first) / span)[:, None]
        above = np.maximum(x - t, 0)
        cubes = above * above * above  # a power takes ten times as long
        bends = (cubes[:, :-1] - cubes[:, -1:]) / (t[-1] - t[:-1])
        return bends[:, :-1] - bends[:, -1:]


@dataclass(frozen=True, eq=False)
class Features:
    """Columns that a trend is fitted with: of degree 0; 1, x and |x|²; or all up to degree 2."""

    points: Floats  # (u, d)
    degree: str  # "constant", "spherical" or "quadratic"
    centre: Floats
    unit: float
    bends: tuple[Bends, ...] = ()

    def at(self, rows: slice | Ints) -> Floats:
        """Return the columns of some points, (b, p)."""
        return self._whole[rows] if len(self.points) <= BLOCK else self._made(rows)

    @cached_property
    def _whole(self) -> Floats:
        return self._made(slice(None))

    def _made(self, rows: slice | Ints) -> Floats:
        one = np.ones((len(self.points[rows]), 1))
        if self.degree == "constant":
            return one
        x = (self.points[rows] - self.centre) / self.unit
        if self.degree == "spherical":
            squares = np.einsum("ij,ij->i", x, x)[:, None]
        else:
            a, b = np.triu_indices(x.shape[1])
            squares = x[:, a] * x[:, b]
        return np.hstack([one, x, squares, *(bend.at(rows) for bend in self.bends)])


@dataclass(frozen=True, eq=False)
class Trend:
    """Class shares fitted by least squares on an orthonormal basis."""

    features: Features
    turn: Floats  # (columns, p) from the features to the basis
    shares: Floats  # (p, m) class shares in terms of the basis
    n: int  # rows it was fitted to

    @property
    def p(self) -> int:
        """Number of columns fitted."""
        return self.turn.shape[1]

    @property
    def energy(self) -> float:
        """Mean squared length of the residuals, one-hot label minus trend."""
        return float(1 - (self.shares**2).sum() / self.n)

    @property
    def loss(self) -> float:
        """Generalised cross-validation: the energy, raised for every column fitted."""
        return self.energy / (1 - self.p / self.n) ** 2

    def basis(self, rows: slice | Ints) -> Floats:
        """Return the basis at some points; weighted by cell size it is orthonormal, (b, p)."""
        return self.features.at(rows) @ self.turn

    @cached_property
    def fitted(self) -> Floats:
        """Fitted class shares, (u, m)."""
        u, to_shares = len(self.features.points), self.turn @ self.shares
        if self.features.degree == "constant":
            return np.broadcast_to(to_shares, (u, to_shares.shape[1]))
        blocks = _each_block(u, lambda rows: self.features.at(rows) @ to_shares)
        return np.concatenate(list(blocks))


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
    features = Features(cells.points, "constant", np.zeros(cells.points.shape[1]), 1.0)
    root = np.sqrt(cells.n)
    return Trend(features, np.array([[1 / root]]), cells.counts.sum(axis=0)[None] / root, cells.n)


def linear_columns(cells: Cells, degree: str) -> int:
    """Count the columns of a trend that is not bent."""
    d = cells.points.shape[1]
    return 2 + d if degree == "spherical" else 1 + d * (d + 3) // 2


def spline_columns(cells: Cells) -> int:
    """Count the columns that bend a trend."""
    m = cells.counts.shape[1]
    return (KNOTS - 2) * (m if m > 2 else 1)


def make_features(cells: Cells, degree: str) -> Features:
    """Centre the points and take their mean spread as the unit."""
    centre = cells.sizes @ cells.points / cells.n
    spread = cells.sizes @ ((cells.points - centre) ** 2).sum(axis=1)
    unit = float(np.sqrt(spread / cells.points.shape[1] / cells.n)) or 1.0
    return Features(cells.points, degree, centre, unit)


def bent(trend: Trend, cells: Cells) -> Trend:
    """Fit again, with splines of the shares that were fitted, so that these may level off."""
    scores = trend.fitted.T if trend.fitted.shape[1] > 2 else trend.fitted.T[[_first_of(cells)]]
    bends = tuple(make_bends(np.ascontiguousarray(score), cells) for score in scores)
    return fit(cells, replace(trend.features, bends=trend.features.bends + bends))


def make_bends(score: Floats, cells: Cells) -> Bends:
    """Put the knots of a spline at quantiles of its score."""
    rows = np.sort(score if cells.single else np.repeat(score, cells.sizes))
    quantiles = np.linspace(0.02, 0.98, KNOTS) * (cells.n - 1)
    first, *others = np.interp(quantiles, np.arange(cells.n), rows).tolist()
    knots, least = [first], max(CLOSE * (others[-1] - first), LEVEL)
    for knot in others:
        if knot - knots[-1] > least:
            knots.append(knot)
    return Bends(score, np.array(knots if len(knots) > 2 else []))


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


def fit(cells: Cells, features: Features) -> Trend:
    """Weighted least squares of the class shares, dropping what is linearly dependent.

    The columns, of some of the points if there are many, are turned into a basis that is nearly
    orthonormal. The inner products of its columns, over all points, then make it so.
    """
    sizes = None if cells.single else cells.sizes
    turn = _nearly_orthonormal(features, sizes)

    def products(rows: slice) -> tuple[Floats, Floats]:
        basis = features.at(rows) @ turn
        weighed = basis if sizes is None else basis * sizes[rows, None]
        return weighed.T @ basis, basis.T @ cells.counts[rows].astype(np.float64)

    parts = _each_block(len(cells.points), products)
    inner, shares = (sum(every) for every in zip(*parts, strict=True))
    upright = _upright(np.linalg.cholesky(inner))
    return Trend(features, turn @ upright, upright.T @ shares, cells.n)


def _nearly_orthonormal(features: Features, sizes: Ints | None) -> Floats:
    """Return the matrix that turns the features into a basis of independent columns, (c, p).

    A Cholesky decomposition of their inner products is enough while the columns are well apart. If
    they are not, a QR decomposition tells which of them depend on others.
    """
    step = -(-len(features.points) // MOST_DECOMPOSED)
    columns = features.at(slice(None, None, step))
    if sizes is not None:
        columns = columns * np.sqrt(sizes[::step])[:, None]
    inner = columns.T @ columns
    norms = np.sqrt(inner.diagonal()).clip(min=NOTHING)
    with suppress(np.linalg.LinAlgError):
        root = np.linalg.cholesky(inner / (norms[:, None] * norms))
        if root.diagonal().min() ** 2 > APART:
            return _upright(root) / norms[:, None]
    _, singular, right = np.linalg.svd(np.linalg.qr(columns / norms, mode="r"))
    kept = singular > DEPENDENT * singular[0]
    return right[: len(singular)][kept].T / singular[kept] / norms[:, None]


def _upright(root: Floats) -> Floats:
    """Return the matrix that makes columns orthonormal, from the root of their inner products."""
    inverse, _ = dtrtri(root, lower=1)
    return np.asarray(inverse).T


def _each_block(u: int, work: Callable[[slice], Result]) -> Iterator[Result]:
    """Yield what work makes of each block of points, in order, on all cores."""
    blocks = [slice(a, min(a + BLOCK, u)) for a in range(0, u, BLOCK)]
    return in_order(work, blocks, multiplies=True)
