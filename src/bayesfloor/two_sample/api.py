"""The call: two samples in, whether and how they differ out."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bayesfloor.base.arrays import Floats, Ints
from bayesfloor.base.errors import DataError
from bayesfloor.base.executor import Executor
from bayesfloor.base.memory import memory_errors
from bayesfloor.base.options import check_count
from bayesfloor.base.progress import progress_bar
from bayesfloor.base.settings import Settings
from bayesfloor.floor import Divergence
from bayesfloor.floor.memory_plan import fit_to_memory
from bayesfloor.floor.options import make_settings
from bayesfloor.floor.origin import Origin
from bayesfloor.floor.run import run_floor
from bayesfloor.sample.distinct_points import make_cells
from bayesfloor.sample.gate import make_pair, make_sample
from bayesfloor.sample.sample import Sample
from bayesfloor.tables import TablePair, is_readable, read_pair
from bayesfloor.two_sample.classifier import (
    CLASSIFIERS,
    SCORED_PARTS,
    ClassifierTest,
    run_classifier_test,
)
from bayesfloor.two_sample.column_profiles import ColumnValues, array_columns
from bayesfloor.two_sample.columns import MovedColumn, compare_columns
from bayesfloor.two_sample.graph import make_graph
from bayesfloor.two_sample.graph_statistic import NeighbourTest, run_neighbour_test
from bayesfloor.two_sample.new_rows import find_new_rows
from bayesfloor.two_sample.record import NewRow, TwoSampleTest
from bayesfloor.two_sample.stage_memory import (
    classifier_cost,
    columns_cost,
    new_rows_cost,
    plan_stage,
)
from bayesfloor.two_sample.table_columns import owners_of, typed_columns

FEWEST_LEARNED_ROWS = 20
"""Rows from which on a classifier is learned. A judgement: with fewer, no part can be scored."""
NAMED_COLUMNS = 2
"""Columns that are named of a new row: those that make it new. A judgement."""
FAR_SHARE = 0.1
"""Share of the squared distance from which on a column is named. A judgement."""


def two_sample_test(
    X: Any,
    Y: Any,
    *,
    permutations: int | None = None,
    confidence: float = 0.95,
    random_state: Any = 0,
    max_seconds: float | None = None,
    workers: int | Executor | None = None,
    client: Any = None,
    max_memory: int | str | None = None,
    progress: bool = False,
    **reading: Any,
) -> TwoSampleTest:
    """Test whether two samples are drawn alike, and tell what differs.

    Parameters
    ----------
    X, Y : arrays, data frames or paths
        The old rows and the new ones, of the same columns. Arrays are taken as they are: scale
        columns in different units first. Files, and data frames that hold more than numbers, are
        read and encoded together, as `read_table` does.
    permutations : int, optional
        How often labels are permuted on the graph of neighbours: by default 999 times up to some
        15,000 different rows, else the normal limit is taken; 0 always takes it. If there are no
        more ways to label the rows, all of them are tried.
    confidence : float
        Of the interval of the divergence; one minus the level at which samples differ.
    random_state : int, None, or NumPy Generator or RandomState
        Seed of the permutations and of the parts that a classifier is learned on.
    max_seconds : float, optional
        Time limit of the divergence, which then rests on a random subset of rows.
    workers, client, max_memory, progress
        As in `bayes_error`.
    **reading
        Options of `read_table`, such as ``drop="id"``.

    Returns
    -------
    TwoSampleTest

    Raises
    ------
    DataError
        If the input cannot be used; the message says what came, where, and what to do.

    Examples
    --------
    >>> import numpy as np
    >>> import bayesfloor as bf
    >>> rng = np.random.default_rng(0)
    >>> found = bf.two_sample_test(rng.normal(0, 1, (80, 2)), rng.normal(1, 1, (60, 2)))
    >>> found.verdict, found.p_value
    ('differ', 0.001)
    """
    started = time.monotonic()
    options = {"method": "wnn", "k": 5, "representation": "auto", "tolerance": None}
    settings = make_settings({**locals(), **options, "engine": "auto"})
    if permutations is not None:
        check_count("permutations", permutations, low=0)
    pair = _read(X, Y, reading, settings, max_memory)
    with memory_errors():
        return _run_tests(pair, settings, permutations, started)


@dataclass(frozen=True, slots=True, eq=False)
class _TwoSamples:
    """Two samples as points, and their columns as a reader knows them."""

    sample: Sample
    columns: list[ColumnValues]
    owners: Ints  # (d,) the column that each of the points' columns stands for
    names: tuple[str, str]
    notes: tuple[str, ...]
    row_numbers: Ints  # (n,) of the rows in their own tables


def _read(
    X: Any, Y: Any, reading: dict[str, Any], settings: Settings, max_memory: int | str | None
) -> _TwoSamples:
    """Read tables together, or take arrays as they are."""
    if not (is_readable(X) and is_readable(Y)):
        if reading:
            name = next(iter(reading))
            raise DataError(f"{name}= is for files and data frames; leave it out for arrays")
        return _array_pair(X, Y, settings)
    pair = read_pair(X, Y, max_memory=max_memory, **reading)
    return _table_pair(pair, settings)


def _array_pair(X: Any, Y: Any, settings: Settings) -> _TwoSamples:
    with memory_errors():
        sample = make_pair(X, Y, executor=settings.executor.local)
    columns = array_columns(
        [f"column {j}" for j in range(sample.d)],
        np.concatenate([np.asarray(X, dtype=np.float64), np.asarray(Y, dtype=np.float64)]),
    )
    numbers = np.concatenate([np.arange(count) for count in sample.counts])
    return _TwoSamples(sample, columns, np.arange(sample.d), ("X", "Y"), (), numbers)


def _table_pair(pair: TablePair, settings: Settings) -> _TwoSamples:
    """Put the rows of the old table before those of the new one."""
    table = pair.table
    assert table.typed is not None
    with memory_errors():
        sample = make_sample(table.X, table.y, executor=settings.executor.local)
    numbers = np.arange(len(table.y)) if table.row_numbers is None else table.row_numbers.to_numpy()
    numbers = np.where(sample.labels == 1, numbers - pair.old_height, numbers)
    owners = owners_of(table.X.columns, table.typed.columns)
    names = (os.path.basename(pair.old_name), os.path.basename(pair.new_name))
    return _TwoSamples(sample, typed_columns(table.typed), owners, names, table.notes, numbers)


def _run_tests(
    pair: _TwoSamples, settings: Settings, permutations: int | None, started: float
) -> TwoSampleTest:
    """Run all tests."""
    sample = pair.sample
    neighbours, notes = _neighbours(sample, settings, permutations)
    classifier, learned = _classifier(sample, settings)
    columns, looked_at = _test_columns(pair, settings, permutations)
    fitted = fit_to_memory(sample, settings, Origin(None), what="divergence")
    floor = run_floor(*fitted, started=started)
    assert floor.divergence is not None
    assert floor.divergence_se is not None
    assert floor.divergence_interval is not None
    new_rows, searched = _new_rows(pair, settings)
    return TwoSampleTest(
        Divergence(floor.divergence, floor.divergence_se, floor.divergence_interval),
        neighbours,
        classifier,
        columns,
        new_rows,
        int(sample.counts[0]),
        int(sample.counts[1]),
        sample.d,
        settings.confidence,
        pair.names,
        pair.notes + notes + learned + looked_at + fitted[2].notes + searched,
    )


def _classifier(
    sample: Sample, settings: Settings
) -> tuple[ClassifierTest | None, tuple[str, ...]]:
    """Run the classifier test on the rows that fit into the memory; note if these are not all."""
    if sample.n < FEWEST_LEARNED_ROWS:
        return None, ()
    plan = plan_stage("Classifiers learn", classifier_cost(sample.d), sample.labels, settings)
    fits = len(CLASSIFIERS) * (SCORED_PARTS - 1)
    with progress_bar("Learning classifiers", fits, show=settings.progress) as advance:
        found = run_classifier_test(
            sample if plan.kept.all() else sample.only(plan.kept),
            seed=settings.seed,
            executor=plan.executor,
            advance=advance,
        )
    return found, plan.notes


def _test_columns(
    pair: _TwoSamples, settings: Settings, permutations: int | None
) -> tuple[tuple[MovedColumn, ...], tuple[str, ...]]:
    """Test each column on the rows that fit into the memory; note if these are not all."""
    columns, labels = pair.columns, pair.sample.labels
    cost = columns_cost(columns, permutations)
    plan = plan_stage("What the columns show is", cost, labels, settings)
    if not plan.kept.all():
        columns = [replace(one, values=one.values[plan.kept]) for one in columns]
        labels = labels[plan.kept]
    found = compare_columns(columns, labels, permutations=permutations, seed=settings.seed + 1)
    return found, plan.notes


def _neighbours(
    sample: Sample, settings: Settings, permutations: int | None
) -> tuple[NeighbourTest, tuple[str, ...]]:
    """Run the test on the graph of neighbours; note where not all rows have looked for theirs."""
    cells = make_cells(sample)
    total = len(cells.points)
    with progress_bar("Joining neighbours", total, show=settings.progress) as advance:
        graph = make_graph(
            cells,
            seed=settings.seed,
            executor=settings.executor,
            advance=advance,
            max_memory=settings.max_memory,
        )
    found = run_neighbour_test(
        graph,
        cells,
        permutations=permutations,
        seed=settings.seed,
        executor=settings.executor,
        max_memory=settings.max_memory,
    )
    if graph.searched == sample.n:
        return found, ()
    part = f"{graph.searched:,} of {sample.n:,} rows, drawn at random"
    return found, (f"Neighbours were looked for from {part}, to save time and memory.",)


def _new_rows(pair: _TwoSamples, settings: Settings) -> tuple[tuple[NewRow, ...], tuple[str, ...]]:
    """Return the rows of a new kind, with the columns that make them new, and notes."""
    points, labels = pair.sample.points, pair.sample.labels
    cost = new_rows_cost(pair.sample.d)
    plan = plan_stage("Rows of a new kind are", cost, labels, settings)
    old, new = (np.flatnonzero((labels == c) & plan.kept) for c in (0, 1))
    found = find_new_rows(points[old], points[new], seed=settings.seed, executor=plan.executor)
    rows = tuple(
        NewRow(
            int(pair.row_numbers[new[row]]),
            float(distance),
            int(pair.row_numbers[old[near]]),
            _far_columns(pair, points[new[row]] - points[old[near]]),
        )
        for row, distance, near in zip(found.rows, found.distance, found.nearest, strict=True)
    )
    return rows, plan.notes


def _far_columns(pair: _TwoSamples, difference: Floats) -> tuple[str, ...]:
    """Name the columns that have the largest shares in a squared distance."""
    shares = np.bincount(pair.owners, difference**2, minlength=len(pair.columns))
    shares = shares / shares.sum()
    largest = np.argsort(-shares, kind="stable")[:NAMED_COLUMNS]
    return tuple(pair.columns[j].name for j in largest if shares[j] >= FAR_SHARE)
