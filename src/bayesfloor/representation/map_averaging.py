"""All maps of a task learned, weighed by rows that they have not seen, and averaged."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import product
from typing import TypeAlias

import numpy as np

from bayesfloor.base.arrays import Floats, Ints
from bayesfloor.base.errors import DataError
from bayesfloor.base.executor import Executor
from bayesfloor.bounds.loss import losses
from bayesfloor.representation.cross_fitting import LearningTask, learn_probabilities, run_fits
from bayesfloor.representation.learning_curve import LearningCurve, MapPair, make_learning_curve
from bayesfloor.representation.partition import SMALLER_PARTS, THIRDS, Partition, Split
from bayesfloor.representation.stacking import average, best_weights, few_weights, missed_products

FEWEST_TRAINING_ROWS = 8
"""Rows of the smallest size of a learning curve, at least: a judgement."""
LEAST_WEIGHT = 0.15
"""Weight below which a map is left out: it costs more than it tells. A judgement."""


Fitting: TypeAlias = Callable[[Sequence[str], Sequence[Split]], "dict[str, list[Floats]]"]
"""Learns some maps on some splits: for each map and split the probabilities of rows held out."""


@dataclass(frozen=True, slots=True, eq=False)
class AveragedMaps:
    """What the maps of a task say, with classes in the order of the task."""

    posterior: Floats
    weights: dict[str, float]
    curve: LearningCurve


def learn_all(
    task: LearningTask,
    partition: Partition,
    fit: Fitting,
    leave_out: Callable[[int], None],
    has_time: Callable[[], bool],
    groups: Ints | None,
) -> AveragedMaps:
    """Learn all maps on the thirds, and those that earn a weight there on the folds too."""
    n, labels = len(task.labels), task.labels
    by_third: dict[str, list[Floats]] = {}
    if has_time():
        with suppress(DataError):  # too few rows: every map has the same weight
            by_third = fit(list(task.maps), partition.third_splits())
    tried = list(by_third) or list(task.maps)
    weights = np.full((THIRDS, len(tried)), 1 / len(tried))
    if len(tried) > 1 and by_third:
        thirds = _by_third(n, partition.third_splits(), by_third)
        weights = _crossed_weights(thirds, labels, partition)
    asked_for = [name for j, name in enumerate(tried) if weights[:, j].any()]
    leave_out(len(task.maps) - len(asked_for))
    by_fold = fit(asked_for, partition.fold_splits())
    repeats = {name: _by_repeat(n, partition, some) for name, some in by_fold.items()}
    full = {name: np.asarray(sum(some) / len(some)) for name, some in repeats.items()}
    weights = weights[:, [tried.index(name) for name in full]]
    total = weights.sum(axis=1, keepdims=True)  # zero if the maps of a third fail on the folds
    weights = np.where(total > 0, weights / np.where(total > 0, total, 1.0), 1 / len(full))
    posterior = _crossed_average(list(full.values()), weights, partition)
    shares = np.bincount(partition.third, minlength=THIRDS) / n @ weights
    used = dict(zip(full, shares.tolist(), strict=True))
    heavy = {name: repeats[name] for name in full if used[name] >= min(LEAST_WEIGHT, shares.max())}
    again = {name: by_third[name] for name in heavy} if by_third else {}
    curve = _measure_curve(partition, labels, posterior, heavy, again, fit, has_time, groups)
    return AveragedMaps(posterior, {name: used.get(name, 0.0) for name in tried}, curve)


def fitted_probabilities(
    task: LearningTask,
    names: Sequence[str],
    splits: Sequence[Split],
    *,
    executor: Executor,
    advance: Callable[[int], None] | None,
) -> dict[str, list[Floats]]:
    """Learn maps side by side; leave out maps that the rows do not allow.

    If none is left, the first problem is raised.
    """
    items = list(product(names, splits))
    found = run_fits(
        lambda item: learn_probabilities(task, *item), items, executor=executor, advance=advance
    )
    known: dict[str, list[Floats]] = {name: [] for name in names}
    problems = []
    for (name, _), one in zip(items, found, strict=True):
        if isinstance(one, DataError):
            problems.append(one)
            known.pop(name, None)
        elif name in known:
            known[name].append(one)
    if not known:
        raise problems[0]
    return known


def _measure_curve(
    partition: Partition,
    labels: Ints,
    posterior: Floats,
    repeats: dict[str, list[Floats]],
    thirds: dict[str, list[Floats]],
    fit: Fitting,
    has_time: Callable[[], bool],
    groups: Ints | None,
) -> LearningCurve:
    """Return the learning curve of some maps, with the weights that are best for mean pairs.

    The variance of learning is left out of what is extrapolated, so that maps may have more of it
    than those that lose least: the loss of the mean of two maps has half of it.
    """
    n, order = len(labels), partition.order
    size = n - n // partition.scheme.folds
    weights, pairs = np.full(len(repeats), 1 / len(repeats)), list[MapPair]()
    for rows, first, second in _pairs_of_maps(n, partition, thirds, fit, has_time):
        if not pairs:
            means = [(one + other) / 2 for one, other in zip(first, second, strict=True)]
            weights = best_weights(missed_products(means, labels, order))
        pairs.append(MapPair(rows, average(first, weights)[order], average(second, weights)[order]))
    once = [
        losses(average(some, weights), labels) for some in zip(*repeats.values(), strict=True)
    ]  # of a single map: the mean of two varies less than those of smaller sizes
    whole = np.mean(once, axis=0)[order]
    in_order = None if groups is None else groups[order]
    return make_learning_curve(posterior[order], (size, whole), pairs, labels[order], in_order)


def _pairs_of_maps(
    n: int,
    partition: Partition,
    thirds: dict[str, list[Floats]],
    fit: Fitting,
    has_time: Callable[[], bool],
) -> Iterator[tuple[int, list[Floats], list[Floats]]]:
    """Yield sizes with what two maps of each kind, learned on so many rows apart, say of each row.

    The sizes are a third of the rows, and parts of it.
    """
    if thirds:
        yield n // THIRDS, *_other_thirds(_by_third(n, partition.third_splits(), thirds), partition)
    for steps in range(1, SMALLER_PARTS + 1) if thirds else ():
        splits = partition.third_splits(steps)
        size = min(len(split.training) for split in splits)
        if size < FEWEST_TRAINING_ROWS or not has_time():
            return
        try:
            found = fit(list(thirds), splits)
        except DataError:
            return
        if len(found) < len(thirds):  # some map cannot be learned from so few rows
            return
        yield size, *_other_thirds(_by_third(n, splits, found), partition)


def _other_thirds(
    thirds: list[list[Floats]], partition: Partition
) -> tuple[list[Floats], list[Floats]]:
    """Return, for each map, what those learned on the two thirds without a row say of it."""
    first, second = (
        [
            np.choose(((partition.third + ahead) % THIRDS)[:, None], some)
            for some in zip(*thirds, strict=True)
        ]
        for ahead in (1, 2)
    )
    return first, second


def _by_repeat(n: int, partition: Partition, some: list[Floats]) -> list[Floats]:
    """Return what a map says of all rows, (n, m), for each assignment of these to folds."""
    splits, folds = partition.fold_splits(), partition.scheme.folds
    starts = range(0, len(splits), folds)
    return [_gathered(n, splits[a : a + folds], some[a : a + folds]) for a in starts]


def _gathered(n: int, splits: Sequence[Split], some: list[Floats]) -> Floats:
    """Put the rows held out by some splits into one array, (n, m), NaN for all other rows."""
    gathered = np.full((n, some[0].shape[1]), np.nan)
    for split, one in zip(splits, some, strict=True):
        gathered[split.held_out] = one
    return gathered


def _by_third(
    n: int, splits: Sequence[Split], known: dict[str, list[Floats]]
) -> list[list[Floats]]:
    """Return, third by third, an array of all rows for each map; NaN where it has learned."""
    return [
        [_gathered(n, [split], [some[j]]) for some in known.values()]
        for j, split in enumerate(splits)
    ]


def _crossed_weights(thirds: list[list[Floats]], labels: Ints, partition: Partition) -> Floats:
    """Return weights of maps for each third that its rows had no part in, (thirds, maps).

    They come from maps that were learned on a second third and measured on the last. A map learned
    on some labels does as well on others as one learned on those does on these: weights from folds
    that a row was learned from would know its label.
    """
    in_order, found = partition.third[partition.order], []
    for t in range(THIRDS):
        a, b = (t + 1) % THIRDS, (t + 2) % THIRDS
        products = missed_products(thirds[a], labels, partition.order[in_order == b])
        products += missed_products(thirds[b], labels, partition.order[in_order == a])
        found.append(few_weights(products, LEAST_WEIGHT))
    return np.array(found)


def _crossed_average(full: list[Floats], weights: Floats, partition: Partition) -> Floats:
    """Average maps with the weights of the third that each row is in."""
    posterior = np.empty_like(full[0])
    for t in range(THIRDS):
        rows = partition.third == t
        posterior[rows] = average([one[rows] for one in full], weights[t])
    return posterior
