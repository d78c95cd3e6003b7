"""What is concluded with the help of the user's model: its probabilities as one more map."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from bayesfloor.base.arrays import Ints
from bayesfloor.base.clustered_noise import critical_value
from bayesfloor.bounds.loss import losses
from bayesfloor.bounds.prior_error import wilson_limit
from bayesfloor.bounds.sharpened import KnownMismatch
from bayesfloor.bounds.strata import make_strata
from bayesfloor.floor.limits import Ends, rows_as_one
from bayesfloor.predictions import Predictions, join_model
from bayesfloor.representation.conclusion import Conclusion, groups_of
from bayesfloor.sample.sample import Sample


@dataclass(frozen=True, slots=True, eq=False)
class JoinedConclusion:
    """What is concluded with the help of a model, its weight, and whether it is too good."""

    conclusion: Conclusion
    weight: float = 0.0
    beats_floor: bool = False


def with_model(
    sample: Sample, alone: Conclusion, predictions: Predictions, ends: Ends, confidence: float
) -> JoinedConclusion:
    """Let the model's probabilities have a part in the rule, if they help and can be believed.

    Parameters
    ----------
    sample : Sample
        Points and labels.
    alone : Conclusion
        What is concluded without the model.
    predictions : Predictions
        Of the model.
    ends : Ends
        Of the error, without the model.
    confidence : float
        Of the interval.
    """
    found, labels = predictions.take(alone.rows), sample.labels[alone.rows]
    groups = groups_of(sample, alone.rows)
    if _beats_floor(found, labels, groups, alone.known, ends, confidence):
        return JoinedConclusion(alone, beats_floor=True)
    if not found.known.all():
        return JoinedConclusion(alone)
    joined = join_model(alone.posterior, labels, alone.parts, found, groups)
    if joined is None:
        return JoinedConclusion(alone)
    known = alone.known
    if known is not None:
        row_losses = losses(joined.posterior, labels)
        if float(row_losses.mean()) < known.value:  # the mismatch is at most the loss of any map
            known = replace(known, value=float(row_losses.mean()), influence=row_losses)
    return JoinedConclusion(replace(alone, posterior=joined.posterior, known=known), joined.weight)


def _beats_floor(
    found: Predictions,
    labels: Ints,
    groups: Ints | None,
    known: KnownMismatch | None,
    ends: Ends,
    confidence: float,
) -> bool:
    """Tell whether a model surely errs or loses less than is possible: it has seen the labels."""
    rows, tail = np.flatnonzero(found.known), (1 - confidence) / 2
    groups = None if groups is None else groups[rows]
    wrong = (found.answers[rows] != labels[rows]).astype(np.float64)
    independent = len(rows) / rows_as_one(wrong, groups, confidence)
    if wilson_limit(float(wrong.mean()), independent, tail) < ends.interval[0]:
        return True
    if found.probabilities is None or known is None:
        return False
    apart = losses(found.probabilities[rows], labels[rows]) - known.influence[rows]
    error = make_strata(labels[rows], None).mean_error(apart, groups)
    least = known.value - float(known.influence.mean()) - known.below
    return float(apart.mean()) + critical_value(confidence, groups) * error < least
