"""An option of the command line for each question that can be asked of a floor."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Annotated, Any

import typer

from bayesfloor.report.answer import QUESTIONS, Question
from bayesfloor.shells.cli.values import count, share


def with_questions(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command that takes `**asked` an option for each question, before `report`."""
    signature = inspect.signature(command, eval_str=True)
    own = [p for p in signature.parameters.values() if p.kind is not p.VAR_KEYWORD]
    if len(own) == len(signature.parameters):
        return command
    place = [p.name for p in own].index("report")
    asked = [_question_option(name, question) for name, question in QUESTIONS.items()]
    parameters = [p.replace(kind=p.KEYWORD_ONLY) for p in (*own[:place], *asked, *own[place:])]

    @wraps(command)
    def asking(**options: Any) -> None:
        values = {name: _parsed(q, options.pop(name)) for name, q in QUESTIONS.items()}
        command(**options, **values)

    asking.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    asking.__annotations__ = {p.name: p.annotation for p in parameters}
    return asking


def _question_option(name: str, question: Question) -> inspect.Parameter:
    """Return the option of a question; its value is text, which `_parsed` reads."""
    option = typer.Option(metavar=question.metavar, help=question.help)
    kind: Any = list[str] | None if question.takes_several else str | None
    annotation = Annotated[kind, option]
    return inspect.Parameter(
        name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=annotation
    )


def _parsed(question: Question, typed: str | list[str] | None) -> Any:
    """Return the number that was typed, or several; what is none stays text, and is refused."""
    parse = count if question.is_count else share
    if typed is None or isinstance(typed, str):
        return None if typed is None else parse(typed)
    return tuple(map(parse, typed))
