"""Forward selection: the column that lowers the mismatch most, again and again, until none does.

Azadkia & Chatterjee (2021, Ann. Statist. 49, 3070-3102) stop where an estimate of the mismatch no
longer falls (FOCI). Here it must fall by more than chance, among all columns that could have been
added: otherwise the luckiest of many columns of noise would be taken for one that matters. Where
all columns together are surely better than those chosen, some of the others tell something, and a
fall that is more than chance for one column is enough.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from bayesfloor.base.arrays import Floats, Ints
from bayesfloor.comparison.column_groups import ColumnGroup
from bayesfloor.comparison.column_maps import ColumnMaps, Outcome
from bayesfloor.comparison.difference import Difference, make_difference
from bayesfloor.comparison.paired_excess import NO_EXCESS

CANDIDATES = 4
"""Columns that are tried in each step: those that explain most of what is left. A judgement."""
RESIDUAL_BINS = 16
"""Parts of equal size that a column is cut into for that, at most: the cube root of the rows.
A judgement."""


@dataclass(frozen=True, slots=True)
class SelectionStep:
    """One step of the selection.

    Attributes
    ----------
    added : tuple of str
        The columns that were added; those of a group in one text.
    mismatch : float
        The loss of maps with all columns so far, on rows they were not learned from: the mismatch
        or more.
    error : float
        Their held-out error.
    fall : Difference
        By how much the loss changed; below zero.
    p_value : float
        Of no fall, adjusted for the columns that could have been added, unless all together are
        surely better than those before.
    """

    added: tuple[str, ...]
    mismatch: float
    error: float
    fall: Difference
    p_value: float


@dataclass(frozen=True, slots=True, eq=False)
class Selection:
    """The path of a selection: steps, and why it ended."""

    steps: tuple[SelectionStep, ...]
    start: float  # loss without any column
    finished: bool  # whether it ended because nothing lowers the mismatch, not for lack of time
    chosen: tuple[ColumnGroup, ...]
    left: Difference  # loss of all columns less that of the chosen ones
    left_tells: bool  # whether the others together surely lower it


def paired_change(after: Outcome, before: Outcome, confidence: float) -> Difference:
    """Return how the loss changes between two outcomes on the same rows."""
    apart = after.losses - before.losses
    error = float(apart.std()) / len(apart) ** 0.5
    return make_difference(float(apart.mean()), error, confidence, NO_EXCESS)


def paired_errors(after: Outcome, before: Outcome, confidence: float) -> Difference:
    """Return how the held-out error changes between two outcomes on the same rows."""
    apart = after.errors - before.errors
    error = float(apart.std()) / len(apart) ** 0.5
    return make_difference(float(apart.mean()), error, confidence, NO_EXCESS)


def one_sided(difference: Difference, *, falls: bool) -> float:
    """Return the p-value of no fall, or of no rise."""
    half = difference.p_value / 2
    return half if (difference.value < 0) == falls else 1 - half


def select_forward(
    maps: ColumnMaps,
    groups: Sequence[ColumnGroup],
    needed: Sequence[ColumnGroup],
    whole: Outcome,
    *,
    confidence: float,
    has_time: Callable[[], bool],
) -> Selection:
    """Add columns one by one, as long as the mismatch falls.

    Parameters
    ----------
    maps : ColumnMaps
        What is learned on columns.
    groups : sequence of ColumnGroup
        All columns.
    needed : sequence of ColumnGroup
        Columns that all others do not replace: where no single one helps, those of them that are
        not chosen yet are tried together, as they may tell something only together.
    whole : Outcome
        Of all columns.
    confidence : float
        Of a step.
    has_time : callable
        Whether to go on.
    """
    chosen: list[ColumnGroup] = []
    now, finished = maps.outcome([]), True
    start, steps = float(now.losses.mean()), list[SelectionStep]()
    while len(chosen) < len(groups):
        finished = has_time()
        if not finished:
            break
        others = [group for group in groups if group not in chosen]
        trials = [[others[j]] for j in promising_columns(maps, others, now)]
        missing = [group for group in needed if group not in chosen]
        trials += [missing] if len(missing) > 1 else []
        among = 1 if tells_more(whole, now, confidence) else len(others)
        found = _best_step(maps, chosen, trials, now, confidence, among)
        if found is None:
            break
        added, now, step = found
        chosen += added
        steps.append(step)
    left = paired_change(whole, now, confidence)
    tells = len(chosen) < len(groups) and tells_more(whole, now, confidence)
    return Selection(tuple(steps), start, finished, tuple(chosen), left, tells)


def tells_more(first: Outcome, second: Outcome, confidence: float) -> bool:
    """Return whether the loss of one outcome is surely lower than that of another."""
    fall = paired_change(first, second, confidence)
    return one_sided(fall, falls=True) < 1 - confidence


def _best_step(
    maps: ColumnMaps,
    chosen: Sequence[ColumnGroup],
    trials: Sequence[list[ColumnGroup]],
    now: Outcome,
    confidence: float,
    among: int,
) -> tuple[list[ColumnGroup], Outcome, SelectionStep] | None:
    """Try columns, one at a time first; return the best that helps by more than chance."""
    singles = [trial for trial in trials if len(trial) == 1]
    for tried in (singles, [trial for trial in trials if len(trial) > 1]):
        outcomes = [
            maps.outcome([p for group in (*chosen, *trial) for p in group.places])
            for trial in tried
        ]
        if not outcomes:
            continue
        best = int(np.argmin([one.losses.mean() for one in outcomes]))
        fall = paired_change(outcomes[best], now, confidence)
        p = min(one_sided(fall, falls=True) * among, 1.0)
        if p < 1 - confidence:
            names = tuple(group.name for group in tried[best])
            after = outcomes[best]
            step = SelectionStep(
                names, float(after.losses.mean()), float(after.errors.mean()), fall, p
            )
            return tried[best], after, step
    return None


def promising_columns(maps: ColumnMaps, left: Sequence[ColumnGroup], now: Outcome) -> Ints:
    """Return the columns that explain most of what class probabilities miss, by bins of each."""
    rows = maps.held_out
    missed = np.eye(maps.sample.m)[maps.sample.labels[rows]] - now.posterior
    gains = [
        max(explained_share(maps.sample.points[rows, place], missed) for place in group.places)
        for group in left
    ]
    return np.argsort(-np.array(gains), kind="stable")[:CANDIDATES]


def explained_share(values: Floats, missed: Floats) -> float:
    """Return the share of squares that bins of a column explain, less what chance would.

    Examples
    --------
    >>> values = np.repeat([0.0, 1.0], 50)
    >>> bool(explained_share(values, np.column_stack([values - 0.5, 0.5 - values])) > 0.9)
    True
    """
    bins = min(max(round(len(values) ** (1 / 3)), 2), RESIDUAL_BINS)
    edges = np.unique(np.quantile(values, np.linspace(0, 1, bins + 1)[1:-1]))
    of_bin = np.searchsorted(edges, values, side="left")
    counts = np.bincount(of_bin, minlength=len(edges) + 1)
    missed = missed - missed.mean(axis=0)
    total = float((missed**2).sum()) or 1.0
    between = sum(
        float(
            (np.bincount(of_bin, column, minlength=len(counts)) ** 2 / np.maximum(counts, 1)).sum()
        )
        for column in missed.T
    )
    return between / total - np.count_nonzero(counts) / len(values)
