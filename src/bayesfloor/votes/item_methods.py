"""How a floor was read off items rather than rows of columns, in words."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ItemMethod:
    """One way; it has the words of `bayesfloor.estimators.method.Method`."""

    summary: str
    explanation: str  # after "by"
    sharpens: bool = False  # whether the upper end is free of the ground that the lower end has
    fitted_curve: None = None


VOTES = "votes"
PROBABILITIES = "probabilities"
ITEM_METHODS = {
    VOTES: ItemMethod(
        "how well other votes on an item predict a vote",
        "comparing the votes on each item with each other",
    ),
    PROBABILITIES: ItemMethod(
        "the class probabilities that were given for each item",
        "taking the class probabilities as they were given",
    ),
}
"""All of them, by the name in `Floor.method`."""
