"""What can be asked of a floor beside the floor itself, and the answer to all of it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, cast

from bayesfloor.base.errors import DataError
from bayesfloor.base.formatting import show
from bayesfloor.base.measures import DEFAULT_MEASURE, ERROR, Measure
from bayesfloor.base.options import number

if TYPE_CHECKING:
    from bayesfloor.floor import Floor
    from bayesfloor.report.answer.target_table import TargetTable
    from bayesfloor.report.answer.verdicts import Asked, ModelAnswer, Reply, TargetAnswer


@dataclass(frozen=True, slots=True)
class Question:
    """Something that can be asked of a floor, with a number."""

    name: str  # in the JSON document
    fact: str  # beside its answer on the terminal
    check: Callable[[str, object], None]  # refuses a value; takes the name of the option first
    reply: Callable[[Floor, float, Asked], Reply] | None
    """Answers, given the value and all that was asked; None if it only adds to another option. It
    imports what it needs when it is called: help lists questions without it."""
    help: str  # of the option
    metavar: str = "SHARE"  # of the option's value
    is_count: bool = False  # whether the value is a whole number, not a share
    is_accuracy: bool = False  # whether the value is an accuracy, where answers have no costs
    takes_several: bool = False  # whether several values can be asked at once
    adds_to: str | None = None  # the option that it only adds to
    check_cost: Callable[[str, object], None] | None = None  # the same where answers have costs


@dataclass(frozen=True, slots=True, repr=False)
class Answer:
    """The replies to what was asked beside the floor itself, by the name of the question.

    Attributes
    ----------
    target : TargetAnswer or None
        Verdict on the target, the first if several were asked: ``answer.target.verdict``.
    targets : TargetTable
        Verdicts on all targets; it has `to_frame` and `to_dict`, and a notebook shows it.
    model : ModelAnswer or None
        Verdict on the model's error.
    replies : dict of str to tuple
        All of them.
    """

    replies: dict[str, tuple[Reply, ...]]
    measure: Measure = ERROR

    @property
    def model(self) -> ModelAnswer | None:
        """The reply on a model's error, if that was asked."""
        return cast("ModelAnswer | None", next(iter(self.replies.get("model", ())), None))

    @property
    def target(self) -> TargetAnswer | None:
        """The reply on the first target, if one was asked."""
        return next(iter(self.targets), None)

    @property
    def targets(self) -> TargetTable:
        """The replies on all targets."""
        from bayesfloor.report.answer.target_table import TargetTable

        answers = cast("tuple[TargetAnswer, ...]", self.replies.get("target", ()))
        return TargetTable(answers, self.measure)

    def facts(self) -> list[tuple[str, str]]:
        """Return pairs of a name and a text, as `Floor.facts` does."""
        return [
            (question.fact, f"{reply.verdict}: {reply.sentence}")
            for question in QUESTIONS.values()
            for reply in self.replies.get(question.name, ())
        ]

    def headings(self) -> list[str]:
        """Return what was asked with the verdicts."""
        return [one.heading for replies in self.replies.values() for one in replies]

    def __repr__(self) -> str:
        return "\n".join(f"{name:<16}{text}" for name, text in self.facts())

    def _repr_html_(self) -> str:
        table = self.targets._repr_html_() if len(self.targets) > 1 else ""
        lines = (f"<p><b>{escape(name)}</b> {escape(text)}</p>" for name, text in self.facts())
        return f"{table}{''.join(lines)}"


def answer(
    floor: Floor,
    *,
    target: float | Iterable[float] | None = None,
    model_error: float | None = None,
    test_rows: float | None = None,
    shown_as: str = DEFAULT_MEASURE,
    **asked: float | None,
) -> Answer:
    """Tell whether targets are in reach of any classifier, and whether a model is done.

    Parameters
    ----------
    floor : Floor
        What `bayes_error` returned.
    target : float or several, optional
        Accuracy that is wanted, above 0 and up to 1; the mean cost, where answers have costs.
    model_error : float, optional
        Error of a model on new rows, from 0 to 1, or its mean cost. A floor with the predictions of
        a model judges that one.
    test_rows : int, optional
        Rows that the model's error was measured on: it then has a margin of error.
    shown_as : {"error", "accuracy"}
        What the sentences speak of.
    **asked : float, optional
        Other questions, by their names in ``QUESTIONS``.

    Returns
    -------
    Answer

    Examples
    --------
    >>> import numpy as np
    >>> import bayesfloor as bf
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1], 500)
    >>> floor = bf.bayes_error(rng.normal(size=(1000, 2)) + 2 * y[:, None], y)
    >>> found = bf.answer(floor, target=[0.45, 0.8, 0.99], model_error=0.3)
    >>> found.targets
    target, error  verdict       rests on
    55%            trivial
    20%            reachable
    1%             out of reach  neighbours
    >>> found.model.verdict
    'room left'
    """
    from bayesfloor.report.answer.verdicts import Asked, judge_predictions

    given = {"target": target, "model_error": model_error, "test_rows": test_rows, **asked}
    listed = {option: _listed(option, value) for option, value in given.items()}
    measure = floor.measure(shown_as)
    check_questions(listed, costs=measure.is_cost)
    values = {option: tuple(map(number, one)) for option, one in listed.items() if one}
    everything = Asked(values, measure)
    replies: dict[str, tuple[Reply, ...]] = {
        question.name: tuple(question.reply(floor, value, everything) for value in values[option])
        for option, question in QUESTIONS.items()
        if option in values and question.reply is not None
    }
    if floor.model is not None:
        if model_error is not None:
            raise DataError(
                "the floor has the predictions of a model, which tell its error; leave out"
                " model_error="
            )
        replies["model"] = (judge_predictions(floor, everything),)
    return Answer(replies, everything.measure)


