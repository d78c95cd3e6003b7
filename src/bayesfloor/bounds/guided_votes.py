r"""What the votes on one item add to bounds on the Bayes error, with class probabilities beside.

Maps learned from the columns of other items give each item a prior q. A vote on the item is
predicted from its other votes and by q, as in a Dirichlet law: with k of t votes and a weight of s,

.. math:: p = (k - e_y + s q) / (t - 1 + s).

No p knows the vote y that it predicts, so the theorem of `bayesfloor.bounds.sharpened` holds
whatever q and s are, and the pairs of votes add the mismatch without bias.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from bayesfloor.base.arrays import Floats, Ints
from bayesfloor.bounds.sharpened import project_to_simplex
from bayesfloor.bounds.vote_scores import MOST_CELLS, pair_mismatch


def posterior_shares(counts: Ints, prior: Floats, weight: Floats) -> Floats:
    """Return the shares of all votes with `weight` votes more that are spread like `prior`, (n, m).

    Examples
    --------
    >>> even = np.array([[0.5, 0.5]])
    >>> posterior_shares(np.array([[2, 0]]), even, np.array([2.0])).tolist()
    [[0.75, 0.25]]
    """
    added = weight[:, None]
    return np.asarray((counts + added * prior) / (counts.sum(axis=1, keepdims=True) + added))


def guided_errors(
    counts: Ints, prior: Floats, weight: Floats, *, most_cells: int = MOST_CELLS
) -> Floats:
    """Return how often the likeliest class by other votes and prior is not that of a vote.

    Every vote is left out in turn; classes that are equally likely share the answer.

    Parameters
    ----------
    counts : (n, m) array
        Votes for each class on each item, two or more in all.
    prior : (n, m) array
        Class probabilities of each item that were found without its votes.
    weight : (n,) array
        How many votes the prior counts for.
    most_cells : int
        Items times classes that are worked on at a time.

    Examples
    --------
    >>> prior = np.array([[0.9, 0.1], [0.5, 0.5]])
    >>> guided_errors(np.array([[1, 1], [1, 1]]), prior, np.array([2.0, 2.0])).tolist()
    [0.5, 1.0]
    """
    errors = np.zeros(len(counts))
    for c, rows, share, p in _leave_one_out(counts, prior, weight, most_cells):
        errors[rows] += share * (1 - _answered(p, c))
    return errors


def prior_errors(counts: Ints, prior: Floats) -> Floats:
    """Return how often the likeliest class by the prior alone is not that of a vote.

    Examples
    --------
    >>> prior_errors(np.array([[3, 1], [1, 0]]), np.array([[0.9, 0.1], [0.5, 0.5]])).tolist()
    [0.25, 0.5]
    """
    shares = counts / counts.sum(axis=1, keepdims=True)
    answers = np.column_stack([_answered(prior, c) for c in range(counts.shape[1])])
    return np.asarray(1 - (shares * answers).sum(axis=1))


def guided_losses(
    counts: Ints, prior: Floats, weight: Floats, *, most_cells: int = MOST_CELLS
) -> Floats:
    """Return the mean squared loss of what predicts the votes on each item; see `guided_errors`.

    Examples
    --------
    >>> even = np.array([[0.5, 0.5]])
    >>> guided_losses(np.array([[1, 1]]), even, np.array([1.0])).tolist()
    [1.125]
    """
    found = np.zeros(len(counts))
    for c, rows, share, p in _leave_one_out(counts, prior, weight, most_cells):
        found[rows] += share * _losses(p, c)
    return found


def guided_scores(
    counts: Ints,
    prior: Floats,
    weight: Floats,
    sharpness: float,
    *,
    most_cells: int = MOST_CELLS,
) -> Floats:
    """Return the sharpened bound's scores, each vote predicted from the others and the prior.

    With an even prior these are `bayesfloor.bounds.vote_scores.sharpened_vote_scores`.

    Parameters
    ----------
    counts, prior, weight, most_cells
        As in `guided_errors`.
    sharpness : float
        μ.

    Examples
    --------
    >>> even = np.full((2, 2), 0.5)
    >>> guided_scores(np.array([[1, 1], [9, 1]]), even, np.zeros(2), 1.0).round(4).tolist()
    [0.0, 0.0778]
    """
    scores = sharpness * pair_mismatch(counts)
    for c, rows, share, p in _leave_one_out(counts, prior, weight, most_cells):
        w = project_to_simplex(2 * sharpness * p)
        spread = (1 - np.einsum("ij,ij->i", w, w)) / (4 * sharpness)
        scores[rows] += share * (1 - w[:, c] - spread - sharpness * _losses(p, c))
    return scores


def _leave_one_out(
    counts: Ints, prior: Floats, weight: Floats, most_cells: int
) -> Iterator[tuple[int, Ints, Floats, Floats]]:
    """Yield a class, items with votes for it, their share, and what predicts one of them."""
    size = max(most_cells // counts.shape[1], 1)
    for c in range(counts.shape[1]):
        having = np.flatnonzero(counts[:, c])
        for rows in np.split(having, range(size, len(having), size)):
            others, votes = counts[rows], counts[rows].sum(axis=1)
            others[:, c] -= 1
            yield (
                c,
                rows,
                counts[rows, c] / votes,
                posterior_shares(others, prior[rows], weight[rows]),
            )


def _answered(p: Floats, c: int) -> Floats:
    """Return how often a class is answered where the likeliest one is, (n,)."""
    likeliest = p >= p.max(axis=1, keepdims=True)
    return np.asarray(likeliest[:, c] / likeliest.sum(axis=1))


def _losses(p: Floats, c: int) -> Floats:
    return np.asarray(1 - 2 * p[:, c] + np.einsum("ij,ij->i", p, p))
