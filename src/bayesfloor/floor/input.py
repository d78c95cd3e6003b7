"""What `bayes_error` is given: a table that was read or is still to be read, or plain arrays."""

from __future__ import annotations

import inspect
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from bayesfloor.base.errors import DataError
from bayesfloor.base.memory import memory_errors
from bayesfloor.predictions import Predictions, RowPlaces, read_predictions
from bayesfloor.sample.gate import NotNumbersError
from bayesfloor.sample.sample import Sample
from bayesfloor.tables import LabelledTable, ReadOptions, is_readable, read_table

READING_OPTIONS = frozenset(inspect.signature(read_table).parameters) - {
    *("paths", "label", "groups", "time", "sample_weight", "key", "max_memory"),
}
"""The options of `read_table`, which `bayes_error` takes too."""
DIFFERENT_SCALES = 100
"""Ratio of the standard deviations of two columns from which on distances hardly see the smaller
one: it then has a share of 1/10,000 in their squares. A judgement."""
SCALE_ROWS = 10_000
"""Number of rows, evenly spaced, of which standard deviations are compared: they are known to one
percent, and no large sample waits for it. A judgement."""
LABEL_HINT = (
    "; or pass the frame with its labels as a column and name that in label=, which encodes text"
    " and fills in missing values"
)
"""What is added to a message on a frame that could be read as a table."""


def labelled_table(
    X: Any,
    y: Any,
    label: str | int | None,
    reading: dict[str, Any],
    max_memory: int | str | None = None,
    **together: Any,
) -> LabelledTable | None:
    """Return the table that is passed, or that a label is named in; None for points with labels.

    `together` names the columns of groups, times and keys of a table that is still to be read.
    """
    unknown = [name for name in reading if name not in READING_OPTIONS]
    if unknown:
        raise TypeError(f"bayes_error() got an unexpected keyword argument {unknown[0]!r}")
    if label is not None and y is not None:
        raise DataError("both y and label= are given; pass one of them")
    if isinstance(y, str) and is_readable(X):
        label = y
    if label is not None:
        if isinstance(X, LabelledTable):
            raise DataError("label= is for tables that are still to be read; leave it out")
        if not is_readable(X):
            what = f"label= names a column, but X is of type {type(X).__name__}"
            raise DataError(f"{what}; pass a data frame or a path, or the labels as y")
        for option, column in together.items():
            if column is not None and not isinstance(column, str | int):
                what = f"{option}= is of type {type(column).__name__}, and the table has labels"
                raise DataError(f"{what} by name; name the column of {option} too")
        return read_table(X, label=label, max_memory=max_memory, **together, **reading)
    if reading:
        name = next(iter(reading))
        hint = "name the column of labels with label=, or pass it to read_table"
        raise DataError(f"{name}= is for tables that are still to be read; {hint}")
    if isinstance(X, LabelledTable) and y is None:
        return X
    if y is None and (isinstance(X, str | os.PathLike) or hasattr(X, "columns")):
        raise DataError('the column of labels is not named; pass its name, as in label="species"')
    return None


@contextmanager
def label_hint(X: Any) -> Iterator[None]:
    """Say of a frame whose values are no numbers that it would be encoded with its labels."""
    try:
        yield
    except NotNumbersError as problem:
        if hasattr(X, "columns"):
            problem.args = (f"{problem}{LABEL_HINT}",)
        raise


@contextmanager
def no_label_hint() -> Iterator[None]:
    """Take that hint from the message of `bayes_error`, for a caller that has no `label=`."""
    try:
        yield
    except NotNumbersError as problem:
        problem.args = (str(problem).removesuffix(LABEL_HINT),)
        raise


def check_key(key: Any, predictions: Any, table: LabelledTable | None, X: Any) -> None:
    """Refuse a key that joins nothing."""
    if key is None:
        return
    if predictions is None:
        raise DataError("key= joins predictions to rows; pass predictions= too or leave it out")
    if table is None or table is X:
        hint = (
            "name it in read_table" if table is X else "pass predictions in the order of the rows"
        )
        raise DataError(f"key= is for tables that are still to be read; {hint}")


def predictions_of(
    sample: Sample,
    predictions: Any,
    table: LabelledTable | None = None,
    *,
    max_memory: int | str | None = None,
) -> Predictions | None:
    """Return the predictions of a model for the rows that are used, if there are any."""
    if predictions is None:
        return None
    places = RowPlaces(sample.n)
    if table is not None:
        numbers = None if table.row_numbers is None else table.row_numbers.to_numpy()
        places = RowPlaces(sample.n, table.rows_read, numbers, table.key)
    options = ReadOptions(max_memory=max_memory)
    with memory_errors():
        return read_predictions(predictions, sample.classes, places, options)


def group_notes(sample: Sample, groups: Any) -> tuple[str, ...]:
    """Note groups that change nothing."""
    if groups is None or sample.groups is not None:
        return ()
    return ("Every row is a group of its own, so groups= changes nothing.",)


def scale_notes(sample: Sample, X: Any) -> tuple[str, ...]:
    """Note columns of points that differ a hundredfold in scale: distances follow the largest."""
    some = sample.points[:: sample.n // SCALE_ROWS + 1]
    spreads = some.std(axis=0)
    spreads = np.where(spreads > 0, spreads, np.nan)
    if np.isnan(spreads).all():
        return ()
    wide, narrow = int(np.nanargmax(spreads)), int(np.nanargmin(spreads))
    ratio = float(spreads[wide] / spreads[narrow])
    if ratio < DIFFERENT_SCALES:
        return ()
    names = getattr(X, "columns", range(sample.d))
    titles = list(getattr(X, "column_names", names))  # of Arrow, whose columns are arrays
    if len(titles) != sample.d or not all(isinstance(title, str | int) for title in titles):
        titles = list(range(sample.d))
    return (
        f"Columns differ in scale: column {titles[wide]!r} varies {ratio:,.0f} times as much as"
        f" column {titles[narrow]!r}, so distances hardly see the latter; divide columns by their"
        " standard deviation, or pass a data frame or a path with label=, which does so.",
    )
