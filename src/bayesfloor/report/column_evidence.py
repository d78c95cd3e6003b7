"""Which values of a row speak for another label than its own, column by column.

A value speaks for a class if values like it are more frequent among the rows of that class than
among those of the row's own. Columns are looked at one at a time: what only several of them say
together is not seen.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bayesfloor.base.arrays import Floats, Ints
from bayesfloor.base.formatting import is_missing

EVIDENCE_ROWS = 2
"""Rows, spread like all rows, that are added to every count, so that a few rows say little."""


@dataclass(frozen=True, slots=True, eq=False)
class NumericColumn:
    """The values of a column as numbers."""

    values: Floats  # (n,), NaN where one is missing
    ordered: bool  # whether near numbers are alike; codes of texts are not


def column_evidence(
    column: NumericColumn, labels: Ints, rows: Ints, own: Ints, other: Ints
) -> Floats:
    """Return how much more frequent values like those of some rows are in another class.

    Parameters
    ----------
    column : NumericColumn
        Its n values.
    labels : (n,) array
        The class of each row, or -1 for rows that do not count.
    rows : (h,) array
        The rows to look at.
    own, other : (h,) array
        Their class, and the one it is compared with.

    Returns
    -------
    (h,) array
        Logarithms of the ratio; above zero a value speaks for the other class.

    Examples
    --------
    >>> column = NumericColumn(np.repeat([0.0, 1.0], 50), ordered=False)
    >>> labels = np.repeat([0, 1], 50)
    >>> labels[0] = 1
    >>> own, other = np.array([1]), np.array([0])
    >>> bool(column_evidence(column, labels, np.array([0]), own, other)[0] > np.log(10))
    True
    """
    filled = np.where(np.isnan(column.values), np.inf, column.values)
    counted, low, high = labels >= 0, filled[rows], filled[rows]
    if column.ordered:
        low, high = _surroundings(np.sort(filled[counted]), filled[rows])
    ratio = np.zeros(len(rows))
    spread = EVIDENCE_ROWS / np.count_nonzero(counted)
    for sign, which in ((1, other), (-1, own)):
        for c in np.unique(which):
            inside = np.sort(filled[labels == c])
            asked = which == c
            last = np.searchsorted(inside, high[asked], side="right")
            count = last - np.searchsorted(inside, low[asked], side="left")
            ratio[asked] += sign * np.log(count / max(len(inside), 1) + spread)
    return ratio


def _surroundings(ordered: Floats, values: Floats) -> tuple[Floats, Floats]:
    """Return between which values the root of n nearest in order lie, ties included."""
    n = len(ordered)
    width = max(round(n**0.5), 1)
    first = np.clip(np.searchsorted(ordered, values) - width // 2, 0, n - width)
    low = np.minimum(ordered[first], values)
    return np.where(np.isinf(values), values, low), np.maximum(ordered[first + width - 1], values)


def make_column(values: Sequence[Any]) -> NumericColumn:
    """Make a column of numbers, or of any other values, which become codes."""
    if all(isinstance(v, int | float | np.number) or is_missing(v) for v in values):
        numbers = [np.nan if is_missing(v) else float(v) for v in values]
        return NumericColumn(np.array(numbers), ordered=True)
    codes: dict[str, float] = {}
    found = [codes.setdefault(str(value), float(len(codes))) for value in values]
    return NumericColumn(np.array(found), ordered=False)
