"""Columns replaced by what maps, learned on other rows, make of them."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from bayesfloor.base.arrays import Ints
from bayesfloor.base.errors import DataError
from bayesfloor.base.executor import ALL_CORES, Executor
from bayesfloor.base.formatting import show
from bayesfloor.base.progress import progress_bar
from bayesfloor.representation.cross_fitting import (
    FoldResult,
    LearningTask,
    classify,
    cross_fit,
    transform,
)
from bayesfloor.representation.locality import Surroundings, make_surroundings
from bayesfloor.representation.maps import MAPS, Map, TrainingSize
from bayesfloor.representation.representation import LEARNED, Representation, classifies
from bayesfloor.sample.assembly import as_blocks, assemble
from bayesfloor.sample.distinct_points import Cells
from bayesfloor.sample.sample import Sample

MOST_FOLDS, FEWEST_FOLDS = 5, 2
"""Folds: five leave four fifths of the rows to learn from, as is usual; fewer than two are none."""
HALVES_FROM = 20_000
"""Rows from which on half of them are enough to learn from, so that two folds do."""


def learn(
    sample: Sample,
    representation: Any = LEARNED,
    *,
    table: Any = None,
    seed: int = 0,
    executor: Executor = ALL_CORES,
    progress: bool = False,
    surroundings: Surroundings | None = None,
) -> Representation:
    """Learn a map on some rows and apply it to the others, fold by fold.

    Parameters
    ----------
    sample : Sample
        Points and labels.
    representation : "learned" or scikit-learn classifier or transformer
        The best of ``MAPS``, or a map of the user's own.
    table : anything scikit-learn takes, optional
        The rows as they came, for a map of the user's own; the points by default.
    seed : int
        Decides which rows are learned from and which are measured.
    executor : Executor
        Where maps are learned; the result does not depend on it.
    progress : bool
        Show a progress bar on a terminal.
    surroundings : Surroundings, optional
        The distinct points and their locality, where they are known already.

    Returns
    -------
    Representation
    """
    count = fold_count(sample)
    _check_folds(sample, count)
    surroundings = make_surroundings(sample) if surroundings is None else surroundings
    cells = surroundings.cells
    order = cells.class_order()  # the names of classes must not decide which rows are learned from
    place = np.argsort(order)
    labels = place[sample.labels]
    own = None if isinstance(representation, str) else representation
    task = (
        _default_task(sample, cells, labels)
        if own is None
        else _own_task(sample, labels, order, own, table)
    )
    probabilistic = own is None or classifies(own)
    work, fits = (classify, len(task.maps) + 1) if probabilistic else (transform, 1)
    with progress_bar("Learning maps", count * fits, show=progress) as advance:
        results = cross_fit(
            partial(work, task),
            labels,
            np.lexsort((labels, cells.of_row)),
            count=count,
            seed=seed,
            executor=executor,
            advance=advance,
        )
    name = LEARNED if own is None else type(own).__name__
    return _representation(name, sample, results, place, surroundings, executor)


def fold_count(sample: Sample) -> int:
    """Return the number of folds such that every class has two rows or more in each."""
    most = FEWEST_FOLDS if sample.n >= HALVES_FROM else MOST_FOLDS
    return min(most, int(sample.counts.min()) // 2)


def can_learn(sample: Sample) -> bool:
    """Tell whether every class has the rows that learning and measuring take."""
    return fold_count(sample) >= FEWEST_FOLDS


def _check_folds(sample: Sample, count: int) -> None:
    if count < FEWEST_FOLDS:
        rare = int(sample.counts.argmin())
        raise DataError(
            f"class {show(sample.classes[rare])} has {sample.counts[rare]} rows, and a map needs 4"
            " of each to be learned and measured; add rows or pass representation='raw'"
        )


def _representation(
    name: str,
    sample: Sample,
    results: tuple[FoldResult, ...],
    place: Ints,
    surroundings: Surroundings,
    executor: Executor,
) -> Representation:
    known = [result.posterior for result in results]
    return Representation(
        name=name,
        samples=tuple(
            assemble(
                as_blocks(result.points.T),
                sample.labels[result.rows],
                sample.classes,
                executor=executor,
            )
            for result in results
        ),
        columns=sample.d,
        rows=tuple(result.rows for result in results),
        maps=tuple(result.map_name for result in results),
        posteriors=tuple(None if one is None else one[:, place] for one in known),
        gap=max(float(np.mean([result.gap for result in results])), 0.0),
        gap_se=float(np.sqrt(np.sum([r.gap_variance for r in results]))) / len(results),
        spread=float(np.mean([result.spread for result in results])),
        duplicates=surroundings.cells.copied,
        locality=surroundings.locality,
    )


def _default_task(sample: Sample, cells: Cells, labels: Ints) -> LearningTask:
    """Learn every one of `MAPS` from points of unit total variance."""
    centre = cells.sizes @ cells.points / sample.n  # of cells, whose order is always the same
    spread = cells.sizes @ ((cells.points - centre) ** 2).sum(axis=1) / sample.n
    points = sample.points / (np.sqrt(spread) or 1.0)
    maps = {name: partial(_build, known, sample) for name, known in MAPS.items()}
    return LearningTask(points, labels, np.arange(sample.m), maps)


def _build(known: Map, sample: Sample, rows: int) -> Any:
    return known.build(TrainingSize(rows, sample.d, sample.m))


def _own_task(sample: Sample, labels: Ints, order: Ints, own: Any, table: Any) -> LearningTask:
    """Learn the user's own map from the user's rows; `order` lists the classes by their labels."""
    from sklearn.base import clone

    rows = sample.points * sample.scale if table is None else table
    return LearningTask(
        rows, labels, sample.classes[order], {type(own).__name__: lambda _: clone(own)}
    )
