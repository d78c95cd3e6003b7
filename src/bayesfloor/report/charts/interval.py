"""The floor on one scale with the errors that it is to be compared with."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from bayesfloor.base.formatting import as_percent, percent
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
    chart = interval_chart(
        (floor.lower, floor.upper),
        floor.interval,
        estimate=floor.estimate,
        majority=_majority_error(floor),
        model_error=None if answer.model is None else answer.model.error,
        target_error=None if answer.target is None else 1 - answer.target.accuracy,
    )
    others = [
        f"your model errs on {as_percent(answer.model.error)}" if answer.model else "",
        f"your target allows {as_percent(1 - answer.target.accuracy)}" if answer.target else "",
        f"always answering the largest class errs on {percent(_majority_error(floor))}",
    ]
    description = (
        f"A scale of errors. Bayes error: {' to '.join(map(percent, floor.interval))}, best"
        f" estimate {percent(floor.estimate)}; {'; '.join(filter(None, others))}."
    )
    return Drawing(chart, interval_sentence(floor), description)


def interval_sentence(floor: Floor) -> str:
    """Say what the marks are, and how far the largest class is from the Bayes error."""
    majority, high = _majority_error(floor), floor.interval[1]
    text = (
        f"Line: {as_percent(floor.confidence)} confidence interval of the lowest possible error."
        f" Bar: bounds without the margin of error, {percent(floor.lower)} to"
        f" {percent(floor.upper)}. White dot: best estimate, {percent(floor.estimate)}."
    )
    known = "the items themselves" if floor.of_items else "these columns"
    if high >= majority:
        return (
            f"{text} The interval includes the error of always predicting the largest class"
            f" ({percent(majority)}), so {known} may not help at all."
        )
    return (
        f"{text} Always predicting the largest class errs on {percent(majority)}: {known} can"
        f" remove at least {percent(1 - high / majority)} of that."
    )


def interval_chart(
    bounds: tuple[float, float],
    interval: tuple[float, float],
    *,
    estimate: float,
    majority: float,
    model_error: float | None = None,
    target_error: float | None = None,
) -> alt.LayerChart:
    """Draw errors as points, and the Bayes error as a bar on a line, on a square-root scale."""
    import altair as alt

    errors: list[tuple[str, float | None, Callable[[float], str], str, str]] = [
        ("Your model", model_error, as_percent, RED, "square"),
        ("Your target", target_error, as_percent, GREEN, "triangle-up"),
        ("Largest class", majority, percent, GREY, "diamond"),
    ]
    compared: list[dict[str, Any]] = [
        {"what": what, "at": error, "text": text(error), "colour": colour, "shape": shape}
        for what, error, text, colour, shape in errors
        if error is not None
    ]
    floor = [{"what": "Bayes error", "low": interval[0], "high": interval[1]}]
    inner = [{"what": "Bayes error", "low": bounds[0], "high": bounds[1], "at": estimate}]
    order = ["Bayes error", *(row["what"] for row in compared)]
    end = min(INTERVAL_REACH * max(interval[1], *(row["at"] for row in compared)), AXIS_END)
    x = alt.X("low:Q", title="Error on new rows (square-root scale)")
    x = x.scale(type="sqrt", domain=[0, end])
    x = x.axis(format="~%", values=[t for t in TICKS if t <= end], labelFlush=False)
    y = alt.Y("what:N", sort=order, title=None).axis(
        labelLimit=140, labelPadding=8, ticks=False, domain=False, minExtent=100
    )
    span = inline_chart(floor).encode(x, alt.X2("high"))
    where = alt.X("at:Q"), y, alt.Color("colour:N").scale(None)

    def numbers(rows: list[dict[str, Any]], **place: Any) -> alt.Chart:
        text = inline_chart(rows).encode(*where, alt.Text("text:N"))
        return text.mark_text(fontSize=FONT_SIZE, **place)

    low, high = (
        [{"what": "Bayes error", "at": at, "text": percent(at), "colour": BLUE}] for at in interval
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


def _majority_error(floor: Floor) -> float:
    return 1 - float(floor.priors.max())


CHART = Chart("interval", "The floor, and what to compare it with", draw)
