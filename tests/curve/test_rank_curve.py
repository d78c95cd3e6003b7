from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bayesfloor import populations
from bayesfloor.base.arrays import Floats, Ints
from bayesfloor.curve.measurement import measure
from bayesfloor.curve.rank_curve import RankCurve
from bayesfloor.curve.trend import fit_trend
from bayesfloor.neighbours import Effort
from bayesfloor.sample.distinct_points import make_cells
from bayesfloor.sample.sample import Sample
from oracles import mismatch_curve, shared_ranks
from tied_points import tied_points


def sample_of(points: Floats, labels: Ints) -> Sample:
    return Sample(np.ascontiguousarray(points, dtype=np.float64), labels, np.unique(labels))


def draw(population: populations.Population, n: int, m: int, seed: int) -> Sample:
    points = np.concatenate(population.draw(n, m, np.random.default_rng(seed)))
    return sample_of(points, np.repeat([0, 1], [n, m]))


def test_four_points_on_a_line_by_hand() -> None:
    # Labels a, b, a, b at 0, 1, 3, 7, with neighbours 1 3 7, 0 3 7, 1 0 7 and 3 1 0.
    sample = sample_of(np.array([[0.0], [1.0], [3.0], [7.0]]), np.array([0, 1, 0, 1]))
    curve = measure(sample, ranks=3).curve
    np.testing.assert_allclose(curve.mismatch, [1.0, 0.25, 0.75])
    np.testing.assert_allclose(curve.radius[0], (1 * 1 * 2 * 4) ** 0.25)


@settings(max_examples=60)
@given(
    points=tied_points(8, 25),
    classes=st.integers(2, 4),
)
def test_the_mismatch_curve_matches_brute_force_on_grids(points: Floats, classes: int) -> None:
    labels = np.arange(len(points)) % classes
    curve = measure(sample_of(points, labels), ranks=len(points) - 1).curve
    np.testing.assert_allclose(
        curve.mismatch, mismatch_curve(points, labels, len(points) - 1), atol=1e-12
    )


@pytest.mark.parametrize("rounded", [False, True])
def test_the_adjusted_curve_is_the_formula_of_its_docstring(rounded: bool) -> None:
    sample = draw(populations.scale(5, 1.5), 200, 300, 0)
    points = np.round(2 * sample.points[:, :2]) if rounded else sample.points
    sample = sample_of(points, sample.labels)
    cells = make_cells(sample)
    trend = fit_trend(cells)
    residual = np.eye(2)[sample.labels] - trend.fitted[cells.of_row]
    basis = trend.basis.at(cells.of_row)
    ranks, n = 40, sample.n
    products, _ = shared_ranks(points, residual @ residual.T, ranks)
    leverage, _ = shared_ranks(points, basis @ basis.T, ranks)
    at = np.unique(np.geomspace(1, ranks, 12).round().astype(int)) - 1
    shared = np.interp(np.arange(ranks), at, leverage.mean(axis=0)[at])
    expected = ((residual**2).sum() / n - products.mean(axis=0)) / (1 - trend.p / n + shared)
    found = measure(sample, ranks=ranks).curve.adjusted
    np.testing.assert_allclose(found, expected * (n - 1) / n, atol=1e-9)


def test_identical_classes_are_unbiased_at_every_rank() -> None:
    """Over random labels the mean of both curves is 1 − Σπ², in five dimensions too."""
    rng = np.random.default_rng(1)
    points, labels = rng.normal(size=(120, 5)), np.repeat([0, 1], [40, 80])
    curves = [
        measure(sample_of(points, rng.permutation(labels)), ranks=30).curve for _ in range(300)
    ]
    truth = 1 - (1 / 9 + 4 / 9)
    for values in ([c.mismatch * 119 / 120 for c in curves], [c.adjusted for c in curves]):
        error = np.std(values, axis=0) / np.sqrt(len(values))
        assert (np.abs(np.mean(values, axis=0) - truth) < 4.5 * error).all()


def test_radius_powers_grow_like_the_rank_in_the_matching_dimension() -> None:
    """For a Poisson process in d dimensions E r_k^d is proportional to k, exactly."""
    rng = np.random.default_rng(9)
    curve = measure(sample_of(rng.uniform(size=(20_000, 2)), np.arange(20_000) % 2), ranks=20).curve
    growth = curve.radius_power(2) / curve.rank
    np.testing.assert_allclose(growth, growth[-1], rtol=0.03)


def test_ranks_at_distance_zero_have_radius_zero() -> None:
    points = np.repeat(np.arange(5.0), 20)[:, None]
    curve = measure(sample_of(points, np.arange(100) % 2), ranks=30).curve
    assert (curve.radius[:19] == 0).all()
    assert (curve.radius[19:] > 0).all()
    assert (curve.radius_power(2)[:19] == 0).all()
    assert (curve.at_zero[:19] == 1).all()


def test_points_at_distance_zero_count_as_zero_in_the_mean_radius() -> None:
    one = np.ones(3)
    apart = RankCurve(np.arange(1, 4), one, one, one, 0 * one, 2.0)
    half = RankCurve(np.arange(1, 4), one, one, one, 0.5 * one, 2.0)
    np.testing.assert_allclose(half.radius_power(2), 0.5 * apart.radius_power(2))


def test_both_engines_give_the_same_curve() -> None:
    sample = draw(populations.shift(5, 2), 300, 300, 3)
    tree, blocks = (
        measure(sample, ranks=50, effort=Effort(engine=name)) for name in ("tree", "blocks")
    )
    for name in ("mismatch", "adjusted", "radius"):
        np.testing.assert_allclose(
            getattr(tree.curve, name), getattr(blocks.curve, name), atol=1e-10
        )
    assert tree.efficiency == pytest.approx(blocks.efficiency, rel=1e-9)


def test_the_radius_is_in_the_units_of_the_data() -> None:
    points = np.random.default_rng(0).normal(size=(50, 2))
    labels = np.arange(50) % 2
    one = measure(Sample(points, labels, np.array([0, 1])), ranks=5).curve
    two = measure(Sample(points, labels, np.array([0, 1]), scale=8.0), ranks=5).curve
    np.testing.assert_allclose(two.radius, 8 * one.radius)


def test_a_curve_is_frozen() -> None:
    curve = measure(draw(populations.shift(2, 1), 20, 20, 0), ranks=5).curve
    assert isinstance(curve, RankCurve)
    with pytest.raises(AttributeError):
        curve.rank = np.arange(3)  # type: ignore[misc]
