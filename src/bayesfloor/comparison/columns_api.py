"""The call: from a labelled table to what each of its columns is worth."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from bayesfloor.base.arrays import Ints
from bayesfloor.base.errors import DataError
from bayesfloor.base.options import check_positive
from bayesfloor.base.p_values import holm
from bayesfloor.base.progress import progress_bar
from bayesfloor.comparison.column_groups import ColumnGroup, encoded_places, make_groups
from bayesfloor.comparison.column_maps import ColumnMaps, Outcome, make_column_maps
from bayesfloor.comparison.column_ranking import (
    ColumnAlone,
    ColumnRanking,
    ColumnWorth,
    confidence_note,
    make_ranking,
)
from bayesfloor.comparison.difference import Difference
from bayesfloor.comparison.forward_selection import (
    CANDIDATES,
    one_sided,
    paired_change,
    paired_errors,
    select_forward,
)
from bayesfloor.comparison.sides import learned_maps
from bayesfloor.floor import Floor, bayes_error
from bayesfloor.floor.input import labelled_table
from bayesfloor.floor.run import Run

MOST_REFITS = 40
"""Groups of columns that maps are learned without, at most: those that a cheap look finds the most
telling. A judgement of how long people wait."""
TIMES_OF_ALONE = 0.5
"""Share of the time limit after which no column is measured alone, so that time is left for the
path. A judgement."""


def rank_columns(
    X: Any,
    y: Any = None,
    *,
    label: str | int | None = None,
    confidence: float = 0.95,
    random_state: Any = 0,
    max_seconds: float | None = None,
    workers: Any = None,
    client: Any = None,
    max_memory: int | str | None = None,
    progress: bool = False,
    **reading: Any,
) -> ColumnRanking:
    """Tell which columns would be missed, what each tells alone, and which are enough.

    Parameters
    ----------
    X, y, label
        As in `bayes_error`: points with labels, or a table with the name of its column of labels.
    confidence : float
        Of intervals, of what is called needed, and of the steps of the path.
    random_state, workers, client, max_memory
        As in `bayes_error`.
    max_seconds : float, optional
        Try no further column after about so long; what was not tried is said.
    progress : bool
        Show a progress bar on a terminal.
    **reading
        Options of `read_table`.

    Returns
    -------
    ColumnRanking

    Notes
    -----
    The heaviest maps of the floor of all columns are learned again without each column, on the
    same folds, and both are compared row by row. Encodings of one column are left out together, and
    so are columns whose correlation is 0.95 or more: they would replace each other. What a column
    tells alone is measured by neighbours. Columns are then added one by one, each the one that
    lowers the loss most, until none lowers it by more than chance.

    Examples
    --------
    >>> import numpy as np
    >>> import bayesfloor as bf
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(400, 4))
    >>> y = X[:, 0] + X[:, 1] + rng.normal(size=400) > 0
    >>> sorted(bf.rank_columns(X, y).selected)
    ['column 0', 'column 1']
    """
    started = time.monotonic()
    limit = None if max_seconds is None else check_positive("max_seconds", max_seconds)
    table = labelled_table(X, y, label, reading, max_memory)
    floor = bayes_error(
        *((X, y) if table is None else (table,)),
        confidence=confidence,
        random_state=random_state,
        workers=workers,
        client=client,
        max_memory=max_memory,
        progress=progress,
    )
    originals = None if table is None else table.rows
    places = column_places(X if table is None else table.X, originals, floor.d)
    groups = make_groups(_run(floor).sample.points, places)
    if len(groups) < 2:
        raise DataError("there is one column, or all say the same; pass a table with more columns")
    return rank_groups(floor, groups, _Clock(started, limit), progress=progress)


@dataclass(frozen=True, slots=True)
class _Clock:
    """When the call began, and how long it may take."""

    started: float
    limit: float | None

    def has_time(self, share: float = 1.0) -> bool:
        """Return whether less than a share of the time has passed."""
        return self.limit is None or time.monotonic() - self.started < share * self.limit


def rank_groups(
    floor: Floor, groups: Sequence[ColumnGroup], clock: _Clock, *, progress: bool = False
) -> ColumnRanking:
    """Rank groups of the columns of a floor."""
    run, learned = _run(floor), learned_maps(floor)
    plan = make_column_maps(run.sample, learned, run.settings.executor)
    refits = min(len(groups), MOST_REFITS)
    steps = (refits + CANDIDATES * CANDIDATES) * plan.fits + len(groups)
    with progress_bar("Ranking columns", steps, show=progress) as advance:
        maps = make_column_maps(run.sample, learned, run.settings.executor, advance)
        tried = _worth_a_refit(maps, groups, run.settings.seed)
        whole = maps.outcome(range(run.sample.d))
        without = _without_each(maps, groups, tried, clock.has_time)
        alone = _each_alone(floor, groups, lambda: clock.has_time(TIMES_OF_ALONE), advance)
        worth = _judge(groups, without, whole, alone, floor.confidence)
        needed = [group for group, one in zip(groups, worth, strict=True) if one.needed]
        selection = select_forward(
            maps, groups, needed, whole, confidence=floor.confidence, has_time=clock.has_time
        )
    notes = _notes(groups, without, alone, tried, maps, floor)
    return make_ranking(worth, selection, floor, dict(maps.weights), floor.confidence, notes)


def _run(floor: Floor) -> Run:
    return cast(Run, floor.run)


def column_places(X: Any, originals: Any, columns: int) -> dict[str, list[int]]:
    """Return where the encodings of each column are among those of the sample.

    Parameters
    ----------
    X : data frame or array
        The points.
    originals : data frame or None
        The rows before they were encoded, if they were.
    columns : int
        Of the points.
    """
    names = [str(name) for name in getattr(X, "column_names", getattr(X, "columns", ()))]
    if len(names) != columns:
        names = [f"column {j}" for j in range(columns)]
    if originals is None:
        return {name: [j] for j, name in enumerate(names)}
    return encoded_places(names, originals.columns)


def _worth_a_refit(maps: ColumnMaps, groups: Sequence[ColumnGroup], seed: int) -> Ints:
    """Return the groups to learn without, the most telling of them if there are many."""
    if len(groups) <= MOST_REFITS:
        return np.arange(len(groups))
    rises = maps.permuted_losses(groups, seed).mean(axis=1)
    return np.argsort(-rises, kind="stable")[:MOST_REFITS]


def _without_each(
    maps: ColumnMaps, groups: Sequence[ColumnGroup], tried: Ints, has_time: Callable[[], bool]
) -> dict[int, Outcome]:
    """Learn without each group, as long as there is time."""
    found: dict[int, Outcome] = {}
    for j in tried.tolist():
        if found and not has_time():
            break
        gone = set(groups[j].places)
        found[j] = maps.outcome([p for p in range(maps.sample.d) if p not in gone])
    return found


def _each_alone(
    floor: Floor,
    groups: Sequence[ColumnGroup],
    has_time: Callable[[], bool],
    advance: Callable[[int], None] | None,
) -> dict[int, ColumnAlone]:
    """Measure each group by itself, as long as there is time."""
    found: dict[int, ColumnAlone] = {}
    sample, settings = _run(floor).sample, _run(floor).settings
    for j, group in enumerate(groups):
        if not has_time():
            break
        with suppress(DataError):
            one = bayes_error(
                sample.points[:, list(group.places)],
                sample.labels,
                representation="raw",
                confidence=floor.confidence,
                workers=settings.executor,
            )
            found[j] = ColumnAlone(one.interval, one.mismatch, one.mismatch_interval)
        if advance is not None:
            advance(1)
    return found


def _judge(
    groups: Sequence[ColumnGroup],
    without: dict[int, Outcome],
    whole: Outcome,
    alone: dict[int, ColumnAlone],
    confidence: float,
) -> list[ColumnWorth]:
    """Compare maps without each group with those of all columns."""
    rises: dict[int, Difference] = {
        j: paired_change(one, whole, confidence) for j, one in without.items()
    }
    p_values = [one_sided(rise, falls=False) for rise in rises.values()]
    p_values += [1.0] * (len(groups) - len(rises))  # what was not tried counts too
    adjusted = dict(zip(rises, holm(p_values).tolist(), strict=False))
    return [
        ColumnWorth(
            group.names,
            rises.get(j),
            None if j not in without else paired_errors(without[j], whole, confidence),
            adjusted.get(j),
            None if j not in adjusted else adjusted[j] < 1 - confidence,
            alone.get(j),
        )
        for j, group in enumerate(groups)
    ]


def _notes(
    groups: Sequence[ColumnGroup],
    without: dict[int, Outcome],
    alone: dict[int, ColumnAlone],
    tried: Ints,
    maps: ColumnMaps,
    floor: Floor,
) -> list[str]:
    listed = ", ".join(f"{name} {share:.0%}" for name, share in maps.weights.items())
    notes = [
        confidence_note(floor.confidence),
        f"Maps that were learned again: {listed}; measured on {len(maps.held_out):,} of"
        f" {floor.n:,} rows. Columns that only other kinds of maps use are missed.",
    ]
    merged = [group.name for group in groups if len(group.names) > 1]
    if merged:
        notes.append(
            f"Strongly correlated columns count as one, any of them stands for all:"
            f" {'; '.join(merged)}."
        )
    if len(tried) < len(groups):
        notes.append(
            f"Of {len(groups)} columns, {len(tried)} were left out in turn: those that mattered"
            " most when their values were shuffled among held-out rows. The others are not tried."
        )
    if len(without) < len(tried) or len(alone) < len(groups):
        notes.append(
            f"Time was up: {len(without)} of {len(groups)} columns were left out in turn, and"
            f" {len(alone)} measured alone. Pass a larger max_seconds= for the others."
        )
    return notes
