r"""What the rule of some class probabilities loses to the best rule, by what they miss.

Let p be the class probabilities of a row and η the posterior. The rule that answers with the
largest p errs more often than the best one by :math:`E[\max_c \eta_c - \eta_{\arg\max p}]`, its
excess error. The loss of p tells how much it misses, :math:`V = E|\eta - p|^2`, its loss less the
mismatch R; not where. If it misses at random, neither here more than there by what p is, the excess
error of two classes is about :math:`f V / 2`, with f the density of p at ½ and whatever the
distribution of what is missed:

.. math:: \int E(|a + \delta| - |a|) f\, da = f\, E\delta^2 .

The sharpened bound allows for more: that p misses most where this costs most, with η on either
side of ½ exactly where p is near it. Here the log-odds of p are off by some distribution, scaled to
V. Four are tried, and the one that costs most counts: normal or two-valued, in all rows or in some
of them. For p = ½ everywhere the two-valued one is the worst possible, and gives the Henze-Penrose
bound.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from bayesfloor.base.arrays import Floats, Ints
from bayesfloor.base.clustered_noise import critical_value, mean_error
from bayesfloor.bounds.loss import losses
from bayesfloor.bounds.sharpened import KnownMismatch, SharpenedBound

SIZES = np.geomspace(0.02, 30.0, 25)
"""Errors of the log-odds that are tried, from where they change nothing that shows to where they
decide any row."""
CONCENTRATIONS = (1.0, 0.3)
"""Shares of the rows that all that is missed may lie in: a judgement. Maps miss much in few rows at
discontinuities; a smaller share widens intervals."""
LEAST_PERTURBED = 1e-3
"""Class probabilities count as this much, at least: maps cannot tell less. A judgement."""
NORMAL_NODES = 15
"""Nodes of the Gauss-Hermite rule for two classes."""
DRAWS = 16
"""Pairs of opposite errors that are drawn for more than two classes. A judgement: rows average
over what is left of their noise."""
LEADING_CLASSES = 5
"""Classes that may turn out the likeliest, where there are more; the others count as one."""
MOST_PERTURBED = 100_000
"""Perturbed probabilities of a size, at most: of more rows some are taken, evenly spaced from the
least to the most certain. A judgement: all sizes take a tenth of a second."""

Perturbation = Callable[[Floats, float, bool], tuple[Floats, Floats]]
"""Perturbs log-odds by errors of a size, normal or two-valued: what is missed and what it costs."""


@dataclass(frozen=True, slots=True, eq=False)
class ExcessError:
    """The excess error of a rule, by how much its class probabilities miss: a curve a shape."""

    missed: tuple[Floats, ...]  # E|η − p|², rising
    error: tuple[Floats, ...]  # what it costs, rising

    def at(self, missed: float) -> float:
        """Return the largest excess error, over all shapes, of probabilities that miss so much.

        Examples
        --------
        >>> even = make_excess_error(np.full((4, 2), 0.5))
        >>> round(even.at(2 * 0.3**2), 2)  # η is 0.2 or 0.8
        0.3
        """
        return max(
            share * float(np.interp(missed / share, own, error))
            for own, error in zip(self.missed, self.error, strict=True)
            for share in CONCENTRATIONS
        )


def make_excess_error(posterior: Floats, most_perturbed: int = MOST_PERTURBED) -> ExcessError:
    """Perturb the log-odds of class probabilities, (n, m): errors of all sizes, both shapes."""
    falling = -np.sort(-posterior, axis=1)  # the order of classes decides nothing
    if posterior.shape[1] == 2:
        return make_excess_loss(falling, lambda eta: 1 - eta.max(axis=1), most_perturbed)
    return _make_curves(_evenly_spaced(_leading(falling), 2 * DRAWS, most_perturbed), _perturb_many)


def make_excess_loss(
    posterior: Floats,
    expected: Callable[[Floats], Floats],
    most_perturbed: int = MOST_PERTURBED,
) -> ExcessError:
    """Do the same for decisions about two classes.

    Parameters
    ----------
    posterior : (n, 2) array
        Class probabilities.
    expected : callable
        What the best answer to each row loses on average, (n,), if its probabilities are true.
    most_perturbed : int
        Perturbed probabilities of a size, at most.
    """
    rows = _evenly_spaced(posterior, NORMAL_NODES, most_perturbed)
    return _make_curves(rows, partial(_perturb_two, expected))


def _make_curves(posterior: Floats, perturb: Perturbation) -> ExcessError:
    logs = np.log(np.maximum(posterior, LEAST_PERTURBED))
    curves = [
        np.maximum.accumulate(_curve(logs, perturb, normal), axis=1) for normal in (True, False)
    ]
    return ExcessError(tuple(one[0] for one in curves), tuple(one[1] for one in curves))


def plug_in_bound(
    posterior: Floats,
    labels: Ints,
    known: KnownMismatch,
    errors: Floats,
    error_below: float,
    *,
    excess: ExcessError | None = None,
    largest: float = 1.0,
    mean: Callable[[Floats], float] = lambda values: float(values.mean()),
    confidence: float = 0.95,
    groups: Ints | None = None,
) -> SharpenedBound:
    """Bound the Bayes error from below by the rule's error and what its probabilities miss.

    Parameters
    ----------
    posterior, labels, known, confidence, groups
        As in `bayesfloor.bounds.sharpened.sharpened_bound`.
    errors : (n,) array
        Whether the rule errs on each row.
    error_below : float
        How far the limit of its error lies below.
    excess : ExcessError, optional
        What is missed costs so much; that of the error by default.
    largest : float
        The largest loss of an answer.
    mean : callable
        The mean over rows, where classes have given shares.

    Returns
    -------
    SharpenedBound
        Its sharpness is what a unit of loss costs in error.
    """
    apart = losses(posterior, labels) - known.influence  # the labels' own noise cancels
    missed = max(mean(apart) + mean(known.influence) - known.value, 0.0)
    z = critical_value(confidence, groups)
    most = missed + float(np.hypot(known.below, z * mean_error(apart, groups)))
    excess = make_excess_error(posterior) if excess is None else excess
    cost, most_cost = excess.at(missed), excess.at(most)
    slope = (most_cost - cost) / (most - missed) if most > missed else 0.0
    scores = errors - slope * apart
    value = mean(errors) - cost
    margin = float(np.hypot(error_below, most_cost - cost))
    shift = value - mean(scores)
    least = known.value - float(np.hypot(known.below, z * mean_error(known.influence, groups)))
    # Whoever draws an answer from the posterior errs with the mismatch: the best rule, at most so.
    limit = min(value - margin, largest * max(least, 0.0))
    return SharpenedBound(value, limit, slope, scores, shift, slope * known.below)


def _curve(logs: Floats, perturb: Perturbation, normal: bool) -> Floats:
    """Return what is missed and what it costs at each of `SIZES`, from zero on, (2, sizes + 1)."""
    found = [perturb(logs, float(size), normal) for size in SIZES]
    means = np.array([(missed.mean(), cost.mean()) for missed, cost in found])
    return np.hstack([np.zeros((2, 1)), means.T])


def _perturb_two(
    expected: Callable[[Floats], Floats], logs: Floats, size: float, normal: bool
) -> tuple[Floats, Floats]:
    """Perturb two classes: what each row misses, and what that costs."""
    nodes, weights = np.array([-1.0, 1.0]), np.array([0.5, 0.5])
    if normal:
        nodes, weights = np.polynomial.hermite_e.hermegauss(NORMAL_NODES)
        weights = weights / weights.sum()
    first = 1 / (1 + np.exp((logs[:, 1] - logs[:, 0])[:, None] + size * nodes))
    mean = first @ weights
    missed = 2 * ((first - mean[:, None]) ** 2 @ weights)
    known = expected(_both(first.ravel())).reshape(first.shape) @ weights
    return missed, expected(_both(mean)) - known


def _both(first: Floats) -> Floats:
    """Return the probabilities of two classes, (n, 2), from those of the first."""
    return np.column_stack([first, 1 - first])


def _perturb_many(logs: Floats, size: float, normal: bool) -> tuple[Floats, Floats]:
    """Perturb the leading classes, and the others together if there are any, by drawn errors."""
    rng = np.random.default_rng(0)
    drawn = rng.normal(size=(DRAWS, 1, logs.shape[1]))
    drawn = np.concatenate([drawn, -drawn])
    perturbed = logs + size * (drawn if normal else np.sign(drawn))
    perturbed = np.exp(perturbed - perturbed.max(axis=2, keepdims=True))
    perturbed /= perturbed.sum(axis=2, keepdims=True)
    mean = perturbed.mean(axis=0)
    missed = ((perturbed - mean) ** 2).sum(axis=2).mean(axis=0)
    cost = perturbed[..., :LEADING_CLASSES].max(axis=2).mean(axis=0)
    return missed, cost - mean[:, :LEADING_CLASSES].max(axis=1)


def _leading(falling: Floats) -> Floats:
    """Return the largest class probabilities of each row, and the others together."""
    if falling.shape[1] <= LEADING_CLASSES + 1:
        return falling
    rest = falling[:, LEADING_CLASSES:].sum(axis=1, keepdims=True)
    return np.hstack([falling[:, :LEADING_CLASSES], rest])


def _evenly_spaced(posterior: Floats, errors: int, most_perturbed: int) -> Floats:
    """Return some rows, evenly spaced by their probabilities, in whatever order they come."""
    ordered = posterior[np.lexsort(posterior.T[::-1])]
    step = -(-ordered.size * errors // most_perturbed)
    return np.asarray(ordered[step // 2 :: step])
