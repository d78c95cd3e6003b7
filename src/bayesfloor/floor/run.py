"""From a sample that has passed the gate to the record of its floor."""

from __future__ import annotations

from dataclasses import replace
from math import hypot
from typing import Any

import numpy as np

from bayesfloor.base.progress import progress_bar
from bayesfloor.bounds.henze_penrose import bayes_error_bounds, divergence, independent_mismatch
from bayesfloor.floor.limits import make_limits
from bayesfloor.floor.notes import make_notes
from bayesfloor.floor.record import Floor
from bayesfloor.neighbours import Effort
from bayesfloor.neighbours.effort import ALL_ROWS
from bayesfloor.representation import Representation, represent
from bayesfloor.representation.pooling import PooledMismatch, pool_mismatch
from bayesfloor.sample.sample import Sample

LIKELY, SURE = 1.0, 3.0
"""Standard errors of a difference by which learned maps show that neighbours are likely or surely
wrong. Both are of the same labels, so that their difference has in truth a smaller one."""


def make_floor(
    sample: Sample,
    *,
    method: str = "wnn",
    k: int = 5,
    representation: Any = "auto",
    table: Any = None,
    confidence: float = 0.95,
    seed: int = 0,
    effort: Effort = ALL_ROWS,
    progress: bool = False,
) -> Floor:
    """Bound the Bayes error of a sample that has passed the gate."""
    published = isinstance(representation, str) and representation == "auto" and method != "wnn"
    asked = "raw" if published else representation
    how: dict[str, Any] = {
        "confidence": confidence,
        "seed": seed,
        "effort": effort,
        "progress": progress,
    }
    represented, solved = _measured(sample, asked, method, k, table=table, **how)
    doubtful = isinstance(asked, str) and asked == "auto" and represented.is_doubtful
    if doubtful and effort.seconds_left() > 0:
        learned, other = _measured(sample, "learned", method, k, **how)
        represented, solved = better((represented, solved), (learned, other))
    priors, ceiling = sample.priors, independent_mismatch(sample.priors)
    mismatch, two = solved.mismatch, sample.m == 2
    lower, upper = bayes_error_bounds(mismatch, priors)
    limits = make_limits(sample, represented, solved, confidence)
    low, high = limits.mismatch
    return Floor(
        lower=lower,
        upper=upper,
        interval=limits.error,
        confidence=confidence,
        mismatch=mismatch,
        mismatch_se=solved.se,
        mismatch_interval=limits.mismatch,
        estimate=limits.estimate,
        estimate_interval=limits.estimate_interval,
        divergence=divergence(mismatch, priors) if two else None,
        divergence_se=solved.se / ceiling if two else None,
        divergence_interval=(1 - high / ceiling, 1 - low / ceiling) if two else None,
        classes=sample.classes,
        priors=priors,
        n=sample.n,
        d=sample.d,
        intrinsic_dimension=solved.curve.intrinsic_dimension
        if represented.dimension is None
        else represented.dimension,
        representation=represented.name,
        maps=represented.chosen,
        method=method,
        curve=solved.curve,
        local_mismatch=1 - solved.posterior[np.arange(sample.n), sample.labels],
        notes=make_notes(sample, represented, solved, method, effort.tolerance),
        _sample=sample,
        _samples=represented.samples,
        _asked=asked,
        _seed=seed,
        _effort=replace(effort, deadline=None),
        _table=table,
        _k=k,
    )


def better(
    raw: tuple[Representation, PooledMismatch], learned: tuple[Representation, PooledMismatch]
) -> tuple[Representation, PooledMismatch]:
    """Return what was learned where it likely shows more than the columns as they are.

    The mismatch of any map is that of the columns or more, and distances mislead upwards only: the
    lower of two answers is nearer. While that may be chance, the interval reaches to the end of the
    other; downwards always, as neighbours, some way apart, cannot rule out that labels jump between
    them.
    """
    (as_it_is, first), (represented, other) = raw, learned
    less, se = first.mismatch - other.mismatch, hypot(first.se, other.se)
    below, above = other.reach
    lowest = other.mismatch - represented.gap - below
    if represented.is_guess:
        return raw
    if less <= LIKELY * se:
        reach = max(first.reach[0], first.mismatch - lowest), first.reach[1]
        return as_it_is, replace(first, reach=reach)
    if less <= SURE * se:  # upper ends count from zero on
        above = max(above, first.mismatch + first.reach[1] - max(other.mismatch, 0.0))
    return represented, replace(other, reach=(below, above))


def _measured(
    sample: Sample,
    representation: Any,
    method: str,
    k: int,
    *,
    table: Any = None,
    confidence: float,
    seed: int,
    effort: Effort,
    progress: bool,
) -> tuple[Representation, PooledMismatch]:
    represented = represent(
        sample, representation, table=table, seed=seed, executor=effort.executor, progress=progress
    )
    with progress_bar("Comparing neighbours", sample.n, show=progress) as advance:
        effort = replace(effort, advance=advance)
        return represented, pool_mismatch(
            represented, method, k, confidence=confidence, effort=effort
        )
