r"""The user's model as one more map: its probabilities are averaged with those of the floor.

Both ends of a floor hold for any class probabilities that do not know a row's own label. So a
row's average may depend on all other rows: its weight, and the power that the model's
probabilities are raised to, are those with the smallest squared loss on the other parts of the
rows. A model joins where the average loses less there by more than chance; elsewhere the floor is
what it is without. There is one rule and one bound, so nothing is chosen by its own rows.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bayesfloor.base.arrays import Floats, Ints
from bayesfloor.base.clustered_noise import mean_error
from bayesfloor.bounds.loss import losses
from bayesfloor.predictions.record import Predictions
from bayesfloor.representation.stacking import average, best_weights, missed_products

MODEL_POWERS = (0.25, 0.5, 0.75, 1.0, 1.5)
"""Powers that a model's probabilities may be raised to: models are more often too sure of
themselves than too careful. A judgement."""
SURELY_BETTER = 2.0
"""Standard errors by which the average must lose less on other rows: about one time in forty a
useless model joins a part."""
LEAST_RAISED = 1e-6
"""Probability that a class has at least before a power is taken."""
ADDED_ROWS = 1.0
"""Rows with the shares of all classes that are added to those of each answer."""


@dataclass(frozen=True, slots=True, eq=False)
class JoinedMap:
    """Class probabilities of the floor and of a model together."""

    posterior: Floats  # (n, m)
    weight: float  # of the model, its mean over the rows


def join_model(
    posterior: Floats,
    labels: Ints,
    parts: Ints,
    predictions: Predictions,
    groups: Ints | None = None,
) -> JoinedMap | None:
    """Average class probabilities with those of a model; None if that does not help.

    Parameters
    ----------
    posterior, labels, parts, groups
        As in `bayesfloor.bounds.sharpened.sharpened_bound`.
    predictions : Predictions
        Of the model, on every row.
    """
    joined, weight = posterior.copy(), 0.0
    for part in np.unique(parts):
        own, others = np.flatnonzero(parts == part), np.flatnonzero(parts != part)
        if not len(others):
            return None
        found = _best(posterior, labels, others, predictions, groups)
        if found is not None:
            share, power = found
            model = _probabilities(predictions, labels, others, power, posterior.shape[1])[own]
            joined[own] = (1 - share) * posterior[own] + share * model
            weight += share * len(own) / len(labels)
    return JoinedMap(joined, weight) if weight > 0 else None


def _best(
    posterior: Floats, labels: Ints, rows: Ints, predictions: Predictions, groups: Ints | None
) -> tuple[float, float] | None:
    """Return the weight and the power that are best for some rows; None if none surely helps."""
    tried = []
    ours = losses(posterior[rows], labels[rows])
    for power in MODEL_POWERS if predictions.probabilities is not None else (1.0,):
        model = _probabilities(predictions, labels, rows, power, posterior.shape[1])
        pair = (posterior, model)
        weights = best_weights(missed_products(pair, labels, rows))
        gain = ours - losses(average([one[rows] for one in pair], weights), labels[rows])
        tried.append((float(gain.mean()), float(weights[1]), power, gain))
    gained, share, power, gain = max(tried, key=lambda one: one[0])
    noise = mean_error(gain, None if groups is None else groups[rows])
    return (share, power) if gained > SURELY_BETTER * noise and share > 0 else None


def _probabilities(
    predictions: Predictions, labels: Ints, rows: Ints, power: float, m: int
) -> Floats:
    """Return what a model says of all rows, (n, m): its probabilities, raised to a power.

    A class that it answers stands for the shares of classes among other rows with that answer.
    """
    p = predictions.probabilities
    if p is None:
        shares = np.bincount(labels[rows], minlength=m) / len(rows)
        counts = np.zeros((m, m))
        np.add.at(counts, (predictions.answers[rows], labels[rows]), 1)
        counts += ADDED_ROWS * shares
        return np.asarray((counts / counts.sum(axis=1, keepdims=True))[predictions.answers])
    if power == 1:
        return p
    raised = np.maximum(p, LEAST_RAISED) ** power
    return np.asarray(raised / raised.sum(axis=1, keepdims=True))
