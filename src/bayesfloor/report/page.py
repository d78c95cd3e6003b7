"""A report as one HTML page: pure, the same report gives the same bytes.

The page has no script. Charts are drawings inside it, in two widths, and take their colours from
the style sheet, so that dark screens and paper get theirs. What users wrote is escaped by the
template engine, and a content security policy forbids scripts and requests to be safe twice.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from bayesfloor.report.hardest_rows import RowTable

if TYPE_CHECKING:
    from jinja2 import Template

ID = re.compile(r' id="([^"]+)"')
REFERENCES = re.compile(r'( id="| clip-path="url\(#| fill="url\(#| xlink:href="#)([^")]+)')


@dataclass(frozen=True, slots=True)
class Tile:
    """A number large enough to be seen first."""

    value: str
    label: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """The answer to something the user asked."""

    mood: str  # good, bad or open
    heading: str
    text: str


@dataclass(frozen=True, slots=True)
class Figure:
    """A chart in two widths, with a sentence that says what to see in it."""

    name: str
    heading: str
    sentence: str
    wide: str  # SVG, or empty where there is nothing to draw
    narrow: str


@dataclass(frozen=True, slots=True)
class Report:
    """All that the page says."""

    title: str
    data: str
    words: tuple[str, ...]
    tiles: tuple[Tile, ...]
    verdicts: tuple[Verdict, ...]
    figures: tuple[Figure, ...]
    hardest: RowTable
    hardest_sentence: str
    notes: tuple[str, ...]
    method: str
    facts: tuple[tuple[str, str], ...]
    version: str


def render(report: Report) -> str:
    """Write the page."""
    from markupsafe import Markup

    drawings = {
        figure.name: (
            Markup(_own_ids(figure.wide, f"{figure.name}-wide-")),
            Markup(_own_ids(figure.narrow, f"{figure.name}-narrow-")),
        )
        for figure in report.figures
    }
    return _template().render(report=report, drawings=drawings)


def _own_ids(svg: str, prefix: str) -> str:
    """Give the ids of a drawing new numbers, different from those of all others on the page.

    The drawing library counts on from one drawing to the next, so its own numbers tell what else
    was drawn before.
    """
    ids = {old: f"{prefix}{i}" for i, old in enumerate(dict.fromkeys(ID.findall(svg)))}
    return REFERENCES.sub(lambda found: found[1] + ids.get(found[2], found[2]), svg)


@cache
def _template() -> Template:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("bayesfloor.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    return environment.get_template("page.html")
