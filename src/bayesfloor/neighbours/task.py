"""What an engine is asked for, and what it returns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any, Protocol

import numpy as np

from bayesfloor.base.arrays import Floats, Ints


@dataclass(frozen=True, slots=True)
class Field:
    """A vector for every row, summed over cells; inner products are averaged rank by rank.

    `own` holds, for each cell, the product of a row with another row of the same cell, averaged
    over the other rows and summed over the rows (zero where a cell has one row).
    """

    sums: Floats  # (u, v) sums over the rows of each cell
    own: Floats  # (u,)


@dataclass(frozen=True, slots=True)
class LeverageField:
    """A wide field with equal vectors for the rows of a cell, wanted at some ranks only.

    Ranks are counted from 0. Between those wanted, the average is interpolated.
    """

    sums: Callable[[Ints], Floats]  # takes cells, returns the sums over their rows
    at: Ints  # ascending

    def own(self, sums: Floats, sizes: Ints) -> Floats:
        """Return the products within cells, as in a `Field`."""
        if sizes.max() == 1:
            return np.zeros(len(sizes))
        return np.where(sizes > 1, (sums**2).sum(axis=1) / sizes, 0.0)


@dataclass(frozen=True, slots=True)
class SearchTask:
    """Distinct points (cells), the rows in each, and what to average over their neighbours."""

    points: Floats  # (u, d)
    sizes: Ints  # (u,)
    fields: tuple[Field, ...]
    leverage: LeverageField | None
    ranks: int  # at most n − 1
    near: int  # ranks over which the first field is summed for each cell, at most `ranks`
    squares: Floats  # (u,) squared lengths of the first field, summed over the rows of each cell
    groups: Ints | None = None  # (u,) of each cell: none of one's own group is a neighbour
    source: Callable[[], SearchTask] | None = None  # computes it anew from less, for a worker

    def __reduce__(self) -> tuple[Any, ...]:
        """Travel as what it is computed from, if that is less."""
        if self.source is not None:
            return self.source, ()
        return SearchTask, tuple(getattr(self, field.name) for field in fields(self))

    def owned(self, cells: Ints) -> Ints:
        """Return the ranks that the other rows of a row's own cell take, for some cells."""
        return self.sizes[cells] - 1 if self.groups is None else np.zeros_like(cells)


@dataclass(frozen=True, slots=True)
class BatchSums:
    """Sums over the neighbours of some rows, which are added up over the batches."""

    rows: Ints  # (b,) cells
    products: Floats  # (fields, K), the leverage field last if there is one
    log_squared: Floats  # (K,)
    away: Floats  # (K,) rows whose k-th neighbour is at a positive distance
    local: Floats  # (b, v) first field, summed over the first `near` ranks outside the own cell


class Engine(Protocol):
    """Searches and sums over the neighbours of the cells that it was built on."""

    span: int
    """Cells to search for at a time."""
    order: Ints
    """All cells, in the order in which they are searched the fastest."""
    multiplies: bool
    """Whether most of the work is large matrix products."""

    def sum(self, rows: Ints) -> list[BatchSums]:
        """Search the neighbours of some cells and sum over them."""
        ...
