"""A floor as charts and as a page worth reading."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import Any

from bayesfloor.base.errors import DataError
from bayesfloor.base.files import check_page, write_whole
from bayesfloor.base.progress import progress_bar
from bayesfloor.floor import Floor
from bayesfloor.report.answer import answer, check_questions
from bayesfloor.report.contents import CHARTS, chart_names, find_chart, make_report
from bayesfloor.report.drawing import styled
from bayesfloor.report.page import render

__all__ = ["CHARTS", "draw_chart", "draw_overview", "write_report"]

WIDTH = 640
OVERVIEW = ("interval", "curve", "local")
"""The charts that need no further search."""


def draw_chart(floor: Floor, name: str, *, model_error: float | None, target: float | None) -> Any:
    """Draw one chart by its name."""
    asked = answer(floor, model_error=model_error, target=target)
    chart, sentence = find_chart(floor, name).draw(floor, asked, None)
    if chart is None:
        raise DataError(f"chart {name!r} would be empty: {sentence[0].lower()}{sentence[1:-1]}")
    return styled(chart, WIDTH)


def draw_overview(floor: Floor, *, model_error: float | None, target: float | None) -> Any:
    """Draw the charts that need no further search, one below the other."""
    import altair as alt

    asked = answer(floor, model_error=model_error, target=target)
    parts = [
        CHARTS[name].draw(floor, asked, None)[0].properties(width=WIDTH, title=CHARTS[name].heading)
        for name in OVERVIEW
    ]
    return styled(alt.vconcat(*parts).resolve_scale(color="independent"))


def write_report(
    floor: Floor,
    path: str | PathLike[str],
    *,
    rows: Any,
    model_error: float | None = None,
    target: float | None = None,
    title: str | None = None,
    progress: bool = False,
) -> Path:
    """Write the page of a floor."""
    check_questions(model_error, target)
    check_page(path)
    work = sum(CHARTS[name].rows(floor) for name in chart_names(floor))
    with progress_bar("Drawing the report", work, show=progress) as advance:
        asked = answer(floor, model_error=model_error, target=target)
        report = make_report(floor, asked, rows=rows, title=title, advance=advance)
        return write_whole(path, render(report))
