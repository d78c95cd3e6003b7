"""Points that are not finite reach no kernel, and kernels end on any input all the same."""

from __future__ import annotations

import numpy as np
import pytest

from bayesfloor.base.arrays import Floats, Ints
from bayesfloor.base.errors import DataError
from bayesfloor.neighbours import Effort, Field, SearchTask, make_finder, rank_sums
from bayesfloor.neighbours.engine_choice import ENGINES
from bayesfloor.neighbours.kernels.kd_tree import build_tree
from bayesfloor.neighbours.kernels.selection import ABOVE_ALL_KEYS, select
from bayesfloor.neighbours.spanning_tree import spanning_edges

NOT_FINITE = [np.nan, np.inf, -np.inf]


def task(points: Floats) -> SearchTask:
    n = len(points)
    sizes: Ints = np.ones(n, dtype=np.int64)
    field = Field(np.ones((n, 2)), np.zeros(n))
    return SearchTask(points, sizes, (field,), None, 5, 5, np.full(n, 2.0))


@pytest.mark.parametrize("value", NOT_FINITE)
@pytest.mark.parametrize("engine", ["auto", *ENGINES])
def test_no_engine_gets_points_that_are_not_finite(engine: str, value: float) -> None:
    points = np.random.default_rng(0).normal(size=(60, 2))
    points[7, 1] = value
    with pytest.raises(DataError, match="points to compare are not finite; pass smaller values"):
        rank_sums(task(points), Effort(engine=engine))
    with pytest.raises(DataError, match="not finite"):
        make_finder(points)
    with pytest.raises(DataError, match="not finite"):
        spanning_edges(points)


@pytest.mark.parametrize("value", [*NOT_FINITE, 1e308])
def test_a_tree_of_any_numbers_ends_and_keeps_every_point(value: float) -> None:
    points = np.random.default_rng(0).normal(size=(500, 2))
    points[::3, 0] = value
    points[::7] = -value
    assert sorted(build_tree(points, 8).order) == list(range(500))
    assert sorted(build_tree(np.full((500, 2), value), 8).order) == list(range(500))


@pytest.mark.parametrize("value", [*NOT_FINITE, 0.0, 1e308])
def test_selecting_more_numbers_than_there_are_ends(value: float) -> None:
    near = np.empty((3, 21), dtype=np.int64)
    select(np.full((3, 10), value), np.arange(3), 15, 15, near)
    assert (near == ABOVE_ALL_KEYS).all()
