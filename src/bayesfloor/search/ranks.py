"""From neighbours to sums over the ranks, batch by batch."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from bayesfloor.arrays import Floats, Ints
from bayesfloor.search.choice import make_engine
from bayesfloor.search.job import Engine, Job, Part
from bayesfloor.threads import in_order


@dataclass(frozen=True, slots=True)
class RankSums:
    """What one pass over all rows leaves behind; means are over the n rows."""

    products: Floats  # (fields, K) mean inner product of a row with its k-th neighbour
    thin: Floats  # (K,) the same of the thin field, 0 if there is none
    log_squared: Floats  # (K,) mean log squared distance over the rows where it is not zero
    at_zero: Floats  # (K,) share of rows whose k-th neighbour is at distance zero
    local: Floats  # (u, v) first field, summed over the first `near` ranks outside the own cell


def rank_sums(
    job: Job,
    *,
    engine: str = "auto",
    workers: int | None = None,
    advance: Callable[[int], None] | None = None,
) -> RankSums:
    """Average the inner products of the fields over neighbours of rank 1..ranks.

    Parameters
    ----------
    job : Job
        The points and what to average.
    engine : str
        A key of ``ENGINES``; "auto" takes the one that should be fastest.
    workers : int, optional
        Threads; all cores by default. The result does not depend on it.
    advance : callable, optional
        Called with the number of rows just done.

    Returns
    -------
    RankSums
    """
    search = make_engine(job, engine)
    ranks, fields = job.ranks, len(job.fields)
    products = np.zeros((fields + (job.thin is not None), ranks))
    log_squared, away = np.zeros(ranks), np.zeros(ranks)
    local = np.zeros((len(job.points), job.fields[0].sums.shape[1]))
    for part in run(search, search.order, workers):
        products += part.products
        log_squared += part.log_squared
        away += part.away
        local[part.rows] = part.local
        if advance is not None:
            advance(int(job.sizes[part.rows].sum()))
    n = job.sizes.sum()
    return RankSums(
        products[:fields] / n,
        np.zeros(ranks) if job.thin is None else filled(products[-1] / n, job.thin.at),
        log_squared / np.maximum(away, 1),
        1 - away / n,
        local,
    )


def run(search: Engine, rows: Ints, workers: int | None) -> Iterator[Part]:
    """Yield the sums over some cells, batch by batch, in order."""
    spans = [rows[a : a + search.span] for a in range(0, len(rows), search.span)]
    for parts in in_order(search.sum, spans, workers=workers, multiplies=search.multiplies):
        yield from parts


def filled(curve: Floats, at: Ints) -> Floats:
    """Interpolate a curve that was measured at some ranks only."""
    return np.interp(np.arange(len(curve)), at, curve[at])
