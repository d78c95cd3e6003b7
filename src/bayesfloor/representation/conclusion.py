"""What neighbours say of a sample, what maps say of it, and the record of what both conclude.

`bayesfloor.representation.auto` has the rule by which one of them stands.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum, auto

import numpy as np
from scipy.special import ndtri

from bayesfloor.base.arrays import Bools, Floats, Ints
from bayesfloor.base.choices import RAW
from bayesfloor.base.clustered_noise import critical_value, mean_error, widening
from bayesfloor.base.grounds import MODELS, NEIGHBOURS, REPEATS, Ground
from bayesfloor.bounds.loss import losses
from bayesfloor.bounds.sharpened import KnownMismatch
from bayesfloor.representation.learned import Learned
from bayesfloor.representation.pooling import PooledMismatch
from bayesfloor.sample.distinct_points import Cells, make_cells
from bayesfloor.sample.sample import Sample

SHARED_VARIANCE = 3.5
"""Variance that undecided rows add to the error of a rule by neighbours, over that of independent
rows. Of identical classes two rows in three are undecided, and samples of 500 and 1,000 of them in
two columns had 3.3 and 3.4 times the variance of independent rows."""
SHARED_VARIANCE_OF_MAPS = 0.7
"""The same for maps. Of identical classes nearly all rows are undecided, and samples of 300 in two
and ten columns and of 1,000 in two had 1.3, 1.5 and 1.8 times the variance."""
SURELY_MIXED = 1.5
"""Margins of error by which a discontinuous posterior must leave some mismatch, so that classes
surely mix: more than one, because what is left next to a boundary looks like it. A judgement."""
PART_DIGITS = 9
"""Digits by which probabilities are put in order: beyond, rounding would decide."""
PRIOR_ROWS = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0)
"""Rows that the neighbours' probabilities may count as, beside other rows of the same values."""


class Doubt(Enum):
    """Whether discontinuities may hide between neighbours: what becomes of models that have them.

    The gap between the mismatch and that of these models is left out, counts as one error more of
    the mismatch, or is taken as true.
    """

    NONE = auto()  # most rows are compared with their copies
    COUNTS = auto()  # neighbours are close enough to show it, or maps were learned that may find it
    DECIDES = auto()  # neighbours are far apart, and nothing else was measured


@dataclass(frozen=True, slots=True, eq=False)
class Conclusion:
    """What neighbours and maps say together."""

    rests_on: Ground
    rows: Ints  # rows with class probabilities: all, or those that were searched
    posterior: Floats  # (len(rows), m) class probabilities, a row's own label left out
    parts: Ints  # (len(rows),), parts of the rows that choose for each other
    known: KnownMismatch | None  # of these rows; None if nothing is known of the lower end
    mismatch: float  # unclipped
    se: float
    below: float  # how far the interval of the mismatch reaches down
    above: float
    doubted_below: float  # the same, as far as the bounds of the Bayes error must allow for it
    design_effect: float = 1.0  # variance of the rule's error over that of independent rows


def of_neighbours(
    sample: Sample,
    neighbours: PooledMismatch,
    confidence: float,
    mostly_copies: float,
    cells: Cells | None,
    doubt: Doubt,
) -> Conclusion:
    """Conclude from neighbours alone, with so much doubt that they hide discontinuities."""
    rows = np.flatnonzero(~np.isnan(neighbours.posterior[:, 0]))
    posterior, labels = neighbours.posterior[rows], sample.labels[rows]
    repeated = neighbours.name == RAW and neighbours.duplicates > mostly_copies
    doubt = Doubt.NONE if repeated else doubt  # copies are at no distance from each other
    below, above = neighbours.margins
    doubted = reaching_to_discontinuous(neighbours, doubt, confidence)
    parts = alternate_parts(posterior, labels)
    if repeated:
        cells = make_cells(sample) if cells is None else cells
        posterior = posterior_of_copies(sample, neighbours.posterior, cells)[rows]
        halves = cells.of_row[rows] % 2
        parts = halves if 0 < halves.mean() < 1 else parts  # all rows may be at one point
    influence = losses(posterior, labels)
    z, groups = critical_value(confidence, sample.groups), groups_of(sample, rows)
    of_labels = z**2 * mismatch_variance(influence, labels, sample, groups)
    beyond_labels = max(doubted**2 - of_labels, 0.0) ** 0.5
    value = max(min(neighbours.mismatch, float(influence.mean())), 0.0)
    in_columns = REPEATS if repeated else NEIGHBOURS
    return Conclusion(
        in_columns if neighbours.name == RAW else MODELS,
        rows,
        posterior,
        parts,
        KnownMismatch(value, influence, beyond_labels),
        neighbours.mismatch,
        neighbours.se,
        below,
        above,
        doubted,
        design_effect_of_rule(posterior, round(sample.n**0.5)),
    )


