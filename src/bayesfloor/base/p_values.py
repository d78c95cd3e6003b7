"""P-values of several tests at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bayesfloor.base.arrays import Floats


def holm(p_values: Sequence[float] | Floats) -> Floats:
    """Adjust p-values for their number, step by step (Holm 1979, Scand. J. Statist. 6, 65-70).

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03]).tolist()
    [0.03, 0.06, 0.06]
    """
    values = np.asarray(p_values, dtype=np.float64)
    order = np.argsort(values, kind="stable")
    stepped = np.maximum.accumulate(values[order] * np.arange(len(order), 0, -1))
    adjusted = np.empty(len(order))
    adjusted[order] = np.minimum(stepped, 1.0)
    return adjusted
