"""Numbers in, Altair charts out. Field names are fixed: the user's words are only ever values."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from bayesfloor.base.arrays import Floats, Ints
from bayesfloor.curve.rank_curve import RankCurve

if TYPE_CHECKING:
    import altair as alt

Rows = list[dict[str, Any]]
BLUE, SKY, ORANGE = "#0072B2", "#56B4E9", "#E69F00"  # Okabe & Ito: safe for the colour-blind
RED, GREEN, GREY = "#D55E00", "#009E73", "#8A8F98"
FONT = "Helvetica Neue, Arial, Liberation Sans, sans-serif"
TICKS = (0, 0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1)
PHONE = 500
"""Charts narrower than this have their legend in one column."""
LEGEND_GAP = 50
"""Between two columns of a legend: a reader's letters may be wider than those it is laid out by."""
PLENTY = 6
"""Classes beyond which the cells of the heat map are small."""
BINS = 20
"""Bars of the histogram between 0 and 1."""


def interval_chart(
    bounds: tuple[float, float],
    interval: tuple[float, float],
    *,
    estimate: float,
    majority: float,
    model_error: float | None = None,
    target_error: float | None = None,
) -> alt.LayerChart:
    """Bounds and interval of the Bayes error, with the errors that it is to be compared with."""
    import altair as alt

    marks: list[tuple[str, float | None, str]] = [
        ("Your model", model_error, RED),
        ("Your target", target_error, GREEN),
        ("Majority class", majority, GREY),
    ]
    others: Rows = [{"what": w, "at": e, "colour": c} for w, e, c in marks if e is not None]
    floor = [{"what": "Bayes error", "low": interval[0], "high": interval[1]}]
    inner = [{"what": "Bayes error", "low": bounds[0], "high": bounds[1], "at": estimate}]
    order = ["Bayes error", *(row["what"] for row in others)]
    most = 1.4 * max([interval[1], majority, *(row["at"] for row in others)])
    far = [row for row in others if row["at"] > most / 2]  # no room on their right on a phone
    near = [row for row in others if row not in far]
    x = alt.X("low:Q", title="Error on new rows (square-root scale)")
    x = x.scale(type="sqrt", domain=[0, most])
    x = x.axis(format="~%", values=[t for t in TICKS if t <= most], labelFlush=False)
    y = alt.Y("what:N", sort=order, title=None).axis(
        labelLimit=140, labelPadding=8, ticks=False, domain=False, minExtent=100
    )
    span = _on(floor).encode(x, alt.X2("high"))
    where = alt.X("at:Q"), y, alt.Color("colour:N").scale(None)

    def named(rows: Rows) -> alt.Chart:
        return _on(rows).encode(*where, alt.Text("at:Q", format=".1~%"))

    return _layered(
        span.mark_rect(color=SKY, opacity=0.18),
        span.mark_rule(color=BLUE, strokeWidth=2).encode(y),
        _on(inner)
        .mark_bar(color=BLUE, stroke=BLUE, strokeWidth=4, strokeJoin="round", height=16)
        .encode(x, alt.X2("high"), y),
        _on(inner)
        .mark_point(color=BLUE, fill="white", filled=True, size=50, strokeWidth=2, opacity=1)
        .encode(alt.X("at:Q"), y),
        _on(others).encode(*where).mark_point(size=110, filled=True, shape="diamond", opacity=1),
        named(near).mark_text(align="left", dx=10, fontSize=12),
        named(far).mark_text(align="right", dx=-10, fontSize=12),
        height=42 * len(order),
    )


