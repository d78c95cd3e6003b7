"""From a sample to its rank curve and posteriors: a trend is fitted, then neighbours are searched.

A survey is a sample with its trend, ready for the search; a measurement is what the search found.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache, partial

import numpy as np
from scipy.linalg import helmert

from bayesfloor.base.arrays import Floats, Ints
from bayesfloor.base.executor import ALL_CORES, Executor
from bayesfloor.base.grids import log_spaced
from bayesfloor.curve.design_columns import Blocks
from bayesfloor.curve.intrinsic_dimension import intrinsic_dimension
from bayesfloor.curve.posterior import CellLabels, posterior_and_efficiency
from bayesfloor.curve.rank_curve import RankCurve
from bayesfloor.curve.trend import Trend, fit_constant, fit_trend
from bayesfloor.neighbours import Effort, Field, LeverageField, RankSums, SearchTask, rank_sums
from bayesfloor.neighbours.effort import ALL_ROWS
from bayesfloor.sample.distinct_points import Cells, make_cells
from bayesfloor.sample.sample import Sample

LEVERAGE_RANKS = 12
"""Ranks at which the shared leverage is measured; it is interpolated between them.

A judgement: it changes slowly with the logarithm of the rank, and each rank costs products of all
columns of the trend."""
MOST_COPIES = 0.5
"""Share of rows at distance zero up to which a rank tells of the dimension: a majority is apart."""
LARGE_SAMPLE = 200_000
"""Rows above which a brief survey fits no trend.

