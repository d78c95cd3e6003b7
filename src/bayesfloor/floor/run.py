"""From a sample that has passed the gate to its floor, and to floors of its parts and pairs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from bayesfloor.base.arrays import Bools, Floats, Ints
from bayesfloor.base.clustered_noise import effective_groups
from bayesfloor.base.errors import DataError
from bayesfloor.base.grounds import MODELS
from bayesfloor.base.settings import Settings
from bayesfloor.bounds.henze_penrose import divergence, divergence_error
from bayesfloor.estimators.estimation import estimate_mismatch
from bayesfloor.estimators.methods import METHODS
from bayesfloor.floor.ceilings import Ceilings, make_ceilings
from bayesfloor.floor.class_pairs import PAIR_ROWS, divergence_of_posterior, only_two_classes
from bayesfloor.floor.decision import Decision, make_decision
from bayesfloor.floor.decision_limits import DecisionLimits, decision_limits
from bayesfloor.floor.joined_conclusion import JoinedConclusion, with_model
from bayesfloor.floor.limits import Ends, Limits, make_limits
from bayesfloor.floor.measuring import make_effort, measure_as_asked
from bayesfloor.floor.model import ModelReview, check_answers, review_model
from bayesfloor.floor.notes import make_notes, model_notes
from bayesfloor.floor.origin import Origin
from bayesfloor.floor.record import Floor
from bayesfloor.floor.summaries import GroupSummary, HenzePenrose
from bayesfloor.neighbours import Effort
from bayesfloor.representation import Conclusion, Measured, conclude
from bayesfloor.sample.foreign_tables import read_columns
from bayesfloor.sample.sample import Sample


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """A sample with the settings it was asked with: it answers again on parts and pairs."""

    sample: Sample
    settings: Settings
    origin: Origin
    measured: Measured
    conclusion: Conclusion
    posterior: Floats  # (n, m), NaN for rows that were not searched
    divergence: float | None  # of two classes, from all rows

    @property
    def groups(self) -> Ints | None:
        """What each row belongs to, (n,), if anything."""
        return self.sample.groups

    def part(self, rows: Bools) -> Floor:
        """Answer the same question from some of the rows.

        Parameters
        ----------
        rows : (n,) array of bool
            The rows to keep, two or more of every class.
        """
        sample = self.sample.only(rows)
        if sample.counts.min() < 2:
            raise DataError("a part of the rows lacks a class; keep two rows of each or more")
        if self.groups is not None and len(np.unique(self.groups[rows])) < 2:
            raise DataError("a part of the rows has one group only; keep two groups or more")
        settings = replace(self.settings, max_seconds=None, progress=False)
        return run_floor(sample, settings, self.origin.part(np.flatnonzero(rows)))

    def divergence_between(self, a: int, b: int, *, most_rows: int | None = None) -> float:
        """Return the Henze-Penrose divergence between two classes, given by index, unclipped.

        With `most_rows`, that many rows of a class are drawn at random where there are more. Of two
        classes in all, it is the divergence of the floor. Where only maps were learned, it is that
        of their probabilities of the two classes, at most the true one.
        """
        if self.divergence is not None:
            return self.divergence
        settings, neighbours = self.settings, self.measured.neighbours
        if neighbours is None:
            return divergence_of_posterior(self.posterior, self.sample.labels, a, b)
        effort = Effort(engine=settings.engine, executor=settings.executor)
        pairs = [only_two_classes(sample, a, b, most_rows) for sample in neighbours.samples]
        values = [
            divergence(
                estimate_mismatch(pair, METHODS[settings.method], settings.k, effort)[1].mismatch,
                pair.priors,
            )
            for pair in pairs
        ]
        return float(np.average(values, weights=[pair.n for pair in pairs]))

    def ceilings(self) -> Ceilings:
        """Return what no classifier exceeds when a class is told from all others."""
        method = METHODS[self.settings.method]
        if not method.sharpens:
            what = f"method {self.settings.method!r} bounds the error only"
            raise DataError(f"{what}; ceilings need method 'wnn'")
        if self.sample.groups is not None:
            raise DataError(
                "ceilings need independent rows, and groups= or time= says that they are not; ask"
                " for the error or for costs instead"
            )
        return make_ceilings(self.sample, self.conclusion, self.settings.confidence)

    def pairwise(self, *, most_rows: int = PAIR_ROWS) -> Floats:
        """Return the divergence between any two classes, unclipped, (m, m)."""
        table = np.zeros((self.sample.m, self.sample.m))
        for a, b in combinations(range(self.sample.m), 2):
            table[a, b] = table[b, a] = self.divergence_between(a, b, most_rows=most_rows)
        return table


def run_floor(
    sample: Sample,
    settings: Settings = Settings(),  # noqa: B008  # frozen
    origin: Origin = Origin(),  # noqa: B008  # frozen
    *,
    started: float | None = None,
) -> Floor:
    """Bound the Bayes error of a sample that has passed the gate.

    `started` is when the call began, in the time of `time.monotonic`: a limit on the time counts
    from there.
    """
    method, decision = METHODS[settings.method], make_decision(settings.decision, sample)
    check_answers(origin.predictions, decision)
    measured = measure_as_asked(sample, settings, method, origin, make_effort(settings, started))
    return make_floor(sample, settings, origin, measured)


def make_floor(sample: Sample, settings: Settings, origin: Origin, measured: Measured) -> Floor:
    """Bound the Bayes error by what was measured."""
    method, decision = METHODS[settings.method], make_decision(settings.decision, sample)
    joined, limits = _conclude_with_model(sample, settings, origin, measured)
    conclusion = joined.conclusion
    chosen: Limits | DecisionLimits = limits
    if decision is not None:
        confidence = settings.confidence
        chosen = decision_limits(sample, conclusion, decision, limits, method.bound, confidence)
    model = _review(sample, origin, joined, decision, chosen.ends, settings.confidence)
    posterior = _of_all_rows(conclusion, sample.n)
    published = _henze_penrose(sample, conclusion, limits)
    neighbours, learned = measured.neighbours, measured.learned
    return Floor(
        lower=chosen.ends.lower,
        upper=chosen.ends.upper,
        interval=chosen.ends.interval,
        confidence=settings.confidence,
        lower_rests_on=conclusion.rests_on.name,
        estimate=chosen.estimate,
        estimate_interval=chosen.estimate_interval,
        henze_penrose=published,
        classes=sample.classes,
        priors=sample.priors,
        labels=sample.labels,
        n=sample.n,
        d=sample.d,
        columns=sample.d if origin.columns is None else origin.columns,
        intrinsic_dimension=_dimension(measured),
        representation=_representation_name(measured, conclusion),
        maps={} if learned is None else learned.weights,
        learning_curve=None if learned is None else learned.curve,
        method=settings.method,
        curve=None if neighbours is None else neighbours.curve,
        posterior=posterior,
        notes=origin.notes
        + make_notes(sample, measured, conclusion, method, settings, copied=origin.copied)
        + model_notes(model, sample.n),
        texts_merged=origin.texts_merged,
        texts_left_out=origin.texts_left_out,
        groups=_group_summary(sample, origin.grouping),
        display=origin.shown,
        run=Run(sample, settings, origin, measured, conclusion, posterior, published.divergence),
        decision=decision,
        best_constant=None if isinstance(chosen, Limits) else chosen.constant,
        model=model,
    )


def _conclude_with_model(
    sample: Sample, settings: Settings, origin: Origin, measured: Measured
) -> tuple[JoinedConclusion, Limits]:
    """Return what is concluded, with the user's model if it helps, and the limits of the error."""
    method, confidence = METHODS[settings.method], settings.confidence

    def limits_of(found: Conclusion) -> Limits:
        return make_limits(sample, found, method.bound, confidence, sharpen=method.sharpens)

    alone = conclude(sample, measured, confidence=confidence)
    limits = limits_of(alone)
    if origin.predictions is None:
        return JoinedConclusion(alone), limits
    joined = with_model(sample, alone, origin.predictions, limits.ends, confidence)
    return joined, limits_of(joined.conclusion) if joined.weight > 0 else limits


