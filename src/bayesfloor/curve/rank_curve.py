"""Rank curves: how often the k-th neighbour has another label, and how far away it is."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.linalg import helmert
from scipy.special import digamma, gammaln

from bayesfloor.base.arrays import Floats, Ints, spaced
from bayesfloor.curve.posterior import LocalLabels, local_posterior
from bayesfloor.curve.trend import Trend, fit_constant, fit_trend
from bayesfloor.neighbours import Effort, Field, LeverageField, RankSums, SearchTask, rank_sums
from bayesfloor.neighbours.effort import ALL_ROWS
from bayesfloor.sample.distinct_points import Cells, make_cells
from bayesfloor.sample.sample import Sample

LEVERAGES = 12
"""Ranks at which the leverage is measured."""
FITTED = slice(2, 30)
"""Places of the ranks that tell how far away the nearest neighbour would be."""
FEWEST_FITTED = 8
NEARER, SURE = 0.07, 5.0
"""Shares below this, or standard errors, may be chance or a density that is not smooth."""
LARGE = 200_000
"""Rows above which a brief survey has no trend."""


@dataclass(frozen=True, slots=True, eq=False)
class RankCurve:
    """Mismatch and radius of each neighbour rank, over all points of a sample."""

    rank: Ints  # (K,) 1..K
    mismatch: Floats  # (K,) share of points whose k-th neighbour has another label
    adjusted: Floats  # (K,) the same freed of the labels' smooth trend, see `trend`
    radius: Floats  # (K,) geometric mean distance to the k-th neighbour, 0 where all are equal
    at_zero: Floats  # (K,) share of points whose k-th neighbour is at distance zero
    intrinsic_dimension: float

    def radius_power(self, s: float | Ints, unit: float = 1.0) -> Floats:
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
class Measurement:
    """All that the neighbours say of a sample."""

    curve: RankCurve
    efficiency: float  # least variance of any regular estimator of the mismatch
    duplicates: float  # share of rows that equal another row
    posterior: Floats  # (n, m) class shares about each row, its own label left out


@dataclass(frozen=True, slots=True, eq=False)
class Survey:
    """A sample with its trend, ready to be searched."""

    sample: Sample
    cells: Cells
    trend: Trend
    coding: Floats  # (m, m − 1): inner products of one-hot labels, less 1/m
    task: SearchTask

    def curve(self, sums: RankSums) -> RankCurve:
        """Turn sums over neighbours into the rank curve."""
        return _curve(sums, self.trend.p, self.sample)

    def measured(self, sums: RankSums) -> Measurement:
        """Turn sums over the neighbours of all cells into curves and posteriors."""
        efficiency, posterior = self._chances(sums, slice(None), self.cells.of_row)
        return Measurement(self.curve(sums), efficiency, self.cells.copied, posterior)

    def glimpse(self, sums: RankSums, asked: Ints) -> Measurement:
        """Turn sums over the neighbours of some cells into curves, without posteriors."""
        efficiency, _ = self._chances(sums, asked, np.empty(0, dtype=np.int64))
        nothing = np.empty((0, self.sample.m))
        return Measurement(self.curve(sums), efficiency, self.cells.copied, nothing)

    def posterior(self, sums: RankSums, asked: Ints) -> Floats:
        """Posterior of each row whose cell was asked, NaN for the others, (n, m)."""
        place = np.full(len(self.cells.points), -1)
        place[asked] = np.arange(len(asked))
        return self._chances(sums, asked, place[self.cells.of_row])[1]

    def _chances(self, sums: RankSums, at: slice | Ints, cell_of_row: Ints) -> tuple[float, Floats]:
        around = LocalLabels(
            self.cells.counts[at],
            self.cells.sizes[at],
            self.trend.fitted[at] @ self.coding,
            self.task.fields[0].sums[at],
            sums.local[at],
            self.task.near,
        )
        return local_posterior(self.sample, around, self.coding, cell_of_row)


def make_survey(sample: Sample, ranks: int, *, brief: bool = False) -> Survey:
    """Fit the trend of a sample and say what is to be averaged over `ranks` ranks.

    A brief survey of a large sample does without a trend: it would take longer than the search of
    some rows, and among so many points neighbours are close. Nor does it sort the rows.
    """
    brief = brief and sample.n > LARGE
    cells, coding = make_cells(sample, in_order=not brief), coding_of(sample.m)
    trend = fit_constant(cells) if brief else fit_trend(cells)
    label = _label_field(cells, coding)
    residual, squares = _residual_field(cells, trend, coding, label.sums)
    leverage, near = _leverage_field(cells, trend, ranks), min(ranks, round(np.sqrt(sample.n)))
    task = SearchTask(cells.points, cells.sizes, (residual, label), leverage, ranks, near, squares)
    return Survey(sample, cells, trend, coding, task)


@lru_cache(maxsize=4)
def coding_of(m: int) -> Floats:
    """Return vectors for m classes, (m, m − 1), any two of them at one distance."""
    return np.ascontiguousarray(helmert(m).T)


def measure(sample: Sample, *, ranks: int, effort: Effort = ALL_ROWS) -> Measurement:
    """Search the neighbours of every point once and reduce them to curves.

    Parameters
    ----------
    sample : Sample
        The points with their classes.
    ranks : int
        Length of the curves, at most n − 1.
    effort : Effort
        The engine, and the number of threads, which does not change the result.

    Returns
    -------
    Measurement
    """
    survey = make_survey(sample, ranks)
    return survey.measured(rank_sums(survey.task, effort))


def _curve(sums: RankSums, p: int, sample: Sample) -> RankCurve:
    n, (residual, label) = sample.n, sums.products
    leverage = sums.leverage if p > 1 else 1 / n
    rank = np.arange(1, len(label) + 1)
    # Least squares draws residuals together where the leverage of two points is shared.
    adjusted = (sums.square - residual) / (1 - p / n + leverage) * (n - 1) / n
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
    x -= x.mean()
    slope = float(x @ log_squared / (x @ x))
    return float(min(2 / slope, d)) if slope > 0 else float(d)


def crowding(log_squared: Floats, rows: int) -> float:
    r"""Return the share by which nearest neighbours are nearer than independent rows would be.

    Where the density is smooth, the mean :math:`\log r_k^2` of independent rows is a straight line
    in ψ(k). The ranks after the second tell where it starts, up to the chance of so many rows; 0
    if the nearest neighbours are there or beyond.

    Examples
    --------
    >>> line = 0.7 * digamma(np.arange(1, 31))
    >>> crowding(line, 1000), round(crowding(line - [1, *[0] * 29], 1000), 2)
    (0.0, 0.39)
    """
    y = log_squared[FITTED]
    if len(y) < FEWEST_FITTED or rows < 1:
        return 0.0
    x = digamma(np.arange(1, FITTED.stop + 1))
    first, x = x[0], x[FITTED][: len(y)]
    middle = x.mean()
    slope = float((x - middle) @ y / ((x - middle) @ x))
    excess = float(y.mean() + slope * (first - middle) - log_squared[0])
    chance = slope * np.pi / np.sqrt(6 * rows)  # the variance of log r² is slope² π²/6
    share = 1 - float(np.exp(-excess / 2))
    return share if excess > SURE * chance and share > NEARER else 0.0


def _own(sums: Floats, squares: Floats, sizes: Ints) -> Floats:
    """Products of a row with the other rows of its cell, from the sums and the sums of squares."""
    return ((sums**2).sum(axis=1) - squares) / np.maximum(sizes - 1, 1) * (sizes > 1)


def _label_field(cells: Cells, coding: Floats) -> Field:
    sums = cells.counts.astype(np.float64) @ coding
    if cells.single:
        return Field(sums, np.zeros(len(sums)))
    return Field(sums, _own(sums, cells.counts @ (coding**2).sum(axis=1), cells.sizes))


def _residual_field(
    cells: Cells, trend: Trend, coding: Floats, labels: Floats
) -> tuple[Field, Floats]:
    """Return the residuals, and their squared lengths, summed over the rows of each cell."""
    fitted = trend.fitted @ coding
    sums = labels - (fitted if cells.single else cells.sizes[:, None] * fitted)
    if cells.single:
        return Field(sums, np.zeros(len(sums))), (sums**2).sum(axis=1)
    squares = (
        cells.counts @ (coding**2).sum(axis=1)
        - 2 * (labels * fitted).sum(axis=1)
        + cells.sizes * (fitted**2).sum(axis=1)
    )
    return Field(sums, _own(sums, squares, cells.sizes)), squares


def _leverage_field(cells: Cells, trend: Trend, ranks: int) -> LeverageField | None:
    """Inner products of the basis; those of a constant, 1/n, need no search."""
    if trend.p == 1:
        return None
    sizes, basis = cells.sizes, trend.basis
    at = spaced(1, ranks, LEVERAGES) - 1
    return LeverageField(
        basis.at if cells.single else lambda cell: sizes[cell, None] * basis.at(cell), at
    )
