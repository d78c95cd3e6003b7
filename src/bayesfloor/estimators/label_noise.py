"""The sampling error that every estimator shares: that of the labels."""

from __future__ import annotations

import numpy as np

from bayesfloor.bounds.henze_penrose import independent_mismatch
from bayesfloor.estimators.method import Evidence
from bayesfloor.estimators.mismatch import MismatchEstimate
from bayesfloor.sample.sample import Sample

UNSEEN_ROWS = 1.5
"""A mismatch of so few rows can go unseen in any sample, so no standard error is below it. A
judgement between the half and the three rows of the usual rules for a count of zero."""


def unseen_variance(sample: Sample, design_effect: float = 1.0) -> float:
    """Return the least variance of any estimate, from a mismatch that goes unseen."""
    return (UNSEEN_ROWS * design_effect / sample.n) ** 2


def add_label_noise(evidence: Evidence, fitted: MismatchEstimate) -> MismatchEstimate:
    """Add the variance of the labels to that of a fit.

    Where the classes look alike, the first vanishes, but they may differ by what a standard error
    of the fit hides. Of a small drop δ below the mismatch of independent labels the variance is
    4λδ/n, with λ the variance of a coded label along the drop, on average; it vanishes again as
    the mismatch does.
    """
    sample, effect = evidence.sample, evidence.measurement.design_effect
    unseen = unseen_variance(sample, effect)
    priors, most = sample.priors, independent_mismatch(sample.priors)
    squares = float(priors @ priors)
    label = (squares - 2 * float(priors @ priors**2) + squares**2) / most
    drop = float(np.sqrt(fitted.variance + unseen)) * min(fitted.mismatch / most, 1.0)
    of_labels = max(evidence.measurement.efficiency, 4 * label * drop * effect / sample.n)
    return fitted.with_noise(of_labels + unseen)
