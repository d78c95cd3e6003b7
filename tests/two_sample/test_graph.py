from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.spatial.distance import cdist

from bayesfloor.base.arrays import Floats
from bayesfloor.base.executor import Threads
from bayesfloor.sample.distinct_points import Cells, make_cells
from bayesfloor.sample.gate import make_pair
from bayesfloor.two_sample import two_sample_test
from bayesfloor.two_sample.graph import (
    BROAD_DECAY,
    FEWEST_SEARCHED,
    NEAR_DECAY,
    PAIR_BYTES,
    make_graph,
    rank_count,
    rank_shares,
    searched_cells,
)


def cells_of(points: Floats) -> Cells:
    half = len(points) // 2
    return make_cells(make_pair(points[:half], points[half:]))


def row_weights(points: Floats, decay: float, ranks: int) -> Floats:
    """Weights between rows by brute force: each tie group gets the mean weight of its ranks."""
    n = len(points)
    weight = np.where(np.arange(1, n) <= ranks, np.arange(1.0, n) ** -decay, 0.0)
    distance = np.round(cdist(points, points), 9)
    found = np.zeros((n, n))
    for i in range(n):
        others = np.delete(np.arange(n), i)
        others = others[np.argsort(distance[i, others], kind="stable")]
        for value in np.unique(distance[i, others]):
            group = distance[i, others] == value
            found[i, others[group]] = weight[group].mean()
    return found


few_values = arrays(
    np.float64,
    st.tuples(st.integers(5, 16), st.integers(1, 3)),
    elements=st.integers(-1, 2).map(float),
)


@settings(max_examples=30, deadline=None)
@given(few_values)
def test_weights_are_those_of_brute_force_with_ties_and_duplicates(points: Floats) -> None:
    cells = cells_of(points)
    graph = make_graph(cells, ranks=4)
    for found, decay in ((graph.near, NEAR_DECAY), (graph.broad, BROAD_DECAY)):
        by_row = found.toarray()[np.ix_(cells.of_row, cells.of_row)]
        np.fill_diagonal(by_row, 0.0)
        np.testing.assert_allclose(by_row, row_weights(points, decay, 4), atol=1e-12)


@pytest.mark.parametrize("d", [3, 9])
def test_every_row_gives_the_same_weight_in_all(d: int) -> None:
    points = np.random.default_rng(0).normal(size=(60, d)).round(1)
    cells = cells_of(points)
    graph = make_graph(cells, ranks=7, executor=Threads(2))
    given = graph.broad @ cells.sizes - graph.broad.diagonal()
    np.testing.assert_allclose(given, rank_shares(BROAD_DECAY, 7)[-1])
    assert graph.n == graph.searched == 60


def test_many_rows_have_few_ranks_and_few_rows_half_of_them() -> None:
    assert [rank_count(n) for n in (4, 100, 1000, 10_000, 10**7)] == [2, 50, 500, 64, 64]


def test_where_all_pairs_take_too_long_some_rows_search() -> None:
    cells = cells_of(np.random.default_rng(0).normal(size=(100, 2)))
    rng = np.random.default_rng(1)
    assert len(searched_cells(cells, 50, rng)) == 100
    some = searched_cells(cells, 200_000, rng)  # so many ranks that pairs would be too many
    assert len(some) == 40
    assert (np.diff(some) > 0).all()


def test_with_little_memory_fewer_rows_look_for_their_neighbours() -> None:
    points = np.random.default_rng(0).normal(size=(2000, 2))
    cells = make_cells(make_pair(points[:900], points[900:]))
    whole, part, least = (make_graph(cells, max_memory=most) for most in (None, 10_000_000, 1_000))
    assert whole.searched == 2000
    assert part.searched == 10_000_000 // PAIR_BYTES // part.ranks
    assert part.broad.nnz <= 10_000_000 / PAIR_BYTES
    assert least.searched == FEWEST_SEARCHED


def test_a_test_says_that_not_all_rows_looked_for_their_neighbours() -> None:
    points = np.random.default_rng(0).normal(size=(1000, 2))
    found = two_sample_test(points[:500], points[500:], max_memory="10MB", permutations=9)
    assert "Neighbours were looked for from 200 of 1,000 rows, drawn at random" in found.notes[-1]
