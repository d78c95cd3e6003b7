"""What the data say about a claim: a verdict, and the numbers behind it in words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from bayesfloor.paper.replicates import Uncertain
from bayesfloor.paper.rules import FAILS, HOLDS, OPEN, holds_when


@dataclass(frozen=True, slots=True)
class Finding:
    """What the data say about a claim."""

    verdict: str
    numbers: str  # behind it, in words
    why: str = ""  # where it does not simply hold


def explained(verdict: str, numbers: str, why: str) -> Finding:
    """Return a finding that says why, unless the claim holds or is open."""
    return Finding(verdict, numbers, "" if verdict in (HOLDS, OPEN) else why)


def everywhere(good: Mapping[str, bool], numbers: str, why: str) -> Finding:
    """Return the verdict on what should be true in every place."""
    if all(good.values()):
        return Finding(HOLDS, numbers)
    places = ", ".join(name for name, fine in good.items() if fine)
    return Finding(holds_when(places) if places else FAILS, numbers, why)


def listed(numbers: Mapping[str, Uncertain]) -> str:
    """List values with their errors, each after its name."""
    return ", ".join(f"{name} {number}" for name, number in numbers.items())


def signed(value: float) -> str:
    """Write a number with its sign."""
    return f"{value:+.4f}".replace("-", "−")
