"""What the data of a figure say about each claim: a verdict, and the numbers behind it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

from bayesfloor.paper.methods import parse_method
from bayesfloor.paper.replicates import (
    Z95,
    FigureData,
    Replicates,
    StatisticOf,
    Uncertain,
    mean_over_sizes,
    slope,
    slope_difference,
)
from bayesfloor.paper.robot import COUNTS
from bayesfloor.paper.rules import (
    CLEAR,
    FAILS,
    HOLDS,
    OPEN,
    bias_exponent,
    holds_when,
    mean_ratio,
    smallest_from,
    smallest_verdict,
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
PARAMETRIC_SLOPE = -1
"""Slope of log MSE against log N at the parametric rate 1/N."""
LARGEST_EXPONENT = 0.5
"""γ/d in two columns for γ ≤ 1, the Hölder exponent of the densities."""
BOUND_FACTOR = 2
"""Multiple of the efficiency bound that wnn promises to stay within."""
NOMINAL_COVERAGE = 0.95
"""Confidence of the intervals of figure 7."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What the data say about a claim."""

    verdict: str
    measured: str
    why: str = ""  # where it does not simply hold


def bias_vanishes(data: FigureData) -> Finding:
    """Compare the bias at the smallest and the largest size."""
    ends = [(series[0], series[-1]) for series in map(data.series, KNN)]
    listed = "; ".join(
        f"{first.method} {_signed(first.bias().value)} → {_signed(last.bias().value)}"
        for first, last in ends
    )
    error = max(last.bias().se for _, last in ends)
    sizes = f"N = {ends[0][0].n} → {ends[0][1].n}"
    measured = f"bias, {sizes}: {listed} (error {error:.4f} at the end); D = {ends[0][0].truth:.4f}"
    if all(_shrinks(first, last) for first, last in ends):
        return Finding(HOLDS, measured)
    if all(
        abs(last.bias().value) - CLEAR * last.bias().se < SMALL_BIAS * last.truth
        for _, last in ends
    ):
        return Finding(OPEN, measured)
    return Finding(FAILS, measured, "The bias is still large at the largest N.")


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
        f"{_signed(b.value)} at k={parse_method(label).k}"
        for label, b in zip(KNN, biases, strict=True)
    )
    measured = (
        f"mean bias over N: {listed} (last less first {_signed(gap.value)} ± {gap.se:.4f});"
        f" it falls as N^−s with s = {few} at k=5 and {many} at k=20"
    )
    if few.value - many.value > CLEAR * math.hypot(few.se, many.se):
        return Finding(HOLDS, measured)
    if gap.value < -CLEAR * gap.se:
        reading = holds_when("“slower” means a larger bias at each N")
        return Finding(
            reading, measured, "The bias depends on k/N: a larger k moves it, at one power of N."
        )
    if gap.value <= CLEAR * gap.se:
        return Finding(OPEN, measured)
    return Finding(FAILS, measured, "The bias is smaller for larger k.")


def bias_power(data: FigureData) -> Finding:
    """Fit one power of k/N to all biases."""
    series = [data.series(k) for k in KNN]
    places = [[parse_method(one[0].method).k / r.n for r in one] for one in series]
    found = bias_exponent(series, places)
    measured = f"bias ∝ (k/N)^s with s = {found}; γ/d is at most 1/2, as γ ≤ 1"
    if abs(found.value - LARGEST_EXPONENT) <= CLEAR * found.se:
        return Finding(HOLDS, measured)
    if found.value > LARGEST_EXPONENT:
        why = (
            "Normal densities are smoother than the bound assumes: first-order terms cancel"
            " around each point, and the leading term of the bias is (k/N)^(2/d)."
        )
        return Finding(holds_when("the term is read as an upper bound"), measured, why)
    return Finding(FAILS, measured, "The bias falls slower than its bound.")


def variance_ignores_k(data: FigureData) -> Finding:
    """Compare the variances of all k."""
    base, *others = map(data.series, KNN)
    ratios = {
        one[0].method: mean_ratio(
            [b.log_variance() - a.log_variance() for a, b in zip(base, one, strict=True)]
        )
        for one in others
    }
    measured = "variance over that of k=5: " + _listed(ratios)
    away = {name: abs(math.log(r.value)) for name, r in ratios.items()}
    if all(gap < math.log(CLOSE) for gap in away.values()):
        return Finding(HOLDS, measured)
    if all(away[name] - CLEAR * r.se / r.value < math.log(CLOSE) for name, r in ratios.items()):
        return Finding(OPEN, measured)
    return Finding(FAILS, measured, "The variances differ by more than that.")


def variance_is_linear(data: FigureData) -> Finding:
    """Fit how fast the variance falls."""
    slopes = {k: slope(data.series(k), Replicates.log_variance) for k in KNN}
    measured = "slope of log variance against log N: " + _listed(slopes)
    if all(abs(s.value - PARAMETRIC_SLOPE) <= LINEAR_TOLERANCE * s.se for s in slopes.values()):
        return Finding(HOLDS, measured)
    return Finding(FAILS, measured, "The variance is not proportional to 1/N.")


