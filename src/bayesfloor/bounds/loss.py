r"""The squared loss of class probabilities, :math:`|e_y - p|^2`.

On average it is the mismatch plus the mean squared error of the probabilities. Of the true
posterior it is, up to a constant, the influence function of the mismatch.
"""

from __future__ import annotations

import numpy as np

from bayesfloor.base.arrays import Floats, Ints


def losses(posterior: Floats, labels: Ints) -> Floats:
    """Return the squared distance of each row's probabilities from its label, (n,).

    Examples
    --------
    >>> losses(np.array([[0.5, 0.5], [1.0, 0.0]]), np.array([0, 0])).tolist()
    [0.5, 0.0]
    """
    own = np.take_along_axis(posterior, labels[:, None], axis=1)[:, 0]
    return 1 - 2 * own + (posterior**2).sum(axis=1)


def cross_losses(first: Floats, second: Floats, labels: Ints) -> Floats:
    r"""Return the products of what two maps miss of each row, :math:`(e_y - p) \cdot (e_y - q)`.

    Examples
    --------
    >>> cross_losses(np.array([[0.5, 0.5]]), np.array([[1.0, 0.0]]), np.array([1])).tolist()
    [1.0]
    """
    own = np.take_along_axis(first + second, labels[:, None], axis=1)[:, 0]
    return np.asarray(1 - own + np.einsum("ij,ij->i", first, second))


def mean_loss_by_class(posterior: Floats, labels: Ints, m: int) -> Floats:
    """Return the mean loss in each class, (m,): the mismatch moves with these as class shares do.

    Rows without posterior, NaN, were not searched. A class without rows has the mean of all.
    """
    values = losses(posterior, labels)
    searched = ~np.isnan(values)
    if not searched.all():
        values, labels = values[searched], labels[searched]
    counts = np.bincount(labels, minlength=m)
    sums = np.bincount(labels, weights=values, minlength=m)
    return np.where(counts > 0, sums / np.maximum(counts, 1), values.mean())
