"""What the data of figures 1 and 2 say about the claims on k nearest neighbours."""

from __future__ import annotations

import math
from itertools import pairwise

from bayesfloor.paper.findings import Finding, listed, signed
from bayesfloor.paper.methods import parse_method
from bayesfloor.paper.replicates import (
    FigureData,
    Replicates,
    Uncertain,
    mean_over_sizes,
    slope,
)
from bayesfloor.paper.rules import (
    CLEAR,
    FAILS,
    HOLDS,
    OPEN,
    PARAMETRIC_SLOPE,
    bias_exponent,
    holds_when,
    mean_ratio,
)

KNN = ("knn k=5", "knn k=10", "knn k=20")
"""The methods of figure 1 that the paper compares, k growing."""
CLOSE = 1.25
"""Variances or squared errors within this factor are almost equal.

A judgement on the paper's "almost independent"; the rules of these claims say it.
"""
SMALL_BIAS = 0.05
"""A bias below this share of the truth is small: a judgement that the rule of the claim says."""
LINEAR_TOLERANCE = 3
"""Standard errors from -1 that a slope may be off, three because three slopes must pass."""
LARGEST_EXPONENT = 0.5
"""γ/d in two columns for γ ≤ 1, the Hölder exponent of the densities."""


def bias_vanishes(data: FigureData) -> Finding:
    """Compare the bias at the smallest and the largest size."""
    ends = [(series[0], series[-1]) for series in map(data.series, KNN)]
    listed = "; ".join(
        f"{first.method} {signed(first.bias().value)} → {signed(last.bias().value)}"
        for first, last in ends
    )
    error = max(last.bias().se for _, last in ends)
    sizes = f"N = {ends[0][0].n} → {ends[0][1].n}"
    numbers = f"bias, {sizes}: {listed} (error {error:.4f} at the end); D = {ends[0][0].truth:.4f}"
    if all(_shrinks(first, last) for first, last in ends):
        return Finding(HOLDS, numbers)
    if all(
        abs(last.bias().value) - CLEAR * last.bias().se < SMALL_BIAS * last.truth
        for _, last in ends
    ):
        return Finding(OPEN, numbers)
    return Finding(FAILS, numbers, "The bias is still large at the largest N.")


def _shrinks(first: Replicates, last: Replicates) -> bool:
    bias = last.bias()
    small = abs(bias.value) < max(SMALL_BIAS * last.truth, CLEAR * bias.se)
    return small and abs(bias.value) < abs(first.bias().value)


def larger_k_is_slower(data: FigureData) -> Finding:
    """Compare how fast the bias falls for the smallest and the largest k."""
    series = [data.series(k) for k in KNN]
    few, many = (bias_exponent([one], [[1 / r.n for r in one]]) for one in series[::2])
    biases = [mean_over_sizes([r.bias() for r in one]) for one in series]
    gap = mean_over_sizes([b.bias() - a.bias() for a, b in zip(series[0], series[-1], strict=True)])
    listed = ", ".join(
        f"{signed(b.value)} at k={parse_method(label).k}"
        for label, b in zip(KNN, biases, strict=True)
    )
    numbers = (
        f"mean bias over N: {listed} (last less first {signed(gap.value)} ± {gap.se:.4f});"
        f" it falls as N^−s with s = {few} at k=5 and {many} at k=20"
    )
    if few.value - many.value > CLEAR * math.hypot(few.se, many.se):
        return Finding(HOLDS, numbers)
    if gap.value < -CLEAR * gap.se:
        reading = holds_when("“slower” means a larger bias at each N")
        return Finding(
            reading, numbers, "The bias depends on k/N: a larger k moves it, at one power of N."
        )
    if gap.value <= CLEAR * gap.se:
        return Finding(OPEN, numbers)
    return Finding(FAILS, numbers, "The bias is smaller for larger k.")


