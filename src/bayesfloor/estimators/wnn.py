"""The default estimator: weighted neighbours, extrapolated to radius zero."""

from __future__ import annotations

from dataclasses import replace

from bayesfloor.estimators.curve_models import DEFAULT_AVERAGING, AveragingOptions
from bayesfloor.estimators.extrapolation import extrapolate
from bayesfloor.estimators.label_noise import add_label_noise, unseen_variance
from bayesfloor.estimators.method import Evidence
from bayesfloor.estimators.mismatch import MismatchEstimate


def wnn(evidence: Evidence, options: AveragingOptions = DEFAULT_AVERAGING) -> MismatchEstimate:
    """Extrapolate the rank curve to radius zero, averaging over windows and bases."""
    sample, measured = evidence.sample, evidence.measurement
    effect = measured.design_effect
    other = measured.efficiency + unseen_variance(sample, effect)
    options = replace(options, noise_factor=options.noise_factor * effect)
    fit = extrapolate(measured.curve, sample.n, sample.m, other, options=options)
    found = MismatchEstimate(
        fit.mismatch, fit.variance, fit.offsets, fit.weights, fit.if_discontinuous
    )
    return add_label_noise(evidence, found)
