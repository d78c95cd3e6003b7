from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayesfloor import populations
from bayesfloor.bounds.henze_penrose import bayes_error_bounds, divergence, independent_mismatch

priors_of = st.lists(st.floats(0.01, 1), min_size=2, max_size=6).map(lambda v: np.array(v) / sum(v))


@given(priors_of, st.floats(-0.5, 1.5))
def test_bounds_are_ordered_and_possible(priors: np.ndarray, mismatch: float) -> None:
    lower, upper = bayes_error_bounds(mismatch, priors)
    assert 0 <= lower <= upper <= 1 - priors.max() + 1e-15


@given(st.floats(0.01, 0.99), st.floats(0, 1))
def test_two_classes_give_the_bounds_of_berisha_and_others(p: float, share: float) -> None:
    priors = np.array([p, 1 - p])
    mismatch = share * independent_mismatch(priors)
    u = 4 * p * (1 - p) * divergence(mismatch, priors) + (2 * p - 1) ** 2
    lower, upper = bayes_error_bounds(mismatch, priors)
    assert lower == pytest.approx(min(0.5 - 0.5 * np.sqrt(max(u, 0)), upper), abs=1e-9)
    assert upper == pytest.approx(min(0.5 - 0.5 * u, p, 1 - p), abs=1e-12)


@pytest.mark.parametrize("p", [0.5, 0.1])
@pytest.mark.parametrize("name", sorted(populations.POPULATIONS))
def test_the_true_bayes_error_lies_between_the_bounds_of_the_true_mismatch(
    name: str, p: float
) -> None:
    population = populations.POPULATIONS[name]
    lower, upper = bayes_error_bounds(population.mismatch(p), np.array([p, 1 - p]))
    assert lower - 1e-9 <= population.bayes_error(p) <= upper + 1e-9


def test_independent_labels_give_the_majority_error() -> None:
    for priors in (np.array([0.5, 0.5]), np.array([0.1, 0.9]), np.array([0.25] * 4)):
        assert bayes_error_bounds(independent_mismatch(priors), priors)[1] == pytest.approx(
            1 - priors.max()
        )


def test_four_equal_classes_by_hand() -> None:
    # η = (.7, .1, .1, .1) everywhere: Bayes error .3, R = 1 − .49 − .03, the lower bound tight.
    lower, upper = bayes_error_bounds(0.48, np.full(4, 0.25))
    assert [lower, upper] == pytest.approx([0.3, 0.48])
