"""The estimators by name: what the neighbours say becomes the mismatch and its variance."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from bayesfloor.base.arrays import Floats
from bayesfloor.bounds.henze_penrose import independent_mismatch
from bayesfloor.curve.measurement import Measurement
from bayesfloor.estimators.curve_models import DEFAULT_AVERAGING, AveragingOptions, rank_variance
from bayesfloor.estimators.extrapolation import extrapolate
from bayesfloor.estimators.mismatch import MismatchEstimate
from bayesfloor.estimators.published_weights import published_ranks, published_weights
from bayesfloor.neighbours.spanning_tree import cross_edges
from bayesfloor.sample.gate import Sample

REACH = 5.0
MOST_RANKS = 256
"""The rank curve ends at REACH·√(n/2), and here at the latest: more ranks buy little."""
UNSEEN = 1.5
"""Rows: a mismatch this small can go unseen in any sample, so no standard error is below it."""


@dataclass(frozen=True, slots=True)
class Method:
    """An estimator and the number of ranks it reads, from the rows and from k."""

    estimate: Callable[[Sample, Measurement, int], MismatchEstimate]
    ranks: Callable[[int, int], int]
    summary: str


def curve_ranks(n: int) -> int:
    """Length of the rank curve for n rows.

    Examples
    --------
    >>> curve_ranks(1000), curve_ranks(40_000), curve_ranks(4)
    (111, 256, 3)
    """
    return max(1, min(n - 1, MOST_RANKS, int(REACH * np.sqrt(n / 2))))


def wnn(
    sample: Sample,
    measured: Measurement,
    k: int,  # noqa: ARG001
    options: AveragingOptions = DEFAULT_AVERAGING,
) -> MismatchEstimate:
    """Extrapolate the rank curve to radius zero, averaging over windows and bases."""
    other = measured.efficiency + _unseen(sample)
    fit = extrapolate(measured.curve, sample.n, sample.m, other, options=options)
    found = MismatchEstimate(
        fit.mismatch, fit.variance, fit.offsets, fit.weights, fit.if_discontinuous
    )
    return _with_labels(sample, measured, found)


def wnn_published(sample: Sample, measured: Measurement, k: int) -> MismatchEstimate:  # noqa: ARG001
    """Noshad & Hero's weighted ensemble, with every rank up to 3√N."""
    ranks = published_ranks(sample.n)
    return _weighted(sample, measured, published_weights(np.arange(1.0, ranks + 1), sample.d))


def knn(sample: Sample, measured: Measurement, k: int) -> MismatchEstimate:
    """Noshad & Hero's estimator from the k-th neighbour alone."""
    weights = np.zeros(k)
    weights[-1] = 1
    return _weighted(sample, measured, weights)


def mst(sample: Sample, measured: Measurement, k: int) -> MismatchEstimate:  # noqa: ARG001
    """Friedman & Rafsky's estimator: edges of the minimum spanning tree that join classes."""
    edges = cross_edges(sample.points, sample.labels, sample.m)
    return _with_labels(sample, measured, MismatchEstimate(edges / sample.n, _rank_noise(measured)))


def _weighted(sample: Sample, measured: Measurement, weights: Floats) -> MismatchEstimate:
    """Weigh the first ranks of the plain curve."""
    mismatch = float(weights @ measured.curve.mismatch[: len(weights)])
    noise = _rank_noise(measured) * float(weights @ weights)
    return _with_labels(sample, measured, MismatchEstimate(mismatch, noise))


def _rank_noise(measured: Measurement) -> float:
    """Variance of one rank, which is that of the curve."""
    return rank_variance(measured.curve.mismatch)


def _with_labels(
    sample: Sample, measured: Measurement, fitted: MismatchEstimate
) -> MismatchEstimate:
    """Add the variance from the chance of labels to that of a fit.

    Where classes look alike the first is nothing, but they may differ by what a standard error
    of the fit hides. Of a small drop δ below the mismatch of independent labels the variance is
    4λδ/n, with λ the variance of a coded label along the drop, on average; it vanishes again as
    the mismatch does.
    """
    unseen = _unseen(sample)
    priors, most = sample.priors, independent_mismatch(sample.priors)
    squares = float(priors @ priors)
    label = (squares - 2 * float(priors @ priors**2) + squares**2) / most
    drop = float(np.sqrt(fitted.variance + unseen)) * min(fitted.mismatch / most, 1.0)
    return fitted.with_noise(max(measured.efficiency, 4 * label * drop / sample.n) + unseen)


def _unseen(sample: Sample) -> float:
    return (UNSEEN / sample.n) ** 2


METHODS: dict[str, Method] = {
    "wnn": Method(wnn, lambda n, k: curve_ranks(n), "weighted neighbours, the most accurate"),  # noqa: ARG005
    "wnn-published": Method(
        wnn_published,
        lambda n, k: max(curve_ranks(n), published_ranks(n)),  # noqa: ARG005
        "weighted neighbours as in Noshad & Hero (2018)",
    ),
    "knn": Method(knn, lambda n, k: max(curve_ranks(n), k), "the k-th neighbour alone"),
    "mst": Method(mst, lambda n, k: curve_ranks(n), "minimum spanning tree (Friedman-Rafsky)"),  # noqa: ARG005
}
