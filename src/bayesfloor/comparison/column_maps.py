"""A few maps that are learned again and again on different columns, always on the same folds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from bayesfloor.base.arrays import Floats, Ints
from bayesfloor.base.errors import DataError
from bayesfloor.base.executor import Executor
from bayesfloor.bounds.loss import losses
from bayesfloor.comparison.column_groups import ColumnGroup
from bayesfloor.floor.limits import held_out_errors
from bayesfloor.representation import Learned
from bayesfloor.representation.cross_fitting import LearningTask, learn_probabilities, run_fits
from bayesfloor.representation.maps import MAPS
from bayesfloor.representation.partition import Split
from bayesfloor.sample.sample import Sample

MOST_MAPS = 2
"""Maps that are learned again, the heaviest: the others add little to a difference. A judgement."""
HEAVY_MAP = 0.15
"""Weight that a second map must have to be learned again. A judgement."""
INTERPOLATING = {"forest"}
"""Maps that are not learned again: their trees follow every row, and any column more, even noise,
smooths them, so that it would look as if it told something."""
NO_HEAVY_MAP = "boosting"
"""The map that is learned again where all others interpolate."""
MEASURED_ROWS = 4_000
"""Rows that are measured at least, where there are so many: whole folds of them. A judgement."""


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """What maps of some columns do on rows that they were not learned from, always the same."""

    losses: Floats  # (rows,)
    errors: Floats  # (rows,)
    posterior: Floats  # (rows, m)


@dataclass(frozen=True, slots=True, eq=False)
class ColumnMaps:
    """The heaviest maps of a sample, to be learned on any of its columns."""

    sample: Sample
    weights: Mapping[str, float]  # of the maps, which sum to one
    splits: Sequence[Split]
    executor: Executor
    advance: Callable[[int], None] | None = None

    @property
    def held_out(self) -> Ints:
        """The held-out rows, split by split."""
        return np.concatenate([split.held_out for split in self.splits])

    @property
    def fits(self) -> int:
        """Fits of one outcome."""
        return len(self.weights) * len(self.splits)

    def outcome(self, places: Sequence[int]) -> Outcome:
        """Learn on some columns, or on none: then every row has the shares of the classes."""
        posterior = self._shares() if not len(places) else self._average(places)
        labels = self.sample.labels[self.held_out]
        return Outcome(losses(posterior, labels), held_out_errors(posterior, labels), posterior)

    def permuted_losses(self, groups: Sequence[ColumnGroup], seed: int) -> Floats:
        """Return by how much losses rise if each group is permuted, (groups, measured rows).

        One map is learned on one split, whose measured rows swap their values: a cheap look at many
        columns.
        """
        task, split = self._task(range(self.sample.d)), self.splits[0]
        model = task.fitted(next(iter(self.weights)), split.training)
        rows = np.arange(len(split.held_out))
        order = np.random.default_rng(seed).permutation(rows)
        points, labels = task.table[split.held_out], self.sample.labels[split.held_out]

        def row_losses(table: Floats) -> Floats:
            held_out = LearningTask(table, task.columns, labels, task.classes, task.maps)
            return losses(held_out.probabilities(model, rows), labels)

        plain, rises = row_losses(points), []
        for group in groups:
            changed, places = points.copy(), list(group.places)
            changed[:, places] = points[order][:, places]
            rises.append(row_losses(changed) - plain)
        return np.array(rises)

    def _shares(self) -> Floats:
        m = self.sample.m
        return np.concatenate(
            [
                np.tile(
                    np.bincount(self.sample.labels[split.training], minlength=m)
                    / len(split.training),
                    (len(split.held_out), 1),
                )
                for split in self.splits
            ]
        )

    def _average(self, places: Sequence[int]) -> Floats:
        task = self._task(places)
        items = list(product(self.weights, self.splits))
        found = run_fits(
            lambda item: learn_probabilities(task, *item),
            items,
            executor=self.executor,
            advance=self.advance,
        )
        total = np.zeros((len(self.held_out), self.sample.m))
        weight, problems = 0.0, []
        for j, share in enumerate(self.weights.values()):
            own = found[j * len(self.splits) : (j + 1) * len(self.splits)]
            known = [one for one in own if not isinstance(one, DataError)]
            problems += [one for one in own if isinstance(one, DataError)]
            if len(known) == len(own):
                total, weight = total + share * np.concatenate(known), weight + share
        if not weight:
            raise problems[0]
        return total / weight

    def _task(self, places: Sequence[int]) -> LearningTask:
        points = self.sample.points[:, list(places)]
        spread = float(np.sqrt(points.var(axis=0).sum())) or 1.0
        maps = {name: MAPS[name] for name in self.weights}
        classes = np.arange(self.sample.m)
        return LearningTask(points / spread, len(places), self.sample.labels, classes, maps)


def make_column_maps(
    sample: Sample,
    learned: Learned,
    executor: Executor,
    advance: Callable[[int], None] | None = None,
) -> ColumnMaps:
    """Take the heaviest maps, and as many folds as have rows enough to measure."""
    known = {
        name: weight
        for name, weight in learned.weights.items()
        if name in MAPS and name not in INTERPOLATING and weight > 0
    } or {NO_HEAVY_MAP: 1.0}
    first, *others = list(known)[:MOST_MAPS]
    names = [first, *(name for name in others if known[name] >= HEAVY_MAP)]
    weights = {name: known[name] / sum(known[each] for each in names) for name in names}
    splits = learned.partition.fold_splits()
    sizes = np.cumsum([len(split.held_out) for split in splits])
    enough = int(np.searchsorted(sizes, min(MEASURED_ROWS, sample.n))) + 1
    return ColumnMaps(sample, weights, splits[:enough], executor, advance)
