"""The default estimator: weighted neighbours, extrapolated to radius zero."""

from __future__ import annotations

from bayesfloor.estimators.extrapolation import average
from bayesfloor.estimators.label_noise import add_label_noise, unseen_variance
from bayesfloor.estimators.method import Evidence
from bayesfloor.estimators.mismatch import MismatchEstimate


def wnn(evidence: Evidence) -> MismatchEstimate:
    """Extrapolate the rank curve to radius zero, averaging over windows and bases."""
    sample, measured = evidence.sample, evidence.measured
    other = measured.efficiency + unseen_variance(sample)
    fit = average(measured.curve, sample.n, sample.m, other)
    found = MismatchEstimate(fit.mismatch, fit.noise, fit.offsets, fit.weights, fit.jump)
    return add_label_noise(evidence, found)
