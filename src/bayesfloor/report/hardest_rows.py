"""The rows whose label is the least likely, with their values."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np

from bayesfloor.base.arrays import Ints
from bayesfloor.base.errors import DataError, reading
from bayesfloor.base.formatting import percent, shorten
from bayesfloor.floor import Floor
from bayesfloor.report.names import class_names

MOST_ROWS = 12
"""Rows that are shown: as many as fit on a screen."""
MOST_COLUMNS = 8
"""Columns of the user that are shown: as many as fit beside the first ones on a desk."""
FIRST_COLUMNS = ("row", "label", "chance of another label")
"""Columns that come before those of the user."""


@dataclass(frozen=True, slots=True)
class RowTable:
    """A table of text, ready to be shown."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    total: int  # columns that there were to choose from


def hardest_rows(floor: Floor, values: Any) -> RowTable:
    """Return the rows with the largest local mismatch, largest first; equal ones by row number."""
    order = np.argsort(-floor.local_mismatch, kind="stable")[:MOST_ROWS]
    names, total, cells = _values(values, order, floor.n)
    labels = class_names(floor)
    rows = (
        (str(row), labels[floor.labels[row]], percent(floor.local_mismatch[row]), *shown)
        for row, shown in zip(order.tolist(), cells, strict=True)
    )
    return RowTable((*FIRST_COLUMNS, *names), tuple(rows), total)


def hardest_rows_sentence(table: RowTable) -> str:
    """Say what to do with the hardest rows."""
    text = (
        "Rows whose label is the least likely, judged without it, counted from 0. Look here first"
        " for wrong labels, broken values, and cases that need another column to be told apart."
    )
    shown = len(table.columns) - len(FIRST_COLUMNS)
    return text + (
        f" The first {shown} of {table.total} columns are shown." if shown < table.total else ""
    )


def _values(values: Any, order: Ints, n: int) -> tuple[list[str], int, list[list[str]]]:
    """Return the first column names, the number of columns, and the cells of some rows."""
    if values is None:
        return [], 0, [[] for _ in order]
    (height, total), columns = _columns(values)
    if height != n:
        came = f"rows has {height} rows, the floor {n}"
        raise DataError(f"{came}; pass the rows it was computed from")
    cells = [[shorten(column[row]) for _, column in columns] for row in order.tolist()]
    return [shorten(name) for name, _ in columns], total, cells


def _columns(values: Any) -> tuple[tuple[int, int], list[tuple[str, Any]]]:
    """Return the shape of a frame or array, and its first columns with their names."""
    import narwhals.stable.v1 as nw

    with reading("rows", "give each column its own name"):
        frame = nw.from_native(values, eager_only=True, pass_through=True)
    if isinstance(frame, nw.DataFrame):
        first = islice(frame.iter_columns(), MOST_COLUMNS)
        return frame.shape, [(series.name, series) for series in first]
    table = np.asarray(values)
    table = table[:, None] if table.ndim == 1 else table
    first_columns = table.T[:MOST_COLUMNS].tolist()
    return table.shape, [(f"column {j}", column) for j, column in enumerate(first_columns)]
