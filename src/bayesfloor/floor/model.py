"""The user's model beside the floor: its error, its calibration, its regret and where it loses."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bayesfloor.base.arrays import Floats, Ints
from bayesfloor.base.clustered_noise import critical_value
from bayesfloor.base.errors import DataError
from bayesfloor.bounds.actions import Actions, AnswerSets, LossTable
from bayesfloor.bounds.calibration import Calibration, calibrate
from bayesfloor.bounds.strata import Strata, make_strata, mean_limit
from bayesfloor.floor.decision import Decision
from bayesfloor.floor.joined_conclusion import JoinedConclusion
from bayesfloor.floor.limits import Ends, held_out_errors, rows_as_one
from bayesfloor.floor.model_regions import Region, find_regions
from bayesfloor.predictions import Predictions
from bayesfloor.representation.conclusion import groups_of
from bayesfloor.sample.foreign_tables import ForeignColumn
from bayesfloor.sample.sample import Sample


@dataclass(frozen=True, slots=True)
class ClassRegret:
    """How a model does on the rows of one class, beside the rule that reaches the upper end."""

    code: int  # of the class
    rows: int
    loss: float  # mean loss of the model
    rule_loss: float
    interval: tuple[float, float]  # of the difference; it holds for all classes at once


@dataclass(frozen=True, slots=True, eq=False)
class ModelReview:
    """How a model does on rows that it was not learned from, and how far that is from the floor.

    Attributes
    ----------
    rows : int
        Rows that have a prediction.
    error, interval : float, tuple of float
        Loss of the model on them, and its own margin of error.
    rule_error : float
        What the rule that reaches the upper end loses on the same rows.
    regret : tuple of float
        How much more the model loses than the best rule: at least, and at most.
    regret_interval : tuple of float
        The same with margins of error. Noise is paired: model, rule and bound are measured on the
        same labels.
    calibration : Calibration or None
        How often its likeliest class is right, by its probability; None without probabilities.
    weight : float
        Of its probabilities in the rule of the floor; 0 if they have no part in it.
    beats_floor : bool
        Whether it is surely better than the floor allows: then it has no part in the floor.
    classes : tuple of ClassRegret
        By class, those where it loses most first.
    regions : tuple of Region
        Values of columns where it surely loses more than the rule, most first.
    row_regret : (n,) array
        What the model's answer loses more than the best one at each row, by the class
        probabilities of the floor; NaN for rows without.
    answers : (n,) array
        Class that it answers, as an index into the classes; −1 where there is none.
    """

    rows: int
    error: float
    interval: tuple[float, float]
    rule_error: float
    regret: tuple[float, float]
    regret_interval: tuple[float, float]
    calibration: Calibration | None
    weight: float
    beats_floor: bool
    classes: tuple[ClassRegret, ...]
    regions: tuple[Region, ...]
    row_regret: Floats
    answers: Ints


def check_answers(predictions: Predictions | None, decision: Decision | None) -> None:
    """Refuse classes where several are to be named at once."""
    if predictions is None or predictions.probabilities is not None or decision is None:
        return
    if decision.top_k > 1:
        raise DataError(
            "predictions are classes, one a row, and top_k= names several at once; pass a"
            " probability for each class"
        )


def review_model(
    sample: Sample,
    joined: JoinedConclusion,
    predictions: Predictions,
    decision: Decision | None,
    ends: Ends,
    *,
    confidence: float,
    columns: list[ForeignColumn],
) -> ModelReview:
    """Measure a model on the rows that it has predictions of.

    Parameters
    ----------
    sample : Sample
        Points and labels.
    joined : JoinedConclusion
        What is concluded.
    predictions : Predictions
        Of the model.
    decision : Decision or None
        What a classifier decides.
    ends : Ends
        Of the loss of that decision.
    confidence : float
        Of the intervals.
    columns : list of ForeignColumn
        Where regions are looked for, of all rows.
    """
    conclusion = joined.conclusion
    kept = np.flatnonzero(predictions.known[conclusion.rows])
    if not len(kept):
        raise DataError("no row that was searched has a prediction; leave out max_seconds=")
    rows = conclusion.rows[kept]
    test = _TestedRows(sample, rows, predictions.take(rows), decision)
    model, rule = (
        test.model_losses(),
        test.actions.held_out(conclusion.posterior[kept], test.labels),
    )
    error, effect = test.strata.mean(model), conclusion.design_effect
    interval = test.interval(model, confidence)
    least, low = test.difference(model - rule, confidence, effect)
    most, high = error - ends.lower, interval[1] - ends.interval[0]
    if ends.sharpened is not None:
        found = ends.sharpened
        apart = model - found.scores[kept] - found.shift
        most = test.strata.mean(apart)
        high = most + float(np.hypot(test.margin(apart, confidence), found.below))
    row_regret = np.full(sample.n, np.nan)
    row_regret[rows] = test.expected_regret(conclusion.posterior[kept])
    q = test.found.probabilities
    return ModelReview(
        rows=len(rows),
        error=error,
        interval=interval,
        rule_error=test.strata.mean(rule),
        regret=(max(least, 0.0), max(most, least, 0.0)),
        regret_interval=(max(low, 0.0), max(high, low, 0.0)),
        calibration=q
        if q is None
        else calibrate(q.max(axis=1), 1 - held_out_errors(q, test.labels)),
        weight=joined.weight,
        beats_floor=joined.beats_floor,
        classes=test.by_class(model, rule, confidence),
        regions=find_regions(columns, rows, model, rule, test.groups, confidence),
        row_regret=row_regret,
        answers=predictions.answers,
    )


class _TestedRows:
    """The rows that a model is tested on, and what its answers lose there."""

    def __init__(
        self, sample: Sample, rows: Ints, found: Predictions, decision: Decision | None
    ) -> None:
        self.found, self.labels, self.groups = found, sample.labels[rows], groups_of(sample, rows)
        self.m = sample.m
        plain = AnswerSets(1, np.ones(self.m))
        self.actions: Actions = plain if decision is None else decision.actions
        priors = None if decision is None else decision.priors
        self.strata: Strata = make_strata(self.labels, None if priors is None else sample.priors)
        by_class = self.actions.largest
        self.largest = by_class.max(keepdims=True) if priors is None else by_class
        self.ratio = np.ones(self.m) if priors is None else priors / sample.priors

    def model_losses(self) -> Floats:
        """Return what the model's answers lose, (rows,)."""
        if self.found.probabilities is not None:
            return self.actions.held_out(self.found.probabilities, self.labels)
        return self._loss_table()[self.found.answers, self.labels]

    def _loss_table(self) -> Floats:
        """Return what answering a class loses at a row of each class, (m, m) or more rows."""
        if isinstance(self.actions, LossTable):
            return self.actions.losses
        return self.actions.largest * (1 - np.eye(self.m))

    def interval(self, values: Floats, confidence: float) -> tuple[float, float]:
        """Return both limits of a mean of losses."""
        rows = 1 / rows_as_one(values, self.groups, confidence)
        tail = (1 - confidence) / 2
        most = self.largest[self.strata.of_row]
        high = mean_limit(values, self.strata, self.largest, rows, tail)
        low = mean_limit(most - values, self.strata, self.largest, rows, tail)
        return max(self.strata.mean(most) - low, 0.0), min(high, self.strata.mean(most))

    def margin(self, values: Floats, confidence: float, least: float = 1.0) -> float:
        """Return how far a mean may be off by the noise of its rows."""
        noise = self.strata.mean_error(values, self.groups, least)
        return critical_value(confidence, self.groups) * noise

    def difference(self, values: Floats, confidence: float, least: float) -> tuple[float, float]:
        """Return the mean of differences, and its lower limit."""
        mean = self.strata.mean(values)
        return mean, mean - self.margin(values, confidence, least)

    def expected_regret(self, posterior: Floats) -> Floats:
        """Return what the model's answer loses more than the best one, by posteriors, (rows,)."""
        best = self.actions.expected(posterior)
        if isinstance(self.actions, AnswerSets) and self.actions.k > 1:
            assert self.found.probabilities is not None
            each = [
                self.actions.held_out(self.found.probabilities, np.full(len(posterior), c))
                for c in range(self.m)
            ]
            return np.asarray((posterior * np.column_stack(each)).sum(axis=1) - best)
        table, p = self._loss_table(), self.found.probabilities
        chosen = self.found.answers if p is None else (p @ table.T).argmin(axis=1)
        return np.asarray((posterior * table[chosen]).sum(axis=1) - best)

    def by_class(self, model: Floats, rule: Floats, confidence: float) -> tuple[ClassRegret, ...]:
        """Compare model and rule on the rows of each class, where it loses most first."""
        sure = 1 - (1 - confidence) / self.m
        found = []
        for code in np.unique(self.labels).tolist():
            own = np.flatnonzero(self.labels == code)
            one = make_strata(self.labels[own], None)
            groups = None if self.groups is None else self.groups[own]
            scaled = [values[own] / self.ratio[code] for values in (model, rule)]
            apart = scaled[0] - scaled[1]
            margin = critical_value(sure, groups) * one.mean_error(apart, groups)
            middle = float(apart.mean())
            loss, rule_loss = (float(values.mean()) for values in scaled)
            ends = (middle - margin, middle + margin)
            found.append(ClassRegret(code, len(own), loss, rule_loss, ends))
        return tuple(sorted(found, key=lambda one: -(one.loss - one.rule_loss) * one.rows))
