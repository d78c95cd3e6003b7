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

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from typing import TypeVar

import numpy as np
from scipy.linalg.lapack import dpotrf, dtrtri

from bayesfloor.arrays import Floats, Ints
from bayesfloor.cells import Cells
from bayesfloor.threads import in_order

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


class Columns(ABC):
    """Columns made of the points, kept if these are few."""

    @property
    @abstractmethod
    def u(self) -> int:
        """Number of points."""

    def at(self, rows: slice | Ints) -> Floats:
        """Return the columns of some points, (b, c)."""
        return self._whole[rows] if self.u <= BLOCK else self._made(rows)

    @cached_property
    def _whole(self) -> Floats:
        return self._made(slice(None))

    @abstractmethod
    def _made(self, rows: slice | Ints) -> Floats: ...


@dataclass(frozen=True, eq=False)
class Features(Columns):
    """Columns of degree 0; 1, x and |x|²; or all up to degree 2."""

    points: Floats  # (u, d)
    degree: str  # "constant", "spherical" or "quadratic"
    centre: Floats
    unit: float

    @property
    def u(self) -> int:  # noqa: D102
        return len(self.points)

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
        return np.hstack([one, x, squares])


@dataclass(frozen=True, eq=False)
class Splines(Columns):
    """Cubic splines of scores, straight beyond the outer knots, without the lines themselves."""

    scores: Floats  # (s, u)
    knots: tuple[Floats, ...]  # of each score, none if it does not vary

    @property
    def u(self) -> int:  # noqa: D102
        return self.scores.shape[1]

    def _made(self, rows: slice | Ints) -> Floats:
        bends = [
            _bends(score, knots)
            for score, knots in zip(self.scores[:, rows], self.knots, strict=True)
            if len(knots)
        ]
        return np.vstack([np.empty((0, len(self.scores[0, rows]))), *bends]).T


def _bends(score: Floats, knots: Floats) -> Floats:
    """Return the splines of one score, (knots − 2, b)."""
    first, span = knots[0], knots[-1] - knots[0]
    t = ((knots - first) / span)[:, None]
    above = np.maximum((score - first) / span - t, 0)
    cubes = above * above * above  # a power takes ten times as long
    bends = (cubes[:-1] - cubes[-1:]) / (t[-1:] - t[:-1])
    return bends[:-1] - bends[-1:]


@dataclass(frozen=True, eq=False)
class Basis(Columns):
    """Columns that are orthonormal, weighted by cell size; they may be added to those of another.

    What the other basis says of the columns is taken away from them.
    """

    columns: Columns
    turn: Floats  # (c, p)
    before: Basis | None = None
    aside: Floats | None = None  # (p of the basis before, p)

    @property
    def u(self) -> int:  # noqa: D102
        return self.columns.u

    @property
    def layers(self) -> tuple[Columns, ...]:
        """The columns that it is made of, in the order in which they were added."""
        return (*(() if self.before is None else self.before.layers), self.columns)

    def parts(self, rows: slice | Ints) -> tuple[Floats, Floats]:
        """Return the columns of the basis before, and those that were added, of some points."""
        own = self.columns.at(rows) @ self.turn
        if self.before is None or self.aside is None:
            return own[:, :0], own
        known = self.before.at(rows)
        return known, own - known @ self.aside

    def _made(self, rows: slice | Ints) -> Floats:
        known, own = self.parts(rows)
        return own if self.before is None else np.hstack([known, own])


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
        return np.concatenate(list(_each_block(u, lambda rows: self.basis.at(rows) @ self.shares)))


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
    nearly = _nearly_orthonormal(columns, known, sizes)

    def products(rows: slice) -> tuple[Floats, Floats, Floats]:
        old, new = nearly.parts(rows)
        weighed = new if sizes is None else new * sizes[rows, None]
        return old.T @ weighed, weighed.T @ new, new.T @ cells.counts[rows].astype(np.float64)

    parts = zip(*_each_block(u, products), strict=True)
    cross, inner, shares = (reduce(np.add, every) for every in parts)
    if before is None or nearly.aside is None:
        upright = _upright(inner)
        return Trend(replace(nearly, turn=nearly.turn @ upright), upright.T @ shares, cells.n)
    upright = _upright(inner - cross.T @ cross)
    turn, aside = nearly.turn @ upright, (nearly.aside + cross) @ upright
    more = upright.T @ (shares - cross.T @ before.shares)
    return Trend(Basis(columns, turn, known, aside), np.vstack([before.shares, more]), cells.n)


def _nearly_orthonormal(columns: Columns, known: Basis | None, sizes: Ints | None) -> Basis:
    """Return a basis of the columns that are independent of each other and of those known.

    A Cholesky decomposition of their inner products is enough while the columns are well apart. If
    they are not, a QR decomposition tells which of them depend on others.
    """
    step = -(-columns.u // MOST_DECOMPOSED)
    rows = slice(None, None, step)
    root = None if sizes is None else np.sqrt(sizes[rows])[:, None]
    left = columns.at(rows) if root is None else columns.at(rows) * root
    norms, aside = np.sqrt(np.square(left).sum(axis=0)).clip(min=NOTHING), None
    if known is not None:
        old = known.at(rows) if root is None else known.at(rows) * root
        says = old.T if step == 1 else np.linalg.inv(old.T @ old) @ old.T  # orthonormal over all
        aside = says @ left
        left = left - old @ aside
    turn = _well_apart(left, norms)
    if turn is None:
        if aside is not None:  # twice is enough for what is left to be no rounding
            again = says @ left
            left, aside = left - old @ again, aside + again
        turn = _independent(left, norms)
    return Basis(columns, turn, known, None if aside is None else aside @ turn)


def _well_apart(columns: Floats, norms: Floats) -> Floats | None:
    """Return the matrix that makes columns nearly orthonormal, (c, c), if they are well apart."""
    with suppress(np.linalg.LinAlgError):
        root = _root(columns.T @ columns / (norms[:, None] * norms))
        if root.diagonal().min(initial=1.0) ** 2 > APART:
            return _inverted(root) / norms[:, None]
    return None


def _independent(columns: Floats, norms: Floats) -> Floats:
    """Return the same of columns that depend on each other, (c, p), with what they have of new."""
    _, singular, right = np.linalg.svd(np.linalg.qr(columns / norms, mode="r"))
    kept = singular > DEPENDENT * max(singular[0], 1.0)
    return np.asarray(right[: len(singular)][kept].T / singular[kept] / norms[:, None])


def _upright(inner: Floats) -> Floats:
    """Return the matrix that makes columns orthonormal, from their inner products."""
    return _inverted(_root(inner))


def _root(inner: Floats) -> Floats:
    """Return the lower root of a positive definite matrix."""
    root, failed = dpotrf(inner, lower=1) if len(inner) else (inner, 0)
    if failed:
        raise np.linalg.LinAlgError("a matrix of inner products has no root")
    return np.asarray(root)


def _inverted(root: Floats) -> Floats:
    """Return the inverse of a lower triangular matrix, transposed."""
    return np.asarray(dtrtri(root, lower=1)[0]).T if len(root) else root


def _each_block(u: int, work: Callable[[slice], Result]) -> Iterator[Result]:
    """Yield what work makes of each block of points, in order, on all cores."""
    blocks = [slice(a, min(a + BLOCK, u)) for a in range(0, u, BLOCK)]
    return in_order(work, blocks, multiplies=True)
