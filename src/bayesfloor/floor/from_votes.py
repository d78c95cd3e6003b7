"""The calls for items with several votes, or with known class probabilities."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass, replace
from math import hypot
from typing import Any

import numpy as np

from bayesfloor.base.arrays import AnyArray, Bools, Floats, Ints
from bayesfloor.base.errors import DataError, error_prefix
from bayesfloor.base.formatting import shorten
from bayesfloor.base.grounds import PROBABILITIES_GROUND, VOTES_GROUND
from bayesfloor.base.memory import memory_errors
from bayesfloor.base.options import check_confidence
from bayesfloor.base.settings import Settings
from bayesfloor.bounds.bounded_mean import bounded_mean_limits
from bayesfloor.bounds.henze_penrose import (
    bayes_error_bounds,
    divergence,
    divergence_error,
    independent_mismatch,
)
from bayesfloor.bounds.posterior_error import TemperedPosteriors
from bayesfloor.floor.ceilings import Ceilings
from bayesfloor.floor.origin import Origin
from bayesfloor.floor.record import Floor
from bayesfloor.floor.summaries import HenzePenrose, VoteSummary
from bayesfloor.tables import FILE_OPTIONS, ReadOptions, is_readable
from bayesfloor.votes.counts import (
    VoteCounts,
    check_item_memory,
    count_matrix,
    probability_matrix,
    with_pairs,
)
from bayesfloor.votes.interval import (
    VoteBounds,
    bound_by_votes,
    standard_error,
    vote_shares,
)
from bayesfloor.votes.item_methods import PROBABILITIES, VOTES
from bayesfloor.votes.more_votes import votes_to_halve
from bayesfloor.votes.notes import vote_notes
from bayesfloor.votes.vote_tables import read_number_columns, read_votes

NO_CEILINGS = "ceilings need rows with columns and a label each; votes bound the error alone"
"""Said where recall, precision and ROC curves are asked of items."""
SMALLEST_NUMBER = 5e-324
"""The smallest number above 0: two classes may have no probability at all."""
NO_ORIGIN = Origin()
"""Items have no table of columns."""


def bayes_error_from_votes(
    counts: Any,
    *,
    classes: Any = None,
    item: str | int | None = None,
    vote: str | int | None = None,
    annotator: str | int | None = None,
    confidence: float = 0.95,
    max_memory: int | str | None = None,
    **reading: Any,
) -> Floor:
    """Bound the Bayes error of items that several people labelled, from their votes alone.

    The label of an item is one vote, drawn at random from all that could be cast on it. No
    classifier foretells such labels with a lower error than the floor, whatever it sees of the
    item. Nothing is assumed about how votes are spread over classes and items.

    Parameters
    ----------
    counts : array of shape (n, m), data frame or path
        How many votes each of m classes got on each of n items; the numbers of votes may differ. Or
        a table with a row a vote, with columns for the item, the vote and perhaps the annotator.
    classes : list of m names, optional
        The classes of an array.
    item, vote, annotator : str or int, optional
        The columns of a table with a row a vote, by name or position; by default "item", "vote" and
        "annotator". With `item` alone, the column that names the items of a count matrix.
    confidence : float
        Of the intervals, between 0 and 1.
    max_memory : int or str, optional
        The memory that the call may take, in bytes or such as "8GB"; by default what the system,
        the container and the shell leave. Votes that would take more are refused.
    **reading
        Options of `read_table` on how a file is written: ``header``, ``separator``, ``encoding``,
        ``table``, ``query``.

    Returns
    -------
    Floor
        ``floor.votes`` tells how many votes there are and how many more would halve the interval.

    Raises
    ------
    DataError
        If the votes cannot be used; the message says what came, where, and what to do.

    Examples
    --------
    >>> import numpy as np
    >>> import bayesfloor as bf
    >>> rng = np.random.default_rng(0)
    >>> chance = rng.beta(0.3, 0.3, 2000)  # of the first class; the Bayes error is 0.134
    >>> yes = rng.binomial(5, chance)
    >>> floor = bf.bayes_error_from_votes(np.column_stack([yes, 5 - yes]))
    >>> floor.interval[0] < 0.134 < floor.interval[1]
    True
    """
    confidence = check_confidence("confidence", confidence)
    columns = {"item": item, "vote": vote, "annotator": annotator}
    if not is_readable(counts):
        _refuse_options({**columns, **reading})
        with memory_errors():
            votes = count_matrix(counts, classes=classes)
            check_item_memory(votes.counts.shape, max_memory)
            return floor_from_votes(votes, confidence=confidence)
    if classes is not None:
        raise DataError("classes= is for arrays; a table has the names of its classes itself")
    options = _read_options(reading, max_memory)
    with memory_errors():
        name, votes = read_votes(counts, **columns, options=options)
    with error_prefix(name) if name != "data frame" else nullcontext(), memory_errors():
        check_item_memory(votes.counts.shape, max_memory)
        return floor_from_votes(votes, confidence=confidence)


def bayes_error_from_probabilities(
    p: Any,
    *,
    classes: Any = None,
    confidence: float = 0.95,
    max_memory: int | str | None = None,
    **reading: Any,
) -> Floor:
    """Return the Bayes error of items whose class probabilities are known, with its interval.

    The interval allows for the items being a sample. It takes the probabilities for true: those of
    a model, or shares of few votes, are not.

    Parameters
    ----------
    p : array of shape (n, m), data frame or path
        The probability of each of m classes on each of n items; every row sums to one.
    classes : list of m names, optional
        The classes of an array.
    confidence : float
        Of the intervals, between 0 and 1.
    max_memory, **reading
        As in `bayes_error_from_votes`.

    Returns
    -------
    Floor

    Examples
    --------
    >>> import bayesfloor as bf
    >>> floor = bf.bayes_error_from_probabilities([[0.9, 0.1], [0.3, 0.7], [1, 0]])
    >>> round(floor.estimate, 4)
    0.1333
    """
    confidence = check_confidence("confidence", confidence)
    if not is_readable(p):
        _refuse_options(reading)
        with memory_errors():
            found = probability_matrix(p, classes=classes)
            check_item_memory(found[0].shape, max_memory)
            return floor_from_probabilities(*found, confidence=confidence)
    if classes is not None:
        raise DataError("classes= is for arrays; a table has the names of its classes itself")
    with memory_errors():
        name, values, names = read_number_columns(p, _read_options(reading, max_memory))
    with error_prefix(name) if name != "data frame" else nullcontext(), memory_errors():
        found = probability_matrix(values, classes=names)
        check_item_memory(found[0].shape, max_memory)
        return floor_from_probabilities(*found, confidence=confidence)


def floor_from_votes(votes: VoteCounts, *, confidence: float) -> Floor:
    """Bound the Bayes error by votes that have passed the gate."""
    votes = with_pairs(votes)
    counts, shares = votes.counts, vote_shares(votes.counts)
    bounds = bound_by_votes(counts, confidence=confidence)
    number = counts.sum(axis=1)
    estimate, estimate_interval = _estimate(shares, bounds)
    summary = VoteSummary(
        votes=int(number.sum()),
        fewest=int(number.min()),
        most=int(number.max()),
        annotators=votes.annotators,
        loss=bounds.loss,
        to_halve=votes_to_halve(bounds, len(counts), int(number.sum())),
    )
    return Floor(
        lower=bounds.lower,
        upper=bounds.upper,
        interval=bounds.interval,
        lower_rests_on=VOTES_GROUND.name,
        estimate=estimate,
        estimate_interval=estimate_interval,
        henze_penrose=_henze_penrose(shares.mean(axis=0), bounds),
        notes=vote_notes(votes),
        run=VoteRun(votes, Settings(method=VOTES, confidence=confidence)),
        display=_display(counts, votes.classes, votes.items),
        votes=summary,
        **_of_items(VOTES, shares, votes.classes, confidence),
    )


def floor_from_probabilities(p: Floats, classes: AnyArray, *, confidence: float) -> Floor:
    """Return the Bayes error of class probabilities that have passed the gate."""
    tail, once, priors = (1 - confidence) / 2, np.ones(len(p), np.int64), p.mean(axis=0)
    errors, apart = 1 - p.max(axis=1), 1 - np.einsum("ij,ij->i", p, p)
    most, independent = 1 - 1 / p.shape[1], independent_mismatch(priors)
    error, mismatch = min(float(errors.mean()), most), float(apart.mean())
    interval = bounded_mean_limits(errors, once, tail)
    low, high = bounded_mean_limits(apart, once, tail)
    bounds = VoteBounds(
        lower=error,
        upper=error,
        interval=(min(interval[0], error), max(min(interval[1], most), error)),
        published=bayes_error_bounds(mismatch, priors),
        published_interval=(bayes_error_bounds(low, priors)[0], min(high, most)),
        mismatch=mismatch,
        mismatch_se=standard_error(apart, once),
        mismatch_interval=(min(low, independent), min(high, independent)),
        loss=mismatch,
    )
    return Floor(
        lower=error,
        upper=error,
        interval=bounds.interval,
        lower_rests_on=PROBABILITIES_GROUND.name,
        estimate=error,
        estimate_interval=bounds.interval,
        henze_penrose=_henze_penrose(priors, bounds),
        notes=(),
        run=ProbabilityRun(p, classes, Settings(method=PROBABILITIES, confidence=confidence)),
        display=_display(p, classes),
        votes=None,
        **_of_items(PROBABILITIES, p, classes, confidence),
    )


@dataclass(frozen=True, slots=True, eq=False)
class VoteRun:
    """Votes with the settings they were asked with: they answer again on parts and pairs."""

    votes: VoteCounts
    settings: Settings
    origin: Origin = NO_ORIGIN
    groups: Ints | None = None

    def part(self, rows: Bools) -> Floor:
        """Answer the same question from some of the items."""
        part = replace(self.votes.only(rows), notes=())
        return floor_from_votes(part, confidence=self.settings.confidence)

    def divergence_between(self, a: int, b: int, *, most_rows: int | None = None) -> float:
        """Return the divergence between two classes, from items with two votes or more for them.

        All items are used, whatever `most_rows` is. Two classes that nowhere have two votes are not
        confused as far as votes tell.
        """
        del most_rows
        counts = self.votes.counts
        pair = counts[:, [a, b]]
        own = pair.sum(axis=1)
        weight = np.where(own > 1, own / counts.sum(axis=1), 0.0)
        if not weight.any():
            return 1.0
        apart = 2 * pair.prod(axis=1) / np.maximum(own * (own - 1), 1)
        shares = weight @ (pair / np.maximum(own, 1)[:, None]) / weight.sum()
        if independent_mismatch(shares) <= 0:
            return 1.0
        return divergence(float(weight @ apart / weight.sum()), shares)

    def pairwise(self) -> Floats:
        """Return the divergence between any two classes, (m, m)."""
        return _pairwise(self, len(self.votes.classes))

    def ceilings(self) -> Ceilings:
        """Refuse: an item has no score of its own."""
        raise DataError(NO_CEILINGS)


@dataclass(frozen=True, slots=True, eq=False)
class ProbabilityRun:
    """Class probabilities with the settings they were asked with."""

    p: Floats
    classes: AnyArray
    settings: Settings
    origin: Origin = NO_ORIGIN
    groups: Ints | None = None

    def part(self, rows: Bools) -> Floor:
        """Answer the same question from some of the items."""
        confidence = self.settings.confidence
        return floor_from_probabilities(self.p[rows], self.classes, confidence=confidence)

    def divergence_between(self, a: int, b: int, *, most_rows: int | None = None) -> float:
        """Return the divergence between two classes, from all items."""
        del most_rows
        pair = self.p[:, [a, b]]
        weight = pair.sum(axis=1)
        shares = pair.sum(axis=0) / max(float(weight.sum()), SMALLEST_NUMBER)
        if not pair.any(axis=0).all() or independent_mismatch(shares) <= 0:
            return 1.0
        apart = 2 * pair.prod(axis=1) / np.where(weight > 0, weight, 1.0)
        return divergence(float(apart.sum() / weight.sum()), shares)

    def pairwise(self) -> Floats:
        """Return the divergence between any two classes, (m, m)."""
        return _pairwise(self, len(self.classes))

    def ceilings(self) -> Ceilings:
        """Refuse: an item has no score of its own."""
        raise DataError(NO_CEILINGS)


def _pairwise(run: VoteRun | ProbabilityRun, m: int) -> Floats:
    table = np.zeros((m, m))
    for a in range(m):
        for b in range(a):
            table[a, b] = table[b, a] = run.divergence_between(a, b)
    return table


def _of_items(method: str, shares: Floats, classes: AnyArray, confidence: float) -> dict[str, Any]:
    """Return what a floor has of items, and what it lacks because they have no columns."""
    return {
        "confidence": confidence,
        "classes": classes,
        "priors": shares.mean(axis=0),
        "n": len(shares),
        "d": 0,
        "columns": 0,
        "intrinsic_dimension": np.nan,
        "representation": method,
        "maps": {},
        "learning_curve": None,
        "method": method,
        "curve": None,
        "posterior": shares,
        "labels": shares.argmax(axis=1).astype(np.int64),
        "texts_merged": False,
    }


def _estimate(shares: Floats, bounds: VoteBounds) -> tuple[float, tuple[float, float]]:
    """Return the Bayes error between its bounds, and its interval.

    Shares of votes are further apart than posteriors. They are tempered until two labels differ as
    often as votes do, see `bayesfloor.bounds.posterior_error`.
    """
    order = np.argsort(-shares.sum(axis=0), kind="stable")  # whatever order the classes have
    sorted_shares = shares[:, order]
    tempered = TemperedPosteriors(
        sorted_shares[np.lexsort(sorted_shares.T)], sorted_shares.mean(axis=0)
    )
    errors = tempered.errors(bounds.mismatch, *bounds.mismatch_interval)
    point, least, most = (found.error for found in errors)
    low, high = bounds.interval
    estimate = min(max(point, bounds.lower), bounds.upper)
    margin = bounds.mismatch_se / 2  # of the error, at least: near 0 it is half the mismatch
    below, above = hypot(point - least, margin), hypot(most - point, margin)
    return estimate, (max(estimate - below, low), min(estimate + above, high))


def _henze_penrose(priors: Floats, bounds: VoteBounds) -> HenzePenrose:
    two, (low, high) = len(priors) == 2, bounds.mismatch_interval
    return HenzePenrose(
        lower=bounds.published[0],
        upper=bounds.published[1],
        interval=bounds.published_interval,
        mismatch=bounds.mismatch,
        mismatch_se=bounds.mismatch_se,
        mismatch_interval=bounds.mismatch_interval,
        divergence=divergence(bounds.mismatch, priors) if two else None,
        divergence_se=divergence_error(bounds.mismatch_se, priors) if two else None,
        divergence_interval=(divergence(high, priors), divergence(low, priors)) if two else None,
    )


def _display(values: AnyArray, classes: AnyArray, items: AnyArray | None = None) -> Any:
    """Return a frame with the name of each item, if it has one, and a column for each class."""
    import polars as pl

    columns = {} if items is None else {"item": [shorten(one) for one in items.tolist()]}
    for number, (name, column) in enumerate(zip(classes.tolist(), values.T, strict=True)):
        text = shorten(name)
        columns[f"{text} ({number})" if text in columns else text] = column.tolist()
    return pl.DataFrame(columns)


def _refuse_options(given: dict[str, Any]) -> None:
    """Refuse options for tables where an array is passed."""
    names = [name for name, value in given.items() if value is not None]
    if names:
        raise DataError(f"{names[0]}= is for files and data frames; leave it out for an array")


def _read_options(reading: dict[str, Any], max_memory: int | str | None) -> ReadOptions:
    unknown = [name for name in reading if name not in FILE_OPTIONS]
    if unknown:
        raise TypeError(f"unexpected keyword argument {unknown[0]!r}")
    return ReadOptions.from_arguments({**reading, "max_memory": max_memory})
