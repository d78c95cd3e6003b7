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
from bayesfloor.representation.calibration import best_temper, losses, tempered
from bayesfloor.sample.folds import assign_folds

INNER = 3
"""One of so many inner parts chooses the map; the others train it for that."""
MOST_TRAINING_ROWS = 20_000
FEW_OF_A_CLASS = 10
"""Rows of a class that are kept, where the share of the others would be fewer."""
SMALLEST_SHARE = 1e-9
DIGITS = 9
"""Of a loss; beyond them, rounding would choose between maps that are equally good."""


@dataclass(frozen=True, slots=True, eq=False)
class FoldResult:
    """Rows as a map shows them that was learned on other rows."""

    rows: Ints
    points: Floats  # (len(rows), q)
    chosen: str  # the name of the map
    posterior: Floats | None = None  # (len(rows), m) class probabilities, where the map has them
    gap: float = 0.0  # mismatch that more training rows would likely still win
    gap_variance: float = 0.0  # of that, by the chance of the rows measured
    spread: float = 0.0  # variance between maps that the training rows cannot tell apart


Work = Callable[[Ints, Ints, np.random.Generator], FoldResult]
"""Learns on some rows, given first, and shows others."""


@dataclass(frozen=True, slots=True)
class LearningTask:
    """Rows in anything scikit-learn takes, their labels, and the maps to learn."""

    table: Any
    labels: Ints  # (n,), 0..m-1
    classes: AnyArray  # (m,), the labels as the maps see them
    makers: Mapping[str, Callable[[int], Any]]  # rows to learn from -> an unfitted map

    def fitted(self, name: str, rows: Ints) -> Any:
        """Learn a map on some rows."""
        model = self.makers[name](len(rows))
        with _blaming(model):
            return model.fit(take_rows(self.table, rows), self.classes[self.labels[rows]])

    def logs(self, model: Any, rows: Ints) -> Floats:
        """Return the logarithms of the class probabilities of some rows, (len(rows), m)."""
        with _blaming(model):
            logs = _log_shares(model, take_rows(self.table, rows))
            order = [list(model.classes_).index(label) for label in self.classes]
            return logs[:, order]


@dataclass(frozen=True, slots=True)
class _Trial:
    """A map learned on the inner rows, with its losses on the rows that choose."""

    model: Any
    temper: float
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
    """Let work learn outside of each of `count` folds and show what is inside.

    `learn` makes the work from a function that it calls after each fit; interrupted, the work ends
    there. `order` lists the rows in an order that does not depend on how they came.
    """
    import sklearn.utils  # noqa: F401  # loads OpenMP: limits reach what is loaded only
    from threadpoolctl import threadpool_limits

    dealer, *others = np.random.default_rng(seed).spawn(count + 1)
    fold = assign_folds(labels[order], count, dealer)
    jobs = [(order[fold != f], order[fold == f], rng) for f, rng in enumerate(others)]
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
        found = executor.map(lambda job: work(*job), jobs, initializer=single, stop=stopped.set)
        return tuple(found)


def take_rows(table: Any, rows: Ints) -> Any:
    """Return some rows of an array, a list or a data frame."""
    from sklearn.utils import _safe_indexing

    return _safe_indexing(table, rows)


def classify(task: LearningTask, advance: Callable[[int], None]) -> Work:
    """Return work that chooses a classifier inside the rows to learn from, and learns it on all."""

    def work(training: Ints, measured: Ints, rng: np.random.Generator) -> FoldResult:
        kept = _thinned(training, task.labels, rng)
        fold = assign_folds(task.labels[kept], INNER, rng)
        trials = _trials(task, kept[fold > 0], kept[fold == 0], advance)
        chosen, final = _final(task, trials, kept)
        advance(1)
        weights = class_weights(task.labels[training], task.labels[kept], len(task.classes))
        return _shown(task, chosen, final, trials, measured, weights)

    return work


