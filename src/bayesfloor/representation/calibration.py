r"""Class probabilities sharpened or flattened by one number, so that they say what happens.

With shares :math:`p_c`, a temper :math:`t` gives :math:`p_c^t / \sum_b p_b^t`. The loss
:math:`|e_y - p|^2` of a row with label y is on average the mismatch plus the mean squared error of
the probabilities: it bounds the mismatch from above.
"""

from __future__ import annotations

import numpy as np
from scipy.special import softmax

from bayesfloor.base.arrays import Floats, Ints

TEMPERS = 2.0 ** np.linspace(-4, 2, 25)


def losses(shares: Floats, labels: Ints) -> Floats:
    """Squared distance of each row's probabilities from its label, (n,).

    Examples
    --------
    >>> losses(np.array([[0.5, 0.5], [1.0, 0.0]]), np.array([0, 0])).tolist()
    [0.5, 0.0]
    """
    own = np.take_along_axis(shares, labels[:, None], axis=1)[:, 0]
    return 1 - 2 * own + (shares**2).sum(axis=1)


def tempered(logs: Floats, temper: float) -> Floats:
    """Return probabilities from log-probabilities, sharpened by a temper above 1, (n, m)."""
    return np.asarray(softmax(temper * logs, axis=1))


def best_temper(logs: Floats, labels: Ints) -> float:
    """Return the temper with the smallest mean loss."""
    return float(min(TEMPERS, key=lambda t: losses(tempered(logs, t), labels).mean()))
