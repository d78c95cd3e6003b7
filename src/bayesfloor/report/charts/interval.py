"""The floor on one scale with the errors that it is to be compared with."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from bayesfloor.base.formatting import as_percent
from bayesfloor.base.formatting import percent as share
from bayesfloor.base.measures import ERROR, Measure
from bayesfloor.floor import Floor
from bayesfloor.report.charts.chart import Chart, ChartRequest, Drawing
from bayesfloor.report.charts.style import (
    BLUE,
    FONT_SIZE,
    GREEN,
    GREY,
    RED,
    SKY,
    inline_chart,
    layered,
)

if TYPE_CHECKING:
    import altair as alt

TICKS = (0, 0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1)
"""Errors that are marked on the axis: round, and far enough apart on a square-root scale."""
INTERVAL_REACH = 1.4
"""The axis ends at this multiple of the largest error shown: room for its number, by eye."""
LEAST_LABELLED = 0.04
"""A lower end below this share of the axis has no number: there is no room beside it, and the axis
says 0 there. By eye, on a phone.
"""
AXIS_END = 1.05
"""The axis goes no farther: an error is 1 at most, and a mark there needs some room."""
ROW_HEIGHT = 38
"""Pixels for each row: the thick bar of 16, and white above and below it."""


def draw(request: ChartRequest) -> Drawing:
    """Draw bounds, interval and estimate beside the majority class, the model and the target."""
    floor, answer = request.floor, request.answer
    measure = floor.measure()  # the scale is one of errors, whatever the sentences are shown as
    chart = interval_chart(
        (floor.lower, floor.upper),
        floor.interval,
        estimate=floor.estimate,
        majority=floor.constant.loss,
        model_error=None if answer.model is None else answer.model.error,
        target_error=None if answer.target is None else answer.target.error,
        measure=measure,
    )
    given = measure.as_given
    constant = "largest class" if floor.decision is None else "same"
    others = [
        f"your model {measure.verb} {given(answer.model.error)}" if answer.model else "",
        f"your target allows {given(answer.target.error)}" if answer.target else "",
        f"always answering the {constant} {measure.verb} {measure.percent(floor.constant.loss)}",
    ]
    description = (
        f"A scale of {measure.name}s. {measure.floor}: {measure.span(*floor.interval)}, best"
        f" estimate {measure.percent(floor.estimate)}; {'; '.join(filter(None, others))}."
    )
    return Drawing(chart, interval_sentence(floor), description)


def interval_sentence(floor: Floor) -> str:
    """Say what the marks are, and how far the largest class is from the Bayes error."""
    majority, high, measure = floor.constant.loss, floor.interval[1], floor.measure()
    percent = measure.percent
    text = (
        f"Line: {as_percent(floor.confidence)} confidence interval of the {measure.best}."
        f" Bar: bounds without the margin of error, {percent(floor.lower)} to"
        f" {percent(floor.upper)}. White dot: best estimate, {percent(floor.estimate)}."
    )
    known = "the items themselves" if floor.of_items else "these columns"
    if high >= majority:
        return (
            f"{text} The interval includes {_of_constant(floor)} ({percent(majority)}), so {known}"
            " may not help at all."
        )
    constant = "predicting the largest class" if floor.decision is None else "answering the same"
    return (
        f"{text} Always {constant} {measure.verb} {percent(majority)}: {known} can remove at least"
        f" {share(1 - high / majority)} of that."
    )


def _of_constant(floor: Floor) -> str:
    if floor.decision is None:
        return "the error of always predicting the largest class"
    return f"the {floor.measure().name} of always answering the same"


def interval_chart(
    bounds: tuple[float, float],
    interval: tuple[float, float],
    *,
    estimate: float,
    majority: float,
    model_error: float | None = None,
    target_error: float | None = None,
    measure: Measure = ERROR,
) -> alt.LayerChart:
    """Draw errors as points, and the Bayes error as a bar on a line, on a square-root scale."""
    import altair as alt

    plain = measure == ERROR
    name = "Bayes error" if plain else f"{measure.floor[0].upper()}{measure.floor[1:]}"
    constant = "Largest class" if plain else "Same answer"
    errors: list[tuple[str, float | None, Callable[[float], str], str, str]] = [
        ("Your model", model_error, measure.as_given, RED, "square"),
        ("Your target", target_error, measure.as_given, GREEN, "triangle-up"),
        (constant, majority, measure.percent, GREY, "diamond"),
    ]
    compared: list[dict[str, Any]] = [
        {"what": what, "at": error, "text": text(error), "colour": colour, "shape": shape}
        for what, error, text, colour, shape in errors
        if error is not None
    ]
    floor = [{"what": name, "low": interval[0], "high": interval[1]}]
    inner = [{"what": name, "low": bounds[0], "high": bounds[1], "at": estimate}]
    order = [name, *(row["what"] for row in compared)]
    most = math.inf if measure.is_cost else AXIS_END
    end = min(INTERVAL_REACH * max(interval[1], *(row["at"] for row in compared)), most)
    title = f"{measure.name[0].upper()}{measure.name[1:]} {_on(measure)} (square-root scale)"
    x = alt.X("low:Q", title=title).scale(type="sqrt", domain=[0, end])
    shares = {"format": "~%", "values": [t for t in TICKS if t <= end]}
    x = x.axis(labelFlush=False, **({"tickCount": 5} if measure.is_cost else shares))
    y = alt.Y("what:N", sort=order, title=None).axis(
        labelLimit=140, labelPadding=8, ticks=False, domain=False, minExtent=100
    )
    span = inline_chart(floor).encode(x, alt.X2("high"))
    where = alt.X("at:Q"), y, alt.Color("colour:N").scale(None)

    def numbers(rows: list[dict[str, Any]], **place: Any) -> alt.Chart:
        text = inline_chart(rows).encode(*where, alt.Text("text:N"))
        return text.mark_text(fontSize=FONT_SIZE, **place)

    low, high = (
        [{"what": name, "at": at, "text": measure.percent(at), "colour": BLUE}] for at in interval
    )
    at_edge = [row for row in compared if row["at"] > end / 2]
    return layered(
        span.mark_rect(color=SKY, opacity=0.18),
        span.mark_rule(color=BLUE, strokeWidth=2).encode(y),
        inline_chart(inner)
        .mark_bar(color=BLUE, stroke=BLUE, strokeWidth=4, strokeJoin="round", height=16)
        .encode(x, alt.X2("high"), y),
        inline_chart(inner)
        .mark_point(color=BLUE, fill="white", filled=True, size=50, strokeWidth=2, opacity=1)
        .encode(alt.X("at:Q"), y),
        inline_chart(compared)
        .encode(*where)
        .mark_point(size=110, filled=True, opacity=1)
        .encode(alt.Shape("shape:N").scale(None)),
        *([numbers(low, align="right", dx=-8)] if low[0]["at"] > LEAST_LABELLED * end else []),
        numbers(high, align="left", dx=8),
        numbers([row for row in compared if row not in at_edge], align="left", dx=10),
        numbers(at_edge, align="right", dx=-10),  # a phone has no room on their right
        height=ROW_HEIGHT * len(order),
    )


def _on(measure: Measure) -> str:
    return f"on new rows{measure.among}"


CHART = Chart("interval", "The floor, and what to compare it with", draw)