def of_maps(sample: Sample, learned: Learned, confidence: float) -> Conclusion:
    """Conclude from learned maps alone: their loss less what the learning curve still promises."""
    row_losses = losses(learned.posterior, sample.labels)
    loss, tail = float(row_losses.mean()), (1 - confidence) / 2
    noise = mean_error(row_losses, sample.groups)
    z = critical_value(confidence, sample.groups)
    wider = widening(confidence, sample.groups)
    excess = learned.curve.excess
    known, left, more, less = None, 0.0, loss, 0.0
    if not learned.is_guess and excess is not None:
        left = excess.value
        more, less = excess.quantile(1 - tail) - left, left - excess.quantile(tail)
        more, less = wider * more, wider * less
        value = max(loss - left, 0.0)
        known = KnownMismatch(value, row_losses, more)
    spread = (more + less) / (2 * z)
    return Conclusion(
        MODELS,
        np.arange(sample.n),
        learned.posterior,
        learned.partition.fold,
        known,
        loss - left,
        float(np.hypot(noise, spread)),
        float(np.hypot(z * noise, more)),
        float(np.hypot(z * noise, less)),
        float(np.hypot(z * noise, more)),
        design_effect_of_maps(learned),
    )


def with_maps(alone: Conclusion, sample: Sample, learned: Learned) -> Conclusion:
    """Replace the neighbours' class probabilities by those of the maps."""
    assert alone.known is not None
    loss = float(losses(learned.posterior, sample.labels).mean())
    return replace(
        alone,
        known=replace(alone.known, value=min(alone.known.value, loss)),
        posterior=learned.posterior[alone.rows],
        parts=learned.partition.fold[alone.rows],
        design_effect=design_effect_of_maps(learned),
    )


def reaching_down(first: Conclusion, other: Conclusion) -> Conclusion:
    """Let the mismatch of one conclusion reach down as far as that of the other."""
    assert first.known is not None
    assert other.known is not None
    known = first.known
    return replace(
        first,
        known=replace(
            known, below=max(known.below, known.value - other.known.value + other.known.below)
        ),
        below=max(first.below, first.mismatch - other.mismatch + other.below),
        doubted_below=max(first.doubted_below, first.mismatch - other.mismatch + other.below),
    )


def error_between(sample: Sample, neighbours: PooledMismatch, learned: Learned) -> float:
    """Return the standard error between the mismatch by neighbours and the loss of maps."""
    rows = np.flatnonzero(~np.isnan(neighbours.posterior[:, 0]))
    labels = sample.labels[rows]
    influence = losses(neighbours.posterior[rows], labels)
    apart = influence - losses(learned.posterior[rows], labels)  # the labels' own noise cancels
    groups = groups_of(sample, rows)
    of_labels = mismatch_variance(influence, labels, sample, groups)
    fitted = max(neighbours.se**2 - of_labels, 0.0)
    between = apart.var() / len(apart) if groups is None else mean_error(apart, groups) ** 2
    return float(np.sqrt(between + fitted))


def groups_of(sample: Sample, rows: Ints) -> Ints | None:
    """Return the groups of some rows, if there are any."""
    return None if sample.groups is None else sample.groups[rows]


def reaching_to_discontinuous(
    neighbours: PooledMismatch, doubt: Doubt, confidence: float = 0.95
) -> float:
    """Return how far the mismatch reaches down if discontinuities may hide between neighbours.

    It reaches to zero where a discontinuous posterior leaves no more mismatch than `SURELY_MIXED`
    times its margin of error: classes may then never mix.
    """
    below, _ = neighbours.margins
    if neighbours.discontinuous is None or doubt is Doubt.NONE:
        return below
    mismatch, error = neighbours.discontinuous[0], neighbours.discontinuous[1] ** 0.5
    gap = max(neighbours.mismatch - mismatch, 0.0)
    if mismatch <= SURELY_MIXED * float(ndtri(0.5 + confidence / 2)) * error:
        below = max(below, neighbours.mismatch)
    if doubt is Doubt.COUNTS:
        return float(np.hypot(below, gap))
    return gap + float(np.hypot(below, error))


