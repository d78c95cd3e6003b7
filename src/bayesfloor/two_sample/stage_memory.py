"""The stages of a two-sample test that would take more memory than there is use fewer rows.

As in `bayesfloor.floor.memory_plan`, a stage first runs on fewer threads, then on a random part of
the rows, with a note. The formulas follow the arrays that a stage holds at the same time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from bayesfloor.base.arrays import Bools, Ints
from bayesfloor.base.errors import DataError
from bayesfloor.base.executor import Executor, Threads
from bayesfloor.base.memory import available_memory, show_size
from bayesfloor.base.memory_costs import DOUBLE_BYTES, FIT_CLASS_COPIES, FIT_COPIES
from bayesfloor.base.settings import Settings
from bayesfloor.floor.memory_plan import (
    FEWEST_SAMPLED_ROWS,
    SMALL_CALL,
    memory_left,
    most_fitting,
)
from bayesfloor.sample.folds import draw_rows
from bayesfloor.two_sample.classifier import CLASSIFIERS, MOST_LEARNED_ROWS, SCORED_PARTS
from bayesfloor.two_sample.column_profiles import ColumnValues
from bayesfloor.two_sample.columns import DEGREE, LISTED_TEXTS, PERMUTED_ROWS
from bayesfloor.two_sample.graph import TREE_COLUMNS
from bayesfloor.two_sample.new_rows import COMPARED_AT_ONCE, MOST_OLD_ROWS
from bayesfloor.two_sample.permutations import PERMUTED_AT_ONCE

SAMPLES = 2
"""Classes that a classifier tells apart: old and new."""
POINT_COPIES = 2
"""Copies of all points that the classifier test and the search for new rows hold."""
FUNCTION_COPIES = 3
"""Copies of the functions of one column while they are made orthonormal."""
VALUE_COPIES = 8
"""Copies of the values of one column while it is ranked and described; calls of 50,000 and 200,000
rows took 8 to 10 with its functions."""
PERMUTED_BYTES = PERMUTED_AT_ONCE * (1 + DOUBLE_BYTES)
"""Bytes of the permuted labels of a row: as truth values, and as numbers."""
ROUGH_COPIES = 2
"""Copies of a block of distances between rows."""
SEARCH_NUMBERS = 12
"""Numbers for each row beside its columns while new rows are looked for: calls took 8."""

Cost = Callable[[int, int], float]
"""Bytes that a stage takes, from its rows and threads."""


@dataclass(frozen=True, slots=True, eq=False)
class StagePlan:
    """The rows and threads that a stage runs with, and what to say if not all rows are used."""

    kept: Bools  # (n,)
    executor: Executor
    notes: tuple[str, ...] = ()


def plan_stage(
    what: str,
    cost: Cost,
    labels: Ints,
    settings: Settings,
    *,
    memory: Callable[[], int] = available_memory,
) -> StagePlan:
    """Return what a stage can run with in the memory: all rows, fewer threads, or fewer rows.

    Parameters
    ----------
    what : str
        What the stage does, for the note, such as "The classifier test is".
    cost : callable
        Bytes that the stage takes, from its rows and threads.
    labels : (n,) array
        0 for old rows, 1 for new ones.
    settings : Settings
        Of the call.
    memory : callable
        Returns the bytes that are left; not called for a stage that takes little, nor if there is a
        limit in the settings.
    """
    executor, n = settings.executor, len(labels)
    workers = executor.local.workers
    size, every = cost(n, workers), np.ones(n, dtype=np.bool_)
    if size <= SMALL_CALL:
        return StagePlan(every, executor)
    room = max(memory_left(settings, memory), SMALL_CALL)
    if size <= room:
        return StagePlan(every, executor)
    if isinstance(executor, Threads):
        workers = next((w for w in range(workers, 1, -1) if cost(n, w) <= room), 1)
        executor = Threads(workers)
    rows = most_fitting(lambda some: cost(some, workers) <= room, n)
    if rows == n:
        return StagePlan(every, executor)
    needs = f"would take about {show_size(size)} of memory, and {show_size(room)} are left"
    kept = draw_rows(labels, rows, np.random.default_rng(settings.seed))
    if rows < FEWEST_SAMPLED_ROWS or np.bincount(labels[kept], minlength=SAMPLES).min() < 2:
        raise DataError(f"{n:,} rows {needs}; pass fewer columns, or a larger max_memory=")
    part = f"{np.count_nonzero(kept):,} of {n:,} rows, drawn at random"
    return StagePlan(kept, executor, (f"{what} from {part}: all of them {needs}.",))


def classifier_cost(columns: int) -> Cost:
    """Return the cost of the classifier test on so many columns."""
    answers = DOUBLE_BYTES * SAMPLES * len(CLASSIFIERS)
    a_row = DOUBLE_BYTES * (FIT_COPIES * columns + FIT_CLASS_COPIES * SAMPLES)

    def cost(rows: int, workers: int) -> float:
        fitted = min(rows, MOST_LEARNED_ROWS) + rows / SCORED_PARTS
        held = rows * (DOUBLE_BYTES * POINT_COPIES * columns + answers)
        return held + workers * fitted * a_row

    return cost


def columns_cost(columns: Sequence[ColumnValues], permutations: int | None) -> Cost:
    """Return the cost of the tests of columns: their functions are held together."""
    functions = [
        DEGREE + 1 if one.texts is None else min(len(one.texts), LISTED_TEXTS) for one in columns
    ]
    widest = max(functions, default=0)
    a_row = DOUBLE_BYTES * (sum(functions) + FUNCTION_COPIES * widest + VALUE_COPIES)

    def cost(rows: int, _workers: int) -> float:
        permuted = rows <= PERMUTED_ROWS if permutations is None else permutations > 0
        return rows * (a_row + PERMUTED_BYTES * permuted)

    return cost


def new_rows_cost(columns: int) -> Cost:
    """Return the cost of the search for rows of a new kind."""
    a_row = DOUBLE_BYTES * (POINT_COPIES * columns + SEARCH_NUMBERS)

    def cost(rows: int, workers: int) -> float:
        block = min(COMPARED_AT_ONCE, rows * min(rows, MOST_OLD_ROWS))
        blocks = 0 if columns <= TREE_COLUMNS else ROUGH_COPIES * DOUBLE_BYTES * block * workers
        return rows * a_row + blocks

    return cost
