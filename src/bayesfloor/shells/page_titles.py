"""The heading of a report on a table."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bayesfloor.base.measures import Measure
    from bayesfloor.tables import LabelledTable


def page_title(table: LabelledTable, measure: Measure, *, header: bool) -> str:
    """Return the heading of a page: what the label is called, or the file if it has no names."""
    if header:
        return measure.question(f" on {table.y.name}")
    return f"{measure.question()} {os.path.basename(table.name)}"
