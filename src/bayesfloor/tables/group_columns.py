"""Columns that look like names of what rows belong to: few rows each, all with the same label."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bayesfloor.base.arrays import Floats, Ints
from bayesfloor.base.cautions import Caution
from bayesfloor.base.formatting import quoted_names
from bayesfloor.tables.leaks import column_divergence

if TYPE_CHECKING:
    import polars as pl

FEWEST_VALUES = 10
"""Different values that names of groups have at least: fewer are a category. A judgement."""
FEWEST_ROWS_EACH = 3
"""Rows of a value, on average, at least, so that they can agree: a judgement."""
SAME_LABEL = 0.9
"""Henze-Penrose divergence, from 0 to 1, from which on rows of a value have the same label: of two
equal classes, one pair in twenty then differs. A judgement."""


def group_column_notes(frame: pl.DataFrame, labels: pl.Series) -> tuple[str, ...]:
    """Name the columns whose values look like groups, and the option for them."""
    classes = np.unique(labels.to_numpy(), return_inverse=True)[1]
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
    """Tell a column of text or whole numbers whose values have several rows and one label each."""
    values = _codes(column)
    if values is None:
        return False
    count, n = int(values.max()) + 1, len(values)
    if not FEWEST_VALUES <= count <= n / FEWEST_ROWS_EACH or count <= 2 * (classes.max() + 1):
        return False
    return column_divergence(values, classes, ordered=False) >= SAME_LABEL


def _codes(column: pl.Series) -> Ints | None:
    """Return texts or whole numbers as codes; None for other columns, or where some are missing."""
    import polars as pl

    if column.null_count() or not len(column):
        return None
    if isinstance(column.dtype, pl.Enum):
        values: Floats | Ints = column.to_physical().to_numpy()
    elif column.dtype == pl.Float64 and (column == column.floor()).all():
        values = column.to_numpy()
    else:
        return None
    return np.unique(values, return_inverse=True)[1]
