"""Class probabilities of every row, by maps that were learned on other rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from bayesfloor.base.arrays import Floats, Ints
from bayesfloor.base.choices import LEARNED
from bayesfloor.base.clustered_noise import label_design_effect
from bayesfloor.base.errors import DataError
from bayesfloor.base.executor import ALL_CORES, Executor
from bayesfloor.base.progress import progress_bar
from bayesfloor.representation.cross_fitting import LearningTask
from bayesfloor.representation.learning_curve import LearningCurve
from bayesfloor.representation.map_averaging import fitted_probabilities, learn_all
from bayesfloor.representation.maps import MAPS, Map, TrainingSize, leaves_columns_out
from bayesfloor.representation.partition import THIRDS, Partition, make_partition
from bayesfloor.representation.representation import Representation
from bayesfloor.sample.assembly import as_blocks, assemble
from bayesfloor.sample.distinct_points import Cells, make_cells
from bayesfloor.sample.sample import Sample

FEWEST_ROWS = 20
"""Distinct rows that maps are learned from, at least: a judgement."""
FEWEST_GROUPS = 6
"""Groups that maps are learned from, at least: two in each third of the rows."""


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
        else own_task(sample, labels, class_order, own, table)
    )
    partition = make_partition(cells, labels, seed, sample.groups, quick=own is not None)
    fits = len(task.maps) * partition.scheme.fits
    with progress_bar("Learning maps", fits, show=progress) as advance:
        fit = partial(fitted_probabilities, task, executor=executor, advance=advance)

        def leave_out(maps: int) -> None:
            if advance is not None:
                advance(maps * (partition.scheme.fits - THIRDS))

        found = learn_all(task, partition, fit, leave_out, has_time, sample.groups)
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


def _default_task(sample: Sample, cells: Cells, labels: Ints) -> LearningTask:
    """Learn the maps that suit the sample, from points of unit total variance."""
    centre = cells.sizes @ cells.points / sample.n  # of cells, whose order is always the same
    spread = cells.sizes @ ((cells.points - centre) ** 2).sum(axis=1) / sample.n
    size = TrainingSize(sample.n, sample.d, sample.m)
    maps = {name: known for name, known in MAPS.items() if known.suits(size)}
    unit = np.sqrt(spread) or 1.0
    return LearningTask(sample.points, sample.d, labels, np.arange(sample.m), maps, unit)


def own_task(sample: Sample, labels: Ints, class_order: Ints, own: Any, table: Any) -> LearningTask:
    """Learn the user's own map from the user's rows."""
    from sklearn.base import clone

    rows = sample.points * sample.scale if table is None else table
    name = type(own).__name__
    maps = {name: Map(lambda: clone(own), "a map of the user's own")}
    return LearningTask(rows, sample.d, labels, sample.classes[class_order], maps)
