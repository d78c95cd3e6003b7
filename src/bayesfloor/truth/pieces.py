"""Straight pieces that together cover the values of the statistic of a population."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from bayesfloor.base.arrays import Floats
from bayesfloor.truth.laws import SMALLEST_RADIUS

GAUSS_LEGENDRE = np.polynomial.legendre.leggauss(20)
NODES, WEIGHTS = (GAUSS_LEGENDRE[0] + 1) / 2, GAUSS_LEGENDRE[1] / 2
"""The Gauss-Legendre rule of 20 nodes, on [-1, 1] and on [0, 1]: exact up to degree 39."""


@dataclass(frozen=True, slots=True)
class Pieces:
    """Straight pieces that together cover the values of the statistic."""

    start: Floats  # (s, r)
    end: Floats  # (s, r)
    volume: Floats  # (s, 2): at both ends, for each share of the way; linear in between

    def at(self, share: Floats) -> Floats:
        """Return the values, (s, j, r), at shares (s, j) of the way along each piece."""
        return self.start[:, None] + share[..., None] * (self.end - self.start)[:, None]


def radii(d: int) -> Floats:
    """Return steps along the radii where d standard normal columns have all but nothing."""
    return np.linspace(max(d**0.5 - 8, SMALLEST_RADIUS), d**0.5 + 8, 17)


def _ladder(u: Floats, t: Floats, density: Floats) -> Pieces:
    """Join values t, (k, m, r), of volume density (k, m), from each u, (k,), to the next."""
    r, volume = t.shape[2], np.stack([density[:-1], density[1:]], axis=2)
    volume = volume * np.diff(u)[:, None, None]
    return Pieces(t[:-1].reshape(-1, r), t[1:].reshape(-1, r), volume.reshape(-1, 2))


def line(*steps: Floats) -> Pieces:
    """Cover a line by the intervals between steps."""
    u = np.unique(np.concatenate(steps))
    return _ladder(u, u[:, None, None], np.ones((len(u), 1)))


def _panels(steps: Floats) -> tuple[Floats, Floats]:
    """Return nodes and weights of the quadrature between steps."""
    width = np.diff(steps)[:, None]
    return (steps[:-1, None] + width * NODES).ravel(), (width * WEIGHTS).ravel()


def strips() -> Pieces:
    """Cover the plane around the means of `ripley` by vertical lines; f / g falls along each."""
    (x, weight), y = _panels(np.linspace(-2.1, 1.8, 11)), np.linspace(-1.1, 2.1, 5)
    t = np.stack(np.broadcast_arrays(x, y[:, None]), axis=2)
    return _ladder(y, t, np.broadcast_to(weight, t.shape[:2]))


def fan(centre: tuple[float, float]) -> Pieces:
    """Cover [-5, 5]² by rays from the centre of the circles on which f / g is constant."""
    corners = 5 * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1], [-1, -1]]) - centre
    (along, weight), share = _panels(np.linspace(0, 1, 4)), np.linspace(0, 1, 4)
    rays = np.concatenate([a + along[:, None] * (b - a) for a, b in pairwise(corners)])
    areas = np.concatenate([weight * (a[0] * b[1] - a[1] * b[0]) for a, b in pairwise(corners)])
    return _ladder(share, centre + share[:, None, None] * rays, share[:, None] * areas)
