from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from bayesfloor.sample.distinct_points import make_cells
from bayesfloor.sample.gate import make_pair
from bayesfloor.two_sample.correlations import correlations, unit_feature
from bayesfloor.two_sample.graph import make_graph
from bayesfloor.two_sample.moments import label_moments
from bayesfloor.two_sample.smooth_features import smooth_features


@pytest.mark.parametrize("seed", range(3))
def test_correlations_are_those_of_all_labellings(seed: int) -> None:
    """Points on a small grid: some are equal, and many are tied."""
    n, new = 9, 4
    rng = np.random.default_rng(seed)
    points = rng.integers(0, 3, (n, 2)).astype(float)
    cells = make_cells(make_pair(points[:new], points[new:]))
    graph = make_graph(cells, ranks=4)
    features = smooth_features(cells).trend
    degree = unit_feature(rng.normal(size=len(cells.sizes)), cells.sizes)
    labels = np.array([np.isin(np.arange(n), c) for c in combinations(range(n), new)]) - new / n
    sums = []
    for one in (
        graph.near.toarray(),
        graph.broad.toarray(),
        degree @ degree.T,
        features @ features.T,
    ):
        by_row = one[np.ix_(cells.of_row, cells.of_row)].copy()
        np.fill_diagonal(by_row, 0.0)
        sums.append(np.einsum("bi,ij,bj->b", labels, by_row, labels))
    found = correlations(
        (graph.near, graph.broad, degree, features), cells.sizes, label_moments(n, new)
    )
    np.testing.assert_allclose(found, np.corrcoef(sums), atol=1e-9)


def test_a_sum_that_never_varies_is_correlated_with_none() -> None:
    assert unit_feature(np.full(5, 0.1), np.arange(1, 6)).shape == (5, 0)
    points = np.random.default_rng(0).normal(size=(6, 1))
    cells = make_cells(make_pair(points[:3], points[3:]))
    graph = make_graph(cells, ranks=3)
    found = correlations((graph.near, np.zeros((6, 0))), cells.sizes, label_moments(6, 3))
    np.testing.assert_array_equal(found, np.eye(2))
