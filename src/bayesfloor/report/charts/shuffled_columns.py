"""Which columns the maps rely on: what they lose if the values of one are shuffled."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from scipy.special import ndtri

from bayesfloor.base.formatting import cut
from bayesfloor.comparison.column_groups import ColumnGroup, make_groups
from bayesfloor.comparison.column_maps import make_column_maps
from bayesfloor.comparison.columns_api import column_places
from bayesfloor.comparison.record import in_points
from bayesfloor.floor import Floor
from bayesfloor.floor.run import Run
from bayesfloor.report.charts.chart import Chart, ChartRequest, Drawing
from bayesfloor.report.interval_rows import interval_rows

MOST_SHUFFLED = 50
"""Columns that are shuffled at most: each costs a prediction of all held-out rows."""
MOST_SHOWN = 10
"""Columns that are drawn, those that matter most. A judgement."""


def draw(request: ChartRequest) -> Drawing:
    """Draw the columns that matter most."""
    floor = request.floor
    run, groups = cast(Run, floor.run), column_groups(floor)
    assert run.measured.learned is not None
    maps = make_column_maps(run.sample, run.measured.learned, run.settings.executor)
    rises = 100 * maps.permuted_losses(groups, run.settings.seed)
    if request.advance is not None:
        request.advance(shuffled_rows(floor))
    z = float(ndtri(0.5 + floor.confidence / 2))
    reach = z * rises.std(axis=1) / rises.shape[1] ** 0.5
    order = np.argsort(-rises.mean(axis=1), kind="stable")[:MOST_SHOWN]
    rows: list[dict[str, Any]] = [
        {
            "set": cut(groups[j].name),
            "low": (middle := float(rises[j].mean())) - reach[j],
            "high": middle + reach[j],
            "at": middle,
            "text": in_points(middle / 100),
        }
        for j in order.tolist()
    ]
    listed = "; ".join(f"{row['set']}: {row['text']}" for row in rows)
    chart = interval_rows(rows, "Rise of squared loss, in points")
    return Drawing(chart, sentence(rows, len(groups)), f"Rises of the loss in points. {listed}.")


def sentence(rows: list[dict[str, Any]], count: int) -> str:
    """Say which column matters most to the maps, and what that does not mean."""
    shown = f" The first {MOST_SHOWN} of {count} are drawn." if count > len(rows) else ""
    lead = "No column matters to the heaviest map by more than chance."
    if rows[0]["low"] > 0:
        lead = (
            f"The heaviest map relies most on {rows[0]['set']}: if its values are shuffled among"
            f" held-out rows, the squared loss rises by {rows[0]['text']} points."
        )
    return (
        f"{lead}{shown} A column that others could replace may still rank high; bayesfloor columns"
        " learns anew without each."
    )


def column_groups(floor: Floor) -> list[ColumnGroup]:
    """Return the columns as they came, those that say the same as one."""
    origin, sample = cast(Run, floor.run).origin, cast(Run, floor.run).sample
    read = origin.columns is not None  # a table, encoded
    places = column_places(origin.table, origin.display if read else None, sample.d)
    return make_groups(sample.points, places)


def shuffled_rows(floor: Floor) -> int:
    """Return the rows that are worked through, about."""
    return floor.n


def applies(floor: Floor) -> bool:
    """Return whether maps of the default kinds were learned on some columns, not too many."""
    learned = bool(floor.maps) and floor.how.sharpens
    default = isinstance(floor.run.settings.representation, str)
    return learned and default and 2 <= floor.columns <= MOST_SHUFFLED


CHART = Chart(
    "columns",
    "Which column would I miss most?",
    draw,
    rows=shuffled_rows,
    applies=applies,
    needs="learned maps, and 2 to 50 columns",
)
