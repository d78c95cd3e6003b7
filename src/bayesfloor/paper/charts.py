"""The seven figures as Altair charts: numbers come in, a chart goes out."""

from __future__ import annotations

import io
import math
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from bayesfloor.paper.chart_elements import (
    BOUND,
    DASHES,
    REFERENCE_GREY,
    SHAPES,
    STYLES,
    TRUTH,
    accepted,
    error_axis,
    lines,
    mse_record,
    record,
    scaled_channel,
    size_axis,
    tooltips,
)
from bayesfloor.paper.figures import FIGURES
from bayesfloor.paper.replicates import Z95, FigureData, Replicates, slope
from bayesfloor.report.charts.style import BLUE, SKY, inline_chart, layered, styled, svg_text

if TYPE_CHECKING:
    import altair as alt

FIGURE_WIDTH, FIGURE_HEIGHT = 380, 260
"""Pixels of a plot, without axes: two figures side by side on a desk, one on a phone."""
NAVY = "#00304D"
"""A darker shade of the palette's blue, which has none."""
SHADES = (SKY, BLUE, NAVY)
"""Colours of the sizes in figure 7, which are all of one method."""
LEGEND_COLUMNS, FIGURE_3_COLUMNS = 3, 2
"""Columns of a legend; figure 3 has longer names, with slopes in them."""
LARGEST_MSE, LARGEST_RATIO = 0.1, 1e4
"""What is larger is left out of figures 2 and 6, which say so; it would flatten all the rest."""
COVERAGE_START = 0.8
"""Where the axis of figure 7 starts, unless a share is lower. A judgement."""

TITLE_STYLE = {"fontSize": 13, "subtitleFontSize": 11.5, "anchor": "start", "offset": 8}
AXIS_STYLE = {
    "titleFontSize": 13,
    "titlePadding": 4,
    "gridColor": "#e6e6e6",
    "domainColor": "#555555",
    "tickColor": "#555555",
}
LEGEND_STYLE = {
    "orient": "bottom",  # outside the plot
    "labelLimit": 400,
    "symbolSize": 80,
    "offset": 8,
    "rowPadding": 3,
    "columnPadding": 10,
}
"""How figures differ from the charts of a report: they have titles, and are printed on white."""

Annotated = tuple["alt.LayerChart", list[str]]
"""A chart, and the notes below its title."""


def draw_figure(number: int, data: FigureData) -> alt.LayerChart:
    """Draw a figure from its data."""
    import altair as alt

    chart, notes = _DRAWINGS[number](data)
    title = alt.Title(f"Figure {number}. {FIGURES[number].title}", subtitle=notes)
    columns = FIGURE_3_COLUMNS if number == 3 else LEGEND_COLUMNS
    return styled(
        chart.properties(width=FIGURE_WIDTH, height=FIGURE_HEIGHT, title=title),
        background="white",
        title=TITLE_STYLE,
        axis=AXIS_STYLE,
        legend={**LEGEND_STYLE, "columns": columns},
    )


def exports(chart: alt.LayerChart) -> dict[str, str | bytes]:
    """Return the chart as SVG, PNG and a page that works without a network, by file ending."""
    page, png = io.StringIO(), io.BytesIO()
    chart.save(png, format="png", scale_factor=2)
    chart.interactive().save(page, format="html", inline=True)
    return {"svg": svg_text(chart), "png": png.getvalue(), "html": page.getvalue()}


def _mean_chart(data: FigureData) -> Annotated:
    """Draw the mean, and one standard deviation either way."""
    records = [record(r.method, r.n, _mean(r), _deviation(r)) for r in accepted(data)]
    truth = [record(TRUTH, r.n, r.truth) for r in data.series("wnn")]
    chart = lines(truth + records, "mean estimate of D", y_log=False, dodge=True)
    return chart, [f"{_repeated(data)}; bars: ± 1 standard deviation"]


