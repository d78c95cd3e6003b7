"""Between an engine's task and its compiled code."""

from __future__ import annotations

from itertools import accumulate

import numpy as np

from bayesfloor.base.arrays import Floats, Floats32, Ints
from bayesfloor.base.executor import ALL_CORES
from bayesfloor.neighbours.kernels.ordering import Load
from bayesfloor.neighbours.kernels.summing import Sums
from bayesfloor.neighbours.task import BatchSums, LeverageField, SearchTask

BLOCK = 16384
"""Cells that are laid out at a time."""


def load_of(task: SearchTask, order: Ints) -> Load:
    """Lay out what is multiplied and averaged, with the cells in the given order."""
    widths = [field.sums.shape[1] for field in task.fields]
    single = bool(task.sizes.max() == 1)
    sizes = task.sizes if single else task.sizes[order]
    own = np.zeros((1 if single else len(order), len(task.fields) + 1))
    columns = np.empty((len(order), sum(widths)))
    begins = np.array([0, *accumulate(widths)])

    def lay_out(block: slice) -> None:
        for f, field in enumerate(task.fields):
            columns[block, begins[f] : begins[f + 1]] = field.sums.take(order[block], axis=0)
            if not single:
                own[block, f] = field.own[order[block]]

    list(ALL_CORES.map(lay_out, _blocks(len(order))))
    thin = _thin_of(task.leverage, sizes, order, None if single else own[:, -1])
    at = np.empty(0, dtype=np.int64) if task.leverage is None else task.leverage.at
    return Load(sizes, columns, begins, thin, at, own, task.near, single)


def _thin_of(thin: LeverageField | None, sizes: Ints, order: Ints, own: Floats | None) -> Floats32:
    """Return the thin field and write its products within cells, block by block."""
    if thin is None:
        return np.empty((len(order), 0), dtype=np.float32)
    sums = np.empty((len(order), thin.sums(order[:1]).shape[1]), dtype=np.float32)
    blocks = _blocks(len(order))
    exact = ALL_CORES.map(lambda block: thin.sums(order[block]), blocks, multiplies=True)
    for block, values in zip(blocks, exact, strict=True):
        sums[block] = values
        if own is not None:
            own[block] = thin.own(values, sizes[block])
    return sums


def _blocks(u: int) -> list[slice]:
    return [slice(a, a + BLOCK) for a in range(0, u, BLOCK)]


def part_of(rows: Ints, sums: Sums, local: Floats, load: Load) -> BatchSums:
    """Hand over what compiled code has summed up."""
    products = sums.products if load.thin.shape[1] else sums.products[:-1]
    return BatchSums(rows, products, sums.log_squared, sums.away, local)
