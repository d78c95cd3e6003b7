from __future__ import annotations

import numpy as np
import pytest

from bayesfloor.votes.interval import VoteBounds, bound_by_votes
from bayesfloor.votes.more_votes import votes_to_halve


@pytest.mark.parametrize(("votes", "items"), [(2, 2000), (5, 500), (20, 300)])
def test_so_many_votes_make_the_interval_about_half_as_wide(votes: int, items: int) -> None:
    rng = np.random.default_rng(votes)

    def width(each: int, n: int) -> tuple[float, VoteBounds]:
        yes = rng.binomial(each, rng.beta(0.3, 0.3, n))
        found = bound_by_votes(np.column_stack([yes, each - yes]), confidence=0.95)
        return found.interval[1] - found.interval[0], found

    before, found = width(votes, items)
    more = votes_to_halve(found, items, items * votes)
    assert more is not None
    assert more.votes == more.items * more.votes_each - items * votes
    assert 0.35 < width(more.votes_each, more.items)[0] / before < 0.6


def test_an_interval_without_width_cannot_be_halved() -> None:
    counts = np.array([[2, 0]] * 50 + [[0, 2]] * 50)
    found = bound_by_votes(counts, confidence=0.95)
    more = votes_to_halve(found, 100, 200)
    assert more is not None  # Wilson's limit of no error in 100
    assert more.items > 100
    assert "votes more" in more.sentence()
