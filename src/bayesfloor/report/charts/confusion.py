"""A heat map of the divergence between any two classes: dark pairs are hard to tell apart."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, permutations
from typing import TYPE_CHECKING

import numpy as np

from bayesfloor.base.arrays import Floats
from bayesfloor.base.formatting import counted
from bayesfloor.floor.confusion import confusion_rows, make_confusion
from bayesfloor.report.charts.chart import Chart, ChartRequest, Drawing
from bayesfloor.report.charts.style import inline_chart, layered
from bayesfloor.report.names import class_names

if TYPE_CHECKING:
    import altair as alt

NEVER_CONFUSED = 0.99
"""Two classes with this divergence or more are hardly ever confused.

At a mismatch of 1 % of that of independent labels, the Bayes error of two equally common classes
is 0.5 % at most.
"""
PRINTS_AS_ZERO = 0.005
"""A smaller divergence is written as 0.00."""
LIGHTEST_START = 0.9
"""The colour scale goes from here to 1, or from the smallest divergence if that is smaller.

Chosen by eye: pairs that all are far apart should not look different.
"""
FEW_CLASSES = 6
"""Up to so many classes a cell has room for 0.97 in large digits, on a phone too (by eye)."""
LARGE_DIGITS, SMALL_DIGITS = 12, 9
"""Font sizes in the cells of few classes and of more, in pixels."""
CELL_HEIGHT, LEAST_HEIGHT = 34, 160
"""Pixels of a row of cells, and of the whole map at least."""
LEVEL_LABELS = 36
"""Letters of all class names, each as long as the longest, that fit below the map on a phone."""
INK = "#1b1f24"
"""Colour of digits on light cells; on dark ones they are white."""


def draw(request: ChartRequest) -> Drawing:
    """Draw the classes that are confused most, and name the hardest pair."""
    found = make_confusion(request.floor, request.advance)
    names = [class_names(request.floor)[c] for c in found.members]
    sentence = confusion_sentence(
        names,
        found.divergence,
        classes=len(request.floor.classes),
        most_rows=found.most_rows,
    )
    return Drawing(confusion_chart(names, found.divergence), sentence)


def confusion_sentence(
    names: Sequence[str], divergence: Floats, *, classes: int, most_rows: int | None = None
) -> str:
    """Name the classes that are hardest to tell apart, and what was left out.

    Parameters
    ----------
    names : sequence of str
        The classes that were compared.
    divergence : (c, c) array
        Between any two of them.
    classes : int
        How many there are in all.
    most_rows : int, optional
        Rows of a class that were compared, where there were more.
    """
    pairs = sorted((divergence[i, j], i, j) for i, j in combinations(range(len(names)), 2))
    text = _hardest_pair(names, pairs)
    if classes > len(names):
        text += f" Shown are the {len(names)} of {classes} classes with most confusion."
    return text + (f" At most {most_rows:,} rows of a class were compared." if most_rows else "")


def _hardest_pair(names: Sequence[str], pairs: list[tuple[float, int, int]]) -> str:
    """Name the first pair, smallest divergence first, unless all are alike or others tie."""
    value, i, j = pairs[0]
    if value >= NEVER_CONFUSED:
        return (
            f"Every two of these classes have a divergence of {NEVER_CONFUSED} or more: none are"
            " confused."
        )
    if pairs[-1][0] < PRINTS_AS_ZERO:
        return (
            "No two of these classes can be told apart: every divergence is about 0 (0: the same;"
            " 1: never confused)."
        )
    ties = sum(f"{max(other, 0):.2f}" == f"{max(value, 0):.2f}" for other, _, _ in pairs) - 1
    also = f" (and {counted(ties, 'other pair')})" if ties else ""
    return (
        f"Hardest to tell apart are {names[i]} and {names[j]}{also}, with divergence"
        f" {max(value, 0):.2f} (0: the same; 1: never confused)."
    )


def confusion_chart(names: Sequence[str], divergence: Floats) -> alt.LayerChart:
    """Draw the divergence between any two classes, (c, c), as a heat map."""
    import altair as alt

    pairs = list(permutations(range(len(names)), 2))
    shown = np.clip([divergence[pair] for pair in pairs], 0, 1).tolist()
    values = [
        {"a": names[i], "b": names[j], "apart": share, "text": _digits(share, len(names))}
        for (i, j), share in zip(pairs, shown, strict=True)
    ]
    angle = -45 if len(names) * max(map(len, names)) > LEVEL_LABELS else 0
    base = inline_chart(values).encode(
        alt.X("b:N", sort=list(names), title=None).axis(labelAngle=angle, labelLimit=110),
        alt.Y("a:N", sort=list(names), title=None).axis(labelLimit=110),
    )
    start = min(*shown, LIGHTEST_START)
    scale = alt.Scale(scheme="blues", reverse=True, domain=[start, 1])
    legend = alt.Legend(orient="top", title="Divergence: 0 the same, 1 apart", gradientLength=160)
    colour = alt.Color("apart:Q").scale(scale).legend(legend)
    dark = alt.datum.apart < (start + 1) / 2
    cells = base.mark_rect().encode(colour, tooltip=["a:N", "b:N", "apart:Q"])
    size = LARGE_DIGITS if len(names) <= FEW_CLASSES else SMALL_DIGITS
    texts = base.mark_text(fontSize=size).encode(
        alt.Text("text:N"), color=alt.condition(dark, alt.value("white"), alt.value(INK))
    )
    return layered(cells, texts, height=max(LEAST_HEIGHT, CELL_HEIGHT * len(names)))


def _digits(share: float, classes: int) -> str:
    """Write a share so that it fits its cell: 1 and .97 for 1.00 and 0.97 among many classes."""
    text = f"{share:.2f}"
    if classes <= FEW_CLASSES:
        return text
    return "1" if text == "1.00" else text.removeprefix("0")


CHART = Chart(
    "confusion",
    "Which classes are confused",
    draw,
    confusion_rows,
    applies=lambda floor: len(floor.classes) > 2,
    needs="3 classes or more",
)
