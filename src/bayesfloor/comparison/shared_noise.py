"""The noise of errors that are right or wrong together, because the same labels decide for them.

What a rule says of a row rests on the labels around it. Where these are about as many of one class
as of another, a label more or less makes a whole region of rows wrong, so that the mean error of
rows has more noise than that of independent ones.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bayesfloor.base.arrays import Floats, Ints
from bayesfloor.base.clustered_noise import mean_error
from bayesfloor.floor.limits import held_out_errors
from bayesfloor.representation.conclusion import counts_of_others, posterior_of_copies
from bayesfloor.sample.distinct_points import Cells
from bayesfloor.sample.sample import Sample

DRAWN_SHARE = 0.8
"""Share of the copies of a row that each draw decides by. A judgement: what five folds leave."""
MOST_DRAWS, FEWEST_DRAWS, DRAWN_ROWS = 20, 2, 1_000_000
"""Draws, and rows that are drawn for in all: seconds. Judgements."""


@dataclass(frozen=True, slots=True, eq=False)
class SharedNoise:
    """Which rows are right or wrong together."""

    cells: Ints  # (n,), rows of a cell decide for each other
    added: Floats  # (n,), variance that the labels around add to a row's error, over its own
    groups: Ints | None  # (n,), what each row belongs to


def shared_error(values: Floats, first: SharedNoise, second: SharedNoise) -> float:
    """Return the standard error of the mean of differences between the errors of two rules.

    Rows that share a cell of either rule are not independent [1]_.

    References
    ----------
    .. [1] Cameron, Gelbach & Miller (2011), J. Bus. Econ. Statist. 29, 238-249.

    Examples
    --------
    >>> values, alone = np.array([0.0, 0.0, 1.0, 1.0]), np.zeros(4)
    >>> rows = SharedNoise(np.arange(4), alone, None)
    >>> pairs = SharedNoise(np.array([0, 0, 1, 1]), alone, None)
    >>> [round(shared_error(values, one, rows), 4) for one in (rows, pairs)]
    [0.25, 0.3536]
    """
    apart = values - values.mean()
    own = float(apart @ apart)
    if own == 0:
        return 0.0
    both = np.unique(np.column_stack([first.cells, second.cells]), axis=0, return_inverse=True)[1]
    together = _squared_sums(apart, first.cells) + _squared_sums(apart, second.cells)
    together -= _squared_sums(apart, both.ravel())
    of_groups = (len(apart) * mean_error(values, first.groups)) ** 2
    added = float(apart**2 @ np.maximum(first.added, second.added)) / own
    return float(np.sqrt(max(own, together, of_groups) * (1 + added))) / len(apart)


def errors_of_copies(sample: Sample, posterior: Floats, cells: Cells, seed: int = 0) -> Floats:
    """Return how often each row is wrong if only some of its copies decide, drawn at random, (n,).

    If all others decided, the rows of a cell with as many labels of one class as of the other would
    all be wrong, and one label more would make half of them right.

    Parameters
    ----------
    sample : Sample
        Rows that mostly have copies.
    posterior : (n, m) array
        The class probabilities of the neighbours.
    cells : Cells
        The distinct points of the sample.
    seed : int
        Of the draws.
    """
    rng, others = np.random.default_rng(seed), counts_of_others(sample, cells)
    order = np.lexsort((sample.labels, cells.of_row))  # whatever the order of the rows
    drawn, wrong = np.empty_like(others), np.zeros(sample.n)
    draws = min(MOST_DRAWS, max(DRAWN_ROWS // sample.n, FEWEST_DRAWS))
    for _ in range(draws):
        drawn[order] = rng.binomial(others[order], DRAWN_SHARE)
        decided = posterior_of_copies(sample, posterior, cells, drawn)
        wrong += held_out_errors(decided, sample.labels) / draws
    alike = np.unique(cells.of_row * sample.m + sample.labels, return_inverse=True)[1]
    return np.asarray((np.bincount(alike, wrong) / np.bincount(alike))[alike])


def _squared_sums(values: Floats, cells: Ints) -> float:
    sums = np.bincount(cells, values)
    return float(sums @ sums)
