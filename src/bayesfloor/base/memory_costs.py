"""How many bytes the stages of a call take, from the shape of the table alone.

The formulas follow the arrays that a stage holds at the same time. Their constants were set so that
the result is the peak of measured calls (2,000 to 2,000,000 rows, 1 to 50 columns, 2 to 100
classes) or up to three times as much, see ``benchmarks/memory.py``: an estimate that is too low
ends the process.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

DOUBLE_BYTES = 8
"""Bytes of a number in double precision."""
SORTING_COPIES = 4
"""Copies of the columns whose median is being found: as 64-bit numbers, sorted, and halves of
these. Calls took 2 to 4."""
GAP_COPIES, GAP_ROWS = 3, 65_536
"""Copies of the rows at a time whose gaps are looked at: in double precision, their gaps, and what
is left of these."""
ROW_BYTES = 1500
"""Bytes for each row of a search, whatever its columns: orders, ranks, bounds of trees."""
FEW_SEARCHED_ROWS, FURTHER_ROW_SHARE = 200_000, 0.3
"""Rows up to which a search takes as much for each, and the share of it that each further row
takes: what is held for rows that are searched at the same time no longer grows."""
COLUMN_COPIES = 6
"""Copies of the columns during a search: points, cells, leaves, matrix products."""
CLASS_COPIES = 25
"""Copies of the class probabilities during a search and the bounds, those of repeated rows with
them."""
DESIGN_COPIES = 3
"""Copies of the design columns that are decomposed, or computed at a time."""
LAYOUT_BYTES = 12
"""Bytes of a design column that are kept for each row, in single or double precision."""
DECOMPOSED_ROWS, DESIGN_ROWS = 50_000, 16_384
"""Rows whose design columns are decomposed, and computed at a time by each worker, at most."""
TREE_EDGE_BYTES = 200
"""Bytes for each row of a minimum spanning tree: its edges and lists of candidates."""
ANSWERS = 14
"""Class probabilities that are kept of each map: all sizes of its learning curve, for all rows."""
FIT_COPIES = 3
"""Copies of the rows that a map is learned from: scaled, rounded, sorted into bins."""
FIT_CLASS_COPIES = 6
"""Copies of the class probabilities within one fit."""
NODES_A_ROW, NODE_BYTES = 1.3, 64
"""Nodes of a tree of a forest for each row, and their bytes beside one number a class."""
PREDICTED_ROWS = 10_000
"""Rows that a map predicts at a time; a judgement: their kernels and neighbours take 100 MB."""
KERNEL_BYTES = 4800
"""Bytes of a predicted row by a kernel of 300 centres, twice."""
NEIGHBOUR_BYTES = 16
"""Bytes of a neighbour that votes on a predicted row: its index and its distance."""

ITEM_COPIES = 12
"""Copies of a matrix with a row an item and a column a class while votes or probabilities are
bounded: its shares, sorted, tempered, shown. Calls took 6 to 10."""


@dataclass(frozen=True, slots=True)
class CallShape:
    """What the memory of a call depends on."""

    rows: int
    columns: int
    classes: int
    design_columns: int = 1  # of the trend
    maps: int = 0  # that are learned; none where only neighbours are compared
    forest_trees: int = 0
    spanning_tree: bool = False
    workers: int = 1

    def on(self, workers: int) -> Self:
        """Return the same call on so many workers."""
        return replace(self, workers=workers)


def assembly_bytes(rows: int, columns: int, at_a_time: int) -> int:
    """Return what the gate takes for points and labels, with so many columns centred at a time."""
    sorting = SORTING_COPIES * rows + GAP_COPIES * min(rows, GAP_ROWS)
    return DOUBLE_BYTES * (rows * (columns + 1) + sorting * min(at_a_time, columns))


def items_bytes(items: int, classes: int) -> int:
    """Return what it takes to bound the error of items by their votes or probabilities."""
    return DOUBLE_BYTES * ITEM_COPIES * items * classes


def call_bytes(shape: CallShape) -> int:
    """Return what a call takes above its table: to search, and to learn maps.

    Examples
    --------
    >>> round(call_bytes(CallShape(1_000_000, 10, 2, design_columns=74, workers=2)) / 1e9, 1)
    1.6
    """
    return search_bytes(shape) + learning_bytes(shape)


def search_bytes(shape: CallShape) -> int:
    """Return what it takes to fit a trend, to compare neighbours and to find the bounds."""
    n, d, m, p = shape.rows, shape.columns, shape.classes, shape.design_columns
    a_row = ROW_BYTES + DOUBLE_BYTES * (COLUMN_COPIES * d + CLASS_COPIES * m) + LAYOUT_BYTES * p
    edges = TREE_EDGE_BYTES * n * shape.spanning_tree
    held = min(n, DECOMPOSED_ROWS) + shape.workers * min(n, DESIGN_ROWS)
    full = min(n, FEW_SEARCHED_ROWS)
    return (
        int((full + FURTHER_ROW_SHARE * (n - full)) * a_row)
        + edges
        + DESIGN_COPIES * DOUBLE_BYTES * p * held
    )


def learning_bytes(shape: CallShape) -> int:
    """Return what it takes to learn maps side by side, and to keep what they say."""
    if not shape.maps:
        return 0
    n, d, m = shape.rows, shape.columns, shape.classes
    nodes = shape.forest_trees * NODES_A_ROW * n
    predicted = KERNEL_BYTES + NEIGHBOUR_BYTES * n**0.5 + DOUBLE_BYTES * FIT_COPIES * (m + d)
    fit = (
        DOUBLE_BYTES * n * (FIT_COPIES * d + FIT_CLASS_COPIES * m)
        + nodes * (NODE_BYTES + DOUBLE_BYTES * m)
        + min(n, PREDICTED_ROWS) * predicted
    )
    return int(DOUBLE_BYTES * ANSWERS * shape.maps * n * m + shape.workers * fit)
