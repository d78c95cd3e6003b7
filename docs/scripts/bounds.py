"""Draw docs/images/bounds.svg: the two bounds as functions of the mismatch, and one interval."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import altair as alt
import numpy as np

from bayesfloor.bounds.henze_penrose import bayes_error_bounds
from bayesfloor.report.charts.style import BLUE, RED, SKY, styled, svg_text

PRIORS = np.array([0.5, 0.5])
MISMATCH, HALF_WIDTH = 0.18, 0.04


def drawing() -> str:
    """Return the drawing."""
    grid = np.linspace(0, 0.5, 101)
    lens = [_row(r, *bayes_error_bounds(r, PRIORS)) for r in grid]
    low, high = (bayes_error_bounds(MISMATCH + s * HALF_WIDTH, PRIORS) for s in (-1, 1))
    at = bayes_error_bounds(MISMATCH, PRIORS)
    x = alt.X("r:Q", title="Mismatch: chance that two labels at the same place differ")
    x = x.axis(format="%", tickCount=6).scale(domain=[0, 0.5])
    y = alt.Y("low:Q", title="Bayes error").axis(format="%", tickCount=6)
    area = alt.Chart(alt.InlineData(values=lens)).mark_area(color=SKY, opacity=0.25)
    line = alt.Chart(alt.InlineData(values=lens)).mark_line(color=BLUE)
    bar = alt.Chart(alt.InlineData(values=[_row(MISMATCH, *at)]))
    whisker = alt.Chart(alt.InlineData(values=[_row(MISMATCH, low[0], high[1])]))
    words: list[tuple[float, float, str, Any]] = [
        (0.385, 0.42, "upper bound: the best classifier is sure to reach it", "right"),
        (0.3, 0.1, "lower bound: limits every classifier", "left"),
        (0.17, 0.27, "thin: its confidence interval", "right"),
        (0.17, 0.23, "thick: the bounds of one estimate", "right"),
    ]
    texts = [
        alt.Chart(alt.InlineData(values=[{"r": a, "low": b, "what": what}]))
        .mark_text(align=side, fontSize=12, color="#59616b")
        .encode(x, y, alt.Text("what:N"))
        for a, b, what, side in words
    ]
    layers = [
        area.encode(x, y, alt.Y2("high")),
        line.encode(x, y),
        line.encode(x, alt.Y("high:Q")),
        whisker.mark_rule(color=RED, strokeWidth=2).encode(x, y, alt.Y2("high")),
        bar.mark_rule(color=RED, strokeWidth=9).encode(x, y, alt.Y2("high")),
        *texts,
    ]
    chart = alt.LayerChart(layer=layers).properties(height=340)
    return svg_text(styled(chart, 720, background="white"))


def _row(mismatch: float, low: float, high: float) -> dict[str, float]:
    return {"r": float(mismatch), "low": float(low), "high": float(high)}


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(drawing(), encoding="utf-8")
