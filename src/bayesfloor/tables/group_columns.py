"""Columns that look like names of what rows belong to: few rows each, all with the same label."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bayesfloor.base.arrays import Ints
from bayesfloor.base.cautions import Caution
from bayesfloor.base.formatting import quoted_names
from bayesfloor.tables.leaks import MAX_SPARSITY, SKETCH_ROWS, column_divergence
from bayesfloor.tables.screening import FIRST_ROWS

if TYPE_CHECKING:
    import polars as pl

FEWEST_VALUES = 10
"""Different values that names of groups have at least: fewer are a category. A judgement."""
FEWEST_ROWS_EACH = 3
"""Rows of a value, on average, at least, so that they can agree: a judgement."""
SAME_LABEL = 0.9
"""Henze-Penrose divergence, from 0 to 1, from which on rows of a value have the same label: of two
equal classes, one pair in twenty then differs. A judgement."""


def group_column_notes(frame: pl.DataFrame, classes: Ints) -> tuple[str, ...]:
    """Name the columns whose values look like groups, and the option for them."""
    names = [column.name for column in frame.iter_columns() if looks_like_groups(column, classes)]
    if not names:
        return ()
    return (
        Caution(
            f"Rows that belong together: {quoted_names(names)}?",
            f"Rows with the same value of {quoted_names(names)} have nearly always the same label,"
            " as if they were rows of one person or thing. If so, name that column by groups=: the"
            " floor is then that of new ones, and not of those that are known.",
        ),
    )


def looks_like_groups(column: pl.Series, classes: Ints) -> bool:
    """Tell a column of text or whole numbers whose values have several rows and one label each.

    Some of the rows acquit most columns: rows of a value that agree do so in any part of them.
    """
    if not len(column) or column.null_count():
        return False
    step = -(-len(column) // SKETCH_ROWS)
    if step > 1:
        sketched = _divergence_within_values(column.gather_every(step), classes[::step])
        if sketched is not None and sketched < SAME_LABEL / 2:
            return False
    found = _divergence_within_values(column, classes)
    return found is not None and found >= SAME_LABEL


def _divergence_within_values(column: pl.Series, classes: Ints) -> float | None:
    """Return the divergence of the classes by value; None for values that are no groups' names."""
    codes = _codes(column)
    if codes is None:
        return None
    present = np.bincount(codes) > 0
    count = np.count_nonzero(present)
    few, many = count < FEWEST_VALUES, count > len(column) / FEWEST_ROWS_EACH
    if few or many or count <= 2 * (classes.max() + 1):
        return None
    dense = codes if count == len(present) else (np.cumsum(present) - 1)[codes]
    return column_divergence(dense, classes, ordered=False)


def _codes(column: pl.Series) -> Ints | None:
    """Return texts or whole numbers as codes from 0; None for others, and where that tells enough.

    Numbers are sorted only if they are far apart and repeat.
    """
    import polars as pl

    dtype = column.dtype
    if isinstance(dtype, pl.Enum) and len(dtype.categories) >= FEWEST_VALUES:
        return column.to_physical().cast(pl.Int64).to_numpy()
    if not dtype.is_float() or not _are_whole(column):
        return None
    column = column.cast(pl.Float64)
    least, greatest = float(column.min()), float(column.max())  # type: ignore[arg-type]
    if greatest - least <= MAX_SPARSITY * len(column):
        return (column - least).cast(pl.Int64).to_numpy()
    if column.n_unique() > len(column) / FEWEST_ROWS_EACH:
        return None
    return np.unique(column.to_numpy(), return_inverse=True)[1]


def _are_whole(numbers: pl.Series) -> bool:
    return all((part == part.floor()).all() for part in (numbers.head(FIRST_ROWS), numbers))
