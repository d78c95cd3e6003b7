"""The record of a model's predictions, one for each row or none."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bayesfloor.base.arrays import Bools, Floats, Ints

NO_ANSWER = -1
"""Stands for the class of a row that has no prediction."""


@dataclass(frozen=True, slots=True, eq=False)
class Predictions:
    """What a model says of each row: a class, or the probability of every class."""

    answers: Ints  # (n,), class codes; `NO_ANSWER` where there is none
    probabilities: Floats | None = None  # (n, m), NaN where there are none

    @property
    def known(self) -> Bools:
        """Rows that have a prediction, (n,)."""
        return np.asarray(self.answers != NO_ANSWER)

    def take(self, rows: Ints) -> Predictions:
        """Return the predictions of some rows."""
        p = self.probabilities
        return Predictions(self.answers[rows], None if p is None else p[rows])
