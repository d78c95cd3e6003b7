from __future__ import annotations

import numpy as np
import pytest

from bayesfloor.base.arrays import Floats
from bayesfloor.curve.rank_curve import RankCurve
from bayesfloor.estimators.extrapolation import (
    POWERS,
    TEMPER,
    Fit,
    Models,
    _mix,
    _smooth_and_sharp,
    average,
    chance_noise,
    curve_noise,
    fit_models,
    fitted_curve,
    make_design,
    trend_hurts,
)

K = 120


def curve_of(adjusted: Floats, plain: Floats | None = None, d: float = 2.0) -> RankCurve:
    rank = np.arange(1, len(adjusted) + 1)
    return RankCurve(
        rank=rank,
        mismatch=adjusted * 1000 / 999 if plain is None else plain,  # as for a flat trend, n = 1000
        adjusted=adjusted,
        radius=(rank / len(rank)) ** (1 / d),
        at_zero=np.zeros(len(rank)),
        intrinsic_dimension=d,
    )


def noisy(seed: int, level: float = 0.003) -> Floats:
    return level * np.random.default_rng(seed).normal(size=K)


RADIUS = np.sqrt(np.arange(1, K + 1) / K)


def spread_of(fit: Fit) -> float:
    assert fit.weights.sum() == pytest.approx(1)
    return float(fit.weights @ fit.offsets**2)


@pytest.mark.parametrize(
    "shape",
    [0 * RADIUS, 0.05 * RADIUS**2, 0.1 * RADIUS**2 - 0.05 * RADIUS**4],
    ids=["flat", "r²", "r² and r⁴"],
)
def test_smooth_curves_are_extrapolated_to_their_limit(shape: Floats) -> None:
    fits = [average(curve_of(0.2 + shape + noisy(s)), 1000) for s in range(20)]
    errors = [fit.mismatch - 0.2 for fit in fits]
    typical = np.sqrt(np.mean([fit.noise + spread_of(fit) for fit in fits]))
    assert abs(np.mean(errors)) < typical
    assert np.sqrt(np.mean(np.square(errors))) < 2 * typical


def test_a_flat_curve_is_little_more_than_averaged() -> None:
    errors = [average(curve_of(0.2 + noisy(s)), 1000).mismatch - 0.2 for s in range(60)]
    assert np.mean(np.square(errors)) < 4 * 0.003**2 / K


def test_a_sharp_boundary_is_recognised_and_extrapolated_along_the_radius() -> None:
    fits = [average(curve_of(0.1 + 0.2 * RADIUS + noisy(s)), 1000) for s in range(10)]
    assert min(fit.sharp for fit in fits) > 0.9
    assert np.mean([fit.mismatch for fit in fits]) == pytest.approx(0.1, abs=0.005)


def test_what_a_jump_would_leave_is_known_even_if_the_answer_is_another() -> None:
    radius = RADIUS ** (2 / 6)
    fits = [
        average(curve_of(0.02 + 0.1 * radius**2, 0.2 * radius + noisy(s), d=6.0), 1000)
        for s in range(40)
    ]
    assert max(fit.sharp for fit in fits) < 0.1  # by the dimension
    means, variances = np.array([fit.jump for fit in fits]).T
    inside = np.abs(means) < 1.96 * np.sqrt(variances)
    assert inside.sum() >= 34  # of 40 at 95 %: fewer has a chance of one in 100


def test_curves_too_short_for_a_sharp_model_know_no_jump() -> None:
    assert average(curve_of(np.array([0.1, 0.2, 0.3])), 1000).jump is None


def test_a_smooth_curve_is_not_taken_for_a_sharp_one() -> None:
    fits = [average(curve_of(0.1 + 0.2 * RADIUS**2 + noisy(s)), 1000) for s in range(10)]
    assert max(fit.sharp for fit in fits) < 0.1


def test_high_dimension_makes_sharp_models_unlikely() -> None:
    values = 0.1 + 0.05 * RADIUS + noisy(0, 0.01)
    low = fit_models(make_design(curve_of(values)), values, sharp_cost=0.0)
    high = fit_models(make_design(curve_of(values)), values, sharp_cost=3.0 * 8)
    assert low.weights()[low.sharp].sum() > 0.5 > high.weights()[high.sharp].sum()


