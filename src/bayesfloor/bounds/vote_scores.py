r"""What the votes on one item add to bounds on the Bayes error.

The votes on an item are drawn independently from its posterior η. Every function here returns, for
each item, a number whose mean over all votes that could have been cast is, whatever η is,

- the chance that two votes differ, :math:`1 - |\eta|^2` (`pair_mismatch`);
- at least :math:`1 - \max_c \eta_c`: the others foretell one vote (`foretelling_errors`);
- at most :math:`1 - \max_c \eta_c` (`sharpened_vote_scores`, `polynomial_scores`).

Nothing is assumed about the posteriors. No function tells classes apart, so that items with the
same counts in another order have the same score.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from bayesfloor.base.arrays import Bools, Floats, Ints
from bayesfloor.bounds.minority_polynomials import polynomial_values
from bayesfloor.bounds.sharpened import project_to_simplex

MOST_CELLS = 2_000_000
"""Items times classes that are worked on at a time: 16 MB an array."""


def pair_mismatch(counts: Ints) -> Floats:
    r"""Return how many of all pairs of votes differ, :math:`1 - \sum_c k_c(k_c-1) / (t(t-1))`.

    Parameters
    ----------
    counts : (n, m) array
        Votes for each class on each item, two or more in all.

    Examples
    --------
    >>> pair_mismatch(np.array([[2, 0], [1, 1], [2, 1]])).round(4).tolist()
    [0.0, 1.0, 0.6667]
    """
    votes = counts.sum(axis=1)
    same = (counts * (counts - 1.0)).sum(axis=1)
    return np.asarray(1 - same / (votes * (votes - 1.0)))


def foretelling_errors(counts: Ints, *, most_cells: int = MOST_CELLS) -> Floats:
    """Return how often the class that most others chose is not that of a vote, ties shared.

    Every vote is left out in turn. Items are worked on in blocks of `most_cells` counts.

    Examples
    --------
    >>> foretelling_errors(np.array([[3, 0], [2, 1], [1, 1]])).round(4).tolist()
    [0.0, 0.6667, 1.0]
    """
    errors = np.zeros(len(counts))
    for rows, own, weight, others in _votes_left_out(counts, most_cells):
        best = others == others.max(axis=1, keepdims=True)
        errors[rows] += weight * (1 - best[:, own] / best.sum(axis=1))
    return errors


def foretelling_losses(counts: Ints) -> Floats:
    """Return the mean squared loss of the shares of the other votes, each vote left out in turn.

    Examples
    --------
    >>> foretelling_losses(np.array([[2, 0], [1, 1]])).tolist()
    [0.0, 2.0]
    """
    total = np.zeros(len(counts))
    for rows, own, weight, others in _votes_left_out(counts):
        shares = others / others.sum(axis=1, keepdims=True)
        total[rows] += weight * _losses(shares, own)
    return total


def sharpened_vote_scores(counts: Ints, sharpness: float, smoothing: float) -> Floats:
    r"""Return the sharpened bound's scores, each vote foretold by the others.

    The probabilities p are the shares of the other votes, with `smoothing` votes more that are
    spread evenly; see `bayesfloor.bounds.sharpened` for w and μ. The mean of the others is
    :math:`1 - w_y - (1 - |w|^2)/(4\mu) - \mu|e_y - p|^2`; the pairs of votes add μ times their
    mismatch.

    Parameters
    ----------
    counts : (n, m) array
        Votes for each class on each item, two or more in all.
    sharpness : float
        μ.
    smoothing : float
        Votes that are added, spread evenly over the classes; infinity makes p uniform, and the
        best μ then gives the Henze-Penrose bound.

    Examples
    --------
    >>> sharpened_vote_scores(np.array([[1, 1], [9, 1]]), 1.0, 0.0).round(4).tolist()
    [0.0, 0.0778]
    """
    scores = sharpness * pair_mismatch(counts)
    for rows, own, weight, others in _votes_left_out(counts):
        p = _smoothed(others, smoothing)
        w = project_to_simplex(2 * sharpness * p)
        spread = (1 - np.einsum("ij,ij->i", w, w)) / (4 * sharpness)
        scores[rows] += weight * (1 - w[:, own] - spread - sharpness * _losses(p, own))
    return scores


def polynomial_scores(counts: Ints, law: float) -> Floats:
    """Return half the sum over classes of a polynomial below their minority.

    Parameters
    ----------
    counts : (n, m) array
        Votes for each class on each item, two or more in all.
    law : float
        One of `bayesfloor.bounds.minority_polynomials.LAWS`.

    Examples
    --------
    >>> polynomial_scores(np.array([[2, 0], [1, 1]]), 1.0).tolist()
    [0.0, 0.5]
    """
    votes = counts.sum(axis=1)
    scores = np.zeros(len(counts))
    for number in np.unique(votes).tolist():
        rows = votes == number
        scores[rows] = polynomial_values(counts[rows], number, law).sum(axis=1) / 2
    return scores


def _votes_left_out(
    counts: Ints, most_cells: int = MOST_CELLS
) -> Iterator[tuple[Ints, int, Floats, Floats]]:
    """Yield items, a class that got a vote there, its share, and the counts without that vote."""
    votes = counts.sum(axis=1)
    size = max(most_cells // counts.shape[1], 1)
    for start in range(0, len(counts), size):
        block = slice(start, start + size)
        for own in np.flatnonzero(counts[block].any(axis=0)).tolist():
            chosen: Bools = counts[block, own] > 0
            rows = start + np.flatnonzero(chosen)
            others = counts[rows].astype(np.float64)
            others[:, own] -= 1
            yield rows, own, counts[rows, own] / votes[rows], others


def _smoothed(others: Floats, smoothing: float) -> Floats:
    m = others.shape[1]
    if np.isinf(smoothing):
        return np.full_like(others, 1 / m)
    return np.asarray((others + smoothing / m) / (others.sum(axis=1, keepdims=True) + smoothing))


def _losses(p: Floats, own: int) -> Floats:
    return np.asarray(1 - 2 * p[:, own] + np.einsum("ij,ij->i", p, p))
