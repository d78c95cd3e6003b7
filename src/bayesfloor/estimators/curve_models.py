r"""Models of a rank curve: a constant plus powers of the radius, fitted to its first ranks.

Each model reads the curve up to a rank K and fits a constant plus powers of the measured radius.
The constant estimates the mismatch at radius zero. Models are weighted by :math:`\exp(-A/2)`,

.. math:: A = \chi^2 + 3 \cdot \text{parameters} + \text{ranks left out} + \text{prior},

with χ² from the curve's own noise. Pairs of points that are neighbours of each other enter the
curve twice, at ranks that differ, so slow waves of the noise have up to twice the variance that
differences between ranks show: the noise is doubled.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, fields
from functools import cached_property, lru_cache

import numpy as np

from bayesfloor.base.arrays import Bools, Floats, Ints
from bayesfloor.base.grids import log_spaced
from bayesfloor.curve.rank_curve import RankCurve

POWERS = (1, 2, 4)
"""Powers of the radius that models use.

The bias of a smooth posterior is a series in r², that of a discontinuous one begins with r."""
BASES: tuple[tuple[int, ...], ...] = ((), (2,), (2, 4), (1,), (1, 2))
"""The powers of each model; those with the radius itself are for a discontinuity."""
SPARE_RANKS = 4
"""Ranks that a window has at least beyond the powers it fits; with fewer, noise is fitted."""
LONG_ENOUGH = 4
"""Ranks from which on a curve's differences tell its noise. A judgement."""
LARGEST_VARIANCE = 0.25
"""Variance of one value of a shorter curve: the largest that a share can have."""
LEAST_VARIANCE = 1e-14
"""Variance of one value of a curve below which the noise is rounding: (1e-7)², a judgement."""
LARGEST_INVERSE = 1e9
"""Entries of an inverse above this have lost more than half of their digits.

Singular directions are then left out. A judgement: the entries inverted are of order one."""
LEAST_POWER = 1e-140
"""Powers of the radius above this, at the end of a window, have products that do not underflow."""


@dataclass(frozen=True, slots=True)
class AveragingOptions:
    """What the models of a rank curve cost, and how they are averaged.

    Costs are in units of A, which is twice a negative log-likelihood. Where no reason is given, a
    value is a judgement: `benchmarks/ablation.py` prints what becomes of the error and the coverage
    if it is halved, doubled or switched off, and docs/accuracy.md has the table.
    """

    noise_factor: float = 2.0
    """Variance of slow waves of the noise over that of differences between ranks.

    Pairs that are neighbours of each other count twice, so it is at most 2."""
    least_noise_share: float = 0.25
    """Least variance of a curve's values, over that from the randomness of labels alone.

    Tied ranks share their points, and their differences show too little noise."""
    parameter_cost: float = 3.0
    """Cost of each parameter fitted; Akaike's is 2, that of BIC with 100 ranks 4.6."""
    left_out_cost: float = 1.0
    """Cost of each rank left out: the expected χ² of one that is read and fits."""
    discontinuity_cost: float = 2.0
    """Cost of a basis with the radius itself."""
    dimension_cost: float = 3.0
    """Cost of such a basis for each intrinsic dimension above two.

    In more dimensions the radii of a curve span a smaller range, and r is hard to tell from r²."""
    plain_cost: float = 4.0
    """Cost of such a basis on the plain curve, in addition: a steep trend looks discontinuous."""
    windows: int = 10
    """Windows that each basis is fitted in, evenly spaced by the logarithm of their last rank."""
    smallest_window: int = 6
    """Ranks of the smallest window."""
    trend_excess: float = 2.0
    """Standard errors by which a trend must raise the curve at close ranks to be given up."""
    inverse_temperature: float = 0.4
    """Factor of A in the weights of offsets, which make up the interval.

    Below one, models that lost by little still tell how far off the mean may be."""
    largest_offset: float = 2.0
    """Offset of a discontinuous model of negligible weight, in standard errors, at most."""
    doubling_weight: float = 0.01
    """Weight of the discontinuous models at which they may be twice as far off."""


