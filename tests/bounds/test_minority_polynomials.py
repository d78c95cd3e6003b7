from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from bayesfloor.base.arrays import Floats
from bayesfloor.bounds.minority_polynomials import (
    LAWS,
    POLYNOMIAL_DEGREES,
    elevated,
    minority_polynomial,
    nearest_law,
    polynomial_values,
)

ETA = np.linspace(0, 1, 30_001)


def value(coefficients: Floats, eta: Floats) -> Floats:
    """Return a polynomial in Bernstein's form, by its definition."""
    votes = len(coefficients) - 1
    return sum(b * binom.pmf(k, votes, eta) for k, b in enumerate(coefficients))


@pytest.mark.parametrize("degree", POLYNOMIAL_DEGREES)
def test_polynomials_lie_below_the_minority_everywhere(degree: int) -> None:
    for law in LAWS:
        coefficients = np.array(minority_polynomial(degree, law))
        assert (value(coefficients, ETA) <= np.minimum(ETA, 1 - ETA) + 1e-7).all()
        assert coefficients[0] == 0
        np.testing.assert_array_equal(coefficients, coefficients[::-1])
        assert np.abs(coefficients).max() <= 0.5 + 1e-9


def test_two_votes_by_hand() -> None:
    """Of all symmetric parabolas through 0, η(1 − η) is the highest below the minority."""
    for law in LAWS:
        np.testing.assert_allclose(minority_polynomial(2, law), [0, 0.5, 0])


@pytest.mark.parametrize("law", LAWS)
def test_more_votes_come_closer_to_the_bayes_error(law: float) -> None:
    eta = np.random.default_rng(0).beta(law, law, 4000)
    truth = np.minimum(eta, 1 - eta).mean()
    means = [value(np.array(minority_polynomial(d, law)), eta).mean() for d in (2, 5, 10, 20, 40)]
    assert (np.diff(means) > 0).all()
    assert truth - 0.009 < means[-1] <= truth


@given(st.integers(2, 60), st.sampled_from(LAWS), st.integers(0, 1000).map(lambda k: k / 1000))
@settings(deadline=None, max_examples=60)
def test_elevation_does_not_change_a_polynomial(votes: int, law: float, eta: float) -> None:
    degree = max(d for d in POLYNOMIAL_DEGREES if d <= votes)
    before = value(np.array(minority_polynomial(degree, law)), np.array([eta]))
    elevated_values = polynomial_values(np.arange(votes + 1), votes, law)
    np.testing.assert_allclose(value(elevated_values, np.array([eta])), before)


def test_elevation_is_the_mean_over_all_choices_of_votes() -> None:
    coefficients = np.array([0.0, 0.3, 0.1])
    all_pairs = [0.3, 0.1, 0.3]  # of votes yes, yes, no: yes no, yes yes, yes no
    found = elevated(coefficients, np.array([2]), 3)
    np.testing.assert_allclose(found, np.mean(all_pairs))


def test_billions_of_votes_are_those_of_a_coin() -> None:
    """Choosing a few of so many is as good as casting new ones."""
    votes, coefficients = 2**32, np.array(minority_polynomial(40, 1.0))
    counts = np.array([0, 2**28, 2**31, votes])
    expected = value(coefficients, counts / votes)
    np.testing.assert_allclose(elevated(coefficients, counts, votes), expected, atol=1e-6)


def test_numbers_of_votes_that_differ_are_each_taken_by_their_degree() -> None:
    counts, votes = np.array([[1, 2], [5, 0], [30, 31]]), np.array([[3], [5], [61]])
    one_by_one = [polynomial_values(c, int(t[0]), 0.3) for c, t in zip(counts, votes, strict=True)]
    np.testing.assert_allclose(polynomial_values(counts, votes, 0.3), one_by_one)


def test_the_law_follows_the_mismatch() -> None:
    assert [nearest_law(a / (2 * a + 1)) for a in LAWS] == list(LAWS)
    assert nearest_law(-0.1) == nearest_law(0.0) == LAWS[0]
    assert nearest_law(0.5) == nearest_law(0.9) == LAWS[-1]
