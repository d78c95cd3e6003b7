"""The floor drawn on one line of text: a scale from 0 to the error of the largest class.

The interval is a bar on the scale, and every other mark has a line of its own above or below it, so
that marks never hide each other. Each kind has a shape of its own, so no colour is needed.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from rich.cells import cell_len
from rich.text import Text

from bayesfloor.base.measures import Measure
from bayesfloor.floor import Floor
from bayesfloor.report.answer import Answer
from bayesfloor.report.answer.wording import model_error_text

MOST_TARGETS = 4
"""Targets that get a line each; more are marked on one line. A judgement."""
LEAST_BAR = 3
"""Cells of an interval from which on the estimate is marked inside it. A judgement."""
LEAST_CELLS = 16
"""Cells of a scale, at least; narrower terminals break it. A judgement."""


CONSTANT = {True: "always the largest class", False: "always the same answer"}
"""What the end of the scale is called, by whether any error counts the same."""
NARROW_CELLS, SHORT_CONSTANT = 40, {True: "largest class", False: "same answer"}
"""Cells of a terminal below which the end of the scale has a shorter name, and these names."""


@dataclass(frozen=True, slots=True)
class Glyphs:
    """The characters of a drawing."""

    left: str
    line: str
    right: str
    bar: str
    bar_start: str  # a cell of which the interval fills the right half
    bar_end: str  # and the left half
    estimate: str
    target: str
    model: str
    largest: str


BLOCKS = Glyphs("├", "─", "┤", "█", "▐", "▌", "◆", "▼", "▲", "■")
ASCII = Glyphs("|", "-", "|", "=", "=", "=", "o", "v", "^", "#")
MARK_STYLES = {
    "bar": "blue",
    "estimate": "bold",
    "target": "green",
    "model": "magenta",
    "largest": "",
}
"""Colours on a terminal; shapes and words say the same."""


@dataclass(frozen=True, slots=True)
class ErrorAxis:
    """Positions of errors on a line of cells."""

    measure: Measure
    end: float  # the largest error
    cells: int

    def position(self, error: float) -> float:
        """Return where an error lies, from 0 to the number of cells."""
        share = error / self.end
        return self.cells * (1 - share if self.measure.rises else share)

    def cell(self, error: float) -> int:
        """Return the cell that an error falls in."""
        return min(max(int(self.position(error)), 0), self.cells - 1)


def draw_axis(floor: Floor, answer: Answer, *, width: int, glyphs: Glyphs) -> list[Text]:
    """Draw the interval, the estimate, the model and the targets on lines of at most `width`."""
    measure = answer.measure
    largest = floor.constant.loss
    targets = [one.error for one in answer.targets]
    model = [] if answer.model is None else [answer.model.error]
    end = max(largest, floor.interval[1], *targets, *model)
    edges = measure.percent(0), measure.percent(end)
    first, last = edges[::-1] if measure.rises else edges
    margin = cell_len(first) + 2  # a space and the edge of the scale
    scale = ErrorAxis(measure, end, max(width - margin - cell_len(last) - 2, LEAST_CELLS))
    marks = _Marks(scale, glyphs, margin)
    names = SHORT_CONSTANT if width < NARROW_CELLS else CONSTANT
    return [
        *marks.of_targets(targets),
        Text.assemble(f"{first} {glyphs.left}", *marks.track(floor), f"{glyphs.right} {last}"),
        marks.line("estimate", floor.estimate, f"best estimate {measure.percent(floor.estimate)}"),
        *(
            marks.line("model", e, f"your model {model_error_text(floor, e, measure)}")
            for e in model
        ),
        marks.line(
            "largest", largest, f"{names[floor.decision is None]} {measure.percent(largest)}"
        ),
    ]


@dataclass(frozen=True, slots=True)
class _Marks:
    """Lines with a mark below or above its place on a scale."""

    scale: ErrorAxis
    glyphs: Glyphs
    margin: int  # cells before the scale

    def line(self, kind: str, error: float, label: str) -> Text:
        """Return a line with one mark, and its label on the side that has room."""
        cell, glyph = self.scale.cell(error), getattr(self.glyphs, kind)
        mark = (glyph, MARK_STYLES[kind])
        if cell + 2 + len(label) <= self.scale.cells + 2:
            return Text.assemble(" " * (self.margin + cell), mark, f" {label}")
        return Text.assemble(f"{label} ".rjust(self.margin + cell), mark)

    def of_targets(self, errors: list[float]) -> Iterator[Text]:
        """Return a line for each target, or one for all if there are many."""
        measure = self.scale.measure
        if len(errors) <= MOST_TARGETS:
            for error in errors:
                yield self.line("target", error, f"your target {measure.as_given(error)}")
            return
        cells = {self.scale.cell(error) for error in errors}
        marks = "".join(self.glyphs.target if i in cells else " " for i in range(max(cells) + 1))
        yield Text.assemble(" " * self.margin, (marks, MARK_STYLES["target"]), " your targets")

    def track(self, floor: Floor) -> Iterator[str | tuple[str, str]]:
        """Return the cells of the scale with the interval and the estimate on it."""
        start, stop = sorted(map(self.scale.position, floor.interval))
        first = min(int(start), self.scale.cells - 1)
        last = max(math.ceil(stop) - 1, first)
        bar = [self.glyphs.bar] * (last - first + 1)
        if len(bar) >= LEAST_BAR:
            if start - first >= 0.5:
                bar[0] = self.glyphs.bar_start
            if stop - last < 0.5:
                bar[-1] = self.glyphs.bar_end
        yield self.glyphs.line * first
        inside = self.scale.cell(floor.estimate) - first
        for i, cell in enumerate(bar):
            shows = len(bar) >= LEAST_BAR and i == inside
            yield (
                (self.glyphs.estimate, MARK_STYLES["estimate"])
                if shows
                else (cell, MARK_STYLES["bar"])
            )
        yield self.glyphs.line * (self.scale.cells - last - 1)
