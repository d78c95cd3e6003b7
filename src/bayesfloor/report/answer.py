"""What a floor says to a person: whether a target is in reach, what is left to win for a model.

The Bayes error lies between two bounds that are functions of the mismatch R. More rows make R
exact, but the bounds stay apart. So there are three kinds of targets: outside the interval
(decided), inside the interval but outside the bounds (more rows decide), and between the bounds (no
number of rows decides).
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, cast

from scipy.special import ndtri

from bayesfloor.base.errors import DataError
from bayesfloor.base.formatting import as_percent, counted, percent, show
from bayesfloor.base.options import number
from bayesfloor.bounds.prior_error import minority_limit
from bayesfloor.estimators.methods import METHODS
from bayesfloor.floor import Floor

MOST_TIMES_THE_ROWS = 1000
"""A target that takes so many times the rows is called undecidable: a judgement of what is
realistic.
"""
RULE_OF_THREE_ROWS = 3
"""A mismatch, and a standard error, of fewer rows than this is that of errors that went unseen (the
rule of three)."""
FINE_POINTS = 0.00995
"""Shares up to this are written in percentage points with two digits, others with one."""
REACHABLE, OUT_OF_REACH, UNDECIDED = "reachable", "out of reach", "undecided"
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
    verdict: str  # reachable, out of reach or undecided
    rows_to_decide: int | None  # if more rows would likely decide it
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
    reply: Callable[[Floor, float], Reply]
    help: str  # of the option
    metavar: str = "SHARE"  # of the option's value
    fact_has_verdict: bool = True


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


def check_questions(**asked: object) -> None:
    """Refuse what is no question, or no value for it, before anything is computed."""
    for option, value in asked.items():
        if option not in QUESTIONS:
            names = ", ".join(QUESTIONS)
            raise DataError(f"there is no question {option!r}; ask one of {names}")
        QUESTIONS[option].check(option, value)


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


def answer(floor: Floor, **asked: float | None) -> Answer:
    """Answer what is asked of a floor.

    Parameters
    ----------
    floor : Floor
        The floor.
    **asked : float, optional
        Values by the names in ``QUESTIONS``: ``model_error``, the error of a model, and ``target``,
        a wanted accuracy. None is nothing asked.
    """
    check_questions(**asked)
    return Answer(
        {
            question.name: question.reply(floor, float(value))
            for option, question in QUESTIONS.items()
            if (value := asked.get(option)) is not None
        }
    )


def summary_sentences(floor: Floor) -> tuple[str, ...]:
    """Say what the floor means, to a reader who knows classifiers and nothing else."""
    low, high = floor.interval
    which = "this column" if floor.columns == 1 else f"these {floor.columns:,} columns"
    sure, most, least = as_percent(floor.confidence), percent(1 - low), percent(1 - high)
    limit = (
        f"no classifier that sees only {which} is right on more than {most} of new rows, and the"
        f" best possible one is right on {least} or more."
        if most != percent(1)
        else f"the best possible classifier that sees only {which} is right on {least} of new rows"
        " or more; that it is never wrong cannot be ruled out."
    )
    proviso = (
        f"The upper limit on accuracy holds if {' and '.join(floor.provisos)}; the lower limit"
        " holds in any case."
    )
    return (
        f"With {sure} confidence, {limit}",
        f"These limits allow for the margin of error of {counted(floor.n, 'row')}. Without it they"
        f" are {percent(1 - floor.lower)} and {percent(1 - floor.upper)}; the best estimate of the"
        f" lowest possible error is {percent(floor.estimate)}.",
        *([proviso] if floor.provisos else []),
    )


def _proviso(floor: Floor) -> str:
    """Return what is added to verdicts that rest on the lower bound."""
    return f" This holds if {' and '.join(floor.provisos)}." if floor.provisos else ""


def _target(floor: Floor, accuracy: float) -> TargetAnswer:
    error, (low, high) = 1 - accuracy, floor.interval
    wanted, sure = as_percent(accuracy), as_percent(floor.confidence)
    if error < low:
        return TargetAnswer(
            accuracy,
            OUT_OF_REACH,
            None,
            f"no classifier on these columns is right on {wanted} of new rows; the limit is"
            f" {percent(1 - low)}, with {sure} confidence. Better columns are needed, not a"
            f" better model.{_proviso(floor)}",
        )
    if error >= high:
        return TargetAnswer(
            accuracy,
            REACHABLE,
            None,
            f"the best classifier is right on {percent(1 - high)} of new rows or more, with"
            f" {sure} confidence, and {wanted} is no more than that. A good enough model gets"
            " there.",
        )
    rows = _rows_to_decide(floor, error)
    return TargetAnswer(accuracy, UNDECIDED, rows, _open_question(floor, error, rows))


def _rows_to_decide(floor: Floor, error: float) -> int | None:
    """Rows at which the interval would likely end before the target, or None if it never does.

    What the interval adds to a bound shrinks like one over the root of the rows, or over the rows
    where none of them shows a mismatch. It must fall below the distance from the bound to the
    target. An interval that is clipped hides how wide it is: the same is asked of R, at the value
    at which a bound meets the target.
    """
    if floor.lower <= error < floor.upper:
        return None
    above = error >= floor.upper
    bound = METHODS[floor.method].bound
    if above and floor.upper < bound.unclipped_upper(floor.mismatch):  # that of the largest class
        return _rows_of_a_share(floor, error)
    inverse = bound.mismatch_at_upper if above else bound.mismatch_at_lower
    meets = inverse(error, floor.priors)
    reach = floor.mismatch_se * float(ndtri(0.5 + floor.confidence / 2))
    at, end = (floor.upper, floor.interval[1]) if above else (floor.lower, floor.interval[0])
    pairs = ((reach, floor.mismatch - meets), (end - at, error - at))
    times = max(abs(wide / apart) if apart else math.inf for wide, apart in pairs)
    unseen = max(floor.mismatch_se, floor.mismatch) * floor.n < RULE_OF_THREE_ROWS
    factor = times if unseen else times * times
    return _rounded_up(factor * floor.n) if factor <= MOST_TIMES_THE_ROWS else None


def _rows_of_a_share(floor: Floor, error: float) -> int | None:
    """Rows at which the share of all classes but the largest is known to be below the target."""
    tail, counts = (1 - floor.confidence) / 2, range(floor.n, MOST_TIMES_THE_ROWS * floor.n)
    found = bisect_left(counts, True, key=lambda n: minority_limit(floor.priors, n, tail) <= error)
    return _rounded_up(counts[found]) if found < len(counts) else None


def _open_question(floor: Floor, error: float, rows: int | None) -> str:
    wanted = as_percent(1 - error)
    if rows is not None:
        side = "in reach" if error >= floor.upper else "out of reach"
        return (
            f"{wanted} looks {side}, but {floor.n:,} rows are too few to tell; about {rows:,} rows"
            " would likely decide it."
        )
    if floor.lower <= error < floor.upper:
        return (
            f"{wanted} lies between the two limits as estimated: the best classifier reaches"
            f" {percent(1 - floor.upper)}, and none exceeds {percent(1 - floor.lower)}. More rows"
            " do not bring these two together; only a model that gets there can tell."
        )
    return f"{wanted} is so close to a bound that no realistic number of rows decides it."


def _model(floor: Floor, error: float) -> ModelAnswer:
    (low, high), sure = floor.interval, as_percent(floor.confidence)
    to_win = (max(error - floor.upper, 0.0), max(error - floor.lower, 0.0))
    wide = (max(error - high, 0.0), max(error - low, 0.0))
    came = f"a model that errs on {as_percent(error)} of new rows"
    if error < low:
        verdict, text = (
            BELOW,
            (
                f"{came} would beat every possible classifier (at least {percent(low)}, with {sure}"
                " confidence): look for training rows in its test, a leak, or copied rows."
                f"{_proviso(floor)}"
            ),
        )
    elif error > high:
        verdict, text = (
            ROOM,
            (
                f"{came} can still improve by {_points(wide[0])} to {_points(wide[1])} percentage"
                f" points, with {sure} confidence: better models exist on these very columns."
            ),
        )
    elif error == 0:
        verdict, text = WITHIN, f"{came} has nothing left to improve."
    else:
        verdict, text = (
            WITHIN,
            (
                f"{came} has at most {_points(wide[1])} percentage points of improvement left, with"
                f" {sure} confidence, possibly none: it may be as good as these columns allow."
            ),
        )
    return ModelAnswer(error, verdict, to_win, wide, text)


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