def _review(
    sample: Sample,
    origin: Origin,
    joined: JoinedConclusion,
    decision: Decision | None,
    ends: Ends,
    confidence: float,
) -> ModelReview | None:
    """Return how the user's model does, if its predictions were passed."""
    if origin.predictions is None:
        return None
    return review_model(
        sample,
        joined,
        origin.predictions,
        decision,
        ends,
        confidence=confidence,
        columns=[] if origin.shown is None else read_columns("X", origin.shown).columns,
    )


def _group_summary(sample: Sample, kind: str) -> GroupSummary | None:
    """Return what the rows belong to."""
    if sample.groups is None:
        return None
    sizes = np.bincount(sample.groups)
    effective = effective_groups(sample.groups)
    return GroupSummary(kind, len(sizes), int(sizes.min()), int(sizes.max()), effective)


def _representation_name(measured: Measured, conclusion: Conclusion) -> str:
    """Return what the answer was read from: "raw", "learned", or the class of the user's map."""
    if measured.neighbours is None or (measured.learned and conclusion.rests_on is MODELS):
        assert measured.learned is not None
        return measured.learned.name
    return measured.neighbours.name


def _dimension(measured: Measured) -> float:
    """Return the intrinsic dimension of the columns, or of what neighbours were compared in."""
    if measured.neighbours is not None:
        return measured.neighbours.curve.intrinsic_dimension
    return np.nan if measured.surroundings is None else measured.surroundings.locality.dimension


def _henze_penrose(sample: Sample, conclusion: Conclusion, limits: Limits) -> HenzePenrose:
    """Return what the mismatch alone says."""
    priors, mismatch, two = sample.priors, conclusion.mismatch, sample.m == 2
    low, high = limits.mismatch
    return HenzePenrose(
        lower=limits.published.lower,
        upper=limits.published.upper,
        interval=limits.published.interval,
        mismatch=mismatch,
        mismatch_se=conclusion.se,
        mismatch_interval=limits.mismatch,
        divergence=divergence(mismatch, priors) if two else None,
        divergence_se=divergence_error(conclusion.se, priors) if two else None,
        divergence_interval=(divergence(high, priors), divergence(low, priors)) if two else None,
    )


def _of_all_rows(conclusion: Conclusion, n: int) -> Floats:
    """Return the class probabilities of all rows, NaN for those that were not searched."""
    if len(conclusion.rows) == n:
        return conclusion.posterior
    posterior = np.full((n, conclusion.posterior.shape[1]), np.nan)
    posterior[conclusion.rows] = conclusion.posterior
    return posterior
