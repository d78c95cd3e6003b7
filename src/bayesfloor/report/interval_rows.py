"""Named values with their intervals, one below the other."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal

from bayesfloor.report.charts.style import (
    BLUE,
    FONT_SIZE,
    GREY,
    WIDEST_FONT,
    inline_chart,
    layered,
)

if TYPE_CHECKING:
    import altair as alt

SET_HEIGHT = 34
"""Pixels for each value."""
NAME_GAP = 8
"""Pixels between a name and its row."""
NAME_LIMIT = 160
"""Pixels of a name at most, by the fonts that charts are laid out with."""
LETTER = 7.4
"""Pixels of a letter of `FONT_SIZE`, on average, in the widest fonts that a reader may have."""
SIDE = 1 / 3
"""Part of the scale on each side in which texts begin or end with their line, not to run over."""


def interval_rows(rows: list[dict[str, Any]], title: str) -> alt.LayerChart:
    """Draw named values with their intervals, and a line at zero; the title is to fit a phone."""
    import altair as alt

    ends = [0.0, *(row[end] for row in rows for end in ("low", "high"))]
    room = 0.15 * (max(ends) - min(ends) or 1.0)
    domain = [min(ends) - room, max(ends) + room]
    x = alt.X("low:Q", title=title).scale(domain=domain, nice=False)
    x = x.axis(format="~f", tickCount=8, titleAnchor="end")  # names leave little room on a phone
    y, base = set_axis([row["set"] for row in rows]), inline_chart(rows)
    return layered(
        inline_chart([{"zero": 0}])
        .mark_rule(color=GREY, strokeDash=[4, 3])
        .encode(alt.X("zero:Q", scale=alt.Scale(domain=domain, nice=False))),
        base.mark_rule(color=BLUE, strokeWidth=3).encode(x, alt.X2("high"), y),
        base.mark_point(color=BLUE, filled=True, size=80, opacity=1).encode(alt.X("at:Q"), y),
        *(
            inline_chart(some)
            .mark_text(fontSize=FONT_SIZE, dy=-12, align=align)
            .encode(alt.X(f"{start}:Q"), y, alt.Text("text:N"), color=alt.value("black"))
            for some, align, start in _by_place(rows, *domain)
        ),
        height=SET_HEIGHT * len(rows) + 12,
    )


def _by_place(
    rows: list[dict[str, Any]], low: float, high: float
) -> list[tuple[list[dict[str, Any]], Literal["left", "center", "right"], str]]:
    """Return the rows on the left, in the middle and on the right, and where their texts start."""
    places = [(row["at"] - low) / (high - low) for row in rows]
    left, middle, right = (
        [row for row, place in zip(rows, places, strict=True) if first <= place < last]
        for first, last in ((-math.inf, SIDE), (SIDE, 1 - SIDE), (1 - SIDE, math.inf))
    )
    found: list[tuple[list[dict[str, Any]], Literal["left", "center", "right"], str]] = [
        (left, "left", "low"),
        (middle, "center", "at"),
        (right, "right", "high"),
    ]
    return [one for one in found if one[0]]


def set_axis(order: list[str]) -> Any:
    """Return the axis of names, in their order, with room for them in any font."""
    import altair as alt

    longest = LETTER * max(map(len, order), default=0)
    return alt.Y("set:N", sort=order, title=None).axis(
        labelLimit=NAME_LIMIT,
        labelPadding=NAME_GAP,
        minExtent=min(longest, WIDEST_FONT * NAME_LIMIT) + NAME_GAP,
        ticks=False,
        domain=False,
    )
