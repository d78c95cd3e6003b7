from __future__ import annotations

import tracemalloc
from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from bayesfloor.base.arrays import Floats
from bayesfloor.base.executor import Threads
from bayesfloor.sample.distinct_points import make_cells
from bayesfloor.sample.gate import make_pair
from bayesfloor.two_sample.graph import make_graph
from bayesfloor.two_sample.graph_statistic import NeighbourTest, Scorer, run_neighbour_test
from bayesfloor.two_sample.permutations import cell_counts
from bayesfloor.two_sample.smooth_features import chi_squared_score, smooth_features
from bayesfloor.two_sample.tails import either_tail, largest_tail, two_sided_score


def neighbour_test(x: Floats, y: Floats, permutations: int = 99, seed: int = 0) -> NeighbourTest:
    cells = make_cells(make_pair(x, y))
    graph = make_graph(cells)
    return run_neighbour_test(graph, cells, permutations=permutations, seed=seed)


@pytest.mark.parametrize("kind", ["numbers", "ties", "copies"])
def test_p_values_are_uniform_if_the_samples_are_alike(kind: str) -> None:
    """Ties of the statistic are broken at random; 0.001 is the chance of a false alarm."""
    p_values = []
    for r in range(100):
        rng = np.random.default_rng([5, r])
        points = rng.normal(size=(26, 2))
        if kind == "ties":
            points = rng.integers(0, 3, (26, 2)).astype(float)
        if kind == "copies":
            points[13:] = points[:13]
        points = rng.permutation(points)
        found = neighbour_test(points[:10], points[10:], seed=r).permutation
        assert found is not None
        p_values.append(found.randomised(rng))
    assert stats.kstest(p_values, "uniform").pvalue > 0.001


@pytest.mark.parametrize("kind", ["numbers", "ties", "copies"])
def test_p_values_of_all_labellings_are_exactly_uniform(kind: str) -> None:
    """Each way to label eight rows is the truth once: p is at most p in a share p of them."""
    rng = np.random.default_rng(6)
    points = {
        "numbers": rng.normal(size=(8, 2)),
        "ties": rng.integers(0, 3, (8, 2)).astype(float),
        "copies": rng.normal(size=(3, 2))[[0, 0, 0, 1, 1, 1, 2, 2]],
    }[kind]
    p_values = []
    for chosen in combinations(range(8), 3):
        new = np.isin(np.arange(8), chosen)
        found = neighbour_test(points[~new], points[new])
        assert found.permutation is not None
        assert found.permutation.complete
        p_values.append(found.p_value)
    for p in set(p_values):
        assert np.mean(np.array(p_values) <= p + 1e-12) == pytest.approx(p)


