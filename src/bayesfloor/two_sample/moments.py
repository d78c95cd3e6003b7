"""Exact moments of sums over a graph when labels are permuted over its rows.

Of n rows, a share q is in the second sample; u is 1 − q there and −q elsewhere, so that Σu = 0. A
graph gives pairs of different rows the symmetric weights C_ij, and Q = Σ C_ij u_i u_j is large
where rows have neighbours of their own sample. The labels are permuted, the graph is fixed.

References
----------
Daniels (1944), Biometrika 33, 129-135; Friedman & Rafsky (1979), Ann. Statist. 7, 697-717; for
centred labels Chen, Chen & Su (2018), JASA 113, 1146-1155.
"""

from __future__ import annotations

from dataclasses import dataclass

from scipy.sparse import csr_array

from bayesfloor.base.arrays import Floats, Ints


@dataclass(frozen=True, slots=True)
class LabelMoments:
    """Means of products of centred labels over different rows, labels permuted."""

    second: float  # u_i²
    pair: float  # u_i u_j
    two_pairs: float  # u_i² u_j²
    shared: float  # u_i² u_j u_k
    apart: float  # u_i u_j u_k u_l


def label_moments(n: int, new: int) -> LabelMoments:
    """Return the moments for n rows, some of them new.

    Sums of products over different rows follow from Σu² and Σu⁴ because Σu = 0.

    Examples
    --------
    >>> found = label_moments(4, 2)
    >>> found.second, round(found.pair, 6), found.two_pairs, round(found.apart, 6)
    (0.25, -0.083333, 0.0625, 0.0625)
    """
    q = new / n
    squares = n * q * (1 - q)
    fourths = new * (1 - q) ** 4 + (n - new) * q**4
    pairs = n * (n - 1)
    return LabelMoments(
        squares / n,
        -squares / pairs,
        (squares**2 - fourths) / pairs,
        (2 * fourths - squares**2) / (pairs * (n - 2)),
        (3 * squares**2 - 6 * fourths) / (pairs * (n - 2) * (n - 3)),
    )


@dataclass(frozen=True, slots=True, eq=False)
class PairWeights:
    """What the moments of a sum over pairs of rows depend on."""

    own: Floats  # (u,) weight of two rows of one cell
    degree: Floats  # (u,) weights of a row, summed over its partners
    total: float  # of all weights, each pair twice


def pair_weights(graph: csr_array, sizes: Ints) -> PairWeights:
    """Sum up the weights of a graph between cells of some sizes."""
    own = graph.diagonal()
    degree = (graph @ sizes + graph.T @ sizes) / 2 - own
    return PairWeights(own, degree, float(degree @ sizes))


def overlap(one: csr_array, other: csr_array, sizes: Ints) -> float:
    """Return Σ C_ij C'_ij over ordered pairs of different rows, for two graphs made symmetric."""
    products = one.multiply(other) + one.multiply(other.T)
    twice = sizes @ (products @ sizes) - sizes @ products.diagonal()
    return float(twice) / 2


def quadratic_mean(weights: PairWeights, labels: LabelMoments) -> float:
    """Return the mean of Q."""
    return weights.total * labels.pair


def quadratic_covariance(
    one: PairWeights, other: PairWeights, shared: float, sizes: Ints, labels: LabelMoments
) -> float:
    """Return the covariance of the sums Q over two graphs, whose `overlap` is given.

    Two ordered pairs of rows are the same pair, share a row, or have no row in common.
    """
    touching = float(sizes @ (one.degree * other.degree))
    sharing = 4 * (touching - shared)
    apart = one.total * other.total - 2 * shared - sharing
    product = 2 * shared * labels.two_pairs + sharing * labels.shared + apart * labels.apart
    return product - quadratic_mean(one, labels) * quadratic_mean(other, labels)


def linear_variance(values: Floats, sizes: Ints, labels: LabelMoments) -> float:
    """Return the variance of Σ v_i u_i, for a value of the rows of each cell."""
    n = float(sizes.sum())
    centred = values - float(sizes @ values) / n
    return (labels.second - labels.pair) * float(sizes @ centred**2)
