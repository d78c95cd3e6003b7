"""How often the likeliest class is right, against how often the maps say it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bayesfloor.base.formatting import percent
from bayesfloor.bounds.calibration import Calibration, calibrate
from bayesfloor.estimators.methods import METHODS
from bayesfloor.floor import Floor
from bayesfloor.floor.limits import held_out_errors
from bayesfloor.report.charts.chart import Chart, ChartRequest, Drawing
from bayesfloor.report.charts.style import BLUE, GREY, inline_chart, layered
from bayesfloor.report.model_facts import misjudged

if TYPE_CHECKING:
    import altair as alt

CALIBRATION_HEIGHT = 300
"""Pixels of the plot."""


def make_calibration(floor: Floor) -> Calibration:
    """Group the rows by the probability of their likeliest class, and count how often it holds."""
    searched = ~np.isnan(floor.local_mismatch)
    posterior = floor.posterior[searched]
    right = 1 - held_out_errors(posterior, floor.labels[searched])
    return calibrate(posterior.max(axis=1), right)


def draw(request: ChartRequest) -> Drawing:
    """Draw how often the likeliest class is right against its stated chance."""
    found = make_calibration(request.floor)
    listed = "; ".join(
        f"stated {percent(s)}, right {percent(r)}"
        for s, r in zip(found.stated, found.right, strict=True)
    )
    return Drawing(
        calibration_chart(found),
        calibration_sentence(found),
        f"Dots with intervals beside a diagonal, by group of rows: {listed}.",
    )


def calibration_sentence(found: Calibration) -> str:
    """Say whether the maps are as often right as they say."""
    claimed, right = found.claimed, found.reached
    text = (
        f"On rows that they have not seen, the maps say that their likeliest class is right on"
        f" {percent(claimed)}, and it is on {percent(right)}. In {found.within} of"
        f" {len(found.stated)} groups of rows what they say is within the margin of error"
    )
    if found.is_honest:
        return f"{text}: their probabilities can be taken at their word."
    off = misjudged(found).replace("itself", "themselves")
    return (
        f"{text}: they are {off}. The upper end counts errors, so it holds all the same; the lower"
        " end allows for better probabilities than these."
    )


def calibration_chart(found: Calibration, who: str = "the maps say") -> alt.LayerChart:
    """Draw groups as dots with intervals; on the diagonal a stated chance is true."""
    import altair as alt

    values = [
        {"from": float(s), "share": float(r), "low": float(low), "high": float(high)}
        for s, r, low, high in zip(found.stated, found.right, found.low, found.high, strict=True)
    ]
    start = min(float(found.low.min()), float(found.stated.min()))
    scale = alt.Scale(domain=[start, 1], nice=False, zero=False, padding=8)
    x = alt.X("from:Q", title=f"Chance of the likeliest class, as {who}").scale(scale)
    y = alt.Y("share:Q", title="How often it is right").scale(scale)
    x, y = x.axis(format="~%", tickCount=6), y.axis(format="~%", tickCount=6)
    line = inline_chart([{"from": start, "share": start}, {"from": 1.0, "share": 1.0}])
    dots = inline_chart(values)
    return layered(
        line.mark_line(color=GREY, strokeDash=[5, 4], strokeWidth=1.5).encode(x, y),
        dots.mark_rule(color=BLUE, strokeWidth=1.5).encode(x, alt.Y("low:Q"), alt.Y2("high")),
        dots.mark_point(color=BLUE, filled=True, size=60, opacity=1).encode(x, y),
        height=CALIBRATION_HEIGHT,
    )


CHART = Chart(
    "calibration",
    "Are the maps as good as they say?",
    draw,
    applies=lambda floor: bool(floor.maps) and METHODS[floor.method].sharpens,
    needs="learned maps, and here neighbours were compared alone",
)
