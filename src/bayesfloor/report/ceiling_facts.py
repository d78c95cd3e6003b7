"""Ceilings as pairs of a name and a text, and as plain values."""

from __future__ import annotations

from typing import Any

from bayesfloor.base.formatting import as_percent, percent
from bayesfloor.base.grounds import GROUNDS
from bayesfloor.floor import Floor
from bayesfloor.floor.ceilings import ClassCeiling, Rate
from bayesfloor.report.names import class_names
from bayesfloor.report.plain_values import plain


def ceiling_facts(floor: Floor) -> list[tuple[str, str]]:
    """Return AUC, recall and precision of each class, and what they rest on."""
    sure, names, classes = as_percent(floor.confidence), class_names(floor), floor.ceilings.classes
    ground = GROUNDS[floor.ceilings.rests_on]
    areas = classes[:1] if len(floor.classes) == 2 else classes  # the same for both of two
    return [
        *(("best AUC", _area(one, names, sure, several=len(areas) > 1)) for one in areas),
        *(("recall", f"{names[one.code]} {_rate_text(one.recall, ALARMS)}") for one in classes),
        *(
            ("precision", f"{names[one.code]} {_rate_text(one.precision, FOUND)}")
            for one in classes
        ),
        ("ceilings", f"rest on {ground.summary}; what is reached is free of assumptions"),
    ]


ALARMS, FOUND = "no more false alarms", "as many found"
"""Of which rules a ceiling of recall and of precision speaks."""


def _area(one: ClassCeiling, names: list[str], sure: str, *, several: bool) -> str:
    low, high = one.auc.interval
    which = f"{names[one.code]} against the rest " if several else ""
    return (
        f"{which}{low:.3f} to {high:.3f} with {sure} confidence (without the margin of error:"
        f" {one.auc.lower:.3f} to {one.auc.upper:.3f})"
    )


def _rate_text(rate: Rate, given: str) -> str:
    span = " to ".join(map(percent, rate.interval))
    return f"{percent(rate.value)} reached ({span}), at most {percent(rate.ceiling)} with {given}"


def ceiling_values(floor: Floor) -> dict[str, Any]:
    """Return the ceilings as numbers, texts, lists and dictionaries."""
    return {
        "rests_on": floor.ceilings.rests_on,
        "classes": [_values(floor, one) for one in floor.ceilings.classes],
    }


def _values(floor: Floor, one: ClassCeiling) -> dict[str, Any]:
    return {
        "class": floor.classes.tolist()[one.code],
        "auc": plain(one.auc),
        "recall": plain(one.recall),
        "precision": plain(one.precision),
        "false_positive_rates": one.false_positive_rates.tolist(),
        "reached": one.reached.tolist(),
        "not_exceeded": one.not_exceeded.tolist(),
    }
