"""The classifier test: whether a classifier tells rows of two samples apart that it has not seen.

Rows are put into parts at random. Each part is scored by a classifier that was learned from the
parts before it, and the rank sum of the scores is compared with that of permuted labels. Given the
parts before, a part's labels are exchangeable if the samples are alike, so that its standardised
rank sum has mean 0 and variance 1 whatever was learned, and no two parts are correlated. Scoring
every part by all others, as cross-validation does, counts each pair of parts twice: the
standardised sum then has up to twice the variance.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

from bayesfloor.base.arrays import Floats, Ints
from bayesfloor.base.errors import DataError
from bayesfloor.base.executor import ALL_CORES, Executor
from bayesfloor.representation.cross_fitting import LearningTask, learn_probabilities, run_fits
from bayesfloor.representation.maps import MAPS, TrainingSize
from bayesfloor.representation.partition import Split
from bayesfloor.sample.folds import assign_folds
from bayesfloor.sample.sample import Sample

SCORED_PARTS = 5
"""Parts of the rows; all but the first are scored. A judgement."""
CLASSIFIERS = ("logistic", "quadratic", "boosting in small steps", "boosting")
"""Names of the maps whose probabilities are averaged, where they suit the number of rows."""
MOST_LEARNED_ROWS = 20_000
"""Rows that a classifier learns from, at most: more take a minute and change little."""


@dataclass(frozen=True, slots=True)
class ClassifierTest:
    """Whether a classifier tells the samples apart.

    Attributes
    ----------
    p_value : float
        Of the rank sums of all parts together, by their normal limit.
    auc : float
        Chance that a new row scores higher than an old one: ½ if they cannot be told apart.
    """

    p_value: float
    auc: float


@dataclass(frozen=True, slots=True)
class _PartScore:
    """The standardised rank sum of a part, its area under the curve and its weights."""

    z: float
    auc: float
    weight: float
    pairs: float


def run_classifier_test(
    sample: Sample,
    *,
    seed: int = 0,
    executor: Executor = ALL_CORES,
    advance: Callable[[int], None] | None = None,
) -> ClassifierTest | None:
    """Test whether a classifier tells classes 0 and 1 of a sample apart.

    Returns None where no part can be scored: too few rows.
    """
    part = assign_folds(
        np.zeros(sample.n, dtype=np.int64), SCORED_PARTS, np.random.default_rng(seed)
    )
    splits = [
        Split(_at_most(np.flatnonzero(part < f), seed), np.flatnonzero(part == f))
        for f in range(1, SCORED_PARTS)
    ]
    usable = [
        split
        for split in splits
        if np.unique(sample.labels[split.training]).size == 2
        and np.unique(sample.labels[split.held_out]).size == 2
    ]
    scores = _scores(sample, usable, executor, advance)
    found = [
        _score_part(one, sample.labels[split.held_out], len(split.training))
        for one, split in zip(scores, usable, strict=True)
        if one is not None
    ]
    return _combine(found) if found else None


def _at_most(rows: Ints, seed: int) -> Ints:
    if len(rows) <= MOST_LEARNED_ROWS:
        return rows
    return np.sort(np.random.default_rng(seed).choice(rows, MOST_LEARNED_ROWS, replace=False))


def _scores(
    sample: Sample,
    splits: list[Split],
    executor: Executor,
    advance: Callable[[int], None] | None,
) -> list[Floats | None]:
    """Return the mean probability of class 1 of the measured rows of each split."""
    spread = np.sqrt(sample.points.var(axis=0).sum()) or 1.0
    maps = {name: MAPS[name] for name in CLASSIFIERS}
    task = LearningTask(sample.points, sample.d, sample.labels, np.arange(2), maps, spread)
    wanted = [
        (s, name)
        for s, split in enumerate(splits)
        for name in CLASSIFIERS
        if maps[name].suits(TrainingSize(len(split.training), sample.d, 2))
    ]

    def learn(item: tuple[int, str]) -> Floats | DataError:
        return learn_probabilities(task, item[1], splits[item[0]])

    found = run_fits(learn, wanted, executor=executor, advance=advance)
    kept: list[list[Floats]] = [[] for _ in splits]
    for (s, _), one in zip(wanted, found, strict=True):
        if not isinstance(one, DataError):
            kept[s].append(one[:, 1])
    return [np.mean(some, axis=0) if some else None for some in kept]


def _score_part(scores: Floats, labels: Ints, learned_from: int) -> _PartScore:
    """Standardise the rank sum of the scores of new rows; tied scores share their ranks.

    Where a difference is small, what a classifier finds grows with the square root of the rows it
    was learned from, and what a part shows with that of its own rows: this is its weight.
    """
    from scipy.stats import rankdata

    ranks, k, new = rankdata(scores), len(labels), int(labels.sum())
    excess = float(ranks[labels == 1].sum()) - new * (k + 1) / 2
    pairs = new * (k - new)
    variance = pairs / (k * (k - 1)) * float(((ranks - (k + 1) / 2) ** 2).sum())
    z = excess / np.sqrt(variance) if variance > 0 else 0.0
    return _PartScore(
        float(z), 0.5 + excess / pairs, float(np.sqrt(learned_from * k)), float(pairs)
    )


def _combine(parts: list[_PartScore]) -> ClassifierTest:
    """Add up the parts: normal scores by weight, areas by their number of pairs."""
    z, auc, weight, pairs = np.array([(p.z, p.auc, p.weight, p.pairs) for p in parts]).T
    together = float(weight @ z / np.linalg.norm(weight))
    return ClassifierTest(float(ndtr(-together)), float(pairs @ auc / pairs.sum()))
