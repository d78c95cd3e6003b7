from __future__ import annotations

import pickle
from collections.abc import Callable
from itertools import pairwise
from math import exp, log, pi, sqrt

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.spatial import cKDTree
from scipy.stats import chi, chi2, laplace, ncx2, norm

from bayesfloor.base.arrays import Floats
from bayesfloor.base.errors import DataError
from bayesfloor.truth import laws, populations
from bayesfloor.truth.populations import POPULATIONS, Population

PRIORS = [0.5, 0.1]
INSIDE = norm.cdf(5) - norm.cdf(-5)  # share of a standard normal column within [-5, 5]
INSIDE3 = (norm.cdf(4 / sqrt(2)) - norm.cdf(-6 / sqrt(2))) * (1 - 2 * norm.cdf(-5 / sqrt(2)))

every_population = pytest.mark.parametrize("population", POPULATIONS.values(), ids=str)
every_prior = pytest.mark.parametrize("p", PRIORS)


def seeded() -> np.random.Generator:
    return np.random.default_rng(2018)


# by hand


def test_square_at_one_tenth_matches_the_sums_on_paper() -> None:
    square, left, right = populations.square(), 0.5, 1 / 82
    eta = square.posterior(np.array([[0.2, 0.9], [0.7, 0.1]]), 0.1)
    np.testing.assert_allclose(eta, [left, right])
    divergence = 1 - (0.5 * 0.36 / 0.36 + 0.5 * 0.36 / 1.64)
    assert square.divergence(0.1) == pytest.approx(divergence, abs=1e-12)
    assert square.mismatch(0.1) == pytest.approx(0.18 * (1 - divergence), abs=1e-12)
    assert square.bayes_error(0.1) == pytest.approx(0.5 * 0.18 + 0.5 * 0.02, abs=1e-12)
    va = 0.9 * 0.1 * ((1 - left) ** 2 - (1 - right) ** 2) ** 2 / 0.9**2
    vb = 0.1 * 0.9 * (left**2 - right**2) ** 2 / 0.1**2
    assert square.efficiency(0.1) == pytest.approx((va, vb), abs=1e-12)


def test_posterior_at_the_centre_of_round_classes() -> None:
    origin = np.zeros((1, 2))
    assert populations.scale(2, 3).posterior(origin, 0.1) == pytest.approx(0.1 / (0.1 + 0.9 / 9))
    assert populations.ring(2).posterior(origin) == pytest.approx(1)


def test_posterior_is_nan_where_neither_class_can_be() -> None:
    inside, outside = POPULATIONS["figure4()"].posterior(np.array([[5.0, -5.0], [5.1, 0.0]]))
    assert 0 < inside < 1
    assert np.isnan(outside)


# truth

KNOWN = [  # population, D, Bayes error, va, vb at p = 1/2
    (populations.shift(4, 1), 0.204054, 0.308537, 0.130269, 0.130269),
    (populations.shift(1, 2), 0.550400, 0.158655, 0.161648, 0.161648),
    (populations.scale(5, 1.5), 0.285173, 0.268455, 0.117606, 0.177757),
    (populations.scale(20, 2), 0.951024, 0.015938, 0.017747, 0.038647),
    (populations.figure3(), 0.211477, 0.304924, 0.096753, 0.146975),
    (populations.figure4(), 0.644596, 0.118353, 0.069775, 0.237068),
]


@pytest.mark.parametrize(("population", "divergence", "error", "va", "vb"), KNOWN)
def test_truths_match_the_known_values(
    population: Population, divergence: float, error: float, va: float, vb: float
) -> None:
    assert population.divergence() == pytest.approx(divergence, abs=1e-5)
    assert population.bayes_error() == pytest.approx(error, abs=1e-5)
    assert population.efficiency() == pytest.approx((va, vb), abs=1e-5)


@pytest.mark.parametrize(
    ("delta", "divergence", "error"), [(2, 0.411293, 0.070061), (1, 0.103876, 0.098664)]
)
def test_truths_at_unequal_shares_match_the_known_values(
    delta: float, divergence: float, error: float
) -> None:
    population = populations.shift(2, delta)
    assert population.divergence(0.1) == pytest.approx(divergence, abs=1e-5)
    assert population.bayes_error(0.1) == pytest.approx(error, abs=1e-5)


def shift_error(p: float, delta: float) -> float:
    cut = delta / 2 + log(p / (1 - p)) / delta
    return p * norm.sf(cut) + (1 - p) * norm.cdf(cut - delta)


