"""Class probabilities of several maps averaged so that they lose as little as possible.

The average of maps with the smallest squared loss loses no more than the best of them, up to the
noise of a few weights (Wolpert 1992; Breiman 1996).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.optimize import nnls

from bayesfloor.base.arrays import Floats, Ints

LEAST_VARIATION = 1e-9
"""Share of the mean squared error that is added to each map's own, so that maps that say the same
share their weight: far below what a loss can tell."""


def average(candidates: Sequence[Floats], weights: Floats) -> Floats:
    """Return the weighted mean of class probabilities, (n, m)."""
    used = [(w, one) for w, one in zip(weights, candidates, strict=True) if w > 0]
    return np.asarray(sum(w * one for w, one in used))


def best_weights(products: Floats) -> Floats:
    """Return the weights, none negative, of the average with the smallest squared loss.

    Parameters
    ----------
    products : (maps, maps) array
        Sums over rows of the products of what the maps miss, label minus probabilities.

    Notes
    -----
    On weights that sum to one the loss is wᵀAw. Of all directions the one with the smallest value
    is also that of the least-squares problem wᵀAw + (1 − Σw)².

    Examples
    --------
    >>> best_weights(np.array([[1.0, 0.0], [0.0, 3.0]])).round(6).tolist()
    [0.75, 0.25]
    """
    scale = float(np.trace(products)) / len(products) or 1.0
    scaled = products / scale + LEAST_VARIATION * np.eye(len(products))
    root = np.linalg.cholesky(scaled).T
    target = np.r_[np.zeros(len(products)), 1.0]
    weights, _ = nnls(np.vstack([root, np.ones(len(products))]), target)
    return np.asarray(weights / weights.sum())


def few_weights(products: Floats, least: float) -> Floats:
    """Return the best weights of the maps that are worth some weight, zero for the others.

    Parameters
    ----------
    products : (maps, maps) array
        Those of `best_weights`.
    least : float
        The lightest map is left out, and the others weighed anew, until all of them have as much.

    Examples
    --------
    >>> few_weights(np.diag([1.0, 1.0, 98.0]), 0.1).round(6).tolist()
    [0.5, 0.5, 0.0]
    """
    weights = best_weights(products)
    while weights[weights > 0].min() < min(least, weights.max()):
        kept = np.flatnonzero(weights > 0)
        kept = np.delete(kept, weights[kept].argmin())
        weights = np.zeros(len(products))
        weights[kept] = best_weights(products[np.ix_(kept, kept)])
    return weights


def missed_products(candidates: Sequence[Floats], labels: Ints, rows: Ints) -> Floats:
    """Return sums of the products of what two maps miss, over some rows, (maps, maps).

    Parameters
    ----------
    candidates : sequence of (n, m) arrays
        Class probabilities by each map.
    labels : (n,) array
        The class of each row.
    rows : array
        The rows, in an order that does not depend on how they came.

    Examples
    --------
    >>> candidates = [np.array([[1.0, 0.0]]), np.array([[0.5, 0.5]])]
    >>> missed_products(candidates, np.array([1]), np.array([0])).tolist()
    [[2.0, 1.0], [1.0, 0.5]]
    """
    missed = []
    for one in candidates:
        off = one[rows]
        off[np.arange(len(rows)), labels[rows]] -= 1
        missed.append(off.ravel())
    stacked = np.array(missed)
    return np.asarray(stacked @ stacked.T)
