"""From a sample to the samples that are measured: the columns as they are, or learned maps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from bayesfloor.base.arrays import Floats, Ints
from bayesfloor.base.errors import DataError
from bayesfloor.base.executor import ALL_CORES, Executor
from bayesfloor.base.formatting import show
from bayesfloor.base.progress import progress_bar
from bayesfloor.estimators.methods import curve_ranks
from bayesfloor.representation.cross_fitting import (
    FoldResult,
    LearningTask,
    classify,
    cross_fit,
    transform,
)
from bayesfloor.representation.locality import NOT_LOCAL, Locality, locality
from bayesfloor.representation.maps import MAPS
from bayesfloor.sample.assembly import as_blocks, assemble
from bayesfloor.sample.distinct_points import Cells, make_cells
from bayesfloor.sample.sample import Sample

REPRESENTATIONS = {
    "auto": "raw where neighbours are local and maps find no less mismatch, else learned",
    "raw": "the columns as they are",
    "learned": "class probabilities, learned on some rows and measured on others",
}
MANY_FOLDS, FEW_FOLDS = 5, 2
MANY_ROWS = 20_000
"""From so many rows on, half of them are enough to learn from."""
FEW_COLUMNS, FEW_ROWS = 2, 200
"""In so few columns neighbours are close enough to follow a jump; so few rows do not show it."""
BLURRED = 0.3
"""Among many rows a jump is blurred where the first neighbour is so far, in distances of the last:
in five columns or more."""
HEAVY = 1e11
"""Rows squared times columns from which learning maps is much less work than comparing rows."""


@dataclass(frozen=True, slots=True, eq=False)
class Representation:
    """The samples to measure, which share the rows among them."""

    name: str  # "raw", "learned" or the class of the user's map
    samples: tuple[Sample, ...]
    columns: int  # of the table that came
    rows: tuple[Ints, ...]  # the rows in each
    chosen: tuple[str, ...] = ()  # the map of each
    posteriors: tuple[Floats | None, ...] = (None,)  # class probabilities by the maps
    gap: float = 0.0  # mismatch that maps with more rows to learn from would likely still win
    gap_se: float = 0.0  # standard error of that
    spread: float = 0.0  # variance between maps that cannot be told apart
    duplicates: float = 0.0  # share of rows that equal another row, where maps were learned
    locality: Locality | None = None  # of the columns as they came, where it was looked at
    foldable: bool = True  # whether every class has the rows that learning takes

    @property
    def learned_from(self) -> int:
        """Rows that each map could learn from."""
        return sum(map(len, self.rows)) - max(map(len, self.rows))

    @property
    def dimension(self) -> float | None:
        """Intrinsic dimension of the columns as they came, where maps were learned."""
        return None if self.is_raw or self.locality is None else self.locality.dimension

    @property
    def is_doubtful(self) -> bool:
        """Whether the columns stayed raw by a look at the distances, and maps could be learned.

        Distances tell nothing of labels that jump along single columns.
        """
        return self.is_raw and self.locality is not None and self.foldable

    @property
    def is_guess(self) -> bool:
        """Whether so few rows were learned from that any labels could have been fitted to them.

        Up to 2(d + 1) points in d columns can be parted by a plane, whatever their labels
        (Cover 1965): rows so few do not tell how much a map has missed.
        """
        return not self.is_raw and self.learned_from < 2 * (self.columns + 1)

    @property
    def is_raw(self) -> bool:
        """Whether the columns are measured as they came."""
        return not self.chosen


def check_representation(representation: Any) -> None:
    """Refuse what is neither a name nor an unfitted classifier or transformer."""
    if isinstance(representation, str):
        if representation in REPRESENTATIONS:
            return
        came = f"representation is {representation!r}"
    elif isinstance(representation, type):
        came = f"representation is the class {representation.__name__}, not an instance"
    elif hasattr(representation, "fit") and (
        _classifies(representation) or hasattr(representation, "transform")
    ):
        return
    else:
        came = f"representation is a {type(representation).__name__}"
    names = ", ".join(REPRESENTATIONS)
    raise DataError(f"{came}; pass {names}, or a scikit-learn classifier or transformer")


def represent(
    sample: Sample,
    representation: Any,
    *,
    table: Any = None,
    seed: int = 0,
    executor: Executor = ALL_CORES,
    progress: bool = False,
) -> Representation:
    """Choose what to measure, and learn it where it is to be learned.

    Parameters
    ----------
    sample : Sample
        Points and labels.
    representation : str or scikit-learn classifier or transformer
        A key of ``REPRESENTATIONS``, or a map of the user's own.
    table : anything scikit-learn takes, optional
        The rows as they came, for a map of the user's own; the points by default.
    seed : int
        Decides which rows are learned from and which are measured.
    executor : Executor
        Where maps are learned; the result does not depend on it.
    progress : bool
        Show a progress bar on a terminal.

    Returns
    -------
    Representation
    """
    if isinstance(representation, str) and _is_raw(sample, representation):
        return Representation("raw", (sample,), sample.d, (np.arange(sample.n),))
    cells, count = make_cells(sample), _fold_count(sample)
    near = locality(cells, curve_ranks(sample.n))
    stays = near.is_local and not _is_heavy(sample)
    if representation == "auto" and (stays or count < FEW_FOLDS):
        rows = (np.arange(sample.n),)
        foldable = count >= FEW_FOLDS
        return Representation("raw", (sample,), sample.d, rows, locality=near, foldable=foldable)
    _check_folds(sample, count)
    order = cells.class_order()  # the names of classes must not decide which rows are learned from
    place = np.argsort(order)
    labels = place[sample.labels]
    task = _task(sample, cells, labels, order, representation, table)
    learns, fits = (
        (classify, len(task.makers) + 1) if _classifies(representation) else (transform, 1)
    )
    with progress_bar("Learning maps", count * fits, show=progress) as advance:
        parts = cross_fit(
            partial(learns, task),
            labels,
            np.lexsort((labels, cells.of_row)),
            count=count,
            seed=seed,
            executor=executor,
            advance=advance,
        )
    name = "learned" if isinstance(representation, str) else type(representation).__name__
    return _represented(name, sample, parts, place, cells, near)


def _is_raw(sample: Sample, representation: str) -> bool:
    """Tell without a look at the points: few columns cannot keep neighbours apart.

    Three and more can still hide a jump of the labels, which maps may find in some hundred rows.
    """
    nearness = curve_ranks(sample.n) ** (-1 / sample.d)
    blurred = sample.d > FEW_COLUMNS if sample.n < MANY_ROWS else nearness > BLURRED
    worth = sample.n >= FEW_ROWS and blurred and not _is_heavy(sample)
    few = nearness < NOT_LOCAL
    return representation == "raw" or (representation == "auto" and few and not worth)


def _is_heavy(sample: Sample) -> bool:
    return float(sample.n) ** 2 * sample.d >= HEAVY


def _check_folds(sample: Sample, count: int) -> None:
    if count < FEW_FOLDS:
        rare = int(sample.counts.argmin())
        raise DataError(
            f"class {show(sample.classes[rare])} has {sample.counts[rare]} rows, and a map needs 4"
            " of each to be learned and measured; add rows or pass representation='raw'"
        )


def _represented(
    name: str,
    sample: Sample,
    parts: tuple[FoldResult, ...],
    place: Ints,
    cells: Cells,
    near: Locality,
) -> Representation:
    known = [part.posterior for part in parts]
    return Representation(
        name=name,
        samples=tuple(
            assemble(as_blocks(part.points.T), sample.labels[part.rows], sample.classes)
            for part in parts
        ),
        columns=sample.d,
        rows=tuple(part.rows for part in parts),
        chosen=tuple(part.chosen for part in parts),
        posteriors=tuple(None if one is None else one[:, place] for one in known),
        gap=max(float(np.mean([part.gap for part in parts])), 0.0),
        gap_se=float(np.sqrt(np.sum([part.gap_variance for part in parts]))) / len(parts),
        spread=float(np.mean([part.spread for part in parts])),
        duplicates=cells.copied,
        locality=near,
    )


def _fold_count(sample: Sample) -> int:
    """Folds such that every class has two rows or more in each."""
    most = FEW_FOLDS if sample.n >= MANY_ROWS else MANY_FOLDS
    return min(most, int(sample.counts.min()) // 2)


def _classifies(representation: Any) -> bool:
    return isinstance(representation, str) or any(
        hasattr(representation, name) for name in ("predict_proba", "decision_function")
    )


def _task(
    sample: Sample, cells: Cells, labels: Ints, order: Ints, representation: Any, table: Any
) -> LearningTask:
    """State what is to be learned, from points of unit total variance or from the user's rows.

    The labels are places in an order of the classes.
    """
    if isinstance(representation, str):
        centre = cells.sizes @ cells.points / sample.n  # of cells, whose order is always the same
        spread = cells.sizes @ ((cells.points - centre) ** 2).sum(axis=1) / sample.n
        points = sample.points / (np.sqrt(spread) or 1.0)
        makers = {name: partial(_built, make, sample.d, sample.m) for name, make in MAPS.items()}
        return LearningTask(points, labels, np.arange(sample.m), makers)
    from sklearn.base import clone

    rows = sample.points * sample.scale if table is None else table
    own = {type(representation).__name__: lambda _: clone(representation)}
    return LearningTask(rows, labels, sample.classes[order], own)


def _built(make: Callable[[int, int, int], Any], d: int, m: int, n: int) -> Any:
    return make(n, d, m)
