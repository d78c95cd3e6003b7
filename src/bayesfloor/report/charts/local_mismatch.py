"""A histogram of the local mismatch: which rows the error comes from."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bayesfloor.base.arrays import Floats, Ints
from bayesfloor.base.formatting import as_percent, percent
from bayesfloor.floor import Floor
from bayesfloor.report.charts.chart import Chart, ChartRequest, Drawing
from bayesfloor.report.charts.style import BLUE, RED, inline_chart, layered
from bayesfloor.report.item_texts import item_local_sentence

if TYPE_CHECKING:
    import altair as alt

BINS = 20
"""Bars of the histogram between 0 and 1, each 5 % wide; one of them ends at one half."""
LOCAL_MISMATCH_HEIGHT = 200
"""Pixels of the plot."""
EASY = 0.05
"""On rows with a smaller local mismatch a new label is almost sure to be the same: 95 %."""
BLUR_FACTOR, BLUR_MARGIN = 1.5, 0.01
"""The local mismatch is blurred if its mean exceeds the estimate by this factor and margin.

A judgement: half as much again is more than a reader should overlook, and the margin keeps small
estimates, whose ratio is mostly noise, from being called so.
"""


def draw(request: ChartRequest) -> Drawing:
    """Draw the local mismatch of the rows that were searched."""
    floor = request.floor
    what = "items" if floor.of_items else "rows"
    counts, edges = np.histogram(floor.known_mismatch, bins=BINS, range=(0, 1))
    listed = "; ".join(
        f"{as_percent(round(float(a), 2))} to {as_percent(round(float(b), 2))}: {count:,}"
        for a, b, count in zip(edges, edges[1:], counts, strict=False)
        if count
    )
    return Drawing(
        local_mismatch_chart(counts, edges, what),
        local_mismatch_sentence(floor),
        f"Bars of how many {what} have which chance that a new label differs: {listed}.",
    )


def local_mismatch_sentence(floor: Floor) -> str:
    """Say how many rows lie among another class."""
    count = int(np.count_nonzero(floor.known_mismatch > 0.5))
    easy = float(np.mean(floor.known_mismatch < EASY))
    if floor.of_items:
        return item_local_sentence(floor, easy, as_percent(1 - EASY))
    text = f"On {percent(easy)} of the rows a new label would almost surely (95%) be the same."
    if count == 0:
        return f"{text} No row lies where other classes are likelier than its own."
    rows = "row lies" if count == 1 else "rows lie"
    among = f"{count:,} {rows} where other classes are likelier than the row's own."
    return f"{text} {among}{_blur_warning(floor)}"


def _blur_warning(floor: Floor) -> str:
    """Warn if the local mismatch is on average far above the estimate."""
    mean = float(floor.known_mismatch.mean())
    if floor.maps or floor.curve is None or mean < BLUR_FACTOR * floor.mismatch + BLUR_MARGIN:
        return ""
    near = min(floor.curve.rank[-1], round(floor.n**0.5))
    return (
        f" Every row is judged by its {near} nearest, a wider view than that of the estimate, and"
        f" labels change within it: the mean of {percent(mean)} here is too high, but the order of"
        " the rows still tells which to look at."
    )


def local_mismatch_chart(counts: Ints, edges: Floats, what: str = "rows") -> alt.LayerChart:
    """Draw a histogram; rows above one half are surrounded by other classes."""
    import altair as alt

    values = [
        {"from": float(a), "to": float(b), what: int(c), "colour": RED if a >= 0.5 else BLUE}
        for a, b, c in zip(edges, edges[1:], counts, strict=False)
    ]
    bars = inline_chart(values).mark_bar(binSpacing=2)
    x = alt.X("from:Q", bin="binned", title="Chance that a new label here differs")
    x = x.axis(format="~%", values=[0, 0.25, 0.5, 0.75, 1])
    y = alt.Y(f"{what}:Q", title=f"{what.capitalize()} (log scale)").scale(type="symlog")
    decades = range(len(str(int(counts.max()))))
    y = y.axis(values=[0, *(10**decade for decade in decades)], format=",d")
    return layered(
        bars.encode(x, alt.X2("to"), y, alt.Color("colour:N").scale(None), tooltip=[f"{what}:Q"]),
        height=LOCAL_MISMATCH_HEIGHT,
    )


CHART = Chart("local", "Where the mistakes come from", draw)
