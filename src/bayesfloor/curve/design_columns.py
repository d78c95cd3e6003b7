"""Design columns of the points: polynomials of the coordinates, and splines of scores.

A design matrix of many columns for millions of points would not fit in memory. The design columns
of many points are therefore computed anew, block by block, whenever they are needed.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, TypeVar, cast

import numpy as np

from bayesfloor.base.arrays import Floats, Ints
from bayesfloor.base.executor import ALL_CORES, Executor

OUTERMOST = 256
"""Points farthest out that are always decomposed.

A judgement: design columns grow with the square of the distance, so a few such points can outweigh
all others together, and 256 cost next to nothing."""

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Blocks:
    """How design columns of many points are computed: by which executor, and how many at a time.

    The results do not depend on the number of workers.

    Examples
    --------
    >>> list(Blocks(size=2).map(5, lambda rows: (rows.start, rows.stop)))
    [(0, 2), (2, 4), (4, 5)]
    """

    executor: Executor = ALL_CORES
    size: int = 16_384
    """Points whose design columns are held at a time, and kept if there are no more.

    A judgement: 256 columns of them take 32 MB for each worker."""
    most_decomposed: int = 50_000
    """Points whose design columns are decomposed; of more points, a subset is.

    A judgement: so many show which columns depend on others; the inner products over all points
    then make the basis orthonormal."""

    def map(self, u: int, work: Callable[[slice], Result]) -> Iterator[Result]:
        """Yield what `work` returns for each block of u points, in order.

        Matrix products of several blocks run on one thread each, however many workers there are: on
        more threads they would round otherwise.
        """
        blocks = [slice(a, min(a + self.size, u)) for a in range(0, u, self.size)]
        return self.executor.map(work, blocks, multiplies=True)


DEFAULT_BLOCKS = Blocks()
"""Blocks of the usual size, on all cores."""


class DesignColumns(ABC):
    """Functions of the points that a trend is fitted with; their values are kept for few points."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Travel without the values that are kept."""
        return type(self), tuple(getattr(self, field.name) for field in fields(cast(Any, self)))

    @property
    @abstractmethod
    def blocks(self) -> Blocks:
        """How they are computed."""

    @property
    @abstractmethod
    def u(self) -> int:
        """Number of points."""

    def at(self, rows: slice | Ints) -> Floats:
        """Return the values at some points, (b, c)."""
        return self._all_values[rows] if self.u <= self.blocks.size else self._values(rows)

    @cached_property
    def _all_values(self) -> Floats:
        return self._values(slice(None))

    @abstractmethod
    def _values(self, rows: slice | Ints) -> Floats: ...

    @cached_property
    def outermost(self) -> Ints:
        """The points that lie farthest out and may outweigh all others together."""

        def outermost_of_block(rows: slice) -> tuple[Floats, Ints]:
            distances = self._distances(rows)
            places = _largest(distances)
            return distances[places], rows.start + places

        found = zip(*self.blocks.map(self.u, outermost_of_block), strict=True)
        distances, places = map(np.concatenate, found)
        return np.asarray(places[_largest(distances)])

    @abstractmethod
    def _distances(self, rows: slice) -> Floats:
        """Return how far out some points lie, (b,); the values grow with it."""


def _largest(distances: Floats) -> Ints:
    return np.argpartition(distances, -min(OUTERMOST, len(distances)))[-OUTERMOST:]


def _no_columns(x: Floats) -> Floats:
    return np.empty((len(x), 0))


def _spherical_columns(x: Floats) -> Floats:
    return np.hstack([x, np.einsum("ij,ij->i", x, x)[:, None]])


def _quadratic_columns(x: Floats) -> Floats:
    a, b = np.triu_indices(x.shape[1])
    return np.hstack([x, x[:, a] * x[:, b]])


@dataclass(frozen=True, slots=True)
class Degree:
    """Polynomials beside the constant: their values, and how many there are in d coordinates."""

    columns: Callable[[Floats], Floats]
    count: Callable[[int], int]


DEGREES = {
    "constant": Degree(_no_columns, lambda _: 0),
    "spherical": Degree(_spherical_columns, lambda d: d + 1),
    "quadratic": Degree(_quadratic_columns, lambda d: d * (d + 3) // 2),
}
"""The degrees: no more than 1; x and |x|²; x and all products of two coordinates."""


@dataclass(frozen=True, eq=False)
class Polynomials(DesignColumns):
    """Polynomials of the coordinates, 1 and those of a degree."""

    points: Floats  # (u, d)
    degree: str  # a key of DEGREES
    centre: Floats  # (d,)
    unit: float
    blocks: Blocks = DEFAULT_BLOCKS

    @property
    def u(self) -> int:  # noqa: D102
        return len(self.points)

    def _values(self, rows: slice | Ints) -> Floats:
        x = (self.points[rows] - self.centre) / self.unit
        return np.hstack([np.ones((len(x), 1)), DEGREES[self.degree].columns(x)])

    def _distances(self, rows: slice) -> Floats:
        return np.abs(self.points[rows] - self.centre).max(axis=1)


@dataclass(frozen=True, eq=False)
class Splines(DesignColumns):
    """Natural cubic splines of scores, without the constant and the straight line.

    They are straight beyond the outer knots.
    """

    scores: Floats  # (s, u)
    knots: tuple[Floats, ...]  # of each score; empty if the score does not vary
    blocks: Blocks = DEFAULT_BLOCKS
    source: Callable[[], Floats] | None = None  # computes the scores anew, for a worker

    def __reduce__(self) -> tuple[Any, ...]:
        """Travel as what many scores are computed from: they are more."""
        if self.source is None or self.u <= self.blocks.size:
            return Splines, (self.scores, self.knots, self.blocks)
        return _splines_anew, (self.source, self.knots, self.blocks)

    @property
    def u(self) -> int:  # noqa: D102
        return self.scores.shape[1]

    def _values(self, rows: slice | Ints) -> Floats:
        values = [
            _natural_splines(score, knots)
            for score, knots in zip(self.scores[:, rows], self.knots, strict=True)
            if len(knots)
        ]
        return np.vstack([np.empty((0, len(self.scores[0, rows]))), *values]).T

    def _distances(self, rows: slice) -> Floats:
        return np.abs(self.scores[:, rows]).max(axis=0)


def _splines_anew(
    source: Callable[[], Floats], knots: tuple[Floats, ...], blocks: Blocks
) -> Splines:
    return Splines(source(), knots, blocks, source)


def _natural_splines(score: Floats, knots: Floats) -> Floats:
    """Return the splines of one score, (knots − 2, b), as truncated powers.

    Hastie, Tibshirani & Friedman (2009), The Elements of Statistical Learning, eq. 5.4-5.5.
    """
    first, span = knots[0], knots[-1] - knots[0]
    t = ((knots - first) / span)[:, None]
    above = np.maximum((score - first) / span - t, 0)
    cubes = above * above * above  # a power takes ten times as long
    differences = (cubes[:-1] - cubes[-1:]) / (t[-1:] - t[:-1])
    return differences[:-1] - differences[-1:]
