"""The floor on one scale with the errors that it is to be compared with."""

from __future__ import annotations

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
AXIS_REACH = 1.4
"""The axis ends at this multiple of the largest error shown: room for its number, by eye."""
ROW_HEIGHT = 42
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
    return Drawing(chart, interval_sentence(floor))


def interval_sentence(floor: Floor) -> str:
    """Say where the Bayes error lies and how far the majority class is from it."""
    majority, (low, high) = _majority_error(floor), floor.interval
    text = (
        f"The line is the {as_percent(floor.confidence)} confidence interval of the lowest possible"
        f" error, {percent(low)} to {percent(high)}. The bar spans the bounds without that margin,"
        f" {percent(floor.lower)} to {percent(floor.upper)}, and the white dot is the best"
        f" estimate, {percent(floor.estimate)}."
    )
    known = "the items themselves" if floor.of_items else "these columns"
    if high >= majority:
        return (
            f"{text} The interval includes the error of always predicting the most frequent class"
            f" ({percent(majority)}), so {known} may not help at all."
        )
    return (
        f"{text} Always predicting the most frequent class errs on {percent(majority)}: {known}"
        f" can remove at least {percent(1 - high / majority)} of that."
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

    errors: list[tuple[str, float | None, str]] = [
        ("Your model", model_error, RED),
        ("Your target", target_error, GREEN),
        ("Majority class", majority, GREY),
    ]
    compared: list[dict[str, Any]] = [
        {"what": what, "at": error, "colour": colour}
        for what, error, colour in errors
        if error is not None
    ]
    floor = [{"what": "Bayes error", "low": interval[0], "high": interval[1]}]
    inner = [{"what": "Bayes error", "low": bounds[0], "high": bounds[1], "at": estimate}]
    order = ["Bayes error", *(row["what"] for row in compared)]
    end = AXIS_REACH * max(interval[1], *(row["at"] for row in compared))
    x = alt.X("low:Q", title="Error on new rows (square-root scale)")
    x = x.scale(type="sqrt", domain=[0, end])
    x = x.axis(format="~%", values=[t for t in TICKS if t <= end], labelFlush=False)
    y = alt.Y("what:N", sort=order, title=None).axis(
        labelLimit=140, labelPadding=8, ticks=False, domain=False, minExtent=100
    )
    span = inline_chart(floor).encode(x, alt.X2("high"))
    where = alt.X("at:Q"), y, alt.Color("colour:N").scale(None)

    def numbers(rows: list[dict[str, Any]], **place: Any) -> alt.Chart:
        text = inline_chart(rows).encode(*where, alt.Text("at:Q", format=".1~%"))
        return text.mark_text(fontSize=FONT_SIZE, **place)

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
        .mark_point(size=110, filled=True, shape="diamond", opacity=1),
        numbers([row for row in compared if row not in at_edge], align="left", dx=10),
        numbers(at_edge, align="right", dx=-10),  # a phone has no room on their right
        height=ROW_HEIGHT * len(order),
    )


def _majority_error(floor: Floor) -> float:
    return 1 - float(floor.priors.max())


CHART = Chart("interval", "The floor, and what to compare it with", draw)
