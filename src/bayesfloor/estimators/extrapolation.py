r"""From a rank curve to the mismatch at radius zero, by averaging over windows and bases.

Each model reads the curve up to a rank K and fits a constant plus powers of the measured radius;
its constant is an estimate. Models are weighted by :math:`\exp(-A/2)`,

.. math:: A = \chi^2 + 3 \cdot \text{parameters} + \text{ranks left out} + \text{prior},

with χ² from the curve's own noise. Pairs of points that are neighbours of each other enter the
curve twice, at ranks that differ, so slow waves of the noise have up to twice the variance that
differences between ranks show: the noise is doubled.

Where labels jump at a boundary the bias grows with r rather than r². The powers r and r, r² then
fit, but where they are not needed they extrapolate too far. They enter with a prior against them
that grows with the dimension; and where the plain curve asks for them, it is the better one to
extrapolate, because a smooth trend blurs a jump.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, fields
from functools import cached_property, lru_cache

import numpy as np

from bayesfloor.base.arrays import Bools, Floats, Ints
from bayesfloor.base.grids import log_spaced
from bayesfloor.curve.rank_curve import RankCurve

BASES: tuple[tuple[int, ...], ...] = ((), (2,), (2, 4), (1,), (1, 2))
"""Powers of the radius; those with the radius itself are for a sharp boundary."""
NOISE_FACTOR = 2.0
PARAMETER_COST = 3.0
WINDOWS = 10
SMALLEST_WINDOW = 6
SHARP_COST = 2.0  # of a sharp basis
DIMENSION_COST = 3.0  # of a sharp basis, for each dimension above two
PLAIN_COST = 4.0  # of a sharp basis on the plain curve
POWERS = (1, 2, 4)
"""Powers in any of the bases."""
MOST_INVERSE = 1e9
"""Entries of an inverse above this have lost digits: singular directions are left out instead."""
SMALLEST = 1e-140
"""Powers above this, of the radius where a window ends, have products that do not vanish."""
TEMPER = 0.4
"""Of the weights of the offsets: models that lost by little still say how far off the mean is."""
FARTHEST = 2.0
"""Standard errors beside the offsets: sharp models that are hardly asked for are no farther off."""
SELDOM = 0.01
"""Share of the sharp models, where they are asked for little; with it they may be twice as far."""
ROUNDING = 1e-12
"""Curves that are no farther apart are the same."""
STEPS = 24
"""Points of a drawn curve between radius zero and the first rank."""


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """The mismatch at radius zero, with what the curve says of its uncertainty."""

    mismatch: float
    noise: float  # variance from the noise of the curve
    offsets: Floats  # (models,), how far from the mismatch each is, beyond its noise
    weights: Floats  # (models,), flattened
    sharp: float  # weight of the models with a sharp boundary
    jump: tuple[float, float] | None  # what these say alone, and its variance; None without any


@dataclass(frozen=True, eq=False)
class Design:
    """What the models of a curve are fitted with, whatever the values."""

    columns: Floats  # (K, 4), one and the powers of the radius
    ends: Ints  # (models,), the last rank that is read
    used: Bools  # (models, 4), columns of the basis

    @cached_property
    def sharp(self) -> Bools:
        """Whether the basis has the radius itself, (models,)."""
        return self.used[:, 1 + POWERS.index(1)]

    @cached_property
    def unit(self) -> Floats:
        """Columns at the last rank, which the fits are scaled by, (models, 4)."""
        return np.where(self.used, self.columns[self.ends - 1], 1.0)

    @cached_property
    def inside(self) -> Bools:
        """Whether a model reads a rank, (models, K)."""
        return np.arange(len(self.columns)) < self.ends[:, None]

    @cached_property
    def cost(self) -> Floats:
        """Of the parameters and of the ranks that are left out, (models,)."""
        return PARAMETER_COST * self.used.sum(axis=1) + (len(self.columns) - self.ends)

    @cached_property
    def inverse(self) -> Floats:
        """Inverse of the columns' inner products, zero where a column is not used."""
        outer = np.cumsum(self.columns[:, :, None] * self.columns[:, None, :], axis=0)
        scaled = outer[self.ends - 1] / (self.unit[:, :, None] * self.unit[:, None, :])
        both = self.used[:, :, None] & self.used[:, None, :]
        return np.where(both, _inverse(np.where(both, scaled, np.eye(len(POWERS) + 1))), 0.0)


