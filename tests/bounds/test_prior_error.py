from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import binomtest, norm

from bayesfloor.bounds.loss import mean_loss_by_class
from bayesfloor.bounds.prior_error import minority_limit, prior_error


def test_the_share_of_a_class_has_the_error_of_a_count() -> None:
    priors = np.array([0.2, 0.5, 0.3])
    found = prior_error(np.array([0.0, 1.0, 0.0]), priors, 100)
    assert found == pytest.approx(np.sqrt(0.5 * 0.5 / 100))


def test_what_is_the_same_in_all_classes_does_not_move_with_their_shares() -> None:
    assert prior_error(np.full(3, 0.7), np.array([0.2, 0.5, 0.3]), 100) == pytest.approx(0)


def test_the_error_is_that_of_repeated_counts() -> None:
    priors, means = np.array([0.2, 0.5, 0.3]), np.array([0.4, 0.1, 0.9])
    counts = np.random.default_rng(0).multinomial(300, priors, size=20_000)
    spread = (counts @ means / 300).std()
    assert prior_error(means, priors, 300) == pytest.approx(spread, rel=0.03)


@pytest.mark.parametrize("p", [0.5, 0.1])
def test_the_mismatch_moves_with_the_shares_as_the_classes_say(p: float) -> None:
    def mismatch(share: float) -> float:
        def at(x: float) -> float:
            one, two = share * norm.pdf(x), (1 - share) * norm.pdf(x, loc=1.5)
            return 2 * one * two / (one + two)

        return float(quad(at, -9, 11)[0])

    rng = np.random.default_rng(1)
    labels = (np.arange(200_000) >= p * 200_000).astype(np.int64)
    x = rng.normal(size=200_000) + 1.5 * labels
    odds = p * norm.pdf(x) / ((1 - p) * norm.pdf(x, loc=1.5))
    posterior = np.column_stack([odds, np.ones_like(odds)]) / (1 + odds)[:, None]
    first, second = mean_loss_by_class(posterior, labels, 2)
    slope = (mismatch(p + 1e-4) - mismatch(p - 1e-4)) / 2e-4
    assert first - second == pytest.approx(slope, abs=0.01)


def test_rows_that_were_not_asked_and_classes_without_any_do_not_count() -> None:
    posterior = np.array([[0.5, 0.5, 0.0], [np.nan] * 3, [0.0, 1.0, 0.0], [np.nan] * 3])
    found = mean_loss_by_class(posterior, np.array([0, 0, 1, 2]), 3)
    np.testing.assert_allclose(found, [0.5, 0.0, 0.25])


@pytest.mark.parametrize(("count", "n"), [(0, 12), (2, 12), (30, 1000)])
def test_the_limit_of_a_clear_minority_is_that_of_wilson(count: int, n: int) -> None:
    known = binomtest(count, n).proportion_ci(0.95, method="wilson").high
    found = minority_limit(np.array([1 - count / n, count / n]), n, 0.025)
    assert found == pytest.approx(known)


def test_the_largest_of_many_equal_classes_is_not_taken_at_its_word() -> None:
    rng, above = np.random.default_rng(2), []
    for _ in range(2000):
        priors = rng.multinomial(1500, np.full(10, 0.1)) / 1500
        above.append(minority_limit(priors, 1500, 0.025) < 0.9)
    assert np.mean(above) < 0.025 + 4 * np.sqrt(0.025 / 2000)
    assert np.mean(above) > 0.005  # and the limit is no wider than that takes