def transform(task: LearningTask, advance: Callable[[int], None]) -> Work:
    """Return work that learns a transformer, and shows what it makes of the other rows."""
    (name,) = task.makers

    def work(training: Ints, measured: Ints, rng: np.random.Generator) -> FoldResult:  # noqa: ARG001
        model = task.fitted(name, training)
        with _blaming(model):
            shown = model.transform(take_rows(task.table, measured))
            dense = shown.toarray() if hasattr(shown, "toarray") else shown
            points = np.asarray(dense, dtype=np.float64)
        fits = points.ndim == 2 and len(points) == len(measured) and points.shape[1] > 0
        if not fits or not np.isfinite(points).all():
            raise DataError(f"representation {name} gives no table of finite numbers; mend it")
        advance(1)
        return FoldResult(measured, points, name)

    return work


def _trials(
    task: LearningTask, inner: Ints, check: Ints, advance: Callable[[int], None]
) -> dict[str, _Trial]:
    """Learn every map on the inner rows; leave out those that so few rows do not allow."""
    trials: dict[str, _Trial] = {}
    problem: DataError | None = None
    for name in task.makers:
        try:
            trials[name] = _trial(task, name, inner, check)
        except DataError as found:
            problem = found
        advance(1)
    if problem is not None and not trials:
        raise problem
    return trials


def _final(task: LearningTask, trials: Mapping[str, _Trial], training: Ints) -> tuple[str, Any]:
    """Learn the best map on all rows there are, or the next best if these do not allow it."""
    best = sorted(trials, key=lambda name: round(trials[name].losses.mean(), DIGITS))
    for name in best[:-1]:
        with suppress(DataError):
            return name, task.fitted(name, training)
    return best[-1], task.fitted(best[-1], training)


def _trial(task: LearningTask, name: str, inner: Ints, check: Ints) -> _Trial:
    model, labels = task.fitted(name, inner), task.labels[check]
    logs = task.logs(model, check)
    temper = best_temper(logs, labels)
    return _Trial(model, temper, losses(tempered(logs, temper), labels))


def _shown(
    task: LearningTask,
    chosen: str,
    final: Any,
    trials: Mapping[str, _Trial],
    measured: Ints,
    weights: Floats | None,
) -> FoldResult:
    """Show the rows by their probabilities; compare with the map that had fewer rows to learn."""
    best, labels = trials[chosen], task.labels[measured]
    early, late = (
        weighed(tempered(task.logs(m, measured), best.temper), weights) for m in (best.model, final)
    )
    won, left = losses(early, labels) - losses(late, labels), INNER - 1
    return FoldResult(
        rows=measured,
        points=late[:, 1:] if len(task.classes) == 2 else late,
        chosen=chosen,
        posterior=late,
        gap=left * float(won.mean()),  # all there is to win, if it falls as 1 / rows
        gap_variance=left**2 * float(won.var()) / len(won),
        spread=_spread(best.losses, [trial.losses for trial in trials.values()]),
    )


def _spread(best: Floats, others: list[Floats]) -> float:
    """Variance of the mean loss over maps, each as likely as its distance from the best."""
    apart = np.array([(other - best).mean() for other in others])
    error = np.array([(other - best).std() for other in others]) / np.sqrt(len(best))
    weights = np.exp(-0.5 * (apart / np.maximum(error, 1e-12)) ** 2)
    return float(weights @ apart**2 / weights.sum())


def _thinned(rows: Ints, labels: Ints, rng: np.random.Generator) -> Ints:
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


def weighed(shares: Floats, weights: Floats | None) -> Floats:
    """Return class probabilities as they are among all rows, from those among the rows kept."""
    if weights is None:
        return shares
    odds = shares * weights
    return np.asarray(odds / odds.sum(axis=1, keepdims=True))


def _log_shares(model: Any, table: Any) -> Floats:
    if hasattr(model, "predict_proba"):
        shares = np.asarray(model.predict_proba(table), dtype=np.float64)
        return np.asarray(np.log(np.nan_to_num(shares).clip(SMALLEST_SHARE)))
    scores = np.asarray(model.decision_function(table), dtype=np.float64)
    if scores.ndim == 1:
        scores = np.column_stack([np.zeros_like(scores), scores])
    return np.asarray(log_softmax(scores, axis=1))


@contextmanager
def _blaming(model: Any) -> Iterator[None]:
    """Name the map that fails."""
    try:
        yield
    except Exception as problem:
        reason = " ".join(str(problem).split())
        raise DataError(
            f"representation {type(model).__name__} fails on these rows ({reason});"
            " mend it or pass representation='raw'"
        ) from problem
