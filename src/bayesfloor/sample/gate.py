"""The gate: arrays or data frames become a trusted Sample, or one DataError says what to change."""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property
from numbers import Real
from typing import Any

import numpy as np

from bayesfloor.base.arrays import AnyArray, Bools, Floats, Ints
from bayesfloor.base.errors import DataError, reading
from bayesfloor.base.executor import ALL_CORES, ONE_THREAD
from bayesfloor.base.formatting import is_missing, show
from bayesfloor.sample.foreign_tables import ForeignColumn, ForeignTable, read_columns

FOREIGN_KINDS = {"U": "Text", "T": "Text", "S": "Bytes", "M": "Date", "m": "Duration"}
FOREIGN_KINDS |= {"c": "Complex", "V": "Record", "category": "Categorical"}
MANY = 100_000
"""Rows above which columns are centred one by one, on all cores."""
BLOCK = 65_536
"""Rows that are put together at a time."""
MOST_FRACTIONS = 20
"""Classes that are fractions; more of them are a measurement, rounded perhaps."""
SURVIVES = 1e-280
"""Share of the largest magnitude that is a number still after all division by it."""
MOST_EXPONENT = 1000


class _NotNumericError(DataError, TypeError):
    """A DataError that is a TypeError too, as scikit-learn asks for objects among numbers."""


@dataclass(frozen=True, eq=False)
class Sample:
    """Finite points with classes coded 0..m-1, two or more points of each.

    Columns are moved towards zero, and all are divided by one power of two, `scale`, so that the
    largest magnitude lies in [1, 2). Distances are those of the data, divided by `scale`.
    """

    points: Floats  # (n, d), C-contiguous
    labels: Ints  # (n,), indices into classes
    classes: AnyArray  # (m,), the labels as they came, sorted
    scale: float = 1.0
    distinct: bool = False  # known that no two points are equal

    @property
    def n(self) -> int:
        """Number of points."""
        return self.points.shape[0]

    @property
    def d(self) -> int:
        """Number of columns."""
        return self.points.shape[1]

    @property
    def m(self) -> int:
        """Number of classes."""
        return len(self.classes)

    @cached_property
    def counts(self) -> Ints:
        """Points of each class, (m,)."""
        return np.bincount(self.labels, minlength=self.m).astype(np.int64, copy=False)

    @cached_property
    def priors(self) -> Floats:
        """Share of each class among the points, (m,)."""
        return self.counts / self.n

    def only(self, rows: Bools) -> Sample:
        """Return some of the rows, which hold two or more of every class."""
        return replace(self, points=self.points[rows], labels=self.labels[rows])


