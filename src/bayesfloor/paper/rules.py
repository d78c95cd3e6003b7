"""Rules that turn statistics into verdicts; every error is a Monte-Carlo error."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from bayesfloor.base.arrays import Floats
from bayesfloor.paper.replicates import (
    Replicates,
    Statistic,
    StatisticOf,
    Uncertain,
    mean_over_sizes,
)

HOLDS, FAILS, OPEN = "holds", "does not hold", "not decided by so few repetitions"
"""Verdicts on a claim; one that holds in part is written by `holds_when`."""
CLEAR = 2
"""Standard errors by which a difference must exceed zero to count, about 95 % confidence.

The rules say it to the reader as "two errors".
"""
PARAMETRIC_SLOPE = -1
"""Slope of log MSE against log N at the parametric rate 1/N."""
FEWEST_SIZES = 2
"""Sizes over which an order must be seen: one alone may be chance."""
RESAMPLES = 200
"""Bootstrap samples behind the error of an exponent, which they give to about 5 % of itself."""
RESAMPLING_SEED = 0
"""Any seed will do; a fixed one gives the same error each time."""
EXPONENT_GRID = np.linspace(0, 3, 301)
"""Exponents that are tried, to two digits as they are printed; theory has 1/2 and 1."""


def holds_when(condition: str) -> str:
    """Return the verdict on a claim that holds in part."""
    return f"holds when {condition}"


def verdict_kind(verdict: str) -> str:
    """Return one of holds, partly, fails, open and absent, for colours and counts."""
    kinds = {HOLDS: "holds", FAILS: "fails", OPEN: "open"}
    return kinds.get(verdict, "partly" if verdict.startswith(holds_when("")) else "absent")


def smallest_from(
    first: Sequence[Replicates], others: Sequence[Sequence[Replicates]], statistic: StatisticOf
) -> int | None:
    """Return the size from which on the statistic of the first is the smallest of all, or None.

    From that size on no other is smaller by more than two errors, and over these sizes, two or
    more, each of the others is larger on average by more than two errors.
    """
    gaps = _differences(first, others, statistic)
    for start in range(len(first) - FEWEST_SIZES + 1):
        if all(_is_smaller(gap[start:]) for gap in gaps):
            return first[start].n
    return None


def smallest_verdict(
    first: Sequence[Replicates], others: Sequence[Sequence[Replicates]], statistic: StatisticOf
) -> str:
    """Return the verdict on the claim that the statistic of the first is the smallest of all.

    It fails if over the larger half of the sizes another one is smaller on average by more than
    two errors.
    """
    found = smallest_from(first, others, statistic)
    if found is not None:
        return HOLDS if found == first[0].n else holds_when(f"N ≥ {found}")
    late = [mean_over_sizes(gap[len(gap) // 2 :]) for gap in _differences(first, others, statistic)]
    return FAILS if any(mean.value > CLEAR * mean.se for mean in late) else OPEN


def _differences(
    first: Sequence[Replicates], others: Sequence[Sequence[Replicates]], statistic: StatisticOf
) -> list[list[Statistic]]:
    """Return the statistic of the first less that of each other one, by size."""
    return [
        [statistic(a) - statistic(b) for a, b in zip(first, other, strict=True)] for other in others
    ]


def _is_smaller(gaps: Sequence[Statistic]) -> bool:
    mean = mean_over_sizes(gaps)
    return mean.value < -CLEAR * mean.se and all(gap.value <= CLEAR * gap.se for gap in gaps)


def mean_ratio(gaps: Sequence[Statistic]) -> Uncertain:
    """Return the mean ratio over sizes, from differences of logarithms."""
    mean = mean_over_sizes(gaps)
    return Uncertain(math.exp(mean.value), math.exp(mean.value) * mean.se)


def bias_exponent(
    series: Sequence[Sequence[Replicates]], places: Sequence[Sequence[float]]
) -> Uncertain:
    """Fit bias = c·place^s by weighted least squares; the error comes from resampled repetitions.

    Parameters
    ----------
    series : sequence of sequence of Replicates
        One sequence for each k, all by the same sizes and from the same samples.
    places : sequence of sequence of float
        What the bias is a power of, for each of them.
    """
    by_size = list(zip(*series, strict=True))
    x = np.log(np.array(places).T.ravel())
    errors = [np.array([r.estimate - r.truth for r in same]) for same in by_size]  # (k, R) each
    scale = np.concatenate([e.std(axis=1, ddof=1) for e in errors]) / math.sqrt(errors[0].shape[1])
    rng = np.random.default_rng(RESAMPLING_SEED)
    whole = _best_exponent(np.concatenate([e.mean(axis=1) for e in errors]), scale, x)
    again = [_best_exponent(_resampled(errors, rng), scale, x) for _ in range(RESAMPLES)]
    return Uncertain(whole, float(np.std(again, ddof=1)))


def _resampled(errors: Sequence[Floats], rng: np.random.Generator) -> Floats:
    """Draw repetitions with replacement, size by size, and return the mean errors."""
    chosen = (e[:, rng.integers(e.shape[1], size=e.shape[1])] for e in errors)
    return np.concatenate([e.mean(axis=1) for e in chosen])


def _best_exponent(bias: Floats, scale: Floats, x: Floats) -> float:
    """Search the exponent; the factor of each is that of least squares."""
    shapes = np.exp(EXPONENT_GRID[:, None] * x) / scale
    seen = bias / scale
    gain = (shapes @ seen) ** 2 / (shapes**2).sum(axis=1)
    return float(EXPONENT_GRID[np.argmax(gain)])
