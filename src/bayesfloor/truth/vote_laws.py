"""Laws of the posteriors of items, with exact Bayes errors: what votes are drawn from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.integrate import quad
from scipy.special import betainc
from scipy.stats import gamma

from bayesfloor.base.arrays import Floats, Ints


@dataclass(frozen=True, slots=True)
class VoteLaw:
    """A law of posteriors, (n, m), and the Bayes error of labels that are one vote each."""

    name: str
    posteriors: Callable[[int, np.random.Generator], Floats]
    bayes_error: float

    def draw(self, items: int, votes: int | Ints, rng: np.random.Generator) -> Ints:
        """Return counts of so many votes on each of so many items, (items, m)."""
        return rng.multinomial(votes, self.posteriors(items, rng))


def beta(a: float, b: float) -> VoteLaw:
    r"""Return two classes, the chance of the first of the law Beta(a, b).

    With I the regularised incomplete beta function at ½, the Bayes error is
    :math:`\tfrac{a}{a+b} I(a + 1, b) + \tfrac{b}{a+b} (1 - I(a, b + 1))`.

    Examples
    --------
    >>> round(beta(1, 1).bayes_error, 6), round(beta(0.3, 0.3).bayes_error, 4)
    (0.25, 0.1341)
    """
    first = a / (a + b) * betainc(a + 1, b, 0.5)
    second = b / (a + b) * (1 - betainc(a, b + 1, 0.5))
    return VoteLaw(
        f"Beta({a:g}, {b:g})",
        lambda n, rng: _two_classes(rng.beta(a, b, n)),
        float(first + second),
    )


def dirichlet(m: int, a: float) -> VoteLaw:
    """Return m classes of the law Dirichlet(a, …, a).

    The largest share is the largest of m gamma variables over their sum, which are independent.

    Examples
    --------
    >>> round(dirichlet(2, 1).bayes_error, 6)  # as Beta(1, 1)
    0.25
    """
    largest = quad(lambda x: 1 - gamma.cdf(x, a) ** m, 0, np.inf, limit=200)[0]
    return VoteLaw(
        f"Dirichlet({m} × {a:g})",
        lambda n, rng: rng.dirichlet(np.full(m, a), n),
        float(1 - largest / (m * a)),
    )


def mixture(share: float, chance: float, other: float, m: int = 2) -> VoteLaw:
    """Return items whose first class has one of two chances; all others of m share the rest.

    Examples
    --------
    >>> round(mixture(0.02, 0.5, 1.0).bayes_error, 6)
    0.01
    """

    def posteriors(n: int, rng: np.random.Generator) -> Floats:
        first = np.where(rng.random(n) < share, chance, other)
        return np.column_stack([first, *[(1 - first) / (m - 1)] * (m - 1)])

    errors = [1 - max(one, (1 - one) / (m - 1)) for one in (chance, other)]
    name = f"{chance:g} on {share:.0%}, else {other:g}" + ("" if m == 2 else f", {m} classes")
    return VoteLaw(name, posteriors, share * errors[0] + (1 - share) * errors[1])


def certain(m: int) -> VoteLaw:
    """Return m classes, of which each item has one for sure."""
    return VoteLaw(f"certain, {m} classes", lambda n, rng: np.eye(m)[rng.integers(0, m, n)], 0.0)


def _two_classes(first: Floats) -> Floats:
    return np.column_stack([first, 1 - first])


VOTE_LAWS: dict[str, VoteLaw] = {
    law.name: law
    for law in (
        beta(0.3, 0.3),
        beta(1, 1),
        beta(5, 5),
        beta(0.2, 2),
        mixture(0.5, 0.1, 0.9),
        mixture(0.02, 0.5, 1.0),
        mixture(0.02, 0.2, 1.0),
        mixture(1.0, 0.5, 0.5),
        certain(2),
        certain(10),
        dirichlet(10, 0.1),
        dirichlet(10, 1),
        mixture(0.1, 0.4, 0.97, m=10),
    )
}
"""What benchmarks/votes.py measures: skewed and even, certain and undecided, two classes and ten
of them."""
