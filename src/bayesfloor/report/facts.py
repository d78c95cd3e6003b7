"""A floor as pairs of a name and a text: what the terminal, the page and a notebook list."""

from __future__ import annotations

from bayesfloor.base.arrays import AnyArray, Floats
from bayesfloor.base.cautions import Caution
from bayesfloor.base.formatting import as_percent, counted, counted_columns, cut, percent
from bayesfloor.base.measures import DEFAULT_MEASURE, Measure, find_measure
from bayesfloor.floor import Floor

MOST_LISTED_CLASSES = 8
"""Classes that are listed with their shares."""
CAUTION, NOTE = "caution", "note"
"""Names of the facts that are notes: those on something suspicious, and all others."""


def floor_facts(floor: Floor, shown_as: str = DEFAULT_MEASURE) -> list[tuple[str, str]]:
    """Return all facts in reading order; `shown_as` says what the numbers are."""
    measure, sure = find_measure(shown_as), as_percent(floor.confidence)
    return [
        (measure.floor, _interval_text(floor, measure, sure)),
        ("estimate", _estimate_text(floor, measure)),
        *ground_facts(floor, shown_as),
        ("data", ", ".join([*data_size(floor), counted(len(floor.classes), "class", "classes")])),
        ("classes", _class_list(floor.classes, floor.priors)),
        ("method", f"{floor.method}: {floor.how.summary}"),
        *_divergence_facts(floor, sure),
        *_vote_facts(floor),
        *note_facts(floor),
    ]


def ground_facts(floor: Floor, shown_as: str = DEFAULT_MEASURE) -> list[tuple[str, str]]:
    """Return what the ends of the interval rest on."""
    measure = find_measure(shown_as)
    inference = f"rests on {floor.ground.summary}; holds if {' and '.join(floor.provisos)}"
    if not floor.how.sharpens:
        return [("both ends", inference)]
    if percent(floor.interval[0]) == percent(0):
        inference = "rests on nothing: that a classifier is never wrong cannot be ruled out"
    measurement = (
        f"rests on a rule that {measure.verb} {measure.percent(floor.upper)} of rows it was not"
        " learned from; free of assumptions"
    )
    first, second = ("lower", "upper") if measure.rises else ("upper", "lower")
    return [(f"{first} end", measurement), (f"{second} end", inference)]


def note_facts(floor: Floor) -> list[tuple[str, str]]:
    """Return the notes, those on something suspicious first."""
    notes = [(CAUTION if isinstance(note, Caution) else NOTE, note) for note in floor.notes]
    return sorted(notes, key=lambda fact: fact[0] != CAUTION)


def data_size(floor: Floor) -> tuple[str, str]:
    """Return how many rows and columns there are, or items and votes, as texts."""
    if not floor.of_items:
        return counted(floor.n, "row"), counted_columns(floor.columns, floor.d)
    items = counted(floor.n, "item")
    if floor.votes is None:
        return items, "probabilities"
    fewest, most = floor.votes.fewest, floor.votes.most
    each = f"{fewest:,}" if fewest == most else f"{fewest:,} to {most:,}"
    return items, f"{each} votes each"


def _interval_text(floor: Floor, measure: Measure, sure: str) -> str:
    size = counted(floor.n, "item" if floor.of_items else "row")
    return (
        f"{measure.span(*floor.interval)} with {sure} confidence (without the margin of error of"
        f" {size}: {measure.span(floor.lower, floor.upper)})"
    )


def _estimate_text(floor: Floor, measure: Measure) -> str:
    span = measure.span(*floor.estimate_interval)
    return f"{measure.percent(floor.estimate)} (likely {span}; less certain than the line above)"


def _divergence_facts(floor: Floor, sure: str) -> list[tuple[str, str]]:
    """Return the divergence of two classes, clipped."""
    if floor.divergence is None or floor.divergence_interval is None:
        return []
    shown = min(max(floor.divergence, 0.0), 1.0)
    span = "{:.4f} to {:.4f}".format(*floor.divergence_interval)
    return [("HP divergence", f"{shown:.4f} ({sure} interval {span})")]


def _vote_facts(floor: Floor) -> list[tuple[str, str]]:
    """Return how many votes more would halve the interval."""
    if floor.votes is None or floor.votes.to_halve is None:
        return []
    return [("half as wide", floor.votes.to_halve.sentence())]


def _class_list(classes: AnyArray, priors: Floats, most: int = MOST_LISTED_CLASSES) -> str:
    """Return classes with their shares, the first few."""
    shown = [f"{cut(str(c))} {p:.1%}" for c, p in zip(classes.tolist(), priors, strict=True)][:most]
    return ", ".join(shown) + (f" and {len(classes) - most} more" if len(classes) > most else "")
