"""The ROC curve that is reached on held-out rows, and the one that nobody passes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bayesfloor.base.formatting import as_percent, percent
from bayesfloor.floor import Floor
from bayesfloor.floor.ceilings import ClassCeiling
from bayesfloor.report.charts.chart import Chart, ChartRequest, Drawing
from bayesfloor.report.charts.style import BLUE, GREY, ORANGE, inline_chart, layered
from bayesfloor.report.names import class_names

if TYPE_CHECKING:
    import altair as alt

MOST_DRAWN_CLASSES = 10
"""Classes of which one is drawn: with more, telling one from all others says little of the rest."""
ROC_HEIGHT = 320
"""Pixels of the plot: about as high as wide on a phone."""
REACHED, NOT_EXCEEDED, GUESSING = "reached here", "nobody gets above", "guessing"
"""What the lines are called."""


def draw(request: ChartRequest) -> Drawing:
    """Draw both curves of the class that is hardest to tell from the others."""
    floor = request.floor
    hardest = min(floor.ceilings.classes, key=lambda one: (one.auc.lower, floor.priors[one.code]))
    points = ", ".join(
        f"{as_percent(round(float(hardest.false_positive_rates[i]), 3))} false alarms:"
        f" {as_percent(round(float(hardest.reached[i]), 3))} and"
        f" {as_percent(round(float(hardest.not_exceeded[i]), 3))} found"
        for i in range(15, len(hardest.reached), 8)
    )
    description = f"Two ROC curves, reached and not exceeded. {points}."
    return Drawing(roc_chart(hardest), roc_sentence(floor, hardest), description)


def roc_sentence(floor: Floor, ceiling: ClassCeiling) -> str:
    """Say which AUC is possible, and what more the class could have at the same false alarms."""
    name, (low, high) = class_names(floor)[ceiling.code], ceiling.auc.interval
    which = f"{name} against the rest" if len(floor.classes) > 2 else name
    sure = as_percent(floor.confidence)
    most = f"at most {high:.3f}" if high < 1 else "up to 1: nothing here rules that out"
    ceilings = percent(ceiling.recall.ceiling)
    more = (
        f"with no more false alarms nobody finds more than {ceilings}."
        if ceilings != percent(1)
        else "that another rule finds all of them without more false alarms cannot be ruled out."
    )
    return (
        f"The best possible AUC for {which} is at least {low:.3f} and {most}, with {sure}"
        f" confidence; the probabilities learned here have {ceiling.auc.lower:.3f}. A rule that"
        f" answers the likeliest class finds {percent(ceiling.recall.value)} of {name}; {more}"
    )


def roc_chart(ceiling: ClassCeiling) -> alt.LayerChart:
    """Draw the share of a class that is found against the false alarms among all others."""
    import altair as alt

    curves = {REACHED: ceiling.reached, NOT_EXCEEDED: ceiling.not_exceeded}
    values: list[dict[str, Any]] = [
        {"rate": float(rate), "found": float(found), "line": name}
        for name, curve in curves.items()
        for rate, found in zip(ceiling.false_positive_rates, curve, strict=True)
    ]
    values += [{"rate": end, "found": end, "line": GUESSING} for end in (0.0, 1.0)]
    names = [*curves, GUESSING]
    x = alt.X("rate:Q", title="False alarms, share of all other rows").axis(format="~%")
    y = alt.Y("found:Q", title="Found, share of the class").axis(format="~%")
    colour = alt.Color("line:N", title=None, sort=names).scale(
        domain=names, range=[BLUE, ORANGE, GREY]
    )
    dashes = alt.StrokeDash("line:N", title=None, sort=names).scale(
        domain=names, range=[[1, 0], [6, 3], [2, 3]]
    )
    legend = alt.Legend(orient="top")
    lines = inline_chart(values).mark_line(strokeWidth=2)
    return layered(
        lines.encode(x, y, colour.legend(legend), dashes.legend(legend)), height=ROC_HEIGHT
    )


CHART = Chart(
    "roc",
    "Which ROC curve is possible?",
    draw,
    applies=lambda floor: (
        floor.how.sharpens
        and not floor.of_items
        and floor.groups is None
        and len(floor.classes) <= MOST_DRAWN_CLASSES
    ),
    needs="independent rows with columns, the method 'wnn' and ten classes at most",
)
