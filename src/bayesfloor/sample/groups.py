"""Rows that belong together: groups of any names become codes, in an order of their own.

Codes follow the rows that a group has, never its name or place, so that neither changes an answer.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from bayesfloor.base.arrays import AnyArray, Ints
from bayesfloor.base.errors import DataError, reading
from bayesfloor.base.formatting import show
from bayesfloor.sample.class_codes import codes_of_values, first_missing
from bayesfloor.sample.distinct_points import Cells
from bayesfloor.sample.foreign_tables import read_columns


def group_codes(groups: Any, n: int, *, name: str = "groups") -> Ints:
    """Check the groups of n rows, one a row and two of them or more, and code them from 0.

    Examples
    --------
    >>> group_codes(["ann", "bob", "ann"], 3).tolist()
    [0, 1, 0]
    """
    values = one_value_a_row(groups, n, name=name)
    codes, names = codes_of_values(values)
    if len(names) < 2:
        raise DataError(
            f"{name} holds one group only, {show(names[0])}, and rows of one group are not"
            f" compared; leave {name}= out, or pass two groups or more"
        )
    return codes


def one_value_a_row(values: Any, n: int, *, name: str) -> AnyArray:
    """Return a column of n values, none of them missing."""
    column = read_columns(name, values)
    if column.shape not in ((n,), (n, 1)):
        raise DataError(
            f"{name} has shape {column.shape}, and X has {n} rows; pass one value a row"
        )
    with reading(name):
        found = column.columns[0].values
        row = first_missing(found)
        if row is not None:
            raise DataError(f"{name} has a missing value in row {row}; give every row one")
        return found


def canonical_groups(groups: Ints, cells: Cells, labels: Ints) -> Ints | None:
    """Return codes in an order by the rows of each group; None if all groups have one row.

    Parameters
    ----------
    groups : (n,) array
        Codes from 0, none left out.
    cells : Cells
        The distinct points of the rows.
    labels : (n,) array
        The class of each row.

    Examples
    --------
    >>> from bayesfloor.sample.distinct_points import make_cells
    >>> from bayesfloor.sample.gate import make_sample
    >>> sample = make_sample([[5], [5], [1], [2]], [0, 1, 0, 1])
    >>> canonical_groups(np.array([0, 0, 1, 1]), make_cells(sample), sample.labels).tolist()
    [1, 1, 0, 0]
    """
    sizes = np.bincount(groups)
    if sizes.max() == 1:
        return None
    class_order = cells.class_order()  # the names of classes must not decide either
    content = cells.of_row * len(class_order) + np.argsort(class_order)[labels]
    rows = np.lexsort((content, groups))
    parts = np.split(content[rows].astype(">i8"), np.cumsum(sizes)[:-1])
    keys = [part.tobytes() for part in parts]
    code = np.empty(len(keys), dtype=np.int64)
    code[sorted(range(len(keys)), key=keys.__getitem__)] = np.arange(len(keys))
    return code[groups]
