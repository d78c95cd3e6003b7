"""The seven figures as Altair charts: numbers come in, a chart goes out."""

from __future__ import annotations

import io
import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from bayesfloor.paper.groups import Group, Groups, slope
from bayesfloor.paper.marks import (
    BOUND,
    DASHES,
    SHAPES,
    STYLES,
    TRUTH,
    chart_of,
    error_axis,
    layered,
    lines,
    mse_record,
    record,
    scaled,
    shown,
    size_axis,
    tooltips,
)
from bayesfloor.paper.settings import FIGURES

if TYPE_CHECKING:
    import altair as alt

WIDTH, HEIGHT = 380, 260
BAND = 1.959963984540054
"""Half the width of a 95 % band, in standard deviations."""
SHADES = ("#56B4E9", "#0072B2", "#00304D")
"""Of the sizes in figure 7, all of one method."""
WORDY = (3,)
"""Figures whose legend has long lines."""
LARGEST_MSE, LARGEST_RATIO = 0.1, 1e4
"""What is larger is left out of figures 2 and 6, which say so."""

Drawing = tuple["alt.LayerChart", list[str]]


def draw(number: int, groups: Groups) -> alt.LayerChart:
    """Draw a figure from its data."""
    import altair as alt

    chart, notes = _DRAWINGS[number](groups)
    title = alt.Title(f"Figure {number}. {FIGURES[number].title}", subtitle=notes)
    config: dict[str, Any] = {
        "title": {"fontSize": 13, "subtitleFontSize": 11.5, "anchor": "start", "offset": 8},
        "axis": {"labelFontSize": 12, "titleFontSize": 13, "titleFontWeight": "normal"},
        "legend": {
            "orient": "bottom",
            "columns": 2 if number in WORDY else 3,
            "labelFontSize": 12,
            "labelLimit": 400,
        },
        "view": {"stroke": None},
    }
    config["axis"] |= {"gridColor": "#e6e6e6", "domainColor": "#555555", "tickColor": "#555555"}
    config["legend"] |= {"symbolSize": 80, "offset": 8, "rowPadding": 3}
    sized = chart.properties(width=WIDTH, height=HEIGHT, title=title)
    return sized.configure(font="Helvetica, Arial, sans-serif", background="white", **config)


def exports(chart: alt.LayerChart) -> dict[str, str | bytes]:
    """Return the chart as SVG, PNG and a page that works without a network, by file ending."""
    svg, page, png = io.StringIO(), io.StringIO(), io.BytesIO()
    chart.save(svg, format="svg")
    chart.save(png, format="png", scale_factor=2)
    chart.interactive().save(page, format="html", inline=True)
    return {"svg": svg.getvalue(), "png": png.getvalue(), "html": page.getvalue()}


def _mean_chart(groups: Groups) -> Drawing:
    """Draw the mean, and one standard deviation either way."""
    records = [record(g.method, g.n, _mean(g), _deviation(g)) for g in shown(groups)]
    truth = [record(TRUTH, g.n, g.truth) for g in groups.series("wnn")]
    chart = lines(truth + records, "mean estimate of D", y_log=False, dodge=True)
    return chart, [f"{_repeated(groups)}; bars: ± 1 standard deviation"]


def _dimension_chart(groups: Groups) -> Drawing:
    """Draw the squared error; colour is the method, dash and shape the dimension."""
    import altair as alt

    kept = [g for g in shown(groups) if _mse(g) < LARGEST_MSE]
    records = [{**mse_record(g), "dimension": f"d = {g.d}"} for g in kept]
    methods = list(dict.fromkeys(g.method for g in kept))
    names = list(dict.fromkeys(r["dimension"] for r in records))
    y = error_axis("MSE of the estimate of D (truth 0)", records)
    base = chart_of(records).encode(
        x=alt.X(**size_axis("place", "rows per class N", sorted({g.n for g in kept}))),
        color=scaled(alt.Color, "method", methods, [STYLES[m].colour for m in methods]),
    )
    dash = scaled(alt.StrokeDash, "dimension", names, DASHES)
    shape = scaled(alt.Shape, "dimension", names, SHAPES)
    told = tooltips(records, method="method", dimension="columns", place="N", value="MSE")
    chart = layered(
        base.mark_line(strokeWidth=2).encode(y=alt.Y(**y), strokeDash=dash),
        base.mark_rule(strokeWidth=1.3).encode(y=alt.Y(**{**y, "shorthand": "low:Q"}), y2="high:Q"),
        base.mark_point(filled=True, size=55, opacity=1).encode(
            y=alt.Y(**y), shape=shape, tooltip=told
        ),
    )
    return chart, [f"{_repeated(groups)}; bars: ± 1 Monte-Carlo error", *_left_out(groups, _mse)]


def _error_chart(groups: Groups) -> Drawing:
    """Draw the squared error with the bound, and name the slopes."""
    least = [record(BOUND, g.n, g.bound) for g in groups.series("wnn")]
    labels = {
        method: f"{method}: slope {slope(groups.series(method), Group.log_mse)}"
        for method in FIGURES[3].methods
    }
    labels[BOUND] = f"{BOUND}: slope −1"
    chart = lines(
        least + [mse_record(g) for g in shown(groups)], "MSE of the estimate of D", labels=labels
    )
    return chart, [f"{_repeated(groups)}; bars: ± 1 Monte-Carlo error"]


