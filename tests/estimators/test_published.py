from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayesfloor.base.errors import DataError
from bayesfloor.estimators.published import published_ranks, published_weights


def test_three_ranks_in_one_dimension_by_hand() -> None:
    # Minimise |w|² with Σw = 1 and Σ w l = 0 for l = 1, 2, 3: w = (4/3, 1/3, −2/3).
    np.testing.assert_allclose(
        published_weights(np.array([1.0, 2.0, 3.0]), 1), [4 / 3, 1 / 3, -2 / 3]
    )


@given(d=st.integers(1, 5), extra=st.integers(1, 200))
def test_the_weights_meet_the_published_conditions(d: int, extra: int) -> None:
    grid = np.arange(1.0, d + 1 + extra) / 7
    weights = published_weights(grid, d)
    scale = np.abs(weights).sum()
    assert weights.sum() == pytest.approx(1, abs=1e-9 * scale)
    for i in range(1, d + 1):
        assert weights @ (grid / grid.max()) ** (i / d) == pytest.approx(0, abs=1e-9 * scale)


@given(d=st.integers(1, 4), seed=st.integers(0, 50))
def test_no_other_feasible_weights_have_a_smaller_norm(d: int, seed: int) -> None:
    grid = np.arange(1.0, 31.0)
    weights = published_weights(grid, d)
    conditions = grid[:, None] ** (np.arange(d + 1) / d)
    step = np.random.default_rng(seed).normal(size=30)
    step -= conditions @ np.linalg.lstsq(conditions, step, rcond=None)[0]  # keeps the conditions
    assert np.linalg.norm(weights) <= np.linalg.norm(weights + 0.1 * step) + 1e-9


def test_the_weights_equal_the_pseudo_inverse_solution() -> None:
    grid = np.arange(1.0, 41.0) / np.sqrt(200)
    conditions = (grid[:, None] ** (np.arange(4) / 3)).T
    expected = np.linalg.pinv(conditions) @ [1, 0, 0, 0]
    np.testing.assert_allclose(published_weights(grid, 3), expected, atol=1e-7)


def test_as_many_ranks_as_columns_are_too_few() -> None:
    published_weights(np.arange(1.0, 5.0), 3)
    with pytest.raises(DataError, match="more than 4 ranks for 4 columns, and this sample has 4"):
        published_weights(np.arange(1.0, 5.0), 4)


def test_weights_beyond_double_precision_are_refused() -> None:
    with pytest.raises(DataError, match="beyond double precision"):
        published_weights(np.arange(1.0, 61.0), 50)


def test_the_default_grid_ends_at_three_root_n() -> None:
    assert published_ranks(2 * 500) == int(3 * np.sqrt(500))
    assert published_ranks(4) == 3
