"""From neighbours to sums over the ranks, batch by batch."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial

import numpy as np

from bayesfloor.arrays import Floats, Ints
from bayesfloor.search.engines import ENGINES, Engine
from bayesfloor.search.ties import Batch, Groups, alone, covered, new_groups, tie_groups

MOST_ENTRIES = 2_000_000
"""Neighbours held at a time by a thread."""


@dataclass(frozen=True, slots=True)
class Field:
    """A vector on every row, given by cells; its inner product is averaged rank by rank.

    ``own`` holds, for each cell and column, the product of a row with another row of the
    same cell, averaged over the other rows and summed over the rows (zero where a cell has
    one row). ``at`` limits the work to some ranks (counted from 0); the rest is interpolated.
    """

    sums: Floats  # (u, v) sums over the rows of each cell
    own: Floats  # (u, v)
    at: Ints | None = None


@dataclass(frozen=True, slots=True)
class RankSums:
    """What one pass over all rows leaves behind; means are over the n rows."""

    products: Floats  # (fields, K) mean inner product of a row with its k-th neighbour
    log_squared: Floats  # (K,) mean log squared distance over the rows where it is not zero
    at_zero: Floats  # (K,) share of rows whose k-th neighbour is at distance zero
    local: Floats  # (u, v) first field, summed over the first `near` ranks outside the own cell


@dataclass(frozen=True, slots=True)
class _Part:
    """Sums over the rows of one batch."""

    rows: Ints
    products: list[Floats]
    log_squared: Floats
    away: Floats  # (K,) rows whose k-th neighbour is at a positive distance
    local: Floats


def rank_sums(
    points: Floats,
    sizes: Ints,
    fields: tuple[Field, ...],
    *,
    ranks: int,
    near: int,
    engine: str,
    workers: int | None = None,
    advance: Callable[[int], None] | None = None,
) -> RankSums:
    """Average the inner products of the fields over neighbours of rank 1..ranks.

    Parameters
    ----------
    points : (u, d) array
        Distinct points (cells).
    sizes : (u,) array
        Rows in each cell.
    fields : tuple of Field
        What to multiply and average.
    ranks : int
        Number of ranks, at most n − 1.
    near : int
        Ranks over which the first field is summed for each cell, at most `ranks`.
    engine : str
        A key of ``ENGINES``.
    workers : int, optional
        Threads; all cores by default. The result does not depend on it.
    advance : callable, optional
        Called with the number of rows just done.

    Returns
    -------
    RankSums
    """
    search = ENGINES[engine](points)
    fields = tuple(Field(np.asfortranarray(f.sums), f.own, f.at) for f in fields)
    reduce = partial(_reduce, search, sizes=sizes, fields=fields, ranks=ranks, near=near)
    every, span = np.arange(len(points)), min(search.span, max(1, MOST_ENTRIES // ranks))
    spans = [every[a : a + span] for a in range(0, len(points), span)]
    products = [np.zeros(ranks) for _ in fields]
    log_squared, away = np.zeros(ranks), np.zeros(ranks)
    local = np.zeros((len(points), fields[0].sums.shape[1]))
    for part in (piece for pieces in _run(reduce, spans, workers) for piece in pieces):
        for total, add in zip(products, part.products, strict=True):
            total += add
        log_squared += part.log_squared
        away += part.away
        local[part.rows] = part.local
        if advance is not None:
            advance(int(sizes[part.rows].sum()))
    n = sizes.sum()
    means = np.array(
        [_filled(total / n, field.at) for total, field in zip(products, fields, strict=True)]
    )
    return RankSums(means, log_squared / np.maximum(away, 1), 1 - away / n, local)


def _run(
    work: Callable[[Ints], list[_Part]], spans: list[Ints], workers: int | None
) -> Iterator[list[_Part]]:
    """Yield the work's results in the order of the spans, whatever the number of threads."""
    threads = min(workers or os.cpu_count() or 1, len(spans))
    if threads == 1:
        yield from map(work, spans)
        return
    pool = ThreadPoolExecutor(threads)
    try:
        yield from pool.map(work, spans)
    finally:
        pool.shutdown(cancel_futures=True)


