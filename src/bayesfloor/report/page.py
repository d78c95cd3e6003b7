"""A report as one HTML page: pure, the same report gives the same bytes.

The page has no script. Charts are drawings inside it, in two widths, and take their colours from
the style sheet, so that dark screens and paper get theirs.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from bayesfloor.base.cautions import Caution
from bayesfloor.report.hardest_rows import RowTable
from bayesfloor.report.html import BASE, render_template
from bayesfloor.report.next_steps import NextSteps

ID = re.compile(r' id="([^"]+)"')
"""Where the drawing library writes ids."""
REFERENCES = re.compile(r'( id="| clip-path="url\(#| fill="url\(#| xlink:href="#)([^")]+)')
"""Where it writes ids or refers to them."""


@dataclass(frozen=True, slots=True)
class Callout:
    """The answer to something the user asked, set off from the text."""

    tone: str  # good, bad or open: its colour
    symbol: str  # the same for readers who do not see the colour
    heading: str
    text: str


@dataclass(frozen=True, slots=True)
class ChartSection:
    """A chart in two widths, with a sentence that says what to see in it."""

    name: str
    heading: str
    sentence: str
    description: str  # what a screen reader says in place of the drawing
    wide: str  # SVG, or empty where there is nothing to draw
    narrow: str


@dataclass(frozen=True, slots=True)
class Report:
    """All that the page says."""

    title: str
    subtitle: str
    callouts: tuple[Callout, ...]
    lead: tuple[str, ...]  # what the floor says, and what it rests on
    cautions: tuple[Caution, ...]
    scale: ChartSection
    next_steps: NextSteps
    charts: tuple[ChartSection, ...]
    hardest: RowTable
    hardest_heading: str
    hardest_sentence: str
    model_rows: RowTable | None  # where the user's model loses most
    model_sentence: str
    notes: tuple[str, ...]  # cautions first
    method: str
    scope: str
    facts: tuple[tuple[str, str], ...]


def render(report: Report) -> str:
    """Write the page."""
    drawings = chart_drawings((report.scale, *report.charts))
    return render_template(BASE, "report.html", report=report, drawings=drawings)


def chart_drawings(charts: Iterable[ChartSection]) -> dict[str, tuple[Any, Any]]:
    """Return the drawings of charts by name, wide and narrow, for templates to insert."""
    from markupsafe import Markup

    return {
        chart.name: (
            Markup(own_ids(chart.wide, f"{chart.name}-wide-")),
            Markup(own_ids(chart.narrow, f"{chart.name}-narrow-")),
        )
        for chart in charts
    }


def own_ids(svg: str, prefix: str) -> str:
    """Give the ids of a drawing new numbers, different from those of all others on the page.

    The drawing library counts on from one drawing to the next, so its own numbers tell what else
    was drawn before.
    """
    ids = {old: f"{prefix}{i}" for i, old in enumerate(dict.fromkeys(ID.findall(svg)))}
    return REFERENCES.sub(lambda found: found[1] + ids.get(found[2], found[2]), svg)
