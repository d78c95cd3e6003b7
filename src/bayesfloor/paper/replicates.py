"""Statistics of repeated estimates: bias, variance, squared error, with Monte-Carlo errors."""

from __future__ import annotations

import csv
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from bayesfloor.base.arrays import Floats

Z95 = 1.959963984540054
"""Standard deviations from the mean to either end of a 95 % band: the normal quantile of 0.975."""


class Uncertain(NamedTuple):
    """A value with its standard error."""

    value: float
    se: float

    def __str__(self) -> str:
        return f"{self.value:.2f} ± {self.se:.2f}".replace("-", "−")


@dataclass(frozen=True, slots=True, eq=False)
class Statistic:
    """A statistic of the repetitions, and the influence of each repetition on it.

    Influences of two statistics from the same samples are paired, so the error of a difference is
    that of the difference of influences.
    """

    value: float
    influence: Floats  # (R,), of mean zero

    @property
    def se(self) -> float:
        """Return the standard error over repetitions."""
        return float(self.influence.std(ddof=1)) / math.sqrt(len(self.influence))

    def __sub__(self, other: Statistic) -> Statistic:
        return Statistic(self.value - other.value, self.influence - other.influence)


@dataclass(frozen=True, slots=True, eq=False)
class Replicates:
    """All estimates of one method from samples of one source and one size."""

    d: int
    n: int  # rows a class
    method: str
    truth: float
    bound: float  # least variance of any regular estimator
    estimate: Floats  # (R,)
    se: Floats  # (R,)

    def bias(self) -> Statistic:
        """Return the mean error."""
        error = self.estimate - self.truth
        return Statistic(float(error.mean()), error - error.mean())

    def log_variance(self) -> Statistic:
        """Return the logarithm of the variance."""
        return _log_mean((self.estimate - self.estimate.mean()) ** 2, ddof=1)

    def log_mse(self) -> Statistic:
        """Return the logarithm of the mean squared error."""
        return _log_mean((self.estimate - self.truth) ** 2)

    def coverage(self) -> Statistic:
        """Return the share of 95 % intervals that hold the truth."""
        inside = (np.abs(self.estimate - self.truth) <= Z95 * self.se).astype(float)
        return Statistic(float(inside.mean()), inside - inside.mean())


StatisticOf = Callable[[Replicates], Statistic]
"""A statistic by name, such as `Replicates.log_mse`."""


class FigureData(list[Replicates]):
    """The data of one figure."""

    def series(self, method: str, d: int | None = None) -> list[Replicates]:
        """Return the replicates of one method that refused no sample, by size, then columns."""
        chosen = [r for r in self if r.method == method and d in (None, r.d)]
        return sorted(
            (r for r in chosen if not np.isnan(r.estimate).any()), key=lambda r: (r.n, r.d)
        )

    @property
    def repetitions(self) -> int:
        """Return the number of samples of each kind."""
        return len(self[0].estimate)


def read_figure_data(path: Path) -> FigureData:
    """Read the data file of a figure."""
    found: dict[tuple[int, int, str, float, float], list[tuple[float, float]]] = {}
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            key = (int(row["d"]), int(row["n"]), row["method"])
            truths = float(row["truth"]), float(row["bound"])
            pair = float(row["divergence"] or "nan"), float(row["se"] or "nan")
            found.setdefault((*key, *truths), []).append(pair)
    return FigureData(Replicates(*key, *np.array(pairs).T) for key, pairs in found.items())


def slope(series: Sequence[Replicates], statistic: StatisticOf) -> Uncertain:
    """Fit a straight line to a statistic against log N; the sizes have samples of their own."""
    return log_slope([(r.n, statistic(r)) for r in series])


def slope_difference(
    first: Sequence[Replicates], second: Sequence[Replicates], statistic: StatisticOf
) -> Uncertain:
    """Return the slope of one method less that of another, on the same samples."""
    return log_slope(
        [(a.n, statistic(a) - statistic(b)) for a, b in zip(first, second, strict=True)]
    )


def log_slope(points: Sequence[tuple[int, Statistic]]) -> Uncertain:
    """Return the slope against log N by least squares."""
    x = np.log([n for n, _ in points])
    x = x - x.mean()
    return weighted_sum(x / (x @ x), [statistic for _, statistic in points])


def mean_over_sizes(statistics: Sequence[Statistic]) -> Uncertain:
    """Return the mean of a statistic over sizes, which have samples of their own."""
    return weighted_sum(np.full(len(statistics), 1 / len(statistics)), statistics)


def weighted_sum(weights: Floats, statistics: Sequence[Statistic]) -> Uncertain:
    """Return the weighted sum of statistics from independent samples."""
    values, errors = np.array([(s.value, s.se) for s in statistics]).T
    return Uncertain(float(weights @ values), float(np.sqrt(weights**2 @ errors**2)))


def _log_mean(squares: Floats, ddof: int = 0) -> Statistic:
    mean = float(squares.sum()) / (len(squares) - ddof)
    if mean == 0:  # all alike, and right
        return Statistic(-math.inf, np.zeros(len(squares)))
    return Statistic(math.log(mean), squares / mean - squares.mean() / mean)
