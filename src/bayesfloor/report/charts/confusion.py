"""What each pair of classes contributes to the error, as bars."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bayesfloor.base.formatting import counted, percent
from bayesfloor.base.measures import ACCURACY, ERROR, Measure
from bayesfloor.floor import Floor
from bayesfloor.floor.confusion import Confusion, make_confusion
from bayesfloor.report.charts.chart import Chart, ChartRequest, Drawing
from bayesfloor.report.charts.style import (
    FONT_SIZE,
    GREY,
    RED,
    WIDEST_FONT,
    inline_chart,
    layered,
)
from bayesfloor.report.item_texts import item_confusion, new_labels
from bayesfloor.report.names import class_names

if TYPE_CHECKING:
    import altair as alt

MOST_PAIRS = 10
"""Pairs with a bar of their own: as many as a reader takes in."""
BAR_STEP, BAR_HEIGHT = 40, 12
"""Pixels from one bar to the next, with its name above it, and of the bar itself."""
NAME_LETTERS = 20
"""Letters of a class name above a bar: two of them fit a phone."""
AXIS_REACH = 1.22
"""The axis ends at this multiple of the longest bar: room for its number on a phone, by eye."""
NAME_ABOVE = -15
"""Pixels from the middle of a bar to that of its name."""


def draw(request: ChartRequest) -> Drawing:
    """Draw the pairs that contribute most, and say which they are."""
    floor = request.floor
    found = make_confusion(floor)
    bars = confusion_bars(class_names(floor, letters=NAME_LETTERS), found)
    counted_are = new_labels(floor, "all")
    chart = confusion_chart(bars, of=counted_are) if bars else None
    listed = "; ".join(f"{what}: {percent(share)} of {counted_are}" for what, share in bars)
    measure = ACCURACY if request.answer.measure.rises else ERROR
    sentence = confusion_sentence(floor, found, measure)
    return Drawing(chart, sentence, f"Bars, longest first. {listed}.")


def confusion_sentence(floor: Floor, found: Confusion, measure: Measure = ERROR) -> str:
    """Name the pair that contributes most, and the class that is missed most often."""
    if not len(found.shares):
        if floor.of_items:
            return "On no item does another class have any share."
        return "On rows that it was not learned from, the rule takes no class for another."
    names, worst = class_names(floor), found.missed(floor.priors)
    first, second = names[found.labels[0]], names[found.taken_for[0]]
    missed, most = int(worst.argmax()), f"{found.shares[0] / found.error:.0%}"
    if floor.of_items:
        error, share = measure.percent(found.error), percent(worst[missed])
        return item_confusion(
            floor, f"{measure.verb} {error}", (first, second, most), (names[missed], share)
        )
    rule = "The rule" if floor.decision is None else "A rule that answers the likeliest class"
    text = (
        f"{rule} {measure.verb} {measure.percent(found.error)} of the rows that it was not learned"
        f" from. Rows labelled {first} and taken for {second} make {most} of its mistakes, more"
        " than any other pair."
    )
    return (
        f"{text} The class missed most often is {names[missed]}: {percent(worst[missed])} of its"
        " rows are taken for another."
    )


def confusion_bars(names: list[str], found: Confusion) -> list[tuple[str, float]]:
    """Return what to write above each bar, with its share of all rows; the rest is the last."""
    bars = [
        (f"{names[a]} taken for {names[b]}", float(share))
        for a, b, share in zip(found.labels, found.taken_for, found.shares, strict=True)
    ][:MOST_PAIRS]
    rest = len(found.shares) - len(bars)
    if rest > 0:
        left = float(found.shares[len(bars) :].sum())
        bars.append((counted(rest, "other pair"), left))
    return bars


def confusion_chart(bars: list[tuple[str, float]], *, of: str = "all rows") -> alt.LayerChart:
    """Draw a bar for each pair, its name above it and its share of all rows beside it."""
    import altair as alt

    values = [
        {"rank": i, "text": what, "share": share, "colour": RED if i < MOST_PAIRS else GREY}
        for i, (what, share) in enumerate(bars)
    ]
    end = AXIS_REACH * max(share for _, share in bars)
    x = alt.X("share:Q", title=f"Share of {of}").scale(domain=[0, end], nice=False)
    x = x.axis(format="~%", tickCount=4)
    y = alt.Y("rank:O", title=None).axis(None)
    base = inline_chart(values).encode(x, y)
    text: dict[str, Any] = {"align": "left", "fontSize": FONT_SIZE}
    whole = alt.ExprRef(f"width / {WIDEST_FONT}")
    return layered(
        base.mark_bar(height=BAR_HEIGHT).encode(alt.Color("colour:N").scale(None)),
        base.mark_text(dy=NAME_ABOVE, limit=whole, **text).encode(
            alt.Text("text:N"), x=alt.value(0)
        ),
        base.mark_text(dx=5, **text).encode(alt.Text("share:Q", format=".2~%")),
        height=BAR_STEP * len(bars),
    )


CHART = Chart("confusion", "Which classes are confused", draw)
