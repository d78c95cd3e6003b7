from __future__ import annotations

import numpy as np
import pytest

from bayesfloor.base.arrays import Floats
from bayesfloor.curve.rank_curve import RankCurve
from bayesfloor.estimators.curve_models import (
    DEFAULT_AVERAGING,
    AveragingOptions,
    ModelFits,
    fit_models,
    label_variance,
    make_design,
)
from bayesfloor.estimators.extrapolation import (
    Extrapolation,
    ModelChoice,
    average_models,
    choose_models,
    extrapolate,
    fitted_curve,
    trend_adds_bias,
)
from rank_curves import RADIUS, K, curve_of, noisy


def spread_of(fit: Extrapolation) -> float:
    assert fit.weights.sum() == pytest.approx(1)
    return float(fit.weights @ fit.offsets**2)


@pytest.mark.parametrize(
    "shape",
    [0 * RADIUS, 0.05 * RADIUS**2, 0.1 * RADIUS**2 - 0.05 * RADIUS**4],
    ids=["flat", "r²", "r² and r⁴"],
)
def test_smooth_curves_are_extrapolated_to_their_limit(shape: Floats) -> None:
    fits = [extrapolate(curve_of(0.2 + shape + noisy(s)), 1000) for s in range(20)]
    errors = [fit.mismatch - 0.2 for fit in fits]
    typical = np.sqrt(np.mean([fit.variance + spread_of(fit) for fit in fits]))
    assert abs(np.mean(errors)) < typical
    assert np.sqrt(np.mean(np.square(errors))) < 2 * typical


def test_a_flat_curve_is_little_more_than_averaged() -> None:
    errors = [extrapolate(curve_of(0.2 + noisy(s)), 1000).mismatch - 0.2 for s in range(60)]
    assert np.mean(np.square(errors)) < 4 * 0.003**2 / K


def test_a_discontinuity_is_recognised_and_extrapolated_along_the_radius() -> None:
    fits = [extrapolate(curve_of(0.1 + 0.2 * RADIUS + noisy(s)), 1000) for s in range(10)]
    assert min(fit.discontinuity_weight for fit in fits) > 0.9
    assert np.mean([fit.mismatch for fit in fits]) == pytest.approx(0.1, abs=0.005)


def test_what_a_discontinuity_would_leave_is_known_even_if_the_answer_is_another() -> None:
    radius = RADIUS ** (2 / 6)
    fits = [
        extrapolate(curve_of(0.02 + 0.1 * radius**2, 0.2 * radius + noisy(s), d=6.0), 1000)
        for s in range(40)
    ]
    assert max(fit.discontinuity_weight for fit in fits) < 0.1  # by the dimension
    means, variances = np.array([fit.if_discontinuous for fit in fits]).T
    inside = np.abs(means) < 1.96 * np.sqrt(variances)
    assert inside.sum() >= 34  # of 40 at 95 %: fewer has a chance of one in 100


def test_curves_too_short_for_a_discontinuous_model_know_no_discontinuity() -> None:
    assert extrapolate(curve_of(np.array([0.1, 0.2, 0.3])), 1000).if_discontinuous is None


def test_a_smooth_curve_is_not_taken_for_a_discontinuous_one() -> None:
    fits = [extrapolate(curve_of(0.1 + 0.2 * RADIUS**2 + noisy(s)), 1000) for s in range(10)]
    assert max(fit.discontinuity_weight for fit in fits) < 0.1


def test_the_reported_noise_is_that_of_the_intercept() -> None:
    fits = [extrapolate(curve_of(0.2 + noisy(s)), 1000) for s in range(100)]
    spread = np.var([fit.mismatch for fit in fits])
    assert spread < np.mean([fit.variance + spread_of(fit) for fit in fits]) < 10 * spread


def test_a_trend_that_adds_to_close_neighbours_is_given_up() -> None:
    plain = 0.01 + 0.5 * RADIUS**2 + noisy(2)
    rough = 0.06 + 0.05 * RADIUS + noisy(3)
    assert trend_adds_bias(rough, plain)
    assert not trend_adds_bias(plain, rough)
    fit = extrapolate(curve_of(rough, plain), 1000)
    assert fit.mismatch == pytest.approx(0.01, abs=0.01)


def test_tied_ranks_are_not_taken_for_exact_ones() -> None:
    """Thirty ranks that share their points, one standard error below the others, make no slope."""
    rank = np.arange(1, K + 1)
    near = rank <= 30
    values = 0.38 - near * 0.38 / np.sqrt(3000 * 30)
    radius = np.where(near, 1.0, 1.1)
    curve = RankCurve(rank, values, values, radius, np.zeros(K), 9.0)
    assert extrapolate(curve, 3000).mismatch == pytest.approx(0.38, abs=0.005)


