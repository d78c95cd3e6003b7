"""A comparison of two samples as a page: the verdict, the columns that moved, the new rows."""

from __future__ import annotations

import json
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from bayesfloor.base.files import check_page, write_whole
from bayesfloor.base.formatting import cut, percent, shorten
from bayesfloor.report.charts.style import BLUE, ORANGE, inline_chart, layered, styled, svg_text
from bayesfloor.report.html import BASE, render_template
from bayesfloor.report.page import Callout, ChartSection, chart_drawings
from bayesfloor.report.sections import NARROW, SYMBOLS, WIDE
from bayesfloor.two_sample import TwoSampleTest
from bayesfloor.two_sample.columns import MovedColumn
from bayesfloor.two_sample.record import ALIKE, DIFFER, p_text

if TYPE_CHECKING:
    import altair as alt

    from bayesfloor.two_sample.column_profiles import ColumnProfile

DRAWN_COLUMNS = 6
"""Columns that are drawn: as many as a reader looks through."""
MOST_TABLE_ROWS = 100
"""Columns that the page lists. A judgement."""
MOST_NEW_ROWS = 12
"""New rows that the page shows: as many as fit on a screen, a judgement."""
PROFILE_HEIGHT = 160
"""Pixels of the bars of a column."""
LEVEL_LETTERS = 36
"""Letters that all names of texts have room for on a phone, each as wide as the longest; names of
more are slanted. Numbers are ranges in order, where a name may be left out."""
SHIFT_TONES = {ALIKE: "good", DIFFER: "bad"}
"""Colour of the verdict; all others are open."""


@dataclass(frozen=True, slots=True)
class ShiftReport:
    """All that the page says."""

    title: str
    subtitle: str
    callout: Callout
    charts: tuple[ChartSection, ...]
    columns: tuple[tuple[str, ...], ...]
    columns_sentence: str
    new_rows: tuple[tuple[str, ...], ...]
    new_rows_sentence: str
    notes: tuple[str, ...]
    facts: tuple[tuple[str, str], ...]


def write_shift_page(
    found: TwoSampleTest, path: str | PathLike[str], *, title: str | None = None
) -> Path:
    """Write the page of a comparison."""
    check_page(path)
    return write_whole(path, render_shift(make_shift_report(found, title)))


def make_shift_report(found: TwoSampleTest, title: str | None = None) -> ShiftReport:
    """Collect all that the page says."""
    tone = SHIFT_TONES.get(found.verdict, "open")
    low, high = found.divergence.interval
    how_much = (
        f"The divergence of the two samples lies between {low:.4f} and {high:.4f}: 0 means that"
        " they are alike, 1 that they never mix."
    )
    drawn = found.moved[:DRAWN_COLUMNS] or found.columns[:1]
    facts = found.facts()
    return ShiftReport(
        title=title or f"Is {found.names[1]} drawn like {found.names[0]}?",
        subtitle=found.size(),
        callout=Callout(tone, SYMBOLS[tone], found.headline, how_much),
        charts=tuple(_section(found, i, column) for i, column in enumerate(drawn)),
        columns=tuple(map(_column_row, found.columns[:MOST_TABLE_ROWS])),
        columns_sentence=_sentence(found.columns_sentence()),
        new_rows=tuple(
            (str(r.row), f"{r.distance:.1f}", str(r.nearest), ", ".join(map(shorten, r.columns)))
            for r in found.new_rows[:MOST_NEW_ROWS]
        ),
        new_rows_sentence=_new_rows_sentence(found),
        notes=found.notes,
        facts=tuple(
            fact for fact in facts if fact[0] in ("divergence", "neighbours", "classifier")
        ),
    )


def _new_rows_sentence(found: TwoSampleTest) -> str:
    listed = len(found.new_rows) > MOST_NEW_ROWS
    return _sentence(found.new_rows_sentence()) + (
        f" {MOST_NEW_ROWS} of them are shown." if listed else ""
    )


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}."


def _column_row(column: MovedColumn) -> tuple[str, ...]:
    p_values = (
        p_text(p).removeprefix("p ").removeprefix("= ") for p in (column.p_value, column.adjusted)
    )
    return (shorten(column.name), *p_values, column.change)


def _section(found: TwoSampleTest, place: int, column: MovedColumn) -> ChartSection:
    """Draw a column in both samples."""
    chart = profile_chart(column.profile)
    wide, narrow = (svg_text(styled(chart, width)) for width in (WIDE, NARROW))
    word = "moved" if column in found.moved else "did not move by more than chance"
    sentence = f"The column {word}: {column.change} (adjusted {p_text(column.adjusted)})."
    values = zip(column.profile.values, column.profile.old, column.profile.new, strict=True)
    listed = "; ".join(f"{v}: old {percent(a)}, new {percent(b)}" for v, a, b in values)
    return ChartSection(
        f"column-{place}", cut(shorten(column.name)), sentence, f"Bars. {listed}.", wide, narrow
    )


def profile_chart(profile: ColumnProfile) -> alt.LayerChart:
    """Draw the shares of old and new rows by value, side by side."""
    import altair as alt

    values = [
        {"place": place, "value": value, "share": share, "sample": sample}
        for sample, shares in (("old", profile.old), ("new", profile.new))
        for place, (value, share) in enumerate(zip(profile.values, shares, strict=True))
    ]
    names = [cut(value, 12) for value in profile.values]
    expression = f"{json.dumps(names)}[datum.value]"  # texts stay strings, whatever they hold
    level = all(map(_is_number, names)) or len(names) * max(map(len, names)) <= LEVEL_LETTERS
    angle = 0 if level else -40
    x = alt.X("place:O", title=None)
    x = x.axis(labelExpr=expression, labelAngle=angle, labelOverlap=True)
    colour = alt.Color("sample:N", title=None, sort=["old", "new"]).scale(
        domain=["old", "new"], range=[BLUE, ORANGE]
    )
    bars = (
        inline_chart(values)
        .mark_bar()
        .encode(
            x,
            alt.Y("share:Q", title="Share of rows").axis(format="~%", tickCount=4),
            colour.legend(orient="top"),
            xOffset=alt.XOffset("sample:N", sort=["old", "new"]),
        )
    )
    return layered(bars, height=PROFILE_HEIGHT)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def render_shift(report: ShiftReport) -> str:
    """Write the page: pure, the same report gives the same bytes."""
    drawings = chart_drawings(report.charts)
    return render_template(BASE, "shift.html", report=report, drawings=drawings)
