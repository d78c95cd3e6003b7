"""Parts of the figures: a style for each method, records of points and bars, axes and lines."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from bayesfloor.paper.replicates import FigureData, Replicates
from bayesfloor.report.charts.style import (
    BLACK,
    BLUE,
    GREEN,
    ORANGE,
    PURPLE,
    RED,
    SKY,
    inline_chart,
    layered,
)

if TYPE_CHECKING:
    import altair as alt

BOUND, TRUTH = "efficiency bound", "truth"
"""Names of the lines that no method draws."""
REFERENCE_GREY = "#767676"
"""Colour of those lines: the lightest grey with the contrast of text on white, 4.5 to 1 (WCAG)."""
DODGE = 1.045
"""Factor between the places of methods whose bars would cover each other; wider than a bar."""
AXIS_MARGIN = 1.2
"""Factor that a logarithmic axis goes on beyond the data, so that no mark touches its end."""
FEW_DECADES = 3
"""Up to so many powers of ten a logarithmic axis has ticks at 1, 2 and 5; beyond, at 1 only."""


class MethodStyle(NamedTuple):
    """How a method looks in every figure; told apart by shape and dash too."""

    colour: str
    shape: str
    dash: tuple[int, ...]


_REFERENCE = MethodStyle(REFERENCE_GREY, "M-1,-0.15H1V0.15H-1Z", (1, 0))  # a dash as its symbol
STYLES: dict[str, MethodStyle] = {
    "wnn": MethodStyle(BLUE, "circle", (1, 0)),
    "wnn-published": MethodStyle(RED, "square", (7, 2)),
    "knn k=1": MethodStyle(SKY, "triangle-down", (2, 2)),
    "knn k=5": MethodStyle(GREEN, "triangle-up", (5, 2, 1, 2)),
    "knn k=10": MethodStyle(ORANGE, "diamond", (9, 3, 2, 3)),
    "knn k=20": MethodStyle(PURPLE, "triangle-down", (2, 2)),
    "mst": MethodStyle(BLACK, "cross", (3, 3)),
    BOUND: _REFERENCE,
    TRUTH: _REFERENCE,
}
"""The style of every method, and of the lines beside them."""
SHAPES = ("circle", "square", "triangle-up")
"""Shapes of what is told apart besides the method: dimension or size."""
DASHES = ((1, 0), (6, 3), (2, 2))
"""Dashes of the same, in pixels of line and gap."""

Record: TypeAlias = dict[str, Any]
"""One point of a figure: its method, place and value, and the ends of its bar."""


def record(method: str, place: float, value: float, half: float = 0.0) -> Record:
    """Return one point with a bar of half a length either way."""
    ends = {"low": value - half, "high": value + half}
    return {"method": method, "place": place, "value": value, **ends}


def log_record(method: str, place: float, value: float, error: float) -> Record:
    """Return one point with a bar of one relative error, symmetric on a log axis."""
    ends = {"low": value * math.exp(-error), "high": value * math.exp(error)}
    return {"method": method, "place": place, "value": value, **ends}


def mse_record(replicates: Replicates, *, unit: float = 1.0, place: float | None = None) -> Record:
    """Return the mean squared error, in units, with its Monte-Carlo error."""
    found = replicates.log_mse()
    where = replicates.n if place is None else place
    return log_record(replicates.method, where, math.exp(found.value) / unit, found.se)


def accepted(data: FigureData) -> list[Replicates]:
    """Return the replicates whose method refused no sample, method by method."""
    methods = dict.fromkeys(r.method for r in data)
    return [r for method in methods for r in data.series(method)]


def size_axis(field: str, title: str, places: Sequence[float]) -> dict[str, Any]:
    """Return the arguments of a logarithmic axis with a tick at each place."""
    import altair as alt

    scale = alt.Scale(
        type="log", nice=False, domain=[places[0] / AXIS_MARGIN, places[-1] * AXIS_MARGIN]
    )
    axis = alt.Axis(values=list(places), grid=False, format="d")
    return {"shorthand": f"{field}:Q", "title": title, "scale": scale, "axis": axis}


def error_axis(title: str, records: Sequence[Record]) -> dict[str, Any]:
    """Return the arguments of a logarithmic axis that holds all bars, with round ticks."""
    import altair as alt

    ends = (
        min(row["low"] for row in records) / AXIS_MARGIN,
        max(row["high"] for row in records) * AXIS_MARGIN,
    )
    decades = range(math.floor(math.log10(ends[0])), math.ceil(math.log10(ends[1])))
    steps = (1, 2, 5) if len(decades) <= FEW_DECADES else (1,)
    ticks = [step * 10.0**decade for decade in decades for step in steps]
    axis = alt.Axis(values=[t for t in ticks if ends[0] <= t <= ends[1]], format="~r")
    scale = alt.Scale(type="log", nice=False, domain=ends)
    return {"shorthand": "value:Q", "title": title, "scale": scale, "axis": axis}


def scaled_channel(channel: Any, field: str, names: Sequence[str], values: Sequence[Any]) -> Any:
    """Return an encoding that gives each name its value, in this order."""
    import altair as alt

    scale = alt.Scale(domain=list(names), range=[_listed(value) for value in values])
    legend = alt.Legend(title=None, symbolStrokeWidth=0)  # a dashed outline would blur the shape
    return channel(f"{field}:N", scale=scale, sort=None, legend=legend)


def _listed(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def tooltips(records: Sequence[Record], **titles: str) -> list[Any]:
    """Return what a reader sees who points at a mark."""
    import altair as alt

    kinds = {name: ":N" if isinstance(records[0][name], str) else ":Q" for name in titles}
    return [
        alt.Tooltip(name + kinds[name], title=title, format=".4g")
        if kinds[name] == ":Q"
        else alt.Tooltip(name + kinds[name], title=title)
        for name, title in titles.items()
    ]


def lines(
    records: Sequence[Record],
    y_title: str,
    *,
    x_title: str = "rows per class N",
    y_log: bool = True,
    dodge: bool = False,
    labels: Mapping[str, str] | None = None,
) -> alt.LayerChart:
    """Draw a line with points and bars for each method, against a logarithmic axis.

    Parameters
    ----------
    records : sequence of dict
        From `record` and its like.
    y_title, x_title : str
        Of the axes.
    y_log : bool
        Whether the other axis is logarithmic too.
    dodge : bool
        Move methods a little apart, so that bars stand side by side.
    labels : mapping, optional
        What the legend says instead of the method.
    """
    import altair as alt

    methods = list(dict.fromkeys(row["method"] for row in records))
    names = [(labels or {}).get(method, method) for method in methods]
    styles = [STYLES[method] for method in methods]
    places = sorted({row["place"] for row in records})
    values = [_placed(row, methods, names, dodge) for row in records]
    estimates = [v for v in values if v["method"] not in (BOUND, TRUTH)]
    y = error_axis(y_title, records) if y_log else _plain_axis(y_title)
    common = {
        "x": alt.X(**size_axis("x", x_title, places)),
        "color": scaled_channel(alt.Color, "label", names, [s.colour for s in styles]),
    }
    base, points = (inline_chart(v).encode(**common) for v in (values, estimates))
    dash = scaled_channel(alt.StrokeDash, "label", names, [s.dash for s in styles])
    shape = scaled_channel(alt.Shape, "label", names, [s.shape for s in styles])
    told = {"label": "method", "place": x_title, "value": y_title, "low": "from", "high": "to"}
    return layered(
        base.mark_line(strokeWidth=2).encode(y=alt.Y(**y), strokeDash=dash),
        points.mark_rule(strokeWidth=1.3).encode(
            y=alt.Y(**{**y, "shorthand": "low:Q"}), y2="high:Q"
        ),
        points.mark_point(filled=True, size=55, opacity=1).encode(
            y=alt.Y(**y), shape=shape, tooltip=tooltips(values, **told)
        ),
    )


def _plain_axis(title: str) -> dict[str, Any]:
    import altair as alt

    return {"shorthand": "value:Q", "title": title, "scale": alt.Scale(zero=False)}


def _placed(row: Record, methods: Sequence[str], names: Sequence[str], dodge: bool) -> Record:
    """Add the label, and the place on the axis."""
    i = methods.index(row["method"])
    away = DODGE ** (i - (len(methods) - 1) / 2) if dodge and row["method"] != TRUTH else 1.0
    return {**row, "label": names[i], "x": row["place"] * away}