@dataclass(frozen=True, slots=True)
class Models:
    """Fits of one curve, one entry a window and basis."""

    intercept: Floats
    noise: Floats
    cost: Floats
    sharp: Bools
    window: Ints  # the last rank that was read
    slopes: Floats  # (models, 3), of the powers of the radius

    def weights(self, temper: float = 1.0) -> Floats:
        """Weights exp(−A/2), flattened by `temper` below 1."""
        w = np.exp(-0.5 * temper * (self.cost - self.cost.min()))
        return w / w.sum()

    def only(self, kept: Bools) -> Models:
        """Return some of the models."""
        if kept.all():
            return self
        return Models(*(getattr(self, entry.name)[kept] for entry in fields(self)))


def curve_noise(curve: Floats) -> float:
    """Variance of one value of a curve, from its first or second differences.

    Examples
    --------
    >>> curve_noise(np.arange(20.0))  # no noise about a straight line
    0.0
    """
    first = curve[1:] - curve[:-1]
    second = first[1:] - first[:-1]
    return min(
        float(apart @ apart) / (scale * len(apart)) if len(apart) > 1 else np.inf
        for apart, scale in ((first, 2), (second, 6))
    )


def _inverse(matrices: Floats) -> Floats:
    """Invert symmetric matrices, or their parts that can be inverted; entries are of order one."""
    inverse = np.full_like(matrices, np.inf)
    with suppress(np.linalg.LinAlgError):
        inverse[:] = np.linalg.inv(matrices)
    lost = ~(np.abs(inverse).max(axis=(1, 2)) < MOST_INVERSE)
    if lost.any():
        inverse[lost] = np.linalg.pinv(matrices[lost], hermitian=True)
    return inverse


def make_design(curve: RankCurve) -> Design:
    """Lay out every window and basis that the radii of a curve allow."""
    ranks, powers = len(curve.rank), _powers(curve)
    last = powers[:, _windows(ranks) - 1]
    wider = (last[1] > powers[1, 0]) & (last[-1] > SMALLEST)
    columns = np.empty((ranks, 1 + len(POWERS)))
    columns[:, 0], columns[:, 1:] = 1.0, powers.T
    return Design(columns, *_layout(ranks, tuple(wider.tolist())))


def _windows(ranks: int) -> Ints:
    return log_spaced(min(SMALLEST_WINDOW, ranks), ranks, WINDOWS)


@lru_cache(maxsize=64)
def _layout(ranks: int, wider: tuple[bool, ...]) -> tuple[Ints, Bools]:
    """Return the last rank and the columns of every model, for windows that have some width."""
    models = [
        (end, (True, *(s in basis for s in POWERS)))
        for basis in BASES
        for end, wide in zip(_windows(ranks).tolist(), wider, strict=True)
        if not basis or (wide and end >= len(basis) + 4)
    ]
    ends, used = zip(*models, strict=True)
    return np.array(ends), np.array(used)


def fit_models(
    design: Design, values: Floats, sharp_cost: float, least_noise: float = 1e-14
) -> Models:
    """Fit every window and basis to the values of a curve."""
    columns, ends, unit = design.columns, design.ends, design.unit
    ranks = len(values)
    noise = NOISE_FACTOR * max(curve_noise(values), least_noise) if ranks > 3 else 0.25
    products = np.cumsum(columns * values[:, None], axis=0)[ends - 1] / unit
    fitted = np.einsum("wij,wj->wi", design.inverse, products)
    slopes = fitted / unit
    apart = np.where(design.inside, values - slopes @ columns.T, 0.0)
    variance = design.inverse[:, 0, 0] * noise
    return Models(
        intercept=fitted[:, 0],
        noise=variance,
        cost=np.einsum("ij,ij->i", apart, apart) / noise
        + (design.cost + design.sharp * sharp_cost)
        + np.minimum(fitted[:, 0], 0.0) ** 2 / variance,  # and not negative
        sharp=design.sharp,
        window=ends,
        slopes=slopes[:, 1:],
    )


def average(curve: RankCurve, n: int, classes: int = 2, other: float = 0.0) -> Fit:
    """Average the models of the adjusted curve and, for a sharp boundary, of the plain one.

    `other` is the variance of the answer beside that of the fit.
    """
    return _mix(*_smooth_and_sharp(curve, n, classes), other)


