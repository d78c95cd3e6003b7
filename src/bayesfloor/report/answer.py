"""What a floor says to a person: whether a target is in reach, what is left to win for a model.

The Bayes error lies between a rule's error on held-out rows and a bound that no classifier goes
below. Both ends close in on it as rows are added. So a target is decided, or undecided with the
number of rows that would likely decide it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol, cast

from bayesfloor.base.errors import DataError
from bayesfloor.base.formatting import as_percent, percent, show
from bayesfloor.base.options import number
from bayesfloor.bounds.prior_error import wilson_limit
from bayesfloor.estimators.methods import DEFAULT_METHOD, METHODS
from bayesfloor.floor import Floor

MOST_TIMES_THE_ROWS = 1000
"""A target that takes so many times the rows is called undecidable: a judgement of what is
realistic.
"""
SLACK_SHARE = 2 / 3
"""Power of the excess of maps that the distance between their error and the lower bound falls with:
with an excess V it is about V^(2/3), see docs/method.md."""
ROWS_PER_COLUMN = 10
"""Rows for each column that learning wants, at least: the usual rule of thumb."""
FINE_POINTS = 0.00995
"""Shares up to this are written in percentage points with two digits, others with one."""
ROUNDING = 1e-12
"""One minus a share is off by less than this: an accuracy of 0.9 is met by an error of 0.1."""
REACHABLE, OUT_OF_REACH, UNDECIDED = "reachable", "out of reach", "undecided"
ALREADY_MET = "already met"
ROOM, WITHIN, BELOW = "room left", "may be done", "below the floor"
"""Verdicts on a target, and on a model."""


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
    """Whether an accuracy can be reached by any classifier on these columns."""

    accuracy: float
    verdict: str  # reachable, already met, out of reach or undecided
    rows_to_decide: int | None  # if more rows would likely decide it
    rests_on: str | None  # what the verdict takes for granted; None if nothing
    sentence: str

    @property
    def heading(self) -> str:
        """What was asked, with the verdict."""
        return f"Target of {as_percent(self.accuracy)} accuracy: {self.verdict}"


@dataclass(frozen=True, slots=True)
class ModelAnswer:
    """How far a model's error can still improve."""

    error: float
    verdict: str  # room left, may be done or below the floor
    to_win: tuple[float, float]  # between the bounds
    to_win_interval: tuple[float, float]  # between the ends of the interval
    error_interval: tuple[float, float] | None  # of the model's error, if its test rows are known
    rests_on: str | None  # what the verdict takes for granted; None if nothing
    sentence: str

    @property
    def heading(self) -> str:
        """What was asked, with the verdict."""
        return f"Model with {as_percent(self.error)} error: {self.verdict}"


@dataclass(frozen=True, slots=True)
class Question:
    """Something that can be asked of a floor, with a number."""

    name: str  # in the JSON document
    fact: str  # beside its answer on the terminal
    check: Callable[[str, object], None]  # refuses a value; takes the name of the option first
    reply: Callable[[Floor, float, Mapping[str, float]], Reply] | None
    """Answers, given the value and all that was asked; None if it only adds to another option."""
    help: str  # of the option
    metavar: str = "SHARE"  # of the option's value
    fact_has_verdict: bool = True
    adds_to: str | None = None  # the option that it only adds to


@dataclass(frozen=True, slots=True)
class Answer:
    """The replies to what was asked beside the floor itself, by the name of the question."""

    replies: dict[str, Reply]

    @property
    def model(self) -> ModelAnswer | None:
        """The reply on a model's error, if that was asked."""
        return cast("ModelAnswer | None", self.replies.get("model"))

    @property
    def target(self) -> TargetAnswer | None:
        """The reply on a target, if that was asked."""
        return cast("TargetAnswer | None", self.replies.get("target"))

    def facts(self) -> list[tuple[str, str]]:
        """Return pairs of a name and a text, as `Floor.facts` does."""
        return [
            (q.fact, f"{reply.verdict}: {reply.sentence}" if q.fact_has_verdict else reply.sentence)
            for q in QUESTIONS.values()
            if (reply := self.replies.get(q.name)) is not None
        ]


