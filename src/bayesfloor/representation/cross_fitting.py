"""Maps learned on one part of the rows and applied to the other, never both on the same rows."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from threading import Event
from typing import Any

import numpy as np
from scipy.special import log_softmax

from bayesfloor.base.arrays import AnyArray, Floats, Ints
from bayesfloor.base.errors import DataError
from bayesfloor.base.executor import Executor
from bayesfloor.representation.calibration import best_sharpness, losses, sharpened
from bayesfloor.sample.folds import assign_folds

INNER_FOLDS = 3
"""One of so many inner folds chooses the map; the others train it for that."""
MOST_TRAINING_ROWS = 20_000
"""Rows that maps learn from, so that learning takes seconds: a judgement."""
FEW_OF_A_CLASS = 10
"""Rows of a class that are kept where its share of the training rows would be fewer: a
judgement."""
SMALLEST_PROBABILITY = 1e-9
"""Probabilities below this are raised to it before their logarithm is taken: a judgement."""
LOSS_DIGITS = 9
"""Digits of a loss that count: beyond, rounding would choose between maps that are equally good."""
SMALLEST_ERROR = 1e-12
"""Standard error of a difference of losses, at least, where two maps agree on every row."""


@dataclass(frozen=True, slots=True, eq=False)
class Fold:
    """Rows to learn from, and the others, which are measured."""

    training: Ints
    measured: Ints
    rng: np.random.Generator


@dataclass(frozen=True, slots=True, eq=False)
class FoldResult:
    """What a map that was learned on other rows makes of the measured rows."""

    rows: Ints
    points: Floats  # (len(rows), q)
    map_name: str
    posterior: Floats | None = None  # (len(rows), m) class probabilities, where the map has them
    gap: float = 0.0  # loss that more training rows would likely still take away
    gap_variance: float = 0.0  # of the gap, from the choice of the measured rows
    spread: float = 0.0  # variance between maps that the training rows cannot tell apart


Work = Callable[[Fold], FoldResult]
"""Learns on the training rows of a fold and applies the map to the measured rows."""


@dataclass(frozen=True, slots=True)
class LearningTask:
    """Rows in anything scikit-learn takes, their labels, and the maps to learn from them."""

    table: Any
    labels: Ints  # (n,), 0..m-1
    classes: AnyArray  # (m,), the labels as the maps see them
    maps: Mapping[str, Callable[[int], Any]]  # number of training rows -> an unfitted map

    def fitted(self, name: str, rows: Ints) -> Any:
        """Learn a map on some rows."""
        model = self.maps[name](len(rows))
        with _naming(model):
            return model.fit(take_rows(self.table, rows), self.classes[self.labels[rows]])

    def logs(self, model: Any, rows: Ints) -> Floats:
        """Return the logarithms of the class probabilities of some rows, (len(rows), m)."""
        with _naming(model):
            logs = _log_probabilities(model, take_rows(self.table, rows))
            order = [list(model.classes_).index(label) for label in self.classes]
            if not np.isfinite(logs).all():
                raise ValueError("its scores are not finite")
            return logs[:, order]


@dataclass(frozen=True, slots=True)
class Trial:
    """A map learned on the inner rows, with its losses on the rows that choose."""

    model: Any
    sharpness: float  # inverse temperature of its probabilities
    losses: Floats


def cross_fit(
    learn: Callable[[Callable[[int], None]], Work],
    labels: Ints,
    order: Ints,
    *,
    count: int,
    seed: int,
    executor: Executor,
    advance: Callable[[int], None] | None = None,
) -> tuple[FoldResult, ...]:
    """Learn outside of each of `count` folds, and apply what was learned inside.

    `learn` makes the work from a function that the work calls after each fit; when the run is
    interrupted, the work ends there. `order` lists the rows in an order that does not depend on how
    they came.
    """
    import sklearn.utils  # noqa: F401  # loads OpenMP: limits reach what is loaded only
    from threadpoolctl import threadpool_limits

    assigner, *others = np.random.default_rng(seed).spawn(count + 1)
    fold_of = assign_folds(labels[order], count, assigner)
    folds = [Fold(order[fold_of != f], order[fold_of == f], rng) for f, rng in enumerate(others)]
    # One thread a fit: the folds share the cores, and any number of these gives the same. OpenMP
    # keeps its limit by thread, BLAS one for all.
    single, stopped = partial(threadpool_limits, 1), Event()

    def step(fits: int) -> None:
        if stopped.is_set():
            raise CancelledError
        if advance is not None:
            advance(fits)

    work = learn(step)
    with single(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a map that does not converge is one not to choose
        return tuple(executor.map(work, folds, initializer=single, stop=stopped.set))


def take_rows(table: Any, rows: Ints) -> Any:
    """Return some rows of an array, a list or a data frame."""
    from sklearn.utils import _safe_indexing

    return _safe_indexing(table, rows)


def classify(task: LearningTask, advance: Callable[[int], None]) -> Work:
    """Return work that chooses a classifier inside the training rows, and learns it on all."""

    def work(fold: Fold) -> FoldResult:
        kept = thin_classes(fold.training, task.labels, fold.rng)
        inner = assign_folds(task.labels[kept], INNER_FOLDS, fold.rng)
        trials = try_maps(task, kept[inner > 0], kept[inner == 0], advance)
        best, final = best_map(task, trials, kept)
        advance(1)
        weights = class_weights(task.labels[fold.training], task.labels[kept], len(task.classes))
        return apply_map(task, best, final, trials, fold.measured, weights)

    return work


def transform(task: LearningTask, advance: Callable[[int], None]) -> Work:
    """Return work that learns a transformer, and applies it to the measured rows."""
    (name,) = task.maps

    def work(fold: Fold) -> FoldResult:
        model = task.fitted(name, fold.training)
        with _naming(model):
            output = model.transform(take_rows(task.table, fold.measured))
            dense = output.toarray() if hasattr(output, "toarray") else output
            points = np.asarray(dense, dtype=np.float64)
        fits = points.ndim == 2 and len(points) == len(fold.measured) and points.shape[1] > 0
        if not fits or not np.isfinite(points).all():
            raise DataError(f"representation {name} returns no table of finite numbers; correct it")
        advance(1)
        return FoldResult(fold.measured, points, name)

    return work


def try_maps(
    task: LearningTask, inner: Ints, check: Ints, advance: Callable[[int], None]
) -> dict[str, Trial]:
    """Learn every map on the inner rows; leave out those that so few rows do not allow."""
    trials: dict[str, Trial] = {}
    problem: DataError | None = None
    for name in task.maps:
        try:
            trials[name] = _trial(task, name, inner, check)
        except DataError as found:
            problem = found
        advance(1)
    if problem is not None and not trials:
        raise problem
    return trials


def best_map(task: LearningTask, trials: Mapping[str, Trial], training: Ints) -> tuple[str, Any]:
    """Learn the best map on all rows there are, or the next best if these do not allow it."""
    best = sorted(trials, key=lambda name: round(trials[name].losses.mean(), LOSS_DIGITS))
    for name in best[:-1]:
        with suppress(DataError):
            return name, task.fitted(name, training)
    return best[-1], task.fitted(best[-1], training)


def _trial(task: LearningTask, name: str, inner: Ints, check: Ints) -> Trial:
    model, labels = task.fitted(name, inner), task.labels[check]
    logs = task.logs(model, check)
    sharpness = best_sharpness(logs, labels)
    return Trial(model, sharpness, losses(sharpened(logs, sharpness), labels))


def apply_map(
    task: LearningTask,
    best_name: str,
    final: Any,
    trials: Mapping[str, Trial],
    measured: Ints,
    weights: Floats | None,
) -> FoldResult:
    """Return the probabilities of the rows, and what the inner map, with fewer rows, still lost."""
    best, labels = trials[best_name], task.labels[measured]
    early, late = (
        reweighted(sharpened(task.logs(model, measured), best.sharpness), weights)
        for model in (best.model, final)
    )
    won, left = losses(early, labels) - losses(late, labels), INNER_FOLDS - 1
    return FoldResult(
        rows=measured,
        points=late[:, 1:] if len(task.classes) == 2 else late,
        map_name=best_name,
        posterior=late,
        gap=left * float(won.mean()),  # all that is left, if the loss falls as 1 / rows
        gap_variance=left**2 * float(won.var()) / len(won),
        spread=spread_between_maps(best.losses, [trial.losses for trial in trials.values()]),
    )


def spread_between_maps(best: Floats, others: list[Floats]) -> float:
    """Variance of the mean loss over maps, each as likely as its distance from the best."""
    apart = np.array([(other - best).mean() for other in others])
    error = np.array([(other - best).std() for other in others]) / np.sqrt(len(best))
    weights = np.exp(-0.5 * (apart / np.maximum(error, SMALLEST_ERROR)) ** 2)
    return float(weights @ apart**2 / weights.sum())


def thin_classes(rows: Ints, labels: Ints, rng: np.random.Generator) -> Ints:
    """Keep a share of the rows of each class where there are very many, but some of each."""
    count, own = -(-len(rows) // MOST_TRAINING_ROWS), labels[rows]
    if count <= 1:
        return rows
    parts = np.ceil(FEW_OF_A_CLASS * count / np.bincount(own)[own])
    return rows[assign_folds(own, count, rng) < parts]


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


def _log_probabilities(model: Any, table: Any) -> Floats:
    if hasattr(model, "predict_proba"):
        found = np.asarray(model.predict_proba(table), dtype=np.float64)
        return np.asarray(np.log(np.nan_to_num(found).clip(SMALLEST_PROBABILITY)))
    scores = np.asarray(model.decision_function(table), dtype=np.float64)
    if scores.ndim == 1:
        scores = np.column_stack([np.zeros_like(scores), scores])
    return np.asarray(log_softmax(scores, axis=1))


@contextmanager
def _naming(model: Any) -> Iterator[None]:
    """Name the map that fails."""
    try:
        yield
    except Exception as problem:
        reason = " ".join(str(problem).split())
        raise DataError(
            f"representation {type(model).__name__} fails on these rows ({reason});"
            " correct it or pass representation='raw'"
        ) from problem