def bias_power(data: FigureData) -> Finding:
    """Fit one power of k/N to all biases."""
    series = [data.series(k) for k in KNN]
    places = [[parse_method(one[0].method).k / r.n for r in one] for one in series]
    found = bias_exponent(series, places)
    numbers = f"bias ∝ (k/N)^s with s = {found}; γ/d is at most 1/2, as γ ≤ 1"
    if abs(found.value - LARGEST_EXPONENT) <= CLEAR * found.se:
        return Finding(HOLDS, numbers)
    if found.value > LARGEST_EXPONENT:
        why = (
            "Normal densities are smoother than the bound assumes: first-order terms cancel"
            " around each point, and the leading term of the bias is (k/N)^(2/d)."
        )
        return Finding(holds_when("the term is read as an upper bound"), numbers, why)
    return Finding(FAILS, numbers, "The bias falls slower than its bound.")


def variance_ignores_k(data: FigureData) -> Finding:
    """Compare the variances of all k."""
    base, *others = map(data.series, KNN)
    ratios = {
        one[0].method: mean_ratio(
            [b.log_variance() - a.log_variance() for a, b in zip(base, one, strict=True)]
        )
        for one in others
    }
    numbers = "variance over that of k=5: " + listed(ratios)
    away = {name: abs(math.log(r.value)) for name, r in ratios.items()}
    if all(gap < math.log(CLOSE) for gap in away.values()):
        return Finding(HOLDS, numbers)
    if all(away[name] - CLEAR * r.se / r.value < math.log(CLOSE) for name, r in ratios.items()):
        return Finding(OPEN, numbers)
    return Finding(FAILS, numbers, "The variances differ by more than that.")


def variance_is_linear(data: FigureData) -> Finding:
    """Fit how fast the variance falls."""
    slopes = {k: slope(data.series(k), Replicates.log_variance) for k in KNN}
    numbers = "slope of log variance against log N: " + listed(slopes)
    if all(abs(s.value - PARAMETRIC_SLOPE) <= LINEAR_TOLERANCE * s.se for s in slopes.values()):
        return Finding(HOLDS, numbers)
    return Finding(FAILS, numbers, "The variance is not proportional to 1/N.")


def error_grows_with_dimension(data: FigureData) -> Finding:
    """Compare the errors of k-NN between dimensions."""
    dimensions = sorted({r.d for r in data})
    series = {d: data.series("knn k=5", d) for d in dimensions}
    levels = {d: mean_over_sizes([r.log_mse() for r in one]) for d, one in series.items()}
    slopes = {f"d={d}": slope(one, Replicates.log_mse) for d, one in series.items()}
    first = levels[dimensions[0]]
    ratios = {f"d={d}": _level_ratio(levels[d], first) for d in dimensions[1:]}
    bias = max(abs(r.bias().value) / r.bias().se for one in series.values() for r in one)
    numbers = (
        f"MSE over that of d={dimensions[0]}: {listed(ratios)}; slopes: {listed(slopes)};"
        f" largest bias {bias:.1f} errors from 0"
    )
    steps = [
        levels[b].value - levels[a].value > CLEAR * math.hypot(levels[a].se, levels[b].se)
        for a, b in pairwise(dimensions)
    ]
    if all(steps):
        return Finding(HOLDS, numbers)
    whole = ratios[f"d={dimensions[-1]}"]
    if whole.value + CLEAR * whole.se >= CLOSE:
        return Finding(OPEN, numbers)
    why = (
        "The classes are identical: each neighbour has the other label with chance 1/2, however far"
        " it is, so the estimate is unbiased up to 1/N in any dimension and the bound on the bias"
        " says nothing here. Figure 6 has classes that differ."
    )
    return Finding(FAILS, numbers, why)


def _level_ratio(level: Uncertain, base: Uncertain) -> Uncertain:
    """Return the ratio of two numbers from their logarithms, of independent samples."""
    value = math.exp(level.value - base.value)
    return Uncertain(value, value * math.hypot(level.se, base.se))