def check_questions(asked: Mapping[str, object], spelled: Callable[[str], str] = str) -> None:
    """Refuse what is no question, or no value for it, before anything is computed.

    Parameters
    ----------
    asked : mapping of str to object
        Values by the names in ``QUESTIONS``.
    spelled : callable
        Spells a name as the user wrote it, for messages.
    """
    for option, value in asked.items():
        if option not in QUESTIONS:
            names = ", ".join(QUESTIONS)
            raise DataError(f"there is no question {option!r}; ask one of {names}")
        QUESTIONS[option].check(spelled(option), value)
        other = QUESTIONS[option].adds_to
        if value is not None and other is not None and asked.get(other) is None:
            name = spelled(other)
            raise DataError(f"{spelled(option)} adds to {name}; pass {name} too or leave it out")


def check_model_error(name: str, value: object) -> None:
    """Refuse an error that is no share; None is nothing asked."""
    if value is not None and not 0 <= number(value) <= 1:
        came = f"{name} is {show(value)}"
        raise DataError(f"{came}; pass the share of errors, from 0 to 1, such as 0.12")


def check_target(name: str, value: object) -> None:
    """Refuse an accuracy that is no share; None is nothing asked."""
    if value is not None and not 0 < number(value) <= 1:
        came = f"{name} is {show(value)}"
        raise DataError(f"{came}; pass an accuracy above 0 and up to 1, such as 0.95")


def check_test_rows(name: str, value: object) -> None:
    """Refuse a number of rows that is none; None is nothing asked."""
    if value is None:
        return
    count = number(value)
    if not (1 <= count < math.inf and count == int(count)):
        came = f"{name} is {show(value)}"
        raise DataError(f"{came}; pass the number of rows that the model was tested on")


def answer(floor: Floor, **asked: float | None) -> Answer:
    """Answer what is asked of a floor.

    Parameters
    ----------
    floor : Floor
        The floor.
    **asked : float, optional
        Values by the names in ``QUESTIONS``: ``model_error``, the error of a model, ``test_rows``,
        the rows that it was measured on, and ``target``, a wanted accuracy. None is nothing asked.
    """
    check_questions(asked)
    values = {option: float(value) for option, value in asked.items() if value is not None}
    return Answer(
        {
            question.name: question.reply(floor, values[option], values)
            for option, question in QUESTIONS.items()
            if option in values and question.reply is not None
        }
    )


def summary_sentences(floor: Floor) -> tuple[str, ...]:
    """Say what the floor means, to a reader who knows classifiers and nothing else."""
    low, high = floor.interval
    which = "this column" if floor.columns == 1 else f"these {floor.columns:,} columns"
    sure, most, least = as_percent(floor.confidence), percent(1 - low), percent(1 - high)
    seeing = "on" if floor.ground.scope else "that sees only"
    limit = (
        f"{nobody(floor)} {seeing} {which} is right on more than {most} of new rows, and the best"
        f" possible classifier is right on {least} or more."
        if most != percent(1)
        else f"the best possible classifier that sees only {which} is right on {least} of new rows"
        " or more; that it is never wrong cannot be ruled out."
    )
    return (
        f"With {sure} confidence, {limit}",
        f"{_grounds_sentence(floor)} The best estimate of the lowest possible error is"
        f" {percent(floor.estimate)}.",
    )


def nobody(floor: Floor) -> str:
    """Name those who the lower end speaks of: no classifier, or none of the kinds tried."""
    scope = floor.ground.scope
    return f"no model {scope}" if scope else "no classifier"


def _grounds_sentence(floor: Floor) -> str:
    """Say what the two ends of the interval rest on."""
    low, condition = floor.interval[0], " and ".join(floor.provisos)
    if not _is_held_out(floor):
        return (
            f"Both numbers come from {METHODS[floor.method].explanation}: they hold if {condition}."
        )
    fact = (
        f"is measured: a rule learned on some of the {floor.n:,} rows errs on"
        f" {percent(floor.upper)} of the others."
    )
    if percent(1 - low) == percent(1):
        return (
            f"This number {fact} A lower limit of the error would rest on {floor.ground.summary},"
            " but these rows give none above 0 with that confidence."
        )
    return (
        f"The lower number {fact} The higher one rests on {floor.ground.summary}: it holds if"
        f" {condition}."
    )


