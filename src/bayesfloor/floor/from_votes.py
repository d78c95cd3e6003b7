"""The calls for items with several votes, or with known class probabilities."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

from bayesfloor.base.errors import DataError, error_prefix
from bayesfloor.base.memory import memory_errors
from bayesfloor.base.options import check_confidence, check_not_negative
from bayesfloor.floor.item_floors import floor_from_probabilities, floor_from_votes
from bayesfloor.floor.record import Floor
from bayesfloor.floor.vote_maps import with_columns
from bayesfloor.tables import FILE_OPTIONS, ReadOptions, is_readable
from bayesfloor.votes.counts import (
    check_item_memory,
    count_matrix,
    probability_matrix,
)
from bayesfloor.votes.vote_tables import read_number_columns, read_votes


def bayes_error_from_votes(
    counts: Any,
    *,
    classes: Any = None,
    item: str | int | None = None,
    vote: str | int | None = None,
    annotator: str | int | None = None,
    X: Any = None,
    features: Any = None,
    seed: int = 0,
    confidence: float = 0.95,
    max_memory: int | str | None = None,
    **reading: Any,
) -> Floor:
    """Bound the Bayes error of items that several people labelled, from their votes alone.

    The label of an item is one vote, drawn at random from all that could be cast on it. No
    classifier predicts such labels with a lower error than the floor, whatever it sees of the
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
    X : array of shape (n, d) or data frame, optional
        Columns of the items, a row an item in the order of `counts`. Maps are learned from them,
        and predict votes together with the other votes on the item. This can only narrow the
        interval, which is still that of the items: see ``floor.votes.columns`` for the columns.
    features : str, int or list of them, optional
        The same, as columns of the table that has the votes, by name or position.
    seed : int
        Decides which items maps are learned from; for columns only.
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
    seed = check_not_negative("seed", seed)
    if X is not None and features is not None:
        raise DataError("both X and features= are given; pass one of them")
    columns = {"item": item, "vote": vote, "annotator": annotator}
    if not is_readable(counts):
        _refuse_options({**columns, "features": features, **reading})
        with memory_errors():
            votes = count_matrix(counts, classes=classes)
            check_item_memory(votes.counts.shape, max_memory)
            votes = with_columns(votes, X)
            return floor_from_votes(votes, confidence=confidence, seed=seed)
    if classes is not None:
        raise DataError("classes= is for arrays; a table has the names of its classes itself")
    options = _read_options(reading, max_memory)
    with memory_errors():
        name, votes = read_votes(counts, **columns, features=features, options=options)
    with error_prefix(name) if name != "data frame" else nullcontext(), memory_errors():
        check_item_memory(votes.counts.shape, max_memory)
        if X is not None and votes.long:
            raise DataError("X= has a row an item, counts a row a vote; name features= instead")
        votes = with_columns(votes, X)
        return floor_from_votes(votes, confidence=confidence, seed=seed)


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
