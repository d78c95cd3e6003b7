"""Columns that say nothing of new rows, or too much: constants, identifiers and leaks."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING

import numpy as np

from bayesfloor.base.arrays import AnyArray, Floats, Ints
from bayesfloor.base.errors import DataError
from bayesfloor.tables.column_choice import listed
from bayesfloor.tables.text_levels import coded

if TYPE_CHECKING:
    import polars as pl

PROBE = 1000
"""Rows that show whether values repeat, before all are compared."""
BIRTHDAY = 10
"""All different in spite of n² > 10 · range: by chance that happens once in e⁵ = 148 times."""
LEAK = 0.98
"""Divergence, of 1 at most, that a column alone reaches when it gives the label away."""
LEAK_ROWS = 5000
"""Rows on which leaks are looked for, drawn at random, as classes may come in turn."""
FEWEST_ROWS = 30
"""Fewer rows separate too easily to speak of a leak."""


def useful_columns(
    frame: pl.DataFrame, keep: Collection[str]
) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """Return the frame without constants and identifiers, and notes that name them."""
    useless = []
    for reason, applies in RULES.items():
        found = [c.name for c in frame.iter_columns() if c.name not in keep and applies(c)]
        if found:
            useless.append(f"{reason}: {listed(found)}")
            frame = frame.drop(found)
    if not frame.width:
        hint = "pass columns that tell rows apart, or --keep these"
        raise DataError(f"no column is left, as {', and '.join(useless)}; {hint}")
    return frame, tuple(f"Left out, as {what}; --keep keeps a column." for what in useless)


def _is_constant(column: pl.Series) -> bool:
    """Tell a column of one value; that some values are missing may mean something."""
    if column.null_count() not in (0, len(column)) or column[0] != column[-1]:
        return False
    return column.head(PROBE).n_unique() == 1 and column.n_unique() == 1


def _is_identifier(column: pl.Series) -> bool:
    """Tell text that never repeats, and whole numbers that by chance would have repeated.

    Values of a measurement that lie in a range of r whole numbers are all different with
    probability near exp(−n²/2r). Fractions, which need never repeat, are left alone.
    """
    import polars as pl

    dtype = column.dtype
    if dtype == pl.String:  # text that repeats has codes
        return bool(column.count() > 2)
    return dtype == pl.Float64 and _counts_rows(column)


def _counts_rows(column: pl.Series) -> bool:
    """Tell whole numbers that never repeat though their range is narrow."""
    first = column[0]
    if first is not None and not first.is_integer():  # spares most columns the rest
        return False
    probe = column.head(PROBE).drop_nulls()
    if probe.n_unique() < len(probe):
        return False
    present = column.drop_nulls()
    if len(present) < 3 or not (present == present.floor()).all():
        return False
    n, low, high = len(present), float(present.min()), float(present.max())  # type: ignore[arg-type]
    return n * n > BIRTHDAY * (high - low) and bool(present.n_unique() == n)


RULES: dict[str, Callable[[pl.Series], bool]] = {
    "the value is the same in all rows": _is_constant,
    "the value is another in every row, like an identifier": _is_identifier,
}
"""Why a column is left out, and what tells it."""


def leak_notes(frame: pl.DataFrame, labels: pl.Series) -> tuple[str, ...]:
    """Name the columns that give the label away all by themselves."""
    import polars as pl

    if len(labels) < FEWEST_ROWS:
        return ()
    some = _some_rows(len(labels))
    classes = _places(labels, some)
    found = [
        values.name
        for values in _comparable(frame).iter_columns()
        if gives_away(values.to_numpy()[some], classes, ordered=values.dtype == pl.Float64)
    ]
    note = (
        f"Each of these columns tells the label almost by itself: {listed(found)}; if it is known"
        " only after the label, --drop it, as it makes the floor too low."
    )
    return (note,) if found else ()


def _some_rows(n: int) -> slice | Ints:
    """Draw the rows on which leaks are looked for, always the same, or take all."""
    rng = np.random.default_rng(0)
    return slice(None) if n <= LEAK_ROWS else rng.choice(n, LEAK_ROWS, replace=False, shuffle=False)


def own_divergence(values: Ints, labels: Ints, *, ordered: bool) -> float:
    """Return the Henze-Penrose divergence, of any number of classes, that one column reaches.

    Of a category, two rows of the same value are compared; a value that comes once agrees as
    often as any two rows. Of numbers, neighbours in their order are, ties in random order; the
    m − 1 borders that m classes must have are not counted.
    """
    m, n = int(labels.max()) + 1, len(labels)
    keys, counts = _counted(values * m + labels)
    place = keys // m
    size = np.bincount(values)
    classes = np.bincount(labels)
    chance = float((classes * (classes - 1)).sum() / (n * (n - 1)))
    pairs = np.bincount(place, counts * (counts - 1))
    if not ordered:
        agree = np.where(size > 1, pairs / np.maximum(size - 1, 1), chance * size).sum() / n
    else:
        following = np.searchsorted(keys, keys + m)
        meets = (following < len(keys)) & (keys[np.minimum(following, len(keys) - 1)] == keys + m)
        share = counts / size[place]
        across = (share[meets] * share[following[meets]]).sum()
        agree = min((across + (pairs / np.maximum(size, 1)).sum() + m - 1) / (n - 1), 1.0)
    return 1 - (1 - float(agree)) / (1 - chance) if chance < 1 else 0.0


def _counted(keys: Ints) -> tuple[Ints, Ints]:
    """Return the different keys in order and how often they come, mostly without sorting."""
    if int(keys.max()) > 10 * len(keys):
        return np.unique(keys, return_counts=True)
    counts = np.bincount(keys)
    found = np.flatnonzero(counts)
    return found, counts[found]


def _comparable(frame: pl.DataFrame) -> pl.DataFrame:
    """Return numbers, and codes of texts as integers; a missing value is below all others."""
    import polars as pl

    def found(column: pl.Series) -> pl.Expr:
        values, dtype = pl.col(column.name), column.dtype
        if dtype not in (pl.String, pl.Enum):
            return values.cast(pl.Float64).fill_null(-np.inf)
        codes = values.rank("dense") if dtype == pl.String else values.to_physical()
        return codes.cast(pl.Int64).fill_null(-1) + 1

    plain = all(c.dtype == pl.Float64 and not c.null_count() for c in frame.iter_columns())
    return frame if plain else frame.select(map(found, frame.iter_columns()))


def gives_away(values: AnyArray, labels: Ints, *, ordered: bool) -> bool:
    """Tell whether numbers, or codes that are not ordered, give the label away."""
    if not ordered:
        return own_divergence(values, labels, ordered=False) >= LEAK
    most = (1 - LEAK) * (len(labels) - 1) + labels.max()
    for step in (-(-len(labels) // PROBE), 1):  # some rows have no more borders than all
        codes, classes, borders = _in_order(values[::step], labels[::step])
        if borders > most:
            return False
    return own_divergence(codes, classes, ordered=True) >= LEAK


def _in_order(values: Floats, labels: Ints) -> tuple[Ints, Ints, int]:
    """Return the places of numbers in their order, the labels in that order, and their borders.

    A border lies between two numbers that follow each other, come once, and differ in the label.
    """
    order = np.argsort(values)
    values, labels = values[order], labels[order]
    fresh = np.concatenate([[True], values[1:] != values[:-1], [True]])
    alone = fresh[1:] & fresh[:-1]
    borders = np.count_nonzero((labels[1:] != labels[:-1]) & alone[1:] & alone[:-1])
    return np.cumsum(fresh[:-1]) - 1, labels, int(borders)


def _places(labels: pl.Series, some: slice | Ints) -> Ints:
    """Return the places of some labels in their order, from 0."""
    import polars as pl

    if labels.dtype.is_numeric() or labels.dtype == pl.Boolean:
        return np.unique(labels.to_numpy()[some], return_inverse=True)[1]
    return coded(labels[some]).to_physical().cast(pl.Int64).to_numpy()
