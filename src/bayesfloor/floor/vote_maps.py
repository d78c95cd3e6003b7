"""Maps learned from the columns of items and their votes: a row a vote, folds by item."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bayesfloor.base.arrays import Floats, Ints
from bayesfloor.base.errors import DataError
from bayesfloor.base.formatting import counted
from bayesfloor.representation.learned import can_learn, learn
from bayesfloor.sample.distinct_points import make_cells
from bayesfloor.sample.foreign_tables import read_columns
from bayesfloor.sample.gate import make_sample, with_groups
from bayesfloor.tables import ReadOptions, encode_frame, is_readable, read_frame
from bayesfloor.votes.counts import VoteCounts

LEARNED_VOTES = 50_000
"""Votes that maps are learned from, about: where there are more, some on each item. A judgement,
for items with many votes hardly need a map."""


@dataclass(frozen=True, slots=True, eq=False)
class ItemPriors:
    """Class probabilities of items, by maps that have not seen them; None if there are none."""

    prior: Floats | None  # (n, m)
    fold: Ints | None  # (n,)
    notes: tuple[str, ...]


def with_columns(votes: VoteCounts, X: Any) -> VoteCounts:
    """Return votes whose items have columns: an array or a data frame, a row an item."""
    import polars as pl

    if X is None:
        return votes
    if is_readable(X):
        frame = read_frame(X, ReadOptions()).frame
    else:
        table = read_columns("X", X)
        if len(table.shape) != 2 or not table.shape[1]:
            raise DataError("X is no table; pass an array with a row an item, or a data frame")
        values = [
            one.values.tolist() if one.values.dtype.kind == "O" else one.values
            for one in table.columns
        ]
        named = {f"column {j}": one for j, one in enumerate(values, 1)}
        frame = pl.DataFrame(named, strict=False)
    if frame.height != len(votes.counts):
        came = f"X has {counted(frame.height, 'row')}, counts {counted(len(votes.counts), 'row')}"
        raise DataError(f"{came}; pass a row an item in both")
    return replace(votes, columns=frame)


def learn_from_columns(
    votes: VoteCounts, *, seed: int, learned_votes: int = LEARNED_VOTES
) -> ItemPriors:
    """Learn from the columns and votes of some items how likely each class is on the others.

    Parameters
    ----------
    votes : VoteCounts
        Counts with columns, one vote or more on every item.
    seed : int
        Decides which items are learned from.
    learned_votes : int
        Votes that are learned from, about.
    """
    assert votes.columns is not None
    X, notes = encode_frame(votes.columns)
    most = max(learned_votes // len(votes.counts), 1)
    item, label = _one_by_one(_fewer_votes(votes.counts, most))
    enough = np.bincount(label, minlength=votes.counts.shape[1]) > 1
    item, label = item[enough[label]], label[enough[label]]
    if enough.sum() < 2:
        return _nothing_learned(votes, notes)
    points = X.to_numpy().astype(np.float64)
    sample = with_groups(make_sample(points[item], label), item_codes := _dense(item))
    if not can_learn(make_cells(sample), sample.groups) or item_codes.max() < 1:
        return _nothing_learned(votes, notes)
    once = iter([True])  # time for the weights of maps, none for their learning curve
    learned = learn(sample, seed=seed, has_time=lambda: next(once, False))
    prior = np.full(votes.counts.shape, 1 / votes.counts.shape[1])
    fold = np.zeros(len(votes.counts), np.int64)
    prior[item] = 0.0
    prior[np.ix_(np.unique(item), np.flatnonzero(enough))] = learned.posterior[_first(item)]
    fold[item] = learned.partition.fold
    return ItemPriors(prior, fold, notes)


def _nothing_learned(votes: VoteCounts, notes: tuple[str, ...]) -> ItemPriors:
    few = f"{counted(len(votes.counts), 'item')} are too few, or too much alike, to learn from"
    return ItemPriors(None, None, (*notes, f"{few} their columns: the floor is of votes alone."))


def _fewer_votes(counts: Ints, most: int) -> Ints:
    """Return at most so many votes on each item, evenly spaced among its votes by class.

    Examples
    --------
    >>> _fewer_votes(np.array([[6, 2], [1, 0]]), 4).tolist()
    [[3, 1], [1, 0]]
    """
    order = np.argsort(-counts, axis=1, kind="stable")
    ends = np.cumsum(np.take_along_axis(counts, order, axis=1), axis=1)
    total = ends[:, -1:]
    kept = np.minimum(total, most)
    upto = (2 * ends * kept + total) // (2 * total)
    fewer = np.empty_like(counts)
    np.put_along_axis(fewer, order, np.diff(upto, axis=1, prepend=0), axis=1)
    return fewer


def _one_by_one(counts: Ints) -> tuple[Ints, Ints]:
    """Return the item and the class of each vote, items in their order."""
    item, label = np.nonzero(counts)
    times = counts[item, label]
    return np.repeat(item, times), np.repeat(label, times)


def _first(item: Ints) -> Ints:
    """Return the first row of each item, in their order."""
    return np.asarray(np.flatnonzero(np.diff(item, prepend=-1)))


def _dense(item: Ints) -> Ints:
    """Return codes from 0 in which no item is left out."""
    return np.asarray(np.unique(item, return_inverse=True)[1])
