r"""Class probabilities sharpened or flattened by one number, so that they say what happens.

With probabilities :math:`p_c`, a sharpness :math:`t` (an inverse temperature) gives
:math:`p_c^t / \sum_b p_b^t`. The loss :math:`|e_y - p|^2` of a row with label y is on average the
mismatch plus the mean squared error of the probabilities: it bounds the mismatch from above.
"""

from __future__ import annotations

import numpy as np
from scipy.special import softmax

from bayesfloor.base.arrays import Floats, Ints
from bayesfloor.bounds.loss import losses

__all__ = ["best_sharpness", "losses", "sharpened"]

SHARPNESSES = 2.0 ** np.linspace(-4, 2, 25)
"""Inverse temperatures that are tried: maps are overconfident more often, and more, than timid."""


def sharpened(logs: Floats, sharpness: float) -> Floats:
    """Return probabilities from log-probabilities, sharper for a sharpness above 1, (n, m)."""
    return np.asarray(softmax(sharpness * logs, axis=1))


def best_sharpness(logs: Floats, labels: Ints) -> float:
    """Return the sharpness with the smallest mean loss."""
    return float(min(SHARPNESSES, key=lambda t: losses(sharpened(logs, t), labels).mean()))