def _listed(option: str, value: object) -> tuple[object, ...]:
    """Return the values of a question, none if it was not asked."""
    if value is None:
        return ()
    several = option in QUESTIONS and QUESTIONS[option].takes_several
    if several and isinstance(value, Iterable) and not isinstance(value, str | bytes):
        return tuple(value)
    return (value,)


def check_questions(
    asked: Mapping[str, Sequence[object]],
    spelled: Callable[[str], str] = str,
    *,
    costs: bool = False,
) -> None:
    """Refuse what is no question, or no value for it, before anything is computed.

    Parameters
    ----------
    asked : mapping of str to sequences
        Values by the names in ``QUESTIONS``, none for what was not asked.
    spelled : callable
        Spells a name as the user wrote it, for messages.
    costs : bool
        Whether answers have costs, which may be above 1.
    """
    for option, values in asked.items():
        if option not in QUESTIONS:
            names = ", ".join(QUESTIONS)
            raise DataError(f"there is no question {option!r}; ask one of {names}")
        question = QUESTIONS[option]
        check = question.check_cost if costs and question.check_cost else question.check
        for value in values:
            check(spelled(option), value)
        other = QUESTIONS[option].adds_to
        if values and other is not None and not asked.get(other):
            name = spelled(other)
            raise DataError(f"{spelled(option)} adds to {name}; pass {name} too or leave it out")


def check_model_error(name: str, value: object) -> None:
    """Refuse an error that is no share."""
    if not 0 <= number(value) <= 1:
        came = f"{name} is {show(value)}"
        raise DataError(f"{came}; pass the share of errors, from 0 to 1, such as 0.12")


def check_target(name: str, value: object) -> None:
    """Refuse an accuracy that is no share."""
    if not 0 < number(value) <= 1:
        came = f"{name} is {show(value)}"
        raise DataError(f"{came}; pass an accuracy above 0 and up to 1, such as 0.95")


def check_mean_cost(name: str, value: object) -> None:
    """Refuse what is no cost."""
    if not 0 <= number(value) < math.inf:
        came = f"{name} is {show(value)}"
        raise DataError(f"{came}; pass a mean cost of a row, 0 or more, such as 0.3")


def check_test_rows(name: str, value: object) -> None:
    """Refuse a number of rows that is none."""
    count = number(value)
    if not (1 <= count < math.inf and count == int(count)):
        came = f"{name} is {show(value)}"
        raise DataError(f"{came}; pass the number of rows that the model was tested on")


def _judge_target(floor: Floor, accuracy: float, asked: Asked) -> Reply:
    from bayesfloor.report.answer.verdicts import judge_target

    return judge_target(floor, accuracy, asked)


def _judge_model(floor: Floor, error: float, asked: Asked) -> Reply:
    from bayesfloor.report.answer.verdicts import judge_model

    return judge_model(floor, error, asked)


QUESTIONS: dict[str, Question] = {
    "target": Question(
        "target",
        "your target",
        check_target,
        _judge_target,
        "Accuracy you want, such as 0.95, 95% or 99,5: is it in reach? Several make a table.",
        metavar="ACCURACY",
        is_accuracy=True,
        takes_several=True,
        check_cost=check_mean_cost,
    ),
    "model_error": Question(
        "model",
        "your model",
        check_model_error,
        _judge_model,
        "Error of your model on new rows, such as 0.12 or 12%: how much can still improve?",
        check_cost=check_mean_cost,
    ),
    "test_rows": Question(
        "test rows",
        "",
        check_test_rows,
        None,
        "Rows that the error of your model was measured on: it then has a margin of error.",
        metavar="ROWS",
        is_count=True,
        adds_to="model_error",
    ),
}
"""What can be asked, by the name of the option: in Python, and on the command line with dashes."""
