from __future__ import annotations

import numpy as np
import pytest

from bayesfloor.estimators.curve_models import (
    POWERS,
    AveragingOptions,
    curve_noise,
    fit_models,
    label_variance,
    make_design,
    rank_variance,
)
from rank_curves import RADIUS, K, curve_of, noisy


def test_high_dimension_makes_discontinuous_models_unlikely() -> None:
    values = 0.1 + 0.05 * RADIUS + noisy(0, 0.01)
    low = fit_models(make_design(curve_of(values)), values, discontinuity_cost=0.0)
    high = fit_models(make_design(curve_of(values)), values, discontinuity_cost=3.0 * 8)
    assert low.weights()[low.discontinuous].sum() > 0.5 > high.weights()[high.discontinuous].sum()


def test_the_noise_variance_is_read_off_the_differences() -> None:
    values = 0.3 + 0.1 * RADIUS**2 + noisy(1, 0.004)
    assert curve_noise(values) == pytest.approx(0.004**2, rel=0.4)


def test_a_negative_intercept_costs_its_distance_from_zero() -> None:
    values = -0.05 + 0.2 * RADIUS + noisy(4)
    low = fit_models(make_design(curve_of(values)), values, discontinuity_cost=0.0)
    high = fit_models(make_design(curve_of(values)), values + 1, discontinuity_cost=0.0)
    excess = np.minimum(low.intercept, 0) ** 2 / low.variance
    assert excess.max() > 100
    np.testing.assert_allclose(low.cost, high.cost + excess, rtol=1e-6)


def test_radii_that_hardly_grow_are_fitted_by_what_can_be_told_apart() -> None:
    values = np.full(12, 0.25)
    design = make_design(curve_of(values, d=1e12))
    models = fit_models(design, values, discontinuity_cost=0.0)
    assert design.used.any(axis=0).all()
    np.testing.assert_allclose(models.intercept + models.slopes.sum(axis=1), 0.25, rtol=1e-6)


def test_every_model_is_a_least_squares_fit_that_costs_what_the_formula_says() -> None:
    values = -0.001 + 0.02 * RADIUS + noisy(6)
    curve = curve_of(values)
    models = fit_models(make_design(curve), values, discontinuity_cost=7.0)
    noise, bases = 2 * curve_noise(values), set()
    for i, end in enumerate(models.last_rank):
        basis = tuple(s for s, slope in zip(POWERS, models.slopes[i], strict=True) if slope)
        columns = np.stack([curve.radius_power(s) for s in (0, *basis)], axis=1)[:end]
        fitted = np.linalg.lstsq(columns, values[:end], rcond=None)[0]
        misfit = ((values[:end] - columns @ fitted) ** 2).sum() / noise
        variance = np.linalg.inv(columns.T @ columns)[0, 0] * noise
        below = min(fitted[0], 0) ** 2 / variance
        cost = misfit + 3 * columns.shape[1] + (K - end) + 7 * (1 in basis) + below
        assert models.intercept[i] == pytest.approx(fitted[0], abs=1e-8)
        assert models.variance[i] == pytest.approx(variance, rel=1e-5)
        assert models.cost[i] == pytest.approx(cost, rel=1e-5)
        assert models.discontinuous[i] == (1 in basis)
        bases.add(basis)
    assert bases == {(), (2,), (2, 4), (1,), (1, 2)}
    assert len(set(models.last_rank)) == 10
    assert (min(models.last_rank), max(models.last_rank)) == (6, K)


@pytest.mark.parametrize("m", [2, 3, 10])
def test_the_noise_of_labels_is_that_of_equally_frequent_labels(m: int) -> None:
    differ = 1 - 1 / m
    assert label_variance(np.full(4, differ), 700, m) == pytest.approx(differ * (1 - differ) / 700)


def test_windows_can_be_changed() -> None:
    curve = curve_of(0.2 + noisy(13))
    design = make_design(curve, AveragingOptions(windows=4, smallest_window=12))
    assert sorted(set(design.last_rank.tolist())) == [12, 26, 56, K]


def test_the_variance_of_a_rank_is_doubled_and_at_most_known_of_short_curves() -> None:
    values = 0.2 + noisy(14)
    assert rank_variance(values) == 2 * curve_noise(values)
    assert rank_variance(values, least=1.0) == 2
    assert rank_variance(values, options=AveragingOptions(noise_factor=3.0)) == pytest.approx(
        3 * curve_noise(values)
    )
    assert rank_variance(values[:3]) == 0.25
