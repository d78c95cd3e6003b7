"""The same answer from fewer rows, so that a reader sees whether more rows would change it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from bayesfloor.base.arrays import Floats, Ints
from bayesfloor.base.errors import DataError
from bayesfloor.floor.record import Floor
from bayesfloor.sample.folds import assign_folds, assign_groups

PART_SEED = 2018
"""Seed of the division into parts, fixed so that a floor always says the same."""
FEWEST_PART_ROWS = 40
"""Rows of a part, at least: fewer say nothing. A judgement."""
DIVISORS = (8, 4, 2)
"""Numbers of parts that the rows are divided into. A judgement."""
HALF_OF_PARTS_FROM, ONE_PART_FROM = 10_000, 200_000
"""Rows from which on half of the parts of a division are computed, and only one of them: parts so
large agree with each other. A judgement."""


@dataclass(frozen=True, slots=True)
class Growth:
    """Bounds, interval and mismatch by the number of rows; means over parts of the same size."""

    sizes: Ints  # (s,), the last one is all rows
    bounds: Floats  # (s, 2)
    intervals: Floats  # (s, 2)
    mismatch: Floats  # (s,)
    mismatch_se: Floats  # (s,)


def make_growth(floor: Floor, advance: Callable[[int], None] | None = None) -> Growth:
    """Bound the Bayes error from an eighth, a quarter and a half of the rows.

    A division cuts the rows at random into parts with the classes in proportion. The work is at
    most that of three runs on all rows, and less than two of many rows.
    """
    found = {}
    for divisor in _divisors(floor):
        runs = list(_runs(floor, divisor, advance))
        if runs:
            found[floor.n // divisor] = _means(runs)
    found[floor.n] = _means([floor])
    rows = np.array(list(found.values()))
    return Growth(np.array(list(found)), rows[:, :2], rows[:, 2:4], rows[:, 4], rows[:, 5])


def growth_rows(floor: Floor) -> int:
    """Return the rows that `make_growth` works through."""
    return sum(_parts(floor, d) * (floor.n // d) for d in _divisors(floor))


def _divisors(floor: Floor) -> list[int]:
    """Keep the divisions whose parts hold two rows or more of every class."""
    fewest = int(np.bincount(floor.labels).min())
    return [d for d in DIVISORS if fewest // d >= 2 and floor.n // d >= FEWEST_PART_ROWS]


def _parts(floor: Floor, divisor: int) -> int:
    """Return how many parts of a division are computed."""
    if floor.n <= HALF_OF_PARTS_FROM:
        return divisor
    return divisor // 2 if floor.n <= ONE_PART_FROM else 1


def _runs(floor: Floor, divisor: int, advance: Callable[[int], None] | None) -> Iterator[Floor]:
    """Yield the floors of some parts; a method that needs more rows than a part has yields none."""
    part_of = _division(floor, divisor)
    for part in range(_parts(floor, divisor)):
        kept = part_of == part
        try:
            yield floor.run.part(kept)
        except DataError:
            continue
        finally:
            if advance is not None:
                advance(int(kept.sum()))


def _division(floor: Floor, divisor: int) -> Ints:
    """Return the part of each row, (n,); rows of a group are in the same."""
    rng, groups = np.random.default_rng(PART_SEED), floor.run.groups
    if groups is None:
        return assign_folds(floor.labels, divisor, rng)
    sizes = np.bincount(groups)
    return assign_groups(np.full(len(sizes), -1), sizes, divisor, rng)[groups]


def _means(floors: list[Floor]) -> list[float]:
    rows = [(f.lower, f.upper, *f.interval, f.mismatch, f.mismatch_se) for f in floors]
    return list(np.mean(rows, axis=0))
