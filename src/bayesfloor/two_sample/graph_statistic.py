"""Whether two samples are alike: labels are permuted on the fixed graph of neighbours.

Four scores are looked at, and the largest counts: whether rows have their nearest rows in their own
sample ("near"), the same over many ranks ("broad"), whether the rows of one sample are chosen as
neighbours more often than those of the other ("degree"), as those of a narrower sample are, and
whether smooth functions of the columns differ in their means ("trend"). Each is about standard
normal over all permutations; which of them is the largest is part of what is permuted.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.sparse import csr_array
from scipy.special import log_ndtr, ndtr, ndtri_exp

from bayesfloor.base.arrays import Bools, Floats, Ints
from bayesfloor.base.executor import ALL_CORES, Executor
from bayesfloor.sample.distinct_points import Cells
from bayesfloor.two_sample.graph import NeighbourGraph
from bayesfloor.two_sample.moments import (
    LabelMoments,
    PairWeights,
    label_moments,
    linear_variance,
    overlap,
    pair_weights,
    quadratic_covariance,
    quadratic_mean,
)
from bayesfloor.two_sample.permutations import (
    PERMUTATIONS,
    PermutationTest,
    compare,
    is_complete,
    labellings,
)
from bayesfloor.two_sample.smooth_features import LOWEST_SCORE, chi_squared_score, smooth_features

PERMUTED_ROWS = 10_000
"""Rows up to which labels are permuted by default: the normal limit serves more."""
NO_VARIANCE = 1e-12
"""A variance below this share of the largest that such weights can have is zero: rounding."""
QUADRATURE = np.polynomial.legendre.leggauss(200)
"""Nodes and weights on [-1, 1] for the chance that one of two normal scores is large."""
TAIL_REACH = 10.0
"""Standard deviations below its peak from which on the integrand counts: beyond, it is 1e-22."""


@dataclass(frozen=True, slots=True)
class NeighbourTest:
    """The test of two samples on their neighbour graph.

    Attributes
    ----------
    statistic : float
        The largest of the scores.
    scores : dict of str to float
        "near", "broad", "degree" and "trend": about standard normal if the samples are alike.
    normal_p_value : float
        By the normal limit: means, variances and the correlation of the sums over pairs are exact.
    permutation : PermutationTest or None
        What permuted labels say; None where there are too many rows, unless they are asked for.
    ranks : int
        Neighbours of a row that have a weight.
    """

    statistic: float
    scores: dict[str, float]
    normal_p_value: float
    permutation: PermutationTest | None
    ranks: int

    @property
    def p_value(self) -> float:
        """That of the permutations, or of the normal limit where there are none."""
        return self.normal_p_value if self.permutation is None else self.permutation.p_value


def run_neighbour_test(
    graph: NeighbourGraph,
    cells: Cells,
    *,
    permutations: int | None = None,
    seed: int = 0,
    executor: Executor = ALL_CORES,
) -> NeighbourTest:
    """Test whether the two classes of some cells are drawn alike.

    Parameters
    ----------
    graph : NeighbourGraph
        Of these cells.
    cells : Cells
        Distinct points with the rows of each class.
    permutations : int, optional
        How often labels are permuted: by default 999 times up to 10,000 rows, else not at all.
    seed : int
        Of the permutations.
    executor : Executor
        Where permutations are tried; the result does not depend on it.
    """
    if permutations is None:
        permutations = PERMUTATIONS if cells.n <= PERMUTED_ROWS else 0
    new = int(cells.counts[:, 1].sum())
    scorer = Scorer(graph, smooth_features(cells), new)
    scores = {name: float(found[0]) for name, found in scorer(cells.counts[:, 1:]).items()}
    statistic = max(scores.values())
    permuted = None
    if permutations:
        starts = np.concatenate([[0], np.cumsum(cells.sizes)[:-1]])
        work = partial(_statistics, scorer, None if cells.single else starts)
        blocks = list(labellings(cells.n, new, permutations, seed))
        complete = is_complete(cells.n, new, permutations)
        found = np.concatenate(list(executor.map(work, blocks)))
        permuted = compare(statistic, found, complete=complete)
    limit = either_tail(statistic, scorer.correlation)
    return NeighbourTest(statistic, scores, limit, permuted, graph.ranks)


def _statistics(scorer: Scorer, starts: Ints | None, labels: Bools) -> Floats:
    """Return the statistic of each column of labels, whose rows are in the order of their cells."""
    marks = labels.astype(np.float64)
    counts = marks if starts is None else np.add.reduceat(marks, starts, axis=0)
    return np.max(list(scorer(counts).values()), axis=0)


class Scorer:
    """Scores labellings of a graph, given how many rows of each cell are new."""

    def __init__(self, graph: NeighbourGraph, features: Floats, new: int) -> None:
        self._graph, self._share, self._features = graph, new / graph.n, features
        sizes, labels = graph.sizes, label_moments(graph.n, new)
        self._squared_sd = labels.second - labels.pair  # of the mean of a feature
        self._near = _Quadratic(graph.near, sizes, labels)
        self._broad = _Quadratic(graph.broad, sizes, labels)
        self._degree_sd = np.sqrt(linear_variance(self._broad.weights.degree, sizes, labels))
        if self._degree_sd < NO_VARIANCE * np.abs(self._broad.weights.degree).max():
            self._degree_sd = 0.0
        self.correlation = self._correlation(labels)

    def _correlation(self, labels: LabelMoments) -> float:
        """Return the correlation of the two sums over pairs."""
        graph, near, broad = self._graph, self._near, self._broad
        if near.sd == 0 or broad.sd == 0:
            return 0.0
        both = overlap(graph.near, graph.broad, graph.sizes)
        shared = quadratic_covariance(near.weights, broad.weights, both, graph.sizes, labels)
        return float(np.clip(shared / (near.sd * broad.sd), -1.0, 1.0))

    def __call__(self, counts: Floats | Ints) -> dict[str, Floats]:
        """Return the scores of labellings, (b,), by the new rows of each cell, (u, b)."""
        sizes, q = self._graph.sizes, self._share
        centred = counts - q * sizes[:, None]
        squares = counts * (1 - 2 * q) + (sizes * q**2)[:, None]
        degree = self._broad.weights.degree
        linear = degree @ centred
        nothing = np.zeros_like(linear)
        return {
            "near": self._near.scores(centred, squares),
            "broad": self._broad.scores(centred, squares),
            "degree": two_sided_score(linear / self._degree_sd) if self._degree_sd else nothing,
            "trend": self._trend(centred) if self._features.shape[1] else nothing,
        }

    def _trend(self, centred: Floats) -> Floats:
        """Return the scores of the smooth functions: their squared means together."""
        squared = ((self._features.T @ centred) ** 2).sum(axis=0) / self._squared_sd
        return chi_squared_score(squared, self._features.shape[1])


class _Quadratic:
    """The sum of products of centred labels over the pairs of a graph, as a score."""

    def __init__(self, graph: csr_array, sizes: Ints, labels: LabelMoments) -> None:
        self._graph = graph
        self.weights: PairWeights = pair_weights(graph, sizes)
        self._mean = quadratic_mean(self.weights, labels)
        own = overlap(graph, graph, sizes)
        variance = quadratic_covariance(self.weights, self.weights, own, sizes, labels)
        largest = 2 * own * labels.two_pairs
        self.sd = float(np.sqrt(variance)) if variance > NO_VARIANCE * largest else 0.0

    def scores(self, centred: Floats, squares: Floats) -> Floats:
        """Return the scores of labellings; 0 where the sum is the same for all."""
        sums = np.einsum("cb,cb->b", centred, self._graph @ centred) - self.weights.own @ squares
        return np.asarray((sums - self._mean) / self.sd if self.sd else 0 * sums)


def two_sided_score(z: Floats) -> Floats:
    """Return the normal score that is exceeded as often as |z| is, on both sides together.

    Examples
    --------
    >>> two_sided_score(np.array([1.959964, -50.0])).round(3).tolist()
    [1.645, 49.986]
    """
    log_chance = np.minimum(np.log(2) + log_ndtr(-np.abs(z)), 0.0)
    return np.maximum(-ndtri_exp(log_chance), LOWEST_SCORE)


def either_tail(score: float, correlation: float) -> float:
    r"""Return the chance that one of four normal scores exceeds a number.

    Two of them are correlated: :math:`P(\max(A, B) > t)` is :math:`P(A > t)` and
    :math:`\int_{-\infty}^t \varphi(a) P(B > t | a) da`. The others count as independent.

    Examples
    --------
    >>> round(either_tail(1.0, 0.0), 6)  # 1 - Φ(1)⁴
    0.498933
    """
    rho = min(max(correlation, -1 + 1e-9), 1 - 1e-9)
    nodes, weights = QUADRATURE
    low = min(rho * score, score) - TAIL_REACH
    a = low + (score - low) * (nodes + 1) / 2
    density = np.exp(-(a**2) / 2) / np.sqrt(2 * np.pi)
    beyond = ndtr(-(score - rho * a) / np.sqrt(1 - rho**2))
    one = float(ndtr(-score))
    either = one + float(weights @ (density * beyond)) * (score - low) / 2
    others = one * (2 - one)
    return min(either + (1 - either) * others, 1.0)
