from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm

from bayesfloor.base.arrays import Floats, Ints
from bayesfloor.bounds.loss import cross_losses, losses
from bayesfloor.representation.learning_curve import (
    EXPONENTS,
    Excess,
    LearningCurve,
    MapPair,
    MeasuredExcess,
    extrapolate_variance,
    fit_excess,
    make_learning_curve,
)

SIZES = np.array([800, 333, 167, 84])
BIAS, SPREAD = 0.1, 0.12
"""Root mean squares, over the rows, of bias and noise of the maps of the largest size."""


def draw_maps(
    seed: int, *, exponent: float, bias: float = BIAS, spread: float = SPREAD, n: int = 1000
) -> tuple[Floats, LearningCurve]:
    """Draw rows with a known posterior, and maps whose bias and variance fall by known powers."""
    rng = np.random.default_rng(seed)
    eta = rng.uniform(0.2, 0.8, n)
    labels = (rng.random(n) > eta).astype(np.int64)
    direction = rng.choice([-1.0, 1.0], n)

    def learned(size: int) -> Floats:
        off = bias * (SIZES[0] / size) ** (exponent / 2) * direction
        noise = spread * (SIZES[0] / size) ** 0.5 * rng.normal(size=n)
        first = eta + (off + noise) / np.sqrt(2)  # both classes add to the squared error
        return np.column_stack([first, 1 - first])

    served = learned(SIZES[0])
    pairs = [MapPair(int(size), learned(size), learned(size)) for size in SIZES[1:]]
    curve = make_learning_curve(served, (int(SIZES[0]), losses(served, labels)), pairs, labels)
    return np.column_stack([eta, 1 - eta]), curve


@pytest.mark.parametrize("exponent", [0.4, 0.7, 1.0])
def test_the_interval_of_the_excess_holds_the_truth(exponent: float) -> None:
    truth, held, middle = BIAS**2 + SPREAD**2, [], []
    for seed in range(60):
        found = draw_maps(seed, exponent=exponent)[1].excess
        assert found is not None
        held.append(found.quantile(0.025) <= truth <= found.quantile(0.975))
        middle.append(found.value)
    assert np.mean(held) >= 0.95 - 4 * np.sqrt(0.95 * 0.05 / 60)
    assert 0.7 < np.median(middle) / truth < 1.5


def test_maps_that_vary_and_have_no_bias_are_known_to_be_near_the_posterior() -> None:
    found = draw_maps(0, exponent=1.0, bias=0.0, n=20_000)[1].excess
    assert found is not None
    assert found.value == pytest.approx(SPREAD**2, rel=0.25)
    assert found.quantile(0.975) < 2 * SPREAD**2


def test_a_precise_curve_tells_bias_and_exponent() -> None:
    found = draw_maps(0, exponent=0.5, spread=0.0, n=200_000)[1].excess
    assert found is not None
    assert found.value == pytest.approx(BIAS**2, rel=0.5)
    assert found.exponent == pytest.approx(0.5, abs=0.15)


def test_a_curve_that_no_longer_falls_has_little_left() -> None:
    flat = fit_excess(MeasuredExcess(np.full((50, 4), 1e-12), SIZES.astype(float), 0.0, 0.0))
    assert flat.quantile(0.975) < 1e-4


def test_cross_residuals_are_free_of_variance() -> None:
    rng = np.random.default_rng(1)
    n = 200_000
    eta = rng.uniform(0, 1, n)
    labels = (rng.random(n) > eta).astype(np.int64)
    first, second = (eta + 0.3 * rng.normal(size=n) for _ in range(2))
    pair = MapPair(1, *(np.column_stack([one, 1 - one]) for one in (first, second)))
    mismatch = 2 * float((eta * (1 - eta)).mean())
    error = 4 * pair.cross_residuals(labels).std() / np.sqrt(n)
    assert pair.cross_residuals(labels).mean() == pytest.approx(mismatch, abs=error)
    assert pair.variance == pytest.approx(2 * 0.3**2, rel=0.02)
    both = pair.losses(labels).mean() - pair.variance
    assert both == pytest.approx(pair.cross_residuals(labels).mean())


def test_the_cross_loss_of_a_map_with_itself_is_its_loss() -> None:
    rng = np.random.default_rng(2)
    posterior = rng.dirichlet(np.ones(3), 50)
    labels: Ints = rng.integers(0, 3, 50)
    unit = np.eye(3)[labels]
    other = rng.dirichlet(np.ones(3), 50)
    np.testing.assert_allclose(
        cross_losses(posterior, posterior, labels), losses(posterior, labels), atol=1e-15
    )
    expected = ((unit - posterior) * (unit - other)).sum(axis=1)
    np.testing.assert_allclose(cross_losses(posterior, other, labels), expected, atol=1e-15)


def test_a_variance_that_does_not_fall_is_kept() -> None:
    still = [MapPair(size, np.zeros((5, 2)), np.full((5, 2), 0.1)) for size in (300, 150)]
    np.testing.assert_allclose(extrapolate_variance(still, 800), (0.01, 0.0), atol=1e-12)
    none = [MapPair(size, np.zeros((5, 2)), np.zeros((5, 2))) for size in (300, 150)]
    assert extrapolate_variance(none, 800) == (0.0, 0.0)


def test_quantiles_are_those_of_a_mixture_and_not_below_zero() -> None:
    one = Excess(np.array([0.3]), 0.2, np.ones(1), 1.0)
    for share in (0.2, 0.5, 0.975):
        assert one.quantile(share) == pytest.approx(norm.ppf(share, 0.3, 0.2), abs=1e-9)
    assert one.quantile(0.025) == 0
    both = Excess(np.array([0.1, 0.9]), 1e-3, np.array([0.7, 0.3]), 1.0)
    assert both.value == pytest.approx(0.1, abs=0.01)
    assert both.quantile(0.9) == pytest.approx(0.9, abs=0.01)


def test_one_pair_leaves_the_excess_open() -> None:
    served = np.full((6, 2), 0.5)
    labels = np.arange(6) % 2
    curve = make_learning_curve(
        served, (800, losses(served, labels)), [MapPair(333, served, served)], labels
    )
    assert curve.excess is None
    np.testing.assert_allclose(curve.losses, [0.5, 0.5])
    assert curve.errors[0] == 0


def test_exponents_span_what_was_seen() -> None:
    assert EXPONENTS[0] <= 0.4 <= 1.0 <= EXPONENTS[-1]
