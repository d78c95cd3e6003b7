"""Correlations of sums over pairs of rows when labels are permuted: of graphs, and of features.

Orthonormal features of the rows, (n, r), give a pair of rows the product of its rows of features:
the sum over all pairs is the squared length of the features' sums, but for the terms of a row with
itself, which hardly vary.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
from scipy.sparse import csr_array

from bayesfloor.base.arrays import Floats, Ints
from bayesfloor.two_sample.moments import (
    LabelMoments,
    PairWeights,
    overlap,
    pair_weights,
    quadratic_covariance,
)

Weights = csr_array | Floats
"""Weights of pairs of rows by cell: a graph, (u, u), or features, (u, r)."""


def correlations(sums: Sequence[Weights], sizes: Ints, labels: LabelMoments) -> Floats:
    """Return the exact correlations of some sums over pairs; 0 with a sum that never varies.

    Parameters
    ----------
    sums : sequence of graphs (u, u) or features (u, r)
        What weighs the pairs.
    sizes : (u,) array
        Rows of each cell.
    labels : LabelMoments
        Moments of the permuted labels.
    """
    weights = [_weights(one, sizes) for one in sums]
    found = np.eye(len(sums))
    spreads = np.sqrt(
        [
            max(quadratic_covariance(w, w, _shared(one, one, sizes), sizes, labels), 0.0)
            for one, w in zip(sums, weights, strict=True)
        ]
    )
    for i, j in combinations(range(len(sums)), 2):
        both = spreads[i] * spreads[j]
        if both > 0:
            shared = _shared(sums[i], sums[j], sizes)
            covariance = quadratic_covariance(weights[i], weights[j], shared, sizes, labels)
            found[i, j] = found[j, i] = min(max(covariance / both, -1.0), 1.0)
    return found


def unit_feature(values: Floats, sizes: Ints) -> Floats:
    """Return values of the cells as one orthonormal feature, (u, 1); (u, 0) if they do not vary."""
    centred = values - float(sizes @ values) / float(sizes.sum())
    length = float(np.sqrt(sizes @ centred**2))
    if length <= 1e-12 * float(np.sqrt(sizes @ values**2)):
        return np.zeros((len(values), 0))
    return centred[:, None] / length


def _weights(one: Weights, sizes: Ints) -> PairWeights:
    if isinstance(one, csr_array):
        return pair_weights(one, sizes)
    own = (one**2).sum(axis=1)
    return PairWeights(own, -own, -float(sizes @ own))  # features sum to zero over the rows


def _shared(one: Weights, other: Weights, sizes: Ints) -> float:
    """Return the sum of the products of both weights over ordered pairs of different rows."""
    if isinstance(one, csr_array):
        if isinstance(other, csr_array):
            return overlap(one, other, sizes)
        sums = sizes[:, None] * other
        own = sizes @ (one.diagonal() * (other**2).sum(axis=1))
        return float((sums * (one @ sums)).sum() - own)
    if isinstance(other, csr_array):
        return _shared(other, one, sizes)
    own = sizes @ ((one**2).sum(axis=1) * (other**2).sum(axis=1))
    return float((((sizes[:, None] * one).T @ other) ** 2).sum() - own)
