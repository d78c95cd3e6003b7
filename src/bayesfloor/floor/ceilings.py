"""What no classifier exceeds, class by class: ROC curve, its area, recall and precision.

Each class is told from all others. What is reached is measured on rows that the class probabilities
were not learned from. What nobody exceeds follows from the lower bounds on the loss of any rule
with some costs of misses and false alarms: each is a line that no ROC curve passes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bayesfloor.base.arrays import Bools, Floats
from bayesfloor.bounds.actions import LossTable
from bayesfloor.bounds.auc import AucInterval, best_auc, one_against_rest
from bayesfloor.bounds.decisions import LOSS_SHARPNESSES, decision_bound
from bayesfloor.bounds.loss import losses
from bayesfloor.bounds.prior_error import wilson_limit
from bayesfloor.bounds.strata import make_strata
from bayesfloor.representation.conclusion import Conclusion
from bayesfloor.sample.sample import Sample

LEVELS = np.array([0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98])
"""Posteriors at which a rule may change its answer: each gives a line that no ROC curve passes."""
RATES = np.concatenate([[0.0], np.geomspace(0.001, 1, 40)])
"""False-positive rates at which curves are given, closer where most uses are."""
AREA_RATES = (np.arange(4000) + 0.5) / 4000
"""Middles of equal steps, at which an area is summed: it is off by 1e-6 or less."""
CEILING_ROWS = 2000
"""Rows that choose the sharpness of a line: there are many lines. A judgement."""
MOST_CEILINGS = 10
"""Classes that have ceilings, the most frequent ones: each takes as long as a few bounds.
A judgement."""


@dataclass(frozen=True, slots=True)
class Rate:
    """A share that a rule reaches on held-out rows, its interval, and what no rule exceeds."""

    value: float
    interval: tuple[float, float]
    ceiling: float


@dataclass(frozen=True, slots=True, eq=False)
class ClassCeiling:
    """What can be reached and what cannot when one class is told from all others.

    Attributes
    ----------
    code : int
        The class, as an index into the classes.
    auc : AucInterval
        Area under the best ROC curve: reached, not exceeded, and the interval.
    recall : Rate
        Of the rule that answers the likeliest class; its ceiling is for rules that raise no more
        false alarms than this one.
    precision : Rate
        Of the same rule; its ceiling is for rules that find as many rows of the class.
    false_positive_rates, reached, not_exceeded : (k,) arrays
        The ROC curve on held-out rows, and the one that no classifier passes; each of its points
        holds with the confidence.
    """

    code: int
    auc: AucInterval
    recall: Rate
    precision: Rate
    false_positive_rates: Floats
    reached: Floats
    not_exceeded: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Ceilings:
    """Ceilings of the classes, with what they rest on."""

    classes: tuple[ClassCeiling, ...]
    rests_on: str  # what curves and areas that are not exceeded take for granted


def make_ceilings(sample: Sample, conclusion: Conclusion, confidence: float) -> Ceilings:
    """Tell each class from all others."""
    chosen = np.sort(np.argsort(-sample.counts, kind="stable")[:MOST_CEILINGS])
    found = tuple(_of_class(sample, conclusion, int(code), confidence) for code in chosen)
    return Ceilings(found, conclusion.rests_on.name)


def _of_class(sample: Sample, conclusion: Conclusion, code: int, confidence: float) -> ClassCeiling:
    case = _Case(sample, conclusion, code, confidence)
    share, tail, rows = case.share, (1 - confidence) / 2, 1 / conclusion.design_effect
    reached, above = roc_curve(case.scores, case.positive), _ceiling(case.lines, RATES)
    answered = conclusion.posterior.argmax(axis=1) == code
    hits, alarms = (int((answered & one).sum()) for one in (case.positive, ~case.positive))
    false_rate = np.array([alarms / max(int((~case.positive).sum()), 1)])
    most = float(_ceiling(case.lines, false_rate)[0])
    recall = _rate(hits, int(case.positive.sum()), rows, tail, most)
    found, fewest = recall.value * share, _least_alarms(case.lines, recall.value) * (1 - share)
    best = found / (found + fewest) if found + fewest > 0 else 1.0
    precision = _rate(hits, hits + alarms, rows, tail, best)
    above = np.maximum(above, reached)
    return ClassCeiling(code, case.area(rows), recall, precision, RATES, reached, above)


class _Case:
    """One class against the rest: scores, and the lines that no rule passes."""

    def __init__(
        self, sample: Sample, conclusion: Conclusion, code: int, confidence: float
    ) -> None:
        labels = sample.labels[conclusion.rows]
        self.posterior, self.known = one_against_rest(
            conclusion.posterior, labels, conclusion.known, code
        )
        self.positive, self.scores = labels == code, self.posterior[:, 0]
        self.parts, self.confidence = conclusion.parts, confidence
        self.share = float(sample.priors[code])
        self.lines = [(1.0, 0.0, 0.0), *(self._line(level) for level in LEVELS)]

    def _line(self, level: float) -> tuple[float, float, float]:
        """Return a, b, c: a times the misses plus b times the false alarms is c or more."""
        a, b = (1 - level) * self.share, level * (1 - self.share)
        if self.known is None:
            return a, b, 0.0
        labels = (~self.positive).astype(np.int64)
        found = decision_bound(
            LossTable(np.array([[0.0, level], [1 - level, 0.0]])),
            self.posterior,
            labels,
            self.known,
            self.parts,
            make_strata(labels, np.array([self.share, 1 - self.share])),
            confidence=self.confidence,
            sharpnesses=LOSS_SHARPNESSES[::4],
            most_rows=CEILING_ROWS,
        )
        return a, b, max(found.limit, 0.0)

    def area(self, rows: float) -> AucInterval:
        """Return the best area by pairs of rows, or below the lines if that is less."""
        found = best_auc(
            self.scores,
            self.positive,
            self.known,
            losses(self.posterior, (~self.positive).astype(np.int64)),
            self.parts,
            confidence=self.confidence,
            rows=rows,
        )
        below_lines = float(_ceiling(self.lines, AREA_RATES).mean())
        high = max(min(found.interval[1], below_lines), found.lower)
        return AucInterval(found.lower, min(found.upper, high), (found.interval[0], high))


def roc_curve(scores: Floats, positive: Bools, rates: Floats = RATES) -> Floats:
    """Return the share of positives found at each false-positive rate, (k,).

    Between a threshold and the next it is that of a rule that draws one of the two.

    Examples
    --------
    >>> scores, positive = np.array([0.9, 0.6, 0.4, 0.1]), np.array([True, False, True, False])
    >>> roc_curve(scores, positive, np.array([0.0, 0.25, 0.5, 1.0])).tolist()
    [0.5, 0.5, 1.0, 1.0]
    """
    order = np.argsort(-scores, kind="stable")
    last = np.append(np.diff(scores[order]) != 0, True)  # ties are answered alike
    hits, alarms = (np.cumsum(one[order])[last] for one in (positive, ~positive))
    true = np.concatenate([[0.0], hits / max(hits[-1], 1)])
    false = np.concatenate([[0.0], alarms / max(alarms[-1], 1)])
    highest = np.array([true[false <= rate].max() for rate in rates])
    return np.maximum(highest, np.interp(rates, false, true))


def _ceiling(lines: list[tuple[float, float, float]], rates: Floats) -> Floats:
    """Return the highest share of positives found at false-positive rates that no line forbids."""
    highest = [1 - (c - b * rates) / a for a, b, c in lines]
    return np.asarray(np.clip(np.min(highest, axis=0), 0.0, 1.0))


def _least_alarms(lines: list[tuple[float, float, float]], recall: float) -> float:
    """Return the lowest false-positive rate at a recall that no line forbids."""
    return float(max([0.0, *((c - a * (1 - recall)) / b for a, b, c in lines if b > 0)]))


def _rate(count: int, of: int, rows: float, tail: float, ceiling: float) -> Rate:
    """Return a share with its interval; of nothing, nothing is known."""
    if of == 0:
        return Rate(0.0, (0.0, 1.0), ceiling)
    share = count / of
    low, high = 1 - wilson_limit(1 - share, of * rows, tail), wilson_limit(share, of * rows, tail)
    return Rate(share, (low, high), max(ceiling, share))
