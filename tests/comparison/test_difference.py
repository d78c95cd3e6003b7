from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from bayesfloor.base.p_values import holm
from bayesfloor.comparison.difference import make_difference
from bayesfloor.comparison.paired_excess import NO_EXCESS, ExcessDifference, fit_excess_difference


def test_without_excess_a_difference_is_normal() -> None:
    found = make_difference(0.02, 0.01, 0.9, NO_EXCESS)
    assert found.value == pytest.approx(0.02)
    assert found.interval == pytest.approx(stats.norm.interval(0.9, 0.02, 0.01))
    assert found.p_value == pytest.approx(2 * stats.norm.sf(2))


def test_a_mixture_has_the_quantiles_of_draws_from_it() -> None:
    excess = ExcessDifference(np.array([0.0, 0.05]), np.array([0.01, 0.02]), np.array([0.7, 0.3]))
    found = make_difference(0.1, 0.01, 0.95, excess, 0.5)
    rng = np.random.default_rng(0)
    part = rng.choice(2, 400_000, p=excess.weights)
    drawn = 0.1 + 0.01 * rng.normal(size=400_000)
    drawn -= 0.5 * (excess.means[part] + excess.errors[part] * rng.normal(size=400_000))
    low, middle, high = np.quantile(drawn, [0.025, 0.5, 0.975])
    assert (found.value, *found.interval) == pytest.approx((middle, low, high), abs=2e-4)
    assert found.p_value == pytest.approx(2 * np.mean(drawn < 0), abs=1e-4)


@given(st.floats(-0.2, 0.2), st.floats(1e-4, 0.1), st.floats(0.5, 0.99))
def test_the_p_value_says_whether_zero_is_inside(value: float, error: float, sure: float) -> None:
    found = make_difference(value, error, sure, NO_EXCESS)
    low, high = found.interval
    if abs(found.p_value - (1 - sure)) > 1e-9:
        assert (low <= 0 <= high) == (found.p_value > 1 - sure)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_adjusted_p_values_are_those_of_the_definition(p_values: list[float]) -> None:
    order = np.argsort(p_values, kind="stable")
    for place, j in enumerate(order):
        expected = max((len(order) - i) * p_values[order[i]] for i in range(place + 1))
        assert holm(p_values)[j] == pytest.approx(min(expected, 1.0))


def curves(rng: np.random.Generator, excess: float, power: float, sizes: np.ndarray) -> np.ndarray:
    """Return losses of rows: own noise that all sizes share, and some of each size."""
    n = 4000
    mean = 0.3 + excess * (sizes[0] / sizes) ** power
    return mean + rng.normal(size=(n, 1)) * 0.2 + 0.05 * rng.normal(size=(n, len(sizes)))


@pytest.mark.parametrize("power", [0.5, 1.0])
def test_the_excesses_of_two_curves_differ_by_what_they_do(power: float) -> None:
    sizes = np.array([800, 400, 200, 100])
    rng, held, reps = np.random.default_rng(1), 0, 40
    for _ in range(reps):
        first, second = curves(rng, 0.02, power, sizes), curves(rng, 0.012, power, sizes)
        excess = fit_excess_difference(first, second, sizes)
        low, high = make_difference(0.0, 1e-9, 0.95, excess).interval
        held += low <= -0.008 <= high
    assert held >= 34  # 40 draws of 0.95 are fewer in one of a thousand samples


def test_swapping_two_curves_turns_the_sign() -> None:
    sizes, rng = np.array([800, 400, 200, 100]), np.random.default_rng(2)
    first, second = curves(rng, 0.02, 0.7, sizes), curves(rng, 0.01, 0.7, sizes)
    one, other = (
        fit_excess_difference(*pair, sizes) for pair in ((first, second), (second, first))
    )
    np.testing.assert_allclose(one.means, -other.means)
    np.testing.assert_allclose(one.errors, other.errors)
    np.testing.assert_allclose(one.weights, other.weights)


def test_equal_curves_have_no_difference_in_excess() -> None:
    sizes = np.array([800, 400, 200, 100])
    curve = curves(np.random.default_rng(3), 0.02, 0.7, sizes)
    noise = 1e-6 * np.random.default_rng(4).normal(size=curve.shape)
    excess = fit_excess_difference(curve, curve + noise, sizes)
    low, high = make_difference(0.0, 0.0, 0.95, excess).interval
    assert -0.01 < low < 0 < high < 0.01  # half of the excess, whose shape is not known
    assert abs(low + high) < 1e-4
