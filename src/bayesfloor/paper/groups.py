"""What the repetitions say: mean, variance and squared error, each with its Monte-Carlo error."""

from __future__ import annotations

import csv
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from bayesfloor.base.arrays import Floats


class Number(NamedTuple):
    """A measured figure with its standard error."""

    value: float
    se: float

    def __str__(self) -> str:
        return f"{self.value:.2f} ± {self.se:.2f}".replace("-", "−")


@dataclass(frozen=True, slots=True, eq=False)
class Quantity:
    """A figure and how much each repetition pulls it away from where it is.

    The pulls of two figures from the same samples are paired: the error of a difference is that of
    the difference of pulls.
    """

    value: float
    pulls: Floats  # (R,), of mean zero

    @property
    def se(self) -> float:
        """Standard error over repetitions."""
        return float(self.pulls.std(ddof=1)) / math.sqrt(len(self.pulls))

    def __sub__(self, other: Quantity) -> Quantity:
        return Quantity(self.value - other.value, self.pulls - other.pulls)


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """All estimates of one method from samples of one source and one size."""

    d: int
    n: int  # rows a class
    method: str
    truth: float
    bound: float  # least variance of any regular estimator
    estimate: Floats  # (R,)
    se: Floats  # (R,)

    def bias(self) -> Quantity:
        """Mean less truth."""
        error = self.estimate - self.truth
        return Quantity(float(error.mean()), error - error.mean())

    def log_variance(self) -> Quantity:
        """Logarithm of the variance."""
        return _log_mean((self.estimate - self.estimate.mean()) ** 2, ddof=1)

    def log_mse(self) -> Quantity:
        """Logarithm of the mean squared error."""
        return _log_mean((self.estimate - self.truth) ** 2)

    def covered(self, z: float = 1.959963984540054) -> Quantity:
        """Share of intervals that hold the truth."""
        inside = (np.abs(self.estimate - self.truth) <= z * self.se).astype(float)
        return Quantity(float(inside.mean()), inside - inside.mean())


class Groups(list[Group]):
    """The groups of one figure."""

    def series(self, method: str, d: int | None = None) -> list[Group]:
        """Return the groups of one method that refused no sample, by size, then columns."""
        chosen = [g for g in self if g.method == method and d in (None, g.d)]
        return sorted(
            (g for g in chosen if not np.isnan(g.estimate).any()), key=lambda g: (g.n, g.d)
        )

    @property
    def repetitions(self) -> int:
        """Samples of each kind."""
        return len(self[0].estimate)


def read_groups(path: Path) -> Groups:
    """Read the data file of a figure."""
    found: dict[tuple[int, int, str, float, float], list[tuple[float, float]]] = {}
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            key = (int(row["d"]), int(row["n"]), row["method"])
            truths = float(row["truth"]), float(row["bound"])
            pair = float(row["divergence"] or "nan"), float(row["se"] or "nan")
            found.setdefault((*key, *truths), []).append(pair)
    return Groups(Group(*key, *np.array(pairs).T) for key, pairs in found.items())


def slope(groups: Sequence[Group], figure: Callable[[Group], Quantity]) -> Number:
    """Fit a straight line to a figure against log N; the sizes have samples of their own."""
    return line([(g.n, figure(g)) for g in groups])


def slope_gap(
    first: Sequence[Group], second: Sequence[Group], figure: Callable[[Group], Quantity]
) -> Number:
    """Return the slope of one method less that of another, on the same samples."""
    return line([(a.n, figure(a) - figure(b)) for a, b in zip(first, second, strict=True)])


def line(points: Sequence[tuple[int, Quantity]]) -> Number:
    """Return the slope against log N by least squares."""
    x = np.log([n for n, _ in points])
    x = x - x.mean()
    return combined(x / (x @ x), [quantity for _, quantity in points])


def pooled(quantities: Sequence[Quantity]) -> Number:
    """Return the mean over sizes."""
    return combined(np.full(len(quantities), 1 / len(quantities)), quantities)


def combined(weights: Floats, quantities: Sequence[Quantity]) -> Number:
    """Return the weighted sum of figures from independent samples."""
    values, errors = np.array([(q.value, q.se) for q in quantities]).T
    return Number(float(weights @ values), float(np.sqrt(weights**2 @ errors**2)))


def _log_mean(squares: Floats, ddof: int = 0) -> Quantity:
    mean = float(squares.sum()) / (len(squares) - ddof)
    if mean == 0:  # all alike, and right
        return Quantity(-math.inf, np.zeros(len(squares)))
    return Quantity(math.log(mean), squares / mean - squares.mean() / mean)
