"""From a sample that has passed the gate to its floor, and to floors of its parts and pairs."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from bayesfloor.base.arrays import Bools, Floats
from bayesfloor.base.errors import DataError
from bayesfloor.base.progress import progress_bar
from bayesfloor.base.settings import Settings
from bayesfloor.bounds.henze_penrose import divergence, divergence_error
from bayesfloor.estimators.estimation import estimate_mismatch
from bayesfloor.estimators.method import Method
from bayesfloor.estimators.methods import METHODS
from bayesfloor.floor.limits import make_limits
from bayesfloor.floor.notes import make_notes
from bayesfloor.floor.origin import Origin
from bayesfloor.floor.record import Floor
from bayesfloor.neighbours import Effort
from bayesfloor.representation import (
    AUTO,
    RAW,
    PooledMismatch,
    Representation,
    learn,
    measure_by_rule,
    pool_mismatch,
    raw_representation,
)
from bayesfloor.representation.locality import Surroundings
from bayesfloor.sample.sample import Sample

PAIR_SEED = 2018
"""Seed of the rows that are drawn of large classes, fixed so that a floor always says the same."""
PAIR_ROWS = 2000
"""Rows of a class that are compared with those of another, so that all pairs take seconds."""


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """A sample with the settings it was asked with: it answers again on parts and pairs."""

    sample: Sample
    settings: Settings
    origin: Origin
    measured: Representation
    divergence: float | None  # of two classes, from all rows

    def part(self, rows: Bools) -> Floor:
        """Answer the same question from some of the rows.

        Parameters
        ----------
        rows : (n,) array of bool
            The rows to keep, two or more of every class.
        """
        sample = self.sample.only(rows)
        if sample.counts.min() < 2:
            raise DataError("a part of the rows lacks a class; keep two rows of each or more")
        asked = self.settings.representation
        settings = replace(
            self.settings,
            representation=self.measured.name if isinstance(asked, str) else asked,
            max_seconds=None,
            progress=False,
        )
        return run_floor(sample, settings, self.origin.part(np.flatnonzero(rows)))

    def divergence_between(self, a: int, b: int, *, most_rows: int | None = None) -> float:
        """Return the Henze-Penrose divergence between two classes, given by index, unclipped.

        With `most_rows`, that many rows of a class are drawn at random where there are more. Of two
        classes in all, it is the divergence of the floor.
        """
        if self.divergence is not None:
            return self.divergence
        settings = self.settings
        effort = Effort(engine=settings.engine, executor=settings.executor)
        pairs = [_only_two_classes(sample, a, b, most_rows) for sample in self.measured.samples]
        values = [
            divergence(
                estimate_mismatch(pair, METHODS[settings.method], settings.k, effort)[1].mismatch,
                pair.priors,
            )
            for pair in pairs
        ]
        return float(np.average(values, weights=[pair.n for pair in pairs]))

    def pairwise(self, *, most_rows: int = PAIR_ROWS) -> Floats:
        """Return the divergence between any two classes, unclipped, (m, m)."""
        table = np.zeros((self.sample.m, self.sample.m))
        for a, b in combinations(range(self.sample.m), 2):
            table[a, b] = table[b, a] = self.divergence_between(a, b, most_rows=most_rows)
        return table


def run_floor(
    sample: Sample,
    settings: Settings = Settings(),  # noqa: B008  # frozen
    origin: Origin = Origin(),  # noqa: B008  # frozen
    *,
    started: float | None = None,
) -> Floor:
    """Bound the Bayes error of a sample that has passed the gate.

    `started` is when the call began, in the time of `time.monotonic`: a limit on the time counts
    from there.
    """
    method = METHODS[settings.method]
    effort = _make_effort(settings, started)
    measured, pooled = _measure(sample, settings, method, origin, effort)
    priors, mismatch, two = sample.priors, pooled.mismatch, sample.m == 2
    lower, upper = method.bound.limits(mismatch, priors)
    apart = divergence(mismatch, priors) if two else None
    limits = make_limits(sample, measured, pooled, method.bound, settings.confidence)
    low, high = limits.mismatch
    dimension = measured.dimension
    return Floor(
        lower=lower,
        upper=upper,
        interval=limits.error,
        confidence=settings.confidence,
        mismatch=mismatch,
        mismatch_se=pooled.se,
        mismatch_interval=limits.mismatch,
        estimate=limits.estimate,
        estimate_interval=limits.estimate_interval,
        divergence=apart,
        divergence_se=divergence_error(pooled.se, priors) if two else None,
        divergence_interval=(divergence(high, priors), divergence(low, priors)) if two else None,
        classes=sample.classes,
        priors=priors,
        labels=sample.labels,
        n=sample.n,
        d=sample.d,
        columns=sample.d if origin.columns is None else origin.columns,
        intrinsic_dimension=pooled.curve.intrinsic_dimension if dimension is None else dimension,
        representation=measured.name,
        maps=measured.maps,
        method=settings.method,
        curve=pooled.curve,
        local_mismatch=1 - pooled.posterior[np.arange(sample.n), sample.labels],
        notes=origin.notes + make_notes(sample, measured, pooled, method, settings),
        texts_merged=origin.texts_merged,
        display=next((r for r in (origin.display, origin.table) if r is not None), None),
        run=Run(sample, settings, origin, measured, apart),
    )


def _measure(
    sample: Sample, settings: Settings, method: Method, origin: Origin, effort: Effort
) -> tuple[Representation, PooledMismatch]:
    """Measure what was asked for; "auto" follows the rule of `bayesfloor.representation.auto`."""
    asked = settings.representation

    def measure(
        kind: Any, surroundings: Surroundings | None = None
    ) -> tuple[Representation, PooledMismatch]:
        if isinstance(kind, str) and kind == RAW:
            prepared = raw_representation(sample)
        else:
            prepared = _learn(sample, kind, settings, origin, surroundings)
        return prepared, _pool(prepared, method, settings, effort)

    if isinstance(asked, str) and asked == AUTO:
        has_time: Callable[[], bool] = lambda: effort.seconds_left() > 0  # noqa: E731
        return measure_by_rule(sample, method, measure, has_time=has_time)
    return measure(asked)


def _learn(
    sample: Sample,
    kind: Any,
    settings: Settings,
    origin: Origin,
    surroundings: Surroundings | None,
) -> Representation:
    return learn(
        sample,
        kind,
        table=origin.table,
        seed=settings.seed,
        executor=settings.executor,
        progress=settings.progress,
        surroundings=surroundings,
    )


def _pool(
    prepared: Representation, method: Method, settings: Settings, effort: Effort
) -> PooledMismatch:
    rows = sum(sample.n for sample in prepared.samples)
    with progress_bar("Comparing neighbours", rows, show=settings.progress) as advance:
        return pool_mismatch(
            prepared,
            method,
            settings.k,
            confidence=settings.confidence,
            effort=replace(effort, advance=advance),
        )


def _make_effort(settings: Settings, started: float | None) -> Effort:
    begun, limit = time.monotonic() if started is None else started, settings.max_seconds
    return Effort(
        engine=settings.engine,
        executor=settings.executor,
        tolerance=settings.tolerance,
        deadline=None if limit is None else begun + limit,
        seed=settings.seed,
    )


def _only_two_classes(sample: Sample, a: int, b: int, most_rows: int | None) -> Sample:
    """Return the rows of two classes only, or as many of each as asked."""
    rng = np.random.default_rng(PAIR_SEED)
    kept = np.zeros(sample.n, dtype=np.bool_)
    for c in (a, b):
        kept[rng.permutation(np.flatnonzero(sample.labels == c))[:most_rows]] = True
    return Sample(
        points=sample.points[kept],
        labels=(sample.labels[kept] == b).astype(np.int64),
        classes=sample.classes[[a, b]],
        scale=sample.scale,
    )
