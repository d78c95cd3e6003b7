"""Boxes around points, and how far apart they are."""

from __future__ import annotations

from typing import NamedTuple

from bayesfloor.base.arrays import Floats
from bayesfloor.neighbours.kernels.jit import jit, jit_inline


class Boxes(NamedTuple):
    """The corners of some boxes, column by column, so that many are measured at once."""

    low: Floats  # (d, boxes)
    high: Floats  # (d, boxes)


@jit_inline
def interval_gap(low: float, high: float, other_low: float, other_high: float) -> float:
    """Return the distance between two intervals, 0 if they overlap."""
    return max(max(other_low - high, low - other_high), 0.0)


@jit
def box_gaps(low: Floats, high: Floats, boxes: Boxes, start: int, stop: int, gaps: Floats) -> None:
    """Write the squared distances between one box and those from `start` to `stop`."""
    gaps[: stop - start] = 0.0
    for j in range(len(low)):
        lows, highs = boxes.low[j, start:stop], boxes.high[j, start:stop]
        for a in range(stop - start):
            gap = interval_gap(low[j], high[j], lows[a], highs[a])
            gaps[a] += gap * gap
