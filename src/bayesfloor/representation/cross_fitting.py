"""Maps learned on one part of the rows and applied to the other, never both on the same rows."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.special import softmax

from bayesfloor.base.arrays import AnyArray, Floats, Ints
from bayesfloor.base.errors import DataError
from bayesfloor.base.executor import Executor
from bayesfloor.base.memory import check_space_for
from bayesfloor.base.memory_costs import PREDICTED_ROWS
from bayesfloor.representation.maps import MANY_ROWS, Map, TrainingSize
from bayesfloor.sample.distinct_points import Cells
from bayesfloor.sample.folds import assign_folds, assign_groups

THIRDS = 3
"""Parts of the rows whose maps, by how they do on a second part, give weights for a third."""
SMALLER_PARTS = 2
"""Parts of a third that are learned from for the learning curve, one inside the other: with folds
and whole thirds it has four sizes, which tell a power from others and leave one to check."""
COMMON_CLASS = 10
"""Rows of a class from which on chance alone spreads them over folds and thirds: a third then lacks
one class in sixty."""
MOST_JOINED = 10
"""One in so many rows may be joined by copies that several groups have: a judgement, which leaves
two such parts to each of five folds."""
FEW_OF_A_CLASS = 10
"""Rows of a class that are kept where its share of the training rows would be fewer: a
judgement."""

Item = TypeVar("Item")
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True, eq=False)
class Split:
    """Rows to learn from, and others that are held out."""

    training: Ints
    held_out: Ints


@dataclass(frozen=True, slots=True)
class Scheme:
    """How many maps are learned, and on how many rows."""

    folds: int  # the maps of one learn from the rows of the others
    shrinks_by: int  # times smaller each part of a third is than the one before
    learned_share: str  # what is left to learn from, in words

    @property
    def fits(self) -> int:
        """Fits of each map."""
        return self.folds + THIRDS * (1 + SMALLER_PARTS)


@dataclass(frozen=True, slots=True, eq=False)
class Partition:
    """The rows in folds and in thirds. Copies of a row, or rows of a group, are never parted.

    Maps learned outside of a fold are measured inside, so that no map has seen a row that it is
    measured on. Maps learned on a third are measured on both others, so that every row is measured
    by two maps that were learned on rows apart.
    """

    fold: Ints  # (n,)
    third: Ints  # (n,)
    labels: Ints  # (n,)
    order: Ints  # (n,), the rows in an order that does not depend on how they came
    scheme: Scheme
    seed: int
    units: Ints | None = None  # (n,), what is not parted where rows have groups

    def fold_splits(self) -> list[Split]:
        """Return the splits of all folds."""
        in_order = self.fold[self.order]
        return [
            Split(self.order[in_order != f], self.order[in_order == f])
            for f in range(self.scheme.folds)
        ]

    def third_splits(self, steps: int = 0) -> list[Split]:
        """Return the splits of all thirds, or those that learn on smaller parts of each."""
        in_order, splits = self.third[self.order], []
        for t in range(THIRDS):
            rows = self.order[in_order == t]
            rng = np.random.default_rng([self.seed, t])
            part = self._part(rows, self.scheme.shrinks_by**steps, rng)
            splits.append(Split(part, self.order[in_order != t]))
        return splits

    def _part(self, rows: Ints, divisor: int, rng: np.random.Generator) -> Ints:
        """Return a part of some rows, inside of that of a smaller divisor."""
        if self.units is None:
            return rows[assign_folds(self.labels[rows], divisor, rng) == 0]
        units, own = np.unique(self.units[rows], return_inverse=True)
        shuffled = rng.permutation(len(units))
        before = np.empty(len(units), dtype=np.int64)
        sizes = np.bincount(own)[shuffled]
        before[shuffled] = np.cumsum(sizes) - sizes
        return rows[(before * divisor < len(rows))[own]]


USUAL = Scheme(5, shrinks_by=2, learned_share="four fifths")
"""Four fifths of the rows to learn from, as is usual."""
SCHEMES = {
    0: USUAL,
    5_000: Scheme(5, shrinks_by=4, learned_share="four fifths"),
    MANY_ROWS: Scheme(4, shrinks_by=4, learned_share="three quarters"),
}
"""The schemes, by the rows from which on they are used. Among thousands, curves have little noise
however few rows are measured; among many, a few more to learn from do not show, and a fit takes
seconds."""


def scheme_for(n: int) -> Scheme:
    """Return the scheme for so many rows."""
    return SCHEMES[max(rows for rows in SCHEMES if rows <= n)]


def make_partition(cells: Cells, labels: Ints, seed: int, groups: Ints | None = None) -> Partition:
    """Assign the distinct points of a sample, or its groups, to folds and to thirds.

    The rows of rare classes are spread evenly. Those of others are not: with as many in each fold,
    the rows that are learned from would tell which class has more of the rows that are measured,
    and where classes hardly differ that alone would make the error look lower than it is.
    """
    of_folds, of_thirds = np.random.default_rng(seed).spawn(2)
    order = np.lexsort((labels, cells.of_row))
    if groups is not None:
        return _partition_of_groups(cells, labels, groups, order, seed)
    first = order[np.searchsorted(cells.of_row[order], np.arange(len(cells.points)))]
    scheme = scheme_for(len(order))
    rare = np.bincount(labels[first])[labels[first]] < COMMON_CLASS
    strata = np.where(rare, labels[first], -1)
    fold, third = (
        assign_folds(strata, count, rng)[cells.of_row]
        for count, rng in ((scheme.folds, of_folds), (THIRDS, of_thirds))
    )
    return Partition(fold, third, labels, order, scheme, seed)


def _partition_of_groups(
    cells: Cells, labels: Ints, groups: Ints, order: Ints, seed: int
) -> Partition:
    """Assign groups, together with copies of their rows, to folds and to thirds."""
    of_folds, of_thirds = np.random.default_rng(seed).spawn(2)
    scheme, units = scheme_for(len(order)), joined_units(cells, groups)
    strata, sizes = rare_strata(units, labels), np.bincount(units)
    fold, third = (
        assign_groups(strata, sizes, count, rng)[units]
        for count, rng in ((scheme.folds, of_folds), (THIRDS, of_thirds))
    )
    return Partition(fold, third, labels, order, scheme, seed, units)


def joined_units(cells: Cells, groups: Ints) -> Ints:
    """Return what is not parted, (n,): groups, joined where copies of rows are in several of them.

    Where that would make too much of all rows one, as in tables of few different rows, groups are
    not joined: a copy in another group is then a row like any other.

    Examples
    --------
    >>> from bayesfloor.sample.distinct_points import make_cells
    >>> from bayesfloor.sample.gate import make_sample
    >>> points = np.array([0, 1, 1, *range(2, 39)])[:, None]
    >>> cells = make_cells(make_sample(points, np.arange(40) % 2))
    >>> joined_units(cells, np.arange(40) // 2)[:6].tolist()
    [0, 0, 0, 0, 1, 1]
    """
    count = int(groups.max()) + 1
    ends = (groups, count + cells.of_row)
    size = count + len(cells.points)
    graph = coo_array((np.ones(len(groups)), ends), shape=(size, size))
    component = connected_components(graph, directed=False)[1][:count][groups]
    units = np.unique(component, return_inverse=True)[1]
    too_large = max(len(groups) / MOST_JOINED, float(np.bincount(groups).max()))
    if np.bincount(units).max() > too_large:
        return groups
    first = np.full(units.max() + 1, count)
    np.minimum.at(first, units, groups)  # components are numbered by their first group
    return np.argsort(np.argsort(first))[units]


def rare_strata(units: Ints, labels: Ints) -> Ints:
    """Return the rarest class of each unit if few units have rows of it, −1 for others, (u,)."""
    m = int(labels.max()) + 1
    pairs = np.unique(units * m + labels)
    unit, label = np.divmod(pairs, m)
    having = np.bincount(label, minlength=m)
    order = np.lexsort((label, having[label], unit))
    rarest = label[order[np.searchsorted(unit[order], np.arange(unit.max() + 1))]]
    return np.where(having[rarest] < COMMON_CLASS, rarest, -1)


@dataclass(frozen=True, slots=True)
class LearningTask:
    """Rows in anything scikit-learn takes, their labels, and the maps to learn from them."""

    table: Any
    columns: int
    labels: Ints  # (n,), 0..m-1
    classes: AnyArray  # (m,), the labels as the maps see them
    maps: Mapping[str, Map]

    def fitted(self, name: str, rows: Ints) -> Any:
        """Learn a map on some rows."""
        model = self.maps[name].build(TrainingSize(len(rows), self.columns, len(self.classes)))
        with naming(model):
            if (self.labels[rows] == self.labels[rows[0]]).all():
                raise ValueError("the rows that it would learn from are all of one class")
            return model.fit(take_rows(self.table, rows), self.classes[self.labels[rows]])

    def probabilities(self, model: Any, rows: Ints) -> Floats:
        """Return the class probabilities of some rows, (len(rows), m).

        A class that the map has not seen has the probability zero.
        """
        with naming(model):
            found = np.concatenate(
                [
                    _probabilities(model, take_rows(self.table, rows[a : a + PREDICTED_ROWS]))
                    for a in range(0, max(len(rows), 1), PREDICTED_ROWS)
                ]
            )
            if not np.isfinite(found).all():
                raise ValueError("its scores are not finite")
            place = {label: c for c, label in enumerate(self.classes.tolist())}
            all_classes = np.zeros((len(rows), len(self.classes)))
            all_classes[:, [place[label] for label in np.asarray(model.classes_).tolist()]] = found
            return all_classes


def learn_probabilities(task: LearningTask, name: str, split: Split) -> Floats | DataError:
    """Learn a map, and return the probabilities of the rows held out, or why it failed."""
    kept = thin_classes(split.training, task.labels, task.maps[name].most_rows)
    weights = class_weights(task.labels[split.training], task.labels[kept], len(task.classes))
    try:
        found = task.probabilities(task.fitted(name, kept), split.held_out)
    except DataError as problem:
        return problem
    return reweighted(found, weights)


def transform(task: LearningTask, split: Split) -> tuple[Ints, Floats]:
    """Learn a transformer, and return the rows held out with their points."""
    (name,) = task.maps
    model, rows = task.fitted(name, split.training), split.held_out
    with naming(model):
        output = model.transform(take_rows(task.table, rows))
        dense = output.toarray() if hasattr(output, "toarray") else output
        points = np.asarray(dense, dtype=np.float64)
    fits = points.ndim == 2 and len(points) == len(rows) and points.shape[1] > 0
    if not fits or not np.isfinite(points).all():
        raise DataError(f"representation {name} returns no table of finite numbers; correct it")
    return rows, points


def run_fits(
    work: Callable[[Item], Result],
    items: Sequence[Item],
    *,
    executor: Executor,
    advance: Callable[[int], None] | None = None,
) -> list[Result]:
    """Learn maps side by side, one thread each; an interrupt ends the work after the fit at hand.

    One thread a fit, because the fits share the cores, and any number of these gives the same.
    """
    check_space_for("sklearn")
    import sklearn.utils  # noqa: F401  # loads OpenMP: limits reach what is loaded only
    from threadpoolctl import threadpool_limits

    # OpenMP keeps its limit by thread, BLAS one for all.
    single, found = partial(threadpool_limits, 1), []
    with single(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a map that does not converge has little weight
        for one in executor.map(work, items, initializer=single):
            found.append(one)
            if advance is not None:
                advance(1)
    return found


def take_rows(table: Any, rows: Ints) -> Any:
    """Return some rows of an array, a list or a data frame."""
    check_space_for("sklearn")
    from sklearn.utils import _safe_indexing

    return _safe_indexing(table, rows)


def thin_classes(rows: Ints, labels: Ints, most_rows: int | None, seed: int = 0) -> Ints:
    """Keep a share of the rows of each class where there are more than `most_rows`, some of each.

    Parameters
    ----------
    rows : array
        Rows to learn from.
    labels : (n,) array
        The class of each row.
    most_rows : int, optional
        Rows that are kept, about; None keeps all.
    seed : int
        Decides which.
    """
    if most_rows is None or len(rows) <= most_rows:
        return rows
    count, own = -(-len(rows) // most_rows), labels[rows]
    parts = np.ceil(FEW_OF_A_CLASS * count / np.bincount(own)[own])
    return rows[assign_folds(own, count, np.random.default_rng(seed)) < parts]


def class_weights(labels: Ints, kept: Ints, m: int) -> Floats | None:
    """Return by how much each class was thinned more than the others, (m,); None if none was.

    Examples
    --------
    >>> class_weights(np.repeat([0, 1], [900, 10]), np.repeat([0, 1], [90, 10]), 2).tolist()
    [10.0, 1.0]
    """
    if len(kept) == len(labels):
        return None
    counts = np.bincount(kept, minlength=m)
    return np.asarray(np.bincount(labels, minlength=m) / np.maximum(counts, 1))


def reweighted(probabilities: Floats, weights: Floats | None) -> Floats:
    """Return class probabilities as they are among all rows, from those among the rows kept."""
    if weights is None:
        return probabilities
    odds = probabilities * weights
    return np.asarray(odds / odds.sum(axis=1, keepdims=True))


def _probabilities(model: Any, table: Any) -> Floats:
    """Return class probabilities in the order of the map's classes, rows that sum to one."""
    if hasattr(model, "predict_proba"):
        found = np.nan_to_num(np.asarray(model.predict_proba(table), dtype=np.float64))
        found = found.clip(0.0, 1.0)
        total = found.sum(axis=1, keepdims=True)
        even = np.full_like(found, 1 / found.shape[1])  # of a row that no class claims
        return np.divide(found, total, out=even, where=total > 0)
    scores = np.asarray(model.decision_function(table), dtype=np.float64)
    if not np.isfinite(scores).all():
        raise ValueError("its scores are not finite")
    if scores.ndim == 1:
        scores = np.column_stack([np.zeros_like(scores), scores])
    return np.asarray(softmax(scores, axis=1))


@contextmanager
def naming(model: Any) -> Iterator[None]:
    """Name the map that fails."""
    try:
        yield
    except MemoryError:
        raise
    except Exception as problem:
        reason = " ".join(str(problem).split())
        raise DataError(
            f"representation {type(model).__name__} fails on these rows ({reason});"
            " correct it or pass representation='raw'"
        ) from problem
