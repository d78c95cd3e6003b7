"""The items whose votes agree least, with what the classes got there."""

from __future__ import annotations

from typing import Any

import numpy as np

from bayesfloor.base.formatting import percent, shorten
from bayesfloor.floor import Floor
from bayesfloor.report.hardest_rows import (
    MOST_COLUMNS,
    RowTable,
    read_values,
    row_numbers,
    rows_by_mismatch,
)
from bayesfloor.report.names import class_names

ITEM_COLUMNS = ("item", "label", "chance of another label")
"""Columns that come before those of the classes."""


def hardest_items(floor: Floor, values: Any) -> RowTable:
    """Return the items with the largest local mismatch, largest first; equal ones by number.

    The classes with the largest shares of these items come first.
    """
    order, names = rows_by_mismatch(floor), class_names(floor)
    user = read_values(values, floor.n)
    named = len(user.names) > len(names)  # the first column says what items are called
    first = user.take(0, order) if named else row_numbers(floor, order).tolist()
    shares = floor.posterior[order].sum(axis=0)
    shown = np.argsort(-shares, kind="stable")[:MOST_COLUMNS]
    columns = (shown + named).tolist() if user.names else []
    cells = [
        [shorten(one) for one in first],
        [names[c] for c in floor.labels[order]],
        [percent(share) for share in floor.local_mismatch[order]],
        *([shorten(value) for value in user.take(j, order)] for j in columns),
    ]
    return RowTable(
        (*ITEM_COLUMNS, *(shorten(user.names[j]) for j in columns)),
        tuple(zip(*cells, strict=True)),
        len(user.names) - named,
        tuple(frozenset[int]() for _ in order),
    )


def hardest_items_sentence(floor: Floor, table: RowTable) -> str:
    """Say what to do with the hardest items."""
    what = "votes agree least" if floor.votes is not None else "likeliest class is least likely"
    text = (
        f"Items whose {what}, with what each class got; those without a name are counted from 0."
        " The label is the class with most. Look here first for items that are unclear, broken, or"
        " of two classes at once."
    )
    shown = len(table.columns) - len(ITEM_COLUMNS)
    left_out = f" The {shown} of {table.total} classes with most are shown."
    return text + (left_out if shown < table.total else "")
