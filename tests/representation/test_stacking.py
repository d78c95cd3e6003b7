from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayesfloor.representation.stacking import average, best_weights, missed_products


@given(st.integers(1, 6), st.integers(0, 2**31))
def test_no_other_weights_lose_less(maps: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    candidates = [rng.dirichlet(np.ones(3), size=40) for _ in range(maps)]
    labels = rng.integers(0, 3, 40)
    products = missed_products(candidates, labels, np.arange(40))
    weights = best_weights(products)
    assert weights.min() >= 0
    assert weights.sum() == pytest.approx(1)
    others = np.vstack([np.eye(maps), rng.dirichlet(np.ones(maps), size=200)])
    least = np.einsum("wi,ij,wj->w", others, products, others).min()
    assert weights @ products @ weights <= least * (1 + 1e-6) + 1e-9


def test_products_are_those_of_label_minus_probabilities() -> None:
    rng = np.random.default_rng(0)
    a, b = rng.dirichlet(np.ones(4), size=(2, 30))
    labels, rows = rng.integers(0, 4, 30), np.array([3, 8, 21])
    missed = [np.eye(4)[labels[rows]] - one[rows] for one in (a, b)]
    expected = [[(x * y).sum() for y in missed] for x in missed]
    np.testing.assert_allclose(missed_products([a, b], labels, rows), expected)


def test_maps_that_say_the_same_share_their_weight_and_perfect_ones_divide_by_nothing() -> None:
    assert best_weights(np.ones((2, 2))) == pytest.approx([0.5, 0.5])
    assert best_weights(np.zeros((3, 3))).sum() == pytest.approx(1)


def test_the_average_is_weighted() -> None:
    one, two = np.array([[1.0, 0.0]]), np.array([[0.0, 1.0]])
    np.testing.assert_allclose(average([one, two], np.array([0.25, 0.75])), [[0.25, 0.75]])
