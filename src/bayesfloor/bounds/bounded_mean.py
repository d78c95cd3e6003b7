"""Confidence limits of the mean of values between 0 and 1.

Wilson's limits of a share, with as many rows as its standard error amounts to. Values that are not
all 0 or 1 vary less than a share does, so they count as more rows.
"""

from __future__ import annotations

import numpy as np

from bayesfloor.base.arrays import Floats, Ints
from bayesfloor.bounds.prior_error import wilson_limit

UNSEEN_SQUARES = 1.0
"""Sum of squares that is added to what was seen, so that values that hardly vary, as where all
votes agree, count as a share in as many rows. One value at the far end has so much."""


def bounded_mean_limits(values: Floats, times: Ints | Floats, tail: float) -> tuple[float, float]:
    """Return the lower and the upper limit of a mean, each missed with the chance `tail`.

    Parameters
    ----------
    values : (k,) array
        Between 0 and 1.
    times : (k,) array
        How often each value was seen.
    tail : float
        The chance.

    Examples
    --------
    >>> low, high = bounded_mean_limits(np.array([0.0, 1.0]), np.array([90, 10]), 0.025)
    >>> round(low, 3), round(high, 3)
    (0.055, 0.174)
    >>> round(bounded_mean_limits(np.array([0.5, 0.5]), np.array([90, 10]), 0.025)[1], 3)
    0.519
    """
    n = float(times.sum())
    mean = float(np.clip(values @ times / n, 0.0, 1.0))
    squares = float((values - mean) ** 2 @ times)
    of_share = n * mean * (1 - mean)
    rows = n * (of_share + UNSEEN_SQUARES) / (min(squares, of_share) + UNSEEN_SQUARES)
    low, high = 1 - wilson_limit(1 - mean, rows, tail), wilson_limit(mean, rows, tail)
    return max(low, 0.0), min(high, 1.0)  # rounding
