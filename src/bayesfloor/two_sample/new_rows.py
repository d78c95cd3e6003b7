"""Which rows are of a new kind: farther from all old rows than old rows are from each other.

Two distances are looked at: that to the nearest old row, and that to the nearest old value in the
column where it is the largest, which shows a single odd value among many columns.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.spatial import cKDTree

from bayesfloor.base.arrays import Bools, Floats, Ints
from bayesfloor.base.executor import ALL_CORES, Executor
from bayesfloor.two_sample.graph import TREE_COLUMNS

FALSE_SHARE = 0.2
"""Share of the rows called new that may be false, on average. A judgement: with a lower one, a few
new rows among hundreds could not be told however far they are."""
MOST_OLD_ROWS = 50_000
"""Old rows that new ones are compared with, drawn at random where there are more. A judgement."""
USUAL_REACH = 0.95
"""Share of the old rows that stay below the unit of each distance, so that both weigh alike."""
EQUAL_SCORES = 1e-9
"""Scores that differ by less, relative to the largest old one, are equal: rounding."""
COMPARED_AT_ONCE = 4_000_000
"""Distances that are held at a time: 32 MB."""


@dataclass(frozen=True, slots=True, eq=False)
class NewRows:
    """New rows that lie where old rows do not, the farthest first.

    Attributes
    ----------
    rows : (k,) array
        Their positions among the new rows, from 0.
    distance : (k,) array
        How far the nearest old row is, over the median of that between old rows.
    nearest : (k,) array
        The position of that row among the old rows.
    cutoff : float
        p-value up to which a row is called new; 0 if none is.
    """

    rows: Ints
    distance: Floats
    nearest: Ints
    cutoff: float


def find_new_rows(
    old: Floats, new: Floats, *, seed: int = 0, executor: Executor = ALL_CORES
) -> NewRows:
    """Compare each new row's distance to its nearest old row with those between old rows.

    The share of old rows that are farther from all others is a p-value (conformal). Rows are called
    new by the rule of Benjamini & Hochberg, so that on average at most a fifth of them are not.

    Parameters
    ----------
    old, new : (n, d) and (m, d) arrays
        Points.
    seed : int
        Decides which old rows are compared with where there are very many.
    executor : Executor
        Where distances are computed.

    References
    ----------
    Bates, Candès, Lei, Romano & Sesia (2023), Ann. Statist. 51, 149-178.
    """
    kept = np.arange(len(old))
    if len(old) > MOST_OLD_ROWS:
        rng = np.random.default_rng(seed)
        kept = np.sort(rng.choice(len(old), MOST_OLD_ROWS, replace=False))
    reference = old[kept]
    among_old, _ = nearest_rows(reference, reference, executor, skip_self=True)
    to_old, nearest = nearest_rows(new, reference, executor)
    odd_old, odd_new = column_gaps(reference, new)
    old_score = np.maximum(
        _over_usual_reach(among_old, among_old), _over_usual_reach(odd_old, odd_old)
    )
    new_score = np.maximum(
        _over_usual_reach(to_old, among_old), _over_usual_reach(odd_new, odd_old)
    )
    p_values = conformal_p_values(old_score, new_score)
    called, cutoff = discoveries(p_values, FALSE_SHARE)
    rows = np.flatnonzero(called & (to_old > 0))
    rows = rows[np.argsort(-new_score[rows], kind="stable")]
    usual = float(np.median(among_old)) or float(among_old.mean()) or 1.0
    return NewRows(rows, to_old[rows] / usual, kept[nearest[rows]], cutoff)


def _over_usual_reach(distances: Floats, old: Floats) -> Floats:
    """Divide distances by one that most old rows stay below."""
    unit = float(np.quantile(old, USUAL_REACH)) or float(old.max()) or 1.0
    return distances / unit


def conformal_p_values(old: Floats, new: Floats) -> Floats:
    """Return for each new score the share of old ones, itself among them, that are as large.

    Examples
    --------
    >>> conformal_p_values(np.array([1.0, 2.0, 3.0]), np.array([2.5, 9.0])).tolist()
    [0.5, 0.25]
    """
    ordered = np.sort(old)
    slack = EQUAL_SCORES * max(float(ordered[-1]), 1.0)
    larger = len(ordered) - np.searchsorted(ordered, new - slack)
    return np.asarray((larger + 1) / (len(ordered) + 1))


def column_gaps(old: Floats, new: Floats) -> tuple[Floats, Floats]:
    """Return how far the oddest value of each row is from the nearest old value of its column.

    Old rows are compared with all others. Gaps are in units of the mean absolute deviation of the
    old values of a column; a column in which they are all equal has that of the largest column.
    """
    spreads = np.abs(old - np.median(old, axis=0)).mean(axis=0)
    spreads = np.where(spreads > 0, spreads, float(spreads.max()) or 1.0)
    of_old, of_new = np.zeros(len(old)), np.zeros(len(new))
    for column, fresh, spread in zip(old.T, new.T, spreads, strict=True):
        order = np.argsort(column)
        ordered = np.concatenate([[-np.inf], column[order], [np.inf]])
        beside = np.minimum(ordered[1:-1] - ordered[:-2], ordered[2:] - ordered[1:-1])
        of_old[order] = np.maximum(of_old[order], beside / spread)
        place = np.searchsorted(ordered, fresh)
        gap = np.minimum(ordered[place] - fresh, fresh - ordered[place - 1])
        of_new = np.maximum(of_new, gap / spread)
    return of_old, of_new


def discoveries(p_values: Floats, false_share: float) -> tuple[Bools, float]:
    """Return which p-values are small enough that few of those called are false, and the largest.

    Examples
    --------
    >>> called, cutoff = discoveries(np.array([0.01, 0.9, 0.04, 0.5]), 0.1)
    >>> called.tolist(), cutoff
    ([True, False, True, False], 0.04)
    """
    ordered = np.sort(p_values)
    small = ordered <= false_share * np.arange(1, len(ordered) + 1) / len(ordered)
    if not small.any():
        return np.zeros(len(p_values), dtype=np.bool_), 0.0
    cutoff = float(ordered[np.flatnonzero(small)[-1]])
    return p_values <= cutoff, cutoff


def nearest_rows(
    rows: Floats, others: Floats, executor: Executor, *, skip_self: bool = False
) -> tuple[Floats, Ints]:
    """Return the distance of each row to the nearest of others, and which one that is.

    Parameters
    ----------
    rows, others : (n, d) and (m, d) arrays
        Points.
    executor : Executor
        Where the search runs.
    skip_self : bool
        Whether both are the same, so that a row is not its own neighbour.
    """
    if rows.shape[1] <= TREE_COLUMNS:
        return _nearest_by_tree(rows, others, skip_self=skip_self)
    step = max(COMPARED_AT_ONCE // len(others), 1)
    norms = np.einsum("ij,ij->i", others, others)

    def search(start: int) -> tuple[Floats, Ints]:
        some = rows[start : start + step]
        rough = norms - 2 * (some @ others.T)
        if skip_self:
            rough[np.arange(len(some)), np.arange(start, start + len(some))] = np.inf
        found = rough.argmin(axis=1)
        return np.linalg.norm(some - others[found], axis=1), found

    starts = range(0, len(rows), step)
    distances, found = zip(*executor.map(search, starts, multiplies=True), strict=True)
    return np.concatenate(distances), np.concatenate(found)


def _nearest_by_tree(rows: Floats, others: Floats, *, skip_self: bool) -> tuple[Floats, Ints]:
    tree = cKDTree(others)
    if not skip_self:
        distance, found = tree.query(rows)
        return np.asarray(distance), np.asarray(found)
    distances, nearest = (np.asarray(one) for one in tree.query(rows, k=2))
    place = (nearest[:, 0] == np.arange(len(rows))).astype(np.int64)  # the first may be a copy
    each = np.arange(len(rows))
    return distances[each, place], nearest[each, place]
