"""Whether a likeliest class is right as often as its probability says."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bayesfloor.base.arrays import Floats
from bayesfloor.bounds.prior_error import wilson_limit

CALIBRATION_GROUPS = 10
"""Groups of rows, by their stated chance, with about as many rows each."""
FEWEST_CALIBRATED_ROWS = 30
"""Rows of a group, at least: fewer show little of a share. The usual rule of thumb."""
MOSTLY_WITHIN = 0.8
"""Share of the groups within their intervals from which on probabilities are taken at their word:
of ten groups of honest ones, fewer than eight are with a chance of 1 %."""
TAIL = 0.025
"""Chance to be missed on each side of an interval: it is a 95 % one."""


@dataclass(frozen=True, slots=True, eq=False)
class Calibration:
    """Groups of rows whose likeliest class has about the same probability."""

    stated: Floats  # (g,), mean probability of the likeliest class
    right: Floats  # (g,), how often it is the label
    low: Floats  # (g,), interval of that
    high: Floats
    rows: Floats  # (g,), rows of each group

    @property
    def within(self) -> int:
        """Groups whose stated chance is inside the interval of the measured one."""
        return int(((self.low <= self.stated) & (self.stated <= self.high)).sum())

    @property
    def too_sure(self) -> int:
        """Groups that are right less often than they say, by more than the margin of error."""
        return int((self.stated > self.high).sum())

    @property
    def too_careful(self) -> int:
        """Groups that are right more often than they say, likewise."""
        return int((self.stated < self.low).sum())

    @property
    def is_honest(self) -> bool:
        """Whether most groups are right as often as they say."""
        return self.within >= MOSTLY_WITHIN * len(self.stated)

    @property
    def claimed(self) -> float:
        """Mean probability of the likeliest class of all rows."""
        return float(self.stated @ self.rows / self.rows.sum())

    @property
    def reached(self) -> float:
        """How often it is right."""
        return float(self.right @ self.rows / self.rows.sum())

    @property
    def error(self) -> float:
        """Mean distance between what groups say and what they reach, by their rows."""
        return float(np.abs(self.stated - self.right) @ self.rows / self.rows.sum())


def calibrate(stated: Floats, right: Floats) -> Calibration:
    """Group rows by the probability of their likeliest class, and count how often it holds.

    Parameters
    ----------
    stated : (n,) array
        Probability of the likeliest class of each row.
    right : (n,) array
        Whether it is the label, ties shared.

    Examples
    --------
    >>> found = calibrate(np.full(100, 0.9), np.arange(100) % 10 > 0)
    >>> found.within, round(found.error, 2)
    (3, 0.01)
    """
    order = np.argsort(stated, kind="stable")
    count = min(CALIBRATION_GROUPS, max(len(order) // FEWEST_CALIBRATED_ROWS, 1))
    groups = np.array_split(order, count)
    share = [float(right[rows].mean()) for rows in groups]
    sizes = [len(rows) for rows in groups]
    return Calibration(
        np.array([float(stated[rows].mean()) for rows in groups]),
        np.array(share),
        np.array([1 - wilson_limit(1 - p, n, TAIL) for p, n in zip(share, sizes, strict=True)]),
        np.array([wilson_limit(p, n, TAIL) for p, n in zip(share, sizes, strict=True)]),
        np.array(sizes, dtype=np.float64),
    )
