r"""What the votes on one item add to bounds on the Bayes error.

The votes on an item are drawn independently from its posterior η. Every function here returns, for
each item, a number whose mean over all votes that could have been cast is, whatever η is,

- the chance that two votes differ, :math:`1 - |\eta|^2` (`pair_mismatch`);
- at least :math:`1 - \max_c \eta_c`: the others predict one vote (`leave_one_out_errors`);
- at most :math:`1 - \max_c \eta_c` (`sharpened_vote_scores`, `polynomial_scores`).

Nothing is assumed about the posteriors. No function tells classes apart, so that items with the
same counts in another order have the same score.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from bayesfloor.base.arrays import Floats, Ints
from bayesfloor.bounds.minority_polynomials import polynomial_values

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


def leave_one_out_errors(counts: Ints) -> Floats:
    """Return how often the class that most others chose is not that of a vote, ties shared.

    Every vote is left out in turn. A vote is predicted correctly only if it is for the largest
    class, and that is still as large as any other without it.

    Examples
    --------
    >>> leave_one_out_errors(np.array([[3, 0], [2, 1], [1, 1]])).round(4).tolist()
    [0.0, 0.6667, 1.0]
    """
    second, first = np.partition(counts, (-2, -1), axis=1)[:, -2:].T
    rivals = (counts == first[:, None] - 1).sum(axis=1)
    alone = (first > second) * first / counts.sum(axis=1)
    return np.asarray(1 - alone / (1 + rivals))


def leave_one_out_losses(counts: Ints) -> Floats:
    r"""Return the mean squared loss of the shares of the other votes, each vote left out in turn.

    With :math:`s = \sum_c k_c^2`, the sum over classes, weighed by :math:`k_c / t`, of
    :math:`1 - 2 (k_c - 1)/(t - 1) + (s - 2 k_c + 1)/(t - 1)^2` is
    :math:`1 - 2 (s - t)/(t (t - 1)) + (s - 2 s / t + 1)/(t - 1)^2`.

    Examples
    --------
    >>> leave_one_out_losses(np.array([[2, 0], [1, 1]])).tolist()
    [0.0, 2.0]
    """
    votes, squares = counts.sum(axis=1).astype(np.float64), (counts * 1.0 * counts).sum(axis=1)
    apart = (squares - 2 * squares / votes + 1) / (votes - 1) ** 2
    return np.asarray(1 - 2 * (squares - votes) / (votes * (votes - 1)) + apart)


def sharpened_vote_scores(
    counts: Ints, sharpness: float, smoothing: float, *, most_cells: int = MOST_CELLS
) -> Floats:
    r"""Return the sharpened bound's scores, each vote predicted from the others.

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
    most_cells : int
        Items times classes that are worked on at a time.

    Examples
    --------
    >>> sharpened_vote_scores(np.array([[1, 1], [9, 1]]), 1.0, 0.0).round(4).tolist()
    [0.0, 0.0778]
    """
    m, scores = counts.shape[1], sharpness * pair_mismatch(counts)
    if np.isinf(smoothing):  # w = p is uniform
        return scores + (1 - 1 / m) * (1 - 1 / (4 * sharpness) - sharpness)
    for rows, weight, others in _votes_left_out(counts, most_cells):
        p = (others.values + smoothing / m) / (others.votes + smoothing)
        w = others.project(2 * sharpness * p)
        spread = (1 - others.squares(w)) / (4 * sharpness)
        loss = 1 - 2 * p[:, others.own] + others.squares(p)
        scores[rows] += weight * (1 - w[:, others.own] - spread - sharpness * loss)
    return scores


def polynomial_scores(counts: Ints, law: float, *, most_cells: int = MOST_CELLS) -> Floats:
    """Return half the sum over classes of a polynomial below their minority.

    Parameters
    ----------
    counts : (n, m) array
        Votes for each class on each item, two or more in all.
    law : float
        One of `bayesfloor.bounds.minority_polynomials.LAWS`.
    most_cells : int
        Items times classes that are worked on at a time.

    Examples
    --------
    >>> polynomial_scores(np.array([[2, 0], [1, 1]]), 1.0).tolist()
    [0.0, 0.5]
    """
    scores = np.zeros(len(counts))
    for rows in _item_batches(counts, most_cells):
        some = counts[rows]
        votes = some.sum(axis=1, keepdims=True)
        scores[rows] = polynomial_values(some, votes, law).sum(axis=1) / 2
    return scores


@dataclass(frozen=True, slots=True)
class _Others:
    """Counts without one vote, largest first; classes with equal counts stand together."""

    values: Floats  # (n, k), counts
    times: Floats  # (n, k), how many classes have each, perhaps none
    own: int  # where the class of the vote stands
    votes: Floats  # (n, 1), all of them

    def squares(self, x: Floats) -> Floats:
        """Return the sum of the squares of a figure of the classes, (n,)."""
        return np.asarray(np.einsum("ij,ij,ij->i", self.times, x, x))

    def project(self, x: Floats) -> Floats:
        """Return the projection onto the simplex, see `bayesfloor.bounds.sharpened`."""
        classes, excess = np.cumsum(self.times, axis=1), np.cumsum(self.times * x, axis=1) - 1
        last = (x * classes > excess).sum(axis=1) - 1
        rows = np.arange(len(x))
        return np.maximum(x - (excess[rows, last] / classes[rows, last])[:, None], 0.0)


def _votes_left_out(counts: Ints, most_cells: int) -> Iterator[tuple[Ints, Floats, _Others]]:
    """Yield items, the share of the votes for one class, or several alike, and the other votes.

    The work goes with the square of the different counts on an item, not of the classes.
    """
    for block in _item_batches(counts, most_cells):
        values, times = _different_counts(counts[block])
        votes = (values * times).sum(axis=1)
        for j in range(values.shape[1]):
            here = np.flatnonzero((times[:, j] > 0) & (values[:, j] > 0))
            if not len(here):
                continue
            value = values[here, j]
            less = np.insert(values[here], j + 1, value - 1, axis=1)
            fewer = np.insert(times[here], j + 1, 1.0, axis=1)
            fewer[:, j] -= 1
            weight = value * times[here, j] / votes[here]
            yield block[here], weight, _Others(less, fewer, j + 1, votes[here, None] - 1)


def _different_counts(counts: Ints) -> tuple[Floats, Floats]:
    """Return the different counts on each item, largest first, and how many classes have each.

    Items with fewer of them than others have zeros behind, which no class has.

    Examples
    --------
    >>> values, times = _different_counts(np.array([[3, 1, 1], [0, 2, 5]]))
    >>> values.tolist(), times.tolist()
    ([[3.0, 1.0, 0.0], [5.0, 2.0, 0.0]], [[1.0, 2.0, 0.0], [1.0, 1.0, 1.0]])
    """
    falling = -np.sort(-counts, axis=1)
    place = np.cumsum(np.diff(falling, axis=1, prepend=falling[:, :1]) != 0, axis=1)
    rows = np.arange(len(counts))[:, None]
    values, times = (np.zeros((len(counts), int(place.max()) + 1)) for _ in range(2))
    values[rows, place] = falling
    np.add.at(times, (rows, place), 1.0)
    return values, times


def _item_batches(counts: Ints, most_cells: int) -> list[Ints]:
    """Return the numbers of items, so many at a time that they fit in little memory."""
    size = max(most_cells // counts.shape[1], 1)
    return np.split(np.arange(len(counts)), range(size, len(counts), size))
