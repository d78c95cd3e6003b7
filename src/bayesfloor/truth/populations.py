"""Pairs of distributions whose divergence, Bayes error and efficiency bound are known.

The classes of a pair differ only through a statistic of one or two numbers: a law of the statistic
for each class, and one lift, common to both, that spreads it over the columns of a point. All
truths are therefore integrals over the statistic. They are taken along straight pieces on which
the ratio of the densities is monotone, each split where the classes are equally likely, so that
every integrand is smooth between the splits.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from numbers import Integral

import numpy as np
from scipy import stats
from scipy.special import expit, logit

from bayesfloor.base.arrays import Floats
from bayesfloor.base.errors import DataError
from bayesfloor.truth.laws import (
    Beside,
    Helices,
    Law,
    Lift,
    Marginal,
    Radial,
    Wave,
)
from bayesfloor.truth.pieces import NODES, WEIGHTS, Pieces, fan, line, radii, strips

AUC_PANELS = 20
"""Equal parts of the levels that a posterior is integrated over: a posterior of 0.1 or 0.9 is at an
edge."""
_AUC_GAUSS = np.polynomial.legendre.leggauss(6)
AUC_NODES, AUC_WEIGHTS = (_AUC_GAUSS[0] + 1) / 2, _AUC_GAUSS[1] / 2
"""Gauss-Legendre rule of 6 nodes on each of them."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Population:
    r"""Two classes with known truth.

    The densities are f and g, the first class has share p, the second q = 1 - p, and the posterior
    of the first class is :math:`\eta = pf / (pf + qg)`. Truths are exact to 1e-9 or
    better, the area under the ROC curve to 1e-4.

    References
    ----------
    .. [1] Henze & Penrose (1999), Ann. Statist. 27, 290-298.

    Examples
    --------
    >>> population = shift(d=2, delta=2)
    >>> x, y = population.draw(300, 200, np.random.default_rng(1))
    >>> x.shape, y.shape
    ((300, 2), (200, 2))
    >>> round(population.divergence(), 6), round(population.bayes_error(p=0.1), 6)
    (0.5504, 0.070061)
    """

    name: str  # the call that makes it
    first: Law
    second: Law
    lift: Lift
    pieces: Pieces  # f / g is monotone along each
    intrinsic_dimension: int  # of the surface that holds the points; at most d

    def __repr__(self) -> str:
        return self.name

    @property
    def d(self) -> int:
        """Number of columns."""
        return self.lift.d

    def draw(self, n: int, m: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
        """Draw n points of the first class, (n, d), and m of the second, (m, d)."""
        x = self.first.draw(_whole("n", n, least=0), rng)
        y = self.second.draw(_whole("m", m, least=0), rng)
        return self.lift.points(x, rng), self.lift.points(y, rng)

    def posterior(self, points: Floats, p: float = 0.5) -> Floats:
        """Return the posterior of the first class at points (n, d); NaN outside the support."""
        if points.ndim != 2 or points.shape[1] != self.d:
            raise DataError(f"points of shape {points.shape}; {self.name} needs (n, {self.d})")
        with np.errstate(invalid="ignore"):  # -inf minus -inf outside the support
            return expit(self._log_odds(self.lift.statistic(points), _inside("p", p, 0, 1)))

    def divergence(self, p: float = 0.5) -> float:
        r"""Return the Henze-Penrose divergence, :math:`1 - \int fg / (pf + qg)`, see [1]_."""
        _, g, eta = _integrands(self, p)
        return float(1 - (g * eta).sum() / p)

    def mismatch(self, p: float = 0.5) -> float:
        """Return the chance that two labels of one point differ, :math:`2pq(1 - D)`."""
        return 2 * p * (1 - p) * (1 - self.divergence(p))

    def bayes_error(self, p: float = 0.5) -> float:
        r"""Return the error of the best classifier, :math:`\int \min(pf, qg)`."""
        f, g, _ = _integrands(self, p)
        return float(np.minimum(p * f, (1 - p) * g).sum())

    def cost(self, p: float = 0.5, *, first: float = 1.0, second: float = 1.0) -> float:
        r"""Return the least mean cost if a miss of the first class costs `first`, and so on.

        It is :math:`\int \min(c_1 pf, c_2 qg)`, the error at other shares of the classes. The
        balanced error is that at p = 1/2, the error after a change of shares that at the new p.
        """
        total = first * p + second * (1 - p)
        return total * self.bayes_error(first * p / total)

    def auc(self) -> float:
        r"""Return the area under the best ROC curve, that of the posterior.

        With F the distribution of the posterior at even classes it is
        :math:`\tfrac12 + 2 \int F(1 - F)`, because that of :math:`|\eta - \eta'|` is
        :math:`2 \int F(1 - F)`. F is an exact integral along the pieces.
        """
        panels = np.arange(AUC_PANELS)[:, None]
        levels = ((panels + AUC_NODES) / AUC_PANELS).ravel()
        below = np.array([_share_below(self, level) for level in levels])
        steps = np.tile(AUC_WEIGHTS / AUC_PANELS, AUC_PANELS)
        return 0.5 + 2 * float(steps @ (below * (1 - below)))

    def efficiency(self, p: float = 0.5) -> tuple[float, float]:
        r"""Return :math:`v_a = Var_f[(1-\eta)^2/q]` and :math:`v_b = Var_g[\eta^2/p]`.

        No regular estimator of the divergence has a variance below v_a/n + v_b/m.
        """
        f, g, eta = _integrands(self, p)
        return _variance((1 - eta) ** 2 / (1 - p), f), _variance(eta**2 / p, g)

    def _log_odds(self, t: Floats, p: float) -> Floats:
        return logit(p) + self.first.log_density(t) - self.second.log_density(t)


@lru_cache(maxsize=8)
def _integrands(population: Population, p: float) -> tuple[Floats, Floats, Floats]:
    """Return, for each node, its probability under f and under g, and the posterior."""
    pieces, split = population.pieces, _even_odds(population, _inside("p", p, 0, 1))
    share = np.hstack([split * NODES, split + (1 - split) * NODES])
    steps = np.hstack([split * WEIGHTS, (1 - split) * WEIGHTS])
    volume, t = pieces.volume[:, :1] + share * np.diff(pieces.volume), pieces.at(share)
    f, g = population.first.log_density(t), population.second.log_density(t)
    return steps * volume * np.exp(f), steps * volume * np.exp(g), expit(logit(p) + f - g)


def _share_below(population: Population, level: float) -> float:
    """Return the chance that the posterior at even classes is below a level."""
    _, _, eta = found = _integrands(population, 1 - level)  # pieces split where it is at the level
    mass = (found[0] + found[1]) / 2
    return float(mass[eta < 0.5].sum())


def _even_odds(population: Population, p: float) -> Floats:
    """Bisect for pf = qg; return shares of the way, (s, 1), near 1 where there is no root."""
    split = np.zeros((len(population.pieces.start), 1))
    side = population._log_odds(population.pieces.at(split), p) > 0
    for step in 0.5 ** np.arange(1, 21):
        same = (population._log_odds(population.pieces.at(split + step), p) > 0) == side
        split = np.where(same, split + step, split)
    return split


def shift(d: int, delta: float) -> Population:
    """Build N(0, I) against N(delta e1, I)."""
    cover = line(np.linspace(-9, 9, 19), np.linspace(-9, 9, 19) + _inside("delta", delta))
    laws, lift = (_law(stats.norm()), _law(stats.norm(delta))), Beside(_whole("d", d), stats.norm())
    return Population(f"shift(d={d}, delta={delta:g})", *laws, lift, cover, d)


def scale(d: int, sigma: float) -> Population:
    """Build N(0, I) against N(0, sigma² I)."""
    cover = line(radii(_whole("d", d)), _inside("sigma", sigma, 0) * radii(d))
    laws = _law(stats.chi(d)), _law(stats.chi(d, scale=sigma))
    return Population(f"scale(d={d}, sigma={sigma:g})", *laws, Radial(d), cover, d)


def ring(d: int) -> Population:
    """Build N(0, I) against a shell around it, of density proportional to |x|² exp(-|x|²/2)."""
    cover = line(radii(_whole("d", d)), radii(d + 2), np.geomspace(1e-3, 1, 10))
    return Population(
        f"ring(d={d})", _law(stats.chi(d)), _law(stats.chi(d + 2)), Radial(d), cover, d
    )


def laplace(d: int, delta: float) -> Population:
    """Build independent Laplace columns against the same moved by delta along the first."""
    cover = line(np.linspace(-36, 36, 25), np.linspace(-36, 36, 25) + _inside("delta", delta))
    noise, moved = stats.laplace(), stats.laplace(delta)
    lift = Beside(_whole("d", d), noise)
    return Population(f"laplace(d={d}, delta={delta:g})", _law(noise), _law(moved), lift, cover, d)


def wave(d: int, amplitude: float, cycles: int) -> Population:
    """Build 1 + a cos(2πcx) against 1 - a cos(2πcx) in the first of d columns on the unit cube."""
    _inside("amplitude", amplitude, -1, 1)
    cover = line(np.linspace(0, 1, 16 * _whole("cycles", cycles) + 1))
    laws = _law(Wave(amplitude, cycles)), _law(Wave(-amplitude, cycles))
    name = f"wave(d={d}, amplitude={amplitude:g}, cycles={cycles})"
    return Population(name, *laws, Beside(_whole("d", d), stats.uniform()), cover, d)


def square() -> Population:
    """Build the unit square with posterior 0.9 left of its middle line, 0.1 right, at p = 1/2."""
    halves = (stats.uniform(0, 0.5),), (stats.uniform(0.5, 0.5),)
    laws, cover = (Law(halves, (0.9, 0.1)), Law(halves, (0.1, 0.9))), line(np.array([0, 0.5, 1]))
    return Population("square()", *laws, Beside(2, stats.uniform()), cover, 2)


def surface(d: int = 30) -> Population:
    """Build shift(3, 2) on a curved surface, the product of three helices, in d columns."""
    flat, lift = shift(3, 2), Helices(_whole("d", d, least=9))
    return Population(f"surface(d={d})", flat.first, flat.second, lift, flat.pieces, 3)


def ripley() -> Population:
    """Build two mixtures of two round normals in the plane; its Bayes error is 0.0893."""
    first, second = (
        Law(tuple((stats.norm(x, 0.03**0.5), stats.norm(y, 0.03**0.5)) for x in xs), (0.5, 0.5))
        for xs, y in (((-0.7, 0.3), 0.3), ((-0.3, 0.4), 0.7))
    )
    return Population("ripley()", first, second, _PLANE, strips(), 2)


def figure1() -> Population:
    """Build normals of means (0, 0) and (0, 1), truncated to [-5, 5]²."""
    laws, lift = (_law(_truncated(0)), _law(_truncated(1))), Beside(2, _truncated(0), columns=(1,))
    return Population("figure1()", *laws, lift, line(np.linspace(-5, 5, 11)), 2)


def figure2(d: int) -> Population:
    """Build the same normal twice, each of d columns truncated to [-5, 5]."""
    law, lift = _law(_truncated(0)), Beside(_whole("d", d), _truncated(0))
    return Population(f"figure2(d={d})", law, law, lift, line(np.linspace(-5, 5, 11)), d)


def figure3() -> Population:
    """Build N((0, 0), I) against N((1, 0), 2I), truncated to [-5, 5]²."""
    first = _law(_truncated(0), _truncated(0))
    second = _law(_truncated(1, 2**0.5), _truncated(0, 2**0.5))
    return Population("figure3()", first, second, _PLANE, fan((-1, 0)), 2)


def figure4() -> Population:
    """Build N(0, I) truncated to [-5, 5]² against the uniform there."""
    bell, flat = _truncated(0), stats.uniform(-5, 10)
    return Population("figure4()", _law(bell, bell), _law(flat, flat), _PLANE, fan((0, 0)), 2)


_PLANE = Beside(2, stats.uniform(), columns=(0, 1))
"""Two columns that hold the two coordinates, with no column left for noise."""


def _law(*columns: Marginal) -> Law:
    return Law((columns,))


def _truncated(mean: float, sd: float = 1) -> Marginal:
    return stats.truncnorm((-5 - mean) / sd, (5 - mean) / sd, mean, sd)


def _variance(values: Floats, weights: Floats) -> float:
    return float((weights * (values - (weights * values).sum()) ** 2).sum())


def _whole(name: str, value: int, least: int = 1) -> int:
    if not isinstance(value, Integral) or value < least:
        raise DataError(f"{name} = {value}; it must be a whole number, at least {least}")
    return value


def _inside(name: str, value: float, low: float = -math.inf, high: float = math.inf) -> float:
    if not low < value < high:
        raise DataError(f"{name} = {value}; it must lie between {low:g} and {high:g}")
    return value


POPULATIONS: dict[str, Population] = {
    population.name: population
    for population in (
        *(shift(d, delta) for d, delta in ((1, 2), (2, 1), (3, 2), (5, 2), (10, 2), (20, 2))),
        *(scale(d, sigma) for d, sigma in ((5, 1.5), (10, 1.3), (20, 2))),
        *(figure1(), figure2(2), figure3(), figure4()),
        *(square(), surface(), wave(2, 0.8, 2), ripley(), ring(2), laplace(2, 1)),
    )
}
"""The populations of benchmarks and tests, by name."""
