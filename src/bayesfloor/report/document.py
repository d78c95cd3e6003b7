"""The JSON document of the command line: a floor and what was asked of it, as plain values."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from bayesfloor.floor import Floor
from bayesfloor.report.answer import QUESTIONS, answer

SCHEMA = 2
"""Version of the document; it grows when a field is renamed, removed or changes its meaning."""
MOST_PAIRED_CLASSES = 30
"""Classes all of whose pairs are compared: some 400 pairs, in seconds. A judgement."""


def document(floor: Floor, **asked: float | None) -> dict[str, Any]:
    """Return everything as plain Python values; `asked` is what `answer` takes."""
    replies, classes = answer(floor, **asked).replies, len(floor.classes)
    return {
        "schema": SCHEMA,
        **floor.to_dict(),
        "pairwise": floor.run.pairwise().tolist() if classes <= MOST_PAIRED_CLASSES else None,
        "best_accuracy": [1 - floor.upper, 1 - floor.lower],
        "best_accuracy_interval": [1 - floor.interval[1], 1 - floor.interval[0]],
        **{
            question.name: _plain(replies.get(question.name))
            for question in QUESTIONS.values()
            if question.reply is not None
        },
    }


def _plain(reply: Any) -> dict[str, Any] | None:
    if reply is None:
        return None
    return {k: list(v) if isinstance(v, tuple) else v for k, v in asdict(reply).items()}
