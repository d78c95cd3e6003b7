"""The engine for many columns: matrix products in single precision, sifted by compiled code."""

from __future__ import annotations

from typing import Any

import numpy as np

from bayesfloor.base.arrays import Floats, Floats32, Ints
from bayesfloor.base.executor import Executor
from bayesfloor.neighbours.engines.plain import NumpySums
from bayesfloor.neighbours.kernels.kernel_input import make_kernel_input
from bayesfloor.neighbours.kernels.ordering import new_scratch
from bayesfloor.neighbours.kernels.sieve import (
    Targets,
    guess_bounds,
    new_sieve,
    sift,
    sum_candidates,
)
from bayesfloor.neighbours.kernels.summing import batch_sums, new_sums
from bayesfloor.neighbours.task import BatchSums, SearchTask

PRODUCT_COLUMNS = 2048
"""Points with which rows are multiplied at a time.

A judgement: the products of 256 rows with them are 2 MB, which stay in the cache of a core.
"""
SAMPLE_SIZE = 2048
"""Points from which the distance of the last neighbour is guessed. A judgement."""
CENTRED_ROWS = 4096
"""Points that are centred at a time, so that no copy of all is made. A judgement: a megabyte."""
FLOAT32_HALF_ULP = 2.0**-24
"""Relative rounding error of one operation in single precision."""
SPARE_ROUNDINGS = 8
"""Roundings of a squared distance beside those of its d products: centring, conversion, sums."""


class BlockSums:
    """Sums by compiled code over candidates from matrix products.

    Rows with more candidates than there is room for, because of ties or because single precision
    does not tell near points apart, are left to `NumpySums`.
    """

    span = 256  # a judgement, see `PRODUCT_COLUMNS`
    multiplies = True

    def __init__(self, task: SearchTask, executor: Executor) -> None:
        self._task, self._executor = task, executor
        self.order: Ints = np.arange(len(task.points))
        self._position = self.order  # of each cell in the order
        if task.groups is not None:  # the cells of a group lie next to each other
            self.order = np.argsort(task.groups, kind="stable")
            self._position = np.argsort(self.order)
        self._data = make_kernel_input(task, self.order, executor)
        self._local = np.empty((len(task.points), task.fields[0].sums.shape[1]))
        points = task.points if task.groups is None else task.points[self.order]
        self._centred, norms = _centred(points)
        error = (task.points.shape[1] + SPARE_ROUNDINGS) * FLOAT32_HALF_ULP
        lower = (norms * (1 - error)).astype(np.float32)
        self._targets = Targets(points, norms, lower, error, *_own_ranges(self._data.groups, norms))
        self._sample = np.arange(0, len(norms), -(-len(norms) // SAMPLE_SIZE))
        self._share = float(self._data.sizes[self._sample].sum() / task.sizes.sum())
        self._exact: NumpySums | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        """Travel as the task: the rest is computed anew."""
        return BlockSums, (self._task, self._executor)

    def sum(self, rows: Ints) -> list[BatchSums]:
        """Search the neighbours of some cells and sum over them."""
        found, rows = [], self._position[rows]
        for guessing in (True, False):
            sums, rows = self._sum(rows, guessing=guessing)
            found.append(sums)
            if not len(rows):
                return found
        return found + self._double_precision.sum(self.order[rows])

    def _sum(self, rows: Ints, *, guessing: bool) -> tuple[BatchSums, Ints]:
        """Sum over the neighbours of rows; return the sums and the rows that are not settled.

        Rows are given by their positions in the order.
        With `guessing`, the distance of the last neighbour is guessed from a sample first.
        """
        data, targets, ranks = self._data, self._targets, self._task.ranks
        sieve = new_sieve(rows, data, ranks)
        scratch = new_scratch(max(sieve.keys.shape[1], len(self._sample)), ranks)
        own = self._centred[rows]
        if guessing:
            products = own @ self._centred[self._sample].T
            guess_bounds(products, self._sample, self._share, targets, data, sieve, scratch)
        room = np.empty(len(rows) * PRODUCT_COLUMNS, dtype=np.float32)
        for start in range(0, len(self.order), PRODUCT_COLUMNS):
            some = self._centred[start : start + PRODUCT_COLUMNS].T
            products = room[: len(rows) * some.shape[1]].reshape(len(rows), -1)
            sift(np.matmul(own, some, out=products), start, targets, data, sieve, scratch)
        sums, settled = new_sums(data, ranks, self._local), np.zeros(len(rows), dtype=np.bool_)
        sum_candidates(targets, data, sieve, scratch, sums, settled)
        done = rows[settled]
        return batch_sums(self.order[done], sums, self._local[done], data), rows[~settled]

    @property
    def _double_precision(self) -> NumpySums:
        """The engine for rows that single precision leaves unsettled, built when it is needed."""
        if self._exact is None:
            self._exact = NumpySums(self._task)
        return self._exact


def _centred(points: Floats) -> tuple[Floats32, Floats]:
    """Return points less their mean in single precision, and their squared lengths, in parts."""
    centred, norms = np.empty(points.shape, dtype=np.float32), np.empty(len(points))
    mean = points.mean(axis=0)
    for start in range(0, len(points), CENTRED_ROWS):
        rows = slice(start, start + CENTRED_ROWS)
        exact = points[rows] - mean
        centred[rows], norms[rows] = exact, np.einsum("ij,ij->i", exact, exact)
    return centred, norms


def _own_ranges(groups: Ints, norms: Floats) -> tuple[Ints, Ints]:
    """Return where the cells of each one's own group begin and end; its own place if alone."""
    if not len(groups):
        place = np.arange(len(norms))
        return place, place + 1
    return np.searchsorted(groups, groups), np.searchsorted(groups, groups, side="right")