def test_the_noise_variance_is_read_off_the_differences() -> None:
    values = 0.3 + 0.1 * RADIUS**2 + noisy(1, 0.004)
    assert curve_noise(values) == pytest.approx(0.004**2, rel=0.4)


def test_the_reported_noise_is_that_of_the_intercept() -> None:
    fits = [average(curve_of(0.2 + noisy(s)), 1000) for s in range(100)]
    spread = np.var([fit.mismatch for fit in fits])
    assert spread < np.mean([fit.noise + spread_of(fit) for fit in fits]) < 10 * spread


def test_a_trend_that_adds_to_close_neighbours_is_given_up() -> None:
    plain = 0.01 + 0.5 * RADIUS**2 + noisy(2)
    rough = 0.06 + 0.05 * RADIUS + noisy(3)
    assert trend_hurts(rough, plain)
    assert not trend_hurts(plain, rough)
    fit = average(curve_of(rough, plain), 1000)
    assert fit.mismatch == pytest.approx(0.01, abs=0.01)


def test_a_negative_intercept_costs_its_distance_from_zero() -> None:
    values = -0.05 + 0.2 * RADIUS + noisy(4)
    low = fit_models(make_design(curve_of(values)), values, sharp_cost=0.0)
    high = fit_models(make_design(curve_of(values)), values + 1, sharp_cost=0.0)
    excess = np.minimum(low.intercept, 0) ** 2 / low.noise
    assert excess.max() > 100
    np.testing.assert_allclose(low.cost, high.cost + excess, rtol=1e-6)


def test_tied_ranks_are_not_taken_for_exact_ones() -> None:
    """Thirty ranks that share their points, one standard error below the others, make no slope."""
    rank = np.arange(1, K + 1)
    near = rank <= 30
    values = 0.38 - near * 0.38 / np.sqrt(3000 * 30)
    radius = np.where(near, 1.0, 1.1)
    curve = RankCurve(rank, values, values, radius, np.zeros(K), 9.0)
    assert average(curve, 3000).mismatch == pytest.approx(0.38, abs=0.005)


@pytest.mark.parametrize("ranks", [1, 2, 3, 4, 5, 6, 7, 10])
def test_short_curves_have_an_answer(ranks: int) -> None:
    fit = average(curve_of(np.full(ranks, 0.25)), ranks + 1)
    assert fit.mismatch == pytest.approx(0.25, abs=1e-6 + 0.25 / ranks)
    assert np.isfinite(fit.noise + spread_of(fit))


def test_ranks_at_radius_zero_carry_no_bias() -> None:
    rank = np.arange(1, K + 1)
    zero = rank <= 40
    values = np.where(zero, 0.2, 0.2 + 0.3 * (rank - 40) / K)
    curve = RankCurve(
        rank, values, values, np.where(zero, 0.0, (rank - 40.0) / K), zero.astype(float), 0.0
    )
    assert average(curve, 1000).mismatch == pytest.approx(0.2, abs=0.005)


@pytest.mark.parametrize(("power", "d"), [(1, 2), (2, 2), (2, 8)], ids=["sharp", "smooth", "far"])
def test_the_fitted_curve_starts_at_the_estimate_and_follows_values(power: int, d: int) -> None:
    radii = (np.arange(1, K + 1) / K) ** (1 / d)
    curve = curve_of(0.1 + 0.2 * radii**power + noisy(5, 0.001), d=d)
    radius, values = fitted_curve(curve, 1000)
    assert radius[0] == 0
    assert (np.diff(radius) > 0).all()
    assert values[0] == pytest.approx(average(curve, 1000).mismatch)
    at_rank = np.isin(radius, curve.radius_power(1))
    assert at_rank.sum() >= K / 2
    np.testing.assert_allclose(values, 0.1 + 0.2 * radius**power, atol=0.01)


def test_radii_that_hardly_grow_are_fitted_by_what_can_be_told_apart() -> None:
    values = np.full(12, 0.25)
    design = make_design(curve_of(values, d=1e12))
    models = fit_models(design, values, sharp_cost=0.0)
    assert design.used.any(axis=0).all()
    np.testing.assert_allclose(models.intercept + models.slopes.sum(axis=1), 0.25, rtol=1e-6)