@pytest.mark.parametrize("ranks", [1, 2, 3, 4, 5, 6, 7, 10])
def test_short_curves_have_an_answer(ranks: int) -> None:
    fit = extrapolate(curve_of(np.full(ranks, 0.25)), ranks + 1)
    assert fit.mismatch == pytest.approx(0.25, abs=1e-6 + 0.25 / ranks)
    assert np.isfinite(fit.variance + spread_of(fit))


def test_ranks_at_radius_zero_carry_no_bias() -> None:
    rank = np.arange(1, K + 1)
    zero = rank <= 40
    values = np.where(zero, 0.2, 0.2 + 0.3 * (rank - 40) / K)
    curve = RankCurve(
        rank, values, values, np.where(zero, 0.0, (rank - 40.0) / K), zero.astype(float), 0.0
    )
    assert extrapolate(curve, 1000).mismatch == pytest.approx(0.2, abs=0.005)


@pytest.mark.parametrize(
    ("power", "d"), [(1, 2), (2, 2), (2, 8)], ids=["discontinuous", "smooth", "far"]
)
def test_the_fitted_curve_starts_at_the_estimate_and_follows_values(power: int, d: int) -> None:
    radii = (np.arange(1, K + 1) / K) ** (1 / d)
    curve = curve_of(0.1 + 0.2 * radii**power + noisy(5, 0.001), d=d)
    radius, values = fitted_curve(curve, 1000)
    assert radius[0] == 0
    assert (np.diff(radius) > 0).all()
    assert values[0] == pytest.approx(extrapolate(curve, 1000).mismatch)
    at_rank = np.isin(radius, curve.radius_power(1))
    assert at_rank.sum() >= K / 2
    np.testing.assert_allclose(values, 0.1 + 0.2 * radius**power, atol=0.01)


def test_the_answer_is_the_weighted_mean_of_the_models_and_its_spread_is_tempered() -> None:
    curve = curve_of(0.2 + 0.05 * RADIUS**2 + noisy(7), d=20)  # too many for a discontinuity
    least = label_variance(curve.adjusted, 1000, 2) / 4
    models = fit_models(
        make_design(curve), curve.adjusted, discontinuity_cost=2 + 3 * 18, least_variance=least
    )
    fit = extrapolate(curve, 1000, other_variance=1.0)  # no model is too far off
    weights, flat = (np.exp(-t * (models.cost - models.cost.min())) for t in (0.5, 0.2))
    mean = np.average(models.intercept, weights=weights)
    noise = np.average(models.variance, weights=weights)
    apart = (models.intercept - mean) ** 2 - np.maximum(models.variance - noise, 0)
    assert fit.discontinuity_weight < 1e-9
    assert fit.mismatch == pytest.approx(mean)
    assert fit.variance == pytest.approx(noise)
    spread = np.average(np.maximum(apart, 0), weights=flat)
    assert spread_of(fit) == pytest.approx(spread, rel=0.01)  # discontinuous ones: e⁻¹¹ of it
    assert spread > 1.2 * np.average(np.maximum(apart, 0), weights=weights)


COST = 12.0
WIDE = np.exp(-0.2 * COST)  # tempered weight of the second of two models, over the first


def two_models(apart: float, variance: float) -> ModelFits:
    return ModelFits(
        intercept=np.array([0.2, 0.2 + apart]),
        variance=np.array([1e-4, variance]),
        cost=np.array([0.0, COST]),
        discontinuous=np.array([False, False]),
        last_rank=np.array([9, 9]),
        slopes=np.zeros((2, 3)),
    )


def squares(models: ModelFits, fit: Extrapolation) -> Floats:
    """Squared distances from the mean, less what noise explains."""
    return (models.intercept - fit.mismatch) ** 2 - np.maximum(models.variance - fit.variance, 0)


def test_models_that_differ_by_their_noise_alone_do_not_disagree() -> None:
    noisier = two_models(apart=0.02, variance=1e-4 + 0.02**2)
    fit = average_models(ModelChoice(noisier, noisier, 0.0, 0.0), 0.0)
    assert spread_of(fit) < 0.01 * WIDE * 0.02**2
    half = two_models(apart=0.02, variance=1e-4 + 0.02**2 / 2)
    spread = spread_of(average_models(ModelChoice(half, half, 0.0, 0.0), 0.0))
    assert spread == pytest.approx(WIDE / (1 + WIDE) * 0.02**2 / 2, rel=0.03)


def test_models_with_less_noise_disagree_by_their_distance_alone() -> None:
    quiet = two_models(apart=0.02, variance=0.0)
    spread = spread_of(average_models(ModelChoice(quiet, quiet, 0.0, 0.0), 0.0))
    assert spread == pytest.approx(WIDE / (1 + WIDE) * 0.02**2, rel=0.03)


