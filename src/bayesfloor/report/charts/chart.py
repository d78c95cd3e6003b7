"""What a chart of the report is: its name, its heading, and how it is drawn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bayesfloor.floor import Floor
from bayesfloor.report.answer import Answer

if TYPE_CHECKING:
    import altair as alt


@dataclass(frozen=True, slots=True)
class ChartRequest:
    """A floor to draw, the answer to what was asked of it, and a call that reports progress."""

    floor: Floor
    answer: Answer
    advance: Callable[[int], None] | None = None  # takes the rows that were worked through


@dataclass(frozen=True, slots=True)
class Drawing:
    """A chart with the sentence that says what to see in it."""

    chart: alt.LayerChart | None  # None where there is nothing to draw
    sentence: str
    description: str = ""  # what is drawn, with its numbers, for readers who cannot see it


@dataclass(frozen=True, slots=True)
class Chart:
    """One kind of chart, and what it can do."""

    name: str  # as in `Floor.chart`, and the id of its section on the page
    heading: str
    draw: Callable[[ChartRequest], Drawing]
    rows: Callable[[Floor], int] | None = None  # rows to search again; None: no further search
    applies: Callable[[Floor], bool] = lambda _: True  # whether the floor has what it shows
    needs: str = ""  # what that is, for a floor that lacks it
