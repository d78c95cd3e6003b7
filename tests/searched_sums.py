"""Sums over neighbours by any engine, compared with brute force."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import pytest

from bayesfloor.base.arrays import Floats, Ints
from bayesfloor.base.executor import Threads
from bayesfloor.neighbours import Effort, Field, LeverageField, RankSums, SearchTask, rank_sums
from oracles import shared_ranks


def sums_of(
    points: Floats,
    vectors: Floats,
    *,
    ranks: int,
    engine: str,
    near: int = 1,
    workers: int = 1,
    at: Ints | None = None,
    groups: Ints | None = None,
) -> tuple[RankSums, Ints]:
    """Collapse rows to cells by hand, search, and return the sums with each row's cell."""
    keys = points if groups is None else np.column_stack([points, groups])
    cells, of_row = np.unique(keys, axis=0, return_inverse=True)
    cells, of_cell = cells[:, : points.shape[1]], None if groups is None else cells[:, -1]
    of_row = of_row.ravel()
    sizes = np.bincount(of_row)
    totals = np.zeros((len(cells), vectors.shape[1]))
    squares = np.zeros_like(totals)
    np.add.at(totals, of_row, vectors)
    np.add.at(squares, of_row, vectors**2)
    own = (totals**2 - squares) / np.maximum(sizes - 1, 1)[:, None]
    field = Field(totals, own.sum(axis=1))
    leverage = None if at is None else LeverageField(lambda cell: totals[cell], at)
    lengths = squares.sum(axis=1)
    of_cell = None if of_cell is None else of_cell.astype(np.int64)
    places = np.ascontiguousarray(cells)
    task = SearchTask(places, sizes, (field,), leverage, ranks, near, lengths, of_cell)
    return rank_sums(task, Effort(engine=engine, executor=Threads(workers))), of_row


class _Key:
    """An array that can be looked up by its values."""

    def __init__(self, array: Floats | Ints | None) -> None:
        self.array: Any = array
        self.values = None if array is None else (array.shape, array.dtype.str, array.tobytes())

    def __hash__(self) -> int:
        return hash(self.values)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Key) and self.values == other.values


@lru_cache(maxsize=100)
def _brute_force(points: _Key, vectors: _Key, ranks: int, groups: _Key) -> tuple[Floats, Floats]:
    """Return what every engine should find, computed for the first of them."""
    values = vectors.array @ vectors.array.T
    return shared_ranks(points.array, values, ranks, groups.array)


def assert_matches_brute_force(
    points: Floats,
    vectors: Floats,
    ranks: int,
    engine: str,
    tolerance: float = 1e-12,
    groups: Ints | None = None,
) -> None:
    found, _ = sums_of(points, vectors, ranks=ranks, engine=engine, groups=groups)
    products, squared = _brute_force(_Key(points), _Key(vectors), ranks, _Key(groups))
    np.testing.assert_allclose(found.products[0], products.mean(axis=0), atol=tolerance)
    assert found.square == pytest.approx((vectors**2).sum(axis=1).mean())
    np.testing.assert_allclose(found.at_zero, (squared == 0).mean(axis=0), atol=1e-12)
    with np.errstate(divide="ignore"):
        logs = np.where(squared > 0, np.log(squared), 0.0).sum(axis=0)
    away = np.maximum((squared > 0).sum(axis=0), 1)
    np.testing.assert_allclose(found.log_squared, logs / away, atol=1e-7)
