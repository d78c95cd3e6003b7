"""The gate: arrays or data frames become a trusted Sample, or one DataError says what to change."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np

from bayesfloor.base.arrays import AnyArray, Bools, Ints
from bayesfloor.base.errors import DataError, reading
from bayesfloor.base.executor import ALL_CORES, Executor
from bayesfloor.base.formatting import is_missing, show
from bayesfloor.sample.assembly import (
    LIMITS,
    AssemblyLimits,
    as_blocks,
    assemble,
    fitting_limits,
)
from bayesfloor.sample.class_codes import check_classes, class_codes
from bayesfloor.sample.distinct_points import make_cells
from bayesfloor.sample.foreign_tables import ForeignColumn, ForeignTable, read_columns
from bayesfloor.sample.groups import canonical_groups, group_codes
from bayesfloor.sample.sample import Sample
from bayesfloor.sample.time_blocks import time_blocks

FOREIGN_KINDS = {"U": "Text", "T": "Text", "S": "Bytes", "M": "Date", "m": "Duration"}
FOREIGN_KINDS |= {"c": "Complex", "V": "Record", "category": "Categorical"}
"""What NumPy's letters for types that are not numbers mean to a reader."""


class NotNumbersError(DataError):
    """Says that values are no numbers, or missing: a table that is read would have them encoded."""


class _NotNumericError(NotNumbersError, TypeError):
    """A DataError that is a TypeError too, as scikit-learn asks for objects among numbers."""


@np.errstate(all="ignore")
def make_sample(
    X: Any,
    y: Any,
    *,
    groups: Any = None,
    time: Any = None,
    executor: Executor = ALL_CORES,
    limits: AssemblyLimits = LIMITS,
) -> Sample:
    """Check points, labels and groups, and code them as a Sample.

    `X` holds finite numbers, one row a point, in anything NumPy or narwhals reads; `y` one label a
    row, of any type, with two rows or more of each class; `groups` one value a row, of any type,
    two of them or more; `time`, in their place, numbers or dates. Anything else raises DataError.

    Examples
    --------
    >>> sample = make_sample([[3, 1], [3, 2], [5, 1], [4, 4]], ["no", "yes", "no", "yes"])
    >>> sample.n, sample.d, sample.classes.tolist(), sample.labels.tolist()
    (4, 2, ['no', 'yes'], [0, 1, 0, 1])
    >>> (sample.points * sample.scale).tolist()
    [[0.0, 0.0], [0.0, 1.0], [2.0, 0.0], [1.0, 3.0]]
    """
    if y is None:
        raise DataError("this method requires y to be passed, but the target y is None")
    table, target = read_columns("X", X), read_columns("y", y)
    _check_target(table, target)
    limits = fitting_limits(table.shape[0], table.shape[1], limits, executor=executor)
    blocks = _numeric(table, limits)
    if groups is not None and time is not None:
        raise DataError("groups= and time= are both given; pass one of them")
    sample = assemble(blocks, *class_codes(target), executor=executor, limits=limits)
    if time is not None:
        return with_groups(sample, time_blocks(time, sample.labels))
    return sample if groups is None else with_groups(sample, group_codes(groups, sample.n))


def with_groups(sample: Sample, groups: Ints) -> Sample:
    """Return a sample whose rows belong to groups, coded in any order."""
    return replace(sample, groups=canonical_groups(groups, make_cells(sample), sample.labels))


@np.errstate(all="ignore")
def make_pair(X: Any, Y: Any, *, executor: Executor = ALL_CORES) -> Sample:
    """Check two point sets with the same columns, and code them as classes 0 and 1.

    Examples
    --------
    >>> make_pair([[1.0], [2.0]], [[5.0], [6.0], [7.0]]).counts.tolist()
    [2, 3]
    """
    tables = read_columns("X", X), read_columns("Y", Y)
    for table in tables:
        _check_points(table)
    rows = sum(table.shape[0] for table in tables)
    limits = fitting_limits(rows, tables[0].shape[1], executor=executor)
    numeric = [_numeric(table, limits) for table in tables]
    _check_same_columns(*tables)
    sizes = np.array([table.shape[0] for table in tables])
    check_classes(np.array(["X", "Y"]), sizes)
    each = ([column for block in blocks for column in block] for blocks in numeric)
    columns = [np.concatenate(both) for both in zip(*each, strict=True)]
    labels = np.repeat(np.arange(2, dtype=np.int64), sizes)
    blocks = as_blocks(columns, limits)
    return assemble(blocks, labels, np.arange(2), executor=executor, limits=limits)


