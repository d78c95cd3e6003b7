"""Floors of items, from counts of votes or class probabilities that have passed the gate."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import hypot
from typing import Any

import numpy as np

from bayesfloor.base.arrays import AnyArray, Bools, Floats, Ints
from bayesfloor.base.errors import DataError
from bayesfloor.base.formatting import shorten
from bayesfloor.base.grounds import PROBABILITIES_GROUND, VOTES_GROUND
from bayesfloor.base.settings import Settings
from bayesfloor.bounds.bounded_mean import bounded_mean_limits
from bayesfloor.bounds.henze_penrose import (
    bayes_error_bounds,
    divergence,
    divergence_error,
    independent_mismatch,
)
from bayesfloor.bounds.posterior_error import TemperedPosteriors
from bayesfloor.floor.ceilings import Ceilings
from bayesfloor.floor.origin import Origin
from bayesfloor.floor.record import Floor
from bayesfloor.floor.summaries import HenzePenrose, VoteColumns, VoteSummary
from bayesfloor.floor.vote_maps import learn_from_columns
from bayesfloor.votes.counts import (
    VoteCounts,
    with_pairs,
)
from bayesfloor.votes.guided_interval import GuidedBounds, bound_with_maps
from bayesfloor.votes.interval import (
    VoteBounds,
    bound_by_votes,
    standard_error,
    vote_shares,
)
from bayesfloor.votes.item_methods import PROBABILITIES, VOTES
from bayesfloor.votes.more_votes import votes_to_halve
from bayesfloor.votes.notes import vote_notes

NO_CEILINGS = "ceilings need rows with columns and a label each; votes bound the error alone"
"""Said where recall, precision and ROC curves are asked of items."""
SMALLEST_NUMBER = 5e-324
"""The smallest number above 0: two classes may have no probability at all."""
NO_ORIGIN = Origin()
"""Items have no table of columns."""


def floor_from_votes(votes: VoteCounts, *, confidence: float, seed: int = 0) -> Floor:
    """Bound the Bayes error by votes, and by the columns of the items if there are any."""
    votes, guided = _guided(votes, confidence, seed)
    counts, shares = votes.counts, vote_shares(votes.counts)
    bounds = bound_by_votes(counts, confidence=confidence) if guided is None else guided.bounds
    number = counts.sum(axis=1)
    estimate, estimate_interval = _estimate(shares if guided is None else guided.shares, bounds)
    summary = VoteSummary(
        votes=int(number.sum()),
        fewest=int(number.min()),
        most=int(number.max()),
        annotators=votes.annotators,
        loss=bounds.loss,
        to_halve=votes_to_halve(bounds, len(counts), int(number.sum())),
        columns=_column_summary(votes, guided),
    )
    return Floor(
        lower=bounds.lower,
        upper=bounds.upper,
        interval=bounds.interval,
        lower_rests_on=VOTES_GROUND.name,
        estimate=estimate,
        estimate_interval=estimate_interval,
        henze_penrose=_henze_penrose(shares.mean(axis=0), bounds),
        notes=vote_notes(votes),
        run=VoteRun(votes, Settings(method=VOTES, confidence=confidence, seed=seed)),
        display=_display(counts, votes.classes, votes.items),
        votes=summary,
        **_of_items(VOTES, shares, votes.classes, confidence),
    )


def _guided(
    votes: VoteCounts, confidence: float, seed: int
) -> tuple[VoteCounts, GuidedBounds | None]:
    """Return the items with pairs of votes, and what votes and columns say of them together."""
    several, paired = votes.counts.sum(axis=1) > 1, with_pairs(votes)
    found = None if votes.columns is None else learn_from_columns(votes, seed=seed)
    if found is None:
        return paired, None
    paired = replace(paired, notes=paired.notes + found.notes)
    if found.prior is None or found.fold is None:
        return paired, None
    kept = votes.counts[several].any(axis=0)  # the classes that items with pairs have
    prior = found.prior[several][:, kept]
    left = prior.sum(axis=1, keepdims=True)
    prior = np.where(left > 0, prior / np.where(left > 0, left, 1.0), 1 / kept.sum())
    fold = found.fold[several]
    return paired, bound_with_maps(paired.counts, prior, fold, confidence=confidence)


def _column_summary(votes: VoteCounts, guided: GuidedBounds | None) -> VoteColumns | None:
    if guided is None or votes.columns is None:
        return None
    return VoteColumns(
        votes.columns.width, guided.weight, guided.map_error, guided.map_limit, guided.alone
    )


def floor_from_probabilities(p: Floats, classes: AnyArray, *, confidence: float) -> Floor:
    """Return the Bayes error of class probabilities that have passed the gate."""
    tail, once, priors = (1 - confidence) / 2, np.ones(len(p), np.int64), p.mean(axis=0)
    errors, apart = 1 - p.max(axis=1), 1 - np.einsum("ij,ij->i", p, p)
    most, independent = 1 - 1 / p.shape[1], independent_mismatch(priors)
    error, mismatch = min(float(errors.mean()), most), float(apart.mean())
    interval = bounded_mean_limits(errors, once, tail)
    low, high = bounded_mean_limits(apart, once, tail)
    bounds = VoteBounds(
        lower=error,
        upper=error,
        interval=(min(interval[0], error), max(min(interval[1], most), error)),
        published=bayes_error_bounds(mismatch, priors),
        published_interval=(bayes_error_bounds(low, priors)[0], min(high, most)),
        mismatch=mismatch,
        mismatch_se=standard_error(apart, once),
        mismatch_interval=(min(low, independent), min(high, independent)),
        loss=mismatch,
    )
    return Floor(
        lower=error,
        upper=error,
        interval=bounds.interval,
        lower_rests_on=PROBABILITIES_GROUND.name,
        estimate=error,
        estimate_interval=bounds.interval,
        henze_penrose=_henze_penrose(priors, bounds),
        notes=(),
        run=ProbabilityRun(p, classes, Settings(method=PROBABILITIES, confidence=confidence)),
        display=_display(p, classes),
        votes=None,
        **_of_items(PROBABILITIES, p, classes, confidence),
    )


@dataclass(frozen=True, slots=True, eq=False)
class VoteRun:
    """Votes with the settings they were asked with: they answer again on parts and pairs."""

    votes: VoteCounts
    settings: Settings
    origin: Origin = NO_ORIGIN
    groups: Ints | None = None

    def part(self, rows: Bools) -> Floor:
        """Answer the same question from some of the items."""
        part = replace(self.votes.only(rows), notes=())
        settings = self.settings
        return floor_from_votes(part, confidence=settings.confidence, seed=settings.seed)

    def divergence_between(self, a: int, b: int, *, most_rows: int | None = None) -> float:
        """Return the divergence between two classes, from items with two votes or more for them.

        All items are used, whatever `most_rows` is. Two classes that nowhere have two votes are not
        confused as far as votes tell.
        """
        del most_rows
        counts = self.votes.counts
        pair = counts[:, [a, b]]
        own = pair.sum(axis=1)
        weight = np.where(own > 1, own / counts.sum(axis=1), 0.0)
        if not weight.any():
            return 1.0
        apart = 2 * pair.prod(axis=1) / np.maximum(own * (own - 1), 1)
        shares = weight @ (pair / np.maximum(own, 1)[:, None]) / weight.sum()
        if independent_mismatch(shares) <= 0:
            return 1.0
        return divergence(float(weight @ apart / weight.sum()), shares)

    def pairwise(self) -> Floats:
        """Return the divergence between any two classes, (m, m)."""
        return _pairwise(self, len(self.votes.classes))

    def ceilings(self) -> Ceilings:
        """Refuse: an item has no score of its own."""
        raise DataError(NO_CEILINGS)


@dataclass(frozen=True, slots=True, eq=False)
class ProbabilityRun:
    """Class probabilities with the settings they were asked with."""

    p: Floats
    classes: AnyArray
    settings: Settings
    origin: Origin = NO_ORIGIN
    groups: Ints | None = None

    def part(self, rows: Bools) -> Floor:
        """Answer the same question from some of the items."""
        confidence = self.settings.confidence
        return floor_from_probabilities(self.p[rows], self.classes, confidence=confidence)

    def divergence_between(self, a: int, b: int, *, most_rows: int | None = None) -> float:
        """Return the divergence between two classes, from all items."""
        del most_rows
        pair = self.p[:, [a, b]]
        weight = pair.sum(axis=1)
        shares = pair.sum(axis=0) / max(float(weight.sum()), SMALLEST_NUMBER)
        if not pair.any(axis=0).all() or independent_mismatch(shares) <= 0:
            return 1.0
        apart = 2 * pair.prod(axis=1) / np.where(weight > 0, weight, 1.0)
        return divergence(float(apart.sum() / weight.sum()), shares)

    def pairwise(self) -> Floats:
        """Return the divergence between any two classes, (m, m)."""
        return _pairwise(self, len(self.classes))

    def ceilings(self) -> Ceilings:
        """Refuse: an item has no score of its own."""
        raise DataError(NO_CEILINGS)


def _pairwise(run: VoteRun | ProbabilityRun, m: int) -> Floats:
    table = np.zeros((m, m))
    for a in range(m):
        for b in range(a):
            table[a, b] = table[b, a] = run.divergence_between(a, b)
    return table


def _of_items(method: str, shares: Floats, classes: AnyArray, confidence: float) -> dict[str, Any]:
    """Return what a floor has of items, and what it lacks because they have no columns."""
    return {
        "confidence": confidence,
        "classes": classes,
        "priors": shares.mean(axis=0),
        "n": len(shares),
        "d": 0,
        "columns": 0,
        "intrinsic_dimension": np.nan,
        "representation": method,
        "maps": {},
        "learning_curve": None,
        "method": method,
        "curve": None,
        "posterior": shares,
        "labels": shares.argmax(axis=1).astype(np.int64),
        "texts_merged": False,
    }


def _estimate(shares: Floats, bounds: VoteBounds) -> tuple[float, tuple[float, float]]:
    """Return the Bayes error between its bounds, and its interval.

    Shares of votes are further apart than posteriors. They are tempered until two labels differ as
    often as votes do, see `bayesfloor.bounds.posterior_error`.
    """
    order = np.argsort(-shares.sum(axis=0), kind="stable")  # whatever order the classes have
    sorted_shares = shares[:, order]
    tempered = TemperedPosteriors(
        sorted_shares[np.lexsort(sorted_shares.T)], sorted_shares.mean(axis=0)
    )
    errors = tempered.errors(bounds.mismatch, *bounds.mismatch_interval)
    point, least, most = (found.error for found in errors)
    low, high = bounds.interval
    estimate = min(max(point, bounds.lower), bounds.upper)
    margin = bounds.mismatch_se / 2  # of the error, at least: near 0 it is half the mismatch
    below, above = hypot(point - least, margin), hypot(most - point, margin)
    return estimate, (max(estimate - below, low), min(estimate + above, high))


def _henze_penrose(priors: Floats, bounds: VoteBounds) -> HenzePenrose:
    two, (low, high) = len(priors) == 2, bounds.mismatch_interval
    return HenzePenrose(
        lower=bounds.published[0],
        upper=bounds.published[1],
        interval=bounds.published_interval,
        mismatch=bounds.mismatch,
        mismatch_se=bounds.mismatch_se,
        mismatch_interval=bounds.mismatch_interval,
        divergence=divergence(bounds.mismatch, priors) if two else None,
        divergence_se=divergence_error(bounds.mismatch_se, priors) if two else None,
        divergence_interval=(divergence(high, priors), divergence(low, priors)) if two else None,
    )


def _display(values: AnyArray, classes: AnyArray, items: AnyArray | None = None) -> Any:
    """Return a frame with the name of each item, if it has one, and a column for each class."""
    import polars as pl

    columns = {} if items is None else {"item": [shorten(one) for one in items.tolist()]}
    for number, (name, column) in enumerate(zip(classes.tolist(), values.T, strict=True)):
        text = shorten(name)
        columns[f"{text} ({number})" if text in columns else text] = column.tolist()
    return pl.DataFrame(columns)
