"""The page of verdicts: one file with every claim, its rule and every figure."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bayesfloor.paper.claims import Verdict
from bayesfloor.paper.figures import FIGURES
from bayesfloor.report.html import render_template

TALLY = {
    "holds": ("holds", "hold"),
    "partly": ("holds in part", "hold in part"),
    "fails": ("does not hold", "do not hold"),
    "open": ("is not decided", "are not decided"),
    "absent": ("was not run", "were not run"),
}
"""What is said of one claim and of several, by kind of verdict."""
VERDICT_TONES = {
    "holds": "good",
    "partly": "open",
    "fails": "bad",
    "open": "quiet",
    "absent": "quiet",
}
"""Colour of a verdict by its kind: a class of the style sheet."""
LINKS = {"interactive": "html", "SVG": "svg", "PNG": "png", "data": "csv"}
"""Files of a figure that lie beside the page, by what the link says."""


@dataclass(frozen=True, slots=True)
class VerdictSection:
    """Verdicts under one heading."""

    heading: str
    verdicts: tuple[Verdict, ...]


@dataclass(frozen=True, slots=True)
class Picture:
    """A figure, inside the page, with links to its files."""

    number: int
    title: str
    source: str  # a data URL
    links: tuple[tuple[str, str], ...]  # text and file


@dataclass(frozen=True, slots=True)
class ClaimsPage:
    """All that the page says."""

    summary: str  # how the data were made
    tally: str
    sections: tuple[VerdictSection, ...]
    pictures: tuple[Picture, ...]


def make_page(verdicts: Sequence[Verdict], drawings: Mapping[int, str], summary: str) -> ClaimsPage:
    """Collect all that the page says.

    Parameters
    ----------
    verdicts : sequence of Verdict
        One for each claim.
    drawings : mapping
        SVG text by number of the figure.
    summary : str
        How the data were made.
    """
    theirs, ours = (tuple(v for v in verdicts if v.claim.ours is ours) for ours in (False, True))
    return ClaimsPage(
        summary=summary,
        tally=_tally(theirs),
        sections=(
            VerdictSection("Claims of the paper", theirs),
            VerdictSection("The default method of bayesfloor", ours),
        ),
        pictures=tuple(_picture(number, svg) for number, svg in sorted(drawings.items())),
    )


def render_page(page: ClaimsPage) -> str:
    """Write the page; the same record gives the same bytes."""
    return render_template("bayesfloor.paper", "claims.html", page=page, tones=VERDICT_TONES)


def _tally(verdicts: Sequence[Verdict]) -> str:
    """Count the verdicts of each kind."""
    counts = {kind: sum(v.kind == kind for v in verdicts) for kind in TALLY}
    return ", ".join(f"{count} {TALLY[kind][count > 1]}" for kind, count in counts.items() if count)


def _picture(number: int, svg: str) -> Picture:
    """Put a drawing in a data URL, where nothing in it can run."""
    figure = FIGURES[number]
    source = f"data:image/svg+xml;base64,{base64.b64encode(svg.encode()).decode()}"
    links = tuple((text, f"{figure.name}.{ending}") for text, ending in LINKS.items())
    return Picture(number, figure.title, source, links)