def scale_error(p: float, d: int, sigma: float) -> float:
    cut = max(0, 2 * (d * log(sigma) + log(p / (1 - p))) / (1 - sigma**-2))
    return p * chi2.sf(cut, d) + (1 - p) * chi2.cdf(cut / sigma**2, d)


def ring_error(p: float, d: int) -> float:
    cut = d * p / (1 - p)  # the ratio of the densities is d / |x|²
    return p * chi2.sf(cut, d) + (1 - p) * chi2.cdf(cut, d + 2)


def wave_error(p: float, amplitude: float) -> float:
    if abs(cosine := (1 - 2 * p) / amplitude) > 1:
        return min(p, 1 - p)
    phase = np.arccos(cosine)  # the first class wins at smaller phases
    first, second = phase + amplitude * np.sin(phase), phase - amplitude * np.sin(phase)
    return (p * (pi - first) + (1 - p) * second) / pi


def figure3_error(p: float) -> float:
    cut = max(0, 2 + 4 * log(2 * p * INSIDE3 / (1 - p) / INSIDE**2))  # around (-1, 0)
    first, second = ncx2.cdf(cut, 2, 1) / INSIDE**2, ncx2.cdf(cut / 2, 2, 2) / INSIDE3
    return p * (1 - first) + (1 - p) * second


def figure4_error(p: float) -> float:
    cut = max(0, 2 * log(100 / (2 * pi) * p / (1 - p) / INSIDE**2))
    return p * (1 - (1 - exp(-cut / 2)) / INSIDE**2) + (1 - p) * pi * cut / 100


def ripley_error(p: float) -> float:
    def at(x: float) -> float:
        first, second = (
            w * norm.pdf(x, means, sqrt(0.03)).mean()
            for w, means in ((p, [-0.7, 0.3]), (1 - p, [-0.3, 0.4]))
        )
        cut = 0.5 + 0.03 / 0.4 * log(first / second)
        return first * norm.sf(cut, 0.3, sqrt(0.03)) + second * norm.cdf(cut, 0.7, sqrt(0.03))

    return sum(quad(at, a, b)[0] for a, b in pairwise([-2.1, -0.5, 0, 1.8]))


BAYES_ERRORS: list[tuple[Population, Callable[[float], float]]] = [
    (populations.shift(2, 1), lambda p: shift_error(p, 1)),
    (populations.shift(2, 6), lambda p: shift_error(p, 6)),
    (populations.scale(5, 1.5), lambda p: scale_error(p, 5, 1.5)),
    (populations.scale(20, 2), lambda p: scale_error(p, 20, 2)),
    (populations.ring(2), lambda p: ring_error(p, 2)),
    (populations.ring(9), lambda p: ring_error(p, 9)),
    (populations.wave(2, 0.8, 2), lambda p: wave_error(p, 0.8)),
    (populations.wave(1, 0.95, 3), lambda p: wave_error(p, 0.95)),
    (populations.figure2(3), lambda p: min(p, 1 - p)),
    (populations.figure3(), figure3_error),
    (populations.figure4(), figure4_error),
    (populations.ripley(), ripley_error),
]


@pytest.mark.parametrize("p", [0.1, 0.37, 0.5, 0.9])
@pytest.mark.parametrize(("population", "expected"), BAYES_ERRORS)
def test_bayes_error_equals_its_closed_form(
    population: Population, expected: Callable[[float], float], p: float
) -> None:
    assert population.bayes_error(p) == pytest.approx(expected(p), abs=1e-9)


def test_laplace_and_wave_have_textbook_values() -> None:
    assert populations.laplace(3, 1).bayes_error() == pytest.approx(exp(-0.5) / 2, abs=1e-12)
    assert populations.wave(2, 0.8, 2).divergence() == pytest.approx(0.32, abs=1e-12)


def test_ripley_has_its_known_bayes_error() -> None:
    assert populations.ripley().bayes_error() == pytest.approx(0.0893, abs=5e-5)


# oracle


def truths_from_densities(f: Floats, g: Floats, weight: Floats, p: float) -> list[float]:
    """Divergence and efficiency bound from densities at the nodes of any quadrature."""
    eta = p * f / (p * f + (1 - p) * g)
    a, b = (1 - eta) ** 2 / (1 - p), eta**2 / p
    va = (weight * f * a**2).sum() - (weight * f * a).sum() ** 2
    vb = (weight * g * b**2).sum() - (weight * g * b).sum() ** 2
    return [1 - (weight * f * g / (p * f + (1 - p) * g)).sum(), va, vb]


def truths(population: Population, p: float) -> list[float]:
    return [population.divergence(p), *population.efficiency(p)]


