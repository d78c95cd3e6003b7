"""How many votes more would make the interval half as wide."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bayesfloor.votes.interval import VoteBounds

MOST_TIMES = 1000.0
"""Times as many votes that are called unrealistic: a judgement."""
VOTE_TIMES = np.geomspace(1.0, 100.0, 201)
"""Times as many votes on an item that are tried."""


@dataclass(frozen=True, slots=True)
class MoreVotes:
    """What would make an interval half as wide, with as few votes as possible."""

    items: int  # in all
    votes_each: int  # on every item, in all
    votes: int  # more than there are

    def sentence(self) -> str:
        """Say it in words."""
        return (
            f"about {two_digits(self.votes):,} votes more: {two_digits(self.items):,} items with"
            f" {self.votes_each:,} votes each in all"
        )


def votes_to_halve(bounds: VoteBounds, items: int, votes: int) -> MoreVotes | None:
    r"""Return the fewest votes more that likely halve the width of an interval, or None.

    The gap between the bounds shrinks like one over the votes on an item: the chance that most of
    t votes are for the second class, where both are about equally likely, falls like 1/√t, and so
    does what that costs. The margins shrink like one over the root of the number of items. More
    votes on new items and more on every item are weighed against each other.

    Parameters
    ----------
    bounds : VoteBounds
        The interval.
    items, votes : int
        Items, and votes on all of them.
    """
    low, high = bounds.interval
    width, gap = high - low, bounds.upper - bounds.lower
    margin = width - gap
    left = width / 2 - gap / VOTE_TIMES
    useful = left > 0
    if width <= 0 or not useful.any():
        return None
    vote_times = VOTE_TIMES[useful]
    item_times = np.maximum((margin / left[useful]) ** 2, 1.0)
    best = int((vote_times * item_times).argmin())
    if vote_times[best] * item_times[best] > MOST_TIMES:
        return None
    more_items = int(np.ceil(items * item_times[best]))
    each = int(np.ceil(round(votes / items * vote_times[best], 6)))
    return MoreVotes(more_items, each, more_items * each - votes)


def two_digits(count: int) -> int:
    """Round up to two digits.

    Examples
    --------
    >>> two_digits(1234), two_digits(7)
    (1300, 7)
    """
    unit = 10 ** max(len(str(count)) - 2, 0)
    return -(-count // unit) * unit