def design_effect_of_rule(posterior: Floats, near: int, shared: float = SHARED_VARIANCE) -> float:
    """Return by how much rows that are right or wrong together raise the variance of their error.

    Where the classes are about as likely, the same labels decide for all rows around. Rows are
    undecided if their two likeliest classes are apart by less than the noise of `near` labels; if
    all are, the variance grows by `shared`.

    Examples
    --------
    >>> design_effect_of_rule(np.array([[0.9, 0.1], [0.2, 0.8]]), 100)
    1.0
    """
    return 1 + shared * float(undecided_rows(posterior, near).mean())


def undecided_rows(posterior: Floats, near: int) -> Bools:
    """Return whether the noise of `near` labels may decide between the two likeliest classes."""
    largest = np.partition(posterior, -2, axis=1)[:, -2:]
    return np.asarray(largest[:, 1] - largest[:, 0] < near**-0.5)


def design_effect_of_maps(learned: Learned) -> float:
    """Return by how much rows that maps decide for together raise the variance of their error."""
    near = round(len(learned.posterior) ** 0.5)
    return design_effect_of_rule(learned.posterior, near, SHARED_VARIANCE_OF_MAPS)


def counts_of_others(sample: Sample, cells: Cells) -> Ints:
    """Return the classes of the other rows with the same values, (n, m), the own group left out."""
    counts = cells.counts[cells.of_row]
    if sample.groups is not None:
        own = make_cells(sample, by_group=True)
        return np.asarray(counts - own.counts[own.of_row])
    counts[np.arange(sample.n), sample.labels] -= 1
    return counts


def posterior_of_copies(
    sample: Sample, posterior: Floats, cells: Cells, others: Ints | None = None
) -> Floats:
    """Return class probabilities by the labels of the other rows with the same values, (n, m).

    The neighbours' probabilities count as some rows more; how many is chosen for each half of the
    cells by the loss of the other half. `others` are the classes of these rows, or of some.
    """
    others = counts_of_others(sample, cells) if others is None else others
    count = others.sum(axis=1, keepdims=True)
    known = np.flatnonzero(~np.isnan(posterior[:, 0]))
    candidates = [
        (others + more * posterior) / np.where(count + more > 0, count + more, 1)
        for more in PRIOR_ROWS
    ]
    mixed = posterior.copy()
    for part in (0, 1):
        half = cells.of_row[known] % 2 == part
        rows, rest = known[half], known[~half]
        if not len(rest):
            rest = rows
        loss = [losses(one[rest], sample.labels[rest]).mean() for one in candidates]
        mixed[rows] = candidates[int(np.argmin(loss))][rows]
    return mixed


def mismatch_variance(
    influence: Floats, labels: Ints, sample: Sample, groups: Ints | None = None
) -> float:
    """Return the variance of the mismatch from the labels of these rows, at the shares counted."""
    counts = np.maximum(np.bincount(labels, minlength=sample.m), 1)
    mean = np.bincount(labels, influence, minlength=sample.m) / counts
    if groups is not None:
        return mean_error(influence - mean[labels], groups) ** 2
    spread = np.bincount(labels, (influence - mean[labels]) ** 2, minlength=sample.m) / counts
    return float(sample.priors**2 @ (spread / counts))


def alternate_parts(posterior: Floats, labels: Ints) -> Ints:
    """Return two parts of the rows in turn, in an order by their probabilities, (n,).

    Rows that agree in all of these are interchangeable, so the order in which they came decides
    nothing. Nor does that of the classes: they are put in order by what rows say of them.
    """
    rounded = posterior.round(PART_DIGITS)
    of_class = [np.bincount(labels, minlength=rounded.shape[1]), *_moments(rounded)]
    classes = np.lexsort(of_class[::-1])
    place = np.argsort(classes)
    order = np.lexsort((place[labels], *rounded[:, classes].T[::-1]))
    part = np.empty(len(labels), dtype=np.int64)
    part[order] = np.arange(len(labels)) % 2
    return part


def _moments(posterior: Floats) -> list[Floats]:
    """Return sums of powers of the probabilities of each class, the rows in any order, (m,)."""
    ordered = np.sort(posterior, axis=0)  # sums of floats depend on their order
    return [(ordered**power).sum(axis=0).round(PART_DIGITS) for power in (1, 2)]
