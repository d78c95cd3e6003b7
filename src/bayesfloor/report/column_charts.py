"""Charts of a ranking: what columns are worth, and the path that adds them."""

from __future__ import annotations

from typing import Any

from bayesfloor.base.formatting import cut, percent
from bayesfloor.comparison import ColumnRanking
from bayesfloor.comparison.record import points_with_interval
from bayesfloor.report.charts.chart import Drawing
from bayesfloor.report.charts.style import BLUE, FONT_SIZE, GREY, inline_chart, layered
from bayesfloor.report.interval_rows import interval_rows

MOST_DRAWN = 15
"""Columns that are drawn, those that would be missed most; a table has all of them. A judgement."""
NAME_ANGLE = 325
"""Degrees by which the names of a path are turned: up to the right."""
PATH_HEIGHT = 260
"""Pixels of the path."""


def draw_worth(ranking: ColumnRanking) -> Drawing:
    """Draw by how much the held-out error rises without each column."""
    tried = [one for one in ranking.columns if one.without_error is not None]
    rows: list[dict[str, Any]] = []
    for one in tried[:MOST_DRAWN]:
        assert one.without_error is not None
        low, high = one.without_error.interval
        rows.append(
            {
                "set": cut(one.name),
                "low": 100 * low,
                "high": 100 * high,
                "at": 100 * one.without_error.value,
                "text": points_with_interval(one.without_error),
            }
        )
    more = f" The first {MOST_DRAWN} are drawn." if len(tried) > MOST_DRAWN else ""
    sentence = (
        "Points by which the error on held-out rows rises if a column is left out and the maps are"
        " learned again. A line that does not cross zero is a rise by more than chance; what is"
        f" called needed is decided by the loss, which shows smaller rises.{more}"
    )
    listed = "; ".join(f"{row['set']}: {row['text']}" for row in rows)
    chart = interval_rows(rows, "Rise of the error, in points")
    return Drawing(chart, sentence, f"Rises of the held-out error in points. {listed}.")


def draw_path(ranking: ColumnRanking) -> Drawing:
    """Draw the loss as columns are added one by one."""
    import altair as alt

    rows = [{"step": 0, "at": ranking.start, "text": "no column", "error": None}]
    rows += [
        {"step": k, "at": step.mismatch, "text": " + ".join(map(cut, step.added)), "error": None}
        for k, step in enumerate(ranking.path, 1)
    ]
    base = inline_chart(rows)
    steps = list(range(len(rows)))
    x = alt.X("step:Q", title="Columns added").axis(values=steps, format="d", grid=False)
    x = x.scale(domain=[-0.2, len(rows) - 0.4], nice=False)
    most = max(float(str(row["at"])) for row in rows)
    y = alt.Y("at:Q", title="Mismatch at most").axis(format="~%")
    y = y.scale(domain=[0, 1.25 * most or 1.0], nice=False)  # room for the name of the first
    chart = layered(
        base.mark_line(color=BLUE, point=alt.OverlayMarkDef(color=BLUE, size=60)).encode(x, y),
        base.mark_text(  # slanted names of neighbours do not meet, whatever their width
            fontSize=FONT_SIZE, align="left", dx=8, dy=-2, angle=NAME_ANGLE, limit=150
        ).encode(x, y, alt.Text("text:N"), color=alt.value("black")),
        inline_chart([{"at": ranking.path[-1].mismatch if ranking.path else ranking.start}])
        .mark_rule(color=GREY, strokeDash=[4, 3])
        .encode(y),
        height=PATH_HEIGHT,
    )
    listed = "; ".join(f"{row['text']}: {percent(float(str(row['at'])))}" for row in rows)
    ended = (
        "It ends where no further column lowers it by more than chance."
        if ranking.finished
        else "Time was up before it ended."
    )
    sentence = (
        "Each step adds the column that lowers the mismatch most: the chance that two labels drawn"
        f" at one point differ, as far as the maps tell. {ended}"
    )
    return Drawing(chart, sentence, f"Mismatch at most, as columns are added. {listed}.")
