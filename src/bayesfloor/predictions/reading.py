"""The gate for predictions: arrays, data frames or files become one trusted record."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bayesfloor.base.arrays import AnyArray, Floats, Ints
from bayesfloor.base.errors import DataError, error_prefix, reading
from bayesfloor.base.formatting import is_missing, quoted_names, show
from bayesfloor.base.options import check_sums
from bayesfloor.predictions.record import NO_ANSWER, Predictions
from bayesfloor.tables import ReadOptions, find_column, is_readable, read_frame

if TYPE_CHECKING:
    import polars as pl

WRITTEN_SUM_TOLERANCE = 0.02
"""Probabilities may sum to one up to this: they are often written with two digits."""
HARD_PROBABILITIES = frozenset({"0", "1"})
"""Probabilities of a model that is always sure, as texts."""
FEWEST_PREDICTIONS = 2
"""Rows with a prediction, at least: one has no spread."""


@dataclass(frozen=True, slots=True, eq=False)
class RowPlaces:
    """Where the rows that are used were in the table, and what they are called there."""

    n: int  # rows that are used
    total: int | None = None  # rows of the table, if some were left out
    numbers: Ints | None = None  # (n,), places of the rows in the table, likewise
    key: pl.Series | None = None  # (n,), names of the rows


def read_predictions(
    predictions: Any,
    classes: AnyArray,
    places: RowPlaces,
    options: ReadOptions = ReadOptions(),  # noqa: B008  # frozen
) -> Predictions:
    """Read the predictions of a model.

    Parameters
    ----------
    predictions : array of shape (n,) or (n, m), data frame or path
        Classes, or probabilities with a column for each class: of an array in the order of
        `classes`, of a table by their names.
    classes : (m,) array
        The classes, sorted.
    places : RowPlaces
        The rows: predictions have their order, or that of the table they come from, or the same
        key.
    options : ReadOptions
        How a file is written.
    """
    if is_readable(predictions) and not isinstance(predictions, list | tuple):
        read = read_frame(predictions, options)
        is_file = read.name != "data frame"
        with error_prefix(read.name) if is_file else nullcontext():
            return _from_frame(read.frame, classes, places)
    if places.key is not None:
        raise DataError("key= needs predictions in a file or data frame that has the key too")
    with reading("predictions"):
        values = np.asarray(predictions)
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.ndim not in (1, 2):
        shape = " by ".join(map(str, values.shape)) or "a single value"
        raise DataError(f"predictions is {shape}; pass a class a row, or a probability a class")
    found = _of_values(values, classes)
    return _checked(found.take(_order(len(values), places)))


def _order(rows: int, places: RowPlaces) -> Ints:
    """Return which prediction belongs to each row that is used."""
    if rows == places.n:
        return np.arange(rows)
    if rows == places.total and places.numbers is not None:
        return places.numbers
    came = f"{places.n:,}" if places.total is None else f"{places.total:,}"
    raise DataError(
        f"there are {rows:,} predictions for {came} rows; pass one for each, in the same order, or"
        " name a column of both tables by key="
    )


def _from_frame(frame: pl.DataFrame, classes: AnyArray, places: RowPlaces) -> Predictions:
    """Read predictions of a table."""
    key = None
    if places.key is not None:
        name = find_column(frame.columns, places.key.name)
        key, frame = frame[name], frame.drop(name)
    found = _of_columns(frame, classes)
    order = _order(frame.height, places) if key is None else _joined(key, places)
    missing = Predictions(
        np.where(order < 0, NO_ANSWER, found.answers[order]),
        None if found.probabilities is None else _blank(found.probabilities[order], order < 0),
    )
    return _checked(missing)


def _blank(probabilities: Floats, rows: AnyArray) -> Floats:
    probabilities[rows] = np.nan
    return probabilities


def _joined(key: pl.Series, places: RowPlaces) -> Ints:
    """Return which prediction belongs to each row by its key, -1 where there is none."""
    import polars as pl

    assert places.key is not None
    numeric = key.dtype.is_numeric() and places.key.dtype.is_numeric()
    kind = pl.Float64 if numeric else pl.String
    ours, theirs = (
        one.cast(kind, strict=False) if numeric else one.cast(kind, strict=False).str.strip_chars()
        for one in (places.key, key)
    )
    for what, one in (("predictions have", theirs), ("the table has", ours)):
        again = one.drop_nulls().is_duplicated()
        if again.any():
            twice = show(one.drop_nulls().filter(again)[0])
            raise DataError(
                f"{what} the key {twice} more than once; name a column by key= that is different in"
                " every row"
            )
    place = dict(zip(theirs.to_list(), range(len(theirs)), strict=True))
    order = np.array([-1 if one is None else place.get(one, -1) for one in ours], dtype=np.int64)
    if (order < 0).all():
        first = f"{show(theirs[0])} and {show(ours[0])}" if len(theirs) else "none"
        raise DataError(
            f"no key {places.key.name!r} of the predictions is in the table (the first are"
            f" {first}); name another column by key="
        )
    return order


def _of_columns(frame: pl.DataFrame, classes: AnyArray) -> Predictions:
    """Read a column of classes, or a column of probabilities for each class."""
    by_name = {_plain(name): name for name in frame.columns}
    names = [by_name.get(_plain(one)) for one in classes.tolist()]
    named = [name for name in names if name is not None]
    if len(set(named)) < len(named):
        twice = next(name for name in named if named.count(name) > 1)
        raise DataError(
            f"column {twice!r} of the predictions could be for more than one class; rename classes"
            " that differ by spaces only"
        )
    _refuse_lost_class(frame, classes)
    if len(named) == len(classes):
        return _of_values(_numbers(frame[[str(name) for name in named]]), classes)
    if frame.width == 1 and len(named) == 0:
        return _of_values(np.array(frame.to_series().to_list(), dtype=object), classes)
    if len(classes) == 2 and len(named) == 1:
        p = _numbers(frame[[str(named[0])]])[:, 0]
        both = (p, 1 - p) if names[0] is not None else (1 - p, p)
        return _of_values(np.column_stack(both), classes)
    lacking = [one for one, name in zip(classes.tolist(), names, strict=True) if name is None]
    if named:
        raise DataError(
            f"predictions have no column for class {show(lacking[0])}; pass a column of"
            " probabilities for each class, named like it"
        )
    raise DataError(
        f"predictions have the columns {quoted_names(frame.columns)}; pass one column of classes,"
        f" or a column of probabilities for each class: {quoted_names(lacking)}"
    )


def _refuse_lost_class(frame: pl.DataFrame, classes: AnyArray) -> None:
    """Refuse a column of classes without a name, whose first class was taken for it."""
    known = {_plain(one) for one in classes.tolist()}
    name = frame.columns[0] if frame.width == 1 else ""
    if _plain(name) not in known:
        return
    values = {_plain(one) for one in frame[name].drop_nulls().unique()}
    if values <= known and (len(classes) > 2 or not values <= HARD_PROBABILITIES):
        raise DataError(
            f"predictions are classes under the name {name!r}, which is a class too; put another"
            " name in a line above the first"
        )


def _numbers(frame: pl.DataFrame) -> Floats:
    """Return columns of numbers, NaN where a value is missing."""
    for column in frame.iter_columns():
        if not (column.dtype.is_numeric() or str(column.dtype) in ("Boolean", "Null")):
            value = next((one for one in column if one is not None), None)
            came = f"column {column.name!r} of the predictions holds {show(value)}"
            raise DataError(f"{came}; pass probabilities between 0 and 1")
    columns = [column.cast(float).fill_null(np.nan).to_numpy() for column in frame.iter_columns()]
    return np.column_stack(columns)


def _of_values(values: AnyArray, classes: AnyArray) -> Predictions:
    """Check classes, (n,), or probabilities, (n, m)."""
    if values.ndim == 1:
        return Predictions(_codes(values, classes))
    if values.shape[1] != len(classes):
        raise DataError(
            f"predictions have {values.shape[1]} columns and there are {len(classes)} classes; pass"
            f" a probability for each, in the order {quoted_names(classes.tolist())}"
        )
    with reading("predictions", "pass probabilities between 0 and 1"):
        p = np.array(values, dtype=np.float64)
    empty = np.asarray(np.isnan(p).all(axis=1))
    _refuse_probabilities(p, empty)
    p[~empty] /= p[~empty].sum(axis=1, keepdims=True)
    answers = np.full(len(p), NO_ANSWER, dtype=np.int64)
    answers[~empty] = p[~empty].argmax(axis=1)
    return Predictions(answers, p)


def _refuse_probabilities(p: Floats, empty: AnyArray) -> None:
    """Refuse rows that hold no probabilities, and say what and where."""
    with np.errstate(invalid="ignore"):
        wrong = ~((p >= 0) & (p <= 1)) & ~empty[:, None]
    if wrong.any():
        row, column = (int(place) for place in np.argwhere(wrong)[0])
        raise DataError(
            f"predictions hold {p[row, column]:g} in row {row}; pass probabilities between 0 and 1,"
            " or none for the whole row"
        )
    check_sums(p, WRITTEN_SUM_TOLERANCE, name="predicted probabilities")


def _codes(values: AnyArray, classes: AnyArray) -> Ints:
    """Return the code of each predicted class, `NO_ANSWER` where it is missing."""
    known = {_plain(one): c for c, one in enumerate(classes.tolist())}
    codes = np.full(len(values), NO_ANSWER, dtype=np.int64)
    for row, value in enumerate(values.tolist()):
        if is_missing(value):
            continue
        code = known.get(_plain(value))
        if code is None:
            raise DataError(
                f"predictions hold {show(value)} in row {row}, which is no class; the classes are"
                f" {quoted_names(classes.tolist())} (rare ones may be left out: min_class_rows=)"
            )
        codes[row] = code
    return codes


def _plain(value: Any) -> str:
    """Return a class as a text by which it is found: 1, 1.0 and ' 1' are the same."""
    if isinstance(value, bool | np.bool_):
        return str(bool(value))
    if isinstance(value, float | np.floating) and float(value).is_integer():
        return str(int(value))
    return str(value).strip()


def _checked(found: Predictions) -> Predictions:
    if int(found.known.sum()) < FEWEST_PREDICTIONS:
        raise DataError("hardly any row has a prediction; pass one for each row")
    return found
