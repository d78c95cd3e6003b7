"""The record that every later layer trusts: points, labels and classes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from bayesfloor.base.arrays import AnyArray, Bools, Floats, Ints


@dataclass(frozen=True, eq=False)
class Sample:
    """Finite points with classes coded 0..m-1, two or more points of each.

    Columns are moved towards zero, and all are divided by one power of two, `scale`, so that the
    largest magnitude lies in [1, 2). Distances are those of the data, divided by `scale`.
    """

    points: Floats  # (n, d), C-contiguous
    labels: Ints  # (n,), indices into classes
    classes: AnyArray  # (m,), the labels as they came, sorted
    scale: float = 1.0
    distinct: bool = False  # known that no two points are equal
    groups: Ints | None = None  # (n,) coded 0..g-1 by their rows; None if each row is alone

    @property
    def n(self) -> int:
        """Number of points."""
        return self.points.shape[0]

    @property
    def d(self) -> int:
        """Number of columns."""
        return self.points.shape[1]

    @property
    def m(self) -> int:
        """Number of classes."""
        return len(self.classes)

    @cached_property
    def counts(self) -> Ints:
        """Points of each class, (m,)."""
        return np.bincount(self.labels, minlength=self.m).astype(np.int64, copy=False)

    @cached_property
    def priors(self) -> Floats:
        """Share of each class among the points, (m,)."""
        return self.counts / self.n

    @property
    def most_neighbours(self) -> int:
        """Rows that may be neighbours of any row: all but those of the largest group."""
        return self.n - (1 if self.groups is None else int(np.bincount(self.groups).max()))

    def only(self, rows: Bools) -> Sample:
        """Return some of the rows, which hold two or more of every class.

        Where only one group is left, its rows count as independent: there is nothing else to
        compare them with.
        """
        groups = None if self.groups is None else dense_codes(self.groups[rows])
        return replace(self, points=self.points[rows], labels=self.labels[rows], groups=groups)


def dense_codes(groups: Ints) -> Ints | None:
    """Return the groups of some rows as codes from 0; None if each row is alone, or all are one."""
    names, codes = np.unique(groups, return_inverse=True)
    return None if len(names) in (1, len(groups)) else codes
