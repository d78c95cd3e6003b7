"""Which classes are hard to tell apart: divergences between pairs, within bounds of time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from bayesfloor.base.arrays import Floats, Ints
from bayesfloor.floor.record import Floor
from bayesfloor.floor.run import PAIR_ROWS

MOST_CLASSES = 12
"""Classes that a reader can take in as a heat map: those with most confusion."""


@dataclass(frozen=True, slots=True)
class Confusion:
    """Divergence between any two of some classes."""

    members: Ints  # (c,), indices of the classes, in their order
    divergence: Floats  # (c, c), unclipped
    most_rows: int | None  # of a class, where there were more


def make_confusion(
    floor: Floor,
    advance: Callable[[int], None] | None = None,
    *,
    most_rows: int = PAIR_ROWS,
) -> Confusion:
    """Compare the classes with the largest local mismatch, two at a time."""
    members = _members(floor)
    table = np.zeros((len(members), len(members)))
    for i, j in combinations(range(len(members)), 2):
        a, b = int(members[i]), int(members[j])
        table[i, j] = table[j, i] = floor.run.divergence_between(a, b, most_rows=most_rows)
        if advance is not None:
            advance(int(_rows(floor, most_rows)[[a, b]].sum()))
    largest = np.bincount(floor.labels, minlength=len(floor.classes))[members].max()
    cut = largest > most_rows and not floor.of_items
    return Confusion(members, table, most_rows if cut else None)


def confusion_rows(floor: Floor, *, most_rows: int = PAIR_ROWS) -> int:
    """Return the rows that `make_confusion` works through."""
    members = _members(floor)
    return int(_rows(floor, most_rows)[members].sum()) * (len(members) - 1)


def _members(floor: Floor) -> Ints:
    """Return the classes with the largest mean local mismatch, in the order of the classes."""
    searched = ~np.isnan(floor.local_mismatch)
    labels, count = floor.labels[searched], len(floor.classes)
    total = np.bincount(labels, floor.known_mismatch, minlength=count)
    mean = total / np.maximum(np.bincount(labels, minlength=count), 1)
    return np.sort(np.argsort(-mean, kind="stable")[:MOST_CLASSES])


def _rows(floor: Floor, most_rows: int) -> Ints:
    counts = np.bincount(floor.labels, minlength=len(floor.classes))
    return np.minimum(counts, most_rows)
