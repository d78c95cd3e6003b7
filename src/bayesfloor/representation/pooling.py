"""The samples of a representation are measured and their answers put together."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import hypot

import numpy as np
from scipy.special import ndtri

from bayesfloor.base.arrays import Floats
from bayesfloor.curve.measurement import Measurement, Survey, make_survey, measure
from bayesfloor.curve.rank_curve import RankCurve
from bayesfloor.estimators.methods import METHODS, Method
from bayesfloor.estimators.mismatch import MismatchEstimate, combined
from bayesfloor.neighbours import Effort, PartialSums, growing_sums
from bayesfloor.neighbours.effort import ALL_ROWS
from bayesfloor.representation import Representation
from bayesfloor.sample.gate import Sample


@dataclass(frozen=True, slots=True, eq=False)
class PooledMismatch:
    """The mismatch of a sample, unclipped, and what it was read from."""

    mismatch: float
    se: float
    reach: tuple[float, float]  # of the interval, below and above the mismatch
    curve: RankCurve
    posterior: Floats  # (n, m) class shares about each row, its own label left out
    duplicates: float  # share of rows that equal another row
    searched: int  # rows whose neighbours were compared


def pool_mismatch(
    represented: Representation,
    method: str,
    k: int,
    *,
    confidence: float = 0.95,
    effort: Effort = ALL_ROWS,
) -> PooledMismatch:
    """Measure every sample; average what they say, weighted by their rows."""
    samples = represented.samples
    answers = [
        estimate_mismatch(sample, method, k, effort.for_one_of(len(samples), len(samples) - j))
        for j, sample in enumerate(samples)
    ]
    measured = [one for one, _ in answers]
    sizes = np.array([sample.n for sample in samples])
    posterior = np.empty((sizes.sum(), samples[0].m))
    for rows, known, one in zip(represented.rows, represented.posteriors, measured, strict=True):
        posterior[rows] = one.posterior if known is None else known
    found, shares = [one for _, one in answers], sizes / sizes.sum()
    mismatch, variance, (below, above) = combined(found, shares, represented.spread, confidence)
    of_gap = float(ndtri(0.5 + confidence / 2)) * represented.gap_se
    return PooledMismatch(
        mismatch=mismatch,
        se=float(np.sqrt(variance)),
        reach=(hypot(below, of_gap), above),
        curve=_mean_curve([one.curve for one in measured]),
        posterior=posterior,
        duplicates=measured[0].duplicates if represented.is_raw else represented.duplicates,
        searched=sum(int((~np.isnan(one.posterior[:, 0])).sum()) for one in measured),
    )


def estimate_mismatch(
    sample: Sample, method: str, k: int, effort: Effort = ALL_ROWS
) -> tuple[Measurement, MismatchEstimate]:
    """Measure one sample and estimate its mismatch."""
    chosen, k = METHODS[method], min(k, sample.n - 1)
    ranks = chosen.ranks(sample.n, k)
    if effort.is_partial:
        survey = make_survey(sample, ranks, brief=True, executor=effort.executor)
        return _solve_some(survey, chosen, k, effort)
    measured = measure(sample, ranks=ranks, effort=effort)
    return measured, chosen.estimate(sample, measured, k)


def _solve_some(
    survey: Survey, chosen: Method, k: int, effort: Effort
) -> tuple[Measurement, MismatchEstimate]:
    """Ask more and more rows until the estimate is as precise as wanted, or time is up."""
    for drawn in growing_sums(survey.task, effort):
        measured = survey.partial_measurement(drawn.sums, drawn.asked)
        found = chosen.estimate(survey.sample, measured, k)
        noise = _noise_of_asking(survey, chosen, k, measured, drawn)
        found = found.with_noise(noise)
        se = found.variance**0.5
        if effort.advance is not None:
            effort.advance(0, f"mismatch {found.mismatch:.4f} ± {se:.4f}")
        if effort.is_met_by(se):
            break
    return replace(measured, posterior=survey.posterior(drawn.sums, drawn.asked)), found


def _noise_of_asking(
    survey: Survey, chosen: Method, k: int, measured: Measurement, drawn: PartialSums
) -> float:
    """Variance of the estimate because some cells were asked instead of all, by the jackknife."""
    if not drawn.without:
        return 0.0
    values = [
        chosen.estimate(survey.sample, replace(measured, curve=survey.curve(sums)), k).mismatch
        for sums in drawn.without
    ]
    count = len(values)
    return float((count - 1) * np.var(values) * (1 - drawn.share))


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
