from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from bayesfloor.base.arrays import Floats
from bayesfloor.sample.distinct_points import make_cells
from bayesfloor.sample.gate import make_pair
from bayesfloor.two_sample.graph import make_graph
from bayesfloor.two_sample.moments import (
    label_moments,
    linear_variance,
    overlap,
    pair_weights,
    quadratic_covariance,
    quadratic_mean,
)


def all_labellings(n: int, new: int) -> Floats:
    """Centred labels of every way to choose the new rows, (ways, n)."""
    labels = np.zeros((0, n))
    for chosen in combinations(range(n), new):
        one = np.zeros((1, n))
        one[0, list(chosen)] = 1
        labels = np.vstack([labels, one])
    return labels - new / n


@pytest.mark.parametrize(("n", "new"), [(4, 2), (6, 2), (7, 3), (8, 6)])
def test_label_moments_are_means_over_all_labellings(n: int, new: int) -> None:
    u = all_labellings(n, new)
    found = label_moments(n, new)
    assert found.second == pytest.approx((u[:, 0] ** 2).mean())
    assert found.pair == pytest.approx((u[:, 0] * u[:, 1]).mean())
    assert found.two_pairs == pytest.approx((u[:, 0] ** 2 * u[:, 1] ** 2).mean())
    assert found.shared == pytest.approx((u[:, 0] ** 2 * u[:, 1] * u[:, 2]).mean())
    assert found.apart == pytest.approx(u[:, :4].prod(axis=1).mean())


@pytest.mark.parametrize("seed", range(3))
def test_sums_over_a_graph_have_the_moments_of_all_labellings(seed: int) -> None:
    """Points on a small grid: some are equal, and many are tied."""
    points = np.random.default_rng(seed).integers(0, 3, (8, 2)).astype(float)
    cells = make_cells(make_pair(points[:3], points[3:]))
    graph = make_graph(cells, ranks=4)
    u = all_labellings(8, 5)[:, np.argsort(cells.of_row, kind="stable")]
    weights, sums = [], []
    for one in (graph.near, graph.broad):
        by_row = one.toarray()[np.ix_(cells.of_row, cells.of_row)]
        np.fill_diagonal(by_row, 0.0)
        u = all_labellings(8, 5)
        sums.append(np.einsum("bi,ij,bj->b", u, by_row, u))
        weights.append(pair_weights(one, cells.sizes))
    labels = label_moments(8, 5)
    assert quadratic_mean(weights[0], labels) == pytest.approx(sums[0].mean())
    expected = np.cov(sums, bias=True)
    for i, a in enumerate((graph.near, graph.broad)):
        for j, b in enumerate((graph.near, graph.broad)):
            shared = overlap(a, b, cells.sizes)
            found = quadratic_covariance(weights[i], weights[j], shared, cells.sizes, labels)
            assert found == pytest.approx(expected[i, j], abs=1e-12)
    degree = weights[1].degree
    spread = (all_labellings(8, 5) @ degree[cells.of_row]).var()
    assert linear_variance(degree, cells.sizes, labels) == pytest.approx(spread)
