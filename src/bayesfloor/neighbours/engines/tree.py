"""The engine for few columns: a compiled search of a balanced tree that sums as it goes."""

from __future__ import annotations

import numpy as np

from bayesfloor.base.arrays import Ints
from bayesfloor.neighbours.kernels.kd_tree import Tree, build_tree
from bayesfloor.neighbours.kernels.kernel_input import load_of, part_of
from bayesfloor.neighbours.kernels.nearby_leaves import WIDTH, Boxes, Leaves
from bayesfloor.neighbours.kernels.summing import new_sums
from bayesfloor.neighbours.kernels.tree_search import sum_rows
from bayesfloor.neighbours.task import BatchSums, SearchTask


class TreeSums:
    """Sums by compiled code that searches a tree."""

    span = 1024
    multiplies = False

    def __init__(self, task: SearchTask) -> None:
        tree = build_tree(task.points, WIDTH)
        self.order, self._ranks = tree.order, task.ranks
        self._place = np.empty_like(tree.order)
        self._place[tree.order] = np.arange(len(tree.order))
        self._leaves = leaves_of(tree)
        self._load = load_of(task, tree.order)
        self._local = np.empty((len(task.points), task.fields[0].sums.shape[1]))

    def sum(self, rows: Ints) -> list[BatchSums]:
        """Search the neighbours of some cells and sum over them."""
        asked = np.sort(self._place[rows])
        sums = new_sums(self._load, self._ranks, self._local)
        sum_rows(self._leaves, asked, self._load, sums)
        return [part_of(self.order[asked], sums, self._local[asked], self._load)]

    def leaves_visited(self, probes: int) -> float:
        """Search for the neighbours of some rows; return how many leaves a row takes."""
        asked = np.unique(np.linspace(0, len(self.order) - 1, probes).astype(np.int32))
        sums = new_sums(self._load, self._ranks, self._local)
        return sum_rows(self._leaves, asked, self._load, sums) / len(asked)


def leaves_of(tree: Tree) -> Leaves:
    """Take the leaves out of a tree; nodes are in preorder, so leaves are in the tree's order."""
    is_leaf = tree.last - tree.first == 1
    low, high = (np.ascontiguousarray(corner[is_leaf].T) for corner in (tree.low, tree.high))
    starts = np.arange(0, low.shape[1], WIDTH)
    blocks = Boxes(
        np.minimum.reduceat(low, starts, axis=1), np.maximum.reduceat(high, starts, axis=1)
    )
    return Leaves(tree.points, tree.tiles, Boxes(low, high), blocks)
