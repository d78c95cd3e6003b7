"""Bounds and interval from fewer rows, so that a reader sees whether more would change them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.special import ndtri

from bayesfloor.base.arrays import Floats, Ints
from bayesfloor.base.measures import ERROR, Measure
from bayesfloor.floor import Floor
from bayesfloor.floor.growth import Growth, growth_rows, make_growth
from bayesfloor.report.charts.chart import Chart, ChartRequest, Drawing
from bayesfloor.report.charts.style import BLUE, SKY, inline_chart, layered

if TYPE_CHECKING:
    import altair as alt

GROWTH_HEIGHT = 260
"""Pixels of the plot."""


def draw(request: ChartRequest) -> Drawing:
    """Draw the bounds by the number of rows, if the rows can be divided."""
    growth, measure = make_growth(request.floor, request.advance), request.answer.measure
    several = len(growth.sizes) > 1
    bounds, intervals = (_shown(ends, measure) for ends in (growth.bounds, growth.intervals))
    chart = growth_chart(growth.sizes, bounds, intervals, measure) if several else None
    listed = "; ".join(
        f"{rows:,} rows: {measure.span(*ends)}"
        for rows, ends in zip(growth.sizes, growth.intervals.tolist(), strict=True)
    )
    description = f"Bands of the {measure.floor} by the rows used, with their interval. {listed}."
    return Drawing(chart, growth_sentence(request.floor, growth, measure), description)


def _shown(ends: Floats, measure: Measure) -> Floats:
    """Return pairs of errors, (s, 2), as they are shown, the smaller one first."""
    return np.sort(1 - ends if measure.rises else ends, axis=1)


def growth_sentence(floor: Floor, growth: Growth, measure: Measure = ERROR) -> str:
    """Say whether more rows would change the answer."""
    if len(growth.sizes) == 1:
        return (
            "There are too few rows, or too few of some class, to try the same with fewer: collect"
            " more, and the interval will tell."
        )
    before, after = (measure.span(*ends).replace(" to ", " and ") for ends in growth.bounds[-2:])
    moved = (
        f"From {growth.sizes[-2]:,} to {growth.sizes[-1]:,} rows the bounds moved from {before}"
        f" to {after}."
    )
    if not _is_drifting(growth, float(ndtri(0.5 + floor.confidence / 2))):
        return (
            f"{moved} That is within the sampling error: more rows would narrow the interval, but"
            " need not change the answer."
        )
    falls = bool(growth.mismatch[-1] < growth.mismatch[-2])
    way = "lower" if falls != measure.rises else "higher"
    return (
        f"{moved} That is more than the sampling error explains: with more rows expect a still"
        f" {way} answer."
    )


def _is_drifting(growth: Growth, z: float) -> bool:
    """Tell whether the last step is beyond the error of the whole and part of a drift.

    It is a drift if it is beyond the error of the half too, or if every step goes its way.
    """
    steps = np.diff(growth.mismatch)
    half, whole = growth.mismatch_se[-2:]
    one_way = len(steps) > 1 and bool((steps > 0).all() or (steps < 0).all())
    last = abs(float(steps[-1]))
    return last > z * whole and (last > z * half or one_way)


def growth_chart(
    sizes: Ints, bounds: Floats, intervals: Floats, measure: Measure = ERROR
) -> alt.LayerChart:
    """Draw bounds and interval, (s, 2), against the rows they were computed from, (s,)."""
    import altair as alt

    values = [
        {"rows": int(n), "lower": b[0], "upper": b[1], "low": i[0], "high": i[1]}
        for n, b, i in zip(sizes, bounds.tolist(), intervals.tolist(), strict=True)
    ]
    base = inline_chart(values)
    x = alt.X("rows:Q", title="Rows used").axis(values=sizes.tolist(), format=",d", grid=False)
    x = x.scale(type="log", nice=False, padding=24)
    title = f"{measure.floor[0].upper()}{measure.floor[1:]}"
    written = "~g" if measure.is_cost else "~%"
    low, high = (alt.Y(f"{end}:Q", title=title).axis(format=written) for end in ("low", "high"))
    lines = [
        base.mark_line(color=BLUE, point=alt.OverlayMarkDef(color=BLUE, size=50)).encode(
            x, alt.Y(f"{end}:Q", title=title)
        )
        for end in ("lower", "upper")
    ]
    return layered(
        base.mark_area(color=SKY, opacity=0.2).encode(x, low, alt.Y2("high")),
        base.mark_area(color=BLUE, opacity=0.3).encode(
            x, alt.Y("lower:Q", title=title), alt.Y2("upper")
        ),
        base.mark_rule(color=BLUE, strokeWidth=1).encode(x, low, alt.Y2("high")),
        base.mark_tick(color=BLUE, orient="horizontal", width=10).encode(x, high),
        *lines,
        height=GROWTH_HEIGHT,
    )


CHART = Chart(
    "growth",
    "Would more rows change it?",
    draw,
    rows=growth_rows,
    applies=lambda floor: floor.learning_curve is None and not floor.of_items,
    needs="columns, and no learned maps, whose learning curve says the same",
)