@every_prior
@pytest.mark.parametrize(
    ("population", "f", "g"),
    [
        (populations.shift(1, 2), norm().pdf, norm(2).pdf),
        (populations.scale(5, 1.5), chi(5).pdf, chi(5, scale=1.5).pdf),
        (populations.ring(3), chi(3).pdf, chi(5).pdf),
        (populations.laplace(1, 1), laplace().pdf, laplace(1).pdf),
    ],
)
def test_one_number_integrals_match_a_fine_grid(
    population: Population, f: Callable[[Floats], Floats], g: Callable[[Floats], Floats], p: float
) -> None:
    t, width = np.arange(-30, 30, 5e-4) + 2.5e-4, np.full(120_000, 5e-4)
    expected = truths_from_densities(f(t) + 1e-300, g(t) + 1e-300, width, p)
    np.testing.assert_allclose(truths(population, p), expected, atol=1e-8)


def normal(x: Floats, mean: tuple[float, float], variance: float = 1) -> Floats:
    return np.exp(-((x - mean) ** 2).sum(axis=1) / (2 * variance)) / (2 * pi * variance)


@every_prior
@pytest.mark.parametrize(
    ("population", "f", "g"),
    [
        (
            populations.figure1(),
            lambda x: normal(x, (0, 0)) / INSIDE**2,
            lambda x: normal(x, (0, 1)) / INSIDE / (norm.cdf(4) - norm.cdf(-6)),
        ),
        (
            populations.figure3(),
            lambda x: normal(x, (0, 0)) / INSIDE**2,
            lambda x: normal(x, (1, 0), 2) / INSIDE3,
        ),
        (
            populations.figure4(),
            lambda x: normal(x, (0, 0)) / INSIDE**2,
            lambda x: np.full(len(x), 0.01),
        ),
        (
            populations.ripley(),
            lambda x: (normal(x, (-0.7, 0.3), 0.03) + normal(x, (0.3, 0.3), 0.03)) / 2,
            lambda x: (normal(x, (-0.3, 0.7), 0.03) + normal(x, (0.4, 0.7), 0.03)) / 2,
        ),
    ],
)
def test_plane_integrals_match_a_product_grid(
    population: Population, f: Callable[[Floats], Floats], g: Callable[[Floats], Floats], p: float
) -> None:
    half = 2.4 if population.name == "ripley()" else 5.0
    node, weight = np.polynomial.legendre.leggauss(160)
    points = half * np.stack(np.meshgrid(node, node), axis=-1).reshape(-1, 2)
    area = half**2 * np.outer(weight, weight).ravel()
    expected = truths_from_densities(f(points), g(points), area, p)
    np.testing.assert_allclose(truths(population, p), expected, atol=1e-8)


# draws against truths


def z_score(values: Floats, expected: float) -> float:
    """Distance of a mean from its expectation, in standard errors."""
    gap = abs(values.mean() - expected)
    return gap / (values.std() / sqrt(len(values)) + 1e-10)


@every_prior
@every_population
def test_draws_agree_with_truths(population: Population, p: float) -> None:
    n = 20_000
    x, y = population.draw(n, n, seeded())
    a, b = population.posterior(x, p), population.posterior(y, p)
    va, vb = population.efficiency(p)
    kept = 1 - population.divergence(p)
    errors = p * np.minimum(a, 1 - a) + (1 - p) * np.minimum(b, 1 - b)
    first, second = (1 - a) ** 2 / (1 - p), b**2 / p
    assert z_score((1 - a) / (1 - p), kept) < 4
    assert z_score(b / p, kept) < 4
    assert z_score(p * a * (1 - a) + (1 - p) * b * (1 - b), population.mismatch(p) / 2) < 4
    assert z_score(errors, population.bayes_error(p)) < 4
    assert z_score((first - first.mean()) ** 2, va) < 4
    assert z_score((second - second.mean()) ** 2, vb) < 4


@pytest.mark.parametrize(
    ("population", "means", "variances"),
    [
        (populations.shift(3, 2), ([0, 0, 0], [2, 0, 0]), (1, 1)),
        (populations.scale(4, 1.5), (np.zeros(4), np.zeros(4)), (1, 2.25)),
        (populations.ring(3), (np.zeros(3), np.zeros(3)), (1, 5 / 3)),
        (populations.laplace(2, 1), ([0, 0], [1, 0]), (2, 2)),
        (populations.figure1(), ([0, 0], [0, 1]), (1, 1)),
        (populations.figure2(3), (np.zeros(3), np.zeros(3)), (1, 1)),
        (populations.wave(2, 0.8, 2), ([0.5, 0.5], [0.5, 0.5]), (None, None)),
    ],
)
def test_columns_have_the_stated_means_and_variances(
    population: Population,
    means: tuple[Floats, Floats],
    variances: tuple[float | None, float | None],
) -> None:
    for points, mean, variance in zip(
        population.draw(20_000, 20_000, seeded()), means, variances, strict=True
    ):
        for column, centre in zip(points.T, mean, strict=True):
            assert z_score(column, centre) < 4
            assert variance is None or z_score((column - centre) ** 2, variance) < 4


