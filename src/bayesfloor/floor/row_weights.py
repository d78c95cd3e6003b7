"""Row weights: the same for all rows of a class they are class shares, others are refused.

Neighbours, maps, bounds and their noise count rows. Weights that differ within a class would have
to go through all of them; drawing rows by their weights is right with what is there.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from bayesfloor.base.arrays import Floats
from bayesfloor.base.errors import DataError, reading
from bayesfloor.base.formatting import show
from bayesfloor.base.settings import Settings
from bayesfloor.estimators.methods import METHODS
from bayesfloor.sample.groups import one_value_a_row
from bayesfloor.sample.sample import Sample

SAME_WEIGHT = 1e-9
"""Weights that differ by less than this share are the same: they were divided, and rounded."""


def with_row_weights(settings: Settings, sample: Sample, sample_weight: Any) -> Settings:
    """Return the settings with the class shares that weights amount to.

    Parameters
    ----------
    settings : Settings
        What was asked for.
    sample : Sample
        Points and labels.
    sample_weight : array of length n, or None
        Weight of each row, above zero.
    """
    if sample_weight is None:
        return settings
    weights = _class_weights(sample, _checked(sample_weight, sample.n))
    if np.ptp(weights) <= SAME_WEIGHT * weights.max():
        return settings
    decision = settings.decision
    if decision.priors is not None or (decision.metric and decision.metric.equal_shares):
        raise DataError(
            "sample_weight= and priors= or metric='balanced' both say how frequent classes are;"
            " leave one out"
        )
    if not METHODS[settings.method].sharpens:
        what = f"method {settings.method!r} bounds the error on rows like these only"
        raise DataError(f"{what}; leave out sample_weight=, or take method 'wnn'")
    shares = weights * sample.priors / float(weights @ sample.priors)
    priors = dict(zip(sample.classes.tolist(), shares.tolist(), strict=True))
    return replace(settings, decision=replace(decision, priors=priors))


def _checked(sample_weight: Any, n: int) -> Floats:
    """Return one weight a row, above zero and finite."""
    values = one_value_a_row(sample_weight, n, name="sample_weight")
    with reading("sample_weight", "pass a number above 0 for each row"):
        weights = np.asarray(values, dtype=np.float64)
    wrong = ~(np.isfinite(weights) & (weights > 0))
    if wrong.any():
        row = int(np.argmax(wrong))
        came = f"{weights[row]:g}" if weights[row] else "zero"
        raise DataError(
            f"sample_weight is {came} in row {row}; pass a number above 0, or leave out"
            " the rows that do not count"
        )
    return weights


def _class_weights(sample: Sample, weights: Floats) -> Floats:
    """Return the weight of the rows of each class, (m,); refuse weights that differ within one."""
    first = np.array([int(np.argmax(sample.labels == c)) for c in range(sample.m)])
    of_class = weights[first]
    other = np.abs(weights - of_class[sample.labels]) > SAME_WEIGHT * weights
    if other.any():
        row = int(np.argmax(other))
        c = int(sample.labels[row])
        raise DataError(
            f"sample_weight differs within class {show(sample.classes[c])}: {of_class[c]:g} in row"
            f" {first[c]}, {weights[row]:g} in row {row}; rows of a class count the same here, so"
            " keep each row with a chance in proportion to its weight, and pass those without"
            " weights"
        )
    return of_class
