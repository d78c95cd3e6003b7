"""The JSON document of the command line: a floor and what was asked of it, as plain values."""

from __future__ import annotations

from typing import Any

from bayesfloor.base.measures import DEFAULT_MEASURE
from bayesfloor.floor import Floor
from bayesfloor.report.answer import QUESTIONS, Question, Reply, answer
from bayesfloor.report.ceiling_facts import ceiling_values
from bayesfloor.report.plain_values import floor_values, plain

SCHEMA = 2
"""Version of the document; it grows when a field is renamed, removed or changes its meaning."""
MOST_PAIRED_CLASSES = 30
"""Classes all of whose pairs are compared: some 400 pairs, in seconds. A judgement."""


def document(
    floor: Floor, *, shown_as: str = DEFAULT_MEASURE, ceilings: bool = False, **asked: Any
) -> dict[str, Any]:
    """Return everything as plain Python values; `shown_as` and `asked` are what `answer` takes.

    Ceilings take a moment, and are there if they are asked for.
    """
    replies, classes = answer(floor, shown_as=shown_as, **asked).replies, len(floor.classes)
    return {
        "schema": SCHEMA,
        **floor_values(floor),
        "pairwise": floor.run.pairwise().tolist() if classes <= MOST_PAIRED_CLASSES else None,
        "best_accuracy": _accuracies(floor, floor.lower, floor.upper),
        "best_accuracy_interval": _accuracies(floor, *floor.interval),
        "leakage": floor.leakage and floor.leakage.to_dict(),
        "ceilings": ceiling_values(floor) if ceilings else None,
        "shown_as": shown_as,
        **{
            name: value
            for question in QUESTIONS.values()
            if question.reply is not None
            for name, value in _fields(question, replies.get(question.name, ())).items()
        },
    }


def _accuracies(floor: Floor, low: float, high: float) -> list[float] | None:
    """Return the accuracies that errors leave; costs leave none."""
    return None if floor.measure().is_cost else [1 - high, 1 - low]


def _fields(question: Question, replies: tuple[Reply, ...]) -> dict[str, Any]:
    """Return the first reply by the name of the question, and all of them if there may be more."""
    values = [plain(reply) for reply in replies]
    first = {question.name: values[0] if values else None}
    return {**first, f"{question.name}s": values} if question.takes_several else first
