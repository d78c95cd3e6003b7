"""What the kernels multiply and average, laid out from the task of an engine."""

from __future__ import annotations

from itertools import accumulate
from typing import NamedTuple

import numpy as np

from bayesfloor.base.arrays import Floats, Floats32, Ints
from bayesfloor.base.executor import Executor
from bayesfloor.neighbours.task import LeverageField, SearchTask

NO_GROUP = -1
"""The group of places that hold no cell."""
LAYOUT_CELLS = 16_384
"""Cells that a worker lays out at a time. A judgement: fewer are not worth a thread."""


class KernelInput(NamedTuple):
    """What is multiplied and averaged, with the cells in the engine's order.

    The columns of the fields that are wanted at every rank lie side by side. The leverage field is
    kept apart, in single precision, as it is wide and wanted at a few ranks only.
    """

    sizes: Ints  # (u,) rows in each cell
    columns: Floats  # (u, c)
    begins: Ints  # (f + 1,) where the columns of each field begin
    leverage: Floats32  # (u, l), l = 0 if there is none
    leverage_ranks: Ints  # ascending, counted from 0
    own: Floats  # (u, f + 1) products within the cell, see `Field`; not read if `single`
    near: int  # ranks over which the first field is summed for each cell
    single: bool  # every cell has one row
    groups: Ints  # (u,) of each cell, filled up to whole leaves; empty if there are none
    own_cells: Ints  # (u,) cells of the own group; empty if there are none


def make_kernel_input(
    task: SearchTask, order: Ints, executor: Executor, *, filled_up_to: int = 1
) -> KernelInput:
    """Lay out the fields of a task with its cells in some order.

    Groups are filled up to a multiple of `filled_up_to` cells.

    Workers write into shared arrays, each into cells of its own, so their number changes nothing.
    """
    widths = [field.sums.shape[1] for field in task.fields]
    single = bool(task.sizes.max() == 1)
    sizes = task.sizes if single else task.sizes[order]
    own = np.zeros((1 if single else len(order), len(task.fields) + 1))
    columns = np.empty((len(order), sum(widths)))
    begins = np.array([0, *accumulate(widths)])

    def lay_out(cells: slice) -> None:
        for f, field in enumerate(task.fields):
            columns[cells, begins[f] : begins[f + 1]] = field.sums.take(order[cells], axis=0)
            if not single:
                own[cells, f] = field.own[order[cells]]

    list(executor.map(lay_out, _slices(len(order))))
    if task.leverage is None:
        leverage = np.empty((len(order), 0), dtype=np.float32)
        ranks: Ints = np.empty(0, dtype=np.int64)
    else:
        own_leverage = None if single else own[:, -1]
        leverage = _leverage_vectors(task.leverage, sizes, order, own_leverage, executor)
        ranks = task.leverage.at
    groups, own_cells = _laid_out_groups(task.groups, order, filled_up_to)
    fields = (sizes, columns, begins, leverage, ranks, own, task.near, single)
    return KernelInput(*fields, groups, own_cells)


def _laid_out_groups(groups: Ints | None, order: Ints, filled_up_to: int) -> tuple[Ints, Ints]:
    """Return the groups of the cells and their numbers of cells, both empty without groups."""
    if groups is None:
        none: Ints = np.empty(0, dtype=np.int32)
        return none, none
    filled = np.full(-(-len(order) // filled_up_to) * filled_up_to, NO_GROUP, dtype=np.int32)
    filled[: len(order)] = groups[order]
    cells = np.bincount(groups).astype(np.int32)
    return filled, cells[groups[order]]


def _leverage_vectors(
    field: LeverageField, sizes: Ints, order: Ints, own: Floats | None, executor: Executor
) -> Floats32:
    """Return the leverage field in single precision, and write its products within cells."""
    vectors = np.empty((len(order), field.sums(order[:1]).shape[1]), dtype=np.float32)
    slices = _slices(len(order))
    exact = executor.map(lambda cells: field.sums(order[cells]), slices, multiplies=True)
    for cells, sums in zip(slices, exact, strict=True):
        vectors[cells] = sums
        if own is not None:
            own[cells] = field.own(sums, sizes[cells])
    return vectors


def _slices(u: int) -> list[slice]:
    return [slice(a, a + LAYOUT_CELLS) for a in range(0, u, LAYOUT_CELLS)]
