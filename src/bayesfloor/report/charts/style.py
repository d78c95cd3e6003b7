"""One style for every chart: palette, fonts, axes and legends, and the parts charts share.

Field names in charts are fixed: the user's words are only ever values.
"""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from bayesfloor.base.memory import check_space_for_drawing

if TYPE_CHECKING:
    import altair as alt

Records = Sequence[Mapping[str, Any]]
"""Rows of data behind a chart, one mapping of field names to values for each mark."""

BLUE, SKY, GREEN = "#0072B2", "#56B4E9", "#009E73"
ORANGE, RED, PURPLE, BLACK = "#E69F00", "#D55E00", "#CC79A7", "#000000"
"""Palette that colour-blind readers can tell apart (Okabe & Ito 2008, Color Universal Design)."""
GREY = "#8A8F98"
"""For what is only there to compare with; contrast of 3 to 1 on white and on the dark page."""
FONT = "Helvetica Neue, Arial, Liberation Sans, sans-serif"
"""Sans-serif fonts of macOS, Windows and Linux whose letters have about the same widths."""
FONT_SIZE = 12
"""Pixels of the letters at axes and legends; the page shows charts in their own size."""
WIDEST_FONT = 1.25
"""How much wider than these the fonts are that a reader may have instead (DejaVu Sans, Verdana)."""
PHONE = 500
"""Pixels; charts narrower than this have their legend in one column (phones are 320 to 430)."""
PADDING = {"left": 4, "top": 4, "right": 8, "bottom": 4}
"""Pixels around a chart; the last number of an axis may reach half its width beyond the end."""
LEGEND_GAP = 50
"""Pixels between two columns of a legend.

A quarter of the longest name, about 180 pixels: a reader's font may be that much wider than the
one it was laid out by.
"""


def styled(
    chart: alt.LayerChart | alt.VConcatChart,
    width: int | None = None,
    *,
    background: str = "transparent",
    axis: Mapping[str, Any] | None = None,
    legend: Mapping[str, Any] | None = None,
    title: Mapping[str, Any] | None = None,
) -> Any:
    """Give a chart its fonts and, if it is a single one, its width in all.

    Parameters
    ----------
    chart : Altair chart
        One or several, not yet styled.
    width : int, optional
        Pixels from edge to edge, axes included; without it the plots keep their own widths.
    background : str
        A colour; by default the page shows through.
    axis, legend, title : mapping, optional
        Settings of Vega-Lite that differ from those of the report.
    """
    import altair as alt

    if width is not None:
        whole = alt.AutoSizeParams(type="fit-x", contains="padding")
        chart = chart.properties(width=width, autosize=whole)
    text = {"labelFontSize": FONT_SIZE, "titleFontSize": FONT_SIZE, "titleFontWeight": "normal"}
    columns = 1 if width is not None and width < PHONE else 2
    return (
        chart.configure(font=FONT, background=background, padding=PADDING)
        .configure_view(stroke=None)
        .configure_title(**(title or {}))
        .configure_axis(**{**text, "titlePadding": 8, **(axis or {})})
        .configure_legend(
            **{**text, "columns": columns, "columnPadding": LEGEND_GAP, **(legend or {})}
        )
    )


def inline_chart(values: Records) -> alt.Chart:
    """Return a chart without marks that carries its data."""
    import altair as alt

    return alt.Chart(alt.InlineData(values=[dict(value) for value in values]))


def layered(*layers: Any, **properties: Any) -> alt.LayerChart:
    """Lay charts over each other, the first at the bottom."""
    import altair as alt

    return alt.LayerChart(layer=list(layers)).properties(**properties)


def svg_text(chart: Any) -> str:
    """Draw a chart that is styled; the same chart gives the same text but for its ids."""
    check_space_for_drawing()
    drawn = io.StringIO()
    chart.save(drawn, format="svg")
    return drawn.getvalue()
