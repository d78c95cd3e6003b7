"""An option of the command line for each question that can be asked of a floor."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any, Self

from bayesfloor.base.errors import DataError
from bayesfloor.base.measures import DEFAULT_MEASURE, MEASURES
from bayesfloor.report.answer import QUESTIONS, Question, check_questions
from bayesfloor.shells.cli.options.declaration import one_of, option, option_name
from bayesfloor.shells.cli.options.records import OptionRecord
from bayesfloor.shells.cli.values import accuracy, count, share

ShownAs = Annotated[
    str,
    option(
        "Show errors or accuracies, everywhere.",
        "--as",
        value="|".join(MEASURES),
        **one_of(MEASURES),
    ),
]


@dataclass(frozen=True, slots=True)
class QuestionOptions(OptionRecord):
    """What is asked of the floor, and whether errors or accuracies are shown."""

    values: Mapping[str, Any]  # by the name of the question
    shown_as: str

    @classmethod
    def parameters(cls) -> list[inspect.Parameter]:
        """Return an option for each question that there is now, and that of what is shown."""
        asked = [_parameter(name, _annotation(question)) for name, question in QUESTIONS.items()]
        return [*asked, _parameter("shown_as", ShownAs, default=DEFAULT_MEASURE)]

    @classmethod
    def from_values(cls, values: Mapping[str, Any]) -> Self:
        """Parse what was typed."""
        asked = {name: _parsed(one, values[name]) for name, one in QUESTIONS.items()}
        return cls(asked, values["shown_as"])

    def keywords(self) -> dict[str, Any]:
        """Return the arguments of `Floor.answer`."""
        return {**self.values, "shown_as": self.shown_as}

    def checked(self, *, costs: bool = False) -> Self:
        """Return the questions with accuracies as shares; refuse values that no question takes."""
        asked = self if costs else replace(self, values=_accuracies_as_shares(self.values))
        listed = {name: _listed(value) for name, value in asked.values.items()}
        check_questions(listed, option_name, costs=costs)
        return asked

    def check_asked(self) -> None:
        """Refuse to check the verdicts if nothing is asked."""
        if not any(_listed(value) for value in self.values.values()):
            raise DataError(
                "--check has nothing to check; pass --target, --model-error or --predictions too"
            )


def _accuracies_as_shares(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return values by question, accuracies that were typed in percent as shares."""
    typed = {name for name, value in values.items() if value and QUESTIONS[name].is_accuracy}
    return {
        name: tuple(map(accuracy, _listed(value))) if name in typed else value
        for name, value in values.items()
    }


def _listed(value: Any) -> tuple[Any, ...]:
    return () if value is None else value if isinstance(value, tuple) else (value,)


def _parameter(name: str, annotation: Any, default: Any = None) -> inspect.Parameter:
    kind = inspect.Parameter.KEYWORD_ONLY
    return inspect.Parameter(name, kind, default=default, annotation=annotation)


def _annotation(question: Question) -> Any:
    """Return the option of a question; its value is text, which `_parsed` reads."""
    kind: Any = list[str] | None if question.takes_several else str | None
    return Annotated[kind, option(question.help, value=question.metavar)]


def _parsed(question: Question, typed: str | list[str] | None) -> Any:
    """Return the number that was typed, or several; what is none stays text, and is refused."""
    parse = count if question.is_count else share
    if typed is None or isinstance(typed, str):
        return None if typed is None else parse(typed)
    return tuple(map(parse, typed))
