"""One sample in, its mismatch out: from all rows, or from as many as needed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from bayesfloor.curve.measurement import Measurement, Survey, make_survey, measure
from bayesfloor.estimators.method import Evidence, Method
from bayesfloor.estimators.mismatch import MismatchEstimate
from bayesfloor.neighbours import Effort, PartialSums, growing_sums
from bayesfloor.neighbours.effort import ALL_ROWS
from bayesfloor.sample.sample import Sample


def estimate_mismatch(
    sample: Sample, method: Method, k: int, effort: Effort = ALL_ROWS
) -> tuple[Measurement, MismatchEstimate]:
    """Measure one sample and estimate its mismatch."""
    k = min(k, sample.most_neighbours)
    ranks = min(method.ranks(sample.n, k), sample.most_neighbours)
    if effort.is_partial:
        survey = make_survey(sample, ranks, brief=True, executor=effort.executor.local)
        return _estimate_from_some_rows(survey, method, k, effort)
    measured = measure(sample, ranks=ranks, effort=effort)
    return measured, method.estimate(Evidence(sample, measured, k, effort.executor))


def _estimate_from_some_rows(
    survey: Survey, method: Method, k: int, effort: Effort
) -> tuple[Measurement, MismatchEstimate]:
    """Search more and more rows until the estimate is as precise as wanted, or time is up."""
    for drawn in growing_sums(survey.task, effort):
        measured = survey.partial_measurement(drawn.sums, drawn.searched)
        evidence = Evidence(survey.sample, measured, k, effort.executor)
        found = method.estimate(evidence)
        found = found.with_noise(subsampling_noise(survey, method, evidence, drawn))
        se = found.variance**0.5
        if effort.advance is not None:
            effort.advance(0, f"mismatch {found.mismatch:.4f} ± {se:.4f}")
        if effort.is_met_by(se):
            break
    return replace(measured, posterior=survey.posterior(drawn.sums, drawn.searched)), found


def subsampling_noise(
    survey: Survey, method: Method, evidence: Evidence, drawn: PartialSums
) -> float:
    """Return the variance that comes from searching some cells instead of all, by the jackknife."""
    if not drawn.without:
        return 0.0
    values = [
        method.estimate(
            replace(evidence, measurement=replace(evidence.measurement, curve=survey.curve(sums)))
        ).mismatch
        for sums in drawn.without
    ]
    count = len(values)
    return float((count - 1) * np.var(values) * (1 - drawn.share))
