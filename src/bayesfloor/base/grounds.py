"""What the lower end of an interval can rest on.

The upper end is a fact: a rule that was learned on other rows reaches it. No lower end can be free
of assumptions (Antos, Devroye & Györfi 1999), so each says what it takes for granted.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Ground:
    """One thing that a lower end can rest on."""

    name: str
    summary: str  # after "the lower end rests on"
    condition: str  # after "it holds if"
    scope: str = ""  # added to verdicts that rest on it: of whom they speak
    worst_case: bool = True  # whether probabilities may miss most where it costs most


REPEATS = Ground(
    "repeats",
    "rows with the same values and the labels that they have",
    "rows with the same values are observations of their own, not copies",
)
NEIGHBOURS = Ground(
    "neighbours",
    "the labels of near rows",
    "labels do not change abruptly between near rows",
    worst_case=False,
)
MODELS = Ground(
    "models",
    "the kinds of models that were tried, and their learning curves",
    "no other kind of model finds more in these columns",
    "of the kinds that were tried",
    worst_case=False,
)
VOTES_GROUND = Ground(
    "votes",
    "the votes on each item",
    "votes on an item are cast independently, and their number does not depend on how they fall",
)
PROBABILITIES_GROUND = Ground(
    "probabilities",
    "the class probabilities that were given",
    "these probabilities are the true ones",
)
SPREAD = "what a rule misses is spread over many rows"
"""The condition of lower ends that do not allow for the worst case, after "it holds if"."""
GROUNDS = {
    ground.name: ground
    for ground in (REPEATS, NEIGHBOURS, MODELS, VOTES_GROUND, PROBABILITIES_GROUND)
}
"""All of them, by the name in the record."""
