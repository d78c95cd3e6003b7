"""Values of columns where a model loses more than the rule of the floor."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from bayesfloor.base.arrays import Bools, Floats, Ints
from bayesfloor.base.clustered_noise import critical_value, mean_error
from bayesfloor.base.formatting import shorten
from bayesfloor.sample.foreign_tables import ForeignColumn

QUARTERS = 4
"""Ranges that a column of numbers is cut into, with about as many rows each."""
FEWEST_REGION_ROWS = 30
"""Rows of a region, at least: the usual rule of thumb."""
MOST_VALUES = 12
"""Values of a column, the most frequent ones, that are regions of their own. A judgement."""
MOST_REGION_COLUMNS = 200
"""Columns that are looked at, the first ones: a judgement."""
MOST_REGIONS = 5
"""Regions that are told. A judgement."""


@dataclass(frozen=True, slots=True)
class Region:
    """Rows with some values of a column, where a model loses more than the rule of the floor."""

    column: str
    values: str  # such as "up to 3.2"
    rows: int
    loss: float  # mean loss of the model
    rule_loss: float
    interval: tuple[float, float]  # of the difference; it holds for all regions at once


def find_regions(
    columns: list[ForeignColumn],
    rows: Ints,
    model: Floats,
    rule: Floats,
    groups: Ints | None,
    confidence: float,
) -> tuple[Region, ...]:
    """Return the regions where a model surely loses more than the rule, where most first.

    Parameters
    ----------
    columns : list of ForeignColumn
        Of all rows, as they came.
    rows : array
        Rows that were tested.
    model, rule : arrays of their length
        What both lose at each of them.
    groups : array of their length, optional
        What each of them belongs to.
    confidence : float
        With which a region is sure, all regions that were looked at together (Bonferroni).
    """
    tried = [
        (column.title, text, inside)
        for column in columns[:MOST_REGION_COLUMNS]
        for text, inside in _ranges(column, rows)
        if inside.sum() >= FEWEST_REGION_ROWS
    ]
    apart, found = model - rule, list[Region]()
    for title, text, inside in tried:
        own = None if groups is None else groups[inside]
        middle = float(apart[inside].mean())
        sure = 1 - (1 - confidence) / len(tried)
        margin = critical_value(sure, own) * mean_error(apart[inside], own)
        if middle - margin > 0:
            found.append(
                Region(
                    _name(title),
                    text,
                    int(inside.sum()),
                    float(model[inside].mean()),
                    float(rule[inside].mean()),
                    (middle - margin, middle + margin),
                )
            )
    found.sort(key=lambda one: -(one.loss - one.rule_loss) * one.rows)
    return tuple(found[:MOST_REGIONS])


def _name(title: str) -> str:
    """Return the name of a column, or its place where it has none.

    Examples
    --------
    >>> _name("column 'age'"), _name("column 0")
    ('age', 'column 0')
    """
    name = title.removeprefix("column ")
    return name[1:-1] if name[0] in "'\"" else title


def _ranges(column: ForeignColumn, rows: Ints) -> Iterator[tuple[str, Bools]]:
    """Yield ranges of numbers, or values, with the rows that have them."""
    values = column.values[rows]
    if column.kind in "iuf" and len(np.unique(values)) > MOST_VALUES:
        yield from _quarters(values.astype(np.float64))
        return
    if column.kind in "mMcV":
        return
    texts = np.array([shorten(value) for value in values.tolist()], dtype=object)
    names, counts = np.unique(texts, return_counts=True)
    for name in names[np.argsort(-counts, kind="stable")[:MOST_VALUES]]:
        yield str(name), np.asarray(texts == name)


def _quarters(values: Floats) -> Iterator[tuple[str, Bools]]:
    """Yield ranges of numbers between their quantiles, and the rows without a number.

    Examples
    --------
    >>> [text for text, _ in _quarters(np.arange(9.0))]
    ['up to 2', 'above 2 up to 4', 'above 4 up to 6', 'above 6']
    """
    missing = np.isnan(values)
    known = values[~missing]
    edges = np.unique(np.quantile(known, np.arange(1, QUARTERS) / QUARTERS, method="lower"))
    ends = [-np.inf, *edges.tolist(), np.inf]
    for low, high in pairwise(ends):
        above = f"above {low:.4g}" if np.isfinite(low) else ""
        below = f"up to {high:.4g}" if np.isfinite(high) else ""
        yield f"{above} {below}".strip(), np.asarray((values > low) & (values <= high))
    if missing.any():
        yield shorten(None), missing