DEFAULT_AVERAGING = AveragingOptions()
"""What the tables of docs/accuracy.md were measured with."""


@dataclass(frozen=True, eq=False)
class ModelDesign:
    """What the models of a curve are fitted with, whatever its values are."""

    columns: Floats  # (K, 4), one and the powers of the radius
    last_rank: Ints  # (models,), the last rank that is read
    used: Bools  # (models, 4), columns of the basis
    options: AveragingOptions

    @cached_property
    def discontinuous(self) -> Bools:
        """Whether the basis has the radius itself, (models,)."""
        return self.used[:, 1 + POWERS.index(1)]

    @cached_property
    def unit(self) -> Floats:
        """Columns at the last rank, which the fits are scaled by, (models, 4)."""
        return np.where(self.used, self.columns[self.last_rank - 1], 1.0)

    @cached_property
    def reads(self) -> Bools:
        """Whether a model reads a rank, (models, K)."""
        return np.arange(len(self.columns)) < self.last_rank[:, None]

    @cached_property
    def cost(self) -> Floats:
        """Cost of the parameters and of the ranks that are left out, (models,)."""
        left_out = self.options.left_out_cost * (len(self.columns) - self.last_rank)
        return self.options.parameter_cost * self.used.sum(axis=1) + left_out

    @cached_property
    def inverse(self) -> Floats:
        """Inverse of the columns' inner products, (models, 4, 4), zero for columns not used."""
        outer = np.cumsum(self.columns[:, :, None] * self.columns[:, None, :], axis=0)
        scaled = outer[self.last_rank - 1] / (self.unit[:, :, None] * self.unit[:, None, :])
        both = self.used[:, :, None] & self.used[:, None, :]
        return np.where(both, _inverse(np.where(both, scaled, np.eye(len(POWERS) + 1))), 0.0)


@dataclass(frozen=True, slots=True, eq=False)
class ModelFits:
    """Fits of one curve, one entry for each window and basis."""

    intercept: Floats
    variance: Floats  # of the intercept, from the noise of the curve
    cost: Floats
    discontinuous: Bools
    last_rank: Ints
    slopes: Floats  # (models, 3), of the powers of the radius

    def weights(self, inverse_temperature: float = 1.0) -> Floats:
        """Return the weights exp(−A/2), or flatter ones at an inverse temperature below 1."""
        w = np.exp(-0.5 * inverse_temperature * (self.cost - self.cost.min()))
        return w / w.sum()

    def select(self, kept: Bools) -> ModelFits:
        """Return some of the models."""
        if kept.all():
            return self
        return ModelFits(*(getattr(self, entry.name)[kept] for entry in fields(self)))


def make_design(curve: RankCurve, options: AveragingOptions = DEFAULT_AVERAGING) -> ModelDesign:
    """Return the design of every window and basis that the radii of a curve allow."""
    ranks, powers = len(curve.rank), radius_powers(curve)
    last = powers[:, _windows(ranks, options) - 1]
    wide = (last[1] > powers[1, 0]) & (last[-1] > LEAST_POWER)
    columns = np.empty((ranks, 1 + len(POWERS)))
    columns[:, 0], columns[:, 1:] = 1.0, powers.T
    return ModelDesign(columns, *_layout(ranks, tuple(wide.tolist()), options), options)


def radius_powers(curve: RankCurve) -> Floats:
    """Return powers of the radius in units of the largest, so that none overflows, (powers, K)."""
    return curve.radius_power(np.array(POWERS)[:, None], radius_unit(curve))


def radius_unit(curve: RankCurve) -> float:
    """Return the largest radius of a curve, or 1 if it is zero."""
    return float(curve.radius.max()) or 1.0


