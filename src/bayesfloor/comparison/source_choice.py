"""From which of several sources the next rows should come.

A margin of error shrinks with the square root of the rows. Two goals are served: to learn which
source has the lowest floor, by the rows of its two most likely candidates (the rule of LUCB,
Kalyanakrishnan et al. 2012), or to know all floors well.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from math import sqrt
from typing import Any

from bayesfloor.base.errors import DataError
from bayesfloor.base.formatting import counted, percent
from bayesfloor.base.options import check_choice, check_count, check_positive
from bayesfloor.floor import Floor, bayes_error
from bayesfloor.floor.input import no_label_hint

LOWEST, WIDTH = "lowest", "width"
"""Goals: to find the source with the lowest floor, and to make all intervals narrow."""
NEXT_ROWS = 100
"""Rows that come next, by default."""


@dataclass(frozen=True, slots=True)
class Outlook:
    """What a source has shown, and what its next rows would bring.

    Attributes
    ----------
    name : str
        Of the source.
    n : int
        Rows so far.
    estimate, interval : float, tuple of float
        The Bayes error of the source.
    margin : float
        Part of the interval's width that more rows take away.
    gain : float
        By how much the next rows would narrow the interval, over what they cost.
    """

    name: str
    n: int
    estimate: float
    interval: tuple[float, float]
    margin: float
    gain: float


@dataclass(frozen=True, slots=True)
class NextSource:
    """From where the next rows should come.

    Attributes
    ----------
    name : str
        The source to ask next.
    best : str
        The source with the lowest floor, as far as is known.
    settled : bool
        Whether no other source can have a lower floor, with the confidence of the intervals.
    goal : {"lowest", "width"}
        What the rows are for.
    rows : int
        How many come next.
    outlooks : tuple of Outlook
        Every source, in the order they were given.
    """

    name: str
    best: str
    settled: bool
    goal: str
    rows: int
    outlooks: tuple[Outlook, ...]

    def __str__(self) -> str:
        low, high = next(one for one in self.outlooks if one.name == self.best).interval
        known = "" if self.settled else " as far as is known"
        found = f"{self.best} has the lowest floor{known}"
        span = f"{percent(low)} to {percent(high)}"
        return f"Next {counted(self.rows, 'row')}: {self.name}. {found} ({span})."

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain Python values, ready for JSON."""
        return {
            **{name: getattr(self, name) for name in ("name", "best", "settled", "goal", "rows")},
            "outlooks": [{**asdict(one), "interval": list(one.interval)} for one in self.outlooks],
        }


def next_source(
    sources: Mapping[str, Any],
    *,
    goal: str = LOWEST,
    rows: int = NEXT_ROWS,
    costs: Mapping[str, float] | None = None,
    **options: Any,
) -> NextSource:
    """Tell from which source the next rows would help most.

    Parameters
    ----------
    sources : mapping of str to Floor, or to points and labels
        What each source has delivered so far: its floor, or a pair ``(X, y)`` for `bayes_error`.
    goal : {"lowest", "width"}
        "lowest": to learn which source has the lowest floor. "width": to make the intervals of all
        of them narrow.
    rows : int
        Rows that come next.
    costs : mapping of str to float, optional
        Cost of a row of each source; 1 by default.
    **options
        Of `bayes_error`, for sources that are points and labels.

    Returns
    -------
    NextSource

    Examples
    --------
    >>> import numpy as np
    >>> import bayesfloor as bf
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1], 60)
    >>> near, far = rng.normal(0.5 * y)[:, None], rng.normal(2 * y)[:, None]
    >>> bf.next_source({"near": (near, y), "far": (far, y)}).best
    'far'
    """
    check_choice("goal", goal, (LOWEST, WIDTH))
    check_count("rows", rows)
    if len(sources) < 2:
        raise DataError(f"{counted(len(sources), 'source')} came; pass two or more to choose from")
    prices = dict.fromkeys(sources, 1.0) | dict(costs or {})
    unknown = [name for name in prices if name not in sources]
    if unknown:
        raise DataError(f"costs= names {unknown[0]!r}, which is no source; leave it out")
    for name, price in prices.items():
        check_positive(f"the cost of {name!r}", price)
    floors = {name: _floor(name, one, options) for name, one in sources.items()}
    outlooks = [_outlook(name, one, rows, prices[name]) for name, one in floors.items()]
    best = min(outlooks, key=lambda one: (one.estimate, one.interval))
    rival = min((one for one in outlooks if one is not best), key=lambda one: one.interval[0])
    candidates = outlooks if goal == WIDTH else [best, rival]
    chosen = max(candidates, key=lambda one: one.gain)
    settled = best.interval[1] <= rival.interval[0]
    return NextSource(chosen.name, best.name, settled, goal, rows, tuple(outlooks))


def _floor(name: str, source: Any, options: dict[str, Any]) -> Floor:
    """Return the floor of a source."""
    if isinstance(source, Floor):
        return source
    if not (isinstance(source, tuple | list) and len(source) == 2):
        raise DataError(f"source {name!r} is neither a floor nor a pair of points and labels")
    with no_label_hint():
        return bayes_error(*source, **options)


def _outlook(name: str, floor: Floor, rows: int, price: float) -> Outlook:
    """Return what a source has shown, and what more rows would bring.

    The gap between the bounds may stay; the margins around it shrink as 1/√n.
    """
    (low, high), gap = floor.interval, floor.upper - floor.lower
    margin = max(high - low - gap, 0.0)
    gain = margin * (1 - sqrt(floor.n / (floor.n + rows))) / price
    return Outlook(name, floor.n, floor.estimate, floor.interval, margin, gain)
