"""The engine for many columns: matrix products in single precision, sifted by compiled code."""

from __future__ import annotations

import numpy as np

from bayesfloor.base.arrays import Floats32, Ints
from bayesfloor.neighbours.engines.plain import NumpySums
from bayesfloor.neighbours.kernels.kernel_input import load_of, part_of
from bayesfloor.neighbours.kernels.ordering import new_scratch
from bayesfloor.neighbours.kernels.sieve import Places, aim, finish, new_sieve, sift
from bayesfloor.neighbours.kernels.summing import new_sums
from bayesfloor.neighbours.task import BatchSums, SearchTask

WIDTH = 2048
"""Points whose products are held at a time."""
SAMPLE = 2048
"""Points from which the distance of the last neighbour is guessed."""


class BlockSums:
    """Sums by compiled code over candidates from matrix products.

    Rows with more candidates than there is room for, because of ties or because single precision
    does not tell near points apart, are left to `NumpySums`.
    """

    span = 256
    multiplies = True

    def __init__(self, task: SearchTask) -> None:
        self._task = task
        self.order: Ints = np.arange(len(task.points))
        self._load = load_of(task, self.order)
        self._local = np.empty((len(task.points), task.fields[0].sums.shape[1]))
        centred = task.points - task.points.mean(axis=0)
        norms = np.einsum("ij,ij->i", centred, centred)
        error = (task.points.shape[1] + 8) * 2.0**-24
        self._centred: Floats32 = centred.astype(np.float32)
        self._places = Places(task.points, norms, (norms * (1 - error)).astype(np.float32), error)
        self._sample = self.order[:: -(-len(self.order) // SAMPLE)]
        self._share = float(task.sizes[self._sample].sum() / task.sizes.sum())
        self._exact: NumpySums | None = None

    def sum(self, rows: Ints) -> list[BatchSums]:
        """Search the neighbours of some cells and sum over them."""
        parts = []
        for aimed in (True, False):
            part, rows = self._sum(rows, aimed=aimed)
            parts.append(part)
            if not len(rows):
                return parts
        return parts + self._rest.sum(rows)

    def _sum(self, rows: Ints, *, aimed: bool) -> tuple[BatchSums, Ints]:
        """Sum over the neighbours of rows, and return those that could not be settled."""
        load, places, ranks = self._load, self._places, self._task.ranks
        sieve = new_sieve(rows, load, ranks)
        scratch = new_scratch(max(sieve.keys.shape[1], len(self._sample)), ranks)
        own = self._centred[rows]
        if aimed:
            products = own @ self._centred[self._sample].T
            aim(products, self._sample, self._share, places, load, sieve, scratch)
        room = np.empty(len(rows) * WIDTH, dtype=np.float32)
        for start in range(0, len(self.order), WIDTH):
            some = self._centred[start : start + WIDTH].T
            products = room[: len(rows) * some.shape[1]].reshape(len(rows), -1)
            sift(np.matmul(own, some, out=products), start, places, load, sieve, scratch)
        sums, settled = new_sums(load, ranks, self._local), np.zeros(len(rows), dtype=np.bool_)
        finish(places, load, sieve, scratch, sums, settled)
        done = rows[settled]
        return part_of(done, sums, self._local[done], load), rows[~settled]

    @property
    def _rest(self) -> NumpySums:
        """The engine for rows that are not settled."""
        if self._exact is None:
            self._exact = NumpySums(self._task)
        return self._exact
