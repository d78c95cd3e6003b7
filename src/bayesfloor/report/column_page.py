"""A ranking of columns as charts and as a page worth reading."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import Any

from bayesfloor.base.errors import DataError
from bayesfloor.base.files import check_page, write_whole
from bayesfloor.base.formatting import percent
from bayesfloor.comparison import ColumnRanking
from bayesfloor.report.charts.style import styled
from bayesfloor.report.column_charts import draw_path, draw_worth
from bayesfloor.report.comparison import SetPage, TableSection, chart_section, render_sets
from bayesfloor.report.notebook import STANDALONE_WIDTH
from bayesfloor.report.page import Callout
from bayesfloor.report.sections import SYMBOLS

RANKING_TITLE = "Which columns matter?"
"""Heading of a ranking that was given none."""
RANKING_CHARTS = {"columns": draw_worth, "path": draw_path}
"""The charts of a ranking by name."""


def draw_ranking(ranking: ColumnRanking, name: str) -> Any:
    """Draw one chart of a ranking by its name."""
    from bayesfloor.report.offline_charts import offline

    if name not in RANKING_CHARTS:
        raise DataError(f"there is no chart {name!r}; choose one of {', '.join(RANKING_CHARTS)}")
    chart = RANKING_CHARTS[name](ranking).chart
    assert chart is not None
    return offline(styled(chart, STANDALONE_WIDTH, background="white"))


def write_ranking(
    ranking: ColumnRanking, path: str | PathLike[str], *, title: str | None = None
) -> Path:
    """Write the page of a ranking."""
    check_page(path)
    return write_whole(path, render_sets(make_ranking_page(ranking, title)))


def make_ranking_page(ranking: ColumnRanking, title: str | None = None) -> SetPage:
    """Collect all that the page says."""
    floor = ranking.floor
    missed, enough = ranking.sentences()
    tones = ("good" if ranking.needed else "open", "good" if ranking.path else "open")
    headings = ("What would be missed most", "What is enough")
    return SetPage(
        title or RANKING_TITLE,
        f"{floor.n:,} rows · {floor.columns} columns · lowest possible error with all of them:"
        f" {' to '.join(map(percent, floor.interval))}",
        tuple(
            Callout(tone, SYMBOLS[tone], heading, text)
            for tone, heading, text in zip(tones, headings, (missed, enough), strict=True)
        ),
        (
            chart_section("worth", "Which column would I miss most?", draw_worth(ranking)),
            chart_section("path", "Which columns are enough?", draw_path(ranking)),
        ),
        (
            TableSection("columns", "All columns", COLUMNS_SENTENCE, ranking.rows()),
            TableSection("steps", "The path", PATH_SENTENCE, ranking.path_rows()),
        ),
        ranking.notes,
    )


COLUMNS_SENTENCE = (
    "The column that would be missed most comes first. Errors without a column are in percentage"
    " points against all columns, with their intervals; p-values are adjusted for the number of"
    " columns. The last column is what a classifier could reach that sees this column alone."
)
"""What stands above the table of columns."""
PATH_SENTENCE = (
    "Columns that say the same as others come late or never. What tells something only together"
    " with another column may be missed by a path; leaving columns out in turn finds it."
)
"""What stands above the table of steps."""
