"""The engine for few columns: a compiled search of a balanced tree that sums as it goes."""

from __future__ import annotations

from typing import Any

import numpy as np

from bayesfloor.base.arrays import Ints
from bayesfloor.base.executor import Executor
from bayesfloor.neighbours.kernels.kd_tree import build_tree
from bayesfloor.neighbours.kernels.kernel_input import make_kernel_input
from bayesfloor.neighbours.kernels.nearby_leaves import LEAF_SIZE, tree_leaves
from bayesfloor.neighbours.kernels.summing import batch_sums, new_sums
from bayesfloor.neighbours.kernels.tree_search import sum_rows
from bayesfloor.neighbours.task import BatchSums, SearchTask

SPAN = 1024
"""Cells to search for at a time, at least. A judgement: long enough to share lists of leaves, short
enough to interrupt."""
MOST_SPANS = 256
"""Spans into which many cells are divided: each has sums of its own, which a cluster sends back. A
judgement: enough for the threads of some machines."""


class TreeSums:
    """Sums by compiled code that searches a tree."""

    multiplies = False

    def __init__(self, task: SearchTask, executor: Executor, order: Ints | None = None) -> None:
        self._task, self._executor = task, executor
        self.span = max(SPAN, len(task.points) // MOST_SPANS)
        tree = build_tree(task.points, LEAF_SIZE, executor, order=order)
        self.order, self._ranks = tree.order, task.ranks
        self._position = np.empty_like(tree.order)  # in the tree's order, of each cell
        self._position[tree.order] = np.arange(len(tree.order))
        self._leaves = tree_leaves(tree)
        self._data = make_kernel_input(task, tree.order, executor, filled_up_to=LEAF_SIZE)
        self._local = np.empty((len(task.points), task.fields[0].sums.shape[1]))

    def __reduce__(self) -> tuple[Any, ...]:
        """Travel as the task and the order of the cells, from which a tree is soon built anew."""
        return TreeSums, (self._task, self._executor, self.order)

    def sum(self, rows: Ints) -> list[BatchSums]:
        """Search the neighbours of some cells and sum over them."""
        queries = np.sort(self._position[rows])
        sums = new_sums(self._data, self._ranks, self._local)
        sum_rows(self._leaves, queries, self._data, sums)
        return [batch_sums(self.order[queries], sums, self._local[queries], self._data)]

    def leaves_visited(self, probes: int) -> float:
        """Search for the neighbours of some rows; return the mean number of leaves visited."""
        queries = np.unique(np.linspace(0, len(self.order) - 1, probes).astype(np.int32))
        sums = new_sums(self._data, self._ranks, self._local)
        return sum_rows(self._leaves, queries, self._data, sums) / len(queries)
