"""Labels of any type become codes 0..m-1 and the classes that they stand for."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np

from bayesfloor.base.arrays import AnyArray, Ints
from bayesfloor.base.errors import DataError, reading
from bayesfloor.base.formatting import is_missing, show
from bayesfloor.sample.foreign_tables import ForeignTable

MANY_FRACTIONS = 20
"""More different fractions than this look like a continuous label; a judgement, for a hint only."""

MANY_CLASSES = 2000
"""Number of classes up to which two rows of each are enough; a judgement: they take seconds."""
MIN_MEAN_CLASS_ROWS = 5
"""Mean number of rows below which more classes than `MANY_CLASSES` are refused; a judgement: they
look like identifiers, and would take minutes to find out that nothing can be told."""


def class_codes(target: ForeignTable) -> tuple[Ints, AnyArray]:
    """Return labels 0..m-1 and the classes they stand for."""
    with reading(target.name):
        values = target.columns[0].values
        row = first_missing(values)
        if row is not None:
            raise DataError(f"y has a missing label (None or NaN) in row {row}; drop the row")
        labels, classes = codes_of_values(values)
        counts = np.bincount(labels)
        check_classes(classes, counts)
        check_class_number(len(classes), len(labels))
        return labels, classes


def first_missing(values: AnyArray) -> int | None:
    """Return the first row without a value, if there is one: None, NaN or NaT."""
    boxed = values.dtype.kind in "OT"
    missing = [is_missing(v) for v in values] if boxed else values != values  # NaN, NaT
    return int(np.argmax(missing)) if np.any(missing) else None


def codes_of_values(values: AnyArray) -> tuple[Ints, AnyArray]:
    """Return codes from 0 and the values that they stand for, sorted; none may be missing."""
    if values.dtype.kind in "OT":
        return _codes_of_objects(values.tolist())
    different, codes = _codes_of_numbers(values)
    return codes.astype(np.int64, copy=False), different


def _codes_of_numbers(values: AnyArray) -> tuple[AnyArray, Ints]:
    """Sort labels of a plain type; whole numbers close together are counted, which is faster."""
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


def _codes_of_objects(values: list[Any]) -> tuple[Ints, AnyArray]:
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


def check_classes(classes: AnyArray, counts: Ints) -> None:
    """Refuse fewer than two classes, or than two rows of a class."""
    if len(classes) < 2:
        raise DataError(f"y holds one class only, {show(classes[0])}; pass two classes or more")
    single = np.flatnonzero(counts == 1)
    if single.size:
        others = f" (and {single.size - 1} more)" if single.size > 1 else ""
        fractions = classes.dtype.kind == "f" and (classes % 1 != 0).any()
        continuous = fractions and len(classes) > min(counts.sum() / 2, MANY_FRACTIONS)
        hint = ", or cut y into classes, as it looks continuous" if continuous else ""
        raise DataError(
            f"class {show(classes[single[0]])}{others} has a single row;"
            f" add rows or drop the class{hint}"
        )


def check_class_number(m: int, n: int) -> None:
    """Refuse more classes than the rows can tell apart."""
    if m > MANY_CLASSES and n < MIN_MEAN_CLASS_ROWS * m:
        raise DataError(
            f"y has {m:,} classes in {n:,} rows, which are too few to tell so many apart;"
            " merge classes, or cut y into classes if it is a number"
        )
