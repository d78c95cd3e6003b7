"""The record of an answer: numbers, and the run that can be asked further."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from bayesfloor.base.arrays import AnyArray, Bools, Floats, Ints
from bayesfloor.base.choices import RAW
from bayesfloor.base.formatting import quoted_names, shorten
from bayesfloor.base.grounds import GROUNDS, SPREAD, Ground
from bayesfloor.base.measures import DEFAULT_MEASURE, Measure, find_measure
from bayesfloor.base.settings import Settings
from bayesfloor.bounds.loss import losses
from bayesfloor.bounds.prior_error import minority_limit
from bayesfloor.curve.rank_curve import RankCurve
from bayesfloor.estimators.method import Method
from bayesfloor.estimators.methods import METHODS
from bayesfloor.floor.ceilings import Ceilings
from bayesfloor.floor.conveniences import Conveniences
from bayesfloor.floor.decision import Decision
from bayesfloor.floor.decision_limits import ConstantAnswer
from bayesfloor.floor.leakage import Leakage, make_leakage
from bayesfloor.floor.model import ModelReview
from bayesfloor.floor.origin import Origin
from bayesfloor.floor.summaries import GroupSummary, HenzePenrose, VoteSummary
from bayesfloor.representation.learning_curve import LearningCurve
from bayesfloor.votes.item_methods import ITEM_METHODS, ItemMethod


class Rerun(Protocol):
    """What can be asked of the run that made a floor."""

    @property
    def settings(self) -> Settings:
        """What was asked for."""
        ...

    @property
    def origin(self) -> Origin:
        """Where the rows came from."""
        ...

    @property
    def groups(self) -> Ints | None:
        """What each row belongs to, (n,), if anything."""
        ...

    def part(self, rows: Bools) -> Floor:
        """Answer the same question from some of the rows."""
        ...

    def divergence_between(self, a: int, b: int, *, most_rows: int | None = None) -> float:
        """Return the divergence between two classes."""
        ...

    def pairwise(self) -> Floats:
        """Return the divergence between any two classes, (m, m)."""
        ...

    def ceilings(self) -> Ceilings:
        """Return what no classifier exceeds when a class is told from all others."""
        ...


@dataclass(frozen=True, eq=False, repr=False)
class Floor(Conveniences):
    """How low the error of any classifier can go on a sample.

    Attributes
    ----------
    lower, upper : float
        Bounds on the Bayes error, without their margins of error. `upper` is the error, on rows it
        was not learned from, of the best rule that was found; no classifier does better than
        `lower`.
    interval : tuple of float
        The Bayes error lies inside with the stated confidence.
    confidence : float
        Of the intervals.
    lower_rests_on : {"repeats", "neighbours", "models", "votes", "probabilities"}
        What the lower ends take for granted, see `bayesfloor.base.grounds`; the upper ends take
        nothing for granted, but those from votes and probabilities the same.
    henze_penrose : HenzePenrose
        What the mismatch alone says: the divergence and the published bounds.
    mismatch, mismatch_se, mismatch_interval, divergence, divergence_se, divergence_interval
        Those of `henze_penrose`.
    classes, priors : (m,) arrays
        The labels and their shares.
    n, d : int
        Rows, and columns that were compared.
    columns : int
        Columns as they came; fewer than `d` where `read_table` encoded text.
    intrinsic_dimension : float
        Dimension that the neighbour distances grow with.
    estimate, estimate_interval : float, tuple of float
        The Bayes error itself, between the bounds, and its interval: less certain than `interval`,
        because it takes the class probabilities of the rows to have the right shape.
    representation : str
        What the mismatch was read from: "raw", neighbours in the columns as they came; "learned",
        class probabilities; or the class of the map that was passed.
    maps : dict of str to float
        The maps that were learned with their mean weights; empty if none was.
    learning_curve : LearningCurve or None
        Their loss by the number of rows that they were learned on.
    method : str
        A key of ``METHODS``.
    curve : RankCurve or None
        Mismatch and radius by neighbour rank, where neighbours were compared.
    posterior : (n, m) array
        Class probabilities of each row, its own label left out: the rule that reaches `upper`. NaN
        for rows that were not searched because a tolerance or a time limit was met before.
    notes : tuple of str
        Sentences a reader must know.
    labels : (n,) array
        Class of each row, as an index into `classes`.
    texts_merged : bool
        Whether a column had more different texts than could be told apart in full.
    texts_left_out : tuple of str
        Columns of free text that were not used.
    display : data frame or array
        The rows as a reader should see them, for the report.
    run : Run
        The run that made the floor; it answers again on parts of the rows and pairs of classes.
    votes : VoteSummary or None
        The votes, where the floor comes from votes. Rows then are items, the label of an item is
        the class with most votes, and its class probabilities are the shares of votes.
    decision : Decision or None
        What a classifier decides, where that is not the error on rows like these: `lower`, `upper`,
        `interval`, `estimate` and `estimate_interval` are then of its loss.
    best_constant : ConstantAnswer or None
        The best answer of that decision that does not look at the row.
    groups : GroupSummary or None
        What the rows belong to, if groups or times were passed: the floor is that of new groups.
    model : ModelReview or None
        The user's own model on these rows, if its predictions were passed.
    """

    lower: float
    upper: float
    interval: tuple[float, float]
    confidence: float
    lower_rests_on: str
    estimate: float
    estimate_interval: tuple[float, float]
    henze_penrose: HenzePenrose
    classes: AnyArray
    priors: Floats
    n: int
    d: int
    intrinsic_dimension: float
    representation: str
    maps: dict[str, float]
    learning_curve: LearningCurve | None
    method: str
    curve: RankCurve | None
    posterior: Floats
    notes: tuple[str, ...]
    labels: Ints
    columns: int
    texts_merged: bool
    display: Any
    run: Rerun
    votes: VoteSummary | None = None
    texts_left_out: tuple[str, ...] = ()
    decision: Decision | None = None
    best_constant: ConstantAnswer | None = None
    groups: GroupSummary | None = None
    model: ModelReview | None = None

    def __repr__(self) -> str:
        """Return the main figures on one line."""
        low, high = self.interval
        return (
            f"Floor(interval=({low:.4f}, {high:.4f}), confidence={self.confidence:g},"
            f" lower={self.lower:.4f}, upper={self.upper:.4f}, estimate={self.estimate:.4f},"
            f" n={self.n}, d={self.d}, classes={len(self.classes)}, method={self.method!r},"
            f" representation={self.representation!r}, notes={len(self.notes)})"
        )

    @property
    def mismatch(self) -> float:
        """Chance that two labels drawn at the same point differ, unclipped."""
        return self.henze_penrose.mismatch

    @property
    def mismatch_se(self) -> float:
        """Standard error of the mismatch."""
        return self.henze_penrose.mismatch_se

    @property
    def mismatch_interval(self) -> tuple[float, float]:
        """Confidence interval of the mismatch, clipped to what is possible."""
        return self.henze_penrose.mismatch_interval

    @property
    def divergence(self) -> float | None:
        """Henze-Penrose divergence of two classes, unclipped."""
        return self.henze_penrose.divergence

    @property
    def divergence_se(self) -> float | None:
        """Standard error of the divergence."""
        return self.henze_penrose.divergence_se

    @property
    def divergence_interval(self) -> tuple[float, float] | None:
        """Confidence interval of the divergence, clipped."""
        return self.henze_penrose.divergence_interval

    @property
    def how(self) -> Method | ItemMethod:
        """The method, with the words for it."""
        return ITEM_METHODS[self.method] if self.of_items else METHODS[self.method]

    @property
    def of_items(self) -> bool:
        """Whether the floor is of items with votes or probabilities, not of rows with columns."""
        return self.method in ITEM_METHODS

    @property
    def in_columns(self) -> bool:
        """Whether neighbours were compared in the columns as they came."""
        both = self.curve is not None and bool(self.maps) and self.how.sharpens
        return self.representation == RAW or both

    @property
    def constant(self) -> ConstantAnswer:
        """The best answer that does not look at the row: the largest class for plain errors."""
        if self.best_constant is not None:
            return self.best_constant
        largest = shorten(self.classes.tolist()[int(self.priors.argmax())])
        limit = minority_limit(self.priors, self.n, (1 - self.confidence) / 2)
        return ConstantAnswer(f"always answering '{largest}'", 1 - float(self.priors.max()), limit)

    @cached_property
    def ceilings(self) -> Ceilings:
        """Area under the best ROC curve, recall and precision, and what nobody exceeds."""
        return self.run.ceilings()

    def measure(self, shown_as: str = DEFAULT_MEASURE) -> Measure:
        """Return the words for the numbers of this floor, shown as errors or as accuracies."""
        plain = find_measure(shown_as)
        return plain if self.decision is None else self.decision.measure(plain)

    @property
    def leakage(self) -> Leakage | None:
        """How much of the label the columns give away; None where errors have costs or weights."""
        if self.decision is not None:
            return None
        return make_leakage(
            self.estimate,
            self.interval,
            float(self.priors.max()),
            confidence=self.confidence,
            rests_on=self.ground.summary,
        )

    @property
    def ground(self) -> Ground:
        """What the lower ends rest on, with the words for it."""
        return GROUNDS[self.lower_rests_on]

    @property
    def provisos(self) -> tuple[str, ...]:
        """What must hold for the lower ends to hold."""
        merged = "columns of many different texts say no more than could be told apart"
        names = quoted_names(self.texts_left_out)
        left_out = f"the free text that was left out ({names}) tells no more"
        return (
            self.ground.condition,
            *((SPREAD,) if self.how.sharpens and not self.ground.worst_case else ()),
            *([merged] if self.texts_merged else []),
            *([left_out] if self.texts_left_out else []),
        )

    @property
    def loss(self) -> float:
        """Mean squared loss of the class probabilities, on rows that they were not learned from."""
        if self.of_items:
            return self.mismatch if self.votes is None else self.votes.loss
        known = ~np.isnan(self.local_mismatch)
        return float(losses(self.posterior[known], self.labels[known]).mean())

    @cached_property
    def local_mismatch(self) -> Floats:
        """For each row the chance that a new label drawn there differs from the row's own, (n,)."""
        return np.asarray(1 - self.posterior[np.arange(self.n), self.labels])

    @property
    def known_mismatch(self) -> Floats:
        """Local mismatch of the rows that were searched, all of them by default."""
        return self.local_mismatch[~np.isnan(self.local_mismatch)]
