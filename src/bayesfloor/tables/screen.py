"""Columns that say nothing of new rows, or too much: constants, identifiers and leaks."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING

import numpy as np

from bayesfloor.arrays import Ints
from bayesfloor.errors import DataError
from bayesfloor.tables.choose import listed

if TYPE_CHECKING:
    import polars as pl

PROBE = 1000
"""Rows that show whether values repeat, before all are compared."""
BIRTHDAY = 10
"""All different in spite of n² > 10 · range: by chance that happens once in e⁵ = 148 times."""
LEAK = 0.98
"""Divergence, of 1 at most, that a column alone reaches when it gives the label away."""
LEAK_ROWS = 10_000
"""Rows on which leaks are looked for, spread over the table."""
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
    if column.null_count() in (0, len(column)):
        first = column.head(PROBE)
        return first.n_unique() == 1 and column.n_unique() == 1
    return False


def _is_identifier(column: pl.Series) -> bool:
    """Tell text that never repeats, and whole numbers that by chance would have repeated.

    Values of a measurement that lie in a range of r whole numbers are all different with
    probability near exp(−n²/2r). Fractions, which need never repeat, are left alone.
    """
    import polars as pl

    present = column.drop_nulls()
    n, text = len(present), column.dtype == pl.String
    if n < 3 or not (text or column.dtype.is_numeric()):
        return False
    if not text and not float(present[0]).is_integer():  # spares most columns the rest
        return False
    if present.head(PROBE).is_duplicated().any():
        return False
    if not text:
        low, high = float(present.min()), float(present.max())  # type: ignore[arg-type]
        if n * n <= BIRTHDAY * (high - low) or not (present == present.floor()).all():
            return False
    return bool(present.n_unique() == n)


RULES: dict[str, Callable[[pl.Series], bool]] = {
    "the value is the same in all rows": _is_constant,
    "the value is another in every row, like an identifier": _is_identifier,
}
"""Why a column is left out, and what tells it."""


def leak_notes(frame: pl.DataFrame, labels: pl.Series) -> tuple[str, ...]:
    """Name the columns that give the label away all by themselves."""
    import polars as pl

    step = -(-len(labels) // LEAK_ROWS)
    if len(labels) < FEWEST_ROWS:
        return ()
    codes = _codes(labels.to_frame().gather_every(step))[0]
    found = [
        column.name
        for column, values in zip(
            frame.iter_columns(), _codes(frame.gather_every(step)), strict=True
        )
        if own_divergence(values, codes, ordered=column.dtype != pl.String) >= LEAK
    ]
    note = (
        f"Each of these columns tells the label almost by itself: {listed(found)}; if it is known"
        " only after the label, --drop it, as it makes the floor too low."
    )
    return (note,) if found else ()


def own_divergence(values: Ints, labels: Ints, *, ordered: bool) -> float:
    """Return the Henze-Penrose divergence, of any number of classes, that one column reaches.

    Of a category, two rows of the same value are compared; a value that comes once agrees as
    often as any two rows. Of numbers, neighbours in their order are, ties in random order; the
    m − 1 borders that m classes must have are not counted.
    """
    m, n = int(labels.max()) + 1, len(labels)
    keys, counts = np.unique(values * m + labels, return_counts=True)
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


def _codes(frame: pl.DataFrame) -> list[Ints]:
    """Return the places of values in their order, from 0, by column; a missing one has its own."""
    import polars as pl

    plain = frame.with_columns(pl.col(pl.Boolean).cast(pl.Int8))
    ranks = plain.select(pl.all().rank("dense").cast(pl.Int64))
    codes = [r.fill_null(0) if r.null_count() else r - 1 for r in ranks.iter_columns()]
    return [values.to_numpy() for values in codes]
