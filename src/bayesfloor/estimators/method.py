"""What an estimator of the mismatch is: a function, and what it can do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from bayesfloor.base.arrays import Floats
from bayesfloor.base.executor import ALL_CORES, Executor
from bayesfloor.bounds.henze_penrose import HENZE_PENROSE, Bound
from bayesfloor.curve.measurement import Measurement
from bayesfloor.curve.rank_curve import RankCurve
from bayesfloor.estimators.mismatch import MismatchEstimate
from bayesfloor.sample.sample import Sample

CURVE_REACH = 5.0
"""The rank curve ends at this many times √N, with N = n/2, the mean size of two classes: a
judgement, see the windows of `bayesfloor.estimators.extrapolation`."""
LONGEST_CURVE = 256
"""Ranks at most, as more of them cost time: a judgement."""


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """What an estimator may look at."""

    sample: Sample
    measurement: Measurement
    k: int  # the neighbour that was asked for, at most n − 1
    executor: Executor = ALL_CORES


def curve_ranks(n: int) -> int:
    """Return the length of the rank curve of n rows.

    Examples
    --------
    >>> curve_ranks(1000), curve_ranks(40_000), curve_ranks(4)
    (111, 256, 3)
    """
    return max(1, min(n - 1, LONGEST_CURVE, int(CURVE_REACH * np.sqrt(n / 2))))


@dataclass(frozen=True, slots=True)
class Method:
    """An estimator of the mismatch and what it can do."""

    estimate: Callable[[Evidence], MismatchEstimate]
    summary: str
    explanation: str  # how it measures, after "by"
    curve_length: Callable[[int], int] = curve_ranks  # ranks that it reads of n rows
    uses_k: bool = False  # whether the option k matters
    needs_all_rows: bool = False  # whether it cannot be stopped by a tolerance or a time limit
    covers_bias: bool = False  # whether its interval holds its bias beside the sampling error
    may_learn: bool = False  # whether "auto" may replace the columns by learned probabilities
    sharpens: bool = False  # whether class probabilities sharpen its bounds on the Bayes error
    bound: Bound = HENZE_PENROSE  # from the mismatch to bounds on the Bayes error, and back
    fitted_curve: Callable[[RankCurve, int, int], tuple[Floats, Floats]] | None = None
    """The curve that it extrapolates, for the chart: radius and mismatch, of a rank curve, n rows
    and m classes; None if it extrapolates none."""

    def ranks(self, n: int, k: int) -> int:
        """Return the number of ranks to measure in n rows."""
        return max(self.curve_length(n), k) if self.uses_k else self.curve_length(n)
