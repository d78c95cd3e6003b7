"""Sentences a reader must know before trusting a floor from votes."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from bayesfloor.bounds.vote_scores import pair_mismatch
from bayesfloor.votes.counts import VoteCounts

FEW_ITEMS = 30
"""Items below which their sample says little: the usual rule of thumb."""
FEW_ANNOTATORS = 10
"""Annotators below which their habits show in every share: a judgement."""
SURE_CORRELATION = 4.0
"""Standard errors from which on a correlation is not chance: a judgement."""


def vote_notes(votes: VoteCounts) -> tuple[str, ...]:
    """Collect the notes that apply to votes, two or more on every item."""
    return (*votes.notes, *_few_items(votes), *_few_annotators(votes), *_added_votes(votes))


def _few_items(votes: VoteCounts) -> Iterator[str]:
    if len(votes.counts) < FEW_ITEMS:
        yield f"{len(votes.counts)} items are few: other items may be easier or harder than these."


def _few_annotators(votes: VoteCounts) -> Iterator[str]:
    if votes.annotators is not None and votes.annotators < FEW_ANNOTATORS:
        yield (
            f"All votes are by {votes.annotators} annotators: the floor speaks of votes by these,"
            " and other people may agree more or less."
        )


def _added_votes(votes: VoteCounts) -> Iterator[str]:
    """Tell numbers of votes that follow from the votes: the pairs are then no random pairs."""
    number, apart = votes.counts.sum(axis=1), pair_mismatch(votes.counts)
    if number.std() == 0 or apart.std() == 0:
        return
    correlation = float(np.corrcoef(number, apart)[0, 1])
    if abs(correlation) * np.sqrt(len(number)) > SURE_CORRELATION:
        more = "more" if correlation > 0 else "less"
        yield (
            f"Votes on items with many votes differ {more} often than those on items with few. If"
            " votes were added or left out because of how the first ones fell, the bounds do not"
            " hold: keep the votes that were planned before."
        )