def _reduce(
    search: Engine, rows: Ints, *, sizes: Ints, fields: tuple[Field, ...], ranks: int, near: int
) -> list[_Part]:
    """Search for the neighbours of some rows and sum over them.

    Rows whose ranks are not covered (the last one is tied to points not yet found) are
    searched again, twice as wide, fewer at a time.
    """
    others = len(sizes) - 1
    expected = ranks + 1 if sizes.max() == 1 else int(1.2 * ranks * len(sizes) / sizes.sum()) + 2
    parts, pending = [], [(rows, min(others, expected))]
    while pending:
        open_rows, width = pending.pop()
        for some in np.array_split(open_rows, 1 + len(open_rows) * width // MOST_ENTRIES):
            batch = search.nearest(some, width) if width else alone(some)
            done = covered(batch, sizes, ranks) | (width == others)
            if done.any():
                parts.append(_sum(batch.only(done), sizes, fields, ranks, near))
            if not done.all():
                pending.append((some[~done], min(others, 2 * width)))
    return parts


def _sum(batch: Batch, sizes: Ints, fields: tuple[Field, ...], ranks: int, near: int) -> _Part:
    """Sum over one batch, the short way if no rank in it is shared."""
    plain = (
        batch.found.shape[1] >= ranks
        and sizes.max() == 1
        and bool((batch.squared[:, 0] > 0).all())
        and bool(new_groups(batch.squared[:, : ranks + 1]).all())
    )
    return (
        _sum_plain(batch, fields, ranks, near)
        if plain
        else _sum_shared(batch, sizes, fields, ranks, near)
    )


def _sum_plain(batch: Batch, fields: tuple[Field, ...], ranks: int, near: int) -> _Part:
    found, first = batch.found[:, :ranks], fields[0]
    local = np.empty((len(found), first.sums.shape[1]))
    products = []
    for field in fields:
        at = np.arange(ranks) if field.at is None else field.at
        total = np.zeros(ranks)
        chosen = found if field.at is None else found[:, at]
        for c in range(field.sums.shape[1]):
            column = field.sums[:, c]
            values = column[chosen]
            total[at] += column[batch.rows] @ values
            if field is first:
                local[:, c] = values[:, :near].sum(axis=1)
        products.append(total)
    log_squared = np.log(batch.squared[:, :ranks]).sum(axis=0)
    return _Part(batch.rows, products, log_squared, np.full(ranks, float(len(found))), local)


def _sum_shared(
    batch: Batch, sizes: Ints, fields: tuple[Field, ...], ranks: int, near: int
) -> _Part:
    groups = tie_groups(batch, sizes, ranks)
    owned = np.minimum(sizes[batch.rows] - 1, ranks)  # ranks inside the own cell
    near_length = np.clip(near - groups.start, 0, groups.length)
    local = np.zeros((len(batch.rows), fields[0].sums.shape[1]))
    products = []
    for field in fields:
        by_group = np.zeros(len(groups.row))
        for c in range(field.sums.shape[1]):
            mean = _group_sums(field.sums[:, c][batch.found], groups) / groups.size
            by_group += field.sums[batch.rows, c][groups.row] * mean
            if field is fields[0]:
                local[:, c] = np.bincount(groups.row, near_length * mean, minlength=len(local))
        own = field.own[batch.rows].sum(axis=1)
        products.append(_by_rank(by_group, own, groups, owned, ranks))
    squared = batch.squared.ravel()[groups.first]
    weight = np.where(squared > 0, sizes[batch.rows][groups.row], 0)
    logs = weight * np.log(np.where(squared > 0, squared, 1.0))
    nothing = np.zeros(len(batch.rows))
    log_squared = _by_rank(logs, nothing, groups, owned, ranks)
    away = _by_rank(weight.astype(np.float64), nothing, groups, owned, ranks)
    return _Part(batch.rows, products, log_squared, away, local)


def _group_sums(values: Floats, groups: Groups) -> Floats:
    return np.add.reduceat(values.ravel(), groups.first) if len(groups.first) else np.empty(0)


def _by_rank(by_group: Floats, own: Floats, groups: Groups, owned: Ints, ranks: int) -> Floats:
    """Spread values of groups, and of own cells, over the ranks they cover, and add up, (K,).

    A value that covers ranks a..b enters a running sum at a and leaves it after b.
    """
    values = np.concatenate([by_group, own])
    start = np.concatenate([groups.start, np.zeros_like(owned)])
    stop = start + np.concatenate([groups.length, owned])
    enters = np.bincount(start.clip(max=ranks), values, minlength=ranks + 1)
    leaves = np.bincount(stop.clip(max=ranks), values, minlength=ranks + 1)
    return np.cumsum(enters - leaves)[:ranks]


def _filled(curve: Floats, at: Ints | None) -> Floats:
    """Interpolate a curve that was measured at some ranks only."""
    return curve if at is None else np.interp(np.arange(len(curve)), at, curve[at])
