"""How local the neighbours of a sample are, which decides whether they can be trusted."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from bayesfloor.base.arrays import Floats, Ints
from bayesfloor.curve.intrinsic_dimension import crowding, intrinsic_dimension
from bayesfloor.estimators.method import curve_ranks
from bayesfloor.neighbours import make_finder
from bayesfloor.neighbours.finders import FAR_AWAY, without_own_group
from bayesfloor.sample.distinct_points import Cells, make_cells
from bayesfloor.sample.sample import Sample

PROBES = 500
"""Points whose neighbours are looked at: their mean log distance is then known to some percent."""
TIE_RANKS = 4
"""Ranks found beyond those wanted, so that a tie at the last one seldom leaves it in doubt."""


@dataclass(frozen=True, slots=True)
class Locality:
    """How near the nearest neighbours are, and with which dimension distances grow."""

    nearness: float  # distance of the nearest neighbour over the last; 0 if most rows have a copy
    dimension: float
    crowding: float = 0.0  # see `bayesfloor.curve.intrinsic_dimension.crowding`


@dataclass(frozen=True, slots=True, eq=False)
class Surroundings:
    """The distinct points of a sample, and how local their neighbours are."""

    cells: Cells
    locality: Locality
    copied: float  # share of rows that equal another row, of another group where there are groups


def make_surroundings(sample: Sample) -> Surroundings:
    """Return the surroundings of a sample's points, over the ranks of its curve."""
    cells = make_cells(sample)
    apart = cells if sample.groups is None else make_cells(sample, by_group=True)
    return Surroundings(cells, locality(apart, curve_ranks(sample.n)), apart.copied)


def locality(cells: Cells, ranks: int) -> Locality:
    """Look at the first `ranks` neighbours of some points.

    Examples
    --------
    >>> from bayesfloor.sample.distinct_points import make_cells
    >>> from bayesfloor.sample.gate import make_sample
    >>> points = np.random.default_rng(0).normal(size=(2000, 3))
    >>> found = locality(make_cells(make_sample(points, points[:, 0] > 0)), ranks=150)
    >>> round(found.dimension), found.nearness < 0.4
    (3, True)
    """
    ranks = min(ranks, len(cells.points) - 1)
    if cells.copied > 0.5 or ranks < 3:
        return Locality(0.0, 0.0)
    asked = np.unique(np.linspace(0, len(cells.points) - 1, PROBES).astype(np.int64))
    logs = _log_squared(cells.points, asked, ranks, cells.groups)
    if len(logs) < 3:
        return Locality(0.0, 0.0)
    dimension = intrinsic_dimension(np.arange(1, len(logs) + 1), logs, cells.points.shape[1])
    nearness = float(np.exp((logs[0] - logs[-1]) / 2))
    return Locality(nearness, dimension, crowding(logs, len(asked)))


def _log_squared(points: Floats, asked: Ints, ranks: int, groups: Ints | None) -> Floats:
    """Mean logarithm of the squared distance of each rank, over some of the points, (ranks,).

    Neighbours of the own group do not count. Where these crowd out the last of the others, the mean
    is over the points that have so many.
    """
    finder = make_finder(points)
    own = 0 if groups is None else min(int(np.bincount(groups).max()), ranks)
    width = min(ranks + TIE_RANKS + own, len(points) - 1)
    total, counted = np.zeros(ranks), np.zeros(ranks)
    for a in range(0, len(asked), finder.span):
        batch = finder.nearest(asked[a : a + finder.span], width)
        squared = batch.squared
        for i in np.flatnonzero(squared[:, -1] >= FAR_AWAY):  # tied to points that were not found
            apart = points[batch.found[i]] - points[batch.rows[i]]
            exact = np.einsum("ij,ij->i", apart, apart)
            order = np.argsort(exact, kind="stable")
            squared[i], batch.found[i] = exact[order], batch.found[i][order]
        if groups is not None:
            others = without_own_group(replace(batch, untied=False), groups, ranks).squared
            squared = np.full((len(others), ranks), FAR_AWAY)
            squared[:, : others.shape[1]] = others[:, :ranks]
        squared = squared[:, :ranks]
        known = (squared > 0) & (squared < FAR_AWAY)
        total += np.log(np.where(known, squared, 1.0)).sum(axis=0)
        counted += known.sum(axis=0)
    known_ranks = ranks if groups is None else int(np.cumprod(counted > 0).sum())
    return (total / np.maximum(counted, 1))[:known_ranks]
