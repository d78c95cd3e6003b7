from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import special_ortho_group

from bayesfloor import populations
from bayesfloor.base.arrays import Floats, Ints
from bayesfloor.curve.design_columns import Blocks, Polynomials, Splines
from bayesfloor.curve.trend import (
    Trend,
    TrendLimits,
    add_splines,
    fit_columns,
    fit_trend,
    make_knots,
    make_polynomials,
)
from bayesfloor.sample.distinct_points import Cells, make_cells
from bayesfloor.sample.sample import Sample


def cells_of(points: Floats, labels: Ints) -> Cells:
    return make_cells(Sample(points, labels, np.unique(labels)))


def draw(population: populations.Population, n: int, seed: int) -> tuple[Floats, Ints]:
    both = population.draw(n, n, np.random.default_rng(seed))
    return np.concatenate(both), np.repeat([0, 1], n)


def of_rows(cells: Cells, trend: Trend) -> Floats:
    return trend.fitted[cells.of_row]


def degree_of(trend: Trend) -> str:
    polynomials = trend.basis.layers[0]
    assert isinstance(polynomials, Polynomials)
    return polynomials.degree


def test_labels_without_a_trend_get_a_constant_of_the_priors() -> None:
    rng = np.random.default_rng(0)
    cells = cells_of(rng.normal(size=(600, 2)), rng.permutation(np.repeat([0, 1, 1], 200)))
    trend = fit_trend(cells)
    assert trend.p == 1
    np.testing.assert_allclose(trend.fitted, np.tile([1 / 3, 2 / 3], (600, 1)))


@pytest.mark.parametrize(
    "population",
    [populations.shift(3, 2), populations.scale(5, 1.5), populations.figure4()],
    ids=str,
)
def test_the_trend_comes_close_to_the_posterior(population: populations.Population) -> None:
    points, labels = draw(population, 2000, 1)
    cells = cells_of(points, labels)
    error = of_rows(cells, fit_trend(cells))[:, 0] - population.posterior(points, 0.5)
    spread = np.var(population.posterior(points, 0.5))
    assert np.mean(error**2) < 0.05 * spread


def test_the_basis_is_orthonormal_over_the_rows() -> None:
    rng = np.random.default_rng(2)
    points = np.round(rng.normal(size=(500, 2)), 1)  # duplicates too
    cells = cells_of(points, (points[:, 0] > 0).astype(np.int64))
    basis = fit_trend(cells).basis.at(cells.of_row)
    np.testing.assert_allclose(basis.T @ basis, np.eye(basis.shape[1]), atol=1e-9)


def test_cells_are_weighted_by_their_rows() -> None:
    rng = np.random.default_rng(6)
    points = np.round(rng.normal(size=(400, 1)))
    labels = (points[:, 0] + rng.normal(size=400) > 0.5).astype(np.int64)
    cells = cells_of(points, labels)
    columns = np.column_stack([np.ones(400), points, points**2])
    expected = columns @ np.linalg.lstsq(columns, np.eye(2)[labels], rcond=None)[0]
    trend = fit_columns(cells, make_polynomials(cells, "spherical"))
    np.testing.assert_allclose(of_rows(cells, trend), expected, atol=1e-9)


def test_duplicated_columns_and_constant_columns_change_nothing() -> None:
    points, labels = draw(populations.shift(2, 2), 300, 3)
    wide = np.column_stack([points, points[:, 0], np.full(600, 7.0)])
    one, two = cells_of(points, labels), cells_of(wide, labels)
    # |x|² counts the repeated column twice, so compare the full quadratic fits: same column space.
    a, b = (add_splines(fit_columns(c, make_polynomials(c, "quadratic")), c) for c in (one, two))
    assert a.p == b.p
    np.testing.assert_allclose(of_rows(one, a), of_rows(two, b), atol=1e-8)


@pytest.mark.parametrize("degree", ["spherical", "quadratic"])
def test_the_trend_follows_rotation_scaling_and_shift(degree: str) -> None:
    points, labels = draw(populations.scale(5, 1.5), 200, 4)
    rotation = special_ortho_group.rvs(5, random_state=1)
    one, two = cells_of(points, labels), cells_of(3 * points @ rotation + 10, labels)
    a, b = (add_splines(fit_columns(c, make_polynomials(c, degree)), c) for c in (one, two))
    np.testing.assert_allclose(of_rows(one, a), of_rows(two, b), atol=1e-9)


def test_more_columns_than_the_budget_leave_a_constant() -> None:
    rng = np.random.default_rng(5)
    points = rng.normal(size=(60, 50))
    assert fit_trend(cells_of(points, (points[:, 0] > 0).astype(np.int64))).p == 1