def _is_held_out(floor: Floor) -> bool:
    """Tell whether the upper end is the error of a held-out rule, not a published bound."""
    return METHODS[floor.method].sharpens


def _target(floor: Floor, accuracy: float, asked: Mapping[str, float]) -> TargetAnswer:
    error, (low, high) = 1 - accuracy, floor.interval
    wanted, sure = as_percent(accuracy), as_percent(floor.confidence)
    model = asked.get("model_error")
    worst = 1.0 if model is None else _model_interval(floor, model, asked)[1]
    if worst <= error + ROUNDING:
        but = "; but its error is below the floor, so check its test first" if worst < low else ""
        return TargetAnswer(
            accuracy,
            ALREADY_MET,
            None,
            None,
            f"your model is right on {wanted} or more already{but}.",
        )
    if error >= high:
        rests_on = None if _is_held_out(floor) else floor.lower_rests_on
        return TargetAnswer(accuracy, REACHABLE, None, rests_on, _in_reach(floor, wanted, sure))
    if error < low:
        return TargetAnswer(
            accuracy, OUT_OF_REACH, None, floor.lower_rests_on, _out_of_reach(floor, wanted, sure)
        )
    rows = _rows_to_decide(floor, error)
    return TargetAnswer(accuracy, UNDECIDED, rows, None, _open_question(floor, error, rows))


def _in_reach(floor: Floor, wanted: str, sure: str) -> str:
    """Say that a target is reached, and how that is known."""
    least = percent(1 - floor.interval[1])
    if not _is_held_out(floor):
        return (
            f"the best possible classifier is right on {least} or more of new rows with {sure}"
            f" confidence, and {wanted} is no more than that. This holds if"
            f" {' and '.join(floor.provisos)}."
        )
    return (
        f"a rule learned on some of these rows is right on {percent(1 - floor.upper)} of the"
        f" others, on {least} or more of new rows with {sure} confidence, and {wanted} is no more"
        " than that."
    )


def _out_of_reach(floor: Floor, wanted: str, sure: str) -> str:
    """Say that nobody gets there, and of whom that is known."""
    limit = percent(1 - floor.interval[0])
    text = (
        f"{nobody(floor)} is right on {wanted} of new rows from these columns, however many rows"
        f" it learns from; the limit is {limit}, with {sure} confidence. This holds if"
        f" {' and '.join(floor.provisos)}."
    )
    if floor.ground.scope:
        return f"{text} Other columns would help, or a model of another kind."
    return f"{text} Better columns are needed, not a better model."


def _rows_to_decide(floor: Floor, error: float) -> int | None:
    """Rows at which the interval would likely end before the target, or None if it never does.

    Both ends close in on the estimate. The margin of an end shrinks like one over the root of the
    rows, that of an error hardly ever seen faster, as Wilson's limit says. What lies between a
    bound and the estimate shrinks with the excess of the maps, or like the margin where no maps
    were learned; between published bounds it stays.
    """
    above = error >= floor.estimate
    bound = floor.upper if above else floor.lower
    end = floor.interval[1] if above else floor.interval[0]
    margin, slack = abs(end - bound), abs(bound - floor.estimate)
    apart, rate = abs(error - floor.estimate), _closing_rate(floor)

    def reach(times: float) -> float:
        left = _upper_margin(floor, times) / _upper_margin(floor, 1.0) if above else times**-0.5
        return float(margin * left + slack * times**-rate)

    if reach(MOST_TIMES_THE_ROWS) > apart:
        return None
    low, most = 1.0, float(MOST_TIMES_THE_ROWS)
    while most / low > 1.01:
        middle = math.sqrt(low * most)
        low, most = (middle, most) if reach(middle) > apart else (low, middle)
    guessed = floor.interval[0] == 0 and not above
    return _rounded_up(max(most * floor.n, ROWS_PER_COLUMN * floor.d if guessed else 0))


def _closing_rate(floor: Floor) -> float:
    """Return the power of the rows that a bound nears the estimate with."""
    if not _is_held_out(floor):
        return 0.0
    curve = floor.learning_curve
    if curve is None:
        return 0.5
    exponent = 0.5 if curve.excess is None else curve.excess.exponent
    return min(SLACK_SHARE * exponent, 0.5)