def curve_chart(
    curve: RankCurve,
    fitted: tuple[Floats, Floats] | None,
    mismatch: float,
    interval: tuple[float, float],
    *,
    by_rank: bool = False,
) -> alt.LayerChart:
    """Mismatch against the distance of the neighbours, with what is read off at distance zero.

    By rank where distances say nothing, as among learned probabilities.
    """
    import altair as alt

    plain, freed = "neighbours with another label", "the same, smooth trend removed"
    fit, limit = "fit", "estimate" if by_rank else "estimate at distance zero"
    shown = [(plain, curve.mismatch)] + ([(freed, curve.adjusted)] if fitted else [])
    radius = curve.rank if by_rank else curve.radius_power(1)
    title = (
        "Rank k of the neighbour" if by_rank else "Typical distance to the k-th nearest neighbour"
    )
    dots = [
        {"what": name, "rank": int(k), "radius": float(r), "share": float(v)}
        for name, values in shown
        for k, r, v in zip(curve.rank, radius, values, strict=True)
    ]
    line = _pairs(*fitted, what=fit) if fitted else []
    point = [{"what": limit, "radius": 0.0, "share": mismatch, "a": interval[0], "b": interval[1]}]
    names = [plain, freed, fit, limit] if fitted else [plain, limit]
    colours = [ORANGE, SKY, BLUE, RED] if fitted else [ORANGE, RED]
    colour = alt.Color("what:N", title=None).scale(domain=names, range=colours)
    colour = colour.legend(orient="top", symbolOpacity=1, labelLimit=300)
    x = alt.X("radius:Q", title=title)
    x = x.axis(tickCount=6)
    y = alt.Y("share:Q", title="Chance that two labels differ").axis(format="~%")
    y = y.scale(zero=False)
    estimate = _on(point).encode(x, y, colour)
    layers = [
        _on(dots)
        .mark_circle(size=26, opacity=0.75)
        .encode(x, y, colour, tooltip=["rank:Q", "radius:Q", "share:Q"]),
        _on(line).mark_line(strokeWidth=2.5).encode(x, y, colour),
        estimate.mark_rule(strokeWidth=2.5).encode(alt.Y("a:Q"), alt.Y2("b")),
        estimate.mark_point(size=90, filled=True, shape="diamond", opacity=1),
    ]
    return _layered(*(layers if fitted else [layers[0], *layers[2:]]), height=300)


def growth_chart(sizes: Ints, bounds: Floats, intervals: Floats) -> alt.LayerChart:
    """Bounds and interval against the number of rows they were computed from, (s,) and (s, 2)."""
    import altair as alt

    values = [
        {"rows": int(n), "lower": b[0], "upper": b[1], "low": i[0], "high": i[1]}
        for n, b, i in zip(sizes, bounds.tolist(), intervals.tolist(), strict=True)
    ]
    base = _on(values)
    x = alt.X("rows:Q", title="Rows used").axis(values=sizes.tolist(), format=",d", grid=False)
    x = x.scale(type="log", nice=False, padding=24)
    title = "Bayes error"
    low, high = (alt.Y(f"{end}:Q", title=title).axis(format="~%") for end in ("low", "high"))
    lines = [
        base.mark_line(color=BLUE, point=alt.OverlayMarkDef(color=BLUE, size=50)).encode(
            x, alt.Y(f"{end}:Q", title=title)
        )
        for end in ("lower", "upper")
    ]
    return _layered(
        base.mark_area(color=SKY, opacity=0.2).encode(x, low, alt.Y2("high")),
        base.mark_area(color=BLUE, opacity=0.3).encode(
            x, alt.Y("lower:Q", title=title), alt.Y2("upper")
        ),
        base.mark_rule(color=BLUE, strokeWidth=1).encode(x, low, alt.Y2("high")),
        base.mark_tick(color=BLUE, orient="horizontal", width=10).encode(x, high),
        *lines,
        height=260,
    )


