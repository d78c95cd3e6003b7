"""Orthonormal bases of design columns, for fits by least squares.

Only the small matrices that turn design columns into a basis are kept, so that millions of points
fit in memory.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

import numpy as np
from scipy.linalg.lapack import dpotrf, dtrtri

from bayesfloor.base.arrays import Floats, Ints
from bayesfloor.curve.design_columns import Blocks, DesignColumns

SINGULAR_TOLERANCE = 1e-10
"""Singular values below this share of the largest belong to linearly dependent columns.

A judgement: far above the rounding of a QR decomposition, about 1e-14, and far below what a column
adds that is worth fitting."""
CHOLESKY_TOLERANCE = 1e-9
"""Least share of a column's square that the columns before it may leave for a Cholesky factor.

A judgement: inner products are rounded at about 1e-16 of the squares, so seven digits are left. If
less is left over, the QR decomposition is used."""
LEAST_NORM = 1e-150
"""Norm that stands for that of a column of zeros; its square does not underflow."""


@dataclass(frozen=True, eq=False)
class OrthonormalBasis(DesignColumns):
    """Linear combinations of design columns that are orthonormal over the rows.

    They may be added to a previous basis: their projection onto it is then subtracted.
    """

    columns: DesignColumns
    transform: Floats  # (c, p)
    previous: OrthonormalBasis | None = None
    projection: Floats | None = None  # (p of the previous basis, p), coefficients in it

    @property
    def blocks(self) -> Blocks:  # noqa: D102
        return self.columns.blocks

    @property
    def u(self) -> int:  # noqa: D102
        return self.columns.u

    @property
    def layers(self) -> tuple[DesignColumns, ...]:
        """The design columns of all bases, in the order in which they were added."""
        return (*(() if self.previous is None else self.previous.layers), self.columns)

    def split(self, rows: slice | Ints) -> tuple[Floats, Floats]:
        """Return the values of the previous basis and those that were added, at some points."""
        own = self.columns.at(rows) @ self.transform
        if self.previous is None or self.projection is None:
            return own[:, :0], own
        previous = self.previous.at(rows)
        return previous, own - previous @ self.projection

    def _values(self, rows: slice | Ints) -> Floats:
        previous, own = self.split(rows)
        return own if self.previous is None else np.hstack([previous, own])

    def _distances(self, rows: slice) -> Floats:
        return self.columns._distances(rows)


def nearly_orthonormal_basis(
    columns: DesignColumns, previous: OrthonormalBasis | None, sizes: Ints | None
) -> OrthonormalBasis:
    """Return a basis of the columns, without those that depend on each other or on `previous`.

    It is orthonormal over the rows that are decomposed: all, or a subset of many.
    """
    rows = rows_to_decompose(columns, previous)
    root = None if sizes is None else np.sqrt(sizes[rows])[:, None]
    rest = _weighted(columns, rows, root)
    norms = np.sqrt(np.square(rest).sum(axis=0)).clip(min=LEAST_NORM)
    if previous is None:
        transform = _cholesky_transform(rest, norms)
        if transform is None:
            transform = _independent_transform(rest, norms)
        return OrthonormalBasis(columns, transform)
    known = _weighted(previous, rows, root)
    subset = len(known) < columns.u  # the previous basis is orthonormal over all points only
    onto_known = np.linalg.inv(known.T @ known) @ known.T if subset else known.T
    transform, projection = _orthogonal_to(known, onto_known, rest, norms)
    return OrthonormalBasis(columns, transform, previous, projection @ transform)


def _orthogonal_to(
    known: Floats, onto_known: Floats, columns: Floats, norms: Floats
) -> tuple[Floats, Floats]:
    """Return what makes columns orthonormal to each other and to known ones.

    It is their transform, (c, p), and their projection onto the known ones, (known, c).
    """
    projection = onto_known @ columns
    rest = columns - known @ projection
    transform = _cholesky_transform(rest, norms)
    if transform is None:  # projecting twice leaves no rounding (Giraud et al., 2005)
        again = onto_known @ rest
        projection = projection + again
        transform = _independent_transform(rest - known @ again, norms)
    return transform, projection


def _weighted(columns: DesignColumns, rows: slice | Ints, root: Floats | None) -> Floats:
    """Return the values at some points, times the root of the rows there."""
    return columns.at(rows) if root is None else columns.at(rows) * root


def rows_to_decompose(columns: DesignColumns, previous: OrthonormalBasis | None) -> slice | Ints:
    """Return the points that show how columns depend on each other.

    These are all of them, or evenly spaced ones and the outermost.
    """
    u, most = columns.u, columns.blocks.most_decomposed
    if u <= most:
        return slice(None)
    layers = (*(previous.layers if previous else ()), columns)
    evenly_spaced = np.arange(0, u, -(-u // most))
    return np.unique(np.concatenate([evenly_spaced, *(layer.outermost for layer in layers)]))


def _cholesky_transform(columns: Floats, norms: Floats) -> Floats | None:
    """Return the matrix that makes columns orthonormal, (c, c); None if some are too dependent.

    A Cholesky decomposition of the inner products is enough while they are not.
    """
    with suppress(np.linalg.LinAlgError):
        factor = _cholesky_factor(columns.T @ columns / (norms[:, None] * norms))
        if factor.diagonal().min(initial=1.0) ** 2 > CHOLESKY_TOLERANCE:
            return _inverse_transposed(factor) / norms[:, None]
    return None


def _independent_transform(columns: Floats, norms: Floats) -> Floats:
    """Return the matrix that makes dependent columns orthonormal, (c, p) with p their rank.

    A QR decomposition tells which of them depend on others, where inner products have lost it.
    """
    _, singular, right = np.linalg.svd(np.linalg.qr(columns / norms, mode="r"))
    kept = singular > SINGULAR_TOLERANCE * max(singular[0], 1.0)
    return np.asarray(right[: len(singular)][kept].T / singular[kept] / norms[:, None])


def orthonormalizer(inner: Floats) -> Floats:
    """Return the matrix that makes columns orthonormal, from their inner products.

    Examples
    --------
    >>> columns = np.array([[1.0, 1.0], [0.0, 2.0]])
    >>> found = columns @ orthonormalizer(columns.T @ columns)
    >>> (found.T @ found).round(9).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    return _inverse_transposed(_cholesky_factor(inner))


def _cholesky_factor(inner: Floats) -> Floats:
    """Return the lower Cholesky factor of a positive definite matrix."""
    factor, failed = dpotrf(inner, lower=1) if len(inner) else (inner, 0)
    if failed:
        raise np.linalg.LinAlgError("a matrix of inner products is not positive definite")
    return np.asarray(factor)


def _inverse_transposed(factor: Floats) -> Floats:
    """Return the inverse of a lower triangular matrix, transposed."""
    return np.asarray(dtrtri(factor, lower=1)[0]).T if len(factor) else factor
