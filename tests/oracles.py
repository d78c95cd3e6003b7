"""Slow and obvious twins of what the package computes fast."""

from __future__ import annotations

import numpy as np

from bayesfloor.base.arrays import Floats, Ints


def tie_groups(squared: Floats) -> list[Ints]:
    """Cut the positions of squared distances into groups of equal ones, near to far."""
    order = np.argsort(squared, kind="stable")
    near_to_far = squared[order]
    farther = near_to_far[1:] > near_to_far[:-1] * (1 + 1e-10)
    return np.split(order, np.flatnonzero(farther) + 1)


def shared_ranks(
    points: Floats, values: Floats, ranks: int, groups: Ints | None = None
) -> tuple[Floats, Floats]:
    """Mean over each rank of a pair's value and the squared radius, row by row, by brute force.

    ``values`` is (n, n): what a row and its neighbour contribute. Rows of one's own group are no
    neighbours. Returns two (n, ranks) tables.
    """
    n = len(points)
    groups = np.arange(n) if groups is None else groups
    contribution, radius = np.empty((n, n - 1)), np.empty((n, n - 1))
    for i in range(n):
        others = np.flatnonzero(groups != groups[i])
        squared = ((points[others] - points[i]) ** 2).sum(axis=1)
        start = 0
        for group in tie_groups(squared):
            stop = start + len(group)
            contribution[i, start:stop] = values[i, others[group]].mean()
            radius[i, start:stop] = squared[group[0]]
            start = stop
    return contribution[:, :ranks], radius[:, :ranks]


def mismatch_curve(points: Floats, labels: Ints, ranks: int) -> Floats:
    """Share of rows whose k-th neighbour has another label, ties shared."""
    differ = (labels[:, None] != labels).astype(np.float64)
    return shared_ranks(points, differ, ranks)[0].mean(axis=0)