@pytest.mark.parametrize("apart", [0.02, -0.02])
def test_offsets_are_on_the_side_of_their_models(apart: float) -> None:
    models = two_models(apart=apart, variance=0.0)
    fit = average_models(ModelChoice(models, models, 0.0, 0.0), 0.0)
    assert fit.offsets[:2] == pytest.approx([0, apart], abs=1e-4)


@pytest.mark.parametrize(("weight", "errors"), [(0.0, 2), (0.01, 4), (1.0, 202)])
def test_discontinuous_models_far_off_count_as_two_standard_errors_unless_asked_for(
    weight: float, errors: float
) -> None:
    smooth, far = two_models(apart=0.0, variance=1e-4), two_models(apart=90.0, variance=1e-4)
    fit = average_models(ModelChoice(smooth, far, weight, 0.5), 3e-4)
    limited = far.weights(DEFAULT_AVERAGING.inverse_temperature) @ squares(far, fit).clip(
        0, errors**2 * 4e-4
    )
    free = smooth.weights(DEFAULT_AVERAGING.inverse_temperature) @ squares(smooth, fit)
    assert spread_of(fit) == pytest.approx(0.5 * limited + 0.5 * free)


@pytest.mark.parametrize("d", [1, 2, 5])
def test_dimensions_above_two_and_the_plain_curve_cost_a_discontinuity(d: int) -> None:
    curve = curve_of(0.1 + 0.2 * RADIUS + noisy(8), d=d)
    least = label_variance(curve.adjusted, 1000, 2) / 4
    choice = choose_models(curve, 1000, 2)
    adjusted = choice.main.select(choice.main.discontinuous)
    for found, more in ((adjusted, 2), (choice.discontinuous, 2 + 4)):
        free = fit_models(
            make_design(curve), curve.adjusted, discontinuity_cost=0.0, least_variance=least
        )
        dear = free.cost[free.discontinuous] + more + 3 * max(d - 2, 0)
        np.testing.assert_allclose(found.cost, dear, rtol=1e-6)


def test_the_plain_curve_decides_whether_there_is_a_discontinuity() -> None:
    linear = 0.1 + 0.05 * RADIUS + noisy(9, 0.001)
    smooth = 0.15 + 0.3 * RADIUS**2 + noisy(10, 0.001)
    assert extrapolate(curve_of(linear), 1000).discontinuity_weight > 0.9
    assert extrapolate(curve_of(linear, smooth), 1000).discontinuity_weight < 0.1
    below = 0.09 + 0.03 * RADIUS**2 + noisy(10, 0.001)
    assert extrapolate(curve_of(below, linear), 1000).discontinuity_weight > 0.9


def test_noise_between_the_curves_is_no_reason_to_give_up_the_trend() -> None:
    """Two in a hundred are beyond two standard errors; of forty, seven with chance 1e-5."""
    given_up = [trend_adds_bias(0.2 + noisy(s), 0.2 + noisy(s + 500)) for s in range(40)]
    assert sum(given_up) < 7


def test_the_plain_curve_is_freed_of_the_point_itself() -> None:
    """Labels independent of the points differ n/(n − 1) times as often between two rows."""
    flat = np.full(K, 0.2)
    assert extrapolate(curve_of(flat + 0.3, flat), 10).mismatch == pytest.approx(0.2 * 9 / 10)


def test_the_fitted_curve_ends_where_most_models_have_stopped_reading() -> None:
    values = 0.1 + noisy(11, 0.001)
    values[50:] += 0.2
    curve = curve_of(values)
    radius, fitted = fitted_curve(curve, 1000)
    at_rank = curve.radius_power(1)
    assert at_rank[30] < radius[-1] < at_rank[55]
    np.testing.assert_allclose(fitted, 0.1, atol=0.01)


@pytest.mark.parametrize(
    ("changed", "discontinuous"),
    [
        (AveragingOptions(), False),
        (AveragingOptions(discontinuity_cost=60.0), False),
        (AveragingOptions(discontinuity_cost=-60.0), True),
        (AveragingOptions(plain_cost=-60.0), True),
    ],
)
def test_costs_can_be_changed(changed: AveragingOptions, discontinuous: bool) -> None:
    curve = curve_of(0.1 + 0.05 * RADIUS**2 + noisy(12))
    found = extrapolate(curve, 1000, options=changed)
    assert (found.discontinuity_weight > 0.5) == discontinuous
    radius, values = fitted_curve(curve, 1000, options=changed)
    assert values[0] == pytest.approx(found.mismatch)
    assert radius[0] == 0
