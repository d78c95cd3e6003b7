"""Class probabilities of every row, by maps that were learned on other rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from typing import Any, TypeAlias

import numpy as np

from bayesfloor.base.arrays import Floats, Ints
from bayesfloor.base.clustered_noise import label_design_effect
from bayesfloor.base.errors import DataError
from bayesfloor.base.executor import ALL_CORES, Executor
from bayesfloor.base.formatting import show
from bayesfloor.base.progress import progress_bar
from bayesfloor.representation.cross_fitting import (
    SMALLER_PARTS,
    THIRDS,
    USUAL,
    LearningTask,
    Partition,
    Split,
    learn_probabilities,
    make_partition,
    run_fits,
    transform,
)
from bayesfloor.representation.learning_curve import LearningCurve, Pair, make_learning_curve
from bayesfloor.representation.maps import MAPS, Map, TrainingSize, leaves_columns_out
from bayesfloor.representation.representation import LEARNED, Representation
from bayesfloor.representation.stacking import average, best_weights, few_weights, missed_products
from bayesfloor.sample.assembly import as_blocks, assemble
from bayesfloor.sample.distinct_points import Cells, make_cells
from bayesfloor.sample.sample import Sample, dense_codes

FEWEST_ROWS = 20
"""Distinct rows that maps are learned from, at least: a judgement."""
FEWEST_GROUPS = 6
"""Groups that maps are learned from, at least: two in each third of the rows."""
FEWEST_TRAINING_ROWS = 8
"""Rows of the smallest size of a learning curve, at least: a judgement."""
LEAST_WEIGHT = 0.15
"""Weight below which a map is left out: it costs more than it tells. A judgement."""


@dataclass(frozen=True, slots=True, eq=False)
class Learned:
    """Class probabilities of every row, by maps that have not seen it."""

    name: str  # "learned", or the class of the user's map
    posterior: Floats  # (n, m)
    partition: Partition
    weights: dict[str, float]  # mean weight of each map, the largest first
    curve: LearningCurve  # of the maps of some mean weight
    columns: int  # that the maps have seen
    leaves_columns_out: bool = False  # whether the strongest map had no time for all columns
    design_effect: float = 1.0  # rows that count as one independent row, by their labels

    @property
    def learned_from(self) -> int:
        """Rows that each map could learn from, about."""
        return int(self.curve.sizes[0])

    @property
    def is_guess(self) -> bool:
        """Whether it is not known how much the maps have missed.

        A plane separates up to 2(d + 1) points in d columns for at least half of all labellings
        (Cover 1965): so few rows do not tell. Nor do maps that had no time for all columns.
        """
        few = self.learned_from / self.design_effect < 2 * (self.columns + 1)
        return few or self.leaves_columns_out or self.curve.excess is None


def learn(
    sample: Sample,
    own: Any = None,
    *,
    table: Any = None,
    seed: int = 0,
    executor: Executor = ALL_CORES,
    progress: bool = False,
    cells: Cells | None = None,
    has_time: Callable[[], bool] = lambda: True,
) -> Learned:
    """Learn maps on some rows, apply them to the others, fold by fold, and average them.

    Parameters
    ----------
    sample : Sample
        Points and labels.
    own : scikit-learn classifier, optional
        A map of the user's own; all of ``MAPS`` by default.
    table : anything scikit-learn takes, optional
        The rows as they came, for a map of the user's own; the points by default.
    seed : int
        Decides which rows are learned from and which are measured.
    executor : Executor
        Where maps are learned; the result does not depend on it.
    progress : bool
        Show a progress bar on a terminal.
    cells : Cells, optional
        The distinct points, where they are known already.
    has_time : callable
        Tells whether there is time left for the learning curve.

    Returns
    -------
    Learned
    """
    cells = make_cells(sample) if cells is None else cells
    check_rows(cells, sample.groups)
    class_order = cells.class_order()  # the names of classes must not decide anything
    place = np.argsort(class_order)
    labels = place[sample.labels]
    task = (
        _default_task(sample, cells, labels)
        if own is None
        else _own_task(sample, labels, class_order, own, table)
    )
    partition = make_partition(cells, labels, seed, sample.groups)
    fits = len(task.maps) * partition.scheme.fits
    with progress_bar("Learning maps", fits, show=progress) as advance:
        fit = partial(_probabilities, task, executor=executor, advance=advance)

        def leave_out(maps: int) -> None:
            if advance is not None:
                advance(maps * (partition.scheme.fits - THIRDS))

        found = _learn_all(task, partition, fit, leave_out, has_time, sample.groups)
    return Learned(
        LEARNED if own is None else type(own).__name__,
        found.posterior[:, place],
        partition,
        dict(sorted(found.weights.items(), key=lambda entry: -entry[1])),
        found.curve,
        sample.d,
        own is None and leaves_columns_out(TrainingSize(sample.n, sample.d, sample.m)),
        label_design_effect(sample.labels, sample.groups),
    )


def transform_rows(
    sample: Sample,
    own: Any,
    *,
    table: Any = None,
    seed: int = 0,
    executor: Executor = ALL_CORES,
    progress: bool = False,
) -> Representation:
    """Learn a transformer on some rows and apply it to the others, fold by fold.

    Parameters are those of `learn`.
    """
    cells = make_cells(sample)
    check_rows(cells, sample.groups)
    class_order = cells.class_order()
    labels = np.argsort(class_order)[sample.labels]
    task = _own_task(sample, labels, class_order, own, table)
    if sample.counts.min() < 2 * USUAL.folds:
        rare = int(sample.counts.argmin())
        raise DataError(
            f"class {show(sample.classes[rare])} has {sample.counts[rare]} rows, and a transformer"
            f" needs {2 * USUAL.folds} of each to be learned and measured; add rows or pass"
            " representation='raw'"
        )
    splits = make_partition(cells, labels, seed, sample.groups).fold_splits()
    with progress_bar("Learning maps", len(splits), show=progress) as advance:
        work = partial(transform, task)
        found = run_fits(work, splits, executor=executor, advance=advance)
    samples = tuple(
        assemble(as_blocks(points.T), sample.labels[rows], sample.classes, executor=executor.local)
        for rows, points in found
    )
    if any(one.counts.min() < 2 for one in samples):
        raise DataError(
            "too many rows are copies of each other to measure a transformer on rows that it has"
            " not seen; remove the copies or pass representation='raw'"
        )
    if sample.groups is not None:
        samples = tuple(
            _with_groups(one, sample.groups[rows])
            for one, (rows, _) in zip(samples, found, strict=True)
        )
    rows = tuple(rows for rows, _ in found)
    return Representation(type(own).__name__, samples, rows, sample.groups)


def _with_groups(sample: Sample, groups: Ints) -> Sample:
    """Return the rows that one map is measured on with their groups, two or more."""
    if len(np.unique(groups)) < 2:
        raise DataError(
            "the groups are too few or too unequal to measure a transformer on groups that it has"
            " not seen; pass more groups or representation='raw'"
        )
    return replace(sample, groups=dense_codes(groups))


def probability_representation(sample: Sample, learned: Learned) -> Representation:
    """Return class probabilities as points, for methods that compare neighbours in any case."""
    points = learned.posterior[:, 1:] if sample.m == 2 else learned.posterior
    mapped = assemble(as_blocks(points.T), sample.labels, sample.classes)
    mapped = replace(mapped, groups=sample.groups)
    return Representation(learned.name, (mapped,), (np.arange(sample.n),), sample.groups)


def can_learn(cells: Cells, groups: Ints | None = None) -> bool:
    """Tell whether there are rows and groups enough to learn from some and measure the others."""
    many = groups is None or int(groups.max()) + 1 >= FEWEST_GROUPS
    return many and len(cells.points) >= FEWEST_ROWS


def check_rows(cells: Cells, groups: Ints | None = None) -> None:
    """Refuse to learn from a handful of rows or groups."""
    if groups is not None and not can_learn(cells, groups) and can_learn(cells):
        raise DataError(
            f"{int(groups.max()) + 1} groups are too few to learn from some and measure the others,"
            f" {FEWEST_GROUPS} are needed; add groups or pass representation='raw'"
        )
    if not can_learn(cells):
        raise DataError(
            f"{len(cells.points)} different rows are too few to learn from, {FEWEST_ROWS} are"
            " needed; add rows or pass representation='raw'"
        )


Fitting: TypeAlias = Callable[[Sequence[str], Sequence[Split]], "dict[str, list[Floats]]"]
"""Learns some maps on some splits: for each map and split the probabilities of measured rows."""


def _probabilities(
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


@dataclass(frozen=True, slots=True, eq=False)
class _Found:
    """What the maps of a task say, with classes in the order of the task."""

    posterior: Floats
    weights: dict[str, float]
    curve: LearningCurve


def _learn_all(
    task: LearningTask,
    partition: Partition,
    fit: Fitting,
    leave_out: Callable[[int], None],
    has_time: Callable[[], bool],
    groups: Ints | None,
) -> _Found:
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
    full = {name: _gathered(n, partition.fold_splits(), some) for name, some in by_fold.items()}
    weights = weights[:, [tried.index(name) for name in full]]
    total = weights.sum(axis=1, keepdims=True)  # zero if the maps of a third fail on the folds
    weights = np.where(total > 0, weights / np.where(total > 0, total, 1.0), 1 / len(full))
    posterior = _crossed_average(list(full.values()), weights, partition)
    shares = np.bincount(partition.third, minlength=THIRDS) / n @ weights
    used = dict(zip(full, shares.tolist(), strict=True))
    heavy = {name: full[name] for name in full if used[name] >= min(LEAST_WEIGHT, shares.max())}
    again = {name: by_third[name] for name in heavy} if by_third else {}
    curve = _measure_curve(partition, labels, posterior, heavy, again, fit, has_time, groups)
    return _Found(posterior, {name: used.get(name, 0.0) for name in tried}, curve)


def _measure_curve(
    partition: Partition,
    labels: Ints,
    posterior: Floats,
    full: dict[str, Floats],
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
    weights, pairs = np.full(len(full), 1 / len(full)), list[Pair]()
    for rows, first, second in _pairs_of_maps(n, partition, thirds, fit, has_time):
        if not pairs:
            means = [(one + other) / 2 for one, other in zip(first, second, strict=True)]
            weights = best_weights(missed_products(means, labels, order))
        pairs.append(Pair(rows, average(first, weights)[order], average(second, weights)[order]))
    whole = average(list(full.values()), weights)[order]
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


def _gathered(n: int, splits: Sequence[Split], some: list[Floats]) -> Floats:
    """Put the measured rows of some splits into one array, (n, m), NaN where none was measured."""
    gathered = np.full((n, some[0].shape[1]), np.nan)
    for split, one in zip(splits, some, strict=True):
        gathered[split.measured] = one
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


def _default_task(sample: Sample, cells: Cells, labels: Ints) -> LearningTask:
    """Learn the maps that suit the sample, from points of unit total variance."""
    centre = cells.sizes @ cells.points / sample.n  # of cells, whose order is always the same
    spread = cells.sizes @ ((cells.points - centre) ** 2).sum(axis=1) / sample.n
    points = sample.points / (np.sqrt(spread) or 1.0)
    size = TrainingSize(sample.n, sample.d, sample.m)
    maps = {name: known for name, known in MAPS.items() if known.suits(size)}
    return LearningTask(points, sample.d, labels, np.arange(sample.m), maps)


def _own_task(
    sample: Sample, labels: Ints, class_order: Ints, own: Any, table: Any
) -> LearningTask:
    """Learn the user's own map from the user's rows."""
    from sklearn.base import clone

    rows = sample.points * sample.scale if table is None else table
    name = type(own).__name__
    maps = {name: Map(lambda: clone(own), "a map of the user's own")}
    return LearningTask(rows, sample.d, labels, sample.classes[class_order], maps)
