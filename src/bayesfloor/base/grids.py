"""Grids of whole numbers."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from bayesfloor.base.arrays import Ints


@lru_cache(maxsize=64)
def log_spaced(first: int, last: int, count: int) -> Ints:
    """Return up to `count` different whole numbers, evenly spaced by their logarithms.

    Examples
    --------
    >>> log_spaced(1, 100, 5).tolist()
    [1, 3, 10, 32, 100]
    """
    numbers = np.unique(np.geomspace(first, last, count).round()).astype(np.int64)
    numbers.flags.writeable = False
    return numbers
