"""The rule of representation="auto": what is measured, the columns as they are or learned maps.

| the sample | what is measured |
|---|---|
| the method may not learn (the published ones) | raw |
| so few columns that neighbours must be local, and no discontinuity can hide between them | raw |
| neighbours are local, and comparing all rows is cheap | both, where maps can be learned |
| every other sample | learned, where maps can be learned; else raw |

Where both are measured, `reconcile` decides. The thresholds are judgements: `benchmarks/highdim.py`
shows what the rule as a whole is worth (docs/high-dimension.md), but no benchmark varies them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import hypot
from typing import TypeAlias

from bayesfloor.estimators.method import Method, curve_ranks
from bayesfloor.representation.learned import can_learn
from bayesfloor.representation.locality import Surroundings, make_surroundings
from bayesfloor.representation.pooling import PooledMismatch
from bayesfloor.representation.representation import LEARNED, RAW, Representation
from bayesfloor.sample.sample import Sample

Outcome: TypeAlias = tuple[Representation, PooledMismatch]
"""What was measured, and the mismatch that it has."""


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Where the rule changes."""

    not_local: float = 0.4
    """Distance of the nearest neighbour over that of the last from which on neighbours are not
    local: a judgement."""
    few_columns: int = 2
    """In so few columns neighbours are close enough to follow a discontinuity."""
    few_rows: int = 200
    """So few rows do not show a discontinuity."""
    many_rows: int = 20_000
    """From so many rows on, `blurred` decides instead of `few_columns`."""
    blurred: float = 0.3
    """A discontinuity is blurred where the first neighbour is so far, in distances of the last:
    among many rows that is in five columns or more."""
    heavy: float = 1e11
    """Rows squared times columns from which on learning is much less work than comparing rows."""
    likely: float = 1.0
    """Standard errors by which maps must find less mismatch to take over."""
    sure: float = 3.0
    """Standard errors from which on the raw answer no longer widens the interval. Both answers are
    of the same labels, so that their difference has in truth a smaller standard error."""


THRESHOLDS = Thresholds()
"""The thresholds that are used; others are for tests and experiments."""


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    """What to measure: raw, learned, or both, in this order."""

    kinds: tuple[str, ...]
    surroundings: Surroundings | None = None  # of the points, where they were looked at


def choose(sample: Sample, method: Method, thresholds: Thresholds = THRESHOLDS) -> Choice:
    """Choose by the table above."""
    if not method.may_learn or _is_plainly_local(sample, thresholds) or not can_learn(sample):
        return Choice((RAW,))
    surroundings = make_surroundings(sample)
    local = surroundings.locality.nearness < thresholds.not_local
    both = local and not _is_heavy(sample, thresholds)
    return Choice((RAW, LEARNED) if both else (LEARNED,), surroundings)


def _is_plainly_local(sample: Sample, thresholds: Thresholds) -> bool:
    """Tell, without a look at the points, that neighbours are local and follow the labels.

    Three columns and more can still hide a discontinuity, which maps may find in some hundred rows.
    """
    nearness = curve_ranks(sample.n) ** (-1 / sample.d)  # of points spread evenly
    few = sample.n < thresholds.many_rows
    blurred = sample.d > thresholds.few_columns if few else nearness > thresholds.blurred
    worth_learning = (
        sample.n >= thresholds.few_rows and blurred and not _is_heavy(sample, thresholds)
    )
    return nearness < thresholds.not_local and not worth_learning


def _is_heavy(sample: Sample, thresholds: Thresholds) -> bool:
    return float(sample.n) ** 2 * sample.d >= thresholds.heavy


def measure_by_rule(
    sample: Sample,
    method: Method,
    measure: Callable[[str, Surroundings | None], Outcome],
    *,
    has_time: Callable[[], bool] = lambda: True,
    thresholds: Thresholds = THRESHOLDS,
) -> Outcome:
    """Measure what the rule says, and reconcile the answers if there are two.

    `measure` takes "raw" or "learned", and what is known of the points. Without time left the first
    answer stands.
    """
    choice = choose(sample, method, thresholds)
    first, *others = choice.kinds
    answer = measure(first, choice.surroundings)
    for other in others:
        if has_time():
            answer = reconcile(answer, measure(other, choice.surroundings), thresholds)
    return answer


def reconcile(raw: Outcome, learned: Outcome, thresholds: Thresholds = THRESHOLDS) -> Outcome:
    """Return what was learned where it likely shows more than the columns as they are.

    The mismatch of any map is that of the columns or more, and distances mislead upwards only: the
    lower of the two answers is nearer to the truth. While that may be chance, the interval reaches
    to the end of the other. Downwards it always does: neighbours, some way apart, cannot rule out
    that labels change abruptly between them.
    """
    (as_it_is, first), (mapped, other) = raw, learned
    less, se = first.mismatch - other.mismatch, hypot(first.se, other.se)
    below, above = other.margins
    lowest = other.mismatch - mapped.gap - below
    if mapped.is_guess:
        return raw
    if less <= thresholds.likely * se:
        margins = max(first.margins[0], first.mismatch - lowest), first.margins[1]
        return as_it_is, replace(first, margins=margins)
    if less <= thresholds.sure * se:  # upper ends count from zero on
        above = max(above, first.mismatch + first.margins[1] - max(other.mismatch, 0.0))
    return mapped, replace(other, margins=(below, above))
