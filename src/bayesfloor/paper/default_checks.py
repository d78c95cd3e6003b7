"""What the data of figures 6 and 7 say about the claims of bayesfloor on its default."""

from __future__ import annotations

import math

from bayesfloor.paper.findings import Finding, everywhere, listed
from bayesfloor.paper.replicates import FigureData, Replicates, Uncertain
from bayesfloor.paper.rules import CLEAR

BOUND_FACTOR = 2
"""Multiple of the efficiency bound that wnn promises to stay within."""
NOMINAL_COVERAGE = 0.95
"""Confidence of the intervals of figure 7."""


def near_the_bound(data: FigureData) -> Finding:
    """Compare the error of wnn with the efficiency bound."""
    ratios = {f"d={r.d}": _over_bound(r) for r in data.series("wnn")}
    numbers = f"MSE of wnn over the bound: {listed(ratios)}"
    good = {name: r.value - CLEAR * r.se <= BOUND_FACTOR for name, r in ratios.items()}
    return everywhere(good, numbers, "The MSE of wnn exceeds twice the bound elsewhere.")


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
    numbers = f"coverage {mean:.3f} on average, lowest {shares[worst]:.3f} at {worst}"
    good = {name: share >= least for name, share in shares.items()}
    return everywhere(good, numbers, f"Below {least:.3f} elsewhere.")
