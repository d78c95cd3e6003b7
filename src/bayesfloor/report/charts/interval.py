"""The floor on one scale with the errors that it is to be compared with."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from bayesfloor.base.formatting import as_percent
from bayesfloor.base.formatting import percent as share
from bayesfloor.base.measures import ACCURACY, ERROR, Measure
from bayesfloor.floor import Floor
from bayesfloor.report.answer.wording import model_error_text
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
from bayesfloor.report.item_texts import new_labels

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
MOST_TARGET_ROWS = 4
"""Targets that get a row each, as on the terminal; more share one. A judgement."""
ESTIMATE_AREA = 26
"""Square pixels of the dot of the estimate: narrower than the bar of bounds that meet is high, so
that both are seen. By eye.
"""
ROW_HEIGHT = 38
"""Pixels for each row: the thick bar of 16, and white above and below it."""


def draw(request: ChartRequest) -> Drawing:
    """Draw bounds, interval and estimate beside the majority class, the model and the target."""
    floor, answer, measure = request.floor, request.answer, request.answer.measure
    model = "" if answer.model is None else model_error_text(floor, answer.model.error, measure)
    chart = interval_chart(
        (floor.lower, floor.upper),
        floor.interval,
        estimate=floor.estimate,
        majority=floor.constant.loss,
        model=None if answer.model is None else (answer.model.error, model),
        target_errors=[one.error for one in answer.targets],
        measure=measure,
        of=new_labels(floor),
    )
    constant = "largest class" if floor.decision is None else "same"
    others = [
        f"your model {measure.verb} {model}" if answer.model else "",
        *(f"your target is {measure.titled(one.error)}" for one in answer.targets),
        f"always answering the {constant} {measure.verb} {measure.percent(floor.constant.loss)}",
    ]
    description = (
        f"A scale of {measure.name}s. {measure.floor}: {measure.span(*floor.interval)}, best"
        f" estimate {measure.percent(floor.estimate)}; {'; '.join(filter(None, others))}."
    )
    return Drawing(chart, interval_sentence(floor, measure), description)


def interval_sentence(floor: Floor, measure: Measure = ERROR) -> str:
    """Say what the marks are, and how far the largest class is from the Bayes error."""
    majority, high, percent = floor.constant.loss, floor.interval[1], measure.percent
    text = (
        f"Line: {as_percent(floor.confidence)} confidence interval of the {measure.best}."
        f" Bar: bounds without the margin of error, {measure.span(floor.lower, floor.upper)}."
        f" White dot: best estimate, {percent(floor.estimate)}."
    )
    known = "the items themselves" if floor.of_items else "these columns"
    if high >= majority:
        return (
            f"{text} The interval includes the {measure.name} of always {_constant_answer(floor)}"
            f" ({percent(majority)}), so {known} may not help at all."
        )
    removed = "its mistakes" if measure.rises else "that"
    return (
        f"{text} Always {_constant_answer(floor)} {measure.verb} {percent(majority)}: {known} can"
        f" remove at least {share(1 - high / majority)} of {removed}."
    )


def _constant_answer(floor: Floor) -> str:
    return "predicting the largest class" if floor.decision is None else "answering the same"


def interval_chart(
    bounds: tuple[float, float],
    interval: tuple[float, float],
    *,
    estimate: float,
    majority: float,
    model: tuple[float, str] | None = None,
    target_errors: Sequence[float] = (),
    measure: Measure = ERROR,
    of: str = "new rows",
) -> alt.LayerChart:
    """Draw errors as points, and the Bayes error as a bar on a line, on a square-root scale.

    Accuracies are drawn as errors from right to left.
    """
    import altair as alt

    name = f"{measure.floor[0].upper()}{measure.floor[1:]}"
    constant = "Largest class" if measure in (ERROR, ACCURACY) else "Same answer"
    compared = [
        *([] if model is None else [_mark("Your model", *model, RED, "square")]),
        *_target_marks(target_errors, measure),
        _mark(constant, majority, measure.percent(majority), GREY, "diamond"),
    ]
    floor = [{"what": name, "low": interval[0], "high": interval[1]}]
    inner = [{"what": name, "low": bounds[0], "high": bounds[1], "at": estimate}]
    order = list(dict.fromkeys([name, *(row["what"] for row in compared)]))
    most = math.inf if measure.is_cost else AXIS_END
    end = min(INTERVAL_REACH * max(interval[1], *(row["at"] for row in compared)), most)
    named = f"{measure.name[0].upper()}{measure.name[1:]}"
    title = f"{named} on {of}{measure.among} (square-root scale)"
    x = alt.X("low:Q", title=title).scale(type="sqrt", domain=[0, end], reverse=measure.rises)
    shares: dict[str, Any] = {"format": "~%", "values": [t for t in TICKS if t <= end]}
    if measure.rises:
        shares["labelExpr"] = "format(1 - datum.value, '~%')"
    x = x.axis(labelFlush=False, **({"tickCount": 5} if measure.is_cost else shares))
    y = alt.Y("what:N", sort=order, title=None).axis(
        labelLimit=140, labelPadding=8, ticks=False, domain=False, minExtent=100
    )
    span = inline_chart(floor).encode(x, alt.X2("high"))
    where = alt.X("at:Q"), y, alt.Color("colour:N").scale(None)

    def numbers(rows: list[dict[str, Any]], dx: int) -> alt.Chart:
        """Write numbers beside their marks, on the side of larger errors if `dx` is positive."""
        dx = -dx if measure.rises else dx
        text = inline_chart(rows).encode(*where, alt.Text("text:N"))
        return text.mark_text(fontSize=FONT_SIZE, align="left" if dx > 0 else "right", dx=dx)

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
        .mark_point(color=BLUE, fill="white", filled=True, size=ESTIMATE_AREA, opacity=1)
        .encode(alt.X("at:Q"), y),
        inline_chart(compared)
        .encode(*where)
        .mark_point(size=110, filled=True, opacity=1)
        .encode(alt.Shape("shape:N").scale(None)),
        *([numbers(low, -8)] if low[0]["at"] > LEAST_LABELLED * end else []),
        numbers(high, 8),
        numbers([row for row in compared if row not in at_edge], 10),
        numbers(at_edge, -10),  # a phone has no room on the other side
        height=ROW_HEIGHT * len(order),
    )


def _mark(what: str, error: float, text: str, colour: str, shape: str) -> dict[str, Any]:
    """Return the row of one mark, with its number as text."""
    return {"what": what, "at": error, "text": text, "colour": colour, "shape": shape}


def _target_marks(errors: Sequence[float], measure: Measure) -> list[dict[str, Any]]:
    """Return a row for each of a few targets, or one without numbers for all."""
    if len(errors) > MOST_TARGET_ROWS:
        return [_mark("Your targets", one, "", GREEN, "triangle-up") for one in errors]
    return [
        _mark(
            "Your target" if i == 1 else f"Target {i}",
            one,
            measure.as_given(one),
            GREEN,
            "triangle-up",
        )
        for i, one in enumerate(errors, 1)
    ]


CHART = Chart("interval", "The floor, and what to compare it with", draw)