def _dimension_chart(data: FigureData) -> Annotated:
    """Draw the squared error; colour is the method, dash and shape the dimension."""
    import altair as alt

    kept = [r for r in accepted(data) if _mse(r) < LARGEST_MSE]
    records = [{**mse_record(r), "dimension": f"d = {r.d}"} for r in kept]
    methods = list(dict.fromkeys(r.method for r in kept))
    names = list(dict.fromkeys(row["dimension"] for row in records))
    y = error_axis("MSE of the estimate of D (truth 0)", records)
    base = inline_chart(records).encode(
        x=alt.X(**size_axis("place", "rows per class N", sorted({r.n for r in kept}))),
        color=scaled_channel(alt.Color, "method", methods, [STYLES[m].colour for m in methods]),
    )
    dash = scaled_channel(alt.StrokeDash, "dimension", names, DASHES)
    shape = scaled_channel(alt.Shape, "dimension", names, SHAPES)
    told = tooltips(records, method="method", dimension="columns", place="N", value="MSE")
    chart = layered(
        base.mark_line(strokeWidth=2).encode(y=alt.Y(**y), strokeDash=dash),
        base.mark_rule(strokeWidth=1.3).encode(y=alt.Y(**{**y, "shorthand": "low:Q"}), y2="high:Q"),
        base.mark_point(filled=True, size=55, opacity=1).encode(
            y=alt.Y(**y), shape=shape, tooltip=told
        ),
    )
    return chart, [
        f"{_repeated(data)}; bars: ± 1 Monte-Carlo error",
        *_left_out(data, _mse, LARGEST_MSE),
    ]


def _error_chart(data: FigureData) -> Annotated:
    """Draw the squared error with the bound, and name the slopes."""
    least = [record(BOUND, r.n, r.bound) for r in data.series("wnn")]
    labels = {
        method: f"{method}: slope {slope(data.series(method), Replicates.log_mse)}"
        for method in FIGURES[3].methods
    }
    labels[BOUND] = f"{BOUND}: slope −1"
    chart = lines(
        least + [mse_record(r) for r in accepted(data)], "MSE of the estimate of D", labels=labels
    )
    return chart, [f"{_repeated(data)}; bars: ± 1 Monte-Carlo error"]


def _band_chart(data: FigureData) -> Annotated:
    """Draw the mean with the 95 % band, and the band that nobody can go below."""
    import altair as alt

    records = [record(r.method, r.n, _mean(r), Z95 * _deviation(r)) for r in accepted(data)]
    exact = data.series("wnn")
    least = [record(BOUND, r.n, r.truth, Z95 * math.sqrt(r.bound)) for r in exact]
    area = (
        inline_chart(least)
        .mark_area(opacity=0.3, color=REFERENCE_GREY)
        .encode(x=alt.X("place:Q"), y=alt.Y("low:Q"), y2="high:Q")
    )
    truth = [record(TRUTH, r.n, r.truth) for r in exact]
    chart = lines(truth + records, "mean estimate of D", y_log=False, dodge=True)
    note = "grey: the narrowest 95 % band of any regular estimator (efficiency bound)"
    return layered(area, *chart.layer), [f"{_repeated(data)}; bars: 95 % band", note]


def _robot_chart(data: FigureData) -> Annotated:
    """Draw the squared error against D = 1."""
    chart = lines([mse_record(r) for r in accepted(data)], "MSE of the estimate of D (truth 1)")
    note = "truth D = 1, as the label is a rule of the sensors; bars: ± 1 Monte-Carlo error"
    return chart, [_repeated(data), note]


def _ratio_chart(data: FigureData) -> Annotated:
    """Draw the squared error over the bound, by dimension."""
    kept = [r for r in accepted(data) if _bound_ratio(r) < LARGEST_RATIO]
    least = [record(BOUND, r.d, 1.0) for r in data.series("wnn")]
    records = [mse_record(r, unit=r.bound, place=r.d) for r in kept]
    chart = lines(least + records, "MSE / efficiency bound", x_title="columns d")
    return chart, [
        f"N = {data[0].n}, {_repeated(data)}",
        *_left_out(data, _bound_ratio, LARGEST_RATIO),
    ]


