"""What maps lose by the number of rows they learn from, and what more rows would take away."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bayesfloor.base.measures import ERROR, Measure
from bayesfloor.floor import Floor
from bayesfloor.report.charts.chart import Chart, ChartRequest, Drawing
from bayesfloor.report.charts.style import BLUE, RED, SKY, inline_chart, layered

if TYPE_CHECKING:
    import altair as alt

    from bayesfloor.representation import LearningCurve

LEARNING_CURVE_HEIGHT = 240
"""Pixels of the plot."""
FARTHEST = 16
"""The extrapolation is drawn up to so many times the rows: four doublings, as many as were seen."""
STEPS = 25
"""Points of the extrapolated line: enough to look smooth."""
TICK_GAP = 8
"""Pixels between two numbers below the plot, at least."""
BAND = 0.025
"""Share of the distribution below and above the band: it is a 95 % one."""


def draw(request: ChartRequest) -> Drawing:
    """Draw the losses that were measured, and how they would go on."""
    floor = request.floor
    assert floor.learning_curve is not None
    curve = floor.learning_curve
    chart = learning_curve_chart(curve) if len(curve.sizes) > 1 else None
    listed = "; ".join(
        f"{rows:,} rows: {loss:.3f}"
        for rows, loss in zip(curve.sizes[::-1], curve.losses[::-1], strict=True)
    )
    description = f"A line of the squared loss by the rows learned from. {listed}."
    if curve.excess is not None:
        rows, middle, low, high = _extrapolated(curve)[-1]
        description += (
            f" A dashed line goes on to {rows:,.0f} rows: {middle:.3f}, or {low:.3f} to {high:.3f}."
        )
    return Drawing(
        chart, learning_curve_sentence(floor, curve, request.answer.measure), description
    )


def learning_curve_sentence(floor: Floor, curve: LearningCurve, measure: Measure = ERROR) -> str:
    """Say how much better the maps would likely get."""
    maps = [name for name, weight in floor.maps.items() if weight >= 0.05]
    listed = ", ".join(maps[:-1]) + (" and " if len(maps) > 1 else "") + maps[-1]
    came = f"Maps learned here: {listed}."
    if curve.excess is None:
        return f"{came} There were too few rows to see how they improve with more."
    left, most = (
        min(curve.excess.quantile(share), float(curve.losses[0])) for share in (0.5, 1 - BAND)
    )
    better = "the upper end is above" if measure.rises else "the lower end of the floor is below"
    return (
        f"{came} Their squared loss was {curve.losses[-1]:.3f} on {curve.sizes[-1]:,} rows and"
        f" {curve.losses[0]:.3f} on {curve.sizes[0]:,}. With ever more rows it would likely fall by"
        f" {left:.3f} more, possibly by {most:.3f}: that is why {better} what these"
        f" maps reach ({measure.percent(floor.upper)})."
    )


def learning_curve_chart(curve: LearningCurve) -> alt.LayerChart:
    """Draw the loss against the rows that maps learned from, on a logarithmic scale."""
    import altair as alt

    seen, expected = "measured", "with more rows, and 95% band"
    measured = [
        {
            "what": seen,
            "rows": int(n),
            "loss": float(loss),
            "low": float(loss - 2 * e),
            "high": float(loss + 2 * e),
        }
        for n, loss, e in zip(curve.sizes, curve.losses, curve.errors, strict=True)
    ]
    x = alt.X("rows:Q", title="Rows learned from (log scale)").scale(type="log", nice=False)
    x = x.axis(format="~s", grid=False, tickCount=6, labelSeparation=TICK_GAP)
    y = alt.Y("loss:Q", title="Squared loss on held-out rows").scale(zero=False)
    names = [seen] if curve.excess is None else [seen, expected]
    colour = alt.Color("what:N", title=None).scale(domain=names, range=[BLUE, RED][: len(names)])
    colour = colour.legend(orient="top", symbolOpacity=1, symbolStrokeWidth=2, labelLimit=300)
    shape = alt.Shape("what:N", title=None).scale(
        domain=names, range=["circle", "stroke"][: len(names)]
    )
    points = inline_chart(measured)
    layers = [
        points.mark_line(color=BLUE, strokeWidth=2).encode(x, y),
        points.mark_rule(color=BLUE).encode(x, alt.Y("low:Q"), alt.Y2("high")),
        points.mark_point(filled=True, size=60, opacity=1).encode(
            x, y, colour, shape, tooltip=["rows:Q", "loss:Q"]
        ),
    ]
    if curve.excess is not None:
        ahead = [
            {"what": expected, "rows": n, "loss": middle, "low": low, "high": high}
            for n, middle, low, high in _extrapolated(curve)
        ]
        line = inline_chart(ahead)
        layers = [
            line.mark_area(color=SKY, opacity=0.25).encode(x, alt.Y("low:Q"), alt.Y2("high")),
            line.mark_line(strokeDash=[5, 4], strokeWidth=2).encode(x, y, colour),
            *layers,
        ]
    return layered(*layers, height=LEARNING_CURVE_HEIGHT)


def _extrapolated(curve: LearningCurve) -> list[tuple[float, float, float, float]]:
    """Return rows, and the median and a band of the loss there."""
    excess = curve.excess
    assert excess is not None
    middle, least, most = (excess.quantile(share) for share in (0.5, BAND, 1 - BAND))
    first = float(curve.losses[0])
    return [
        (
            float(curve.sizes[0] * times),
            max(first - fallen * middle, 0.0),
            max(first - fallen * most, 0.0),
            first - fallen * least,
        )
        for times in np.geomspace(1, FARTHEST, STEPS)
        for fallen in (1 - times**-excess.exponent,)
    ]


CHART = Chart(
    "learning",
    "Would more rows make better models?",
    draw,
    applies=lambda floor: floor.learning_curve is not None,
    needs="learned maps, and here neighbours were compared alone",
)
