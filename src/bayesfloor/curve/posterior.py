"""Class chances about each row, and the least variance that they leave any estimate."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bayesfloor.base.arrays import Floats, Ints
from bayesfloor.sample.sample import Sample

MOST_ENTRIES = 4_000_000
"""Chances that are worked on at a time."""


class LocalLabels(NamedTuple):
    """Some cells with the labels in and about them, in coded form."""

    counts: Ints  # (c, m), rows of each class in the cell
    sizes: Ints  # (c,), rows in the cell
    trend: Floats  # (c, m − 1)
    residual: Floats  # (c, m − 1), label less trend, summed over the rows of the cell
    local: Floats  # (c, m − 1), the same summed over the `near` nearest rows outside the cell
    near: int


def local_posterior(
    sample: Sample, around: LocalLabels, coding: Floats, cell: Ints
) -> tuple[float, Floats]:
    r"""Return the least variance of the mismatch, and the posterior of each row, (n, m).

    The posterior is the trend plus the mean residual of the nearest rows. All rows of one class in
    one cell have the same.

    The variance is :math:`\sum_c \pi_c^2 \mathrm{Var}_c(v) / n_c` with v = |label − posterior|²,
    less what the noise of posteriors from `near` labels adds to it. ``cell`` is the place of each
    row's cell, −1 for rows that were not asked: they have no posterior, NaN. It is empty if no
    posteriors are wanted.
    """
    m = sample.m
    place, label = np.nonzero(around.counts)
    v, noise, chances = np.empty(len(place)), np.empty(len(place)), np.empty((len(place), m))
    step = max(1, MOST_ENTRIES // m)
    for a in range(0, len(place), step):
        some = slice(a, a + step)
        v[some], noise[some], chances[some] = _kinds(around, coding, place[some], label[some])
    rows = around.counts[place, label]

    def by_class(values: Floats) -> Floats:
        return np.bincount(label, rows * values, minlength=m).astype(np.float64, copy=False)

    present = np.maximum(by_class(np.ones(len(place))), 1)
    mean = by_class(v) / present
    spread = by_class((v - mean[label]) ** 2) / np.maximum(present - 1, 1)
    spread = np.maximum(spread - by_class(noise) / present, 0.0)
    variance = float(spread @ sample.counts) / sample.n**2
    kind = cell
    if len(place) > len(around.counts):  # cells with several classes
        kind = np.searchsorted(place * m + label, cell * m + sample.labels[: len(cell)])
    shares = chances.take(kind, axis=0, mode="clip")
    shares[cell < 0] = np.nan
    return variance, shares


def _kinds(
    around: LocalLabels, coding: Floats, place: Ints, label: Ints
) -> tuple[Floats, Floats, Floats]:
    """Return v, its noise and the class chances of some classes in some cells."""
    near, sizes, code = around.near, around.sizes[place, None], coding[label]
    trend = around.trend[place]
    residuals = around.local[place]
    if around.sizes.max() > 1:  # of the other rows in the cell too
        own = around.residual[place] - (code - trend)
        residuals += np.minimum(sizes - 1, near) * own / np.maximum(sizes - 1, 1)
    posterior = trend + residuals / near
    apart = code - posterior
    chances = (1 / len(coding) + posterior @ coding.T).clip(0, 1)
    noise = _noise(chances, label) / near
    chances /= (chances @ np.ones(len(coding)))[:, None]  # short rows are slow to sum up
    return np.einsum("ij,ij->i", apart, apart), noise, chances


def _noise(chances: Floats, label: Ints) -> Floats:
    """Variance of |label − posterior|² if one drawn label is the posterior.

    To first order it is 4 eᵀSe, with e = label − posterior and S the covariance of a label.
    """
    apart = -chances
    apart[np.arange(len(label)), label] += 1
    weighed = chances * apart
    return 4 * (np.einsum("ij,ij->i", weighed, apart) - (weighed @ np.ones(chances.shape[1])) ** 2)
