"""The rows where the user's model loses most, with its answer, the best one and their values."""

from __future__ import annotations

from typing import Any

import numpy as np

from bayesfloor.base.formatting import shorten
from bayesfloor.base.measures import Measure
from bayesfloor.floor import Floor
from bayesfloor.report.hardest_rows import MOST_COLUMNS, RowTable, read_values, row_numbers
from bayesfloor.report.names import class_names

MOST_MODEL_ROWS = 8
"""Rows that are shown. A judgement."""
MODEL_COLUMNS = ("row", "label", "your model", "likeliest class", "expected loss")
"""Columns that come before those of the user."""


def model_rows(floor: Floor, values: Any, measure: Measure) -> RowTable | None:
    """Return the rows with the largest regret, largest first; None if there is none."""
    found = floor.model
    if found is None:
        return None
    regret = np.nan_to_num(found.row_regret)
    order = np.argsort(-regret, kind="stable")[:MOST_MODEL_ROWS]
    order = order[regret[order] > 0]
    if not len(order):
        return None
    user, names = read_values(values, floor.n), class_names(floor)
    cells = [
        [str(row) for row in row_numbers(floor, order)],
        [names[c] for c in floor.labels[order]],
        [names[c] for c in found.answers[order]],
        [names[c] for c in floor.posterior[order].argmax(axis=1)],
        [measure.gain(one, unit=False) for one in regret[order]],
    ]
    shown = range(min(len(user.names), MOST_COLUMNS))
    cells += [[shorten(value) for value in user.take(j, order)] for j in shown]
    return RowTable(
        (*MODEL_COLUMNS, *(shorten(user.names[j]) for j in shown)),
        tuple(zip(*cells, strict=True)),
        len(user.names),
        tuple(frozenset[int]() for _ in order),
    )


def model_rows_sentence(measure: Measure) -> str:
    """Say what the rows show."""
    unit = "" if measure.is_cost else ", in percentage points"
    return (
        "Rows where the model's answer is farthest from the best one by the class probabilities of"
        f" the floor, counted from 0. The loss is how much more its answer costs{unit}, on average"
        " over the labels that such a row may have."
    )
