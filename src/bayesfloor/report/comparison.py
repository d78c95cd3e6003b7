"""A comparison as a chart and as a page worth reading."""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from bayesfloor.base.files import check_page, write_whole
from bayesfloor.base.formatting import counted
from bayesfloor.comparison import Comparison, SetDifference
from bayesfloor.comparison.record import (
    HIGHER,
    LOWER,
    TELLS_LESS,
    TELLS_MORE,
    points_with_interval,
    show_p,
)
from bayesfloor.report.charts.chart import Drawing
from bayesfloor.report.charts.style import styled, svg_text
from bayesfloor.report.comparison_charts import draw_differences, draw_floors
from bayesfloor.report.html import BASE, render_template
from bayesfloor.report.notebook import STANDALONE_WIDTH
from bayesfloor.report.page import Callout, ChartSection, chart_drawings
from bayesfloor.report.sections import NARROW, SYMBOLS, WIDE

COMPARISON_TITLE = "Which has the lower floor?"
"""Heading of a comparison that was given none."""
SET_TONES = {LOWER: "good", TELLS_MORE: "good", HIGHER: "bad", TELLS_LESS: "bad"}
"""Colour of the verdict on a set; all others are open."""


@dataclass(frozen=True, slots=True)
class TableSection:
    """A table with a sentence that says what it holds; its first row has the heads."""

    name: str
    heading: str
    sentence: str
    rows: list[tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class SetPage:
    """All that a page on several sets or columns says."""

    title: str
    subtitle: str
    callouts: tuple[Callout, ...]
    charts: tuple[ChartSection, ...]
    tables: tuple[TableSection, ...]
    notes: tuple[str, ...]


def draw_comparison(comparison: Comparison) -> Any:
    """Draw how the floors of sets differ from that of the reference."""
    from bayesfloor.report.offline_charts import offline

    chart = draw_differences(comparison).chart
    assert chart is not None
    return offline(styled(chart, STANDALONE_WIDTH, background="white"))


def write_comparison(
    comparison: Comparison, path: str | PathLike[str], *, title: str | None = None
) -> Path:
    """Write the page of a comparison."""
    check_page(path)
    return write_whole(path, render_sets(make_comparison_page(comparison, title)))


def render_sets(page: SetPage) -> str:
    """Write a page on sets or columns: pure, the same page gives the same bytes."""
    return render_template(BASE, "comparison.html", page=page, drawings=chart_drawings(page.charts))


def make_comparison_page(comparison: Comparison, title: str | None = None) -> SetPage:
    """Collect all that the page says."""
    first = next(iter(comparison.floors.values()))
    rows = f"{first.n:,} rows" if comparison.paired else "samples without common rows"
    return SetPage(
        title or COMPARISON_TITLE,
        f"{counted(len(comparison.floors), 'set')} · {rows} · {len(first.classes)} classes",
        tuple(_callout(one) for one in comparison.differences.values()),
        (
            chart_section("differences", "How the floors differ", draw_differences(comparison)),
            chart_section("floors", "The floor of each set", draw_floors(comparison)),
        ),
        (
            TableSection("sets", "All sets", _table_sentence(comparison), comparison.rows()),
            TableSection("details", "Differences in full", DETAILS, _details(comparison)),
        ),
        comparison.notes,
    )


DETAILS = (
    "Percentage points against the reference. The mismatch, the chance that two labels drawn at one"
    " point differ, is known best and decides the p-value; the lowest possible error follows it."
    " The held-out error is that of the rules at hand."
)
"""What stands above the table of differences."""


def _table_sentence(comparison: Comparison) -> str:
    return (
        f"The lowest first. Differences are percentage points of the lowest possible error against"
        f" {comparison.reference}, with their intervals; p-values are those of no difference."
    )


def _details(comparison: Comparison) -> list[tuple[str, ...]]:
    heads = ("set", "mismatch", "lowest possible error", "held-out error", "p-value, adjusted")
    return [
        heads,
        *(
            (
                name,
                *(points_with_interval(d) for d in (one.mismatch, one.floor, one.held_out)),
                show_p(one.adjusted_p),
            )
            for name, one in comparison.differences.items()
        ),
    ]


def _callout(one: SetDifference) -> Callout:
    tone = SET_TONES.get(one.verdict, "open")
    return Callout(tone, SYMBOLS[tone], f"{one.name}: {one.verdict}", one.sentence)


def chart_section(name: str, heading: str, drawing: Drawing) -> ChartSection:
    """Return a chart in two widths."""
    assert drawing.chart is not None
    wide, narrow = (svg_text(styled(drawing.chart, width)) for width in (WIDE, NARROW))
    return ChartSection(name, heading, drawing.sentence, drawing.description, wide, narrow)