def error_grows_with_dimension(data: FigureData) -> Finding:
    """Compare the errors of k-NN between dimensions."""
    dimensions = sorted({r.d for r in data})
    series = {d: data.series("knn k=5", d) for d in dimensions}
    levels = {d: mean_over_sizes([r.log_mse() for r in one]) for d, one in series.items()}
    slopes = {f"d={d}": slope(one, Replicates.log_mse) for d, one in series.items()}
    first = levels[dimensions[0]]
    ratios = {f"d={d}": _level_ratio(levels[d], first) for d in dimensions[1:]}
    bias = max(abs(r.bias().value) / r.bias().se for one in series.values() for r in one)
    measured = (
        f"MSE over that of d={dimensions[0]}: {_listed(ratios)}; slopes: {_listed(slopes)};"
        f" largest bias {bias:.1f} errors from 0"
    )
    steps = [
        levels[b].value - levels[a].value > CLEAR * math.hypot(levels[a].se, levels[b].se)
        for a, b in pairwise(dimensions)
    ]
    if all(steps):
        return Finding(HOLDS, measured)
    whole = ratios[f"d={dimensions[-1]}"]
    if whole.value + CLEAR * whole.se >= CLOSE:
        return Finding(OPEN, measured)
    why = (
        "The classes are identical: each neighbour has the other label with chance 1/2, however far"
        " it is, so the estimate is unbiased up to 1/N in any dimension and the bound on the bias"
        " says nothing here. Figure 6 has classes that differ."
    )
    return Finding(FAILS, measured, why)


def _level_ratio(level: Uncertain, base: Uncertain) -> Uncertain:
    """Return the ratio of two numbers from their logarithms, of independent samples."""
    value = math.exp(level.value - base.value)
    return Uncertain(value, value * math.hypot(level.se, base.se))


def best_rate(data: FigureData) -> Finding:
    """Compare slope and size of the errors with those of WNN as published."""
    ours, rivals = data.series("wnn-published"), [data.series(m) for m in ("knn k=5", "mst")]
    slopes = {
        m: slope(data.series(m), Replicates.log_mse) for m in ("wnn-published", "knn k=5", "mst")
    }
    last = {
        rival[-1].method: mean_ratio([ours[-1].log_mse() - rival[-1].log_mse()]) for rival in rivals
    }
    default = mean_ratio([data.series("wnn")[-1].log_mse() - ours[-1].log_mse()])
    measured = (
        f"slope of log MSE: {_listed(slopes)}; MSE of wnn-published at N = {ours[-1].n} over that"
        f" of {_listed(last)}; the default wnn has {default} of its MSE there"
    )
    gaps = [slope_difference(ours, rival, Replicates.log_mse) for rival in rivals]
    steeper = all(gap.value < -CLEAR * gap.se for gap in gaps)
    verdict = smallest_verdict(ours, rivals, Replicates.log_mse)
    if not steeper and verdict not in (FAILS, OPEN):
        verdict = holds_when("the MSE is meant, not its rate")
    why = (
        "With few rows the weights are spread over few ranks and their norm is large, so the"
        " variance starts high; a slope below −1 is this excess dying out, not a rate beyond 1/N."
    )
    return _explained(verdict, measured, why)


def parametric_rate(data: FigureData) -> Finding:
    """Compare the slope of WNN's error with −1."""
    slopes = {m: slope(data.series(m), Replicates.log_mse) for m in ("wnn-published", "wnn")}
    measured = f"slope of log MSE against log N: {_listed(slopes)}"
    found = slopes["wnn-published"]
    if found.value - PARAMETRIC_SLOPE <= CLEAR * found.se:
        return Finding(HOLDS, measured)
    return Finding(FAILS, measured, "The MSE falls slower than 1/N over these sizes.")


def tree_beats_neighbours(data: FigureData) -> Finding:
    """Compare the errors of MST and k-NN."""
    tree, neighbours = data.series("mst"), data.series("knn k=5")
    mean = mean_ratio([a.log_mse() - b.log_mse() for a, b in zip(tree, neighbours, strict=True)])
    measured = f"MSE of mst over that of knn k=5, mean over N: {mean}"
    why = "The error of k-NN is the smaller one elsewhere."
    return _explained(smallest_verdict(tree, [neighbours], Replicates.log_mse), measured, why)


def bands_narrow(data: FigureData) -> Finding:
    """Fit how fast every band narrows."""
    methods = ("mst", "knn k=5", "wnn-published", "wnn")
    slopes = {m: slope(data.series(m), Replicates.log_variance) for m in methods}
    halves = {m: Uncertain(s.value / 2, s.se / 2) for m, s in slopes.items()}
    measured = f"slope of log width against log N: {_listed(halves)}"
    if all(s.value < -CLEAR * s.se for s in slopes.values()):
        return Finding(HOLDS, measured)
    return Finding(FAILS, measured, "A band does not narrow.")