@every_population
def test_draws_have_their_shapes_and_repeat_with_the_generator(population: Population) -> None:
    x, y = population.draw(7, 4, seeded())
    assert x.shape == (7, population.d)
    assert y.shape == (4, population.d)
    again = population.draw(7, 4, seeded())
    np.testing.assert_array_equal(np.vstack(again), np.vstack([x, y]))
    assert len(np.unique(np.vstack([x, y]), axis=0)) == 11
    other = population.draw(7, 4, np.random.default_rng(1))
    assert (np.vstack(other) != np.vstack(again)).all()
    assert population.draw(0, 3, seeded())[0].shape == (0, population.d)


@pytest.mark.parametrize(
    ("population", "low", "high"),
    [
        *((POPULATIONS[f"figure{i}()"], -5, 5) for i in (1, 3, 4)),
        (populations.figure2(6), -5, 5),
        (populations.square(), 0, 1),
        (populations.wave(3, 0.9, 5), 0, 1),
    ],
)
def test_draws_stay_inside_the_support_and_fill_it(
    population: Population, low: float, high: float
) -> None:
    points = np.vstack(population.draw(50_000, 50_000, seeded()))
    assert low <= points.min() < low + (high - low) / 10
    assert high - (high - low) / 10 < points.max() <= high
    assert np.isfinite(population.posterior(points)).all()


# surface


def test_surface_is_curved_and_has_local_dimension_three() -> None:
    surface = POPULATIONS["surface(d=30)"]
    points, _ = surface.draw(30_000, 0, seeded())
    near = points[cKDTree(points).query(points[:50], k=40)[1]]  # (50, 40, 30)
    local = np.linalg.svd(near - near.mean(axis=1, keepdims=True), compute_uv=False) ** 2
    shares = np.median(local / local.sum(axis=1, keepdims=True), axis=0)
    assert shares[2] > 0.1
    assert shares[:3].sum() > 0.97
    spread = np.linalg.svd(points - points.mean(axis=0), compute_uv=False) ** 2
    assert spread[:3].sum() < 0.95 * spread.sum()
    assert (surface.d, surface.intrinsic_dimension) == (30, 3)


def test_surface_keeps_the_truths_of_the_shift_it_carries() -> None:
    flat, curved = populations.shift(3, 2), populations.surface(12)
    assert truths(curved, 0.3) == truths(flat, 0.3)
    assert curved.bayes_error(0.3) == flat.bayes_error(0.3)


def test_surface_is_the_same_in_every_session() -> None:
    surface = POPULATIONS["surface(d=30)"]
    before, _ = surface.draw(2, 0, seeded())
    laws.frame.cache_clear()
    np.testing.assert_array_equal(surface.draw(2, 0, seeded())[0], before)


# properties


@pytest.mark.parametrize("p", [0.02, 0.7])
@every_population
def test_bayes_error_lies_between_its_bounds(population: Population, p: float) -> None:
    divergence, error = population.divergence(p), population.bayes_error(p)
    u = 4 * p * (1 - p) * divergence + (2 * p - 1) ** 2
    assert -1e-12 <= divergence <= 1
    assert 0.5 - sqrt(u) / 2 <= error + 1e-12
    assert error <= min(0.5 - u / 2, p, 1 - p) + 1e-12
    assert population.mismatch(p) == pytest.approx(0.5 - u / 2, abs=1e-12)


@pytest.mark.parametrize(
    ("population", "mirrored"),
    [
        *((POPULATIONS[name],) * 2 for name in ("shift(d=2, delta=1)", "square()")),
        (populations.laplace(2, 1), populations.laplace(2, 1)),
        (populations.wave(1, 0.8, 2), populations.wave(1, -0.8, 2)),
        (populations.shift(2, 1.5), populations.shift(5, -1.5)),
        (populations.scale(3, 2), populations.scale(3, 0.5)),
    ],
)
def test_swapping_the_classes_swaps_the_truths(
    population: Population, mirrored: Population
) -> None:
    assert population.divergence(0.2) == pytest.approx(mirrored.divergence(0.8), abs=1e-12)
    assert population.bayes_error(0.2) == pytest.approx(mirrored.bayes_error(0.8), abs=1e-12)
    assert population.efficiency(0.2) == pytest.approx(mirrored.efficiency(0.8)[::-1], abs=1e-12)