def _windows(ranks: int, options: AveragingOptions) -> Ints:
    return log_spaced(min(options.smallest_window, ranks), ranks, options.windows)


@lru_cache(maxsize=64)
def _layout(ranks: int, wide: tuple[bool, ...], options: AveragingOptions) -> tuple[Ints, Bools]:
    """Return the last rank and the columns of every model; `wide` windows have radii that grow."""
    models = [
        (last, (True, *(power in basis for power in POWERS)))
        for basis in BASES
        for last, is_wide in zip(_windows(ranks, options).tolist(), wide, strict=True)
        if not basis or (is_wide and last >= len(basis) + SPARE_RANKS)
    ]
    last_rank, used = zip(*models, strict=True)
    return np.array(last_rank), np.array(used)


def fit_models(
    design: ModelDesign, values: Floats, *, discontinuity_cost: float, least_variance: float = 0.0
) -> ModelFits:
    """Fit every window and basis to the values of a curve.

    Parameters
    ----------
    design : ModelDesign
        The windows and bases.
    values : (K,) array
        The curve.
    discontinuity_cost : float
        Cost of a basis with the radius itself.
    least_variance : float
        Least variance of one value, before the noise factor.

    Returns
    -------
    ModelFits
    """
    columns, last, unit = design.columns, design.last_rank, design.unit
    least = max(least_variance, LEAST_VARIANCE)
    noise = rank_variance(values, least, design.options)
    products = np.cumsum(columns * values[:, None], axis=0)[last - 1] / unit
    fitted = np.einsum("wij,wj->wi", design.inverse, products)
    slopes = fitted / unit
    residuals = np.where(design.reads, values - slopes @ columns.T, 0.0)
    variance = design.inverse[:, 0, 0] * noise
    below = np.minimum(fitted[:, 0], 0.0) ** 2  # a mismatch is not negative
    unknown = np.full(len(below), np.inf)  # of a window in which no intercept can be told
    return ModelFits(
        intercept=fitted[:, 0],
        variance=variance,
        cost=np.einsum("ij,ij->i", residuals, residuals) / noise
        + (design.cost + design.discontinuous * discontinuity_cost)
        + np.divide(below, variance, out=unknown, where=variance > 0),
        discontinuous=design.discontinuous,
        last_rank=last,
        slopes=slopes[:, 1:],
    )


def rank_variance(
    values: Floats, least: float = 0.0, options: AveragingOptions = DEFAULT_AVERAGING
) -> float:
    """Return the variance of one value of a curve, slow waves of its noise included."""
    if len(values) < LONG_ENOUGH:
        return LARGEST_VARIANCE
    return options.noise_factor * max(curve_noise(values), least)


def curve_noise(curve: Floats) -> float:
    """Return the variance of one value of a curve, from its first or second differences.

    Examples
    --------
    >>> curve_noise(np.arange(20.0))  # no noise about a straight line
    0.0
    """
    first = curve[1:] - curve[:-1]
    second = first[1:] - first[:-1]
    return min(
        float(steps @ steps) / (scale * len(steps)) if len(steps) > 1 else np.inf
        for steps, scale in ((first, 2), (second, 6))
    )


def label_variance(values: Floats, n: int, classes: int) -> float:
    """Return the variance of one value of a curve from the randomness of labels, without ties.

    It is exact for classes that are equally frequent and independent of the points.
    """
    return float(values.min()) ** 2 / (n * (classes - 1))


def _inverse(matrices: Floats) -> Floats:
    """Invert symmetric matrices, or their parts that can be inverted; entries are of order one."""
    inverse = np.full_like(matrices, np.inf)
    with suppress(np.linalg.LinAlgError):
        inverse[:] = np.linalg.inv(matrices)
    lost = ~(np.abs(inverse).max(axis=(1, 2)) < LARGEST_INVERSE)
    if lost.any():
        inverse[lost] = np.linalg.pinv(matrices[lost], hermitian=True)
    return inverse
