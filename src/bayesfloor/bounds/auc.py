r"""Bounds on the area under the best ROC curve, and on the curve itself.

Of two rows one belongs to the class. Whoever ranks them by their posteriors η is right most often:

.. math:: AUC^* = \tfrac12 + \frac{E|\eta - \eta'|}{4\pi(1 - \pi)}

with independent rows and the share π of the class. The AUC of any score is below. From above, let p
be any probabilities of the class and ν > 0. With :math:`v = 2\nu(p - p')`, clipped to ±1,

.. math:: |\eta - \eta'| \le v(\eta - \eta') + \frac{1 - v^2}{4\nu}
    + \nu(\eta - p - \eta' + p')^2 ,

as in `bayesfloor.bounds.sharpened`. The last term has the mean
:math:`2\nu Var(\eta - p) \le 2\nu E(\eta - p)^2`: ν times the loss of the probabilities of the
class and the rest, less their mismatch.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from bayesfloor.base.arrays import Bools, Floats, Ints
from bayesfloor.bounds.bounded_mean import bounded_mean_limits
from bayesfloor.bounds.loss import losses
from bayesfloor.bounds.sharpened import KnownMismatch
from bayesfloor.bounds.strata import Strata

PAIR_SHARPNESSES = np.geomspace(0.1, 300.0, 33)
"""Values of ν that are tried: steps of a fourth."""


@dataclass(frozen=True, slots=True)
class AucInterval:
    """The AUC of the best ranking: as bounded, and with its margins of error."""

    lower: float  # the AUC of held-out scores
    upper: float  # what no ranking exceeds
    interval: tuple[float, float]


def auc(scores: Floats, positive: Bools) -> float:
    """Return the chance that a positive has a higher score than a negative, ties counting half.

    Examples
    --------
    >>> auc(np.array([0.1, 0.4, 0.4, 0.8]), np.array([False, False, True, True]))
    0.875
    """
    return float(_placements(scores, positive)[0].mean())


def auc_limits(
    scores: Floats, positive: Bools, tail: float, *, rows: float = 1.0
) -> tuple[float, float]:
    """Return the limits of the AUC of a score, each missed with the chance `tail`.

    Its noise is that of the placements of both classes (DeLong et al. 1988 [1]_), each with the
    limits of a bounded mean, which hold near 1 too.

    Parameters
    ----------
    scores : (n,) array
        A number for each row.
    positive : (n,) array of bool
        Whether a row is of the class.
    tail : float
        The chance.
    rows : float
        Share of the rows that count as independent.

    References
    ----------
    .. [1] DeLong, DeLong & Clarke-Pearson (1988), Biometrics 44, 837-845.
    """
    below, above = 0.0, 0.0
    sides = _placements(scores, positive)
    value = float(sides[0].mean())
    for placements in sides:
        low, high = bounded_mean_limits(placements, np.full(len(placements), rows), tail)
        below, above = below + (value - low) ** 2, above + (high - value) ** 2
    return max(value - below**0.5, 0.0), min(value + above**0.5, 1.0)


def best_auc(
    scores: Floats,
    positive: Bools,
    known: KnownMismatch | None,
    row_losses: Floats,
    parts: Ints,
    *,
    confidence: float = 0.95,
    rows: float = 1.0,
) -> AucInterval:
    """Bound the AUC of the best ranking from both sides.

    Parameters
    ----------
    scores : (n,) array
        Probability of the class at each row, computed without its label.
    positive : (n,) array of bool
        Whether a row is of the class.
    known : KnownMismatch or None
        The mismatch of the class and the rest; None if nothing is known of it.
    row_losses : (n,) array
        Loss of the probabilities of the class and the rest.
    parts : (n,) array
        The part of each row: rows are paired within a part, with the ν that is best for the others.
    confidence : float
        Of the interval.
    rows : float
        Share of the rows that count as independent.

    Returns
    -------
    AucInterval
    """
    tail = (1 - confidence) / 2
    lower, low = auc(scores, positive), auc_limits(scores, positive, tail, rows=rows)[0]
    if known is None:
        return AucInterval(lower, 1.0, (min(low, lower), 1.0))
    upper, high = _upper(scores, positive, known, row_losses, parts, -float(ndtri(tail)))
    upper = min(max(upper, lower), 1.0)
    return AucInterval(lower, upper, (low, min(max(high, upper), 1.0)))


def one_against_rest(
    posterior: Floats, labels: Ints, known: KnownMismatch | None, code: int
) -> tuple[Floats, KnownMismatch | None]:
    r"""Return the probabilities of a class and of all others, and what is known of their mismatch.

    Of m classes, :math:`2(\eta_c - p_c)^2 \le 2\frac{m-1}{m} |\eta - p|^2`: what all probabilities
    lack bounds what those of one class do.

    Parameters
    ----------
    posterior : (n, m) array
        Class probabilities of each row.
    labels : (n,) array
        The class of each row.
    known : KnownMismatch or None
        The mismatch of all classes.
    code : int
        The class.
    """
    m, own = posterior.shape[1], posterior[:, code]
    two = np.column_stack([own, 1 - own])
    if known is None or m == 2:
        return two, known
    part, rest = 2 * (m - 1) / m, (labels != code).astype(np.int64)
    all_losses, own_losses = losses(posterior, labels), losses(two, rest)
    lacking = float(all_losses.mean()) - known.value
    return two, KnownMismatch(
        float(own_losses.mean()) - part * lacking,
        own_losses - part * (all_losses - known.influence),
        part * known.below,
    )


def _upper(
    scores: Floats,
    positive: Bools,
    known: KnownMismatch,
    row_losses: Floats,
    parts: Ints,
    z: float,
) -> tuple[float, float]:
    """Return the upper bound on the AUC, and with its margin of error."""
    share = float(positive.mean())
    # Noise of the mismatch and of the losses is paired: it comes from the same labels.
    apart, beside = row_losses - known.influence, known.value - float(known.influence.mean())

    def terms(nu: float, rows: Ints) -> tuple[float, Floats]:
        """Return the bound on E|η − η'| by some rows, and what each of them adds to its noise."""
        pairs = pair_terms(scores[rows], positive[rows], nu)
        paired = nu * (apart[rows] - beside)
        return float((pairs + paired).mean()), 2 * pairs + paired  # a row is in two places

    everything = np.arange(len(scores))
    inside = [everything[parts == part] for part in np.unique(parts)]
    if len(inside) < 2 or not all(0 < positive[rows].sum() < len(rows) for rows in inside):
        inside = [everything[::2], everything[1::2]]
    limits = np.empty((len(inside), len(PAIR_SHARPNESSES)))
    for i, rows in enumerate(inside):
        for j, nu in enumerate(PAIR_SHARPNESSES):
            value, noise = terms(nu, rows)
            variance = _variance(noise, positive[rows]) * len(rows) / len(scores)
            limits[i, j] = value + np.hypot(z * variance**0.5, nu * known.below)
    chosen = (limits.sum(axis=0) - limits).argmin(axis=1)
    mean, weight, noise = 0.0, 0.0, np.empty(len(scores))
    for nu, rows in zip(PAIR_SHARPNESSES[chosen], inside, strict=True):
        value, noise[rows] = terms(float(nu), rows)
        mean += value * len(rows) / len(scores)
        weight += float(nu) * len(rows) / len(scores)
    span = 4 * share * (1 - share)
    reach = np.hypot(z * _variance(noise, positive) ** 0.5, weight * known.below)
    return 0.5 + mean / span, 0.5 + (mean + float(reach)) / span


