"""The posterior about each row, and the least variance that it leaves any estimate."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bayesfloor.base.arrays import Floats, Ints
from bayesfloor.base.clustered_noise import design_effect
from bayesfloor.sample.sample import Sample

PROBABILITIES_AT_A_TIME = 4_000_000
"""Class probabilities that are computed at a time, 32 MB of them: a judgement."""

LEAST_REST = 0.1
"""Share of the other labels in the trend of a row, at least, when its own is left out: a row that
makes up its own trend has none to divide by. A judgement."""


class CellLabels(NamedTuple):
    """Some cells with the labels in and about them, in simplex coding."""

    counts: Ints  # (c, m), rows of each class in the cell
    sizes: Ints  # (c,), rows in the cell
    trend: Floats  # (c, m − 1)
    residual: Floats  # (c, m − 1), label minus trend, summed over the rows of the cell
    local: Floats  # (c, m − 1), the same summed over the `near` nearest rows outside the cell
    near: int
    leverage: Floats  # (c,), share of its own label in the trend of a row
    groups: Ints | None = None  # (c,)


def posterior_and_efficiency(
    sample: Sample,
    labels: CellLabels,
    coding: Floats,
    cell_of_row: Ints,
    *,
    at_a_time: int = PROBABILITIES_AT_A_TIME,
) -> tuple[float, float, Floats]:
    r"""Return the least variance of the mismatch, its design effect, and all posteriors, (n, m).

    The posterior is the trend plus the mean residual of the nearest rows, the row's own label left
    out of both. All rows of one class in one cell have the same.

    The variance is the efficiency bound :math:`\sum_c \pi_c^2 \mathrm{Var}_c(v) / n_c` with
    v = |label − posterior|², less what the noise of posteriors from `near` labels adds to it, times
    the design effect of v where rows have groups.

    Parameters
    ----------
    sample : Sample
        The points with their classes.
    labels : CellLabels
        The labels in and about some cells of the sample.
    coding : (m, m − 1) array
        The code of each class.
    cell_of_row : (n,) array
        The place of each row's cell among those of `labels`, −1 for rows whose cell is not there:
        their posterior is NaN. Empty if no posteriors are wanted.
    at_a_time : int
        Class probabilities that are computed at a time, which does not change the result.
    """
    m = sample.m
    cell, label = np.nonzero(labels.counts)  # one pair for each class in each cell
    v, noise, posterior = np.empty(len(cell)), np.empty(len(cell)), np.empty((len(cell), m))
    step = max(1, at_a_time // m)
    for a in range(0, len(cell), step):
        some = slice(a, a + step)
        v[some], noise[some], posterior[some] = _of_pairs(labels, coding, cell[some], label[some])
    rows = labels.counts[cell, label]
    effect = 1.0
    if labels.groups is not None:
        effect = design_effect(v, labels.groups[cell], rows)
    variance = effect * _efficiency(sample, label, rows, v, noise)
    pair = cell_of_row
    if len(cell) > len(labels.counts):  # cells with several classes
        wanted = cell_of_row * m + sample.labels[: len(cell_of_row)]
        pair = np.searchsorted(cell * m + label, wanted)
    of_row = posterior.take(pair, axis=0, mode="clip")
    of_row[cell_of_row < 0] = np.nan
    return variance, effect, of_row


def _efficiency(sample: Sample, label: Ints, rows: Ints, v: Floats, noise: Floats) -> float:
    """Return the efficiency bound from v, its noise and the rows of each class in each cell."""

    def sum_by_class(values: Floats) -> Floats:
        weighted = np.bincount(label, rows * values, minlength=sample.m)
        return weighted.astype(np.float64, copy=False)

    present = np.maximum(sum_by_class(np.ones(len(v))), 1)
    mean = sum_by_class(v) / present
    spread = sum_by_class((v - mean[label]) ** 2) / np.maximum(present - 1, 1)
    spread = np.maximum(spread - sum_by_class(noise) / present, 0.0)
    return float(spread @ sample.counts) / sample.n**2


def _of_pairs(
    labels: CellLabels, coding: Floats, cell: Ints, label: Ints
) -> tuple[Floats, Floats, Floats]:
    """Return v, its noise and the posterior for pairs of a cell and a class in it."""
    near, sizes, code = labels.near, labels.sizes[cell, None], coding[label]
    trend = labels.trend[cell]
    residuals = labels.local[cell]
    if labels.sizes.max() > 1:  # the other rows of the cell are near too
        others = labels.residual[cell] - (code - trend)
        residuals += np.minimum(sizes - 1, near) * others / np.maximum(sizes - 1, 1)
    coded = trend + residuals / near
    difference = code - coded
    fitted = (1 / len(coding) + coded @ coding.T).clip(0, 1)
    noise = _noise(fitted, label) / near
    # Neighbours give back nearly all that a label adds to its own trend; this takes off all of it.
    own = labels.leverage[cell]
    without = coded - (own / np.maximum(1 - own, LEAST_REST))[:, None] * (code - trend)
    posterior = (1 / len(coding) + without @ coding.T).clip(0, 1)
    posterior /= (posterior @ np.ones(len(coding)))[:, None]  # short rows are slow to sum up
    return np.einsum("ij,ij->i", difference, difference), noise, posterior


def _noise(posterior: Floats, label: Ints) -> Floats:
    """Return the variance of |label − posterior|² if one drawn label is taken for the posterior.

    To first order it is 4 eᵀSe, with e = label − posterior and S the covariance of a label.
    """
    e = -posterior
    e[np.arange(len(label)), label] += 1
    weighted = posterior * e
    return 4 * (np.einsum("ij,ij->i", weighted, e) - (weighted @ np.ones(posterior.shape[1])) ** 2)
