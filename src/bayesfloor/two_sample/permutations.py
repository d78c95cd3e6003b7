"""Labels permuted over rows: some at random, or all there are, and what they say of a statistic."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, islice
from math import comb

import numpy as np

from bayesfloor.base.arrays import Bools, Floats, Ints

PERMUTATIONS = 999
"""Permutations by default: p-values are multiples of 1/1000."""
PERMUTED_AT_ONCE = 100
"""Permutations whose labels are held at a time. A judgement: 8 MB for 10,000 rows."""
COPIES_COUNTED = 8
"""Rows of a cell, on average, from which on the new ones are drawn by cell: faster, by a
measurement, than to permute all rows."""
STATISTIC_TIE = 1e-9
"""Values of a statistic that differ by less, relative to 1 or to their size, are equal: they are
sums in another order. A judgement, far above rounding."""


@dataclass(frozen=True, slots=True)
class PermutationTest:
    """How the observed statistic compares with those of permuted labels.

    The observed labels are one of the permutations, so that p-values are never zero.
    """

    greater: int  # permutations with a larger statistic
    tied: int  # with an equal one, the observed one among them
    total: int  # all of them
    complete: bool  # whether they are all that exist

    @property
    def p_value(self) -> float:
        """Share of permutations whose statistic is at least the observed one, (b + 1)/(B + 1).

        If the samples are alike, it is at most α with a chance of at most α, for any α.
        """
        return (self.greater + self.tied) / self.total

    @property
    def p_value_mid(self) -> float:
        """The same with half of the tied ones: its mean is ½ if the samples are alike."""
        return (self.greater + self.tied / 2) / self.total

    def randomised(self, rng: np.random.Generator) -> float:
        """Return a p-value with ties broken at random: uniform if the samples are alike."""
        return float((self.greater + rng.uniform() * self.tied) / self.total)


def compare_with_permuted(observed: float, permuted: Floats, *, complete: bool) -> PermutationTest:
    """Count the permutations with a larger and with an equal statistic.

    Parameters
    ----------
    observed : float
        The statistic of the labels as they are.
    permuted : array
        Those of permuted labels; if `complete`, of all permutations, the observed one among them.
    complete : bool
        Whether they are all that exist.

    Examples
    --------
    >>> compare_with_permuted(2.0, np.array([1.0, 2.0, 3.0]), complete=False).p_value
    0.75
    """
    slack = STATISTIC_TIE * max(1.0, abs(observed))
    greater = int((permuted > observed + slack).sum())
    tied = int((np.abs(permuted - observed) <= slack).sum())
    one = 0 if complete else 1
    return PermutationTest(greater, tied + one, len(permuted) + one, complete)


def is_complete(n: int, new: int, count: int) -> bool:
    """Tell whether there are no more ways to label the rows than permutations asked for."""
    return n <= 2 * count + 2 and comb(n, new) <= count + 1


def labellings(n: int, new: int, count: int, seed: int) -> Iterator[Bools]:
    """Yield labels in blocks of columns, (n, b): all of them, or `count` drawn at random.

    Parameters
    ----------
    n, new : int
        Number of rows, and of those in the second sample.
    count : int
        Permutations; if there are no more than one more, all of them are yielded.
    seed : int
        Of the draws; a block depends on nothing else.
    """
    if is_complete(n, new, count):
        chosen = combinations(range(n), new)
        while block := list(islice(chosen, PERMUTED_AT_ONCE)):
            yield _marked(np.array(block), n)
        return
    for place, rng in enumerate(_generators(count, seed)):
        width = min(PERMUTED_AT_ONCE, count - place * PERMUTED_AT_ONCE)
        base = np.broadcast_to((np.arange(n) < new)[:, None], (n, width))
        yield rng.permuted(base, axis=0)


def cell_counts(sizes: Ints, new: int, count: int, seed: int) -> Iterator[Bools | Ints]:
    """Yield how many rows of each cell are new, (u, b), for labels permuted over all rows.

    Parameters
    ----------
    sizes : (u,) array
        Rows of each cell.
    new, count, seed : int
        As in `labellings`.
    """
    n, u = int(sizes.sum()), len(sizes)
    if is_complete(n, new, count) or u * COPIES_COUNTED > n:
        starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
        for labels in labellings(n, new, count, seed):
            yield labels if u == n else np.add.reduceat(labels, starts, axis=0, dtype=np.int32)
        return
    for place, rng in enumerate(_generators(count, seed)):
        width = min(PERMUTED_AT_ONCE, count - place * PERMUTED_AT_ONCE)
        yield rng.multivariate_hypergeometric(sizes, new, size=width, method="marginals").T


def _generators(count: int, seed: int) -> list[np.random.Generator]:
    return np.random.default_rng(seed).spawn(-(-count // PERMUTED_AT_ONCE))


def _marked(chosen: Ints, n: int) -> Bools:
    labels = np.zeros((n, len(chosen)), dtype=np.bool_)
    labels[chosen.T, np.arange(len(chosen))] = True
    return labels
