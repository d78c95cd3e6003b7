"""Rank curves: how often the k-th neighbour has another label, and how far away it is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from scipy.linalg import helmert
from scipy.special import digamma, gammaln

from bayesfloor.arrays import Floats, Ints
from bayesfloor.cells import Cells, make_cells
from bayesfloor.sample import Sample
from bayesfloor.search import Field, Job, RankSums, Thin, rank_sums
from bayesfloor.trend import Trend, fit_trend


@dataclass(frozen=True, slots=True, eq=False)
class RankCurve:
    """Mismatch and radius of each neighbour rank, over all points of a sample."""

    rank: Ints  # (K,) 1..K
    mismatch: Floats  # (K,) share of points whose k-th neighbour has another label
    adjusted: Floats  # (K,) the same freed of the labels' smooth trend, see `bayesfloor.trend`
    radius: Floats  # (K,) geometric mean distance to the k-th neighbour, 0 where all are equal
    at_zero: Floats  # (K,) share of points whose k-th neighbour is at distance zero
    intrinsic_dimension: float

    def radius_power(self, s: float, unit: float = 1.0) -> Floats:
        r"""Mean of :math:`r_k^s`, r in units of `unit`: what a bias of that order grows with, (K,).

        Over places the mean is geometric, which outlying points cannot upset. At one place
        :math:`r_k^d` is gamma distributed with shape k, and there the arithmetic mean counts:
        a factor :math:`\Gamma(k + s/d) / (\Gamma(k)\, e^{s\,\psi(k)/d})`. Points at distance zero
        count as zero.
        """
        k, dimension = self.rank, max(self.intrinsic_dimension, 0.1)
        chance = np.exp(gammaln(k + s / dimension) - gammaln(k) - s / dimension * digamma(k))
        return (1 - self.at_zero) * (self.radius / unit) ** s * chance


@dataclass(frozen=True, slots=True, eq=False)
class Measured:
    """All that the neighbours say of a sample."""

    curve: RankCurve
    efficiency: float  # least variance of any regular estimator of the mismatch
    duplicates: float  # share of rows that equal another row
    posterior: Floats  # (n, m) class shares about each row, its own label left out


def measure(
    sample: Sample,
    *,
    ranks: int,
    engine: str = "auto",
    workers: int | None = None,
    advance: Callable[[int], None] | None = None,
) -> Measured:
    """Search the neighbours of every point once and reduce them to curves.

    Parameters
    ----------
    sample : Sample
        The points with their classes.
    ranks : int
        Length of the curves, at most n − 1.
    engine : str
        One of ``ENGINES``, or "auto".
    workers : int, optional
        Threads, all cores by default; the result does not depend on it.
    advance : callable, optional
        Called with the number of rows just done.

    Returns
    -------
    Measured
    """
    cells = make_cells(sample)
    trend = fit_trend(cells)
    near = min(ranks, round(np.sqrt(sample.n)))
    coding = helmert(sample.m).T  # (m, m - 1): inner products of one-hot labels, less 1/m
    residual = _residual_field(cells, trend, coding)
    fields = residual, _label_field(cells, coding)
    leverage = _leverage_field(cells, trend, ranks)
    job = Job(cells.points, cells.sizes, fields, leverage, ranks, near)
    sums = rank_sums(job, engine=engine, workers=workers, advance=advance)
    squares = _residual_squares(cells, trend, coding)
    posteriors = _posteriors(cells, trend.fitted @ coding, residual.sums, sums.local, coding, near)
    efficiency, posterior = _label_chances(sample, cells, coding, posteriors)
    return Measured(
        _curve(sums, squares.sum() / sample.n, trend.p, sample),
        efficiency,
        cells.copied,
        posterior,
    )


def _curve(sums: RankSums, energy: float, p: int, sample: Sample) -> RankCurve:
    n, (residual, label), leverage = sample.n, sums.products, sums.thin
    rank = np.arange(1, len(label) + 1)
    # Least squares draws residuals together where the leverage of two points is shared.
    adjusted = (energy - residual) / (1 - p / n + leverage) * (n - 1) / n
    away, used = sums.at_zero < 1, sums.at_zero < 0.5
    return RankCurve(
        rank=rank,
        mismatch=1 - 1 / sample.m - label,
        adjusted=adjusted,
        radius=np.where(away, np.exp(sums.log_squared / 2), 0.0) * sample.scale,
        at_zero=sums.at_zero,
        intrinsic_dimension=growth_dimension(rank[used], sums.log_squared[used], sample.d),
    )


def growth_dimension(rank: Ints, log_squared: Floats, d: int) -> float:
    r"""Read a dimension off the slope of the mean :math:`\log r_k^2` against ψ(k), at most d."""
    if len(rank) < 3:
        return 0.0
    x = digamma(rank)
    slope = np.cov(x, log_squared)[0, 1] / x.var(ddof=1)
    return float(min(2 / slope, d)) if slope > 0 else float(d)


def _own(sums: Floats, squares: Floats, sizes: Ints) -> Floats:
    """Products of a row with the other rows of its cell, from the sums and the sums of squares."""
    return ((sums**2 - squares).sum(axis=1) / np.maximum(sizes - 1, 1)) * (sizes > 1)


def _label_field(cells: Cells, coding: Floats) -> Field:
    sums = cells.counts @ coding
    return Field(sums, _own(sums, cells.counts @ coding**2, cells.sizes))


def _residual_field(cells: Cells, trend: Trend, coding: Floats) -> Field:
    sums = (cells.counts - cells.sizes[:, None] * trend.fitted) @ coding
    return Field(sums, _own(sums, _residual_squares(cells, trend, coding), cells.sizes))


def _residual_squares(cells: Cells, trend: Trend, coding: Floats) -> Floats:
    """Squared residuals summed over the rows of each cell, (u, m − 1)."""
    fitted = trend.fitted @ coding
    return (
        cells.counts @ coding**2
        - 2 * (cells.counts @ coding) * fitted
        + cells.sizes[:, None] * fitted**2
    )


def _leverage_field(cells: Cells, trend: Trend, ranks: int) -> Thin:
    sizes = cells.sizes
    at = np.unique(np.geomspace(1, ranks, 12).round().astype(np.int64)) - 1
    return Thin(lambda cell: sizes[cell, None] * trend.basis(cell), at)


def _posteriors(
    cells: Cells, fitted: Floats, residual: Floats, local: Floats, coding: Floats, near: int
) -> Iterator[Floats]:
    """Yield for each class the posterior at its rows, by cells and in coded form, (u, m − 1).

    The posterior is the trend plus the mean residual of the `near` nearest rows. All rows of one
    class in one cell have the same.
    """
    sizes = cells.sizes[:, None]
    for code in coding:
        own = residual - (code - fitted)
        others = np.minimum(sizes - 1, near) * own / np.maximum(sizes - 1, 1)
        yield fitted + (others + local) / near


def _label_chances(
    sample: Sample, cells: Cells, coding: Floats, posteriors: Iterator[Floats]
) -> tuple[float, Floats]:
    r"""Return the least variance of the mismatch, and the posterior of each row, (n, m).

    The variance is :math:`\sum_c \pi_c^2 \mathrm{Var}_c(v) / n_c` with v = |label − posterior|².
    """
    total, shares = 0.0, np.empty((sample.n, sample.m))
    for c, (code, posterior) in enumerate(zip(coding, posteriors, strict=True)):
        v = ((code - posterior) ** 2).sum(axis=1)
        count = cells.counts[:, c]
        mean = (count * v).sum() / count.sum()
        total += (count * (v - mean) ** 2).sum() / (count.sum() - 1) * count.sum()
        rows = np.flatnonzero(sample.labels == c)
        shares[rows] = (1 / sample.m + posterior @ coding.T)[cells.of_row[rows]]
    shares = shares.clip(0, 1)
    return float(total) / sample.n**2, shares / shares.sum(axis=1, keepdims=True)
