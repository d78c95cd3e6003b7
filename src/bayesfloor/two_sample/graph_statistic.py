"""Whether two samples are alike: labels are permuted on the fixed graph of neighbours.

Five scores are looked at, and the largest counts: whether rows have their nearest rows in their own
sample ("near"), the same over many ranks ("broad"), whether the rows of one sample are chosen as
neighbours more often than those of the other ("degree"), as those of a narrower sample are, whether
linear and quadratic functions of the columns differ in their means ("trend"), and whether waves of
their ranks do ("waves"). Each is about standard normal over all permutations; which of them is the
largest is part of what is permuted.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from bayesfloor.base.arrays import Bools, Floats, Ints
from bayesfloor.base.executor import ALL_CORES, Executor
from bayesfloor.sample.distinct_points import Cells
from bayesfloor.two_sample.correlations import correlations, unit_feature
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
    cell_counts,
    compare_with_permuted,
    is_complete,
)
from bayesfloor.two_sample.smooth_features import (
    SmoothFeatures,
    chi_squared_score,
    smooth_features,
)
from bayesfloor.two_sample.tails import largest_tail, two_sided_score

PERMUTED_PAIRS = 1_000_000
"""Joined pairs up to which labels are permuted by default: some 15,000 different rows, or any
number that are mostly copies. Beyond, the normal limit serves. A second of permutations."""
NO_VARIANCE = 1e-12
"""A variance below this share of the largest that such weights can have is zero: rounding."""


@dataclass(frozen=True, slots=True)
class NeighbourTest:
    """The test of two samples on their neighbour graph.

    Attributes
    ----------
    statistic : float
        The largest of the scores.
    scores : dict of str to float
        "near", "broad", "degree", "trend" and "waves": about standard normal if the samples are
        alike.
    normal_p_value : float
        By the normal limit: means, variances and correlations of the sums over pairs are exact.
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
    max_memory: int | None = None,
) -> NeighbourTest:
    """Test whether the two classes of some cells are drawn alike.

    Parameters
    ----------
    graph : NeighbourGraph
        Of these cells.
    cells : Cells
        Distinct points with the rows of each class.
    permutations : int, optional
        How often labels are permuted: by default 999 times where few pairs are joined, else not
        at all.
    seed : int
        Of the permutations.
    executor : Executor
        Where permutations are tried; the result does not depend on it.
    max_memory : int, optional
        Bytes that functions of the columns may take.
    """
    if permutations is None:
        permutations = PERMUTATIONS if graph.broad.nnz <= PERMUTED_PAIRS else 0
    new = int(cells.counts[:, 1].sum())
    scorer = Scorer(graph, smooth_features(cells, max_memory), new)
    scores = {name: float(found[0]) for name, found in scorer(cells.counts[:, 1:]).items()}
    statistic = max(scores.values())
    permuted = None
    if permutations:
        blocks = list(cell_counts(cells.sizes, new, permutations, seed))
        found = np.concatenate(list(executor.map(scorer.largest, blocks)))
        complete = is_complete(cells.n, new, permutations)
        permuted = compare_with_permuted(statistic, found, complete=complete)
    limit = largest_tail(statistic, scorer.correlations)
    return NeighbourTest(statistic, scores, limit, permuted, graph.ranks)


class Scorer:
    """Scores labellings of a graph, given how many rows of each cell are new."""

    def __init__(self, graph: NeighbourGraph, features: SmoothFeatures, new: int) -> None:
        self._graph, self._share, self._features = graph, new / graph.n, features
        sizes, labels = graph.sizes, label_moments(graph.n, new)
        self._squared_sd = labels.second - labels.pair  # of the mean of a feature
        self._near = _Quadratic(graph.near, sizes, labels)
        self._broad = _Quadratic(graph.broad, sizes, labels)
        self._degree_sd = np.sqrt(linear_variance(self._broad.weights.degree, sizes, labels))
        if self._degree_sd < NO_VARIANCE * np.abs(self._broad.weights.degree).max():
            self._degree_sd = 0.0
        degree = unit_feature(self._broad.weights.degree, sizes)
        sums = (graph.near, graph.broad, degree, features.trend, features.waves)
        self.correlations = correlations(sums, sizes, labels)

    def largest(self, counts: Bools | Ints) -> Floats:
        """Return the largest score of each labelling, (b,)."""
        return np.asarray(np.max(list(self(counts).values()), axis=0))

    def __call__(self, counts: Bools | Ints) -> dict[str, Floats]:
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
            "trend": self._means(self._features.trend, centred),
            "waves": self._means(self._features.waves, centred),
        }

    def _means(self, features: Floats, centred: Floats) -> Floats:
        """Return the scores of smooth functions: their squared means together; 0 without any."""
        if not features.shape[1]:
            return np.zeros(centred.shape[1])
        squared = ((features.T @ centred) ** 2).sum(axis=0) / self._squared_sd
        return chi_squared_score(squared, features.shape[1])


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