def _upper_margin(floor: Floor, times: float) -> float:
    """Return the margin of error of the held-out error at so many times the rows."""
    tail = (1 - floor.confidence) / 2
    return wilson_limit(floor.upper, int(times * floor.n), tail) - floor.upper


def _open_question(floor: Floor, error: float, rows: int | None) -> str:
    wanted = as_percent(1 - error)
    if rows is not None:
        side = "in reach" if error >= floor.estimate else "out of reach"
        return (
            f"{wanted} looks {side}, but {floor.n:,} rows are too few to tell; about {rows:,} rows"
            " would likely decide it."
        )
    if not _is_held_out(floor):
        return (
            f"{wanted} is too close to the bounds of method {floor.method}"
            f" ({percent(1 - floor.upper)} and {percent(1 - floor.lower)}) or between them, and"
            f" more rows do not bring these together; method {DEFAULT_METHOD} may decide it."
        )
    return (
        f"{wanted} is so close to the best estimate, {percent(1 - floor.estimate)}, that no"
        " realistic number of rows decides it; only a model that gets there can tell."
    )


def _model_interval(floor: Floor, error: float, asked: Mapping[str, float]) -> tuple[float, float]:
    """Return the interval of a model's error; the error itself if its test rows are not known."""
    rows = asked.get("test_rows")
    if rows is None:
        return error, error
    tail, n = (1 - floor.confidence) / 2, int(rows)
    return 1 - wilson_limit(1 - error, n, tail), wilson_limit(error, n, tail)


def _model(floor: Floor, error: float, asked: Mapping[str, float]) -> ModelAnswer:
    (low, high), sure = floor.interval, as_percent(floor.confidence)
    best, worst = _model_interval(floor, error, asked)
    to_win = (max(error - floor.upper, 0.0), max(error - floor.lower, 0.0))
    wide = (max(best - high, 0.0), max(worst - low, 0.0))
    known = "test_rows" in asked
    margin = f" ({percent(best)} to {percent(worst)} by its test rows)" if known else ""
    came = f"a model that errs on {as_percent(error)} of new rows{margin}"
    rests_on: str | None = floor.lower_rests_on
    if worst < low:
        scope = floor.ground.scope
        beaten = f"every model {scope}" if scope else "every possible classifier"
        verdict, text = (
            BELOW,
            f"{came} would beat {beaten} (at least {percent(low)}, with {sure} confidence): look"
            " for training rows in its test, a leak, or copied rows. The limit holds if"
            f" {' and '.join(floor.provisos)}.",
        )
    elif best > high:
        rests_on = None if _is_held_out(floor) else rests_on
        better = ": a rule learned on some of these rows does better" if rests_on is None else ""
        verdict, text = (
            ROOM,
            f"{came} can still improve by {_points(wide[0])} percentage points or more, with"
            f" {sure} confidence, and by {_points(wide[1])} at most{better}.",
        )
    elif worst == 0:
        verdict, text = WITHIN, f"{came} has nothing left to improve."
    else:
        verdict, text = (
            WITHIN,
            f"{came} has at most {_points(wide[1])} percentage points of improvement left, with"
            f" {sure} confidence, possibly none: it may be as good as these columns allow.",
        )
    interval = (best, worst) if known else None
    return ModelAnswer(error, verdict, to_win, wide, interval, rests_on, text)


def _points(share: float) -> str:
    return f"{100 * share:.{1 if share > FINE_POINTS else 2}f}"


def _rounded_up(count: float) -> int:
    """Round up to two digits."""
    unit = 10 ** max(len(str(int(count))) - 2, 0)
    return int(math.ceil(count / unit) * unit)


QUESTIONS: dict[str, Question] = {
    "model_error": Question(
        "model",
        "your model",
        check_model_error,
        _model,
        "Error of your model on new rows, such as 0.12: how much can still improve?",
        fact_has_verdict=False,
    ),
    "test_rows": Question(
        "test rows",
        "",
        check_test_rows,
        None,
        "Rows that the error of your model was measured on: it then has a margin of error.",
        metavar="ROWS",
        adds_to="model_error",
    ),
    "target": Question(
        "target",
        "your target",
        check_target,
        _target,
        "Accuracy you want, such as 0.95: is it in reach?",
        metavar="ACCURACY",
    ),
}
"""What can be asked, by the name of the option: in Python, and on the command line with dashes."""
