"""From a sample to what is measured on it: neighbours, learned maps or both, as was asked."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from bayesfloor.base.choices import AUTO, RAW
from bayesfloor.base.progress import progress_bar
from bayesfloor.base.settings import Settings
from bayesfloor.estimators.method import Method
from bayesfloor.floor.origin import Origin
from bayesfloor.neighbours import Effort
from bayesfloor.representation import (
    Learned,
    Measured,
    PooledMismatch,
    Representation,
    classifies,
    learn,
    measure_by_rule,
    pool_mismatch,
    raw_representation,
    transform_rows,
)
from bayesfloor.representation.learned import probability_representation
from bayesfloor.representation.locality import Surroundings, make_surroundings
from bayesfloor.sample.sample import Sample


def measure_as_asked(
    sample: Sample, settings: Settings, method: Method, origin: Origin, effort: Effort
) -> Measured:
    """Measure what was asked for; "auto" follows the rule of `bayesfloor.representation.auto`."""
    representation = settings.representation
    has_time: Callable[[], bool] = lambda: effort.seconds_left() > 0  # noqa: E731
    options = {
        "table": origin.table,
        "seed": settings.seed,
        "executor": settings.executor,
        "progress": settings.progress,
    }

    def neighbours(prepared: Representation) -> PooledMismatch:
        return _pool(prepared, method, settings, effort)

    def learned(surroundings: Surroundings, own: Any = None) -> Learned:
        return learn(sample, own, cells=surroundings.cells, has_time=has_time, **options)

    def raw() -> PooledMismatch:
        return neighbours(raw_representation(sample))

    if isinstance(representation, str) and representation == AUTO:
        return measure_by_rule(sample, method, raw, learned, has_time=has_time)
    if isinstance(representation, str) and representation == RAW:
        return Measured(raw())
    if not isinstance(representation, str) and not classifies(representation):
        return Measured(neighbours(transform_rows(sample, representation, **options)))
    surroundings = make_surroundings(sample)
    found = learned(surroundings, None if isinstance(representation, str) else representation)
    if method.sharpens:
        return Measured(None, found, surroundings)
    return Measured(neighbours(probability_representation(sample, found)), found, surroundings)


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


def make_effort(settings: Settings, started: float | None) -> Effort:
    """Return how a search is to be done, with the time at which it must end."""
    begun, limit = time.monotonic() if started is None else started, settings.max_seconds
    return Effort(
        engine=settings.engine,
        executor=settings.executor,
        tolerance=settings.tolerance,
        deadline=None if limit is None else begun + limit,
        seed=settings.seed,
    )
