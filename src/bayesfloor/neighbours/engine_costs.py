"""What the engines cost: seconds from points, columns, ranks and leaves, by which one is chosen.

Costs are linear in a few coefficients. ``python benchmarks/engine_costs.py`` times the engines on
the machine at hand, fits the coefficients anew and compares them with those below.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True)
class EngineCosts:
    """Coefficients of the time that engines take, in seconds on one core, and limits of the choice.

    The values were set by hand from timings on one core of a virtual machine. Only their ratios
    matter, apart from `patience` and `compiling`. A pair is a row and a point that it is compared
    with.
    """

    scipy_rank_column: float = 4e-8
    """SciPy's tree: for each point, each rank, and each column and one more."""
    numpy_pair: float = 4e-9
    """NumPy's products: for each pair, mostly sorting."""
    numpy_pair_column: float = 1e-10
    """NumPy's products: for each pair and column, in double precision."""
    blocks_row: float = 1.2e-5
    """Products in single precision: for each row, mostly sums over its ranks."""
    blocks_pair: float = 1.4e-9
    """Products in single precision: for each pair, mostly sifting."""
    blocks_pair_column: float = 2e-11
    """Products in single precision: for each pair and column."""
    few_rank: float = 3e-8
    """Products of few points: for each row and rank."""
    few_pair: float = 1.1e-9
    """Products of few points: for each pair, mostly selection."""
    few_pair_column: float = 4e-11
    """Products of few points: for each pair and column, in double precision."""
    tree_rank: float = 1.5e-8
    """Compiled tree: for each row and rank."""
    tree_leaf: float = 8e-8
    """Compiled tree: for each row and each leaf that it visits."""
    tree_leaf_column: float = 8.5e-9
    """Compiled tree: for each row, leaf and column."""
    tree_build: float = 6e-4
    """Compiled tree: to build it at all, and to try it on some rows."""
    tree_build_point: float = 2e-6
    """Compiled tree: to build it, for each point."""

    patience: float = 2.0
    """Seconds of plain code that are not worth loading, or once even compiling, compiled code.

    A judgement: loading takes about a second, and compiling, once for all runs, some more.
    """
    compiling: float = 20.0
    """Seconds that compiling takes, once for all runs.

    A judgement: the kernels of the tree took 16 of a core, those of products fewer.
    """
    few_points: int = 16_000
    """Points up to which the products of some rows with all of them fit into the cache.

    A judgement: 25 rows of that many doubles are 3 MB.
    """
    scipy_columns: int = 8
    """Columns up to which SciPy's tree is considered: beyond them it visits most points.

    A judgement.
    """


MEASURED_COSTS = EngineCosts()
"""The costs by which engines are chosen."""


def scipy_seconds(costs: EngineCosts, points: int, columns: int, ranks: int) -> float:
    """Return the time of SciPy's tree for all points, infinite in many columns."""
    if columns > costs.scipy_columns:
        return float(np.inf)
    return costs.scipy_rank_column * points * (1 + columns) * min(ranks, points)


def numpy_seconds(costs: EngineCosts, points: int, columns: int) -> float:
    """Return the time of NumPy's products for all points."""
    return points * points * (costs.numpy_pair + costs.numpy_pair_column * columns)


def blocks_row_seconds(costs: EngineCosts, points: int, columns: int) -> float:
    """Return the time of products in single precision for a row."""
    return costs.blocks_row + points * (costs.blocks_pair + costs.blocks_pair_column * columns)


def few_row_seconds(costs: EngineCosts, points: int, columns: int, ranks: int) -> float:
    """Return the time of the products of few points for a row, infinite if points are many."""
    if points > costs.few_points:
        return float(np.inf)
    pair = costs.few_pair + costs.few_pair_column * columns
    return costs.few_rank * ranks + points * pair


def tree_row_seconds(costs: EngineCosts, leaves: float, columns: int, ranks: int) -> float:
    """Return the time of the compiled tree for a row that visits so many leaves."""
    return costs.tree_rank * ranks + leaves * (costs.tree_leaf + costs.tree_leaf_column * columns)


def tree_build_seconds(costs: EngineCosts, points: int) -> float:
    """Return the time to build the compiled tree and to try it."""
    return costs.tree_build + costs.tree_build_point * points
