"""What each section of the page says about a floor."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bayesfloor.base.cautions import Caution
from bayesfloor.base.formatting import percent
from bayesfloor.floor import Floor
from bayesfloor.floor.leakage import Leakage
from bayesfloor.report.answer import Reply, summary_sentences
from bayesfloor.report.answer.verdicts import ALREADY_MET, BELOW, OUT_OF_REACH, REACHABLE, ROOM
from bayesfloor.report.charts import Chart, ChartRequest, applicable_charts
from bayesfloor.report.charts.style import styled, svg_text
from bayesfloor.report.facts import data_size, floor_facts, note_facts
from bayesfloor.report.hardest_items import hardest_items, hardest_items_sentence
from bayesfloor.report.hardest_rows import hardest_rows, hardest_rows_sentence
from bayesfloor.report.item_steps import item_next_steps
from bayesfloor.report.item_texts import item_method, item_scope
from bayesfloor.report.model_rows import model_rows, model_rows_sentence
from bayesfloor.report.names import class_names, representation_name
from bayesfloor.report.next_steps import next_steps
from bayesfloor.report.page import Callout, ChartSection, Report

WIDE, NARROW = 720, 340
"""Pixels of a drawing: the column of charts on a desk, and a phone of 390 without its margins."""
LISTED_CLASSES = 8
"""Classes that are listed below the title with their shares; more would fill a phone."""
COLUMNS_SCOPE = (
    "The statements hold for new rows drawn like these, for these columns and no others. They do"
    " not say which classifier reaches the floor, nor what other columns could do."
)
"""Of what a page on rows and columns speaks."""
TONES = {REACHABLE: "good", ALREADY_MET: "good", ROOM: "good", OUT_OF_REACH: "bad", BELOW: "bad"}
"""Colour of a callout by its verdict; all others are open."""
SYMBOLS = {"good": "✓", "bad": "✗", "open": "?"}
"""What stands before the heading of a callout, by its colour."""


def make_report(
    request: ChartRequest,
    *,
    rows: Any = None,
    title: str | None = None,
    leakage: bool = False,
    wording: Callable[[str], str] = str,
) -> Report:
    """Collect all that the page says.

    Parameters
    ----------
    request : ChartRequest
        The floor, what was asked of it, and a call that reports progress.
    rows : data frame or array of n rows, optional
        What to show of the hardest rows.
    title : str, optional
        Heading of the page.
    leakage : bool
        Whether to tell how much of the label the columns give away.
    wording : callable
        Writes the parameters that a note names as the caller's user knows them.
    """
    floor, answer = request.floor, request.answer
    hardest = (hardest_items if floor.of_items else hardest_rows)(floor, rows)
    scale, *charts = (_chart_section(chart, request) for chart in applicable_charts(floor))
    notes = note_facts(floor)
    facts = floor_facts(floor, answer.measure.shown_as)
    return Report(
        title=title or answer.measure.question(),
        subtitle=_subtitle(floor),
        callouts=(
            *(_callout(one) for replies in answer.replies.values() for one in replies),
            *([_leakage_callout(floor.leakage)] if leakage and floor.leakage else []),
        ),
        lead=summary_sentences(floor, answer.measure.shown_as),
        cautions=tuple(note for note in floor.notes if isinstance(note, Caution)),
        scale=scale,
        next_steps=(item_next_steps if floor.of_items else next_steps)(floor, answer),
        charts=tuple(charts),
        hardest=hardest,
        hardest_heading=f"The hardest {'items' if floor.of_items else 'rows'}",
        hardest_sentence=hardest_items_sentence(floor, hardest)
        if floor.of_items
        else hardest_rows_sentence(hardest),
        model_rows=model_rows(floor, rows, answer.measure),
        model_sentence=model_rows_sentence(answer.measure),
        notes=tuple(wording(text) for _, text in notes),
        method=method_sentence(floor),
        scope=item_scope(floor) if floor.of_items else COLUMNS_SCOPE,
        facts=(
            *(fact for fact in facts if fact not in notes),
            *(floor.leakage.facts() if leakage and floor.leakage else []),
        ),
    )


def _leakage_callout(found: Leakage) -> Callout:
    """Return how much leaks, set off from the text."""
    low, high = found.bayes_security.interval
    text = (
        f"Of the errors of guessing, {percent(low)} to {percent(high)} are left: 0% if the columns"
        " give all of the label away, 100% if nothing."
    )
    return Callout("open", SYMBOLS["open"], found.headline, text)


def _subtitle(floor: Floor) -> str:
    """Return the size of the data, and the first classes with their shares."""
    shares = zip(class_names(floor), floor.priors, strict=True)
    shown = ", ".join(f"{name} ({share:.1%})" for name, share in list(shares)[:LISTED_CLASSES])
    left_out = len(floor.classes) - LISTED_CLASSES
    more = f" and {left_out} more" if left_out > 0 else ""
    return f"{' · '.join(data_size(floor))} · {len(floor.classes)} classes: {shown}{more}"


def _callout(reply: Reply) -> Callout:
    text = reply.sentence[0].upper() + reply.sentence[1:]
    tone = TONES.get(reply.verdict, "open")
    return Callout(tone, SYMBOLS[tone], reply.heading, text)


def _chart_section(chart: Chart, request: ChartRequest) -> ChartSection:
    drawing = chart.draw(request)
    wide, narrow = (
        "" if drawing.chart is None else svg_text(styled(drawing.chart, width))
        for width in (WIDE, NARROW)
    )
    description = drawing.description or drawing.sentence
    return ChartSection(chart.name, chart.heading, drawing.sentence, description, wide, narrow)


def method_sentence(floor: Floor) -> str:
    """Say in some sentences where the numbers come from."""
    if floor.of_items:
        return item_method(floor)
    chance = (
        "bayesfloor measures how often two labels drawn at the same place differ, by"
        f" {floor.how.explanation}."
    )
    if not floor.how.sharpens:
        return f"{chance} That chance bounds the Bayes error from both sides."
    near = "" if floor.in_columns else f" in {representation_name(floor)}"
    rule = f"the labels of its neighbours{near}, its own left out"
    if floor.maps:
        rule = "maps that were learned on other rows and have not seen it"
    upper = (
        f"Every row is given class probabilities by {rule}. How often the likeliest class is wrong"
        " is an error that can be reached: the upper end."
    )
    if floor.curve is None:
        return (
            f"{upper} The lower end allows for all that better probabilities could gain, which is"
            " read off the learning curve."
        )
    return (
        f"{upper} {chance} What better probabilities could gain follows from that chance: the"
        " lower end allows for all of it."
    )
