"""Two classes of a sample apart from all others."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from bayesfloor.base.arrays import Floats, Ints
from bayesfloor.bounds.henze_penrose import divergence
from bayesfloor.bounds.loss import losses
from bayesfloor.sample.sample import Sample

PAIR_SEED = 2018
"""Seed of the rows that are drawn of large classes, fixed so that a floor always says the same."""
PAIR_ROWS = 2000
"""Rows of a class that are compared with those of another, so that all pairs take seconds."""


def only_two_classes(sample: Sample, a: int, b: int, most_rows: int | None) -> Sample:
    """Return the rows of two classes only, or as many of each as asked."""
    rng = np.random.default_rng(PAIR_SEED)
    kept = np.zeros(sample.n, dtype=np.bool_)
    for c in (a, b):
        kept[rng.permutation(np.flatnonzero(sample.labels == c))[:most_rows]] = True
    pair = sample.only(kept)
    return replace(pair, labels=(pair.labels == b).astype(np.int64), classes=sample.classes[[a, b]])


def divergence_of_posterior(posterior: Floats, labels: Ints, a: int, b: int) -> float:
    """Return the divergence of two classes by the probabilities that rows of theirs have."""
    rows = np.flatnonzero((labels == a) | (labels == b))
    pair = posterior[rows][:, [a, b]]
    total = pair.sum(axis=1, keepdims=True)
    pair = np.divide(pair, total, out=np.full_like(pair, 0.5), where=total > 0)
    second = (labels[rows] == b).astype(np.int64)
    share = float(second.mean())
    return divergence(float(losses(pair, second).mean()), np.array([1 - share, share]))