def fitted_curve(curve: RankCurve, n: int, classes: int = 2) -> tuple[Floats, Floats]:
    """Return the average of the models as a curve from radius zero on: radius and mismatch.

    Below the first rank the radius goes on to zero, where the mismatch is that of `average`. At a
    rank only the models speak that have read so far.
    """
    smooth, sharp, share, _ = _smooth_and_sharp(curve, n, classes)
    steps = np.linspace(0, 1, STEPS, endpoint=False)
    at_rank = _powers(curve)
    powers = np.hstack(
        [[steps**s * first[0] for s, first in zip(POWERS, at_rank, strict=True)], at_rank]
    )
    rank = np.concatenate([np.zeros(STEPS), curve.rank])
    values, total = np.zeros(len(rank)), np.zeros(len(rank))
    for models, part in ((smooth, 1 - share), (sharp, share)):
        weights = part * models.weights()[:, None] * (rank <= models.window[:, None])
        values += (weights * (models.intercept[:, None] + models.slopes @ powers)).sum(axis=0)
        total += weights.sum(axis=0)
    spoken = total > 0.5
    return powers[0, spoken] * _unit(curve), values[spoken] / total[spoken]


def _powers(curve: RankCurve) -> Floats:
    """Powers of the radius in units of the last one, so that none overflows, (powers, K)."""
    return curve.radius_power(np.array(POWERS)[:, None], _unit(curve))


def _unit(curve: RankCurve) -> float:
    return float(curve.radius[-1]) or 1.0


def _smooth_and_sharp(
    curve: RankCurve, n: int, classes: int
) -> tuple[Models, Models, float, float]:
    """Return the models to average, those of a sharp boundary, and two weights of the latter."""
    plain_values = curve.mismatch * (n - 1) / n
    least = chance_noise(curve.adjusted, n, classes) / 4
    steep = SHARP_COST + DIMENSION_COST * max(curve.intrinsic_dimension - 2, 0)
    design = make_design(curve)
    plain = fit_models(design, plain_values, steep + PLAIN_COST, least)
    if trend_hurts(curve.adjusted, plain_values):
        return plain, plain, 0.0, 0.0
    adjusted = fit_models(design, curve.adjusted, steep, least)
    if not plain.sharp.any():
        return adjusted, adjusted, 0.0, 0.0
    share, wide_share = (float(plain.weights(t)[plain.sharp].sum()) for t in (1.0, TEMPER))
    return adjusted, plain.only(plain.sharp), share, wide_share


def chance_noise(values: Floats, n: int, classes: int) -> float:
    """Variance of one value of a curve from the chance of labels alone, without ties.

    Ranks that share their points are alike, and differences between them show too little noise:
    no less than a quarter of this is assumed.
    """
    return max(float(values.min()) ** 2 / (n * (classes - 1)), 4e-14)


def trend_hurts(adjusted: Floats, plain: Floats) -> bool:
    """Tell whether the trend changes more between close neighbours than the labels do.

    Both curves have the same limit and are biased upwards, so near it the lower one is better.
    The trend is given up only if it is above the plain curve by more than the noise between them.
    """
    first = max(3, len(plain) // 16)
    excess = adjusted - plain
    noise = np.sqrt(curve_noise(excess) / first) if len(plain) > 3 else np.inf
    return bool(excess[:first].mean() > max(2 * noise, ROUNDING))


def _mix(smooth: Models, sharp: Models, share: float, wide_share: float, other: float) -> Fit:
    """Mix two averages; offsets are taken from their common mean, with flattened weights.

    Sharp models of the plain curve extrapolate far, and flattening raises their share. Where the
    curve hardly asks for them, they must not make up most of the variance.
    """
    parts = [((1 - share) * smooth.weights(), smooth), (share * sharp.weights(), sharp)]
    mean = sum(float(weights @ models.intercept) for weights, models in parts)
    noise = sum(float(weights @ models.noise) for weights, models in parts)
    most = FARTHEST * (1 + share / SELDOM) * float(np.sqrt(noise + other))
    wide = ((smooth, 1 - wide_share, np.inf), (sharp, wide_share, most))
    return Fit(
        mismatch=float(mean),
        noise=float(noise),
        offsets=np.concatenate([_offsets(models, mean, noise, far) for models, _, far in wide]),
        weights=np.concatenate([a * models.weights(TEMPER) for models, a, _ in wide]),
        sharp=share,
        jump=_alone(sharp.only(sharp.sharp)),
    )


def _alone(models: Models) -> tuple[float, float] | None:
    """Return the mean of some models and its variance, noise and disagreement; None of none."""
    if not len(models.cost):
        return None
    weights = models.weights()
    mean = float(weights @ models.intercept)
    return mean, float(weights @ (models.noise + (models.intercept - mean) ** 2))


def _offsets(models: Models, mean: float, noise: float, most: float) -> Floats:
    """Return the distances from the mean, none above `most`.

    A model with more noise than the mean is off by the difference from noise alone (Hausman,
    1978), which is no disagreement.
    """
    apart = models.intercept - mean
    beyond = np.sqrt(np.maximum(apart**2 - np.maximum(models.noise - noise, 0.0), 0.0))
    return np.copysign(np.minimum(beyond, most), apart)