@np.errstate(all="ignore")
def make_sample(X: Any, y: Any) -> Sample:
    """Check points and labels, and code them as a Sample.

    `X` holds finite numbers, one row a point, in anything NumPy or narwhals reads; `y` one label a
    row, of any type, with two rows or more of each class. Anything else raises DataError.

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
    blocks = _numeric(table)
    return assemble(blocks, *_coded(target))


@np.errstate(all="ignore")
def make_pair(X: Any, Y: Any) -> Sample:
    """Check two point sets with the same columns, and code them as classes 0 and 1.

    Examples
    --------
    >>> make_pair([[1.0], [2.0]], [[5.0], [6.0], [7.0]]).counts.tolist()
    [2, 3]
    """
    tables = read_columns("X", X), read_columns("Y", Y)
    numeric = [_numeric(table) for table in tables]
    _check_same_columns(*tables)
    sizes = np.array([table.shape[0] for table in tables])
    _check_classes(np.array(["X", "Y"]), sizes)
    each = ([column for block in blocks for column in block] for blocks in numeric)
    columns = [np.concatenate(both) for both in zip(*each, strict=True)]
    return assemble(
        as_blocks(columns), np.repeat(np.arange(2, dtype=np.int64), sizes), np.arange(2)
    )


def deal(labels: Ints, count: int, rng: np.random.Generator) -> Ints:
    """Deal the rows of each class out to `count` parts at random, in turn, (n,).

    Classes come in the order of their first rows: their names decide nothing.

    Examples
    --------
    >>> deal(np.array([0, 0, 0, 0, 1, 1]), 2, np.random.default_rng(0)).tolist()
    [0, 1, 1, 0, 1, 0]
    """
    _, first, codes = np.unique(labels, return_index=True, return_inverse=True)
    place = first.argsort().argsort()[codes]
    shuffled = rng.permutation(len(labels))
    part = np.empty(len(labels), dtype=np.int64)
    part[shuffled[np.argsort(place[shuffled], kind="stable")]] = np.arange(len(labels)) % count
    return part


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


def _numeric(table: ForeignTable) -> list[AnyArray]:
    """Return the columns as rows of arrays of bool, integer or float, all finite."""
    _check_points(table)
    with reading(table.name):
        if table.numbers is not None:
            blocks = as_blocks(table.numbers.T)
        else:
            where = (f"{column.title} of {table.name}" for column in table.columns)
            blocks = as_blocks([_numbers(*one) for one in zip(table.columns, where, strict=True)])
        if not all(_finite(block).all() for block in blocks):
            row, j = np.argwhere(~np.vstack([_finite(block) for block in blocks]).T)[0]
            where_not = f"row {row}, {table.columns[j].title} of {table.name}"
            raise DataError(f"missing value, NaN or infinity in {where_not}; drop or impute it")
        return blocks


def _finite(values: AnyArray) -> Bools:
    return np.isfinite(values.astype(np.float64, copy=False))


def _numbers(column: ForeignColumn, where: str) -> AnyArray:
    if column.kind in FOREIGN_KINDS:
        came = f"{FOREIGN_KINDS[column.kind]} data not supported in {where}"
        raise DataError(f"{came}; encode it as numbers or drop it")
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


def assemble(blocks: Sequence[AnyArray], labels: Ints, classes: AnyArray) -> Sample:
    """Centre the columns and divide them by the power of two below their largest magnitude."""
    centred = list((ALL_CORES if len(labels) > MANY else ONE_THREAD).map(_centred, blocks))
    peak = max(max(float(values.max()), -float(values.min())) for values, _ in centred)
    exponent = math.frexp(peak)[1] - 1 if peak else 0
    points = np.empty((len(labels), sum(len(block) for block in blocks)))

    def fill(start: int) -> None:
        rows, first = slice(start, start + BLOCK), 0
        for values, _ in centred:
            last = first + len(values)
            _divide(values[:, rows].T, exponent, points[rows, first:last])
            first = last
        points[rows] += 0.0  # -0.0 becomes 0.0: equal points have equal bytes

    list(ALL_CORES.map(fill, range(0, len(labels), BLOCK)))
    distinct = max(gap for _, gap in centred) > SURVIVES * peak
    return Sample(points, labels, classes, math.ldexp(1.0, exponent), distinct)


def _divide(values: AnyArray, exponent: int, out: Floats) -> None:
    """Divide by a power of two, by a product unless that power is no number."""
    if abs(exponent) < MOST_EXPONENT:
        np.multiply(values, 2.0**-exponent, out=out, casting="same_kind")
    else:
        np.ldexp(values, -exponent, out=out, casting="same_kind")


def as_blocks(columns: Sequence[AnyArray] | AnyArray) -> list[AnyArray]:
    """Return columns as rows of arrays: all together if they are alike and short."""
    if len(columns[0]) <= MANY:
        if isinstance(columns, np.ndarray):
            return [columns]
        if len({values.dtype for values in columns}) == 1:
            return [np.stack(columns)]
    return [values[None] for values in columns]


def _centred(block: AnyArray) -> tuple[AnyArray, float]:
    """Subtract from each row its lower median, a value of its own, so that grids stay exact.

    Returns too the widest of the rows' least gaps between sorted values, 0 if it is not known.

    A row far from zero loses nothing, as the difference of floats within a factor of two is exact
    (Sterbenz). A row that crosses many magnitudes would: it stays as it came unless the gaps
    between its sorted values survive, to nine digits.
    """
    if block.dtype.kind in "biu":
        return _integer_offsets(block), 0.0
    wide = block.astype(np.result_type(block.dtype, np.float64), order="C")
    half = (wide.shape[1] - 1) // 2
    ordered = _sorted(wide, half)
    middle = ordered[:, half : half + 1].copy()
    gaps = ordered[:, 1:] - ordered[:, :-1]
    ordered -= middle
    kept = np.abs(ordered[:, 1:] - ordered[:, :-1] - gaps) <= 2.0**-30 * gaps  # false on overflow
    least = float(gaps.min(axis=1).max()) if wide.dtype == np.float64 else 0.0
    wide -= np.where(kept.all(axis=1, keepdims=True), middle, 0.0)
    return wide, least


def _sorted(rows: AnyArray, half: int) -> AnyArray:
    """Sort each row, long ones by halves on all cores: there may be fewer of them than cores."""
    if rows.shape[1] <= MANY:
        return np.sort(rows)
    ordered = np.partition(rows, half)
    list(ALL_CORES.map(np.ndarray.sort, [ordered[:, :half], ordered[:, half:]]))
    return ordered


def _integer_offsets(block: AnyArray) -> Floats:
    """Subtract the lower median in 64-bit integers, where a wrapped difference is the true one."""
    wide = block.astype(np.uint64 if block.dtype.kind == "u" else np.int64, order="C")
    half = (wide.shape[1] - 1) // 2
    middle = np.partition(wide, half)[:, half : half + 1]
    above = wide >= middle
    distance = np.where(above, wide - middle, middle - wide).view(np.uint64).astype(np.float64)
    return np.where(above, distance, -distance)


def _coded(target: ForeignTable) -> tuple[Ints, AnyArray]:
    """Return labels 0..m-1 and the classes they stand for."""
    with reading(target.name):
        values = target.columns[0].values
        boxed = values.dtype.kind in "OT"
        missing = [is_missing(v) for v in values] if boxed else values != values  # NaN, NaT
        if np.any(missing):
            row = int(np.argmax(missing))
            raise DataError(f"y has a missing label (None or NaN) in row {row}; drop the row")
        if boxed:
            labels, classes = _coded_objects(values.tolist())
        else:
            classes, labels = _coded_plain(values)
        _check_classes(classes, np.bincount(labels))
        return labels.astype(np.int64, copy=False), classes


def _coded_plain(values: AnyArray) -> tuple[AnyArray, Ints]:
    """Sort labels of a plain type; whole numbers that lie close together are counted instead."""
    if values.dtype.kind not in "iu" or len(values) == 0:
        return np.unique(values, return_inverse=True)
    low, high = values.min(), values.max()
    if int(high) - int(low) > len(values):
        return np.unique(values, return_inverse=True)
    wide = values if values.dtype.kind == "u" else values.astype(np.int64)
    place = (wide - low).astype(np.int64)
    present = np.flatnonzero(np.bincount(place))
    code = np.empty(int(present[-1]) + 1, dtype=np.int64)
    code[present] = np.arange(len(present))
    return present.astype(values.dtype) + low, code[place]  # wraps around to the true value


def _coded_objects(values: list[Any]) -> tuple[Ints, AnyArray]:
    """Sort labels, by type and text where they do not compare, never by row."""
    classes = sorted(set(values), key=lambda label: (type(label).__name__, str(label)))
    with suppress(Exception):
        classes = sorted(classes)
    place = {label: code for code, label in enumerate(classes)}
    labels = np.fromiter((place[value] for value in values), np.int64, len(values))
    text = np.array(classes) if all(isinstance(label, str) for label in classes) else None
    if text is not None and text.tolist() == classes:  # NumPy cuts trailing NULs
        return labels, text
    return labels, np.fromiter(classes, dtype=object, count=len(classes))


def _check_classes(classes: AnyArray, counts: Ints) -> None:
    """Refuse fewer than two classes, or than two rows of a class."""
    if len(classes) < 2:
        raise DataError(f"y holds one class only, {show(classes[0])}; pass two classes or more")
    single = np.flatnonzero(counts == 1)
    if single.size:
        others = f" (and {single.size - 1} more)" if single.size > 1 else ""
        fractions = classes.dtype.kind == "f" and (classes % 1 != 0).any()
        continuous = fractions and len(classes) > min(counts.sum() / 2, MOST_FRACTIONS)
        hint = ", or cut y into classes, as it looks continuous" if continuous else ""
        raise DataError(
            f"class {show(classes[single[0]])}{others} has a single row;"
            f" add rows or drop the class{hint}"
        )
