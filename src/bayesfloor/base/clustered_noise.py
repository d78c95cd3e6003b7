r"""The noise of means over rows that come in groups.

Rows of a group are not independent, groups are. The variance of a mean is then that of sums over
groups, :math:`\frac{G}{G-1} \sum_g (\sum_{i \in g} (x_i - \bar x))^2 / n^2` (Liang & Zeger 1986),
and few groups widen an interval as few rows do: by the quantiles of Student's t, with as many
degrees of freedom as groups of equal size would leave. Without groups all of this is as usual.
"""

from __future__ import annotations

import numpy as np
from scipy.special import ndtri, stdtrit

from bayesfloor.base.arrays import Floats, Ints


def mean_errors(values: Floats, groups: Ints | None = None) -> Floats:
    """Return the standard errors of the means of the columns of some values, (n, k).

    Examples
    --------
    >>> values = np.array([[0.0], [0.0], [1.0], [1.0]])
    >>> mean_errors(values).tolist(), mean_errors(values, np.array([0, 0, 1, 1])).tolist()
    ([0.25], [0.5])
    """
    if groups is None:
        return np.asarray(values.std(axis=0) / np.sqrt(len(values)))
    return np.asarray(np.sqrt(np.diag(mean_covariance(values, groups))))


def mean_error(values: Floats, groups: Ints | None = None) -> float:
    """Return the standard error of the mean of some values, (n,)."""
    return float(mean_errors(values if groups is None else values[:, None], groups).sum())


def mean_covariance(values: Floats, groups: Ints | None = None) -> Floats:
    """Return the covariance of the means of the columns of some values, (k, k)."""
    if groups is None:
        return np.atleast_2d(np.cov(values.T)) / len(values)
    apart = values - values.mean(axis=0)
    sums = np.column_stack([_group_sums(column, groups) for column in apart.T])
    return np.asarray(sums.T @ sums * _few_groups(groups) / len(values) ** 2)


def design_effect(values: Floats, groups: Ints | None, times: Ints | None = None) -> float:
    """Return the variance of a mean over that of as many independent rows, at least 1.

    Beside what was seen, one group of mean size counts whose rows are all at the far end: without
    it, values that hardly vary, such as the errors of a rule that is seldom wrong, would tell
    nothing of their groups. `times` says how often each value was seen.

    Examples
    --------
    >>> groups = np.repeat(np.arange(100), 10)
    >>> round(design_effect(np.repeat(np.arange(100) % 2.0, 10), groups), 1)
    10.1
    >>> design_effect(np.zeros(1000), groups)
    10.0
    """
    if groups is None:
        return 1.0
    times = np.ones(len(values), dtype=np.int64) if times is None else times
    n = float(times.sum())
    apart = values - float(values @ times) / n
    sums, sizes = _group_sums(apart * times, groups), _group_sums(times, groups)
    size = float(sizes @ sizes) / n
    between = float(sums @ sums) * _few_groups(groups) + size**2
    return max(between / (float(apart**2 @ times) + size), 1.0)


def label_design_effect(labels: Ints, groups: Ints | None) -> float:
    """Return the design effect of class shares: the mean size of groups if each has one class.

    Examples
    --------
    >>> label_design_effect(np.array([0, 0, 1, 1]), None)
    1.0
    """
    if groups is None:
        return 1.0
    m, n = int(labels.max()) + 1, len(labels)
    shares, sizes = np.bincount(labels, minlength=m) / n, np.bincount(groups)
    pairs, counts = np.unique(groups * m + labels, return_counts=True)
    within = n * (1 - float(shares @ shares))
    between = float(counts @ counts - 2 * (sizes[pairs // m] * counts) @ shares[pairs % m])
    between += float(sizes @ sizes) * float(shares @ shares)
    size = float(sizes @ sizes) / n
    return max((between * _few_groups(groups) + size**2) / (within + size), 1.0)


def effective_groups(groups: Ints) -> float:
    """Return the number of groups of equal size that have as much noise.

    Examples
    --------
    >>> effective_groups(np.array([0, 0, 1, 1])), effective_groups(np.array([0, 0, 0, 1]))
    (2.0, 1.6)
    """
    sizes = np.bincount(groups)
    return float(len(groups) ** 2 / (sizes @ sizes))


def critical_value(confidence: float, groups: Ints | None = None) -> float:
    """Return how many standard errors an interval reaches to each side.

    Examples
    --------
    >>> round(critical_value(0.95), 2), round(critical_value(0.95, np.arange(10)), 2)
    (1.96, 2.26)
    """
    share = 0.5 + confidence / 2
    if groups is None:
        return float(ndtri(share))
    return float(stdtrit(max(effective_groups(groups) - 1, 1.0), share))


def widening(confidence: float, groups: Ints | None = None) -> float:
    """Return how much wider an interval is because groups are few: 1 without groups."""
    return critical_value(confidence, groups) / critical_value(confidence)


def _group_sums(values: Floats | Ints, groups: Ints) -> Floats:
    return np.asarray(np.bincount(groups, values), dtype=np.float64)


def _few_groups(groups: Ints) -> float:
    count = int((np.bincount(groups) > 0).sum())
    return count / max(count - 1, 1)