def test_no_trend_has_more_columns_than_the_most() -> None:
    points = np.random.default_rng(8).normal(size=(400, 5))
    cells = cells_of(points, (points[:, 0] * points[:, 1] > 0).astype(np.int64))
    assert degree_of(fit_trend(cells)) == "quadratic"  # 1 + 5 + 15 and 8 of the spline
    assert degree_of(fit_trend(cells, limits=TrendLimits(most_columns=28))) != "quadratic"


def test_splines_are_straight_beyond_their_outer_knots_and_curved_between() -> None:
    score = np.linspace(-3, 5, 81)
    knots = np.array([-1.0, 0.0, 0.5, 2.0])
    values = Splines(score[None], (knots,)).at(slice(None))
    assert values.shape == (81, len(knots) - 2)
    second = np.abs(np.diff(values, 2, axis=0)).max(axis=1)
    outside = (score[2:] <= knots[0]) | (score[:-2] >= knots[-1])
    assert second[outside].max() < 1e-12
    assert second[~outside].min() > 1e-5


def test_every_one_of_several_classes_has_its_splines() -> None:
    """Renamed classes get the same trend: the first is not the only one that may level off."""
    rng = np.random.default_rng(9)
    points = rng.normal(size=(600, 2))
    labels = (points[:, 0] + 0.3 * rng.normal(size=600) > 0.5).astype(np.int64)
    labels[points[:, 1] + 0.3 * rng.normal(size=600) > 0.7] = 2
    one, two = cells_of(points, labels), cells_of(points, (labels + 1) % 3)
    a, b = (add_splines(fit_columns(c, make_polynomials(c, "spherical")), c) for c in (one, two))
    assert a.p == 1 + 2 + 1 + 3 * 8
    np.testing.assert_allclose(of_rows(one, a), of_rows(two, b)[:, [1, 2, 0]], atol=1e-8)


def test_knots_that_almost_coincide_are_one() -> None:
    score = np.concatenate([np.linspace(0, 1e-9, 300), np.linspace(0.2, 0.8, 100), np.ones(100)])
    cells = cells_of(score[:, None], np.arange(500) % 2)
    knots = make_knots(cells.points[:, 0], cells)
    assert knots[0] < 1e-9
    assert len(knots) == 4
    assert np.diff(knots).min() > 0.01


@pytest.mark.parametrize("n", [160, 400])
@pytest.mark.parametrize("rare", [0.3, 0.5])
def test_swapped_classes_have_the_same_trend_where_most_points_almost_coincide(
    n: int, rare: float
) -> None:
    rng = np.random.default_rng(n)
    labels = (np.arange(n) < rare * n).astype(np.int64)
    points = 1 / (1 + np.exp(-12 * (rng.normal(size=(n, 1)) + 2 * labels[:, None] - 1)))
    one, two = cells_of(points, labels), cells_of(points, 1 - labels)
    a, b = (fit_trend(cells).fitted[cells.of_row] for cells in (one, two))
    np.testing.assert_allclose(a, b[:, ::-1], atol=1e-12)


def test_knots_lie_at_quantiles_of_the_rows_not_of_the_cells() -> None:
    # Of 102 rows, 51 are at 0 and 51 at 1 to 51: the ten quantiles from 2 % on begin with 0.
    cells = cells_of(np.maximum(np.arange(-50.0, 52.0), 0)[:, None], np.arange(102) % 2)
    knots = make_knots(cells.points[:, 0], cells)
    assert knots[0] == 0
    np.testing.assert_allclose(np.diff(knots[1:]), 0.96 / 9 * 101)
    assert knots[-1] == pytest.approx(0.98 * 101 - 50)


def test_points_that_are_all_equal_get_a_constant() -> None:
    trend = fit_trend(cells_of(np.zeros((100, 2)), np.arange(100) % 2))
    np.testing.assert_allclose(trend.fitted, [[0.5, 0.5]])


def test_blocks_and_some_points_give_the_fit_of_all_points() -> None:
    points, labels = draw(populations.shift(3, 2), 400, 7)
    cells = cells_of(points, labels)
    whole = fit_trend(cells)
    parted = fit_trend(cells, Blocks(size=97, most_decomposed=150))
    np.testing.assert_allclose(parted.fitted, whole.fitted, atol=1e-12)
    every = np.arange(len(cells.points))
    leverage = (whole.basis.at(every) ** 2).sum(axis=1)
    np.testing.assert_allclose((parted.basis.at(every) ** 2).sum(axis=1), leverage, atol=1e-12)


