"""Names for the array types that the layers pass to each other."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Floats32 = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64 | np.int32]
Bools = npt.NDArray[np.bool_]
AnyArray = npt.NDArray[Any]

MAX_GRIDS = 64
"""Number of grids that `spaced` remembers, a judgement."""


@lru_cache(maxsize=MAX_GRIDS)
def spaced(first: int, last: int, count: int) -> Ints:
    """Return up to `count` different whole numbers whose logarithms are evenly spaced.

    Examples
    --------
    >>> spaced(1, 100, 5).tolist()
    [1, 3, 10, 32, 100]
    """
    numbers = np.unique(np.geomspace(first, last, count).round()).astype(np.int64)
    numbers.flags.writeable = False
    return numbers
