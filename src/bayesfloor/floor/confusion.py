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
    """Weigh the pairs of a row's label and its likeliest class; ties are shared.

    The label of an item is one of its votes, so that it counts with the share of each class.
    """
    searched = ~np.isnan(floor.local_mismatch)
    posterior, m = floor.posterior[searched], len(floor.classes)
    best = posterior > (1 - POSTERIOR_TIE) * posterior.max(axis=1, keepdims=True)
    labelled = posterior if floor.of_items else np.eye(m)[floor.labels[searched]]
    table = labelled.T @ (best / best.sum(axis=1, keepdims=True)) / len(posterior)
    np.fill_diagonal(table, 0.0)
    labels, taken_for = np.nonzero(table)
    shares = table[labels, taken_for]
    order = np.argsort(-shares, kind="stable")
    return Confusion(labels[order], taken_for[order], shares[order])
