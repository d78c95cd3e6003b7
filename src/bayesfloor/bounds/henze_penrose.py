"""Between the mismatch, the Henze-Penrose divergence and bounds on the Bayes error, both ways.

Whoever needs a bound, or the mismatch at which a bound has some value, asks here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from bayesfloor.base.arrays import Floats


@dataclass(frozen=True, slots=True)
class Bound:
    """Bounds on the Bayes error as functions of the mismatch, and their inverses.

    All functions take class priors, (m,), beside the mismatch or the error.
    """

    name: str
    limits: Callable[[float, Floats], tuple[float, float]]  # mismatch -> lower and upper bound
    unclipped_upper: Callable[[float], float]  # mismatch -> upper bound, whatever the priors are
    mismatch_at_lower: Callable[[float, Floats], float]  # the mismatch whose lower bound it is
    mismatch_at_upper: Callable[[float, Floats], float]  # the mismatch whose upper bound it is


def independent_mismatch(priors: Floats) -> float:
    """Mismatch of labels that do not depend on the points, the largest there is.

    Examples
    --------
    >>> independent_mismatch(np.array([0.5, 0.5]))
    0.5
    """
    return 1 - float(priors @ priors)


def divergence(mismatch: float, priors: Floats) -> float:
    r"""Henze-Penrose divergence of two classes, :math:`1 - R / (2pq)`, unclipped [1]_.

    References
    ----------
    .. [1] Henze & Penrose (1999), Ann. Statist. 27, 290-298.

    Examples
    --------
    >>> divergence(0.1, np.array([0.5, 0.5]))
    0.8
    """
    return float(1 - mismatch / independent_mismatch(priors))


def bayes_error_bounds(mismatch: float, priors: Floats) -> tuple[float, float]:
    r"""Bounds on the Bayes error, clipped to what is possible [1]_ [2]_.

    .. math:: \tfrac{m-1}{m}\Bigl(1 - \sqrt{1 - \tfrac{m}{m-1} R}\Bigr)
        \le \epsilon^* \le \min(R, 1 - \max_c \pi_c)

    For two classes these are the bounds of Berisha et al., ½ − ½√u and ½ − ½u with
    u = 4pqD + (p − q)².

    References
    ----------
    .. [1] Cover & Hart (1967), IEEE Trans. Inf. Theory 13, 21-27.
    .. [2] Berisha, Wisler, Hero & Spanias (2016), IEEE Trans. Signal Process. 64, 580-591.

    Examples
    --------
    >>> lower, upper = bayes_error_bounds(0.18, np.array([0.5, 0.5]))
    >>> round(lower, 6), round(upper, 6)
    (0.1, 0.18)
    """
    m, most = len(priors), 1 - float(priors.max())
    r = min(max(mismatch, 0.0), independent_mismatch(priors))
    share = m / (m - 1)
    lower = (1 - float(np.sqrt(max(1 - share * r, 0.0)))) / share
    upper = min(r, most)
    return min(lower, upper), upper


def mismatch_at_lower(error: float, priors: Floats) -> float:
    r"""Return the mismatch whose lower bound is an error.

    .. math:: R = 2\epsilon - \tfrac{m}{m-1} \epsilon^2

    Examples
    --------
    >>> round(mismatch_at_lower(0.1, np.array([0.5, 0.5])), 6)
    0.18
    """
    m = len(priors)
    return 2 * error - m / (m - 1) * error**2


def mismatch_at_upper(error: float, priors: Floats) -> float:
    """Return the mismatch whose upper bound is an error below that of the largest class.

    Examples
    --------
    >>> mismatch_at_upper(0.18, np.array([0.5, 0.5]))
    0.18
    """
    if not 0 <= error <= 1 - 1 / len(priors):
        raise ValueError(f"no mismatch of {len(priors)} classes has the upper bound {error}")
    return error


def upper_bound(mismatch: float) -> float:
    """Return the upper bound of new rows, whose priors are not known: the mismatch itself."""
    return mismatch


def divergence_error(mismatch_error: float, priors: Floats) -> float:
    """Return the error of a divergence from that of the mismatch, such as a standard error."""
    return mismatch_error / independent_mismatch(priors)


HENZE_PENROSE = Bound(
    "Henze-Penrose", bayes_error_bounds, upper_bound, mismatch_at_lower, mismatch_at_upper
)
"""The bounds of Berisha et al. and of Cover & Hart, which need the mismatch alone."""
