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

    def only(self, rows: Bools) -> Sample:
        """Return some of the rows, which hold two or more of every class."""
        return replace(self, points=self.points[rows], labels=self.labels[rows])
