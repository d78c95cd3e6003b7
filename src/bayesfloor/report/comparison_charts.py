"""Charts of a comparison: the floors of all sets, and how they differ from one of them."""

from __future__ import annotations

from typing import Any

from bayesfloor.base.formatting import cut, percent
from bayesfloor.comparison import Comparison
from bayesfloor.comparison.record import points_with_interval
from bayesfloor.report.charts.chart import Drawing
from bayesfloor.report.charts.style import BLUE, SKY, inline_chart, layered
from bayesfloor.report.interval_rows import SET_HEIGHT, interval_rows, set_axis


def draw_floors(comparison: Comparison) -> Drawing:
    """Draw the interval of every set's Bayes error, with the held-out error as a dot."""
    import altair as alt

    rows: list[dict[str, Any]] = [
        {
            "set": cut(name),
            "low": floor.interval[0],
            "high": floor.interval[1],
            "at": float(comparison.sides[name].errors.mean()),
            "text": percent(float(comparison.sides[name].errors.mean())),
        }
        for name, floor in comparison.floors.items()
    ]
    y = set_axis([row["set"] for row in rows])
    x = alt.X("low:Q", title="Error on new rows").axis(format="~%", tickCount=8).scale(zero=True)
    base = inline_chart(rows)
    chart = layered(
        base.mark_bar(color=SKY, opacity=0.6, height=12).encode(x, alt.X2("high"), y),
        base.mark_point(  # the edge keeps it apart from the bar on dark screens
            color=BLUE, filled=True, size=70, opacity=1, stroke="white", strokeWidth=1.5
        ).encode(alt.X("at:Q"), y),
        height=SET_HEIGHT * len(rows),
    )
    listed = "; ".join(f"{r['set']}: {percent(r['low'])} to {percent(r['high'])}" for r in rows)
    sentence = (
        "Bar: where the lowest possible error of a set lies. Dot: error of the best rule that was"
        " found, on rows it was not learned from. The bars of two sets may overlap though their"
        " difference is clear: it is known better than either."
    )
    return Drawing(chart, sentence, f"Intervals of the Bayes error. {listed}.")


def draw_differences(comparison: Comparison) -> Drawing:
    """Draw how much lower or higher the floor of each set is than that of the reference."""
    rows = [
        {
            "set": cut(name),
            "low": 100 * one.floor.interval[0],
            "high": 100 * one.floor.interval[1],
            "at": 100 * one.floor.value,
            "text": points_with_interval(one.floor),
        }
        for name, one in comparison.differences.items()
    ]
    reference = cut(comparison.reference)
    chart = interval_rows(rows, "Difference of the floors, in points")
    listed = "; ".join(f"{row['set']}: {row['text']}" for row in rows)
    sentence = (
        f"Points by which the lowest possible error of a set is below (left) or above (right) that"
        f" of {reference}. A line that does not cross zero is a difference that"
        " is larger than chance."
    )
    return Drawing(chart, sentence, f"Differences in percentage points. {listed}.")