@pytest.mark.parametrize("far", [1e3, 1e7, 1e9, 1e12])
def test_a_point_far_out_is_among_those_that_show_how_columns_depend(far: float) -> None:
    points, labels = draw(populations.shift(3, 2), 2001, 7)
    points[1003] = far
    cells = cells_of(points, labels)
    whole = fit_trend(cells)
    parted = fit_trend(cells, Blocks(size=300, most_decomposed=900))
    assert parted.p == whole.p
    np.testing.assert_allclose(parted.fitted, whole.fitted, atol=1e-4)


@pytest.mark.parametrize("rounded", [False, True])
@pytest.mark.parametrize("most", [150, 50_000])
def test_columns_that_are_added_are_fitted_as_if_they_had_been_there(
    rounded: bool, most: int
) -> None:
    blocks = Blocks(most_decomposed=most)
    points, labels = draw(populations.shift(2, 2), 400, 7)
    cells = cells_of(np.round(4 * points) / 4 if rounded else points, labels)
    polynomials = fit_columns(cells, make_polynomials(cells, "spherical", blocks))
    once = add_splines(polynomials, cells)
    splines = once.basis.layers[1]
    assert isinstance(splines, Splines)
    score, knots = splines.scores[0], splines.knots[0]
    twice = Splines(np.array([score, score]), (knots, knots), blocks)
    trend = fit_columns(cells, twice, polynomials)  # some depend
    columns = np.hstack([layer.at(slice(None)) for layer in once.basis.layers])[cells.of_row]
    shares = (cells.counts / cells.sizes[:, None])[cells.of_row]
    expected = columns @ np.linalg.lstsq(columns, shares, rcond=None)[0]
    for found in (once, trend):
        assert found.p == columns.shape[1]
        np.testing.assert_allclose(of_rows(cells, found), expected, atol=1e-9)
        basis = found.basis.at(cells.of_row)
        np.testing.assert_allclose(basis.T @ basis, np.eye(found.p), atol=1e-9)


@pytest.mark.parametrize("most", [150, 50_000])
def test_columns_that_are_there_already_are_not_added(most: int) -> None:
    cells = cells_of(*draw(populations.shift(2, 2), 400, 7))
    spherical, quadratic = (
        make_polynomials(cells, degree, Blocks(most_decomposed=most))
        for degree in ("spherical", "quadratic")
    )
    found, expected = (
        fit_columns(cells, quadratic, fit_columns(cells, spherical)),
        fit_columns(cells, quadratic),
    )
    assert found.p == expected.p == 6
    np.testing.assert_allclose(found.fitted, expected.fitted, atol=1e-9)
    assert fit_columns(cells, spherical, found).p == 6


@pytest.mark.parametrize("seed", range(8))
def test_as_many_columns_as_points_leave_nothing_to_add(seed: int) -> None:
    """Little of a column is left then, and it is rounding."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 3, 1500)
    points = 2 * rng.normal(size=(1500, 1)) + 2.6 * labels[:, None]
    cells = cells_of(points.round().astype(np.float64), labels)
    trend = fit_columns(cells, make_polynomials(cells, "spherical"))
    for _ in range(3):
        trend = add_splines(trend, cells)
        assert trend.p <= len(cells.points)
    np.testing.assert_allclose(trend.fitted, cells.counts / cells.sizes[:, None], atol=1e-6)


def test_a_discontinuity_is_followed_by_splines_of_the_splines() -> None:
    population = populations.square()
    points, labels = draw(population, 1000, 11)
    cells = cells_of(points, labels)
    once = add_splines(fit_columns(cells, make_polynomials(cells, "quadratic")), cells)
    found = fit_trend(cells)
    assert found.p > once.p
    truth = np.where(cells.points[:, 0] < 0.5, 0.9, 0.1)  # posterior of the first class
    assert abs(truth - cells.counts[:, 0]).mean() < 0.3  # labels follow it
    off = [((trend.fitted[:, 0] - truth) ** 2).mean() for trend in (once, found)]
    assert off[1] < 0.8 * off[0]


def test_a_trend_is_refined_only_within_the_limits() -> None:
    cells = cells_of(*draw(populations.square(), 1000, 11))
    assert len(fit_trend(cells).basis.layers) == 3
    few = TrendLimits(most_columns=19)  # 4 or 6, and 8 of the splines
    assert len(fit_trend(cells, limits=few).basis.layers) == 2
    thin = TrendLimits(refined_columns_per_row=0.005)  # 10 columns
    assert len(fit_trend(cells, limits=thin).basis.layers) == 2


def test_a_smooth_trend_is_not_refined() -> None:
    cells = cells_of(*draw(populations.shift(2, 2), 300, 12))
    found = fit_trend(cells)
    assert len(found.basis.layers) == 2
    assert add_splines(found, cells).cross_validation > found.cross_validation
