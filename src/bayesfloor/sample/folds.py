"""Rows assigned to folds, or drawn at random, class by class."""

from __future__ import annotations

import numpy as np

from bayesfloor.base.arrays import Bools, Ints


def assign_folds(labels: Ints, count: int, rng: np.random.Generator) -> Ints:
    """Return the fold of each row, (n,): the rows of each class go to `count` folds in turn.

    Rows are shuffled first. Classes come in the order of their first rows, so that their names
    decide nothing.

    Examples
    --------
    >>> assign_folds(np.array([0, 0, 0, 0, 1, 1]), 2, np.random.default_rng(0)).tolist()
    [0, 1, 1, 0, 1, 0]
    """
    _, first, codes = np.unique(labels, return_index=True, return_inverse=True)
    place = first.argsort().argsort()[codes]
    shuffled = rng.permutation(len(labels))
    fold = np.empty(len(labels), dtype=np.int64)
    fold[shuffled[np.argsort(place[shuffled], kind="stable")]] = np.arange(len(labels)) % count
    return fold


def draw_rows(labels: Ints, count: int, rng: np.random.Generator) -> Bools:
    """Mark `count` rows, drawn at random, (n,): of each class its share, up to one row.

    Examples
    --------
    >>> labels = np.repeat([0, 1], [60, 40])
    >>> np.bincount(labels[draw_rows(labels, 10, np.random.default_rng(0))]).tolist()
    [6, 4]
    """
    shuffled = rng.permutation(len(labels))
    by_class = shuffled[np.argsort(labels[shuffled], kind="stable")]
    steps = np.arange(len(labels) + 1) * count // len(labels)
    drawn = np.zeros(len(labels), dtype=np.bool_)
    drawn[by_class[np.diff(steps) > 0]] = True
    return drawn


def assign_groups(strata: Ints, sizes: Ints, count: int, rng: np.random.Generator) -> Ints:
    """Return the fold of each group, (g,): the largest first, each to the fold with fewest rows.

    Groups of a stratum that is not negative are spread evenly first. Equally large groups come in
    random order.

    Parameters
    ----------
    strata : (g,) array
        What is to be spread evenly, such as rare classes; negative for all others.
    sizes : (g,) array
        Rows of each group.
    count : int
        Folds.
    rng : Generator
        Decides the order.

    Examples
    --------
    >>> sizes = np.array([1, 6, 1, 1, 3])
    >>> folds = assign_groups(np.full(5, -1), sizes, 2, np.random.default_rng(0))
    >>> np.bincount(folds, sizes).tolist()
    [6.0, 6.0]
    """
    shuffled = rng.permutation(len(sizes))
    order = shuffled[np.lexsort((-sizes[shuffled], strata[shuffled] < 0))]
    fold, rows = np.empty(len(sizes), dtype=np.int64), [0] * count
    of_stratum: dict[int, list[int]] = {}
    for group, stratum, size in zip(
        order.tolist(), strata[order].tolist(), sizes[order].tolist(), strict=True
    ):
        if stratum < 0:
            best = rows.index(min(rows))
        else:
            seen = of_stratum.setdefault(stratum, [0] * count)
            best = min(range(count), key=lambda f: (seen[f], rows[f]))
            seen[best] += 1
        fold[group] = best
        rows[best] += size
    return fold
