"""What the data of figures 3 to 5 say about the claims on WNN and its rivals."""

from __future__ import annotations

import math

from bayesfloor.paper.findings import Finding, explained, listed
from bayesfloor.paper.replicates import (
    Z95,
    FigureData,
    Replicates,
    StatisticOf,
    Uncertain,
    slope,
    slope_difference,
)
from bayesfloor.paper.robot import COUNTS
from bayesfloor.paper.rules import (
    CLEAR,
    FAILS,
    HOLDS,
    OPEN,
    PARAMETRIC_SLOPE,
    holds_when,
    mean_ratio,
    smallest_from,
    smallest_verdict,
)


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
    numbers = (
        f"slope of log MSE: {listed(slopes)}; MSE of wnn-published at N = {ours[-1].n} over that"
        f" of {listed(last)}; the default wnn has {default} of its MSE there"
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
    return explained(verdict, numbers, why)


def tree_beats_neighbours(data: FigureData) -> Finding:
    """Compare the errors of MST and k-NN."""
    tree, neighbours = data.series("mst"), data.series("knn k=5")
    mean = mean_ratio([a.log_mse() - b.log_mse() for a, b in zip(tree, neighbours, strict=True)])
    numbers = f"MSE of mst over that of knn k=5, mean over N: {mean}"
    why = "The error of k-NN is the smaller one elsewhere."
    return explained(smallest_verdict(tree, [neighbours], Replicates.log_mse), numbers, why)


def parametric_rate(data: FigureData) -> Finding:
    """Compare the slope of WNN's error with −1."""
    slopes = {m: slope(data.series(m), Replicates.log_mse) for m in ("wnn-published", "wnn")}
    numbers = f"slope of log MSE against log N: {listed(slopes)}"
    found = slopes["wnn-published"]
    if found.value - PARAMETRIC_SLOPE <= CLEAR * found.se:
        return Finding(HOLDS, numbers)
    return Finding(FAILS, numbers, "The MSE falls slower than 1/N over these sizes.")


def bands_narrow(data: FigureData) -> Finding:
    """Fit how fast every band narrows."""
    methods = ("mst", "knn k=5", "wnn-published", "wnn")
    slopes = {m: slope(data.series(m), Replicates.log_variance) for m in methods}
    halves = {m: Uncertain(s.value / 2, s.se / 2) for m, s in slopes.items()}
    numbers = f"slope of log width against log N: {listed(halves)}"
    if all(s.value < -CLEAR * s.se for s in slopes.values()):
        return Finding(HOLDS, numbers)
    return Finding(FAILS, numbers, "A band does not narrow.")


def narrowest_band(data: FigureData) -> Finding:
    """Compare the widths with that of WNN as published."""
    ours, rivals = data.series("wnn-published"), [data.series(m) for m in ("knn k=5", "mst")]
    shown = (ours, *rivals, data.series("wnn"))
    first, last = (
        ", ".join(f"{one[at].method} {_width(one[at]):.4f}" for one in shown) for at in (0, -1)
    )
    least = 2 * Z95 * math.sqrt(ours[-1].bound)
    numbers = (
        f"width of the 95 % band at N = {ours[0].n}: {first}; at N = {ours[-1].n}: {last}"
        f" (least possible {least:.4f})"
    )
    why = (
        "With few rows the norm of the weights makes the published WNN noisier than one neighbour."
    )
    why += _default_too(data, rivals, Replicates.log_variance, "narrower than both")
    return explained(smallest_verdict(ours, rivals, Replicates.log_variance), numbers, why)


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
    numbers = f"MSE at N = {ours[0].n}: {ends[0]}; at N = {ours[-1].n}: {ends[1]}"
    why = (
        "In four columns the published weights cancel four powers of the rank at the price of a"
        " large norm, and the label jumps at a wall of one sensor, where the bias follows none of"
        " these powers."
    )
    why += _default_too(data, rivals, Replicates.log_mse, "better than both k")
    return explained(smallest_verdict(ours, rivals, Replicates.log_mse), numbers, why)


def robot_counts(data: FigureData) -> Finding:
    """Return what reading the data has checked: other counts are refused."""
    counts = ", ".join(f"{name} {count}" for name, count in COUNTS.items())
    return Finding(HOLDS, f"{sum(COUNTS.values())} rows of {data[0].d} sensors; {counts}")
