from __future__ import annotations

import numpy as np
import pytest
from sklearn.preprocessing import StandardScaler

from bayesfloor.curve.rank_curve import RankCurve
from bayesfloor.estimators.estimation import estimate_mismatch
from bayesfloor.estimators.method import Evidence, Method
from bayesfloor.estimators.methods import METHODS
from bayesfloor.estimators.mismatch import MismatchEstimate
from bayesfloor.neighbours import Effort
from bayesfloor.representation import raw_representation, transform_rows
from bayesfloor.representation.pooling import mean_curve, pool_mismatch
from bayesfloor.sample.gate import make_sample


def test_one_sample_is_its_own_answer() -> None:
    rng = np.random.default_rng(0)
    sample = make_sample(rng.normal(size=(90, 2)), np.arange(90) % 3)
    measured, estimate = estimate_mismatch(sample, METHODS["wnn"], 5)
    solved = pool_mismatch(raw_representation(sample), METHODS["wnn"], 5)
    assert (solved.mismatch, solved.se) == (estimate.mismatch, np.sqrt(estimate.variance))
    assert solved.margins == pytest.approx(estimate.margins(0.95))
    np.testing.assert_array_equal(solved.posterior, measured.posterior)
    np.testing.assert_array_equal(solved.curve.radius, measured.curve.radius)


def test_curves_are_averaged_rank_by_rank_and_their_radii_by_logarithms() -> None:
    one, two = np.ones(2), np.ones(3)
    short = RankCurve(np.arange(1, 3), 0.1 * one, 0 * one, np.array([1, 4]), 0 * one, 1.0)
    long = RankCurve(np.arange(1, 4), 0.3 * two, 0.2 * two, np.array([4, 9, 9]), two, 2.0)
    mean = mean_curve([short, long])
    assert mean.rank.tolist() == [1, 2]
    np.testing.assert_allclose(mean.mismatch, [0.2, 0.2])
    np.testing.assert_allclose(mean.adjusted, [0.1, 0.1])
    np.testing.assert_allclose(mean.radius, [2, 6])
    np.testing.assert_allclose(mean.at_zero, [0.5, 0.5])
    assert mean.intrinsic_dimension == 1.5


def test_the_tolerance_of_a_mean_leaves_more_to_each_of_its_parts() -> None:
    rng = np.random.default_rng(1)
    represented = transform_rows(
        make_sample(rng.normal(size=(90, 2)), np.arange(90) % 3), StandardScaler()
    )
    tolerances = []

    class NotedEffort(Effort):
        def is_met_by(self, se: float) -> bool:
            tolerances.append(self.tolerance)
            return super().is_met_by(se)

    pool_mismatch(represented, METHODS["wnn"], 5, effort=NotedEffort(tolerance=0.1))
    assert tolerances == pytest.approx([0.1 * len(tolerances) ** 0.5] * len(represented.samples))
    assert len(tolerances) > 1


def test_parts_are_weighted_by_their_rows() -> None:
    rng = np.random.default_rng(2)
    represented = transform_rows(
        make_sample(rng.normal(size=(91, 2)), np.arange(91) % 3), StandardScaler()
    )
    sizes = [sample.n for sample in represented.samples]
    assert len(set(sizes)) > 1

    def size(evidence: Evidence) -> MismatchEstimate:
        return MismatchEstimate(float(evidence.sample.n), 0.0)

    found = pool_mismatch(represented, Method(size, "", ""), 5).mismatch
    assert found == pytest.approx(sum(size * size for size in sizes) / sum(sizes))