def narrowest_band(data: FigureData) -> Finding:
    """Compare the widths with that of WNN as published."""
    ours, rivals = data.series("wnn-published"), [data.series(m) for m in ("knn k=5", "mst")]
    shown = (ours, *rivals, data.series("wnn"))
    first, last = (
        ", ".join(f"{one[at].method} {_width(one[at]):.4f}" for one in shown) for at in (0, -1)
    )
    least = 2 * Z95 * math.sqrt(ours[-1].bound)
    measured = (
        f"width of the 95 % band at N = {ours[0].n}: {first}; at N = {ours[-1].n}: {last}"
        f" (least possible {least:.4f})"
    )
    why = (
        "With few rows the norm of the weights makes the published WNN noisier than one neighbour."
    )
    why += _default_too(data, rivals, Replicates.log_variance, "narrower than both")
    return _explained(smallest_verdict(ours, rivals, Replicates.log_variance), measured, why)


def _explained(verdict: str, measured: str, why: str) -> Finding:
    """Return a finding that says why, unless the claim holds or is open."""
    return Finding(verdict, measured, "" if verdict in (HOLDS, OPEN) else why)


def _default_too(
    data: FigureData, rivals: list[list[Replicates]], statistic: StatisticOf, better: str
) -> str:
    """Say from which size on the default is better than the rivals, if it is."""
    found = smallest_from(data.series("wnn"), rivals, statistic)
    return "" if found is None else f" The default wnn is {better} from N = {found} on."


def _width(replicates: Replicates) -> float:
    return 2 * Z95 * math.exp(replicates.log_variance().value / 2)


def best_on_robot(data: FigureData) -> Finding:
    """Compare the errors on the robot data with that of WNN as published."""
    ours, rivals = (
        data.series("wnn-published"),
        [data.series(m) for m in ("knn k=5", "knn k=10")],
    )
    shown = (ours, *rivals, data.series("wnn"))
    ends = [
        ", ".join(f"{one[at].method} {math.exp(one[at].log_mse().value):.2g}" for one in shown)
        for at in (0, -1)
    ]
    measured = f"MSE at N = {ours[0].n}: {ends[0]}; at N = {ours[-1].n}: {ends[1]}"
    why = (
        "In four columns the published weights cancel four powers of the rank at the price of a"
        " large norm, and the label jumps at a wall of one sensor, where the bias follows none of"
        " these powers."
    )
    why += _default_too(data, rivals, Replicates.log_mse, "better than both k")
    return _explained(smallest_verdict(ours, rivals, Replicates.log_mse), measured, why)


def robot_counts(data: FigureData) -> Finding:
    """Return what reading the data has checked: other counts are refused."""
    counts = ", ".join(f"{name} {count}" for name, count in COUNTS.items())
    return Finding(HOLDS, f"{sum(COUNTS.values())} rows of {data[0].d} sensors; {counts}")


def near_the_bound(data: FigureData) -> Finding:
    """Compare the error of wnn with the efficiency bound."""
    ratios = {f"d={r.d}": _over_bound(r) for r in data.series("wnn")}
    measured = f"MSE of wnn over the bound: {_listed(ratios)}"
    good = {name: r.value - CLEAR * r.se <= BOUND_FACTOR for name, r in ratios.items()}
    return _everywhere(good, measured, "The MSE of wnn exceeds twice the bound elsewhere.")


def _over_bound(replicates: Replicates) -> Uncertain:
    found = replicates.log_mse()
    value = math.exp(found.value) / replicates.bound
    return Uncertain(value, value * found.se)


def interval_covers(data: FigureData) -> Finding:
    """Compare the coverage with 95 %."""
    shares = {f"N={r.n} d={r.d}": r.coverage().value for r in data.series("wnn")}
    variance = NOMINAL_COVERAGE * (1 - NOMINAL_COVERAGE) / data.repetitions
    least = NOMINAL_COVERAGE - CLEAR * math.sqrt(variance)
    worst = min(shares, key=lambda name: shares[name])
    mean = sum(shares.values()) / len(shares)
    measured = f"coverage {mean:.3f} on average, lowest {shares[worst]:.3f} at {worst}"
    good = {name: share >= least for name, share in shares.items()}
    return _everywhere(good, measured, f"Below {least:.3f} elsewhere.")


def _everywhere(good: Mapping[str, bool], measured: str, why: str) -> Finding:
    """Return the verdict on what should be true in every place."""
    if all(good.values()):
        return Finding(HOLDS, measured)
    places = ", ".join(name for name, fine in good.items() if fine)
    return Finding(holds_when(places) if places else FAILS, measured, why)


def _listed(numbers: Mapping[str, Uncertain]) -> str:
    return ", ".join(f"{name} {number}" for name, number in numbers.items())


def _signed(value: float) -> str:
    return f"{value:+.4f}".replace("-", "−")
