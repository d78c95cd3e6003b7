r"""What follows from the class shares being counted in a sample.

Shares :math:`\pi_c` that were left to chance are off by some √(π_c(1 − π_c)/n). A figure of new
rows that has the mean :math:`x_c` in class c, such as an error, then has the standard error
:math:`\sqrt{\sum_c \pi_c (x_c - \bar x)^2 / n}` beside what it has at given shares.
"""

from __future__ import annotations

import numpy as np
from scipy.special import ndtri

from bayesfloor.base.arrays import Floats


def prior_error(means: Floats, priors: Floats, n: float) -> float:
    """Return the standard error of a figure from the chance of class shares.

    Examples
    --------
    >>> of_the_share = prior_error(np.array([0.0, 1.0]), np.array([0.9, 0.1]), 100)
    >>> round(of_the_share, 6)
    0.03
    """
    return float(np.sqrt(priors @ (means - priors @ means) ** 2 / n))


def minority_limit(priors: Floats, n: float, tail: float) -> float:
    """Upper limit of the share of all classes but the largest, exceeded with the chance `tail`.

    It is Wilson's limit of a count (1927). Of several classes that may be the largest, the one that
    looks it does so by chance: each has its part of the tail (Bonferroni).

    Examples
    --------
    >>> round(minority_limit(np.array([0.9, 0.1]), 100, 0.025), 3)
    0.174
    """
    share = 1 - float(priors.max())
    near = 2 * (wilson_limit(share, n, tail / len(priors)) - share)
    rivals = int((priors >= priors.max() - near).sum())
    return wilson_limit(share, n, tail / rivals)


def wilson_limit(share: float, n: float, tail: float) -> float:
    """Upper limit of a share that was counted in n rows, exceeded with the chance `tail` [1]_.

    Rows that are not independent count as fewer, not a whole number of them.

    References
    ----------
    .. [1] Wilson (1927), J. Am. Stat. Assoc. 22, 209-212.

    Examples
    --------
    >>> round(wilson_limit(0.1, 100, 0.025), 3)
    0.174
    """
    z = -float(ndtri(tail))
    spread = z * float(np.sqrt(share * (1 - share) / n + z * z / (4 * n * n)))
    return (share + z * z / (2 * n) + spread) / (1 + z * z / n)