A judgement: the trend of so many rows takes longer to fit than the few rows asked to search."""


@dataclass(frozen=True, slots=True, eq=False)
class Measurement:
    """All that the neighbours tell of a sample."""

    curve: RankCurve
    efficiency: float  # least variance of any regular estimator of the mismatch
    duplicates: float  # share of rows that equal another row
    posterior: Floats  # (n, m) class probabilities about each row, its own label left out
    design_effect: float = 1.0  # variance from labels over that of rows without groups


@dataclass(frozen=True, slots=True, eq=False)
class Survey:
    """A sample with its trend, ready to be searched."""

    sample: Sample
    cells: Cells
    trend: Trend
    coding: Floats  # (m, m − 1): inner products of one-hot labels, less 1/m
    task: SearchTask

    def curve(self, sums: RankSums) -> RankCurve:
        """Return the rank curve from sums over neighbours."""
        return _make_curve(sums, self.trend.p, self.sample)

    def measurement(self, sums: RankSums) -> Measurement:
        """Return the curve and all posteriors from sums over the neighbours of all cells."""
        labels = self.cell_labels(sums, slice(None))
        efficiency, effect, posterior = posterior_and_efficiency(
            self.sample, labels, self.coding, self.cells.of_row
        )
        return Measurement(self.curve(sums), efficiency, self.cells.copied, posterior, effect)

    def partial_measurement(self, sums: RankSums, asked: Ints) -> Measurement:
        """Return the curve from sums over the neighbours of some cells, without posteriors."""
        labels, no_rows = self.cell_labels(sums, asked), np.empty(0, dtype=np.int64)
        found = posterior_and_efficiency(self.sample, labels, self.coding, no_rows)
        efficiency, effect, none = found
        return Measurement(self.curve(sums), efficiency, self.cells.copied, none, effect)

    def posterior(self, sums: RankSums, asked: Ints) -> Floats:
        """Return the posterior of each row whose cell was asked, NaN for the others, (n, m)."""
        place = np.full(len(self.cells.points), -1)
        place[asked] = np.arange(len(asked))
        labels, of_row = self.cell_labels(sums, asked), place[self.cells.of_row]
        return posterior_and_efficiency(self.sample, labels, self.coding, of_row)[2]

    def cell_labels(self, sums: RankSums, asked: slice | Ints) -> CellLabels:
        """Return the labels in and about some cells; those of the own group tell nothing."""
        groups, sizes, leverage = self.cells.groups, self.cells.sizes, self.trend.leverage
        if groups is not None:  # neighbours of other groups, without the constant trend
            sizes, leverage = np.ones_like(sizes), np.zeros_like(leverage)
        return CellLabels(
            self.cells.counts[asked],
            sizes[asked],
            self.trend.fitted[asked] @ self.coding,
            self.task.fields[0].sums[asked],
            sums.local[asked],
            self.task.near,
            leverage[asked],
            None if groups is None else groups[asked],
        )


def measure(sample: Sample, *, ranks: int, effort: Effort = ALL_ROWS) -> Measurement:
    """Fit the trend, search the neighbours of every point once and reduce them to curves.

    Parameters
    ----------
    sample, ranks
        As in `make_survey`.
    effort : Effort
        The engine, and the executor, which does not change the result.

    Returns
    -------
    Measurement
    """
    survey = make_survey(sample, ranks, executor=effort.executor.local)
    return survey.measurement(rank_sums(survey.task, effort))


def make_survey(
    sample: Sample,
    ranks: int,
    *,
    brief: bool = False,
    executor: Executor = ALL_CORES,
    large: int = LARGE_SAMPLE,
) -> Survey:
    """Fit the trend of a sample and say what is to be averaged over `ranks` ranks.

    Parameters
    ----------
    sample : Sample
        The points with their classes.
    ranks : int
        Length of the curves, at most n − 1.
    brief : bool
        Whether only some rows will be asked. The survey of a large sample is then made without a
        trend, which would take longer than the search, and without sorting the rows: neighbours
        among so many points are close. Nor do rows with groups have a trend, which would follow
        the labels of whole groups.
    executor : Executor
        What the trend is fitted on; it does not change the result.
    large : int
        Rows above which a sample is large.

    Returns
    -------
    Survey
    """
    brief = brief and sample.n > large
    cells = make_cells(sample, in_order=not brief, by_group=True)
    coding, plain = simplex_coding(sample.m), brief or sample.groups is not None
    trend = fit_constant(cells) if plain else fit_trend(cells, Blocks(executor))
    return Survey(sample, cells, trend, coding, make_task(cells, trend, coding, ranks))


def make_task(cells: Cells, trend: Trend, coding: Floats, ranks: int) -> SearchTask:
    """Say what is to be averaged over `ranks` ranks of the neighbours of the cells.

    A worker of a cluster computes the task of many cells anew, from the points, the labels and the
    small matrices of the trend.
    """
    label = _label_field(cells, coding)
    residual, squares = _residual_field(cells, trend, coding, label.sums)
    leverage, near = _leverage_field(cells, trend, ranks), min(ranks, round(np.sqrt(cells.n)))
    source = None
    if len(cells.points) > trend.basis.blocks.size:
        no_rows = np.broadcast_to(np.int64(0), cells.n)
        source = partial(make_task, replace(cells, of_row=no_rows), replace(trend), coding, ranks)
    task = (cells.points, cells.sizes, (residual, label), leverage, ranks, near, squares)
    return SearchTask(*task, cells.groups, source)


@lru_cache(maxsize=4)
def simplex_coding(m: int) -> Floats:
    """Return the corners of a regular simplex as codes of m classes, (m, m − 1)."""
    return np.ascontiguousarray(helmert(m).T)


def _make_curve(sums: RankSums, p: int, sample: Sample) -> RankCurve:
    """Return the rank curve from sums over neighbours, with a trend of p columns."""
    n, (residual, label) = sample.n, sums.products
    leverage = sums.leverage if p > 1 else 1 / n
    rank = np.arange(1, len(label) + 1)
    # Least squares draws residuals together where the leverage of two points is shared.
    adjusted = (sums.square - residual) / (1 - p / n + leverage)
    factor = None if sample.groups is None else _pair_factor(sample)
    adjusted = adjusted * (n - 1) / n if factor is None else adjusted * factor
    apart, used = sums.at_zero < 1, sums.at_zero < MOST_COPIES
    return RankCurve(
        rank=rank,
        mismatch=1 - 1 / sample.m - label,
        adjusted=adjusted,
        radius=np.where(apart, np.exp(sums.log_squared / 2), 0.0) * sample.scale,
        at_zero=sums.at_zero,
        intrinsic_dimension=intrinsic_dimension(rank[used], sums.log_squared[used], sample.d),
        pair_factor=factor,
    )


def _pair_factor(sample: Sample) -> float:
    """Return the mismatch of any two rows over that of two rows of different groups."""
    assert sample.groups is not None
    sizes = np.bincount(sample.groups)
    counts = np.unique(sample.groups * sample.m + sample.labels, return_counts=True)[1]
    any_two = 1 - float(sample.priors @ sample.priors)
    differ = sample.n**2 * any_two - float(sizes @ sizes - counts @ counts)
    between = differ / (sample.n**2 - float(sizes @ sizes))
    return any_two / between if between > 0 else 1.0


def _label_field(cells: Cells, coding: Floats) -> Field:
    """Return the coded labels, summed over the rows of each cell."""
    sums = cells.counts.astype(np.float64) @ coding
    if cells.single:
        return Field(sums, np.zeros(len(sums)))
    squares = cells.counts @ (coding**2).sum(axis=1)
    return Field(sums, _products_within(sums, squares, cells.sizes))


def _residual_field(
    cells: Cells, trend: Trend, coding: Floats, labels: Floats
) -> tuple[Field, Floats]:
    """Return the residuals and their squared lengths, summed over the rows of each cell."""
    fitted = trend.fitted @ coding
    sums = labels - (fitted if cells.single else cells.sizes[:, None] * fitted)
    if cells.single:
        return Field(sums, np.zeros(len(sums))), (sums**2).sum(axis=1)
    squares = (
        cells.counts @ (coding**2).sum(axis=1)
        - 2 * (labels * fitted).sum(axis=1)
        + cells.sizes * (fitted**2).sum(axis=1)
    )
    return Field(sums, _products_within(sums, squares, cells.sizes)), squares


def _products_within(sums: Floats, squares: Floats, sizes: Ints) -> Floats:
    """Return the products of a row with the other rows of its cell, averaged, then summed.

    They follow from the sums and the sums of squares over each cell.
    """
    return ((sums**2).sum(axis=1) - squares) / np.maximum(sizes - 1, 1) * (sizes > 1)


def _leverage_field(cells: Cells, trend: Trend, ranks: int) -> LeverageField | None:
    """Return the basis of the trend; the products of a constant, 1/n, need no search."""
    if trend.p == 1:
        return None
    sizes, basis = cells.sizes, trend.basis
    at = log_spaced(1, ranks, LEVERAGE_RANKS) - 1
    return LeverageField(
        basis.at if cells.single else lambda cell: sizes[cell, None] * basis.at(cell), at
    )
