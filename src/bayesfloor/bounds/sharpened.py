r"""The Henze-Penrose lower bound, sharpened by class probabilities.

Let p be any class probabilities of a row that were computed without its label, μ > 0 and w the
Euclidean projection of 2μp onto the simplex. At every point

.. math:: \max_c \eta_c \le w \cdot \eta + \frac{1 - |w|^2}{4\mu} + \mu |\eta - p|^2,

so that :math:`\epsilon^* \ge 1 - E[w_Y + (1 - |w|^2)/(4\mu) + \mu|e_Y - p|^2] + \mu R` with the
mismatch R. The proof is in docs/method.md. With uniform p the best μ gives the Henze-Penrose bound;
with p = η and μ → ∞ it is the Bayes error itself.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bayesfloor.base.arrays import Floats, Ints
from bayesfloor.base.clustered_noise import critical_value, design_effect, mean_error
from bayesfloor.bounds.loss import losses

SHARPNESSES = np.geomspace(0.3, 300.0, 37)
"""Values of μ that are tried: from where the projection of any p has no zero, to where a gap of
1/600 between two classes decides. Steps of a fifth lose nothing that shows."""
MOST_CHOOSING_ROWS = 20_000
"""Rows that choose μ at most: the bound is flat about the best one. A judgement."""


@dataclass(frozen=True, slots=True, eq=False)
class KnownMismatch:
    """What is known of the mismatch, in a form that can be paired with the rows' losses."""

    value: float
    influence: Floats  # (n,), what each row's label adds to it; only its variation counts
    below: float  # how far the lower end of its interval may lie below, labels aside


@dataclass(frozen=True, slots=True, eq=False)
class SharpenedBound:
    """A lower bound on the Bayes error: as estimated, and with its margin of error.

    It is the mean of `scores` plus `shift`, so that its noise can be paired with other figures of
    the same rows.
    """

    value: float
    limit: float
    sharpness: float  # μ, its mean over the parts of the rows
    scores: Floats  # (n,), what each row adds, by its label's influence on the mismatch too
    shift: float  # what the mismatch adds beside the rows' own labels
    below: float  # how far the limit lies below for it

    def times(self, unit: float) -> SharpenedBound:
        """Return the same in another unit."""
        return SharpenedBound(
            unit * self.value,
            unit * self.limit,
            self.sharpness,
            unit * self.scores,
            unit * self.shift,
            unit * self.below,
        )


def project_to_simplex(points: Floats) -> Floats:
    """Return the Euclidean projection of each row onto the simplex, (n, m) [1]_.

    References
    ----------
    .. [1] Held, Wolfe & Crowder (1974), Math. Program. 6, 62-88.

    Examples
    --------
    >>> project_to_simplex(np.array([[0.4, 0.2], [3.0, 0.0]])).round(6).tolist()
    [[0.6, 0.4], [1.0, 0.0]]
    """
    n, m = points.shape
    if m == 2:
        first = np.clip((1 + points[:, 0] - points[:, 1]) / 2, 0.0, 1.0)
        return np.column_stack([first, 1 - first])
    falling = -np.sort(-points, axis=1)
    excess = np.cumsum(falling, axis=1) - 1
    count = (falling * np.arange(1, m + 1) > excess).sum(axis=1)
    threshold = excess[np.arange(n), count - 1] / count
    return np.maximum(points - threshold[:, None], 0.0)


def lower_scores(posterior: Floats, labels: Ints, sharpness: float) -> Floats:
    r"""Return what each row adds to the bound, (n,): their mean plus μR bounds the Bayes error.

    It is :math:`1 - w_y - (1 - |w|^2)/(4\mu) - \mu|e_y - p|^2`.

    Parameters
    ----------
    posterior : (n, m) array
        Class probabilities of each row, computed without its label.
    labels : (n,) array
        The class of each row.
    sharpness : float
        μ.

    Examples
    --------
    >>> lower_scores(np.array([[0.9, 0.1]]), np.array([1]), 100.0).round(2).tolist()
    [-161.0]
    """
    w = project_to_simplex(2 * sharpness * posterior)
    own = np.take_along_axis(w, labels[:, None], axis=1)[:, 0]
    spread = (1 - np.einsum("ij,ij->i", w, w)) / (4 * sharpness)
    return np.asarray(1 - own - spread - sharpness * losses(posterior, labels))


