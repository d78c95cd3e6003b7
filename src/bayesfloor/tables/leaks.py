"""Columns that give the label away on their own are named: they may be known only after it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bayesfloor.base.arrays import AnyArray, Floats, Ints
from bayesfloor.base.cautions import Caution
from bayesfloor.base.formatting import quoted_names
from bayesfloor.tables.text_columns import as_enum

if TYPE_CHECKING:
    import polars as pl

LEAK_DIVERGENCE = 0.98
"""Henze-Penrose divergence, from 0 to 1, from which on a column counts as a leak: of two equal
classes, at most 1 % of the compared pairs then differ in the label. A judgement."""
MIN_LEAK_ROWS = 30
"""Number of rows from which on leaks are searched: fewer are separated by chance. A judgement."""
MAX_LEAK_ROWS = 5000
"""Number of rows, drawn at random, on which leaks are searched: for two equal
classes the standard error of the divergence is then about 0.003 at the threshold."""
SKETCH_ROWS = 1000
"""Number of rows that can acquit a column before all are looked at. It affects the time and not the
result; a judgement."""
MAX_SPARSITY = 10
"""Keys are counted in an array up to this many times their number long, and sorted beyond; a
judgement that was not measured, and affects the time only."""


def leak_notes(frame: pl.DataFrame, classes: Ints) -> tuple[str, ...]:
    """Name the columns that almost determine the label on their own."""
    import polars as pl

    if len(classes) < MIN_LEAK_ROWS:
        return ()
    rows = _sampled_rows(len(classes))
    classes = np.unique(classes[rows], return_inverse=True)[1]
    leaks = [
        values.name
        for values in _comparable(frame[rows]).iter_columns()
        if is_leak(values.to_numpy(), classes, ordered=values.dtype == pl.Float64)
    ]
    note = Caution(
        f"Possible leak: {quoted_names(leaks)}",
        f"These columns almost determine the label on their own: {quoted_names(leaks)}; leave out,"
        " by drop=, those that are known only after the label, as they make the floor too low.",
    )
    return (note,) if leaks else ()


def _sampled_rows(n: int) -> slice | Ints:
    """Return all rows, or a random sample of many, the same at every call."""
    if n <= MAX_LEAK_ROWS:
        return slice(None)
    return np.random.default_rng(0).choice(n, MAX_LEAK_ROWS, replace=False, shuffle=False)


def label_codes(labels: pl.Series) -> Ints:
    """Return labels as codes from 0."""
    import polars as pl

    if labels.dtype.is_numeric() or labels.dtype == pl.Boolean:
        return np.unique(labels.to_numpy(), return_inverse=True)[1]
    return as_enum(labels).to_physical().cast(pl.Int64).to_numpy()


def _comparable(frame: pl.DataFrame) -> pl.DataFrame:
    """Return numbers as Float64 and texts as Int64 codes; a missing value is less than others."""
    import polars as pl

    def values_of(column: pl.Series) -> pl.Expr:
        values, dtype = pl.col(column.name), column.dtype
        if dtype.is_temporal():
            values = values.to_physical()
        if dtype not in (pl.String, pl.Enum):
            return values.cast(pl.Float64).fill_null(-np.inf)
        codes = values.rank("dense") if dtype == pl.String else values.to_physical()
        return codes.cast(pl.Int64).fill_null(-1) + 1

    plain = all(c.dtype == pl.Float64 and not c.null_count() for c in frame.iter_columns())
    return frame if plain else frame.select(map(values_of, frame.iter_columns()))


def is_leak(values: AnyArray, labels: Ints, *, ordered: bool) -> bool:
    """Return whether numbers (ordered), or codes of a category (not), give the label away."""
    if not ordered:
        return column_divergence(values, labels, ordered=False) >= LEAK_DIVERGENCE
    most = (1 - LEAK_DIVERGENCE) * (len(labels) - 1) + labels.max()
    for step in (-(-len(labels) // SKETCH_ROWS), 1):  # a part has no more borders than the whole
        codes, classes, borders = _in_order(values[::step], labels[::step])
        if borders > most:
            return False
    return column_divergence(codes, classes, ordered=True) >= LEAK_DIVERGENCE


def _in_order(values: Floats, labels: Ints) -> tuple[Ints, Ints, int]:
    """Sort numbers; return their dense ranks, the labels in the same order, and the borders.

    A border lies between two consecutive numbers that occur once each and differ in the label.
    """
    order = np.argsort(values)
    values, labels = values[order], labels[order]
    fresh = np.concatenate([[True], values[1:] != values[:-1], [True]])
    single = fresh[1:] & fresh[:-1]
    borders = np.count_nonzero((labels[1:] != labels[:-1]) & single[1:] & single[:-1])
    return np.cumsum(fresh[:-1]) - 1, labels, int(borders)


def column_divergence(values: Ints, labels: Ints, *, ordered: bool) -> float:
    r"""Return the Henze-Penrose divergence of the classes, for any number of them, in one column.

    It is :math:`1 - (1 - a) / (1 - a_0)`, where :math:`a` is the share of compared pairs whose
    labels agree, and :math:`a_0` that of all pairs. In a category, rows with the same value are
    compared; a value that occurs once agrees with probability :math:`a_0`. In numbers, neighbours
    in sorted order are, averaged over the orders of ties; the m − 1 borders that m classes always
    have do not count.
    """
    m, n = int(labels.max()) + 1, len(labels)
    keys, counts = _counts(values * m + labels)
    value = keys // m
    size = np.bincount(values)
    classes = np.bincount(labels)
    chance = float((classes * (classes - 1)).sum() / (n * (n - 1)))
    pairs = np.bincount(value, counts * (counts - 1))
    if not ordered:
        agree = np.where(size > 1, pairs / np.maximum(size - 1, 1), chance * size).sum() / n
    else:
        following = np.searchsorted(keys, keys + m)
        meets = (following < len(keys)) & (keys[np.minimum(following, len(keys) - 1)] == keys + m)
        share = counts / size[value]
        across = (share[meets] * share[following[meets]]).sum()
        agree = min((across + (pairs / np.maximum(size, 1)).sum() + m - 1) / (n - 1), 1.0)
    return 1 - (1 - float(agree)) / (1 - chance) if chance < 1 else 0.0


def _counts(keys: Ints) -> tuple[Ints, Ints]:
    """Return the different keys in order and their counts, mostly without sorting."""
    if int(keys.max()) > MAX_SPARSITY * len(keys):
        return np.unique(keys, return_counts=True)
    counts = np.bincount(keys)
    present = np.flatnonzero(counts)
    return present, counts[present]
