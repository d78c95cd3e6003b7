"""Both ends of the mean loss of the best rule, for any actions and their losses.

The upper end is what the rule by some class probabilities loses on rows that they were not learned
from. The lower end is the bound of `bayesfloor.bounds.actions` with the mismatch of the sample.

Losses at other shares of the classes are those of the sample's own measure, those of class c times
the ratio of its new share to its old one: the mismatch that the bound needs stays that of the
sample.
"""

from __future__ import annotations

import numpy as np

from bayesfloor.base.arrays import Floats, Ints
from bayesfloor.base.clustered_noise import critical_value, design_effect
from bayesfloor.bounds.actions import Actions
from bayesfloor.bounds.sharpened import KnownMismatch, SharpenedBound, spaced_rows
from bayesfloor.bounds.strata import Strata

LOSS_SHARPNESSES = np.geomspace(0.003, 300.0, 41)
"""Values of μ that are tried, in units of `Actions.scale`. They go lower than those of the error:
where an answer is rarely the best one, a small μ rules it out at most rows."""


def decision_bound(
    actions: Actions,
    posterior: Floats,
    labels: Ints,
    known: KnownMismatch,
    parts: Ints,
    strata: Strata,
    *,
    confidence: float = 0.95,
    groups: Ints | None = None,
    sharpnesses: Floats = LOSS_SHARPNESSES,
    most_rows: int | None = None,
) -> SharpenedBound:
    """Bound the loss of the best rule from below, with a limit of the confidence on its side.

    As `bayesfloor.bounds.sharpened.sharpened_bound`, for any actions: noise of the mismatch and of
    the scores is paired, and each part of the rows has the sharpness that is best for the others.

    Parameters
    ----------
    actions : Actions
        What can be answered, with its losses in the sample's own measure.
    posterior, labels, known, parts, confidence, groups
        As in `sharpened_bound`.
    strata : Strata
        Classes whose shares are given, or all rows in one.
    sharpnesses : array
        Values of μ that are tried, in units of `Actions.scale`.
    most_rows : int, optional
        Rows that choose among them; by default as many as the actions allow.

    Returns
    -------
    SharpenedBound
    """
    z = critical_value(confidence, groups)
    beside_labels = known.value - strata.mean(known.influence)
    reach = z * design_effect(known.influence, groups) ** 0.5
    own = np.take_along_axis(posterior, labels[:, None], axis=1)[:, 0]
    keys = posterior.max(axis=1), own
    rows = spaced_rows(keys, parts, most_rows or actions.choosing_rows)
    grid = actions.scale * sharpnesses
    chosen = _best_sharpness(actions, posterior, labels, known, parts, strata, reach, rows, grid)
    paired, sharpness = np.empty(len(labels)), np.empty(len(labels))
    for part, mu in chosen.items():
        rows = np.flatnonzero(parts == part)
        paired[rows] = actions.lower_scores(posterior[rows], labels[rows], mu)
        paired[rows] += mu * known.influence[rows]
        sharpness[rows] = mu
    weight = strata.mean(sharpness)
    shift, below = weight * beside_labels, weight * known.below
    value = strata.mean(paired) + shift
    margin = np.hypot(z * strata.mean_error(paired, groups), below)
    return SharpenedBound(value, value - float(margin), weight, paired, shift, below)


def _best_sharpness(
    actions: Actions,
    posterior: Floats,
    labels: Ints,
    known: KnownMismatch,
    parts: Ints,
    strata: Strata,
    z: float,
    rows: Ints,
    grid: Floats,
) -> dict[int, float]:
    """Return for each part the sharpness with the highest limit over the other parts."""
    beside_labels = known.value - strata.mean(known.influence)
    p, y, influence, own = posterior[rows], labels[rows], known.influence[rows], parts[rows]
    names = np.unique(parts)
    others = {int(part): np.flatnonzero(own != part) for part in names}
    limits: dict[int, list[float]] = {part: [] for part in others}
    for mu in grid:
        paired = actions.lower_scores(p, y, mu) + mu * influence
        for part, kept in others.items():
            rest = strata.take(rows[kept]) if len(kept) else strata.take(rows)
            values = paired[kept] if len(kept) else paired
            noise = rest.variance(values) * len(rows) / len(labels)
            reach = np.sqrt(z**2 * noise + (mu * known.below) ** 2)
            limits[part].append(rest.mean(values) + mu * beside_labels - float(reach))
    return {part: float(grid[int(np.argmax(found))]) for part, found in limits.items()}
