r"""Posteriors raised to a power, with class weights that keep their means at the priors.

At inverse temperature t the posteriors :math:`\eta_c` become

.. math:: \eta_c^{(t)} \propto w_c (\eta_c / \pi_c)^t ,

nearer to 0 and 1 for t above 1, nearer to the priors below. The weights :math:`w_c` keep the mean
of :math:`\eta_c^{(t)}` at the prior of the class: otherwise a large t would take a rare class for a
frequent one.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol, TypeAlias

import numpy as np
from scipy.special import expit, logsumexp

from bayesfloor.base.arrays import Floats

LEAST_PROBABILITY = 1e-12
"""Probability that is added where a class that no row belongs to would divide by zero."""

MOST_SOLVED_CLASSES = 1000
"""Classes up to which equations are solved at once, with the third power of their number: a tenth
of a second."""
SOLVED_TOLERANCE, MOST_PRODUCTS = 1e-8, 300
"""Relative error of weights of more classes, and products of matrices with them at most: Newton's
steps correct what is left. Judgements."""

LogWeights: TypeAlias = Floats | float
"""Logarithms of the class weights, or that of their ratio, which is enough for two classes."""


class Tempering(NamedTuple):
    """An inverse temperature and the class weights at it."""

    inverse_temperature: float
    log_weights: LogWeights


class Linearization(NamedTuple):
    """How tempered posteriors change near a tempering, to first order.

    A Newton step first corrects the weights, so that the means are the priors. From there on the
    inverse temperature moves and the weights follow.
    """

    mismatch: float  # after the correction
    slope: float  # of the mismatch, by the inverse temperature
    correction: LogWeights  # of the weights
    weight_slopes: LogWeights  # by the inverse temperature, so that the means stay
    largest_correction: float


class PosteriorFamily(Protocol):
    """The posteriors of some rows at every tempering."""

    start: Tempering
    """The tempering that leaves the posteriors as they are."""

    def posteriors(self, tempering: Tempering) -> Floats:
        """Return the posteriors, (m, rows)."""
        ...

    def potential(self, tempering: Tempering) -> float:
        """Return a convex function of the weights, least where the means are the priors."""
        ...

    def linearize(self, tempering: Tempering) -> Linearization:
        """Return how the posteriors change to first order."""
        ...


class MultiClassFamily:
    """Tempered posteriors of any number of classes.

    Arrays are (m, rows): few long rows are fast to sum over.
    """

    def __init__(self, log_ratios: Floats, priors: Floats) -> None:
        self._log_ratios, self._priors = log_ratios - log_ratios.max(axis=0), priors
        self.start = Tempering(1.0, np.log(priors))

    def posteriors(self, tempering: Tempering) -> Floats:
        """Return the posteriors, (m, rows)."""
        logs = self._log_odds(tempering)
        odds = np.exp(logs - logs.max(axis=0))
        return np.asarray(odds / odds.sum(axis=0))

    def potential(self, tempering: Tempering) -> float:
        """Return the mean logarithm of the odds' sum, less that of right means."""
        sums = logsumexp(self._log_odds(tempering), axis=0)
        return float(sums.mean() - np.dot(self._priors, tempering.log_weights))

    def linearize(self, tempering: Tempering) -> Linearization:
        """Return how the posteriors change to first order."""
        eta = self.posteriors(tempering)
        rows, squares, weighted = eta.shape[1], eta * eta, eta * self._log_ratios
        total, mean_log, means = squares.sum(axis=0), weighted.sum(axis=0), eta.mean(axis=1)
        means_by_t = (weighted.sum(axis=1) - eta @ mean_log) / rows
        lacking = np.array([self._priors - means, -means_by_t])
        correction, weight_slopes = solve_for_weights(eta, means + LEAST_PROBABILITY, lacking)
        by_weights = 2 * (eta @ total - squares.sum(axis=1)) / rows
        by_t = 2 * (np.vdot(total, mean_log) - np.vdot(eta, weighted)) / rows
        return Linearization(
            mismatch=float(1 - total.mean() + by_weights @ correction),
            slope=float(by_t + by_weights @ weight_slopes),
            correction=correction,
            weight_slopes=weight_slopes,
            largest_correction=float(np.abs(correction).max()),
        )

    def _log_odds(self, tempering: Tempering) -> Floats:
        t, log_weights = tempering
        return t * self._log_ratios + np.reshape(log_weights, (-1, 1))


def solve_for_weights(
    eta: Floats, means: Floats, lacking: Floats, most_classes: int = MOST_SOLVED_CLASSES
) -> Floats:
    """Return changes of the log weights that change the means by what is lacking, (2, m).

    The means change by the covariance of posteriors that are one class at a time. All weights
    together change nothing; ones are added, which keep their sum where it is. Of more classes than
    `most_classes` the matrix is not made: conjugate gradients multiply by its factors.
    """
    rows, m = eta.shape[1], len(means)
    if m <= most_classes:
        matrix = np.diag(means) - eta @ eta.T / rows + 1.0
        return np.asarray(np.linalg.solve(matrix, lacking.T).T)
    from scipy.sparse.linalg import LinearOperator, cg

    product = LinearOperator(
        (m, m), lambda v: means * v - eta @ (v @ eta) / rows + v.sum(), dtype=np.float64
    )
    scaled = LinearOperator((m, m), lambda v: v / means, dtype=np.float64)
    found = [
        cg(product, one, rtol=SOLVED_TOLERANCE, maxiter=MOST_PRODUCTS, M=scaled)[0]
        for one in lacking
    ]
    return np.array(found)


class TwoClassFamily:
    """Tempered posteriors of two classes, by that of the first: several times as fast.

    One weight is enough, that of the first class over the other.
    """

    def __init__(self, log_ratios: Floats, priors: Floats) -> None:
        score = log_ratios[0] - log_ratios[1]
        self._score, self._prior = score, float(priors[0])
        self._per_row = np.array([np.ones_like(score), score]).T / len(score)
        self._room = np.empty((3, len(score)))
        self.start = Tempering(1.0, float(np.log(priors[0] / priors[1])))

    def posteriors(self, tempering: Tempering) -> Floats:
        """Return the posteriors, (2, rows)."""
        first = expit(self._log_odds(tempering))
        return np.array([first, 1 - first])

    def potential(self, tempering: Tempering) -> float:
        """Return the mean logarithm of the odds' sum, less that of right means."""
        sums = np.logaddexp(0, self._log_odds(tempering))
        return float(sums.mean() - self._prior * tempering.log_weights)

    def linearize(self, tempering: Tempering) -> Linearization:
        """Return how the posteriors change to first order."""
        eta, variance, skewness = self._room
        expit(self._log_odds(tempering), out=eta)
        np.subtract(eta, eta * eta, out=variance)
        np.multiply(variance, 1 - 2 * eta, out=skewness)
        sums = (self._room @ self._per_row).tolist()
        (mean, _), (mean_by_weight, mean_by_t), (by_weight, by_t) = sums
        correction = (self._prior - mean) / (mean_by_weight + LEAST_PROBABILITY)
        weight_slope = -mean_by_t / (mean_by_weight + LEAST_PROBABILITY)
        return Linearization(
            mismatch=2 * (mean_by_weight + by_weight * correction),
            slope=2 * (by_t + by_weight * weight_slope),
            correction=correction,
            weight_slopes=weight_slope,
            largest_correction=abs(correction),
        )

    def _log_odds(self, tempering: Tempering) -> Floats:
        return np.asarray(tempering.inverse_temperature * self._score + tempering.log_weights)
