"""Laws of a statistic, and the lifts that spread it over the columns of a point."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from typing import Protocol, TypeAlias

import numpy as np

from bayesfloor.base.arrays import Floats

SMALLEST_RADIUS = 1e-100
"""Stands for a radius of zero, whose logarithm is needed; its square is still a normal double."""


class Marginal(Protocol):
    """A distribution of one number, as scipy.stats makes them."""

    def rvs(self, size: tuple[int, int], random_state: np.random.Generator) -> Floats:
        """Draw an array of values."""

    def logpdf(self, x: Floats, /) -> Floats:
        """Return the logarithm of the density."""


@dataclass(frozen=True, slots=True)
class Wave:
    """Density 1 + a cos(2πcx) on [0, 1]."""

    amplitude: float  # a, of either sign
    cycles: int  # c

    def rvs(self, size: tuple[int, int], random_state: np.random.Generator) -> Floats:
        """Draw uniformly, then move the excess by half a cycle, where the cosine turns over."""
        x, coin = random_state.random((2, *size))
        excess = 2 * coin > 1 + self.amplitude * np.cos(2 * np.pi * self.cycles * x)
        return np.where(excess, (x + 0.5 / self.cycles) % 1, x)

    def logpdf(self, x: Floats, /) -> Floats:
        """Return the logarithm of the density."""
        height = np.log1p(self.amplitude * np.cos(2 * np.pi * self.cycles * x))
        return np.where((x >= 0) & (x <= 1), height, -np.inf)


@dataclass(frozen=True, slots=True)
class Law:
    """A distribution of the statistic: a mixture of parts with independent columns."""

    parts: tuple[tuple[Marginal, ...], ...]
    weights: tuple[float, ...] = (1.0,)

    def draw(self, n: int, rng: np.random.Generator) -> Floats:
        """Draw n values, (n, r)."""
        part = rng.choice(len(self.parts), size=n, p=self.weights)
        values = [np.hstack([c.rvs((n, 1), random_state=rng) for c in cs]) for cs in self.parts]
        return np.stack(values)[part, np.arange(n)]

    def log_density(self, t: Floats) -> Floats:
        """Return the logarithm of the density at t, (..., r)."""
        logs = [
            np.sum([c.logpdf(t[..., i]) for i, c in enumerate(part)], axis=0) + math.log(weight)
            for part, weight in zip(self.parts, self.weights, strict=True)
        ]
        return np.logaddexp.reduce(logs)


@dataclass(frozen=True, slots=True)
class Beside:
    """The statistic fills some of the d columns, independent noise the others."""

    d: int
    noise: Marginal
    columns: tuple[int, ...] = (0,)

    def points(self, t: Floats, rng: np.random.Generator) -> Floats:
        """Draw a point for each value of the statistic."""
        points = self.noise.rvs((len(t), self.d), random_state=rng)
        points[:, self.columns] = t
        return points

    def statistic(self, points: Floats) -> Floats:
        """Read the statistic's columns."""
        return points[:, self.columns]


@dataclass(frozen=True, slots=True)
class Radial:
    """The statistic is the distance from the origin in d columns; all directions are alike."""

    d: int

    def points(self, t: Floats, rng: np.random.Generator) -> Floats:
        """Draw a point at each distance."""
        z = rng.standard_normal((len(t), self.d))
        return t * z / np.linalg.norm(z, axis=1, keepdims=True)

    def statistic(self, points: Floats) -> Floats:
        """Measure the distances."""
        return np.maximum(np.linalg.norm(points, axis=1, keepdims=True), SMALLEST_RADIUS)


@dataclass(frozen=True, slots=True)
class Helices:
    """Three coordinates, the first the statistic, wound to (z, sin z, cos z) and rotated."""

    d: int

    def points(self, t: Floats, rng: np.random.Generator) -> Floats:
        """Draw two normal coordinates beside the statistic, then wind all three."""
        z = np.hstack([t, rng.standard_normal((len(t), 2))])
        return np.hstack([z, np.sin(z), np.cos(z)]) @ frame(self.d).T

    def statistic(self, points: Floats) -> Floats:
        """Rotate back and read the first coordinate."""
        return points @ frame(self.d)[:, :1]


Lift: TypeAlias = Beside | Radial | Helices


@cache
def frame(d: int) -> Floats:
    """Return nine orthonormal directions, (d, 9), always the same."""
    q, r = np.linalg.qr(np.random.default_rng(9).standard_normal((d, 9)))
    return q * np.sign(np.diag(r))
