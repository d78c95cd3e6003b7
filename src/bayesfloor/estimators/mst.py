"""Friedman & Rafsky's estimator, from the minimum spanning tree."""

from __future__ import annotations

from bayesfloor.estimators.curve_models import rank_variance
from bayesfloor.estimators.label_noise import add_label_noise
from bayesfloor.estimators.method import Evidence
from bayesfloor.estimators.mismatch import MismatchEstimate
from bayesfloor.neighbours.spanning_tree import cross_edges


def mst(evidence: Evidence) -> MismatchEstimate:
    """Count the edges of the minimum spanning tree that join classes."""
    sample = evidence.sample
    edges = cross_edges(
        sample.points,
        sample.labels,
        sample.m,
        executor=evidence.executor.local,
        groups=sample.groups,
    )
    measured = evidence.measurement
    noise = rank_variance(measured.curve.mismatch) * measured.design_effect
    found = MismatchEstimate(edges / sample.n, noise)
    return add_label_noise(evidence, found)
