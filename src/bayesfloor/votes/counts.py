"""The gate for votes: a matrix of counts becomes trusted counts, or one clear message."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from bayesfloor.base.arrays import AnyArray, Bools, Floats, Ints
from bayesfloor.base.errors import DataError, reading
from bayesfloor.base.formatting import counted, quoted_names, shorten, show
from bayesfloor.base.memory import available_memory, check_memory, show_size
from bayesfloor.base.memory_costs import items_bytes
from bayesfloor.base.options import check_sums
from bayesfloor.bounds.henze_penrose import independent_mismatch

if TYPE_CHECKING:
    import polars as pl

SUM_TOLERANCE = 1e-6
"""Probabilities may sum to one up to this: they are often written with six digits or more."""
FEW_ITEM_BYTES = 100_000_000
"""Bytes up to which memory is not asked for: what libraries take anyway."""
MOST_VOTES_A_CLASS = 2**31
"""Votes for a class on an item at most: far above any count, and squares of it are exact enough."""


@dataclass(frozen=True, slots=True, eq=False)
class VoteCounts:
    """Votes for each class on each item, one or more of them on every item."""

    counts: Ints  # (n, m)
    classes: AnyArray  # (m,)
    items: AnyArray | None = None  # (n,), what each item is called, if not by its number
    annotators: int | None = None  # how many people voted, if that is known
    notes: tuple[str, ...] = ()
    long: bool = False  # whether the table had a row a vote
    columns: pl.DataFrame | None = None  # n rows, what else is known of each item

    def only(self, rows: Bools | Ints) -> VoteCounts:
        """Return some of the items."""
        items = None if self.items is None else self.items[rows]
        columns = None if self.columns is None else self.columns[np.arange(len(self.counts))[rows]]
        return replace(self, counts=self.counts[rows], items=items, columns=columns)


def count_matrix(values: Any, *, classes: Any = None, items: AnyArray | None = None) -> VoteCounts:
    """Check a matrix of counts, a row an item and a column a class.

    Classes without a vote are left out, and named in a note.

    Examples
    --------
    >>> count_matrix([[2, 0, 1], [0, 0, 3]]).classes.tolist()
    [0, 2]
    """
    matrix = number_matrix("counts", values)
    _refuse(matrix < 0, matrix, "counts", "a count cannot be negative; correct it")
    whole = matrix == np.floor(matrix)
    if not whole.all() and np.allclose(matrix.sum(axis=1), 1, atol=SUM_TOLERANCE):
        raise DataError(
            "the rows of counts sum to one, like probabilities;"
            " pass them to bayes_error_from_probabilities"
        )
    _refuse(~whole, matrix, "counts", "counts are whole numbers; pass how many votes there were")
    _refuse(matrix > MOST_VOTES_A_CLASS, matrix, "counts", "pass how many votes there were")
    names = check_class_names(classes, matrix.shape[1])
    empty = np.flatnonzero(matrix.sum(axis=1) == 0)
    if len(empty):
        first = f"the item in row {empty[0]}" if items is None else f"item {show(items[empty[0]])}"
        raise DataError(f"{first} has no votes; leave it out")
    return without_empty_classes(VoteCounts(matrix.astype(np.int64), names, items))


def probability_matrix(values: Any, *, classes: Any = None) -> tuple[Floats, AnyArray]:
    """Check a matrix of class probabilities, a row an item and a column a class.

    Examples
    --------
    >>> probability_matrix([[0.9, 0.1], [0.2, 0.8]])[0].tolist()
    [[0.9, 0.1], [0.2, 0.8]]
    """
    matrix = number_matrix("p", values)
    wrong = (matrix < 0) | (matrix > 1)
    _refuse(wrong, matrix, "p", "probabilities are between 0 and 1; correct it")
    check_sums(matrix, SUM_TOLERANCE)
    if len(matrix) < 2:
        raise DataError("there is 1 item; pass two items or more")
    names, p = (
        check_class_names(classes, matrix.shape[1]),
        matrix / matrix.sum(axis=1, keepdims=True),
    )
    priors = p.mean(axis=0)
    if independent_mismatch(priors) <= 0:
        only = shorten(names[priors.argmax()])
        raise DataError(f"all items are of class {only}; two classes or more are needed")
    return p, names


def number_matrix(name: str, values: Any) -> Floats:
    """Return a matrix of finite numbers with two columns or more."""
    hint = "pass a matrix of numbers, a row an item and a column a class"
    with reading(name, hint), np.errstate(all="ignore"):  # what overflows is infinite, see below
        raw = np.asarray(values)
        if raw.dtype.kind not in "biuf" and raw.dtype.kind != "O":
            raise TypeError(f"its values are {show(raw.ravel()[0]) if raw.size else 'missing'}")
        matrix = raw.astype(np.float64)
    if matrix.ndim != 2 or not len(matrix):
        shape = " by ".join(map(str, matrix.shape)) or "a single number"
        raise DataError(f"{name} is {shape}; pass a matrix, a row an item and a column a class")
    if matrix.shape[1] < 2:
        raise DataError(f"{name} has one class only; pass a column for each of two classes or more")
    _refuse(~np.isfinite(matrix), matrix, name, "pass a number; 0 where there was no vote")
    return matrix


def check_class_names(classes: Any, m: int) -> AnyArray:
    """Return the names of m classes, by default their numbers from 0."""
    if classes is None:
        return np.arange(m)
    with reading("classes", "pass a list of names"):
        names = list(classes)
    if len(names) != m:
        came = f"classes has {counted(len(names), 'name')}, the matrix {counted(m, 'column')}"
        raise DataError(f"{came}; pass one name for each column")
    if len({str(name) for name in names}) < m:
        raise DataError(f"classes has equal names: {quoted_names(names)}; give each its own")
    found = np.array(names)
    return found if found.ndim == 1 and found.dtype.kind in "biufU" else np.array(names, object)


def without_empty_classes(votes: VoteCounts) -> VoteCounts:
    """Leave out classes that nobody voted for, with a note; refuse fewer than two others."""
    used = votes.counts.any(axis=0)
    if used.sum() < 2:
        only = shorten(votes.classes[used][0])
        raise DataError(f"all votes are for {only}; votes for two classes or more are needed")
    if used.all():
        return votes
    left_out = quoted_names([shorten(name) for name in votes.classes[~used].tolist()])
    note = f"Classes that nobody voted for were left out: {left_out}."
    return replace(
        votes,
        counts=votes.counts[:, used],
        classes=votes.classes[used],
        notes=(*votes.notes, note),
    )


def with_pairs(votes: VoteCounts) -> VoteCounts:
    """Leave out items with a single vote, with a note: one vote shows no disagreement."""
    several = votes.counts.sum(axis=1) > 1
    if several.sum() < 2:
        raise DataError(
            f"{counted(int(several.sum()), 'item')} of {len(several):,} with two votes or more;"
            " collect two votes or more on two items or more"
        )
    if several.all():
        return votes
    single = int((~several).sum())
    note = (
        f"{counted(single, 'item')} of {len(several):,} with a single vote"
        f" {'was' if single == 1 else 'were'} left out, because one vote cannot show whether others"
        " agree: the floor speaks of the other items."
        + (" The maps of the columns learned from all." if votes.columns is not None else "")
    )
    return without_empty_classes(replace(votes.only(several), notes=(*votes.notes, note)))


def check_item_memory(shape: tuple[int, ...], max_memory: Any = None) -> None:
    """Refuse items and classes that would take more memory than there is, before they do."""
    items, classes = shape
    size = items_bytes(items, classes)
    if size <= FEW_ITEM_BYTES:
        return
    left = available_memory() if max_memory is None else check_memory("max_memory", max_memory)
    if size > left:
        came = f"{counted(items, 'item')} and {counted(classes, 'class', 'classes')}"
        needs = f"would take about {show_size(size)} of memory, and {show_size(left)} are left"
        raise DataError(f"{came} {needs}; pass fewer of them, or a larger max_memory=")


def _refuse(wrong: Bools, matrix: Floats, name: str, what: str) -> None:
    """Refuse a matrix that holds something wrong, and say what and where."""
    if wrong.any():
        row, column = (int(place) for place in np.argwhere(wrong)[0])
        value = matrix[row, column]
        raise DataError(f"{name} holds {value:g} in row {row}, column {column}; {what}")