def _band_chart(groups: Groups) -> Drawing:
    """Draw the mean with the 95 % band, and the band that nobody can go below."""
    import altair as alt

    records = [record(g.method, g.n, _mean(g), BAND * _deviation(g)) for g in shown(groups)]
    exact = groups.series("wnn")
    least = [record(BOUND, g.n, g.truth, BAND * math.sqrt(g.bound)) for g in exact]
    area = (
        chart_of(least)
        .mark_area(opacity=0.3, color=STYLES[BOUND].colour)
        .encode(x=alt.X("place:Q"), y=alt.Y("low:Q"), y2="high:Q")
    )
    truth = [record(TRUTH, g.n, g.truth) for g in exact]
    chart = lines(truth + records, "mean estimate of D", y_log=False, dodge=True)
    note = "grey: the narrowest 95 % band of any regular estimator (efficiency bound)"
    return layered(area, *chart.layer), [f"{_repeated(groups)}; bars: 95 % band", note]


def _robot_chart(groups: Groups) -> Drawing:
    """Draw the squared error against D = 1."""
    chart = lines([mse_record(g) for g in shown(groups)], "MSE of the estimate of D (truth 1)")
    note = "truth D = 1, as the label is a rule of the sensors; bars: ± 1 Monte-Carlo error"
    return chart, [_repeated(groups), note]


def _ratio_chart(groups: Groups) -> Drawing:
    """Draw the squared error over the bound, by dimension."""
    kept = [g for g in shown(groups) if _ratio(g) < LARGEST_RATIO]
    least = [record(BOUND, g.d, 1.0) for g in groups.series("wnn")]
    records = [mse_record(g, unit=g.bound, place=g.d) for g in kept]
    chart = lines(least + records, "MSE / efficiency bound", x_title="columns d")
    return chart, [f"N = {groups[0].n}, {_repeated(groups)}", *_left_out(groups, _ratio)]


def _coverage_chart(groups: Groups) -> Drawing:
    """Draw the share of intervals that hold the truth, by dimension and size."""
    import altair as alt

    records = [
        {**record("wnn", g.d, g.covered().value, _share_error(g)), "size": f"N = {g.n}"}
        for g in groups.series("wnn")
    ]
    records = [{**r, "high": min(r["high"], 1.0)} for r in records]
    names = list(dict.fromkeys(r["size"] for r in records))
    lowest = min(0.8, *(math.floor(10 * r["low"]) / 10 for r in records))
    y: dict[str, Any] = {
        "title": "share of intervals that hold D",
        "scale": alt.Scale(domain=[lowest, 1.0], nice=False),
        "axis": alt.Axis(values=[i / 20 for i in range(21)], format=".0%"),
    }
    base = chart_of(records).encode(
        x=alt.X("place:O", title="columns d", axis=alt.Axis(labelAngle=0)),
        xOffset=alt.XOffset("size:N", sort=names),
        color=scaled(alt.Color, "size", names, SHADES),
    )
    target = chart_of([{"value": 0.95}]).mark_rule(
        strokeDash=[5, 3], color=STYLES[BOUND].colour, strokeWidth=1.5
    )
    told = tooltips(records, size="rows per class", place="columns", value="coverage")
    chart = layered(
        target.encode(y=alt.Y("value:Q", **y)),
        base.mark_rule(strokeWidth=1.5).encode(y=alt.Y("low:Q", **y), y2="high:Q"),
        base.mark_point(filled=True, size=55, opacity=1).encode(
            y=alt.Y("value:Q", **y), shape=scaled(alt.Shape, "size", names, SHAPES), tooltip=told
        ),
    )
    return chart, [_repeated(groups), "dashed: 95 %; bars: ± 1 Monte-Carlo error"]


_DRAWINGS: dict[int, Callable[[Groups], Drawing]] = {
    1: _mean_chart,
    2: _dimension_chart,
    3: _error_chart,
    4: _band_chart,
    5: _robot_chart,
    6: _ratio_chart,
    7: _coverage_chart,
}


def _repeated(groups: Groups) -> str:
    return f"{groups.repetitions} samples of each kind"


def _mean(group: Group) -> float:
    return float(group.estimate.mean())


def _deviation(group: Group) -> float:
    return math.exp(group.log_variance().value / 2)


def _mse(group: Group) -> float:
    return math.exp(group.log_mse().value)


def _ratio(group: Group) -> float:
    return _mse(group) / group.bound


def _share_error(group: Group) -> float:
    """Return the error of a share; a half miss more, so that it is not zero where none missed."""
    n = len(group.estimate)
    share = (n * group.covered().value + 0.5) / (n + 1)
    return math.sqrt(share * (1 - share) / n)


def _left_out(groups: Groups, figure: Callable[[Group], float]) -> list[str]:
    """Say in words what a figure does not show, and why."""
    limit = LARGEST_MSE if figure is _mse else LARGEST_RATIO
    drawn = shown(groups)
    far = [g for g in drawn if figure(g) >= limit]
    refused = sorted({g.d for g in groups} - {g.d for g in drawn if g.method == "wnn-published"})
    lines = []
    if far:
        listed = ", ".join(f"{figure(g):.0e} at d = {g.d}, N = {g.n}" for g in far[-2:])
        lines.append(f"off the scale: {far[0].method}, {listed}")
    if refused:
        listed = ", ".join(map(str, refused))
        lines.append(f"missing: wnn-published, d = {listed}: its weights exceed double precision")
    return lines