def _check_target(table: ForeignTable, target: ForeignTable) -> None:
    """Refuse labels that are not one a row."""
    shape = target.shape
    if len(table.shape) == 1 and len(shape) == 2 and shape[1] > 1:
        raise DataError(f"X is 1-D and y has shape {shape}; swap them, points come before labels")
    if not shape:
        raise DataError(f"y is a single {target.type_name}; pass one label a row")
    if shape[1:] not in ((), (1,)):
        raise DataError(f"y should be a 1d array, but has shape {shape}; pass one label a row")
    _check_points(table)
    if table.shape[0] != shape[0]:
        raise DataError(f"X has {table.shape[0]} rows and y has {shape[0]}; pass one label a row")


def _check_points(table: ForeignTable) -> None:
    """Refuse points that are not rows and columns."""
    name, shape = table.name, table.shape
    if not shape:
        raise DataError(f"{name} is a single {table.type_name}; pass a 2-D array or a data frame")
    for size, unit in zip(shape, ("sample", "feature"), strict=False):
        if size == 0:
            raise DataError(
                f"Found array with 0 {unit}(s) (shape={shape}) while a minimum of 1 is required;"
                f" pass {name} with rows and columns"
            )
    if len(shape) != 2:
        call = "reshape(-1, 1)" if len(shape) == 1 else f"reshape({shape[0]}, -1)"
        raise DataError(f"Reshape your data: {name} is {len(shape)}-D, call {name}.{call} on it")


def _check_same_columns(x: ForeignTable, y: ForeignTable) -> None:
    """Refuse other columns in Y than in X; an array's columns go by their place."""
    if x.shape[1] != y.shape[1]:
        raise DataError(f"X has {x.shape[1]} columns and Y has {y.shape[1]}; pass the same columns")
    titles = [[column.title for column in table.columns] for table in (x, y)]
    places = [f"column {j}" for j in range(x.shape[1])]
    for ours, theirs in zip(*titles, strict=True):
        if ours != theirs and places not in titles:
            raise DataError(f"{ours} of X meets {theirs} of Y; order the columns alike")


def _numeric(table: ForeignTable, limits: AssemblyLimits = LIMITS) -> list[AnyArray]:
    """Return the columns as rows of arrays of bool, integer or float, all finite."""
    _check_points(table)
    with reading(table.name):
        if table.numbers is not None:
            blocks = as_blocks(table.numbers.T, limits)
        else:
            where = (f"{column.title} of {table.name}" for column in table.columns)
            numbers = [_numbers(*one) for one in zip(table.columns, where, strict=True)]
            blocks = as_blocks(numbers, limits)
        if not all(_finite(block).all() for block in blocks):
            row, j = np.argwhere(~np.vstack([_finite(block) for block in blocks]).T)[0]
            where_not = f"row {row}, {table.columns[j].title} of {table.name}"
            raise NotNumbersError(
                f"missing value, NaN or infinity in {where_not}; drop or impute it"
            )
        return blocks


def _finite(values: AnyArray) -> Bools:
    """Tell which numbers are finite in their own type; whether they fit is seen once centred."""
    return np.isfinite(values)


def _numbers(column: ForeignColumn, where: str) -> AnyArray:
    if column.kind in FOREIGN_KINDS:
        came = f"{FOREIGN_KINDS[column.kind]} data not supported in {where}"
        raise NotNumbersError(f"{came}; encode it as numbers or drop it")
    return _unboxed(column.values, where) if column.kind == "O" else column.values


def _unboxed(values: AnyArray, where: str) -> AnyArray:
    """Turn a column of Python numbers into a plain one, missing values into NaN."""
    plain = [np.nan if is_missing(value) else value for value in values]
    for row, value in enumerate(plain):
        if not isinstance(value, Real | Decimal | np.bool_):
            raise _NotNumericError(
                f"{where} holds {show(value)} in row {row}, where an argument must be numeric;"
                " turn strings into numbers or drop the column"
            )
    array = np.asarray(plain)
    return array if array.dtype.kind in "biuf" else np.array([float(value) for value in plain])
