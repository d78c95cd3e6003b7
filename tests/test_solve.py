from __future__ import annotations

import numpy as np
import pytest

from bayesfloor.methods import Estimate
from bayesfloor.representation import represent
from bayesfloor.sample import make_sample
from bayesfloor.solve import _combined, solve, solve_one


def test_answers_are_weighted_and_their_disagreement_counts() -> None:
    alike = [Estimate(0.2, 0.01), Estimate(0.2, 0.03)]
    assert _combined(alike, np.array([0.5, 0.5])) == pytest.approx((0.2, 0.01))
    apart = [Estimate(0.0, 0.0), Estimate(0.4, 0.0)]
    assert _combined(apart, np.array([0.5, 0.5])) == pytest.approx((0.2, 0.04))
    assert _combined([Estimate(0.3, 0.02)], np.ones(1)) == (0.3, 0.02)


def test_one_sample_is_its_own_answer() -> None:
    rng = np.random.default_rng(0)
    sample = make_sample(rng.normal(size=(90, 2)), np.arange(90) % 3)
    measured, estimate = solve_one(sample, "wnn", 5)
    solved = solve(represent(sample, "raw"), "wnn", 5)
    assert (solved.mismatch, solved.se) == (estimate.mismatch, np.sqrt(estimate.variance))
    np.testing.assert_array_equal(solved.posterior, measured.posterior)
    np.testing.assert_array_equal(solved.curve.radius, measured.curve.radius)
