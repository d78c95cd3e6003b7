"""Which classes are taken for which others, and how much of the error that makes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bayesfloor.base.arrays import Floats, Ints
from bayesfloor.bounds.posterior_error import POSTERIOR_TIE
from bayesfloor.floor.record import Floor


@dataclass(frozen=True, slots=True)
class Confusion:
    """Ordered pairs of classes with what they contribute to the held-out error, largest first."""

    labels: Ints  # (p,), the class of the rows
    taken_for: Ints  # (p,), the class that is likelier there
    shares: Floats  # (p,), of all rows; they sum to the held-out error

    @property
    def error(self) -> float:
        """The held-out error."""
        return float(self.shares.sum())

    def missed(self, priors: Floats) -> Floats:
        """Return the share of each class's rows that are taken for another class, (m,)."""
        return np.bincount(self.labels, self.shares, minlength=len(priors)) / priors


def make_confusion(floor: Floor) -> Confusion:
    """Count the rows whose likeliest class is not their label, by pair; ties are shared."""
    searched = ~np.isnan(floor.local_mismatch)
    posterior, labels = floor.posterior[searched], floor.labels[searched]
    best = posterior > (1 - POSTERIOR_TIE) * posterior.max(axis=1, keepdims=True)
    weights = 1 / best.sum(axis=1)
    rows, taken_for = np.nonzero(best)
    wrong = taken_for != labels[rows]
    rows, taken_for = rows[wrong], taken_for[wrong]
    m = len(floor.classes)
    pairs, place = np.unique(labels[rows] * m + taken_for, return_inverse=True)
    shares = np.bincount(place, weights[rows], minlength=len(pairs)) / len(labels)
    order = np.argsort(-shares, kind="stable")
    return Confusion(pairs[order] // m, pairs[order] % m, shares[order])
