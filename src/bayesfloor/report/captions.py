"""What to see in each chart, said with its own numbers."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
from scipy.special import ndtri

from bayesfloor.base.arrays import Floats
from bayesfloor.base.formatting import counted_columns, percent
from bayesfloor.estimators.methods import METHODS
from bayesfloor.floor import Floor
from bayesfloor.floor.growth import Growth
from bayesfloor.report.hardest_rows import RowTable

APART = 0.99
"""Two classes with this divergence or more are hardly ever confused."""
ALIKE = 0.005
"""A smaller divergence is written as 0.00."""


def interval_words(floor: Floor) -> str:
    """Say where the Bayes error lies and how far the majority class is from it."""
    majority = 1 - float(floor.priors.max())
    low, high = floor.interval
    text = (
        f"The line is where the lowest possible error lies with {100 * floor.confidence:.6g}%"
        f" confidence, {percent(low)} to {percent(high)}. The bar has the bounds without that"
        f" margin, {percent(floor.lower)} and {percent(floor.upper)}, the white dot is the best"
        f" guess, {percent(floor.estimate)}."
    )
    if high >= majority:
        return (
            f"{text} It reaches the error of always naming the commonest class"
            f" ({percent(majority)}), so it is not certain that these columns help at all."
        )
    return (
        f"{text} Always naming the commonest class errs on {percent(majority)}: these columns can"
        f" remove {percent(1 - high / majority)} of that, or more."
    )


def method_words(floor: Floor) -> str:
    """Say in three sentences where the numbers come from."""
    chance = (
        "bayesfloor measures how often two labels drawn at the same place differ, by comparing"
        " every row with its nearest neighbours and extrapolating to distance zero. That chance"
        " bounds the Bayes error from both sides."
    )
    if not floor.maps:
        return f"It is not computed by training one. {chance}"
    return (
        f"{chance} Here places are told apart by {_mapped(floor)}, instead of the"
        f" {counted_columns(floor.columns, floor.d)}: learned on one part of the rows, and measured"
        " on the others."
    )


def _mapped(floor: Floor) -> str:
    """Name what stands for the columns of a floor with maps."""
    own = floor.representation != "learned"
    return f"what {floor.representation} makes of a row" if own else "class probabilities"


def curve_words(floor: Floor, fitted: tuple[Floats, Floats] | None) -> str:
    """Say what the neighbours show, and how much of the estimate is extrapolated."""
    curve = floor.curve
    chance = percent(min(max(floor.mismatch, 0.0), 1.0))
    radius = curve.radius_power(1)
    if radius[-1] == 0:
        return f"All neighbours are at distance zero; their labels differ with chance {chance}."
    near = (
        f"Nearest neighbours differ in their label on {percent(curve.mismatch[0])} of the rows,"
        f" neighbours of rank {curve.rank[-1]} on {percent(curve.mismatch[-1])}."
    )
    if floor.maps:
        near = f"Neighbours are rows alike in {_mapped(floor)}. {near}"
    if floor.maps and METHODS[floor.method].fitted_curve is not None:
        return (
            f"{near} With the smooth trend of the labels removed, what remains at the closest ranks"
            f" is {chance}; both bounds come from this number."
        )
    if fitted is None:
        return f"{near} Method {floor.method} reads {chance} off this curve, without a fit."
    reach = percent(radius[0] / radius[-1])
    return (
        f"{near} The fit goes on to distance zero, where two labels still differ with chance"
        f" {chance}; both bounds come from this number. The nearest neighbours are {reach} as far"
        " away as the farthest used: over that stretch there is nothing to see but the fit."
    )


def growth_words(floor: Floor, growth: Growth) -> str:
    """Say whether more rows would change the answer."""
    if len(growth.sizes) == 1:
        return (
            "There are too few rows, or too few of some class, to try the same with fewer: collect"
            " more, and the interval will tell."
        )
    (a, b), (c, d) = growth.bounds[-2:]
    moved = (
        f"From {growth.sizes[-2]:,} to {growth.sizes[-1]:,} rows the bounds moved from {percent(a)}"
        f" and {percent(b)} to {percent(c)} and {percent(d)}."
    )
    if not _still_moving(growth, float(ndtri(0.5 + floor.confidence / 2))):
        return (
            f"{moved} That is within what the intervals leave open: more rows would narrow the"
            " interval, and need not change the answer."
        )
    way = "lower" if growth.mismatch[-1] < growth.mismatch[-2] else "higher"
    return f"{moved} That is more than chance explains: with more rows expect a still {way} answer."


def _still_moving(growth: Growth, z: float) -> bool:
    """Tell whether the last step is beyond the error of the whole and part of a drift.

    It is a drift if it is beyond the error of the half too, or if every step goes its way.
    """
    steps = np.diff(growth.mismatch)
    half, whole = growth.mismatch_se[-2:]
    one_way = len(steps) > 1 and bool((steps > 0).all() or (steps < 0).all())
    last = abs(float(steps[-1]))
    return last > z * whole and (last > z * half or one_way)


def confusion_words(
    names: Sequence[str], divergence: Floats, classes: int, rows: int | None
) -> str:
    """Name the classes that are hardest to tell apart, and what was left out."""
    pairs = sorted((divergence[i, j], i, j) for i, j in combinations(range(len(names)), 2))
    hard = _hardest_pair(names, pairs)
    if classes > len(names):
        hard += f" Shown are the {len(names)} of {classes} classes with most confusion."
    return hard + (f" At most {rows:,} rows of a class were compared." if rows else "")


def _hardest_pair(names: Sequence[str], pairs: list[tuple[float, int, int]]) -> str:
    """Name the first pair, smallest divergence first, unless all are alike or others tie."""
    value, i, j = pairs[0]
    if value >= APART:
        return (
            f"Every two of these classes have a divergence of {APART} or more: none are confused."
        )
    if pairs[-1][0] < ALIKE:
        return (
            "No two of these classes can be told apart: every divergence is about 0 (0: the same;"
            " 1: never confused)."
        )
    ties = sum(f"{max(other, 0):.2f}" == f"{max(value, 0):.2f}" for other, _, _ in pairs) - 1
    also = f" (and {ties} other pair{'s' * (ties > 1)})" if ties else ""
    return (
        f"Hardest to tell apart are {names[i]} and {names[j]}{also}, with divergence"
        f" {max(value, 0):.2f} (0: the same; 1: never confused)."
    )


def local_words(floor: Floor) -> str:
    """Say how many rows lie among another class."""
    count = int(np.count_nonzero(floor.known_mismatch > 0.5))
    easy = float(np.mean(floor.known_mismatch < 0.05))
    text = f"On {percent(easy)} of the rows a new label would almost surely (95%) be the same."
    if count == 0:
        return f"{text} No row lies where other classes are likelier than its own."
    rows = "row lies" if count == 1 else "rows lie"
    among = f"{count:,} {rows} where other classes are likelier than the row's own."
    return f"{text} {among}{_blur(floor)}"


def _blur(floor: Floor) -> str:
    """Say so if the local mismatch is on average far above the estimate."""
    mean, near = float(floor.known_mismatch.mean()), min(floor.curve.rank[-1], round(floor.n**0.5))
    if floor.maps or mean < 1.5 * floor.mismatch + 0.01:
        return ""
    return (
        f" Every row is judged by its {near} nearest, a wider view than that of the estimate, and"
        f" labels change within it: the mean of {percent(mean)} here is too high, the order of the"
        " rows still tells which to look at."
    )


def hardest_words(table: RowTable) -> str:
    """Say what to do with the hardest rows."""
    text = (
        "Rows whose neighbours speak most against their label, counted from 0. Look here first for"
        " wrong labels, broken values, and cases that need another column to be told apart."
    )
    shown = len(table.columns) - 3
    return text + (
        f" The first {shown} of {table.total} columns are shown." if shown < table.total else ""
    )
