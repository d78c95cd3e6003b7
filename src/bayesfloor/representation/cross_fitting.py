"""Maps learned on one part of the rows and applied to the other, never both on the same rows."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

import numpy as np
from scipy.special import softmax

from bayesfloor.base.arrays import AnyArray, Floats, Ints
from bayesfloor.base.errors import DataError
from bayesfloor.base.executor import Executor
from bayesfloor.base.memory import check_space_for
from bayesfloor.base.memory_costs import PREDICTED_ROWS
from bayesfloor.representation.maps import Map, TrainingSize
from bayesfloor.representation.partition import Split
from bayesfloor.sample.folds import assign_folds

FEW_OF_A_CLASS = 10
"""Rows of a class that are kept where its share of the training rows would be fewer: a
judgement."""

Item = TypeVar("Item")
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class LearningTask:
    """Rows in anything scikit-learn takes, their labels, and the maps to learn from them."""

    table: Any
    columns: int
    labels: Ints  # (n,), 0..m-1
    classes: AnyArray  # (m,), the labels as the maps see them
    maps: Mapping[str, Map]
    spread: float | None = None  # by which the numbers of a row are divided when it is taken

    def taken(self, rows: Ints) -> Any:
        """Return some rows as the maps see them; so no second table is held, or sent."""
        table = take_rows(self.table, rows)
        return table if self.spread is None else table / self.spread

    def fitted(self, name: str, rows: Ints) -> Any:
        """Learn a map on some rows."""
        model = self.maps[name].build(TrainingSize(len(rows), self.columns, len(self.classes)))
        with naming(model):
            if (self.labels[rows] == self.labels[rows[0]]).all():
                raise ValueError("the rows that it would learn from are all of one class")
            return model.fit(self.taken(rows), self.classes[self.labels[rows]])

    def probabilities(self, model: Any, rows: Ints) -> Floats:
        """Return the class probabilities of some rows, (len(rows), m).

        A class that the map has not seen has the probability zero.
        """
        with naming(model):
            found = np.concatenate(
                [
                    _probabilities(model, self.taken(rows[a : a + PREDICTED_ROWS]))
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
        output = model.transform(task.taken(rows))
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
