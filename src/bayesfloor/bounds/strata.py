"""Means of losses whose class shares are given, or seen on the rows themselves.

Shares of classes that are given are no matter of chance: the mean of every class is then taken on
its own (stratified), and only what varies within classes is noise.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bayesfloor.base.arrays import Floats, Ints
from bayesfloor.base.clustered_noise import design_effect
from bayesfloor.bounds.bounded_mean import bounded_mean_limits


@dataclass(frozen=True, slots=True, eq=False)
class Strata:
    """The rows by stratum, and the share of each stratum among all rows."""

    of_row: Ints  # (n,)
    shares: Floats  # (strata,)

    def take(self, rows: Ints) -> Strata:
        """Return some of the rows."""
        return Strata(self.of_row[rows], self.shares)

    def mean(self, values: Floats) -> float:
        """Return the mean of the means of the strata, by their shares."""
        counts = np.bincount(self.of_row, minlength=len(self.shares))
        sums = np.bincount(self.of_row, values, minlength=len(self.shares))
        return float(_weighted(self.shares, counts) @ (sums / np.maximum(counts, 1)))

    def variance(self, values: Floats) -> float:
        """Return the variance of the mean from what varies within strata."""
        counts = np.bincount(self.of_row, minlength=len(self.shares))
        means = np.bincount(self.of_row, values, len(self.shares)) / np.maximum(counts, 1)
        squares = np.bincount(self.of_row, (values - means[self.of_row]) ** 2, len(self.shares))
        within = squares / np.maximum(counts - 1, 1) / np.maximum(counts, 1)
        return float(_weighted(self.shares, counts) ** 2 @ within)

    def mean_error(self, values: Floats, groups: Ints | None = None, least: float = 1.0) -> float:
        """Return the standard error of the mean, with a design effect of `least` or more."""
        effect = max(design_effect(values, groups), least)
        return float(np.sqrt(self.variance(values) * effect))


def make_strata(labels: Ints, shares: Floats | None) -> Strata:
    """Return a stratum a class where the shares are given, else one of all rows."""
    if shares is None:
        return Strata(np.zeros(len(labels), dtype=np.int64), np.ones(1))
    return Strata(labels, shares)


def mean_limit(values: Floats, strata: Strata, largest: Floats, rows: float, tail: float) -> float:
    r"""Return the upper limit of a mean of losses, exceeded with the chance `tail`.

    In every stratum it is that of a bounded mean; margins :math:`d_s` of strata with shares
    :math:`\pi_s` add as :math:`\sqrt{\sum (\pi_s d_s)^2}` [1]_.

    Parameters
    ----------
    values : (n,) array
        Losses, from 0 to the largest of their stratum.
    strata : Strata
        Of the rows.
    largest : (strata,) array
        The largest loss.
    rows : float
        Share of the rows that count as independent.
    tail : float
        The chance.

    References
    ----------
    .. [1] Zou & Donner (2008), Stat. Med. 27, 1693-1702.

    Examples
    --------
    >>> one = make_strata(np.zeros(100, dtype=np.int64), None)
    >>> values = np.repeat([0.0, 2.0], [90, 10])
    >>> round(mean_limit(values, one, np.array([2.0]), 1.0, 0.025), 3)  # twice Wilson's
    0.349
    """
    total = 0.0
    counts = np.bincount(strata.of_row, minlength=len(strata.shares))
    shares = _weighted(strata.shares, counts)
    for stratum in np.flatnonzero((counts > 0) & (largest > 0)):
        inside = values[strata.of_row == stratum] / largest[stratum]
        seen, times = np.unique(inside, return_counts=True)
        high = bounded_mean_limits(seen, np.asarray(times * rows, dtype=np.float64), tail)[1]
        total += (shares[stratum] * largest[stratum] * (high - float(inside.mean()))) ** 2
    return strata.mean(values) + float(np.sqrt(total))


def _weighted(shares: Floats, counts: Ints) -> Floats:
    """Return the shares of the strata that have rows, so that they sum to one."""
    present = np.where(counts > 0, shares, 0.0)
    return np.asarray(present / present.sum())
