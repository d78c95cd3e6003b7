"""The samples of a representation are measured, and their answers pooled into one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bayesfloor.base.arrays import Floats
from bayesfloor.base.clustered_noise import widening
from bayesfloor.curve.rank_curve import RankCurve
from bayesfloor.estimators.estimation import estimate_mismatch
from bayesfloor.estimators.method import Method
from bayesfloor.estimators.mismatch import pool_estimates
from bayesfloor.neighbours import Effort
from bayesfloor.neighbours.effort import ALL_ROWS
from bayesfloor.representation.representation import Representation
from bayesfloor.sample.sample import Sample


@dataclass(frozen=True, slots=True, eq=False)
class PooledMismatch:
    """The mismatch of all rows by their neighbours, unclipped, and what it was read from."""

    name: str  # what neighbours were compared in: "raw", or the class of the user's transformer
    mismatch: float
    se: float
    margins: tuple[float, float]  # of the interval, below and above the mismatch
    discontinuous: tuple[float, float] | None  # mismatch if the posterior is, and its variance
    curve: RankCurve
    posterior: Floats  # (n, m) class probabilities about each row, its own label left out
    duplicates: float  # share of rows that equal another row
    searched: int  # rows whose neighbours were compared
    samples: tuple[Sample, ...]  # that were measured


def pool_mismatch(
    representation: Representation,
    method: Method,
    k: int,
    *,
    confidence: float = 0.95,
    effort: Effort = ALL_ROWS,
) -> PooledMismatch:
    """Measure every sample, and average what they say, weighted by their rows."""
    samples = representation.samples
    answers = [
        estimate_mismatch(sample, method, k, effort.for_one_of(len(samples), len(samples) - j))
        for j, sample in enumerate(samples)
    ]
    measured, estimates = [one for one, _ in answers], [one for _, one in answers]
    sizes = np.array([sample.n for sample in samples])
    posterior = measured[0].posterior
    if len(samples) > 1:
        posterior = np.empty((sizes.sum(), samples[0].m))
        for rows, one in zip(representation.rows, measured, strict=True):
            posterior[rows] = one.posterior
    pooled = pool_estimates(estimates, sizes / sizes.sum(), confidence)
    wider = widening(confidence, representation.groups)
    return PooledMismatch(
        name=representation.name,
        mismatch=pooled.mismatch,
        se=float(np.sqrt(pooled.variance)),
        margins=(wider * pooled.margins[0], wider * pooled.margins[1]),
        discontinuous=pooled.discontinuous,
        curve=mean_curve([one.curve for one in measured]),
        posterior=posterior,
        duplicates=float(np.average([one.duplicates for one in measured], weights=sizes)),
        searched=sum(int((~np.isnan(one.posterior[:, 0])).sum()) for one in measured),
        samples=samples,
    )


def mean_curve(curves: list[RankCurve]) -> RankCurve:
    """Average curves rank by rank, radii by their logarithms."""
    if len(curves) == 1:
        return curves[0]
    ranks = min(len(curve.rank) for curve in curves)
    with np.errstate(divide="ignore"):
        logs = np.mean([np.log(curve.radius[:ranks]) for curve in curves], axis=0)
    return RankCurve(
        rank=curves[0].rank[:ranks],
        mismatch=np.mean([curve.mismatch[:ranks] for curve in curves], axis=0),
        adjusted=np.mean([curve.adjusted[:ranks] for curve in curves], axis=0),
        radius=np.exp(logs),
        at_zero=np.mean([curve.at_zero[:ranks] for curve in curves], axis=0),
        intrinsic_dimension=float(np.mean([curve.intrinsic_dimension for curve in curves])),
        pair_factor=_mean_factor(curves),
    )


def _mean_factor(curves: list[RankCurve]) -> float | None:
    """Return the mean pair factor of curves that have one, None if they have none."""
    factors = [curve.pair_factor for curve in curves if curve.pair_factor is not None]
    return float(np.mean(factors)) if factors else None
