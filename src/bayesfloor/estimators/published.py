"""The estimators of Noshad & Hero (2018): the k-th neighbour, and their weighted ensemble."""

from __future__ import annotations

import numpy as np

from bayesfloor.base.arrays import Floats
from bayesfloor.base.errors import DataError
from bayesfloor.estimators.curve_models import rank_variance
from bayesfloor.estimators.label_noise import add_label_noise
from bayesfloor.estimators.method import Evidence, curve_ranks
from bayesfloor.estimators.mismatch import MismatchEstimate

LARGEST_L = 3.0
"""Largest l of the default grid, which takes every rank k = l√N up to LARGEST_L·√N. The paper names
no grid; this one is a judgement (docs/paper.md)."""
LOST_DIGITS = 1e-20
"""Squared length of what is left of a constant column, for each rank, below which it is
rounding."""


def knn(evidence: Evidence) -> MismatchEstimate:
    """Read the mismatch off the k-th neighbour alone."""
    weights = np.zeros(evidence.k)
    weights[-1] = 1
    return _weighted(evidence, weights)


def wnn_published(evidence: Evidence) -> MismatchEstimate:
    """Combine every rank up to 3√N by the published weights."""
    sample = evidence.sample
    ranks = min(published_ranks(sample.n), sample.most_neighbours)
    return _weighted(evidence, published_weights(np.arange(1.0, ranks + 1), sample.d))


def curve_and_grid(n: int) -> int:
    """Return the ranks that the weights and the noise of the curve need."""
    return max(curve_ranks(n), published_ranks(n))


def _weighted(evidence: Evidence, weights: Floats) -> MismatchEstimate:
    """Weigh the first ranks of the plain curve."""
    measured = evidence.measurement
    mismatch = float(weights @ measured.curve.mismatch[: len(weights)])
    noise = rank_variance(measured.curve.mismatch) * float(weights @ weights)
    noise *= measured.design_effect
    return add_label_noise(evidence, MismatchEstimate(mismatch, noise))


def published_ranks(n: int) -> int:
    """Return the largest rank of the default grid, with N = n/2, the mean class size of two."""
    return min(n - 1, int(LARGEST_L * np.sqrt(n / 2)))


def published_weights(grid: Floats, d: int) -> Floats:
    r"""Weights of least norm that sum to 1 and cancel the first d terms of the bias [1]_.

    Parameters
    ----------
    grid : (L,) array
        The values of l, all different and positive.
    d : int
        Dimension of the points.

    Returns
    -------
    (L,) array
        Minimises :math:`\|w\|_2` subject to :math:`\sum w(l) = 1` and
        :math:`\sum w(l)\, l^{i/d} = 0` for i = 1..d.

    Notes
    -----
    The weights are the intercept of a least-squares fit on the columns :math:`l^{i/d}`: what is
    left of a constant column once these are projected out, divided by its squared length. The d + 1
    conditions need d + 1 values of l, not d.

    References
    ----------
    .. [1] Noshad & Hero (2018), "Rate-optimal Meta Learning of Classification Error", ICASSP.

    Examples
    --------
    >>> published_weights(np.array([1.0, 2.0, 3.0]), d=1).round(4).tolist()
    [1.3333, 0.3333, -0.6667]
    """
    if len(grid) <= d:
        raise DataError(
            f"wnn-published needs more than {d} ranks for {d} columns, and this sample has"
            f" {len(grid)}; add rows, drop columns, or use method 'wnn'"
        )
    scaled = grid / grid.max()
    columns, _ = np.linalg.qr(scaled[:, None] ** (np.arange(1, d + 1) / d))
    left = np.ones(len(grid))
    for _ in range(2):  # twice is enough for orthogonality to rounding
        left = left - columns @ (columns.T @ left)
    size = left @ left
    if size < LOST_DIGITS * len(grid):
        raise DataError(
            f"the weights of wnn-published for {d} columns are beyond double precision;"
            " drop columns or use method 'wnn'"
        )
    return left / size