def _coverage_chart(data: FigureData) -> Annotated:
    """Draw the share of intervals that hold the truth, by dimension and size."""
    import altair as alt

    records = [
        {**record("wnn", r.d, r.coverage().value, _share_error(r)), "size": f"N = {r.n}"}
        for r in data.series("wnn")
    ]
    records = [{**row, "high": min(row["high"], 1.0)} for row in records]
    names = list(dict.fromkeys(row["size"] for row in records))
    lowest = min(COVERAGE_START, *(math.floor(10 * row["low"]) / 10 for row in records))
    y: dict[str, Any] = {
        "title": "share of intervals that hold D",
        "scale": alt.Scale(domain=[lowest, 1.0], nice=False),
        "axis": alt.Axis(values=[i / 20 for i in range(21)], format=".0%"),
    }
    base = inline_chart(records).encode(
        x=alt.X("place:O", title="columns d", axis=alt.Axis(labelAngle=0)),
        xOffset=alt.XOffset("size:N", sort=names),
        color=scaled_channel(alt.Color, "size", names, SHADES),
    )
    target = inline_chart([{"value": 0.95}]).mark_rule(
        strokeDash=[5, 3], color=REFERENCE_GREY, strokeWidth=1.5
    )
    told = tooltips(records, size="rows per class", place="columns", value="coverage")
    chart = layered(
        target.encode(y=alt.Y("value:Q", **y)),
        base.mark_rule(strokeWidth=1.5).encode(y=alt.Y("low:Q", **y), y2="high:Q"),
        base.mark_point(filled=True, size=55, opacity=1).encode(
            y=alt.Y("value:Q", **y),
            shape=scaled_channel(alt.Shape, "size", names, SHAPES),
            tooltip=told,
        ),
    )
    return chart, [_repeated(data), "dashed: 95 %; bars: ± 1 Monte-Carlo error"]


_DRAWINGS: dict[int, Callable[[FigureData], Annotated]] = {
    1: _mean_chart,
    2: _dimension_chart,
    3: _error_chart,
    4: _band_chart,
    5: _robot_chart,
    6: _ratio_chart,
    7: _coverage_chart,
}
"""How each figure is drawn, by its number."""


def _repeated(data: FigureData) -> str:
    return f"{data.repetitions} samples of each kind"


def _mean(replicates: Replicates) -> float:
    return float(replicates.estimate.mean())


def _deviation(replicates: Replicates) -> float:
    return math.exp(replicates.log_variance().value / 2)


def _mse(replicates: Replicates) -> float:
    return math.exp(replicates.log_mse().value)


def _bound_ratio(replicates: Replicates) -> float:
    return _mse(replicates) / replicates.bound


def _share_error(replicates: Replicates) -> float:
    """Return the error of a share; a half miss more, so that it is not zero where none missed."""
    n = len(replicates.estimate)
    share = (n * replicates.coverage().value + 0.5) / (n + 1)
    return math.sqrt(share * (1 - share) / n)


def _left_out(data: FigureData, value: Callable[[Replicates], float], largest: float) -> list[str]:
    """Say in words what a figure does not show, and why."""
    drawn = accepted(data)
    off_scale = [r for r in drawn if value(r) >= largest]
    notes = []
    if off_scale:
        listed = ", ".join(f"{value(r):.0e} at d = {r.d}, N = {r.n}" for r in off_scale[-2:])
        notes.append(f"off the scale: {off_scale[0].method}, {listed}")
    return notes + [
        f"missing: {method}, d = {', '.join(map(str, sorted(refused)))}: it refuses so many columns"
        for method in dict.fromkeys(r.method for r in data)
        if (refused := _columns(data, method) - _columns(drawn, method))
    ]


def _columns(replicates: Iterable[Replicates], method: str) -> set[int]:
    return {r.d for r in replicates if r.method == method}
