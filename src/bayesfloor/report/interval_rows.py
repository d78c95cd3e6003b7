"""Named values with their intervals, one below the other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bayesfloor.report.charts.style import BLUE, FONT_SIZE, GREY, inline_chart, layered

if TYPE_CHECKING:
    import altair as alt

SET_HEIGHT = 34
"""Pixels for each value."""


def interval_rows(rows: list[dict[str, Any]], title: str) -> alt.LayerChart:
    """Draw named values with their intervals, and a line at zero."""
    import altair as alt

    ends = [0.0, *(row[end] for row in rows for end in ("low", "high"))]
    room = 0.15 * (max(ends) - min(ends) or 1.0)
    domain = [min(ends) - room, max(ends) + room]
    x = alt.X("low:Q", title=title).axis(format="~f", tickCount=8).scale(domain=domain, nice=False)
    y, base = set_axis([row["set"] for row in rows]), inline_chart(rows)
    return layered(
        inline_chart([{"zero": 0}])
        .mark_rule(color=GREY, strokeDash=[4, 3])
        .encode(alt.X("zero:Q", scale=alt.Scale(domain=domain, nice=False))),
        base.mark_rule(color=BLUE, strokeWidth=3).encode(x, alt.X2("high"), y),
        base.mark_point(color=BLUE, filled=True, size=80, opacity=1).encode(alt.X("at:Q"), y),
        base.mark_text(fontSize=FONT_SIZE, dy=-12).encode(
            alt.X("at:Q"), y, alt.Text("text:N"), color=alt.value("black")
        ),
        height=SET_HEIGHT * len(rows) + 12,
    )


def set_axis(order: list[str]) -> Any:
    """Return the axis of names, in their order."""
    import altair as alt

    return alt.Y("set:N", sort=order, title=None).axis(
        labelLimit=160, labelPadding=8, ticks=False, domain=False
    )
