r"""Polynomials below the error of the best guess, min(η, 1 − η), as functions of counted votes.

Of t votes on one item, k are for a class whose chance is η. For numbers b₀ … b_t the mean of b_k is
a polynomial in Bernstein's form, :math:`\sum_k b_k \binom{t}{k} \eta^k (1 - \eta)^{t-k}`. Where it
lies below min(η, 1 − η) for every η, the mean of b_k over items is a lower bound on the Bayes error
of two classes, whatever the posteriors are. The best such polynomials are found by linear
programming.

For many classes, :math:`1 - \max_c \eta_c \ge \tfrac12 \sum_c \min(\eta_c, 1 - \eta_c)`, with
equality where a class has more than half. If the largest is η_1 ≥ ½, the sum is
(1 − η_1) + (η_2 + … + η_m), twice the left side; if all are below ½, it is 1, and ½ is less than
the left side.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from bayesfloor.base.arrays import Floats, Ints

POLYNOMIAL_DEGREES = (2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 20, 28, 40)
"""Degrees of the polynomials. More votes than a degree use the polynomial of that degree, averaged
over all ways to choose so many of the votes. That 40 is enough is a judgement: the bound is then
within 0.009 of the Bayes error for each of `LAWS`."""
LAWS = (0.1, 0.3, 1.0, 3.0, 10.0)
"""Parameters a of the laws Beta(a, a) of posteriors that polynomials are made best for: from votes
that mostly agree to votes that hardly ever do. The bounds hold for any posteriors."""
HEIGHT = 0.5
"""Largest coefficient, that of the highest error there is. Higher ones come closer to the Bayes
error on average, and vary more: on the laws of benchmarks/votes.py 0.6 gained nothing."""
PLACES, CHECKED_PLACES = 240, 4000
"""Chances in (0, ½], denser towards 0, at which a polynomial is held below, and at which that is
checked: between two of them a polynomial of degree 40 does not move by 1e-5."""
ELEVATED_AT_A_TIME = 50_000
"""Coefficients that are worked out at a time: 16 MB an array for degree 40."""


def nearest_law(mismatch: float) -> float:
    """Return the one of `LAWS` whose two labels differ about as often: with chance a/(2a + 1).

    Examples
    --------
    >>> nearest_law(0.1), nearest_law(1 / 3), nearest_law(0.7)
    (0.1, 1.0, 10.0)
    """
    most = LAWS[-1] / (2 * LAWS[-1] + 1)
    chance = min(max(mismatch, 0.0), most)
    wanted = max(chance / (1 - 2 * chance), LAWS[0])
    return min(LAWS, key=lambda law: abs(np.log(law / wanted)))


def polynomial_values(counts: Ints, votes: Ints | int, law: float) -> Floats:
    """Return the coefficients of counts that classes got of so many votes, in any shape.

    Examples
    --------
    >>> polynomial_values(np.array([0, 1, 2]), 2, 1.0).tolist()  # η(1 − η)
    [0.0, 0.5, 0.0]
    """
    all_votes = np.broadcast_to(np.asarray(votes), counts.shape)
    place = np.searchsorted(POLYNOMIAL_DEGREES, all_votes, side="right") - 1
    values = np.zeros(counts.shape)
    for number in np.unique(place).tolist():
        here = place == number
        coefficients = np.array(minority_polynomial(POLYNOMIAL_DEGREES[number], law))
        values[here] = _each_once(coefficients, counts[here], all_votes[here])
    return values


def _each_once(coefficients: Floats, counts: Ints, votes: Ints) -> Floats:
    """Return elevated coefficients, each pair of a count and all votes worked out once, (k,)."""
    rank = np.unique(votes, return_inverse=True)[1].reshape(-1)
    pair = rank * (int(counts.max(initial=0)) + 1) + counts
    _, first, where = np.unique(pair, return_index=True, return_inverse=True)
    blocks = np.split(first, range(ELEVATED_AT_A_TIME, len(first), ELEVATED_AT_A_TIME))
    found = [elevated(coefficients, counts[some], votes[some]) for some in blocks]
    return np.concatenate(found)[where.reshape(-1)]


@cache
def minority_polynomial(degree: int, law: float, height: float = HEIGHT) -> tuple[float, ...]:
    """Return b₀ … b_degree of the best polynomial below min(η, 1 − η), symmetric, with b₀ = 0.

    Parameters
    ----------
    degree : int
        Number of votes that it is a function of.
    law : float
        The polynomial has the largest mean for posteriors of the law Beta(law, law).
    height : float
        Largest absolute value of a coefficient.
    """
    from scipy.optimize import linprog
    from scipy.stats import betabinom

    half = (degree + 2) // 2
    gain = _folded(betabinom.pmf(np.arange(degree + 1), degree, law, law), half)
    found = linprog(
        -gain,
        A_ub=_relative_values(degree, PLACES),
        b_ub=np.ones(PLACES),
        bounds=[(0.0, 0.0)] + [(-height, height)] * (half - 1),
        method="highs",
    )
    first = np.asarray(found.x)
    highest = float((_relative_values(degree, CHECKED_PLACES) @ first).max())
    first /= max(1.0, highest, degree * float(first[1]))  # the last is the slope at 0
    return tuple(np.concatenate([first, first[: degree + 1 - half][::-1]]).tolist())


def elevated(values: Floats, counts: Ints, votes: Ints | int) -> Floats:
    r"""Return coefficients of the same polynomial as a function of more votes, (k,).

    They are means over all ways to choose as many votes as there were. Of k votes for a class and t
    in all, d are chosen so that j are for it in a number of ways that is proportional to
    :math:`\binom{d}{j} (k)_j (t - k)_{d-j}`, with falling factorials: short products, which are
    as quick and as exact for billions of votes.

    Parameters
    ----------
    values : (degree + 1,) array
        The coefficients.
    counts : (k,) array
        The votes for a class, of which coefficients are wanted.
    votes : int or (k,) array
        All votes, the degree or more.

    Examples
    --------
    >>> elevated(np.array([0.0, 0.5, 0.0]), np.arange(4), 3).round(4).tolist()
    [0.0, 0.3333, 0.3333, 0.0]
    """
    from scipy.special import binom

    degree = len(values) - 1
    ways = _log_falling(counts, degree) + _log_falling(votes - counts, degree)[::-1]
    ways += np.log(binom(degree, np.arange(degree + 1)))[:, None]
    shares = np.exp(ways - ways.max(axis=0))
    return np.asarray(values @ shares / shares.sum(axis=0))


def _log_falling(counts: Ints, degree: int) -> Floats:
    """Return logarithms of falling factorials of orders 0 to degree, (degree + 1, k)."""
    factors = np.maximum(counts - np.arange(degree)[:, None], 0)
    logs = np.log(factors, out=np.full(factors.shape, -np.inf), where=factors > 0)
    return np.concatenate([np.zeros((1, factors.shape[1])), np.cumsum(logs, axis=0)])


def _relative_values(degree: int, places: int) -> Floats:
    """Return what the coefficients of k and degree − k add to polynomial over η, (places, half)."""
    from scipy.stats import binom

    eta = (1 - np.cos(np.linspace(0, np.pi / 2, places + 1)[1:])) / 2
    values = np.asarray(binom.pmf(np.arange(degree + 1), degree, eta[:, None]))
    return _folded(values, (degree + 2) // 2) / eta[:, None]


def _folded(values: Floats, half: int) -> Floats:
    """Add the values at k and degree − k, which have the same coefficient."""
    mirrored = values[..., ::-1]
    both = values + mirrored
    if values.shape[-1] % 2:
        both[..., values.shape[-1] // 2] /= 2
    return np.asarray(both[..., :half])
