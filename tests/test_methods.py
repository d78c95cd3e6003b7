from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from bayesfloor.bounds import independent_mismatch
from bayesfloor.curve import Measured, measure
from bayesfloor.methods import _estimate
from bayesfloor.populations import Population, laplace, scale, shift
from bayesfloor.sample import Sample, make_sample


def measured_with(efficiency: float, counts: tuple[int, ...]) -> tuple[Sample, Measured]:
    labels = np.repeat(np.arange(len(counts)), counts)
    sample = make_sample(np.random.default_rng(0).normal(size=(len(labels), 2)), labels)
    found = measure(sample, ranks=5)
    return sample, replace(found, efficiency=efficiency)


def test_the_variance_is_the_sum_of_labels_fit_and_the_unseen() -> None:
    sample, measured = measured_with(0.01, (50, 50))
    assert _estimate(sample, measured, 0.4, 0.002).variance == pytest.approx(
        0.012 + (1.5 / 100) ** 2
    )


@pytest.mark.parametrize(
    ("counts", "each"),
    [((50, 50), 0.5), ((10, 90), 0.18), ((40, 40, 40), 1 / 3)],
    ids=["two", "unbalanced", "three"],
)
def test_classes_that_look_alike_may_hide_a_difference(
    counts: tuple[int, ...], each: float
) -> None:
    sample, measured = measured_with(0.0, counts)
    n, most = sample.n, independent_mismatch(sample.priors)
    rest = 0.002 + (1.5 / n) ** 2
    alike = _estimate(sample, measured, most, 0.002).variance
    assert alike == pytest.approx(rest + 4 * each * np.sqrt(rest) / n)
    assert _estimate(sample, measured, 2 * most, 0.002).variance == pytest.approx(alike)
    assert _estimate(sample, measured, 0.0, 0.002).variance == pytest.approx(rest)


@pytest.mark.parametrize("p", [0.5, 0.1])
@pytest.mark.parametrize("weak", [shift(1, 0.05), scale(3, 1.005), laplace(2, 0.05)], ids=str)
def test_the_efficiency_bound_of_a_small_difference_is_that_of_a_hidden_one(
    weak: Population, p: float
) -> None:
    most, (of_first, of_second) = 2 * p * (1 - p), weak.efficiency(p)
    variance = most**2 * (of_first / p + of_second / (1 - p))  # of the mismatch, times n
    drop = most * weak.divergence(p)
    assert variance == pytest.approx(4 * most * drop, rel=0.02)
