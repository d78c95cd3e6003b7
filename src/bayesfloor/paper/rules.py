"""Rules that turn measured figures into verdicts; every error is a Monte-Carlo error."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from bayesfloor.base.arrays import Floats
from bayesfloor.paper.groups import Group, Number, Quantity, pooled

HOLDS, FAILS, OPEN = "holds", "does not hold", "not decided by so few repetitions"
FEWEST_SIZES = 2
RESAMPLES = 200
EXPONENTS = np.linspace(0, 3, 301)


def when(condition: str) -> str:
    """Return the verdict of a claim that holds in part."""
    return f"holds when {condition}"


def better_from(
    first: Sequence[Group],
    others: Sequence[Sequence[Group]],
    figure: Callable[[Group], Quantity],
) -> int | None:
    """Return the size from which on the figure of the first is the smallest of all, or None.

    From that size on no other figure is smaller by more than two errors, and over these sizes, two
    or more, each of the others is larger on average by more than two errors.
    """
    gaps = _gaps(first, others, figure)
    for start in range(len(first) - FEWEST_SIZES + 1):
        if all(_is_smaller(gap[start:]) for gap in gaps):
            return first[start].n
    return None


def order(
    first: Sequence[Group],
    others: Sequence[Sequence[Group]],
    figure: Callable[[Group], Quantity],
) -> str:
    """Return the verdict on the claim that the figure of the first is the smallest of all.

    It fails if over the larger half of the sizes another figure is smaller on average by more than
    two errors.
    """
    found = better_from(first, others, figure)
    if found is not None:
        return HOLDS if found == first[0].n else when(f"N ≥ {found}")
    late = [pooled(gap[len(gap) // 2 :]) for gap in _gaps(first, others, figure)]
    return FAILS if any(mean.value > 2 * mean.se for mean in late) else OPEN


def _gaps(
    first: Sequence[Group],
    others: Sequence[Sequence[Group]],
    figure: Callable[[Group], Quantity],
) -> list[list[Quantity]]:
    return [[figure(a) - figure(b) for a, b in zip(first, o, strict=True)] for o in others]


def _is_smaller(gaps: Sequence[Quantity]) -> bool:
    mean = pooled(gaps)
    return mean.value < -2 * mean.se and all(gap.value <= 2 * gap.se for gap in gaps)


def ratio(gaps: Sequence[Quantity]) -> Number:
    """Return the mean ratio over sizes, from differences of logarithms."""
    mean = pooled(gaps)
    return Number(math.exp(mean.value), math.exp(mean.value) * mean.se)


def bias_exponent(series: Sequence[Sequence[Group]], places: Sequence[Sequence[float]]) -> Number:
    """Fit bias = c·place^s by weighted least squares; the error comes from resampled repetitions.

    Parameters
    ----------
    series : sequence of sequence of Group
        One sequence for each k, all by the same sizes and from the same samples.
    places : sequence of sequence of float
        What the bias is a power of, for each group.
    """
    groups = list(zip(*series, strict=True))  # by size
    x = np.log(np.array(places).T.ravel())
    errors = [np.array([g.estimate - g.truth for g in same]) for same in groups]  # (k, R) each
    scale = np.concatenate([e.std(axis=1, ddof=1) for e in errors]) / math.sqrt(errors[0].shape[1])
    rng = np.random.default_rng(0)
    whole = _best_exponent(np.concatenate([e.mean(axis=1) for e in errors]), scale, x)
    again = [_best_exponent(_resampled(errors, rng), scale, x) for _ in range(RESAMPLES)]
    return Number(whole, float(np.std(again, ddof=1)))


def _resampled(errors: Sequence[Floats], rng: np.random.Generator) -> Floats:
    chosen = (e[:, rng.integers(e.shape[1], size=e.shape[1])] for e in errors)
    return np.concatenate([e.mean(axis=1) for e in chosen])


def _best_exponent(bias: Floats, scale: Floats, x: Floats) -> float:
    """Search the exponent; the factor of each is that of least squares."""
    shapes = np.exp(EXPONENTS[:, None] * x) / scale
    seen = bias / scale
    gain = (shapes @ seen) ** 2 / (shapes**2).sum(axis=1)
    return float(EXPONENTS[np.argmax(gain)])
