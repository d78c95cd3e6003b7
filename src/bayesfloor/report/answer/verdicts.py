"""Verdicts: whether a target is in reach, and what is left to win for a model.

The Bayes error lies between a rule's error on held-out rows and a bound that no classifier goes
below. Both ends close in on it as rows are added. So a target is decided, or undecided with the
number of rows that would likely decide it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from bayesfloor.base.errors import DataError
from bayesfloor.base.measures import ERROR, Measure
from bayesfloor.bounds.prior_error import wilson_limit
from bayesfloor.floor import Floor
from bayesfloor.report.answer import wording
from bayesfloor.report.answer.rows_to_decide import rows_to_decide

ROUNDING = 1e-12
"""One minus a share is off by less than this: an accuracy of 0.9 is met by an error of 0.1."""
REACHABLE, OUT_OF_REACH, UNDECIDED = "reachable", "out of reach", "undecided"
ALREADY_MET, TRIVIAL = "already met", "trivial"
ROOM, WITHIN, BELOW = "room left", "may be done", "below the floor"
"""Verdicts on a target, and on a model."""


ERROR_DIGITS = 4
"""Digits of a model's error that was measured, where it is shown like one that was given."""


@dataclass(frozen=True, slots=True)
class Asked:
    """All that was asked of a floor at once, and what the answer is to be shown as."""

    values: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    measure: Measure = ERROR

    def first(self, name: str) -> float | None:
        """Return the value of a question by the name of its option, None if it was not asked."""
        return next(iter(self.values.get(name, ())), None)


class Reply(Protocol):
    """The answer to one question: a verdict, and a sentence that says why."""

    @property
    def verdict(self) -> str:
        """A few words."""
        ...

    @property
    def sentence(self) -> str:
        """What the verdict means here; it starts in lower case."""
        ...

    @property
    def heading(self) -> str:
        """What was asked, with the verdict."""
        ...


@dataclass(frozen=True, slots=True)
class TargetAnswer:
    """Whether an accuracy, or a cost, can be reached by any classifier on these columns."""

    accuracy: float | None  # None if the target is a cost
    error: float  # or cost, that it allows
    verdict: str  # trivial, already met, reachable, out of reach or undecided
    rows_to_decide: int | None  # if more rows would likely decide it
    rests_on: str | None  # what the verdict takes for granted; None if nothing
    heading: str
    sentence: str


@dataclass(frozen=True, slots=True)
class ModelAnswer:
    """How far a model's error can still improve."""

    error: float
    verdict: str  # room left, may be done or below the floor
    to_win: tuple[float, float]  # between the bounds
    to_win_interval: tuple[float, float]  # between the ends of the interval
    error_interval: tuple[float, float] | None  # of the model's error, if its test rows are known
    rests_on: str | None  # what the verdict takes for granted; None if nothing
    heading: str
    sentence: str


def judge_target(floor: Floor, accuracy: float, asked: Asked) -> TargetAnswer:
    """Tell whether any classifier on these columns can be so accurate."""
    cost = asked.measure.is_cost
    error = accuracy if cost else 1 - accuracy
    verdict, rows, rests_on, sentence = _target_verdict(floor, error, asked)
    if verdict != TRIVIAL and error + ROUNDING >= floor.constant.loss:
        sentence = f"{wording.largest_class_sentence(floor, asked.measure)} already; {sentence}"
    heading = f"Target of {asked.measure.titled(error)}: {verdict}"
    return TargetAnswer(
        None if cost else accuracy, error, verdict, rows, rests_on, heading, sentence
    )


def _target_verdict(
    floor: Floor, error: float, asked: Asked
) -> tuple[str, int | None, str | None, str]:
    """Return the verdict on an error, the rows to decide it, its ground and its sentence."""
    (low, high), measure = floor.interval, asked.measure
    if floor.constant.limit <= error + ROUNDING:
        return TRIVIAL, None, None, wording.trivial_sentence(floor, error, measure)
    worst = _worst_error(floor, asked)
    if worst is not None and worst <= error + ROUNDING:
        return ALREADY_MET, None, None, wording.met_sentence(floor, error, worst, measure)
    if error >= high:
        rests_on = None if wording.is_held_out(floor) else floor.lower_rests_on
        return REACHABLE, None, rests_on, wording.reachable_sentence(floor, error, measure)
    if error < low:
        sentence = wording.out_of_reach_sentence(floor, error, measure)
        return OUT_OF_REACH, None, floor.lower_rests_on, sentence
    rows = rows_to_decide(floor, error)
    return UNDECIDED, rows, None, wording.undecided_sentence(floor, error, rows, measure)