def test_posteriors_of_mirrored_points_add_up_to_one() -> None:
    population = populations.laplace(2, 1)
    x, _ = population.draw(50, 0, seeded())
    mirrored = population.posterior([1, 0] - x, 0.8)
    np.testing.assert_allclose(population.posterior(x, 0.2) + mirrored, 1)


@every_prior
def test_identical_classes_have_no_divergence(p: float) -> None:
    for same in (populations.figure2(4), populations.shift(2, 0), populations.scale(3, 1)):
        assert truths(same, p) == pytest.approx([0, 0, 0], abs=1e-12)
        assert same.bayes_error(p) == pytest.approx(min(p, 1 - p), abs=1e-12)


@every_population
def test_the_name_is_the_call_that_makes_it(population: Population) -> None:
    made = eval(population.name, vars(populations))
    assert POPULATIONS[population.name] is population
    assert repr(made) == population.name
    assert made.divergence(0.3) == population.divergence(0.3)
    assert made.intrinsic_dimension == population.intrinsic_dimension <= population.d == made.d


@every_population
def test_populations_travel_between_processes(population: Population) -> None:
    copy = pickle.loads(pickle.dumps(population))
    np.testing.assert_array_equal(copy.draw(3, 0, seeded())[0], population.draw(3, 0, seeded())[0])


# refusals


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: populations.shift(0, 1), "d = 0; it must be a whole number, at least 1"),
        (lambda: populations.shift(2, np.inf), "delta = inf; it must lie between -inf and inf"),
        (lambda: populations.scale(0, 1), "d = 0; "),
        (lambda: populations.scale(2, 0), "sigma = 0; it must lie between 0 and inf"),
        (lambda: populations.scale(2, np.nan), "sigma = nan; "),
        (lambda: populations.ring(-1), "d = -1; "),
        (lambda: populations.laplace(0, 1), "d = 0; "),
        (lambda: populations.laplace(1, np.nan), "delta = nan; "),
        (lambda: populations.wave(0, 0.5, 1), "d = 0; "),
        (lambda: populations.wave(1, 1, 1), "amplitude = 1; it must lie between -1 and 1"),
        (lambda: populations.wave(1, 0.5, 1.5), "cycles = 1.5; it must be a whole number"),  # type: ignore[arg-type]
        (lambda: populations.figure2(0), "d = 0; "),
        (lambda: populations.surface(8), "d = 8; it must be a whole number, at least 9"),
        (lambda: populations.square().draw(-1, 2, seeded()), "n = -1; "),
        (lambda: populations.square().draw(1, -2, seeded()), "m = -2; "),
        (lambda: populations.square().divergence(0), "p = 0; it must lie between 0 and 1"),
        (lambda: populations.square().mismatch(1), "p = 1; "),
        (lambda: populations.square().bayes_error(1.5), "p = 1.5; "),
        (lambda: populations.square().efficiency(np.nan), "p = nan; "),
        (lambda: populations.square().posterior(np.zeros((1, 2)), -1), "p = -1; "),
        (lambda: populations.square().posterior(np.zeros((2, 3))), r"points of shape \(2, 3\); "),
        (lambda: populations.square().posterior(np.zeros(2)), r"square\(\) needs \(n, 2\)"),
    ],
)
def test_bad_parameters_are_refused_in_one_sentence(
    call: Callable[[], object], message: str
) -> None:
    with pytest.raises(DataError, match=message):
        call()


@pytest.mark.parametrize("delta", [0.5, 1.0, 2.0])
def test_the_best_area_of_two_normals_is_known(delta: float) -> None:
    assert populations.shift(3, delta).auc() == pytest.approx(norm.cdf(delta / 2**0.5), abs=1e-4)


def test_the_best_area_of_two_flat_halves_is_known() -> None:
    assert populations.square().auc() == pytest.approx(0.9)


def test_costs_are_those_of_a_sample_that_is_large() -> None:
    population, rng = populations.ripley(), np.random.default_rng(0)
    x, y = population.draw(40_000, 40_000, rng)
    first, second = (population.posterior(points, 0.5) for points in (x, y))
    missed, alarmed = 10 * first < 1 - first, 10 * second > 1 - second
    drawn = (10 * missed.mean() + alarmed.mean()) / 2
    assert population.cost(first=10) == pytest.approx(drawn, abs=0.01)  # four standard errors