# each model, and how they are weighed


def test_every_model_is_a_least_squares_fit_that_costs_what_the_formula_says() -> None:
    values = -0.001 + 0.02 * RADIUS + noisy(6)
    curve = curve_of(values)
    models = fit_models(make_design(curve), values, sharp_cost=7.0)
    noise, bases = 2 * curve_noise(values), set()
    for i, end in enumerate(models.window):
        basis = tuple(s for s, slope in zip(POWERS, models.slopes[i], strict=True) if slope)
        columns = np.stack([curve.radius_power(s) for s in (0, *basis)], axis=1)[:end]
        fitted = np.linalg.lstsq(columns, values[:end])[0]
        misfit = ((values[:end] - columns @ fitted) ** 2).sum() / noise
        variance = np.linalg.inv(columns.T @ columns)[0, 0] * noise
        below = min(fitted[0], 0) ** 2 / variance
        cost = misfit + 3 * columns.shape[1] + (K - end) + 7 * (1 in basis) + below
        assert models.intercept[i] == pytest.approx(fitted[0], abs=1e-8)
        assert models.noise[i] == pytest.approx(variance, rel=1e-5)
        assert models.cost[i] == pytest.approx(cost, rel=1e-5)
        assert models.sharp[i] == (1 in basis)
        bases.add(basis)
    assert bases == {(), (2,), (2, 4), (1,), (1, 2)}
    assert len(set(models.window)) == 10
    assert (min(models.window), max(models.window)) == (6, K)


def test_the_answer_is_the_weighted_mean_of_the_models_and_its_spread_is_flattened() -> None:
    curve = curve_of(0.2 + 0.05 * RADIUS**2 + noisy(7), d=20)  # too many for a sharp boundary
    least = chance_noise(curve.adjusted, 1000, 2) / 4
    models = fit_models(make_design(curve), curve.adjusted, 2 + 3 * 18, least)
    fit = average(curve, 1000, other=1.0)  # no model is too far off
    weights, flat = (np.exp(-t * (models.cost - models.cost.min())) for t in (0.5, 0.2))
    mean = np.average(models.intercept, weights=weights)
    noise = np.average(models.noise, weights=weights)
    apart = (models.intercept - mean) ** 2 - np.maximum(models.noise - noise, 0)
    assert fit.sharp < 1e-9
    assert fit.mismatch == pytest.approx(mean)
    assert fit.noise == pytest.approx(noise)
    spread = np.average(np.maximum(apart, 0), weights=flat)
    assert spread_of(fit) == pytest.approx(spread, rel=0.01)  # sharp models: e⁻¹¹ of the weight
    assert spread > 1.2 * np.average(np.maximum(apart, 0), weights=weights)


COST = 12.0
WIDE = np.exp(-0.2 * COST)  # flattened weight of the second of two models, over the first


def two_models(apart: float, noise: float) -> Models:
    return Models(
        intercept=np.array([0.2, 0.2 + apart]),
        noise=np.array([1e-4, noise]),
        cost=np.array([0.0, COST]),
        sharp=np.array([False, False]),
        window=np.array([9, 9]),
        slopes=np.zeros((2, 3)),
    )


def squares(models: Models, fit: Fit) -> Floats:
    """Squared distances from the mean, less what noise explains."""
    return (models.intercept - fit.mismatch) ** 2 - np.maximum(models.noise - fit.noise, 0)


def test_models_that_differ_by_their_noise_alone_do_not_disagree() -> None:
    noisier = two_models(apart=0.02, noise=1e-4 + 0.02**2)
    fit = _mix(noisier, noisier, 0.0, 0.0, other=0.0)
    assert spread_of(fit) < 0.01 * WIDE * 0.02**2
    half = two_models(apart=0.02, noise=1e-4 + 0.02**2 / 2)
    spread = spread_of(_mix(half, half, 0.0, 0.0, other=0.0))
    assert spread == pytest.approx(WIDE / (1 + WIDE) * 0.02**2 / 2, rel=0.03)


