"""The charts of a floor are drawn, and its page is rendered and written."""

from __future__ import annotations

from collections.abc import Callable
from os import PathLike
from pathlib import Path
from typing import Any

from bayesfloor.base.errors import DataError
from bayesfloor.base.files import check_page, write_whole
from bayesfloor.base.measures import DEFAULT_MEASURE
from bayesfloor.base.progress import progress_bar
from bayesfloor.floor import Floor
from bayesfloor.report.answer import Answer, answer
from bayesfloor.report.charts import ChartRequest, applicable_charts, find_chart
from bayesfloor.report.charts.style import styled
from bayesfloor.report.notebook import STANDALONE_WIDTH
from bayesfloor.report.page import render
from bayesfloor.report.sections import make_report


def draw_chart(floor: Floor, name: str, **asked: Any) -> Any:
    """Draw one chart by its name; `asked` is what `answer` takes."""
    from bayesfloor.report.offline_charts import offline

    drawing = find_chart(floor, name).draw(ChartRequest(floor, answer(floor, **asked)))
    if drawing.chart is None:
        why = drawing.sentence[0].lower() + drawing.sentence[1:-1]
        raise DataError(f"chart {name!r} would be empty: {why}")
    return offline(styled(drawing.chart, STANDALONE_WIDTH, background="white"))


def draw_overview(floor: Floor, **asked: Any) -> Any:
    """Draw the charts that need no further search, one below the other."""
    import altair as alt

    from bayesfloor.report.offline_charts import offline

    request = ChartRequest(floor, answer(floor, **asked))
    quick = [chart for chart in applicable_charts(floor) if chart.rows is None]
    drawn = [(chart.heading, chart.draw(request).chart) for chart in quick]
    parts = [
        part.properties(width=STANDALONE_WIDTH, title=title)
        for title, part in drawn
        if part is not None
    ]
    overview = alt.vconcat(*parts).resolve_scale(color="independent", shape="independent")
    return offline(styled(overview, background="white"))


def write_report(
    floor: Floor,
    path: str | PathLike[str],
    *,
    rows: Any,
    title: str | None = None,
    shown_as: str = DEFAULT_MEASURE,
    progress: bool = False,
    leakage: bool = False,
    wording: Callable[[str], str] = str,
    **asked: Any,
) -> Path:
    """Write the page of a floor; `shown_as` and `asked` are what `answer` takes."""
    found = answer(floor, shown_as=shown_as, **asked)
    check_page(path)
    page = render_report(
        floor, found, rows=rows, title=title, progress=progress, leakage=leakage, wording=wording
    )
    return write_whole(path, page)


def render_report(
    floor: Floor,
    found: Answer,
    *,
    rows: Any,
    title: str | None = None,
    progress: bool = False,
    leakage: bool = False,
    wording: Callable[[str], str] = str,
) -> str:
    """Return the page of a floor, with the answer to what was asked of it, as HTML.

    `wording` writes the parameters that notes name as the caller's user knows them.
    """
    work = sum(chart.rows(floor) for chart in applicable_charts(floor) if chart.rows is not None)
    with progress_bar("Drawing the report", work, show=progress) as advance:
        request = ChartRequest(floor, found, advance)
        report = make_report(request, rows=rows, title=title, leakage=leakage, wording=wording)
        return render(report)
