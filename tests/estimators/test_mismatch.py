from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from bayesfloor.estimators.mismatch import MismatchEstimate, pool_estimates

BOTH = np.array([0.5, 0.5])


@pytest.mark.parametrize("confidence", [0.5, 0.9, 0.95, 0.999])
def test_one_model_has_the_normal_interval(confidence: float) -> None:
    reach = MismatchEstimate(0.3, 0.02**2).margins(confidence)
    assert reach == pytest.approx([0.02 * norm.ppf(0.5 + confidence / 2)] * 2, rel=1e-12)


@given(
    st.lists(st.tuples(st.floats(-9, 9), st.floats(0.01, 1)), min_size=1, max_size=12),
    st.sampled_from([1.0, 1e3, 1e5, 1e8]),
    st.floats(1e-3, 10),
    st.floats(0.3, 0.999),
)
def test_the_interval_leaves_half_of_the_rest_on_either_side(
    models: list[tuple[float, float]], far: float, unit: float, confidence: float
) -> None:
    offsets, weights = np.array(models).T
    weights /= weights.sum()
    offsets = (offsets - weights @ offsets) * unit * far
    below, above = MismatchEstimate(0.3, unit**2, offsets, weights).margins(confidence)
    tail = (1 - confidence) / 2
    for side, reach in ((-1, below), (1, above)):
        more, less = (
            float(weights @ norm.sf(reach + at, side * offsets, unit))
            for at in (-1e-9 * far * unit, 1e-9 * far * unit)
        )
        assert less <= tail <= more or (reach == 0 and less < tail)


def test_a_model_far_below_stretches_the_interval_down_alone() -> None:
    below, above = MismatchEstimate(0.3, 1e-4, np.array([0.0, -0.2]), np.array([0.9, 0.1])).margins(
        0.95
    )
    assert 0.2 < below < 0.21
    assert above == pytest.approx(0.01 * norm.isf(0.025 / 0.9), rel=1e-6)


def test_turned_about_the_interval_is_turned_about() -> None:
    offsets, weights = np.array([0.0, 0.03, -0.1]), np.array([0.5, 0.3, 0.2])
    one, other = (
        MismatchEstimate(0.3, 1e-4, side * offsets, weights).margins(0.95) for side in (1, -1)
    )
    assert one == other[::-1]


def test_the_variance_is_that_of_chance_and_of_the_models() -> None:
    found = MismatchEstimate(0.3, 0.01, np.array([0.1, -0.2]), BOTH)
    assert found.variance == pytest.approx(0.01 + 0.025)
    assert found.with_noise(0.002).variance == pytest.approx(0.037)
    assert found.with_noise(0.002).mismatch == 0.3


def test_no_error_at_all_has_no_interval() -> None:
    assert MismatchEstimate(0.3, 0.0).margins(0.95) == pytest.approx((0, 0), abs=1e-300)
    below, above = MismatchEstimate(0.3, 0.0, np.array([0.0, -0.2]), np.array([0.9, 0.1])).margins(
        0.95
    )
    assert (below, above) == pytest.approx((0.2, 0), abs=1e-8)


@pytest.mark.parametrize("confidence", [1e-9, 1 - 1e-9, 1 - 2**-53])
def test_confidence_may_be_extreme(confidence: float) -> None:
    found = MismatchEstimate(0.3, 1e-4, np.array([0.01, -0.02]), np.array([2 / 3, 1 / 3]))
    below, above = found.margins(confidence)
    assert 0 <= below < 0.12
    assert 0 <= above < 0.12


def test_answers_are_weighted_and_their_disagreement_counts() -> None:
    alike = [MismatchEstimate(0.2, 0.01), MismatchEstimate(0.2, 0.03)]
    found = pool_estimates(alike, BOTH, 0.95)
    assert (found.mismatch, found.variance) == pytest.approx((0.2, 0.01))
    assert found.margins == pytest.approx([0.1 * norm.ppf(0.975)] * 2)
    apart = [MismatchEstimate(0.0, 1e-4), MismatchEstimate(0.4, 1e-4)]
    found = pool_estimates(apart, BOTH, 0.95)
    assert (found.mismatch, found.variance) == pytest.approx((0.2, 0.04))
    assert found.margins == pytest.approx([0.2 * norm.ppf(0.975)] * 2)


def test_one_answer_alone_keeps_its_interval() -> None:
    one = MismatchEstimate(0.3, 1e-4, np.array([0.0, -0.02]), BOTH)
    found = pool_estimates([one], np.ones(1), 0.9)
    assert (found.mismatch, found.variance) == pytest.approx((0.3, one.variance))
    assert found.margins == pytest.approx(one.margins(0.9))
    assert found.discontinuous is None


def test_the_interval_reaches_zero_where_a_jump_would_leave_no_mismatch() -> None:
    found = MismatchEstimate(0.1, 1e-4, discontinuous=(0.01, 0.006**2))
    for confidence, below in [(0.95, 0.1), (0.9, 0.01 * norm.ppf(0.95))]:  # 1.67 standard errors
        reach = pool_estimates([found], np.ones(1), confidence).margins
        assert reach == pytest.approx((below, found.margins(confidence)[1]))
    wide = MismatchEstimate(0.1, 1.0, discontinuous=(-0.01, 0.0))
    assert pool_estimates([wide], np.ones(1), 0.95).margins == pytest.approx(wide.margins(0.95))


@pytest.mark.parametrize(
    ("jumps", "below"),
    [
        (((0.01, 0.0), (-0.01, 0.0)), 0.1),  # on average
        (((0.03, 0.01**2), (0.0, 0.01**2)), None),  # noise shrinks with the number of answers
        (((0.0, 0.0), None), None),  # one of them has no such model
    ],
)
def test_a_jump_must_leave_no_mismatch_in_the_mean_of_all_answers(
    jumps: tuple[tuple[float, float] | None, ...], below: float | None
) -> None:
    found = [MismatchEstimate(0.1, 1e-4, discontinuous=jump) for jump in jumps]
    without = pool_estimates([MismatchEstimate(0.1, 1e-4)] * 2, BOTH, 0.95).margins
    reach = pool_estimates(found, BOTH, 0.95).margins
    assert reach == pytest.approx((without[0] if below is None else below, without[1]))
