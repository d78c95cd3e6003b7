"""The samples of a representation are measured and their answers put together."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from bayesfloor.arrays import Floats
from bayesfloor.curve import Measured, RankCurve, measure
from bayesfloor.methods import METHODS, Estimate
from bayesfloor.representation import Represented
from bayesfloor.sample import Sample


@dataclass(frozen=True, slots=True, eq=False)
class Solved:
    """The mismatch of a sample, unclipped, and what it was read from."""

    mismatch: float
    se: float
    curve: RankCurve
    posterior: Floats  # (n, m) class shares about each row, its own label left out
    duplicates: float  # share of rows that equal another row


def solve(
    represented: Represented,
    method: str,
    k: int,
    *,
    workers: int | None = None,
    advance: Callable[[int], None] | None = None,
) -> Solved:
    """Measure every sample; average what they say, weighted by their rows."""
    answers = [
        solve_one(sample, method, k, workers=workers, advance=advance)
        for sample in represented.samples
    ]
    measured = [one for one, _ in answers]
    sizes = np.array([sample.n for sample in represented.samples])
    posterior = np.empty((sizes.sum(), represented.samples[0].m))
    for rows, known, one in zip(represented.rows, represented.posteriors, measured, strict=True):
        posterior[rows] = one.posterior if known is None else known
    mismatch, variance = _combined([found for _, found in answers], sizes / sizes.sum())
    return Solved(
        mismatch=mismatch,
        se=float(np.sqrt(variance + represented.spread)),
        curve=_mean_curve([one.curve for one in measured]),
        posterior=posterior,
        duplicates=measured[0].duplicates if represented.is_raw else represented.duplicates,
    )


def solve_one(
    sample: Sample,
    method: str,
    k: int,
    *,
    workers: int | None = None,
    advance: Callable[[int], None] | None = None,
) -> tuple[Measured, Estimate]:
    """Measure one sample and estimate its mismatch."""
    chosen, k = METHODS[method], min(k, sample.n - 1)
    ranks = chosen.ranks(sample.n, k)
    measured = measure(sample, ranks=ranks, workers=workers, advance=advance)
    return measured, chosen.estimate(sample, measured, k)


def _combined(found: list[Estimate], weights: Floats) -> tuple[float, float]:
    """Weighted mean, and its variance: what the samples state, or more where they disagree."""
    values, stated = np.array([(one.mismatch, one.variance) for one in found]).T
    mean = float(weights @ values)
    between = weights**2 @ (values - mean) ** 2 * len(found) / max(len(found) - 1, 1)
    return mean, float(max(weights**2 @ stated, between))


def _mean_curve(curves: list[RankCurve]) -> RankCurve:
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
    )
