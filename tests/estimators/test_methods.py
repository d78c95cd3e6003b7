from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from bayesfloor.bounds.henze_penrose import independent_mismatch
from bayesfloor.curve.measurement import Measurement, measure
from bayesfloor.estimators.curve_models import DEFAULT_AVERAGING
from bayesfloor.estimators.extrapolation import extrapolate
from bayesfloor.estimators.label_noise import add_label_noise
from bayesfloor.estimators.method import Evidence
from bayesfloor.estimators.methods import METHODS
from bayesfloor.estimators.mismatch import MismatchEstimate
from bayesfloor.sample.gate import make_sample
from bayesfloor.sample.sample import Sample
from bayesfloor.truth.populations import Population, laplace, scale, shift


def measured_with(efficiency: float, counts: tuple[int, ...]) -> tuple[Sample, Measurement]:
    labels = np.repeat(np.arange(len(counts)), counts)
    sample = make_sample(np.random.default_rng(0).normal(size=(len(labels), 2)), labels)
    found = measure(sample, ranks=5)
    return sample, replace(found, efficiency=efficiency)


def variance_of(sample: Sample, measured: Measurement, mismatch: float) -> float:
    """Variance of a fit of this mismatch, whose own variance is 0.002, with that of the labels."""
    return add_label_noise(
        Evidence(sample, measured, 1), MismatchEstimate(mismatch, 0.002)
    ).variance


def test_the_variance_is_the_sum_of_labels_fit_and_the_unseen() -> None:
    sample, measured = measured_with(0.01, (50, 50))
    assert add_label_noise(
        Evidence(sample, measured, 1), MismatchEstimate(0.4, 0.002)
    ).variance == pytest.approx(0.012 + (1.5 / 100) ** 2)


@pytest.mark.parametrize("counts", [(50, 50), (10, 90), (40, 40, 40), (46, 46, 4, 4)], ids=str)
def test_classes_that_look_alike_may_hide_a_difference(counts: tuple[int, ...]) -> None:
    sample, measured = measured_with(0.0, counts)
    covariance = np.diag(sample.priors) - np.outer(sample.priors, sample.priors)
    each = np.trace(covariance @ covariance) / np.trace(covariance)
    n, most = sample.n, independent_mismatch(sample.priors)
    rest = 0.002 + (1.5 / n) ** 2
    alike = variance_of(sample, measured, most)
    assert alike == pytest.approx(rest + 4 * each * np.sqrt(rest) / n)
    assert variance_of(sample, measured, 2 * most) == pytest.approx(alike)
    assert variance_of(sample, measured, 0.0) == pytest.approx(rest)
    assert variance_of(sample, measured, -most) == pytest.approx(rest)


@pytest.mark.parametrize("p", [0.5, 0.1])
@pytest.mark.parametrize("weak", [shift(1, 0.05), scale(3, 1.005), laplace(2, 0.05)], ids=str)
def test_the_efficiency_bound_of_a_small_difference_is_that_of_a_hidden_one(
    weak: Population, p: float
) -> None:
    most, (of_first, of_second) = 2 * p * (1 - p), weak.efficiency(p)
    variance = most**2 * (of_first / p + of_second / (1 - p))  # of the mismatch, times n
    drop = most * weak.divergence(p)
    assert variance == pytest.approx(4 * most * drop, rel=0.02)


def test_wnn_tells_the_fit_what_varies_beside_it() -> None:
    sample, measured = measured_with(0.01, (50, 50))
    unseen = (1.5 / 100) ** 2
    fit = extrapolate(measured.curve, 100, 2, 0.01 + unseen, options=DEFAULT_AVERAGING)
    estimate = METHODS["wnn"].estimate(Evidence(sample, measured, 1))
    assert estimate.mismatch == fit.mismatch
    assert estimate.noise == pytest.approx(0.01 + fit.variance + unseen)
    assert estimate.discontinuous == fit.if_discontinuous
    np.testing.assert_array_equal(estimate.offsets, fit.offsets)
    spread = float(fit.weights @ fit.offsets**2)
    assert estimate.variance == pytest.approx(estimate.noise + spread)


def test_the_spanning_tree_varies_as_the_first_rank_does() -> None:
    sample, measured = measured_with(0.01, (50, 50))
    tree, first = (METHODS[name].estimate(Evidence(sample, measured, 1)) for name in ("mst", "knn"))
    assert tree.mismatch != first.mismatch
    assert tree.variance == pytest.approx(first.variance)
