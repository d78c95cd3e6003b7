"""Both ends of the loss of a decision, and the estimate between them."""

from __future__ import annotations

from dataclasses import dataclass
from math import hypot

import numpy as np
from scipy.special import ndtri

from bayesfloor.base.arrays import Floats
from bayesfloor.bounds.actions import LossTable
from bayesfloor.bounds.decisions import decision_bound
from bayesfloor.bounds.excess_error import make_excess_loss, plug_in_bound
from bayesfloor.bounds.henze_penrose import Bound
from bayesfloor.bounds.posterior_error import TemperedPosteriors
from bayesfloor.bounds.prior_error import minority_limit, prior_error
from bayesfloor.bounds.sharpened import KnownMismatch, SharpenedBound
from bayesfloor.bounds.strata import Strata, make_strata, mean_limit
from bayesfloor.bounds.tempered_posteriors import LEAST_PROBABILITY
from bayesfloor.floor.decision import Decision
from bayesfloor.floor.limits import Ends, Limits, counted_rows, rows_as_one
from bayesfloor.representation.conclusion import Conclusion, groups_of
from bayesfloor.sample.sample import Sample


@dataclass(frozen=True, slots=True)
class ConstantAnswer:
    """The best answer that does not look at the row: what anybody reaches."""

    text: str  # what it does
    loss: float
    limit: float  # upper end of its interval


@dataclass(frozen=True, slots=True)
class DecisionLimits:
    """The ends of a decision, the estimate between them, and the best constant answer."""

    ends: Ends
    estimate: float
    estimate_interval: tuple[float, float]
    constant: ConstantAnswer


def decision_limits(
    sample: Sample,
    conclusion: Conclusion,
    decision: Decision,
    limits: Limits,
    bound: Bound,
    confidence: float,
) -> DecisionLimits:
    """Return the ends of a decision.

    Parameters
    ----------
    sample, conclusion, bound, confidence
        As in `bayesfloor.floor.limits.make_limits`.
    decision : Decision
        The answers that are allowed, and what they lose.
    limits : Limits
        Those of the error on rows like these.
    """
    tail = (1 - confidence) / 2
    answer = decision.constant_answer(sample.priors)
    if decision.unit is not None:  # the error itself, in another currency
        return _in_units(limits, decision.unit, sample, answer, confidence)
    rows = _StratifiedRows(sample, conclusion, decision)
    constant = ConstantAnswer(answer, *rows.constant(confidence))
    losses = decision.actions.held_out(conclusion.posterior, rows.labels)
    upper = min(rows.strata.mean(losses), constant.loss)
    together = rows_as_one(losses, rows.groups, confidence, least=conclusion.design_effect)
    high = mean_limit(losses, rows.strata, rows.largest, 1 / together, tail)
    high = max(min(high, constant.limit), upper)
    lower, low, found = rows.lower_end(confidence)
    lower = min(max(lower, rows.least), upper)
    ends = Ends(lower, upper, (min(max(low, rows.least), lower), high), found)
    return DecisionLimits(ends, *_estimate(rows, limits, ends, bound, confidence), constant)


