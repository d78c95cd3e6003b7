"""The heading of a report on a table."""

from __future__ import annotations

import os

from bayesfloor.tables import LabelledTable


def page_title(table: LabelledTable, *, header: bool) -> str:
    """Return the heading of a page: what the label is called, or the file if it has no names."""
    on_label, file = f" on {table.y.name}", f" {os.path.basename(table.name)}"
    return f"How low can the error{on_label if header else ''} go?{'' if header else file}"
