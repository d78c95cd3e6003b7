"""The engine for few columns: a compiled search of a balanced tree that sums as it goes."""

from __future__ import annotations

from dataclasses import replace
from threading import Lock
from typing import Any

import numpy as np

from bayesfloor.base.arrays import Floats, Ints
from bayesfloor.base.executor import Executor
from bayesfloor.neighbours.kernels.kd_tree import build_tree
from bayesfloor.neighbours.kernels.kernel_input import KernelInput, make_kernel_input
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
    """Sums by compiled code that searches a tree.

    What is summed is laid out when it is first asked for: where workers of a cluster sum, that is
    there alone.
    """

    multiplies = False

    def __init__(self, task: SearchTask, executor: Executor, order: Ints | None = None) -> None:
        self._task, self._executor = task, executor
        self.span = max(SPAN, len(task.points) // MOST_SPANS)
        tree = build_tree(task.points, LEAF_SIZE, executor, order=order)
        self.order, self._ranks = tree.order, task.ranks
        self._position = np.empty_like(tree.order)  # in the tree's order, of each cell
        self._position[tree.order] = np.arange(len(tree.order))
        self._leaves = tree_leaves(tree)
        self._layout: tuple[KernelInput, Floats] | None = None
        self._laying_out = Lock()

    def __reduce__(self) -> tuple[Any, ...]:
        """Travel as the task and the order of the cells, from which a tree is soon built anew."""
        return TreeSums, (self._task, self._executor, self.order)

    def sum(self, rows: Ints) -> list[BatchSums]:
        """Search the neighbours of some cells and sum over them."""
        data, local = self._laid_out()
        queries = np.sort(self._position[rows])
        sums = new_sums(data, self._ranks, local)
        sum_rows(self._leaves, queries, data, sums)
        return [batch_sums(self.order[queries], sums, local[queries], data)]

    def leaves_visited(self, probes: int) -> float:
        """Search for the neighbours of some rows; return the mean number of leaves visited."""
        queries = np.unique(np.linspace(0, len(self.order) - 1, probes).astype(np.int32))
        data = self._kernel_input(replace(self._task, leverage=None))  # not summed over
        sums = new_sums(data, self._ranks, self._new_local())
        return sum_rows(self._leaves, queries, data, sums) / len(queries)

    def _laid_out(self) -> tuple[KernelInput, Floats]:
        """Return what is summed, and room for the sums of each cell; others wait for the first."""
        with self._laying_out:
            if self._layout is None:
                self._layout = self._kernel_input(self._task), self._new_local()
            return self._layout

    def _kernel_input(self, task: SearchTask) -> KernelInput:
        return make_kernel_input(task, self.order, self._executor, filled_up_to=LEAF_SIZE)

    def _new_local(self) -> Floats:
        return np.empty((len(self.order), self._task.fields[0].sums.shape[1]))
