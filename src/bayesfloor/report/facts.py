"""A floor as pairs of a name and a text: what the terminal, the page and a notebook list."""

from __future__ import annotations

from bayesfloor.base.arrays import AnyArray, Floats
from bayesfloor.base.cautions import Caution
from bayesfloor.base.formatting import as_percent, counted, counted_columns, cut, first_few, shorten
from bayesfloor.base.measures import DEFAULT_MEASURE, Measure
from bayesfloor.floor import Floor
from bayesfloor.report.item_texts import columns_sentence
from bayesfloor.report.model_facts import model_facts

MOST_LISTED_CLASSES = 8
"""Classes that are listed with their shares. A judgement."""
CAUTION, NOTE = "caution", "note"
"""Names of the facts that are notes: those on something suspicious, and all others."""


def floor_facts(floor: Floor, shown_as: str = DEFAULT_MEASURE) -> list[tuple[str, str]]:
    """Return all facts in reading order; `shown_as` says what the numbers are."""
    measure, sure = floor.measure(shown_as), as_percent(floor.confidence)
    return [
        (measure.floor, _interval_text(floor, measure, sure)),
        ("estimate", _estimate_text(floor, measure)),
        *ground_facts(floor, shown_as),
        *_decision_facts(floor),
        *model_facts(floor, shown_as),
        ("data", ", ".join([*data_size(floor), counted(len(floor.classes), "class", "classes")])),
        ("classes", _class_list(floor.classes, floor.priors)),
        ("method", f"{floor.method}: {floor.how.summary}"),
        *_divergence_facts(floor, sure),
        *_vote_facts(floor, measure),
        *note_facts(floor),
    ]


def ground_facts(floor: Floor, shown_as: str = DEFAULT_MEASURE) -> list[tuple[str, str]]:
    """Return what the ends of the interval rest on."""
    measure = floor.measure(shown_as)
    inference = f"rests on {floor.ground.summary}; holds if {' and '.join(floor.provisos)}"
    if not floor.how.sharpens:
        return [("both ends", inference)]
    if measure.percent(floor.interval[0]) == measure.percent(0):
        inference = "rests on nothing: that a classifier is never wrong cannot be ruled out"
    measurement = (
        f"rests on a rule that {measure.verb} {measure.percent(floor.upper)}"
        f" {measure.rows('rows it was not learned from')}; free of assumptions{if_held_out(floor)}"
    )
    first, second = ("lower", "upper") if measure.rises else ("upper", "lower")
    return [(f"{first} end", measurement), (f"{second} end", inference)]


def if_held_out(floor: Floor) -> str:
    """Say what the upper end takes for granted, if a model has a part in its rule."""
    joined = floor.model is not None and floor.model.weight > 0
    return " if the predictions were made on rows the model was not learned from" if joined else ""


def note_facts(floor: Floor) -> list[tuple[str, str]]:
    """Return the notes, those on something suspicious first."""
    notes = [(CAUTION if isinstance(note, Caution) else NOTE, note) for note in floor.notes]
    return sorted(notes, key=lambda fact: fact[0] != CAUTION)


def data_size(floor: Floor) -> tuple[str, str]:
    """Return how many rows and columns there are, or items and votes, as texts."""
    if not floor.of_items:
        rows = counted(floor.n, "row")
        if floor.groups is not None:
            rows = f"{rows} in {floor.groups.count:,} {floor.groups.kind}"
        return rows, counted_columns(floor.columns, floor.d)
    items = counted(floor.n, "item")
    if floor.votes is None:
        return items, "probabilities"
    fewest, most = floor.votes.fewest, floor.votes.most
    each = f"{fewest:,}" if fewest == most else f"{fewest:,} to {most:,}"
    columns = floor.votes.columns
    with_columns = "" if columns is None else f", {counted(columns.columns, 'column')}"
    return items, f"{each} votes each{with_columns}"


def _interval_text(floor: Floor, measure: Measure, sure: str) -> str:
    size = data_size(floor)[0]
    return (
        f"{measure.span(*floor.interval)} with {sure} confidence (without the margin of error of"
        f" {size}: {measure.span(floor.lower, floor.upper)})"
    )


def _estimate_text(floor: Floor, measure: Measure) -> str:
    span = measure.span(*floor.estimate_interval)
    return f"{measure.percent(floor.estimate)} (likely {span}; less certain than the line above)"


def _decision_facts(floor: Floor) -> list[tuple[str, str]]:
    """Return what was asked beside plain errors: class shares and costs."""
    decision, facts = floor.decision, list[tuple[str, str]]()
    if decision is None:
        return facts
    names = [shorten(name) for name in floor.classes.tolist()]
    if decision.priors is not None:
        given = zip(names, decision.priors.tolist(), strict=True)
        shares = [f"{name} {100 * share:.4g}%" for name, share in given]
        facts.append(("class shares", f"{first_few(shares)} where a classifier is used"))
    if decision.cost is not None:
        pairs = [
            f"{names[a]} answered as {names[b]} costs {decision.cost[a, b]:.4g}"
            for a, b in zip(*decision.cost.nonzero(), strict=True)
        ]
        facts.append(("costs", first_few(pairs)))
    if decision.reject is not None:
        facts.append(("no answer", f"costs {decision.reject:.4g}"))
    return facts


def _divergence_facts(floor: Floor, sure: str) -> list[tuple[str, str]]:
    """Return the divergence of two classes, clipped."""
    if floor.divergence is None or floor.divergence_interval is None:
        return []
    shown = min(max(floor.divergence, 0.0), 1.0)
    span = "{:.4f} to {:.4f}".format(*floor.divergence_interval)
    return [("HP divergence", f"{shown:.4f} ({sure} interval {span})")]


def _vote_facts(floor: Floor, measure: Measure) -> list[tuple[str, str]]:
    """Return what the columns of items add, and how many votes more would halve the interval."""
    facts = list[tuple[str, str]]()
    if floor.votes is None:
        return facts
    columns = floor.votes.columns
    if columns is not None:
        facts = [
            ("votes alone", measure.span(*columns.interval_by_votes)),
            ("columns alone", columns_sentence(floor, measure)),
        ]
    if floor.votes.to_halve is not None:
        facts.append(("half as wide", floor.votes.to_halve.sentence()))
    return facts


def _class_list(classes: AnyArray, priors: Floats, most: int = MOST_LISTED_CLASSES) -> str:
    """Return classes with their shares, the first few."""
    shown = [f"{cut(str(c))} {p:.1%}" for c, p in zip(classes.tolist(), priors, strict=True)][:most]
    return ", ".join(shown) + (f" and {len(classes) - most} more" if len(classes) > most else "")