def confusion_chart(names: Sequence[str], divergence: Floats) -> alt.LayerChart:
    """Heat map of the divergence between any two classes, (m, m); dark pairs are hard to tell."""
    import altair as alt

    pairs = [(i, j) for i in range(len(names)) for j in range(len(names)) if i != j]
    shares = [_share(divergence[pair]) for pair in pairs]
    values: Rows = [
        {"a": names[i], "b": names[j], "apart": share, "text": _two_digits(share, len(names))}
        for (i, j), share in zip(pairs, shares, strict=True)
    ]
    angle = -45 if len(names) * max(map(len, names)) > 36 else 0
    base = _on(values).encode(
        alt.X("b:N", sort=list(names), title=None).axis(labelAngle=angle, labelLimit=110),
        alt.Y("a:N", sort=list(names), title=None).axis(labelLimit=110),
    )
    lowest = min(shares)
    scale = alt.Scale(scheme="blues", reverse=True, domain=[min(lowest, 0.9), 1])
    legend = alt.Legend(orient="top", title="Divergence: 0 the same, 1 apart", gradientLength=160)
    colour = alt.Color("apart:Q").scale(scale).legend(legend)
    dark = alt.datum.apart < (min(lowest, 0.9) + 1) / 2
    cells = base.mark_rect().encode(colour, tooltip=["a:N", "b:N", "apart:Q"])
    texts = base.mark_text(fontSize=9 if len(names) > PLENTY else 12).encode(
        alt.Text("text:N"),
        color=alt.condition(dark, alt.value("white"), alt.value("#1b1f24")),
    )
    return _layered(cells, texts, height=max(160, 34 * len(names)))


def local_chart(local_mismatch: Floats) -> alt.LayerChart:
    """Histogram of the local mismatch; rows above one half are surrounded by other classes."""
    import altair as alt

    counts, edges = np.histogram(local_mismatch, bins=BINS, range=(0, 1))
    values = [
        {"from": float(a), "to": float(b), "rows": int(c), "colour": RED if a >= 0.5 else BLUE}
        for a, b, c in zip(edges, edges[1:], counts, strict=False)
    ]
    bars = _on(values).mark_bar(binSpacing=2)
    x = alt.X("from:Q", bin="binned", title="Chance that a new label here differs")
    x = x.axis(format="~%", values=[0, 0.25, 0.5, 0.75, 1])
    y = alt.Y("rows:Q", title="Rows (log scale)").scale(type="symlog")
    most = int(counts.max())
    y = y.axis(values=[0, *(10**e for e in range(len(str(most))))], format=",d")
    return _layered(
        bars.encode(x, alt.X2("to"), y, alt.Color("colour:N").scale(None), tooltip=["rows:Q"]),
        height=200,
    )


def styled(chart: alt.LayerChart | alt.VConcatChart, width: int | None = None) -> Any:
    """Give a chart its fonts and, if it is a single one, its width in all."""
    import altair as alt

    columns = 1 if width is not None and width < PHONE else 2
    if width is not None:
        whole = alt.AutoSizeParams(type="fit-x", contains="padding")
        chart = chart.properties(width=width, autosize=whole)
    return (
        chart.configure(font=FONT, background="transparent", padding=4)
        .configure_view(stroke=None)
        .configure_axis(
            labelFontSize=12, titleFontSize=12, titleFontWeight="normal", titlePadding=8
        )
        .configure_legend(
            labelFontSize=12,
            titleFontSize=12,
            titleFontWeight="normal",
            columns=columns,
            columnPadding=LEGEND_GAP,
        )
    )


def as_svg(chart: alt.LayerChart, width: int) -> str:
    """Draw a chart as wide as asked; the same chart gives the same text but for its ids."""
    drawn = io.StringIO()
    styled(chart, width).save(drawn, format="svg")
    return drawn.getvalue()


def _on(values: Rows) -> alt.Chart:
    import altair as alt

    return alt.Chart(alt.InlineData(values=values))


def _layered(*layers: Any, height: int) -> alt.LayerChart:
    import altair as alt

    return alt.LayerChart(layer=layers).properties(height=height)


def _pairs(radius: Floats, share: Floats, *, what: str) -> Rows:
    return [
        {"what": what, "radius": float(r), "share": float(v)}
        for r, v in zip(radius, share, strict=True)
    ]


def _two_digits(share: float, many: int) -> str:
    """Write a share so that it fits its cell among many: 1 and .97 for 1.00 and 0.97."""
    text = f"{share:.2f}"
    return text if many <= PLENTY else "1" if share >= 0.995 else text.removeprefix("0")


def _share(value: float) -> float:
    return float(np.clip(value, 0, 1))
