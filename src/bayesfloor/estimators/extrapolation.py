r"""From a rank curve to the mismatch at radius zero, by averaging over windows and bases.

The models of `bayesfloor.estimators.curve_models` are averaged. Where the posterior is
discontinuous, the bias grows with r rather than r². The powers r and r, r² then fit, but where they
are not needed they extrapolate too far. They enter with a prior against them that grows with the
dimension; and where the plain curve asks for them, it is the better one to extrapolate, because a
smooth trend blurs a discontinuity.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bayesfloor.base.arrays import Floats
from bayesfloor.curve.rank_curve import RankCurve
from bayesfloor.estimators.curve_models import (
    DEFAULT_AVERAGING,
    LONG_ENOUGH,
    POWERS,
    AveragingOptions,
    ModelFits,
    curve_noise,
    fit_models,
    label_variance,
    make_design,
    radius_powers,
    radius_unit,
)

EASY_DIMENSIONS = 2
"""Intrinsic dimensions in which a discontinuity is easy to tell and costs nothing more."""
FEWEST_CLOSE_RANKS, CLOSE_RANKS_OF = 3, 16
"""Close ranks, where two curves are compared: at least 3, and one in 16 of the curve.

A judgement: their radii are small, and their mean has a fraction of the noise of one."""
SAME_CURVE = 1e-12
"""Difference up to which two curves are the same but for rounding. A judgement."""
DRAWN_STEPS = 24
"""Points of a drawn curve between radius zero and the first rank: enough to look smooth."""
MAJORITY = 0.5
"""Weight of the models that must have read a rank for the drawn curve to reach it. A judgement."""


@dataclass(frozen=True, slots=True, eq=False)
class Extrapolation:
    """The mismatch at radius zero, with what the curve tells of its uncertainty."""

    mismatch: float
    variance: float  # from the noise of the curve
    offsets: Floats  # (models,), how far from the mismatch each is, beyond its noise
    weights: Floats  # (models,), of the offsets, sum to one
    discontinuity_weight: float  # of the models of a discontinuous posterior
    if_discontinuous: tuple[float, float] | None  # mismatch by these alone, and its variance


@dataclass(frozen=True, slots=True, eq=False)
class ModelChoice:
    """The models of one curve, and those of a discontinuous posterior on the plain one."""

    main: ModelFits
    discontinuous: ModelFits
    weight: float  # of the discontinuous ones, the main ones have the rest
    tempered_weight: float  # the same at the inverse temperature of the offsets
    options: AveragingOptions = DEFAULT_AVERAGING


def extrapolate(
    curve: RankCurve,
    n: int,
    classes: int = 2,
    other_variance: float = 0.0,
    *,
    options: AveragingOptions = DEFAULT_AVERAGING,
) -> Extrapolation:
    """Average the models of the adjusted curve and, for a discontinuity, of the plain one.

    Parameters
    ----------
    curve : RankCurve
        The curve, up to any rank.
    n : int
        Rows of the sample.
    classes : int
        Classes of the sample.
    other_variance : float
        Variance of the answer in addition to that of the fit.
    options : AveragingOptions
        What the models cost, and how they are averaged.

    Returns
    -------
    Extrapolation
    """
    return average_models(choose_models(curve, n, classes, options), other_variance)


def fitted_curve(
    curve: RankCurve,
    n: int,
    classes: int = 2,
    *,
    options: AveragingOptions = DEFAULT_AVERAGING,
) -> tuple[Floats, Floats]:
    """Return the average of the models as a curve from radius zero on: radius and mismatch.

    Below the first rank the radius goes on to zero, where the mismatch is that of `extrapolate`. At
    each rank the average is over the models that have read so far.
    """
    choice = choose_models(curve, n, classes, options)
    rank, powers = _drawn_radii(curve)
    values, total = np.zeros(len(rank)), np.zeros(len(rank))
    for models, part in ((choice.main, 1 - choice.weight), (choice.discontinuous, choice.weight)):
        weights = part * models.weights()[:, None] * (rank <= models.last_rank[:, None])
        values += (weights * (models.intercept[:, None] + models.slopes @ powers)).sum(axis=0)
        total += weights.sum(axis=0)
    drawn = total > MAJORITY
    return powers[0, drawn] * radius_unit(curve), values[drawn] / total[drawn]


def _drawn_radii(curve: RankCurve) -> tuple[Floats, Floats]:
    """Return ranks, zero below the first, and powers of the radius there, (powers, points)."""
    steps = np.linspace(0, 1, DRAWN_STEPS, endpoint=False)
    at_rank = radius_powers(curve)
    below = [steps**power * first[0] for power, first in zip(POWERS, at_rank, strict=True)]
    return np.concatenate([np.zeros(DRAWN_STEPS), curve.rank]), np.hstack([below, at_rank])


def choose_models(
    curve: RankCurve, n: int, classes: int, options: AveragingOptions = DEFAULT_AVERAGING
) -> ModelChoice:
    """Fit both curves; return the models to average, with the weight of a discontinuity.

    The plain curve tells whether the posterior is discontinuous. It replaces the adjusted one if
    the trend adds bias.
    """
    if curve.pair_factor is None:
        plain_values = curve.mismatch * (n - 1) / n
    else:
        plain_values = curve.mismatch * curve.pair_factor
    least = label_variance(curve.adjusted, n, classes) * options.least_noise_share
    hard_dimensions = max(curve.intrinsic_dimension - EASY_DIMENSIONS, 0)
    cost = options.discontinuity_cost + options.dimension_cost * hard_dimensions
    design = make_design(curve, options)
    plain = fit_models(
        design,
        plain_values,
        discontinuity_cost=cost + options.plain_cost,
        least_variance=least,
    )
    if trend_adds_bias(curve.adjusted, plain_values, options):
        return ModelChoice(plain, plain, 0.0, 0.0, options)
    adjusted = fit_models(design, curve.adjusted, discontinuity_cost=cost, least_variance=least)
    if not plain.discontinuous.any():
        return ModelChoice(adjusted, adjusted, 0.0, 0.0, options)
    weight, tempered = (
        float(plain.weights(inverse)[plain.discontinuous].sum())
        for inverse in (1.0, options.inverse_temperature)
    )
    return ModelChoice(adjusted, plain.select(plain.discontinuous), weight, tempered, options)


def trend_adds_bias(
    adjusted: Floats, plain: Floats, options: AveragingOptions = DEFAULT_AVERAGING
) -> bool:
    """Tell whether the trend changes more between close neighbours than the labels do.

    Both curves have the same limit and are biased upwards, so near it the lower one is better. The
    trend is given up only if it is above the plain curve by more than the noise between them.
    """
    close = max(FEWEST_CLOSE_RANKS, len(plain) // CLOSE_RANKS_OF)
    excess = adjusted - plain
    error = np.sqrt(curve_noise(excess) / close) if len(plain) >= LONG_ENOUGH else np.inf
    return bool(excess[:close].mean() > max(options.trend_excess * error, SAME_CURVE))


def average_models(choice: ModelChoice, other_variance: float) -> Extrapolation:
    """Average the main and the discontinuous models; offsets are taken from their common mean.

    Offsets have tempered weights. Discontinuous models of the plain curve extrapolate far, and
    tempering raises their weight. Where the curve hardly asks for them, they must not make up most
    of the variance.
    """
    options, weight, tempered = choice.options, choice.weight, choice.tempered_weight
    main, discontinuous = choice.main, choice.discontinuous
    parts = [
        ((1 - weight) * main.weights(), main),
        (weight * discontinuous.weights(), discontinuous),
    ]
    mean = sum(float(weights @ models.intercept) for weights, models in parts)
    variance = sum(float(weights @ models.variance) for weights, models in parts)
    scale = options.largest_offset * (1 + weight / options.doubling_weight)
    largest = scale * float(np.sqrt(variance + other_variance))
    limited = ((main, 1 - tempered, np.inf), (discontinuous, tempered, largest))
    return Extrapolation(
        mismatch=float(mean),
        variance=float(variance),
        offsets=np.concatenate(
            [_offsets(models, mean, variance, most) for models, _, most in limited]
        ),
        weights=np.concatenate(
            [part * models.weights(options.inverse_temperature) for models, part, _ in limited]
        ),
        discontinuity_weight=weight,
        if_discontinuous=_mean_and_variance(discontinuous.select(discontinuous.discontinuous)),
    )


def _mean_and_variance(models: ModelFits) -> tuple[float, float] | None:
    """Return the weighted mean of some models, and its variance; None if there are none.

    The variance is that of their noise and of their disagreement.
    """
    if not len(models.cost):
        return None
    weights = models.weights()
    mean = float(weights @ models.intercept)
    return mean, float(weights @ (models.variance + (models.intercept - mean) ** 2))


def _offsets(models: ModelFits, mean: float, variance: float, largest: float) -> Floats:
    """Return the distances from the mean, limited to `largest`.

    A model with more noise than the mean is off by the difference from noise alone (Hausman,
    1978), which is no disagreement.
    """
    distance = models.intercept - mean
    explained = np.maximum(models.variance - variance, 0.0)
    beyond = np.sqrt(np.maximum(distance**2 - explained, 0.0))
    return np.copysign(np.minimum(beyond, largest), distance)
