"""Points of a transformer of the user's own, learned on other rows."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from bayesfloor.base.arrays import Ints
from bayesfloor.base.errors import DataError
from bayesfloor.base.executor import ALL_CORES, Executor
from bayesfloor.base.formatting import show
from bayesfloor.base.progress import progress_bar
from bayesfloor.representation.cross_fitting import run_fits, transform
from bayesfloor.representation.learned import check_rows, own_task
from bayesfloor.representation.partition import USUAL_FOLDS, make_partition
from bayesfloor.representation.representation import Representation
from bayesfloor.sample.assembly import as_blocks, assemble
from bayesfloor.sample.distinct_points import make_cells
from bayesfloor.sample.sample import Sample, dense_codes


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
    task = own_task(sample, labels, class_order, own, table)
    if sample.counts.min() < 2 * USUAL_FOLDS:
        rare = int(sample.counts.argmin())
        raise DataError(
            f"class {show(sample.classes[rare])} has {sample.counts[rare]} rows, and a transformer"
            f" needs {2 * USUAL_FOLDS} of each to be learned and measured; add rows or pass"
            " representation='raw'"
        )
    splits = make_partition(cells, labels, seed, sample.groups, quick=True).fold_splits()
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
