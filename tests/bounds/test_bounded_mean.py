from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayesfloor.bounds.bounded_mean import bounded_mean_limits
from bayesfloor.bounds.prior_error import wilson_limit


@pytest.mark.parametrize("ones", [0, 1, 7, 50, 100])
def test_of_zeros_and_ones_the_limits_are_those_of_wilson(ones: int) -> None:
    low, high = bounded_mean_limits(np.array([0.0, 1.0]), np.array([100 - ones, ones]), 0.025)
    assert high == pytest.approx(wilson_limit(ones / 100, 100, 0.025))
    assert low == pytest.approx(1 - wilson_limit(1 - ones / 100, 100, 0.025))


@given(st.lists(st.floats(0, 1), min_size=2, max_size=30))
def test_the_mean_lies_between_the_limits_and_mirrors(values: list[float]) -> None:
    array, once = np.array(values), np.ones(len(values), np.int64)
    low, high = bounded_mean_limits(array, once, 0.025)
    assert -1e-12 <= low <= array.mean() + 1e-12
    assert array.mean() - 1e-12 <= high <= 1 + 1e-12
    mirrored = bounded_mean_limits(1 - array, once, 0.025)
    np.testing.assert_allclose([1 - mirrored[1], 1 - mirrored[0]], [low, high], atol=1e-9)


def test_repeated_values_count_as_often_as_they_came() -> None:
    twice = bounded_mean_limits(np.array([0.2, 0.2, 0.7]), np.array([1, 1, 1]), 0.025)
    assert bounded_mean_limits(np.array([0.2, 0.7]), np.array([2, 1]), 0.025) == pytest.approx(
        twice
    )


@pytest.mark.parametrize("n", [50, 400])
def test_limits_of_skewed_values_hold(n: int) -> None:
    """Rare values of one half among zeros, and a U-shaped law."""
    rng, reps = np.random.default_rng(n), 2000
    once = np.ones(n, np.int64)
    for draw, mean in (
        (lambda: np.where(rng.random(n) < 0.05, 0.5, 0.0), 0.025),
        (lambda: rng.beta(0.2, 0.6, n), 0.25),
    ):
        limits = np.array([bounded_mean_limits(draw(), once, 0.025) for _ in range(reps)])
        assert np.mean((limits[:, 0] <= mean) & (mean <= limits[:, 1])) > 0.93