@pytest.mark.parametrize(("n", "d", "digits"), [(2500, 2, 6), (3000, 6, 0)])
def test_the_normal_limit_is_uniform_over_permutations_of_many_rows(
    n: int, d: int, digits: int
) -> None:
    """Numbers, and numbers on a grid with many copies; 0.001 is the chance of a false alarm."""
    points = np.random.default_rng(2).normal(size=(n, d)).round(digits)
    cells = make_cells(make_pair(points[: n // 3], points[n // 3 :]))
    new = int(cells.counts[:, 1].sum())
    scorer = Scorer(make_graph(cells, ranks=16), smooth_features(cells), new)
    blocks = cell_counts(cells.sizes, new, 500, seed=4)
    statistics = np.concatenate([scorer.largest(block) for block in blocks])
    p_values = [largest_tail(float(one), scorer.correlations) for one in statistics]
    assert stats.kstest(p_values, "uniform").pvalue > 0.001


def test_few_different_rows_are_permuted_however_many_there_are() -> None:
    points = np.random.default_rng(0).integers(0, 3, (20_000, 1)).astype(float)
    cells = make_cells(make_pair(points[:9000], points[9000:]))
    found = run_neighbour_test(make_graph(cells), cells)
    assert found.permutation is not None
    assert found.permutation.total == 1000


@pytest.mark.parametrize(
    ("name", "move"),
    [
        ("trend", lambda y: y + 0.6),
        ("degree", lambda y: 2 * y),
    ],
)
def test_a_difference_is_found_and_shows_in_a_score(name: str, move: object) -> None:
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(80, 3)), rng.normal(size=(60, 3))
    found = neighbour_test(x, move(y))  # type: ignore[operator]
    assert found.p_value == 0.01
    assert found.scores[name] > 3


def test_fine_waves_show_in_the_nearest_rows() -> None:
    import bayesfloor as bf

    x, y = bf.populations.wave(d=1, amplitude=0.9, cycles=8).draw(
        150, 150, np.random.default_rng(1)
    )
    found = neighbour_test(x, y)
    assert found.p_value == 0.01
    assert max(found.scores, key=found.scores.__getitem__) == "near"


def test_neither_order_nor_workers_nor_which_sample_comes_first_matter() -> None:
    rng = np.random.default_rng(3)
    x, y = rng.integers(0, 4, (30, 2)).astype(float), rng.normal(1, 1, (24, 2)).round(0)
    found = neighbour_test(x, y)
    shuffled = neighbour_test(rng.permutation(x), rng.permutation(y))
    swapped = neighbour_test(y, x)
    cells = make_cells(make_pair(x, y))
    graph = make_graph(cells, executor=Threads(3))
    shared_out = run_neighbour_test(graph, cells, permutations=99, executor=Threads(3))
    assert shuffled.scores == pytest.approx(found.scores)
    assert swapped.scores == pytest.approx(found.scores)
    assert shuffled.permutation == found.permutation == shared_out.permutation


def test_equal_rows_show_no_difference() -> None:
    found = neighbour_test(np.zeros((5, 2)), np.zeros((7, 2)), permutations=999)
    assert found.p_value == 1
    assert found.permutation is not None
    assert found.permutation.complete


def test_scores_beyond_the_reach_of_numbers_stay_finite_and_in_order() -> None:
    scores = chi_squared_score(np.array([1.0, 100.0, 1000.0, 2000.0, 1e6]), 3)
    assert np.isfinite(scores).all()
    assert (np.diff(scores) > 0).all()
    assert np.isfinite(two_sided_score(np.array([0.0, 1e3]))).all()
    assert 0 < either_tail(30.0, 0.5) < 1e-190


def test_the_chance_that_one_of_the_scores_is_large() -> None:
    rng = np.random.default_rng(0)
    correlations = np.array(
        [[1, 0.7, 0, 0.2], [0.7, 1, 0, 0.3], [0, 0, 1, 0.2], [0.2, 0.3, 0.2, 1]]
    )
    z = np.linalg.cholesky(correlations) @ rng.normal(size=(4, 400_000))
    for score in (0.0, 1.5):
        share = (z.max(axis=0) > score).mean()  # Monte-Carlo error 0.0007
        assert largest_tail(score, correlations) == pytest.approx(share, abs=0.005)
    share = (z[:2].max(axis=0) > 1.5).mean()
    assert either_tail(1.5, 0.7) == pytest.approx(share, abs=0.003)
    assert largest_tail(1.5, correlations[:2, :2]) == pytest.approx(either_tail(1.5, 0.7))
    assert largest_tail(8.0, np.ones((4, 4))) == pytest.approx(stats.norm.sf(8.0), rel=1e-3)


@pytest.mark.parametrize(("values", "waves"), [(2, 0), (4, 5), (1000, 12)])
def test_features_are_orthonormal_over_the_rows(values: int, waves: int) -> None:
    """Of two values nothing is left beside the trend; of many, four waves of each column."""
    points = np.random.default_rng(0).integers(0, values, (190, 3)).astype(float)
    cells = make_cells(make_pair(points[:80], points[80:]))
    features = smooth_features(cells)
    found = np.hstack([features.trend, features.waves])[cells.of_row]
    assert (features.trend.shape[1], features.waves.shape[1]) == (5 if values == 2 else 6, waves)
    np.testing.assert_allclose(found.T @ found, np.eye(found.shape[1]), atol=1e-9)
    np.testing.assert_allclose(found.sum(axis=0), 0, atol=1e-9)


def test_waves_are_left_out_where_rows_are_few_or_columns_many() -> None:
    rng = np.random.default_rng(0)
    for n, d in ((40, 2), (200, 12), (3000, 200)):
        cells = make_cells(make_pair(*np.split(rng.normal(size=(n, d)), 2)))
        assert smooth_features(cells).waves.shape == (n, 0)


def test_waves_keep_to_the_memory() -> None:
    points = np.random.default_rng(0).normal(size=(20_000, 2))
    cells = make_cells(make_pair(*np.split(points, 2)))
    for limit, waves in ((None, 12), (14_000_000, 12), (10_000_000, 8), (1_000_000, 0)):
        tracemalloc.start()
        found = smooth_features(cells, limit)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert found.waves.shape[1] == waves
        assert limit is None or peak < max(limit, 4_000_000)  # the trend comes first


def test_samples_that_take_turns_along_a_column_show_in_waves() -> None:
    """Distances in four columns hide it, and neither means nor spreads differ."""
    import bayesfloor as bf

    turns = bf.populations.wave(d=4, amplitude=0.7, cycles=3)
    found = neighbour_test(*turns.draw(150, 150, np.random.default_rng(1)))
    assert found.p_value == 0.01
    assert max(found.scores, key=found.scores.__getitem__) == "waves"
    assert max(found.scores["near"], found.scores["broad"]) < 3