def _worst_error(floor: Floor, asked: Asked) -> float | None:
    """Return the largest error that a model may have, if one is known."""
    if floor.model is not None:
        return floor.model.interval[1]
    error = asked.first("model_error")
    return None if error is None else _model_interval(floor, error, asked)[1]


def judge_predictions(floor: Floor, asked: Asked) -> ModelAnswer:
    """Tell how much a model whose predictions are known can still improve."""
    model, measure = floor.model, asked.measure
    assert model is not None
    subject, low = wording.predictions_subject(floor, measure), model.regret_interval[0]
    verdict = BELOW if model.beats_floor else ROOM if low > 0 else WITHIN
    rests_on, sentence = _said_of_model(
        floor, verdict, model.interval, subject, model.regret_interval, measure
    )
    return ModelAnswer(
        float(f"{model.error:.{ERROR_DIGITS}g}"),
        verdict,
        model.regret,
        model.regret_interval,
        model.interval,
        rests_on,
        f"Your model, {wording.with_error(measure, model.error)}: {verdict}",
        sentence,
    )


def judge_model(floor: Floor, error: float, asked: Asked) -> ModelAnswer:
    """Tell how much a model with this error can still improve."""
    best, worst = _model_interval(floor, error, asked)
    interval = (best, worst) if asked.first("test_rows") is not None else None
    to_win = (max(error - floor.upper, 0.0), max(error - floor.lower, 0.0))
    wide = (max(best - floor.interval[1], 0.0), max(worst - floor.interval[0], 0.0))
    subject = wording.model_subject(floor, error, interval, asked.measure)
    verdict = _model_verdict(floor, (best, worst))
    rests_on, sentence = _said_of_model(floor, verdict, (best, worst), subject, wide, asked.measure)
    heading = f"Model with {asked.measure.titled(error)}: {verdict}"
    return ModelAnswer(error, verdict, to_win, wide, interval, rests_on, heading, sentence)


def _model_verdict(floor: Floor, ends: tuple[float, float]) -> str:
    """Return the verdict on a model's interval."""
    (best, worst), (low, high) = ends, floor.interval
    if worst < low:
        return BELOW
    return ROOM if best > high else WITHIN


def _said_of_model(
    floor: Floor,
    verdict: str,
    ends: tuple[float, float],
    subject: str,
    to_win: tuple[float, float],
    measure: Measure,
) -> tuple[str | None, str]:
    """Return the ground of a verdict on a model, and its sentence."""
    best, worst = ends
    if verdict == BELOW:
        return floor.lower_rests_on, wording.below_sentence(floor, subject, measure)
    if verdict == ROOM:
        by_rule = wording.is_held_out(floor)
        is_useless = best >= floor.constant.loss
        useless = wording.largest_class_sentence(floor, measure) if is_useless else ""
        text = wording.room_sentence(
            floor, subject, to_win, measure, by_rule=by_rule, useless=useless
        )
        return None if by_rule else floor.lower_rests_on, text
    if worst == 0:
        return floor.lower_rests_on, f"{subject} has nothing left to improve."
    return floor.lower_rests_on, wording.done_sentence(floor, subject, to_win[1], measure)


def _model_interval(floor: Floor, error: float, asked: Asked) -> tuple[float, float]:
    """Return the interval of a model's error; the error itself if its test rows are not known."""
    rows = asked.first("test_rows")
    if rows is None:
        return error, error
    if floor.decision is not None:
        raise DataError(
            "test_rows= is for the error on rows like these; leave it out where classes have other"
            " shares or errors have costs"
        )
    tail, n = (1 - floor.confidence) / 2, int(rows)
    return 1 - wilson_limit(1 - error, n, tail), wilson_limit(error, n, tail)
