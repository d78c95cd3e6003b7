"""Distinct points with their class counts: the form in which duplicates cost nothing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bayesfloor.base.arrays import Bools, Floats, Ints
from bayesfloor.sample.sample import Sample


@dataclass(frozen=True, slots=True)
class Cells:
    """Distinct points, in lexicographic order unless asked otherwise."""

    points: Floats  # (u, d)
    counts: Ints  # (u, m), rows of each class in the cell
    sizes: Ints  # (u,), rows in the cell
    of_row: Ints  # (n,), the cell of each row
    groups: Ints | None = None  # (u,), where rows of different groups are in different cells

    @property
    def n(self) -> int:
        """Rows in all cells."""
        return len(self.of_row)

    @property
    def single(self) -> bool:
        """Whether every cell has one row."""
        return len(self.points) == self.n

    @property
    def copied(self) -> float:
        """Share of rows that equal another row, of another group where cells have groups."""
        if self.groups is not None:
            equal = (self.points[1:] == self.points[:-1]).all(axis=1)
            return float(self.sizes[np.r_[False, equal] | np.r_[equal, False]].sum() / self.n)
        if self.single:
            return 0.0
        return float(self.sizes[self.sizes > 1].sum() / self.n)

    def class_order(self) -> Ints:
        """Return the classes in an order by their points, whatever they are called, (m,)."""
        columns = [column.tobytes() for column in self.counts.T]
        return np.array(sorted(range(len(columns)), key=columns.__getitem__))


def make_cells(sample: Sample, *, in_order: bool = True, by_group: bool = False) -> Cells:
    """Collapse equal rows of a sample into cells, or equal rows of a group.

    Cells are sorted, so that they do not depend on the order of the rows. If that does not matter,
    rows that are all different may stay where they are.

    Examples
    --------
    >>> from bayesfloor.sample.gate import make_sample
    >>> cells = make_cells(make_sample([[1], [0], [1], [0]], ["a", "b", "b", "a"]))
    >>> cells.counts.tolist()
    [[1, 1], [1, 1]]
    """
    groups = sample.groups if by_group else None
    if sample.distinct and not in_order:
        return _single_cells(sample, None, groups)
    order, starts = sorted_runs(sample.points)
    if groups is not None:
        order, starts = _runs_of_groups(order, starts, groups)
    if starts.all():
        return _single_cells(sample, order if in_order else None, groups)
    of_row = np.empty(sample.n, dtype=np.int64)
    run = np.cumsum(starts) - 1
    of_row[order] = run
    flat = np.bincount(of_row * sample.m + sample.labels, minlength=int(starts.sum()) * sample.m)
    return Cells(
        points=np.ascontiguousarray(sample.points[order[starts]]),
        counts=flat.reshape(-1, sample.m),
        sizes=np.bincount(run),
        of_row=of_row,
        groups=None if groups is None else groups[order[starts]],
    )


def _runs_of_groups(order: Ints, starts: Bools, groups: Ints) -> tuple[Ints, Bools]:
    """Sort equal rows by their groups, and begin a new run at each."""
    key = (np.cumsum(starts) - 1) * (int(groups.max()) + 1) + groups[order]
    again = np.argsort(key, kind="stable")
    return order[again], np.diff(key[again], prepend=-1) != 0


def _single_cells(sample: Sample, order: Ints | None, groups: Ints | None) -> Cells:
    """Make every row a cell, in some order or where it is."""
    points, labels, of_row = sample.points, sample.labels, np.arange(sample.n)
    if order is not None:
        points, labels = points.take(order, axis=0), labels[order]
        of_row[order] = np.arange(sample.n)
        groups = None if groups is None else groups[order]
    counts = (labels[:, None] == np.arange(sample.m)).view(np.int8)
    return Cells(points, counts, np.ones(sample.n, dtype=np.int64), of_row, groups)


def sorted_runs(points: Floats) -> tuple[Ints, Bools]:
    """Return the rows' lexicographic order and where in it a new point begins."""
    order = np.argsort(np.ascontiguousarray(points[:, 0]))
    leading = points[order, 0]
    fresh = np.ones(len(points) + 1, dtype=np.bool_)
    fresh[1:-1] = leading[1:] != leading[:-1]
    tied = ~(fresh[1:] & fresh[:-1])
    starts = fresh[:-1]
    if tied.any():
        rows = np.sort(order[tied])
        order[tied] = rows[lexicographic(points[rows])]
        same = np.flatnonzero(~starts)
        starts[same] = (points[order[same]] != points[order[same - 1]]).any(axis=1)
    return order, starts


def lexicographic(points: Floats) -> Ints:
    """Return the order of some points by their columns, by two of them if that is enough."""
    order = np.lexsort(points[:, 1::-1].T)
    leading = points[order, :2]
    if points.shape[1] <= 2 or (leading[1:] != leading[:-1]).any(axis=1).all():
        return order
    return np.lexsort(points.T[::-1])
