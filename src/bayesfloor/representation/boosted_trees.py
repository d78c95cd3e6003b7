"""Gradient-boosted trees that learn small tables fast, on several threads at once.

The algorithm and its defaults are those of scikit-learn's ``HistGradientBoostingClassifier``, which
is the oracle of its tests. That one grows trees in Python, a millisecond each however few the rows
and with one thread at a time, and a call learns dozens of such classifiers. Columns of two values
that are never on together, as from a text column, count as one here (Ke et al. 2017, LightGBM).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bayesfloor.base.arrays import Bools, Floats, Ints, SmallInts

MOST_BINS = 255
"""Bins of a column: as in scikit-learn's boosting, one byte each."""
MOST_TOGETHER = 200
"""Columns that count as one, at most: their bins must fit into a byte."""


@dataclass(frozen=True, slots=True, eq=False)
class Binning:
    """How the columns of a table become bins."""

    cuts: Sequence[Floats]  # of columns that are cut
    cut_columns: Ints
    bundles: Sequence[Ints]  # columns of two values that are never on together
    on: Floats  # (d,), the rarer value of columns of two values

    @property
    def counts(self) -> Ints:
        """Bins of each column, those that were cut first."""
        cut = [len(cuts) + 1 for cuts in self.cuts]
        return np.array(cut + [len(columns) + 1 for columns in self.bundles], dtype=np.int64)

    @property
    def alone(self) -> Bools:
        """Whether a split parts one bin from all others."""
        return np.repeat([False, True], [len(self.cuts), len(self.bundles)])

    def apply(self, points: Floats) -> SmallInts:
        """Return the bins of each row, (columns, n)."""
        bins = np.zeros((len(self.cuts) + len(self.bundles), len(points)), dtype=np.uint8)
        for own, cuts, column in zip(bins, self.cuts, self.cut_columns, strict=False):
            own[:] = np.searchsorted(cuts, points[:, column])
        for own, columns in zip(bins[len(self.cuts) :], self.bundles, strict=True):
            for place, column in enumerate(columns):
                own[points[:, column] == self.on[column]] = place + 1
        return bins


def make_binning(points: Floats) -> Binning:
    """Choose bins: between all values of a column, or so that all have about as many rows."""
    low, high = points.min(axis=0), points.max(axis=0)
    two = ((points == low) | (points == high)).all(axis=0)
    on = np.where((points == high).mean(axis=0) <= 0.5, high, low)
    flags = np.flatnonzero(two & (low < high))
    bundles = [flags[some] for some in exclusive_sets(points[:, flags] == on[flags])]
    single = [int(some[0]) for some in bundles if len(some) == 1]
    cut_columns = np.sort(np.r_[np.flatnonzero(~two), np.array(single, dtype=np.int64)])
    cuts = [make_cuts(points[:, column]) for column in cut_columns]
    return Binning(cuts, cut_columns, [some for some in bundles if len(some) > 1], on)


def make_cuts(values: Floats, most: int = MOST_BINS) -> Floats:
    """Return where a column is cut into at most so many bins.

    Examples
    --------
    >>> make_cuts(np.array([1.0, 2.0, 2.0, 4.0])).tolist()
    [1.5, 3.0]
    """
    different = np.unique(values)
    if len(different) <= most:
        return np.asarray((different[:-1] + different[1:]) / 2)
    shares = np.linspace(0, 1, most + 1)[1:-1]
    return np.unique(np.quantile(values, shares, method="averaged_inverted_cdf"))


def exclusive_sets(flags: Bools, most: int = MOST_TOGETHER) -> list[Ints]:
    """Part columns of flags into sets of which each row has one at most, (n, columns).

    Examples
    --------
    >>> flags = np.array([[1, 0, 0, 1], [0, 1, 0, 0], [0, 0, 1, 0]], dtype=bool)
    >>> [some.tolist() for some in exclusive_sets(flags)]
    [[0, 1, 2], [3]]
    """
    single = flags.astype(np.float32)
    together = single.T @ single > 0
    sets: list[list[int]] = []
    barred: list[Bools] = []  # columns that some column of the set is on together with
    for j in range(flags.shape[1]):
        free = (k for k, bar in enumerate(barred) if not bar[j] and len(sets[k]) < most)
        k = next(free, len(sets))
        if k == len(sets):
            sets.append([])
            barred.append(np.zeros(flags.shape[1], dtype=np.bool_))
        sets[k].append(j)
        barred[k] |= together[j]
    return [np.array(some) for some in sets]


class BoostedTrees:
    """Boosted trees for class probabilities; classes are those of the labels it learns from.

    Parameters
    ----------
    rounds : int
        Trees, for each class where there are more than two.
    step : float
        Share of Newton's step that each tree takes.
    leaves : int
        Leaves of a tree, at most.
    rows_of_leaf : int
        Rows of a leaf, at least.
    penalty : float
        Penalty of large steps, λ.
    """

    def __init__(
        self,
        *,
        rounds: int = 100,
        step: float = 0.1,
        leaves: int = 31,
        rows_of_leaf: int = 20,
        penalty: float = 0.0,
    ) -> None:
        self.rounds = rounds
        self.step = step
        self.leaves = leaves
        self.rows_of_leaf = rows_of_leaf
        self.penalty = penalty

    def fit(self, X: Any, y: Any) -> BoostedTrees:
        """Boost trees on all rows."""
        points = np.asarray(X, dtype=np.float64)
        self.classes_, labels = np.unique(y, return_inverse=True)
        self._binning = make_binning(points)
        log_shares = np.log(np.bincount(labels) / len(labels))
        two = len(self.classes_) == 2
        self._start = np.diff(log_shares) if two else log_shares - log_shares.mean()
        self._boost(self._binning.apply(points), labels.astype(np.int64))
        return self

    def _boost(self, bins: SmallInts, labels: Ints) -> None:
        from bayesfloor.representation import tree_kernels

        d, n, trees, counts = *bins.shape, len(self._start), self._binning.counts
        shape = (self.rounds, trees, 2 * self.leaves)
        self._nodes = np.full((*shape, 4), tree_kernels.NO_SPLIT, dtype=np.int16)
        self._values = np.zeros(shape)
        tree_kernels.boost(
            bins,
            counts,
            self._binning.alone,
            labels,
            np.repeat(self._start[:, None], n, axis=1),
            np.empty((trees, 2, n)),
            np.empty((2, n), dtype=np.int64),
            np.empty((2, n)),
            np.empty((self.leaves, d, counts.max(initial=1), 3)),
            np.empty((self.leaves, 6), dtype=np.int64),
            np.empty((self.leaves, 3)),
            self.rows_of_leaf,
            float(self.penalty),
            self.step,
            self._nodes,
            self._values,
        )

    def predict_proba(self, X: Any) -> Floats:
        """Return class probabilities, (n, m)."""
        from bayesfloor.representation import tree_kernels

        bins = np.ascontiguousarray(self._binning.apply(np.asarray(X, dtype=np.float64)).T)
        scores = np.tile(self._start, (len(bins), 1))
        tree_kernels.sum_trees(bins, self._binning.alone, self._nodes, self._values, scores)
        if scores.shape[1] == 1:
            scores = np.column_stack([np.zeros(len(scores)), scores])
        odds = np.exp(scores - scores.max(axis=1, keepdims=True))
        return np.asarray(odds / odds.sum(axis=1, keepdims=True))
