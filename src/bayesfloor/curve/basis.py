"""Columns made of the points, and orthonormal bases of them, that least squares are fitted with.

A table of many columns for millions of points would not fit in memory. So the columns of many
points are made anew, block by block, whenever they are needed, and only small matrices are kept.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import numpy as np
from scipy.linalg.lapack import dpotrf, dtrtri

from bayesfloor.base.arrays import Floats, Ints
from bayesfloor.base.executor import ALL_CORES

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
FARTHEST = 256
"""Points farthest out that are always among them."""

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

    @cached_property
    def farthest(self) -> Ints:
        """The points that lie farthest out, and may outweigh all others together."""

        def of_block(rows: slice) -> tuple[Floats, Ints]:
            far = self._how_far(rows)
            places = _largest(far)
            return far[places], rows.start + places

        far, places = map(np.concatenate, zip(*each_block(self.u, of_block), strict=True))
        return np.asarray(places[_largest(far)])

    @abstractmethod
    def _how_far(self, rows: slice) -> Floats:
        """Tell how far out some points lie, (b,): the columns grow with it."""


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

    def _how_far(self, rows: slice) -> Floats:
        return np.abs(self.points[rows] - self.centre).max(axis=1)


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

    def _how_far(self, rows: slice) -> Floats:
        return np.abs(self.scores[:, rows]).max(axis=0)


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

    def _how_far(self, rows: slice) -> Floats:
        return self.columns._how_far(rows)


def nearly_orthonormal(columns: Columns, known: Basis | None, sizes: Ints | None) -> Basis:
    """Return a basis of the columns that are independent of each other and of those known.

    A Cholesky decomposition of their inner products is enough while the columns are well apart. If
    they are not, a QR decomposition tells which of them depend on others.
    """
    rows = telling_rows(columns.u, (*(known.layers if known else ()), columns))
    root = None if sizes is None else np.sqrt(sizes[rows])[:, None]
    left = columns.at(rows) if root is None else columns.at(rows) * root
    norms, aside = np.sqrt(np.square(left).sum(axis=0)).clip(min=NOTHING), None
    if known is not None:
        old = known.at(rows) if root is None else known.at(rows) * root
        few = len(old) < columns.u  # it is orthonormal over all points
        says = np.linalg.inv(old.T @ old) @ old.T if few else old.T
        aside = says @ left
        left = left - old @ aside
    turn = _well_apart(left, norms)
    if turn is None:
        if aside is not None:  # twice is enough for what is left to be no rounding
            again = says @ left
            left, aside = left - old @ again, aside + again
        turn = _independent(left, norms)
    return Basis(columns, turn, known, None if aside is None else aside @ turn)


def _largest(far: Floats) -> Ints:
    return np.argpartition(far, -min(FARTHEST, len(far)))[-FARTHEST:]


def telling_rows(u: int, layers: tuple[Columns, ...]) -> slice | Ints:
    """Return rows that show how columns depend on each other: every so many, and the farthest."""
    if u <= MOST_DECOMPOSED:
        return slice(None)
    every = np.arange(0, u, -(-u // MOST_DECOMPOSED))
    return np.unique(np.concatenate([every, *(layer.farthest for layer in layers)]))


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


def upright(inner: Floats) -> Floats:
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


def each_block(u: int, work: Callable[[slice], Result]) -> Iterator[Result]:
    """Yield what work makes of each block of points, in order, on all cores."""
    blocks = [slice(a, min(a + BLOCK, u)) for a in range(0, u, BLOCK)]
    return ALL_CORES.map(work, blocks, multiplies=True)
