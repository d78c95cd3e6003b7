"""Columns that look like names of what rows belong to: few rows each, all with the same label."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bayesfloor.base.arrays import Ints
from bayesfloor.base.cautions import Caution
from bayesfloor.base.formatting import quoted_names
from bayesfloor.tables.leaks import MAX_SPARSITY, class_codes, column_divergence
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


def group_column_notes(frame: pl.DataFrame, labels: pl.Series) -> tuple[str, ...]:
    """Name the columns whose values look like groups, and the option for them."""
    classes = class_codes(labels)
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
    n = len(column)
    if not n or column.null_count() or not _is_text_or_whole(column):
        return False
    count = column.n_unique()
    if not FEWEST_VALUES <= count <= n / FEWEST_ROWS_EACH or count <= 2 * (classes.max() + 1):
        return False
    return column_divergence(_codes(column), classes, ordered=False) >= SAME_LABEL


def _is_text_or_whole(column: pl.Series) -> bool:
    import polars as pl

    if column.dtype != pl.Float64:
        return isinstance(column.dtype, pl.Enum)
    return all((part == part.floor()).all() for part in (column.head(FIRST_ROWS), column))


def _codes(column: pl.Series) -> Ints:
    """Return texts or whole numbers as codes from 0, without sorting unless these are far apart."""
    import polars as pl

    if column.dtype != pl.Float64:
        return column.to_physical().cast(pl.Int64).to_numpy()
    least, greatest = float(column.min()), float(column.max())  # type: ignore[arg-type]
    if greatest - least > MAX_SPARSITY * len(column):
        return np.unique(column.to_numpy(), return_inverse=True)[1]
    return (column - least).cast(pl.Int64).to_numpy()
