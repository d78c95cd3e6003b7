"""How many rows would likely decide a target that is undecided."""

from __future__ import annotations

import math

from bayesfloor.bounds.prior_error import wilson_limit
from bayesfloor.floor import Floor

MOST_TIMES_THE_ROWS = 1000
"""A target that takes so many times the rows is called undecidable: a judgement of what is
realistic.
"""
SLACK_SHARE = 2 / 3
"""Power of the excess of maps that the distance between their error and the sharpened bound falls
with: with an excess V it is about V^(2/3). Where what is missed is spread over rows, it falls with
V itself, see docs/method.md."""
ROWS_PER_COLUMN = 10
"""Rows for each column that learning wants, at least: the usual rule of thumb."""


def rows_to_decide(floor: Floor, error: float) -> int | None:
    """Rows at which the interval would likely end before the target, or None if it never does.

    Both ends close in on the estimate. The margin of an end shrinks like one over the root of the
    rows, that of an error hardly ever seen faster, as Wilson's limit says. What lies between a
    bound and the estimate shrinks with the excess of the maps, or like the margin where no maps
    were learned; between published bounds it stays.
    """
    above = error >= floor.estimate
    bound = floor.upper if above else floor.lower
    end = floor.interval[1] if above else floor.interval[0]
    margin, slack = abs(end - bound), abs(bound - floor.estimate)
    apart, rate = abs(error - floor.estimate), _closing_rate(floor)

    def reach(times: float) -> float:
        left = _upper_margin(floor, times) / _upper_margin(floor, 1.0) if above else times**-0.5
        return float(margin * left + slack * times**-rate)

    if reach(MOST_TIMES_THE_ROWS) > apart:
        return None
    low, most = 1.0, float(MOST_TIMES_THE_ROWS)
    while most / low > 1.01:
        middle = math.sqrt(low * most)
        low, most = (middle, most) if reach(middle) > apart else (low, middle)
    guessed = floor.interval[0] == 0 and not above
    return _rounded_up(max(most * floor.n, ROWS_PER_COLUMN * floor.d if guessed else 0))


def _closing_rate(floor: Floor) -> float:
    """Return the power of the rows that a bound nears the estimate with."""
    if not floor.how.sharpens:
        return 0.0
    curve = floor.learning_curve
    if curve is None:
        return 0.5
    exponent = 0.5 if curve.excess is None else curve.excess.exponent
    return min((SLACK_SHARE if floor.ground.worst_case else 1.0) * exponent, 0.5)


def _upper_margin(floor: Floor, times: float) -> float:
    """Return the margin of error of the held-out error at so many times the rows.

    Only its ratio to another counts; that of losses that are no shares falls like the root.
    """
    if floor.decision is not None:
        return float(times**-0.5)
    tail = (1 - floor.confidence) / 2
    return wilson_limit(floor.upper, int(times * floor.n), tail) - floor.upper


def _rounded_up(count: float) -> int:
    """Round up to two digits."""
    unit = 10 ** max(len(str(int(count))) - 2, 0)
    return int(math.ceil(count / unit) * unit)
