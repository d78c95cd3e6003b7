"""The charts of the report, one file each: its data, its drawing and its sentence.

Not public, and may change at any time: rely on the names in `bayesfloor.__all__`.
"""

from __future__ import annotations

from bayesfloor.base.errors import DataError
from bayesfloor.floor import Floor
from bayesfloor.report.charts import (
    calibration,
    confusion,
    growth,
    interval,
    learning_curve,
    local_mismatch,
    model,
    model_calibration,
    rank_curve,
    roc,
    shuffled_columns,
)
from bayesfloor.report.charts.chart import Chart, ChartRequest, Drawing

__all__ = ["CHARTS", "Chart", "ChartRequest", "Drawing", "applicable_charts", "find_chart"]

CHARTS: dict[str, Chart] = {
    chart.name: chart
    for chart in (
        interval.CHART,
        model.CHART,
        model_calibration.CHART,
        confusion.CHART,
        roc.CHART,
        local_mismatch.CHART,
        learning_curve.CHART,
        growth.CHART,
        calibration.CHART,
        shuffled_columns.CHART,
        rank_curve.CHART,
    )
}
"""Every chart by its name, in the order of the page."""


def applicable_charts(floor: Floor) -> list[Chart]:
    """Return the charts that can be drawn of a floor, in the order of the page."""
    return [chart for chart in CHARTS.values() if chart.applies(floor)]


def find_chart(floor: Floor, name: str) -> Chart:
    """Return a chart by its name."""
    choices = ", ".join(chart.name for chart in applicable_charts(floor))
    if name not in CHARTS:
        raise DataError(f"there is no chart {name!r}; choose one of {choices}")
    chart = CHARTS[name]
    if not chart.applies(floor):
        raise DataError(f"chart {name!r} needs {chart.needs}; choose one of {choices}")
    return chart
