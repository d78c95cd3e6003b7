"""How often neighbours differ in their label, and the estimate that is read off this curve."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayesfloor.base.arrays import Floats
from bayesfloor.base.formatting import percent
from bayesfloor.base.grounds import NEIGHBOURS
from bayesfloor.curve.rank_curve import RankCurve
from bayesfloor.estimators.methods import METHODS
from bayesfloor.floor import Floor
from bayesfloor.report.charts.chart import Chart, ChartRequest, Drawing
from bayesfloor.report.charts.style import BLUE, ORANGE, RED, SKY, inline_chart, layered
from bayesfloor.report.names import representation_name

if TYPE_CHECKING:
    import altair as alt

Fit = tuple[Floats, Floats]
"""Radii and the fitted mismatch there, (g,) each."""

RANK_CURVE_HEIGHT = 300
"""Pixels of the plot."""
DESCRIBED_RANKS = 6
"""Ranks, about, whose numbers a screen reader reads out: more would tire."""


def draw(request: ChartRequest) -> Drawing:
    """Draw the curve of the neighbours, with the fit where the method has one."""
    floor = request.floor
    assert floor.curve is not None
    mapped = not floor.in_columns
    fitted_curve = None if mapped else METHODS[floor.method].fitted_curve
    fit = fitted_curve and fitted_curve(floor.curve, floor.n, len(floor.classes))
    chart = rank_curve_chart(
        floor.curve, fit, floor.mismatch, floor.mismatch_interval, by_rank=mapped
    )
    ranks = zip(floor.curve.rank, floor.curve.mismatch, strict=True)
    some = list(ranks)[:: max(len(floor.curve.rank) // DESCRIBED_RANKS, 1)]
    listed = "; ".join(f"rank {k}: {percent(float(v))}" for k, v in some)
    low, high = map(percent, floor.mismatch_interval)
    description = (
        f"Dots of how often neighbours have another label, by rank: {listed}. The mark at zero is"
        f" the estimate with its interval, {low} to {high}."
    )
    return Drawing(chart, rank_curve_sentence(floor, floor.curve, fit), description)


def rests_on_near_rows(floor: Floor) -> bool:
    """Tell whether the answer was read off near rows, not off learned maps or equal rows."""
    among_maps = bool(floor.maps) and not floor.in_columns
    return floor.curve is not None and floor.lower_rests_on == NEIGHBOURS.name and not among_maps


def rank_curve_sentence(floor: Floor, curve: RankCurve, fit: Fit | None) -> str:
    """Say what the neighbours show, and how much of the estimate is extrapolated."""
    chance = percent(min(max(floor.mismatch, 0.0), 1.0))
    radius = curve.radius_power(1)
    if radius[-1] == 0:
        return f"All neighbours are at distance zero; their labels differ with chance {chance}."
    near = (
        f"Nearest neighbours differ in label on {percent(curve.mismatch[0])} of the rows,"
        f" neighbours of rank {curve.rank[-1]} on {percent(curve.mismatch[-1])}."
    )
    if not floor.in_columns:
        near = f"Neighbours are rows alike in {representation_name(floor)}. {near}"
    if not floor.in_columns and METHODS[floor.method].fitted_curve:
        return (
            f"{near} With the smooth trend of the labels removed, {chance} remains at the closest"
            " ranks."
        )
    if fit is None:
        how = METHODS[floor.method].explanation
        return f"{near} Method {floor.method} finds {chance}, by {how}."
    reach = percent(radius[0] / radius[-1])
    return (
        f"{near} The fit is extrapolated to distance zero, where two labels still differ with"
        f" chance {chance}: the lower end comes from this number. The nearest neighbours are"
        f" {reach} as far away as the farthest ones used: closer than that there is only the fit."
    )


def rank_curve_chart(
    curve: RankCurve,
    fit: Fit | None,
    mismatch: float,
    interval: tuple[float, float],
    *,
    by_rank: bool = False,
) -> alt.LayerChart:
    """Draw the mismatch against the distance of the neighbours, and the estimate at zero.

    It is drawn against the rank where distances say nothing, as among learned probabilities.
    """
    import altair as alt

    plain, adjusted, fitted = (
        "neighbours with another label",
        "the same, smooth trend removed",
        "fit",
    )
    limit = "estimate" if by_rank else "estimate at distance zero"
    shown = [(plain, curve.mismatch)] + ([(adjusted, curve.adjusted)] if fit else [])
    radius = curve.rank if by_rank else curve.radius_power(1)
    title = (
        "Rank k of the neighbour" if by_rank else "Typical distance to the k-th nearest neighbour"
    )
    dots = [
        {"what": name, "rank": int(k), "radius": float(r), "share": float(v)}
        for name, values in shown
        for k, r, v in zip(curve.rank, radius, values, strict=True)
    ]
    line = [
        {"what": fitted, "radius": float(r), "share": float(v)}
        for r, v in (zip(*fit, strict=True) if fit else ())
    ]
    point = [{"what": limit, "radius": 0.0, "share": mismatch, "a": interval[0], "b": interval[1]}]
    names = [plain, adjusted, fitted, limit] if fit else [plain, limit]
    colours = [ORANGE, SKY, BLUE, RED] if fit else [ORANGE, RED]
    colour = alt.Color("what:N", title=None).scale(domain=names, range=colours)
    colour = colour.legend(orient="top", symbolOpacity=1, symbolStrokeWidth=2, labelLimit=300)
    shapes = ["circle", "triangle-up", "stroke", "diamond"] if fit else ["circle", "diamond"]
    shape = alt.Shape("what:N", title=None).scale(domain=names, range=shapes)
    x = alt.X("radius:Q", title=title).axis(tickCount=6)
    y = alt.Y("share:Q", title="Chance that two labels differ").axis(format="~%")
    y = y.scale(zero=False)
    estimate = inline_chart(point).encode(x, y, colour)
    layers = [
        inline_chart(dots)
        .mark_point(filled=True, size=28, opacity=0.8)
        .encode(x, y, colour, shape, tooltip=["rank:Q", "radius:Q", "share:Q"]),
        *([inline_chart(line).mark_line(strokeWidth=2.5).encode(x, y, colour)] if fit else []),
        estimate.mark_rule(strokeWidth=2.5).encode(alt.Y("a:Q"), alt.Y2("b")),
        estimate.mark_point(size=90, filled=True, opacity=1).encode(shape),
    ]
    return layered(*layers, height=RANK_CURVE_HEIGHT)


CHART = Chart(
    "curve",
    "What the neighbours show",
    draw,
    applies=rests_on_near_rows,
    needs="an answer that rests on near rows, and here it rests on learned maps or equal rows",
)
