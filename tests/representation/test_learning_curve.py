from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm

from bayesfloor.base.arrays import Floats
from bayesfloor.representation.learning_curve import EXPONENTS, Excess, make_learning_curve

SIZES = np.array([800, 333, 167, 84])


def curve_of(exponent: float, excess: float, noise: float, seed: int, n: int = 1000) -> Floats:
    """Losses of rows that share most of their noise between sizes, as those of nested maps do."""
    rng = np.random.default_rng(seed)
    common = rng.normal(size=(n, 1))
    own = rng.normal(size=(n, len(SIZES))) * np.sqrt(excess) * noise
    return 0.2 + 0.1 * common + own + excess * (SIZES[0] / SIZES) ** exponent


@pytest.mark.parametrize("exponent", [0.4, 0.7, 1.0])
def test_the_interval_of_the_excess_holds_the_truth(exponent: float) -> None:
    held, middle = [], []
    for seed in range(60):
        found = make_learning_curve(SIZES, curve_of(exponent, 0.004, 0.5, seed)).excess
        assert found is not None
        held.append(found.quantile(0.025) <= 0.004 <= found.quantile(0.975))
        middle.append(found.value)
    assert np.mean(held) >= 0.95 - 4 * np.sqrt(0.95 * 0.05 / 60)
    assert 0.25 < np.median(middle) / 0.004 < 2.5  # the exponent is hardly known


def test_a_precise_curve_tells_excess_and_exponent() -> None:
    found = make_learning_curve(SIZES, curve_of(0.5, 0.02, 1e-6, 0)).excess
    assert found is not None
    assert found.value == pytest.approx(0.02, rel=0.5)
    assert found.exponent == pytest.approx(0.5, abs=0.15)


def test_a_curve_that_no_longer_falls_has_little_left() -> None:
    flat = make_learning_curve(SIZES, curve_of(1.0, 0.0, 0.0, 0) + 1e-12).excess
    assert flat is not None
    assert flat.quantile(0.975) < 1e-6


def test_quantiles_are_those_of_a_mixture_above_zero() -> None:
    one = Excess(np.array([0.3]), np.array([0.2]), np.ones(1), 1.0)
    cut = norm.cdf(-0.3 / 0.2)
    for share in (0.025, 0.5, 0.975):
        expected = 0.3 + 0.2 * norm.ppf(cut + share * (1 - cut))
        assert one.quantile(share) == pytest.approx(expected, abs=1e-9)
    both = Excess(np.array([0.1, 0.9]), np.full(2, 1e-3), np.array([0.7, 0.3]), 1.0)
    assert both.value == pytest.approx(0.1, abs=0.01)
    assert both.quantile(0.9) == pytest.approx(0.9, abs=0.01)


def test_two_sizes_leave_the_excess_open() -> None:
    losses = curve_of(1.0, 0.01, 0.1, 0)[:, :2]
    curve = make_learning_curve(SIZES[:2], losses)
    assert curve.excess is None
    np.testing.assert_allclose(curve.losses, losses.mean(axis=0))
    assert curve.errors[0] == 0


def test_exponents_span_what_was_seen() -> None:
    assert EXPONENTS[0] <= 0.4 <= 1.0 <= EXPONENTS[-1]
