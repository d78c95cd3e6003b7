from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from bayesfloor.base.arrays import Floats
from bayesfloor.base.clustered_noise import mean_covariance, mean_error
from bayesfloor.base.p_values import holm
from bayesfloor.bounds.loss import losses
from bayesfloor.comparison.difference import make_difference
from bayesfloor.comparison.paired_excess import (
    NO_EXCESS,
    ExcessDifference,
    fit_excess_difference,
    luck_errors,
)
from bayesfloor.representation.learning_curve import (
    MapPair,
    MeasuredExcess,
    fit_excess,
    make_learning_curve,
)


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


SIZES = np.array([800.0, 400, 200, 100])


def measured(shared: Floats, bias: float, power: float) -> MeasuredExcess:
    """Return what rows say of each size, with noise that is partly that of other maps too."""
    own = np.random.default_rng(int(1e6 * bias)).normal(size=shared.shape)
    mean = 1.4 * bias - bias * (SIZES[0] / SIZES) ** power
    return MeasuredExcess(mean + 0.1 * shared + 0.05 * own, SIZES, 0.4 * bias, 1.0)


@pytest.mark.parametrize("power", [0.5, 1.0])
def test_the_excesses_of_two_curves_differ_by_what_they_do(power: float) -> None:
    held, reps, narrower = 0, 40, []
    for seed in range(reps):
        shared = np.random.default_rng(seed).normal(size=(4000, len(SIZES)))
        first, second = measured(shared, 0.02 + seed / 1e5, power), measured(shared, 0.01, power)
        excess = fit_excess_difference(first, second)
        found = make_difference(0.0, mean_error(np.asarray(excess.rows)), 0.95, excess)
        held += found.interval[0] <= -1.4 * (0.01 + seed / 1e5) <= found.interval[1]
        apart = np.hypot(*(np.ptp(alone(one)) for one in (first, second)))
        narrower.append(np.ptp(found.interval) / apart)
    assert held >= 34  # 40 draws of 0.95 are fewer in one of a thousand samples
    assert np.mean(narrower) < 0.8


def alone(one: MeasuredExcess) -> list[float]:
    """Return the interval of one excess by itself."""
    return [fit_excess(one).quantile(share) for share in (0.025, 0.975)]


def curve_of_lucky_maps(rng: np.random.Generator) -> tuple[float, MeasuredExcess]:
    """Learn lines from 20 columns that tell nothing; return their excess and what tells of it."""
    n, columns = 1000, 20
    rows, labels = rng.normal(size=(n, columns)), rng.integers(0, 2, n)

    def learned_from(size: int) -> Floats:
        added = rows @ rng.normal(size=columns) * 0.5 / np.sqrt(size)
        return np.column_stack([0.5 + added, 0.5 - added])

    third, pairs = rng.integers(0, 3, n)[:, None], []
    for size in (333, 166, 83):
        maps = [learned_from(size) for _ in range(3)]
        first, second = (np.choose((third + ahead) % 3, maps) for ahead in (1, 2))
        pairs.append(MapPair(size, first, second))
    served = learned_from(900)
    curve = make_learning_curve(served, (900, losses(served, labels)), pairs, labels)
    assert curve.measured is not None
    return float(((served - 0.5) ** 2).sum(axis=1).mean()), curve.measured


def test_the_luck_of_the_rows_that_were_learned_from_has_its_standard_error() -> None:
    squares = []
    for seed in range(60):
        excess, one = curve_of_lucky_maps(np.random.default_rng(seed))
        of_rows = np.diag(mean_covariance(one.apart)) + one.shape_variance
        missed = one.apart.mean(axis=0) - excess  # lines miss nothing on average: it is luck
        squares.append([missed**2, of_rows, of_rows + luck_errors(one) ** 2])
    missed, of_rows, all_of_it = np.sqrt(np.mean(squares, axis=0))
    assert missed[0] > 1.4 * of_rows[0]
    np.testing.assert_allclose(missed, all_of_it, rtol=0.3)  # 60 draws have an error of 0.09


def test_two_sides_that_say_the_same_are_lucky_together() -> None:
    _, one = curve_of_lucky_maps(np.random.default_rng(7))
    _, other = curve_of_lucky_maps(np.random.default_rng(8))
    same, apart = (fit_excess_difference(one, second) for second in (one, other))
    assert same.errors[0] < 0.8 * apart.errors[0]


def test_swapping_two_curves_turns_the_sign() -> None:
    shared = np.random.default_rng(2).normal(size=(4000, len(SIZES)))
    first, second = measured(shared, 0.02, 0.7), measured(shared, 0.01, 0.7)
    one, other = fit_excess_difference(first, second), fit_excess_difference(second, first)
    np.testing.assert_allclose(one.rows, -other.rows)
    np.testing.assert_allclose(one.errors, other.errors)
    found, turned = (make_difference(0.0, 0.001, 0.9, excess) for excess in (one, other))
    assert found.value == pytest.approx(-turned.value)
    assert found.interval == pytest.approx((-turned.interval[1], -turned.interval[0]))


def test_equal_curves_have_no_difference_in_excess() -> None:
    one = measured(np.random.default_rng(3).normal(size=(4000, len(SIZES))), 0.02, 0.7)
    excess = fit_excess_difference(one, one)
    np.testing.assert_allclose(excess.rows, 0.0, atol=1e-9)
    low, high = make_difference(0.0, 0.0, 0.95, excess).interval
    assert -0.014 < low < 0 < high < 0.014  # half of the excess, whose shape is not known
    assert abs(low + high) < 1e-4


def test_curves_may_have_different_numbers_of_sizes() -> None:
    shared = np.random.default_rng(4).normal(size=(4000, len(SIZES)))
    whole, other = measured(shared, 0.02, 0.7), measured(shared, 0.01, 0.7)
    part = replace(other, apart=other.apart[:, :3], sizes=SIZES[:3])
    found, less = (fit_excess_difference(whole, one) for one in (other, part))
    spread = make_difference(0.0, 0.0, 0.95, found), make_difference(0.0, 0.0, 0.95, less)
    assert spread[0].value == pytest.approx(spread[1].value, abs=0.005)
    assert np.ptp(spread[0].interval) < np.ptp(spread[1].interval)


def test_rows_of_groups_make_the_excess_less_sure() -> None:
    rng, groups = np.random.default_rng(5), np.repeat(np.arange(400), 10)
    shared = rng.normal(size=(400, len(SIZES)))[groups]  # all rows of a group say the same
    first, second = measured(shared, 0.02, 0.7), measured(0 * shared, 0.01, 0.7)
    found = make_difference(0.0, 0.0, 0.95, fit_excess_difference(first, second, groups))
    naive = make_difference(0.0, 0.0, 0.95, fit_excess_difference(first, second))
    assert np.ptp(found.interval) > 1.2 * np.ptp(naive.interval)