def sharpened_bound(
    posterior: Floats,
    labels: Ints,
    known: KnownMismatch,
    parts: Ints,
    *,
    confidence: float = 0.95,
    groups: Ints | None = None,
    most_rows: int = MOST_CHOOSING_ROWS,
) -> SharpenedBound:
    """Bound the Bayes error from below, with a limit that holds with the confidence on its side.

    The mismatch and the losses come from the same labels. Their noise is paired: a row counts with
    its score plus μ times its influence on the mismatch, and as the probabilities near the
    posterior the two cancel. Each part of the rows is measured with the μ that is best for the
    other parts, so that the choice is not flattered by its own rows.

    Parameters
    ----------
    posterior : (n, m) array
        Class probabilities of each row, computed without its label.
    labels : (n,) array
        The class of each row.
    known : KnownMismatch
        The mismatch.
    parts : (n,) array
        The part of each row, two or more parts.
    confidence : float
        Of the interval that the limit is the lower end of.
    groups : (n,) array, optional
        What each row belongs to: rows of a group are not independent.
    most_rows : int
        Rows that choose μ.

    Returns
    -------
    SharpenedBound
    """
    z, n = critical_value(confidence, groups), len(labels)
    # The mismatch is the mean influence plus what does not come from the rows' own labels.
    beside_labels = known.value - float(known.influence.mean())
    effect = design_effect(known.influence, groups) ** 0.5
    chosen = _best_sharpness(posterior, labels, known, parts, z * effect, most_rows)
    paired, weight = np.empty(n), 0.0
    for part, sharpness in chosen.items():
        rows = np.flatnonzero(parts == part)
        paired[rows] = lower_scores(posterior[rows], labels[rows], sharpness)
        paired[rows] += sharpness * known.influence[rows]
        weight += sharpness * len(rows) / n
    shift, below = weight * beside_labels, weight * known.below
    value = float(paired.mean()) + shift
    margin = np.hypot(z * mean_error(paired, groups), below)
    return SharpenedBound(value, value - float(margin), weight, paired, shift, below)


def _best_sharpness(
    posterior: Floats,
    labels: Ints,
    known: KnownMismatch,
    parts: Ints,
    z: float,
    most_rows: int,
) -> dict[int, float]:
    """Return for each part the μ with the highest limit over the other parts."""
    beside_labels = known.value - float(known.influence.mean())
    rows = spaced_rows((labels, posterior[:, 0]), parts, most_rows)
    p, y, influence = posterior[rows], labels[rows], known.influence[rows]
    names, own = np.unique(parts[rows], return_inverse=True)
    count = np.bincount(own)
    others = len(rows) - count if len(names) > 1 else count
    paired = _score_table(p, y) + SHARPNESSES[:, None] * influence
    membership = (own[:, None] == np.arange(len(names))).astype(np.float64)
    first, second = paired @ membership, paired**2 @ membership  # (sharpnesses, parts)
    if len(names) > 1:
        first, second = (part.sum(axis=1, keepdims=True) - part for part in (first, second))
    mean, square = first / others, second / others
    noise = np.maximum(square - mean**2, 0.0) / others * len(rows) / len(labels)
    reach = np.sqrt(z**2 * noise + (SHARPNESSES[:, None] * known.below) ** 2)
    best = (mean + SHARPNESSES[:, None] * beside_labels - reach).argmax(axis=0)
    return {int(name): float(SHARPNESSES[j]) for name, j in zip(names, best, strict=True)}


def _score_table(posterior: Floats, labels: Ints) -> Floats:
    """Return the scores of all rows for each of `SHARPNESSES`, (sharpnesses, n)."""
    if posterior.shape[1] > 2:
        return np.array([lower_scores(posterior, labels, mu) for mu in SHARPNESSES])
    mu = SHARPNESSES[:, None]
    own = np.take_along_axis(posterior, labels[:, None], axis=1)[:, 0]
    w = np.clip(0.5 + mu * (2 * own - posterior.sum(axis=1)), 0.0, 1.0)
    return np.asarray(1 - w - w * (1 - w) / (2 * mu) - mu * losses(posterior, labels))


def spaced_rows(keys: tuple[Floats | Ints, ...], parts: Ints, most_rows: int) -> Ints:
    """Return rows of each part, evenly spaced by some keys, the last of which counts most."""
    step = -(-len(parts) // most_rows)
    if step <= 1:
        return np.arange(len(parts))
    order = np.lexsort(keys)
    return np.concatenate([order[parts[order] == part][::step] for part in np.unique(parts)])
