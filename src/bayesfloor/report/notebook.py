"""A floor as a notebook shows it: its scale as a picture, and its facts."""

from __future__ import annotations

import base64
from html import escape

from bayesfloor.floor import Floor
from bayesfloor.report.answer import answer
from bayesfloor.report.charts import CHARTS, ChartRequest
from bayesfloor.report.charts.style import styled
from bayesfloor.report.facts import floor_facts

STANDALONE_WIDTH = 640
"""Pixels of a chart that stands alone: the column of a notebook."""


def floor_html(floor: Floor) -> str:
    """Return the scale and the facts of a floor; nothing in them is loaded or run."""
    from bayesfloor.report.offline_charts import png_bytes

    drawing = CHARTS["interval"].draw(ChartRequest(floor, answer(floor)))
    assert drawing.chart is not None
    picture = png_bytes(styled(drawing.chart, STANDALONE_WIDTH, background="white"))
    source = f"data:image/png;base64,{base64.b64encode(picture).decode()}"
    image = f"<img width='{STANDALONE_WIDTH}' alt='{escape(drawing.description)}' src='{source}'>"
    left = "style='text-align:left'"
    rows = "".join(
        f"<tr><th {left}>{escape(name)}</th><td {left}>{escape(text)}</td></tr>"
        for name, text in floor_facts(floor)
    )
    return f"<div>{image}<table>{rows}</table></div>"