class _StratifiedRows:
    """The rows of a conclusion, with the strata of a decision."""

    def __init__(self, sample: Sample, conclusion: Conclusion, decision: Decision) -> None:
        self.sample, self.conclusion, self.actions = sample, conclusion, decision.actions
        self.labels = sample.labels[conclusion.rows]
        self.groups = groups_of(sample, conclusion.rows)
        self.given = decision.priors is not None
        self.strata: Strata = make_strata(self.labels, sample.priors if self.given else None)
        by_class = self.actions.largest
        self.largest: Floats = by_class if self.given else by_class.max(keepdims=True)
        least = self.actions.losses.min(axis=0) if isinstance(self.actions, LossTable) else 0.0
        self.least = float(np.sum(least * sample.priors))

    def constant(self, confidence: float) -> tuple[float, float]:
        """Return the loss of the best constant answer, and its upper limit.

        At given shares, or with the same loss for all classes, it is no matter of chance. Of
        several answers that may be the best one, the one that looks it does so by chance: each has
        its part of the tail.
        """
        losses = self.actions.best_constant(self.sample.priors)
        loss = float(losses @ self.sample.priors)
        if self.given or np.ptp(losses) == 0:
            return loss, loss
        strata, values = make_strata(self.sample.labels, None), losses[self.sample.labels]
        tail = (1 - confidence) / 2 / self.sample.m
        independent = counted_rows(self.sample, confidence) / self.sample.n
        limit = mean_limit(values, strata, self.largest, independent, tail)
        return loss, min(limit, self._surely())

    def _surely(self) -> float:
        """Return the least loss of an answer that costs the same at every class, such as none."""
        table = self.actions.losses if isinstance(self.actions, LossTable) else np.empty((0, 1))
        same = table[np.ptp(table, axis=1) == 0] if len(table) else table
        return float(same[:, 0].min(initial=np.inf))

    def lower_end(self, confidence: float) -> tuple[float, float, SharpenedBound | None]:
        """Return the lower bound, with its margin of error, and what it was read from."""
        known, conclusion = self.conclusion.known, self.conclusion
        if known is None:
            return 0.0, 0.0, None
        if self.sample.m == 2 and not conclusion.rests_on.worst_case:
            found = self._plug_in_bound(known, confidence)
        else:
            found = decision_bound(
                self.actions,
                conclusion.posterior,
                self.labels,
                known,
                conclusion.parts,
                self.strata,
                confidence=confidence,
                groups=self.groups,
            )
        if found.limit <= self.least:
            return self.least, self.least, None
        return found.value, found.limit, found

    def _plug_in_bound(self, known: KnownMismatch, confidence: float) -> SharpenedBound:
        """Return the lower bound by what the held-out rule loses and its probabilities miss."""
        posterior, actions, strata = self.conclusion.posterior, self.actions, self.strata
        lost = actions.held_out(posterior, self.labels)
        effect = rows_as_one(lost, self.groups, confidence, least=self.conclusion.design_effect)
        below = float(ndtri(0.5 + confidence / 2)) * (strata.variance(lost) * effect) ** 0.5
        return plug_in_bound(
            posterior,
            self.labels,
            known,
            lost,
            below,
            excess=make_excess_loss(posterior, actions.expected),
            largest=float(actions.largest.max()),
            mean=strata.mean,
            confidence=confidence,
            groups=self.groups,
        )


def _estimate(
    rows: _StratifiedRows, limits: Limits, ends: Ends, bound: Bound, confidence: float
) -> tuple[float, tuple[float, float]]:
    """Return the loss of the best rule by posteriors that have the mismatch, and its interval."""
    sample, conclusion = rows.sample, rows.conclusion
    tempered = TemperedPosteriors(conclusion.posterior, sample.priors, bound=bound)
    found = []
    for mismatch in (conclusion.mismatch, *limits.mismatch):
        family, least = tempered.family, max(mismatch, 0.0)
        eta = family.posteriors(tempered.tempering(least, family.start)) if least > 0 else None
        by_class = (0.0, 0.0) if eta is None else _losses_by_class(rows, eta.T, confidence)
        found.append(by_class)
    point, least_loss, most_loss = (mean for mean, _ in found)
    aside = float(ndtri(0.5 + confidence / 2)) * max(noise for _, noise in found)
    estimate = min(max(point, ends.lower), ends.upper)
    below = hypot(min(least_loss - point, 0.0), aside)
    above = hypot(max(most_loss - point, 0.0), aside)
    low, high = ends.interval
    return estimate, (max(estimate - below, low), min(estimate + above, high))


def _losses_by_class(rows: _StratifiedRows, eta: Floats, confidence: float) -> tuple[float, float]:
    """Return the mean loss of the best rule at some posteriors, and its noise by class shares."""
    loss = float(rows.actions.expected(eta).mean())
    if rows.given:
        return loss, 0.0
    by_class = np.zeros(rows.sample.m)
    for c, weight in enumerate(eta.T):
        of_class = rows.actions.held_out(eta, np.full(len(eta), c))
        by_class[c] = of_class @ weight / max(float(weight.sum()), LEAST_PROBABILITY)
    return loss, prior_error(by_class, rows.sample.priors, counted_rows(rows.sample, confidence))


def _in_units(
    limits: Limits, unit: float, sample: Sample, answer: str, confidence: float
) -> DecisionLimits:
    """Return the limits of the error, times what an error costs."""
    ends, largest = limits.ends, 1 - float(sample.priors.max())
    low, high = ends.interval
    counted, tail = counted_rows(sample, confidence), (1 - confidence) / 2
    found = None if ends.sharpened is None else ends.sharpened.times(unit)
    return DecisionLimits(
        Ends(unit * ends.lower, unit * ends.upper, (unit * low, unit * high), found),
        unit * limits.estimate,
        (unit * limits.estimate_interval[0], unit * limits.estimate_interval[1]),
        ConstantAnswer(answer, unit * largest, unit * minority_limit(sample.priors, counted, tail)),
    )