def test_models_with_less_noise_disagree_by_their_distance_alone() -> None:
    quiet = two_models(apart=0.02, noise=0.0)
    spread = spread_of(_mix(quiet, quiet, 0.0, 0.0, other=0.0))
    assert spread == pytest.approx(WIDE / (1 + WIDE) * 0.02**2, rel=0.03)


@pytest.mark.parametrize("apart", [0.02, -0.02])
def test_offsets_are_on_the_side_of_their_models(apart: float) -> None:
    models = two_models(apart=apart, noise=0.0)
    fit = _mix(models, models, 0.0, 0.0, other=0.0)
    assert fit.offsets[:2] == pytest.approx([0, apart], abs=1e-4)


@pytest.mark.parametrize(("share", "errors"), [(0.0, 2), (0.01, 4), (1.0, 202)])
def test_sharp_models_far_off_count_as_two_standard_errors_unless_they_are_asked_for(
    share: float, errors: float
) -> None:
    smooth, far = two_models(apart=0.0, noise=1e-4), two_models(apart=90.0, noise=1e-4)
    fit = _mix(smooth, far, share, 0.5, other=3e-4)
    limited = far.weights(TEMPER) @ squares(far, fit).clip(0, errors**2 * 4e-4)
    free = smooth.weights(TEMPER) @ squares(smooth, fit)
    assert spread_of(fit) == pytest.approx(0.5 * limited + 0.5 * free)


@pytest.mark.parametrize("d", [1, 2, 5])
def test_dimensions_above_two_and_the_plain_curve_speak_against_a_sharp_boundary(d: int) -> None:
    curve = curve_of(0.1 + 0.2 * RADIUS + noisy(8), d=d)
    least = chance_noise(curve.adjusted, 1000, 2) / 4
    adjusted, plain, _, _ = _smooth_and_sharp(curve, 1000, 2)
    for found, more in ((adjusted.only(adjusted.sharp), 2), (plain, 2 + 4)):
        free = fit_models(make_design(curve), curve.adjusted, 0.0, least)
        dear = free.cost[free.sharp] + more + 3 * max(d - 2, 0)
        np.testing.assert_allclose(found.cost, dear, rtol=1e-6)


def test_the_plain_curve_decides_whether_a_boundary_is_sharp() -> None:
    sharp, smooth = 0.1 + 0.05 * RADIUS + noisy(9, 0.001), 0.15 + 0.3 * RADIUS**2 + noisy(10, 0.001)
    assert average(curve_of(sharp), 1000).sharp > 0.9
    assert average(curve_of(sharp, smooth), 1000).sharp < 0.1
    below = 0.09 + 0.03 * RADIUS**2 + noisy(10, 0.001)
    assert average(curve_of(below, sharp), 1000).sharp > 0.9


def test_noise_between_the_curves_is_no_reason_to_give_up_the_trend() -> None:
    """Two in a hundred are beyond two standard errors; of forty, seven with chance 1e-5."""
    given_up = [trend_hurts(0.2 + noisy(s), 0.2 + noisy(s + 500)) for s in range(40)]
    assert sum(given_up) < 7


def test_the_plain_curve_is_freed_of_the_point_itself() -> None:
    """Labels independent of the points differ n/(n − 1) times as often between two rows."""
    flat = np.full(K, 0.2)
    assert average(curve_of(flat + 0.3, flat), 10).mismatch == pytest.approx(0.2 * 9 / 10)


@pytest.mark.parametrize("m", [2, 3, 10])
def test_the_noise_of_chance_is_that_of_equally_frequent_labels(m: int) -> None:
    differ = 1 - 1 / m
    assert chance_noise(np.full(4, differ), 700, m) == pytest.approx(differ * (1 - differ) / 700)


def test_the_fitted_curve_ends_where_most_models_have_stopped_reading() -> None:
    values = 0.1 + noisy(11, 0.001)
    values[50:] += 0.2
    curve = curve_of(values)
    radius, fitted = fitted_curve(curve, 1000)
    at_rank = curve.radius_power(1)
    assert at_rank[30] < radius[-1] < at_rank[55]
    np.testing.assert_allclose(fitted, 0.1, atol=0.01)
