"""Parts of the record of an answer: the divergence with the published bounds, votes, groups."""

from __future__ import annotations

from dataclasses import dataclass

from bayesfloor.votes.more_votes import MoreVotes


@dataclass(frozen=True, slots=True)
class HenzePenrose:
    """What the mismatch alone says of a sample, as published.

    Attributes
    ----------
    lower, upper : float
        The bounds of Berisha et al. and of Cover & Hart on the Bayes error, clipped.
    interval : tuple of float
        The Bayes error lies inside with the confidence of the floor.
    mismatch, mismatch_se : float
        Chance R that two labels drawn at the same point differ, unclipped, and its standard error.
    mismatch_interval : tuple of float
        Confidence interval of the mismatch, clipped to what is possible.
    divergence, divergence_se, divergence_interval : float, float, tuple of float, or None
        Henze-Penrose divergence, two classes only; the value is unclipped, the interval clipped.
    """

    lower: float
    upper: float
    interval: tuple[float, float]
    mismatch: float
    mismatch_se: float
    mismatch_interval: tuple[float, float]
    divergence: float | None
    divergence_se: float | None
    divergence_interval: tuple[float, float] | None


@dataclass(frozen=True, slots=True)
class VoteColumns:
    """What the columns of items add to their votes.

    Attributes
    ----------
    columns : int
        Of the items.
    weight : float
        Votes on an item that the maps learned from the columns count for, on average.
    error, error_limit : float
        Error on held-out votes of these maps, which see the columns and no vote of the item, and
        the upper end of its interval: a classifier of these columns reaches it.
    interval_by_votes : tuple of float
        The interval of the votes alone.
    """

    columns: int
    weight: float
    error: float
    error_limit: float
    interval_by_votes: tuple[float, float]


@dataclass(frozen=True, slots=True)
class VoteSummary:
    """The votes that a floor was read off.

    Attributes
    ----------
    votes : int
        On all items.
    fewest, most : int
        On an item.
    annotators : int or None
        How many people voted, if that is known.
    loss : float
        Mean squared loss of the shares of the other votes, each vote left out in turn.
    to_halve : MoreVotes or None
        What would make the interval half as wide; None if no realistic number of votes does.
    columns : VoteColumns or None
        What columns of the items add, if there are any.
    """

    votes: int
    fewest: int
    most: int
    annotators: int | None
    loss: float
    to_halve: MoreVotes | None
    columns: VoteColumns | None = None


@dataclass(frozen=True, slots=True)
class GroupSummary:
    """What the rows of a floor belong to, where they belong together.

    Attributes
    ----------
    kind : {"groups", "blocks of time"}
        What they are.
    count : int
        How many there are.
    fewest, most : int
        Rows in one of them.
    effective : float
        The number of equally large ones that would have as much noise.
    """

    kind: str
    count: int
    fewest: int
    most: int
    effective: float


@dataclass(frozen=True, slots=True)
class Divergence:
    """The Henze-Penrose divergence of two point sets: unclipped value, standard error, interval."""

    value: float
    se: float
    interval: tuple[float, float]
