"""Sums over the ranks from neighbours, batch by batch."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from bayesfloor.base.arrays import Floats, Ints
from bayesfloor.base.executor import ONE_THREAD
from bayesfloor.neighbours.effort import Effort
from bayesfloor.neighbours.engine_choice import make_engine
from bayesfloor.neighbours.task import BatchSums, Engine, SearchTask

GROUPS = 16
"""Random groups of cells, whose differences show the noise of searching only some of the cells.

A judgement: the jackknife over 16 groups knows a standard error to about 18 %, 1/√(2 · 15).
"""
SERIAL_CELLS = 1500
"""Cells up to which one thread searches all. A judgement: they take milliseconds."""
SHORTEST_ROUND = 1e-6
"""Seconds that a round takes at least, in case the clock is too coarse to tell."""
ROUND_GROWTH = 1.6
"""Factor by which the cells searched grow from round to round.

A judgement: the last round is at most 1.6 times what would have been enough.
"""

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class RankSums:
    """Means by rank over the rows searched, and sums for each cell."""

    products: Floats  # (fields, K) mean inner product of a row with its k-th neighbour
    leverage: Floats  # (K,) the same of the leverage field, 0 if there is none
    log_squared: Floats  # (K,) mean log squared distance over the rows where it is not zero
    at_zero: Floats  # (K,) share of rows whose k-th neighbour is at distance zero
    local: Floats  # (u, v) first field, summed over the first `near` ranks outside the own cell
    square: float  # mean squared length of the first field


@dataclass(frozen=True, slots=True)
class PartialSums:
    """The sums over the cells searched so far."""

    sums: RankSums
    without: tuple[RankSums, ...]  # the same without each of the groups; empty if all are searched
    searched: Ints  # the cells
    share: float  # of all cells


class Totals:
    """Running totals over the rows searched so far."""

    def __init__(self, task: SearchTask) -> None:
        self.products = np.zeros((len(task.fields) + (task.leverage is not None), task.ranks))
        self.log_squared, self.away = np.zeros(task.ranks), np.zeros(task.ranks)
        self.rows, self.square = 0, 0.0

    def add(self, other: BatchSums | Totals, rows: int, square: float) -> None:
        """Add the sums over some rows."""
        self.products += other.products
        self.log_squared += other.log_squared
        self.away += other.away
        self.rows += rows
        self.square += square

    def means(self, task: SearchTask, local: Floats) -> RankSums:
        """Divide by the number of rows."""
        fields, products = len(task.fields), self.products / self.rows
        leverage = (
            np.zeros(task.ranks)
            if task.leverage is None
            else interpolated(products[-1], task.leverage.at)
        )
        logs, share = self.log_squared / np.maximum(self.away, 1), self.away / self.rows
        square = self.square / self.rows
        return RankSums(products[:fields], leverage, logs, 1 - share, local, square)


def rank_sums(task: SearchTask, effort: Effort) -> RankSums:
    """Average the inner products of the fields over neighbours of rank 1..ranks.

    Parameters
    ----------
    task : SearchTask
        The points and what to average.
    effort : Effort
        The engine, and the executor, whose number of workers does not change the result.

    Returns
    -------
    RankSums
    """
    search = make_engine(task, effort.engine, effort.executor.local)
    totals, local = Totals(task), _empty_local(task)
    starts = range(0, len(search.order), search.span)
    in_order = SumsInOrder(search)
    for batches in _mapped(in_order, [slice(a, a + search.span) for a in starts], search, effort):
        for batch in batches:
            _add_batch(batch, totals, local, task, effort)
    return totals.means(task, local)


def growing_sums(task: SearchTask, effort: Effort) -> Iterator[PartialSums]:
    """Average over more and more cells, in random order, until none is left or time is up."""
    executor = effort.executor.local
    search = make_engine(task, effort.engine, executor, seconds=effort.seconds_left())
    groups, local = [Totals(task) for _ in range(GROUPS)], _empty_local(task)
    rng, u = np.random.default_rng(effort.seed), len(task.points)
    done, start, stop = 0, time.monotonic(), min(GROUPS * effort.first_round, u)
    order = rng.choice(u, stop, replace=False)
    while True:
        fresh = [_spans(search, order[done + g : stop : GROUPS]) for g in range(GROUPS)]
        owners = [totals for totals, spans in zip(groups, fresh, strict=True) for _ in spans]
        found = sum_batches(search, [span for spans in fresh for span in spans], effort)
        for totals, batches in zip(owners, found, strict=True):
            for batch in batches:
                _add_batch(batch, totals, local, task, effort)
        done = stop
        yield _partial_sums(groups, task, local, order[:done])
        if done == u:
            return
        seconds = max(time.monotonic() - start, SHORTEST_ROUND) / done
        affordable = effort.seconds_left() / seconds
        if affordable < GROUPS:
            return
        if done == len(order):
            order = np.concatenate([order, rng.permuted(_others(order, u))])
        stop = int(min(ROUND_GROWTH * done, done + affordable, u))


def _others(some: Ints, u: int) -> Ints:
    """Return the cells that are not among `some`."""
    others = np.ones(u, dtype=np.bool_)
    others[some] = False
    return np.flatnonzero(others)


def _partial_sums(
    groups: list[Totals], task: SearchTask, local: Floats, searched: Ints
) -> PartialSums:
    whole, share = _sum(groups, task), len(searched) / len(task.points)
    left_out = groups if share < 1 else []
    rests = [_sum([one for one in groups if one is not out], task) for out in left_out]
    without = tuple(rest.means(task, local) for rest in rests if rest.rows)
    return PartialSums(whole.means(task, local), without, searched, share)


def _sum(groups: list[Totals], task: SearchTask) -> Totals:
    whole = Totals(task)
    for totals in groups:
        whole.add(totals, totals.rows, totals.square)
    return whole


def _empty_local(task: SearchTask) -> Floats:
    return np.zeros((len(task.points), task.fields[0].sums.shape[1]))


def _add_batch(
    batch: BatchSums, totals: Totals, local: Floats, task: SearchTask, effort: Effort
) -> None:
    rows = int(task.sizes[batch.rows].sum())
    totals.add(batch, rows, float(task.squares[batch.rows].sum()))
    local[batch.rows] = batch.local
    if effort.advance is not None:
        effort.advance(rows)


@dataclass(frozen=True, slots=True)
class SumsInOrder:
    """Sums over cells that are next to each other in the order of an engine.

    So a worker need not be sent which cells these are.
    """

    engine: Engine

    def __call__(self, span: slice) -> list[BatchSums]:
        """Search the neighbours of a span of cells and sum over them."""
        return self.engine.sum(self.engine.order[span])


def sum_batches(search: Engine, spans: list[Ints], effort: Effort) -> Iterator[list[BatchSums]]:
    """Yield the sums over some batches of cells, in order."""
    return _mapped(search.sum, spans, search, effort)


def _mapped(
    work: Callable[[Item], list[BatchSums]], spans: list[Item], search: Engine, effort: Effort
) -> Iterator[list[BatchSums]]:
    executor = effort.executor if len(search.order) > SERIAL_CELLS else ONE_THREAD
    return executor.map(work, spans, multiplies=search.multiplies)


def _spans(search: Engine, rows: Ints) -> list[Ints]:
    return [rows[a : a + search.span] for a in range(0, len(rows), search.span)]


def interpolated(curve: Floats, at: Ints) -> Floats:
    """Interpolate a curve that is known at some ranks only."""
    return np.interp(np.arange(len(curve)), at, curve[at])