def pair_terms(scores: Floats, positive: Bools, nu: float) -> Floats:
    r"""Return the mean of :math:`v(y - y') + (1 - v^2)/(4\nu)` of each row and all others, (n,).

    Sums over the rows that are near in score, and those that are not, are differences of
    cumulative sums: no pair is looked at.

    Examples
    --------
    >>> pair_terms(np.array([0.0, 1.0]), np.array([False, True]), 10.0).round(6).tolist()
    [1.0, 1.0]
    """
    n, y = len(scores), positive.astype(np.float64)
    order = np.argsort(scores, kind="stable")
    p, labels = scores[order], y[order]
    sums = np.zeros((5, n + 1))
    np.cumsum([np.ones(n), p, p * p, labels, p * labels], axis=1, out=sums[:, 1:])
    start = np.searchsorted(p, scores - 0.5 / nu)
    stop = np.searchsorted(p, scores + 0.5 / nu, side="right")
    count, first, second, of_class, moment = sums[:, stop] - sums[:, start]
    v = 2 * nu * (count * scores - first) + start - (n - stop)
    far = sums[3, start] - (sums[3, -1] - sums[3, stop])
    v_of_class = 2 * nu * (scores * of_class - moment) + far
    open_pairs = count / (4 * nu) - nu * (count * scores**2 - 2 * scores * first + second)
    own = 1 / (4 * nu)  # a row with itself
    return np.asarray((y * v - v_of_class + open_pairs - own) / (n - 1))


def _variance(values: Floats, positive: Bools) -> float:
    """Return the variance of a mean whose rows have their classes given."""
    share = float(positive.mean())
    return Strata(positive.astype(np.int64), np.array([1 - share, share])).variance(values)


def _placements(scores: Floats, positive: Bools) -> tuple[Floats, Floats]:
    """Return for each positive the share of negatives below it, and the other way round."""
    inside, outside = np.sort(scores[positive]), np.sort(scores[~positive])

    def below(values: Floats, others: Floats) -> Floats:
        left, right = (np.searchsorted(others, values, side=s) for s in ("left", "right"))
        return np.asarray((left + right) / (2 * len(others)))

    return below(inside, outside), 1 - below(outside, inside)
