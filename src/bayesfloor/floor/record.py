"""The record of an answer: numbers, and the run that can be asked further."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from bayesfloor.base.arrays import AnyArray, Bools, Floats, Ints
from bayesfloor.base.formatting import as_percent, counted, counted_columns, cut, percent
from bayesfloor.base.grounds import GROUNDS, Ground
from bayesfloor.base.measures import DEFAULT_MEASURE, Measure, find_measure
from bayesfloor.base.settings import Settings
from bayesfloor.bounds.loss import losses
from bayesfloor.curve.rank_curve import RankCurve
from bayesfloor.estimators.method import Method
from bayesfloor.estimators.methods import METHODS
from bayesfloor.floor.origin import Origin
from bayesfloor.representation.learning_curve import LearningCurve
from bayesfloor.representation.representation import RAW
from bayesfloor.votes.item_methods import ITEM_METHODS, ItemMethod
from bayesfloor.votes.more_votes import MoreVotes

MOST_LISTED_CLASSES = 8
"""Classes that are listed with their shares."""


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

    def part(self, rows: Bools) -> Floor:
        """Answer the same question from some of the rows."""
        ...

    def divergence_between(self, a: int, b: int, *, most_rows: int | None = None) -> float:
        """Return the divergence between two classes."""
        ...

    def pairwise(self) -> Floats:
        """Return the divergence between any two classes, (m, m)."""
        ...


@dataclass(frozen=True, slots=True)
class HenzePenrose:
    """What the mismatch alone says of a sample, as published.

    Attributes
    ----------
    lower, upper : float
        The bounds of Berisha et al. and of Cover & Hart on the Bayes error, clipped.
    interval : tuple of float
        The Bayes error lies inside with the confidence of the floor.
    mismatch, mismatch_se : float
        Chance R that two labels drawn at the same point differ, unclipped, and its standard error.
    mismatch_interval : tuple of float
        Confidence interval of the mismatch, clipped to what is possible.
    divergence, divergence_se, divergence_interval : float, float, tuple of float, or None
        Henze-Penrose divergence, two classes only; the value is unclipped, the interval clipped.
    """

    lower: float
    upper: float
    interval: tuple[float, float]
    mismatch: float
    mismatch_se: float
    mismatch_interval: tuple[float, float]
    divergence: float | None
    divergence_se: float | None
    divergence_interval: tuple[float, float] | None


@dataclass(frozen=True, slots=True)
class VoteSummary:
    """The votes that a floor was read off.

    Attributes
    ----------
    votes : int
        On all items.
    fewest, most : int
        On an item.
    annotators : int or None
        How many people voted, if that is known.
    loss : float
        Mean squared loss of the shares of the other votes, each vote left out in turn.
    to_halve : MoreVotes or None
        What would make the interval half as wide; None if no realistic number of votes does.
    """

    votes: int
    fewest: int
    most: int
    annotators: int | None
    loss: float
    to_halve: MoreVotes | None


@dataclass(frozen=True, eq=False, repr=False)
class Floor:
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
    display : data frame or array
        The rows as a reader should see them, for the report.
    run : Run
        The run that made the floor; it answers again on parts of the rows and pairs of classes.
    votes : VoteSummary or None
        The votes, where the floor comes from votes. Rows then are items, the label of an item is
        the class with most votes, and its class probabilities are the shares of votes.
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
    def ground(self) -> Ground:
        """What the lower ends rest on, with the words for it."""
        return GROUNDS[self.lower_rests_on]

    @property
    def provisos(self) -> tuple[str, ...]:
        """What must hold for the lower ends to hold."""
        merged = "columns of many different texts say no more than could be told apart"
        return (self.ground.condition, *([merged] if self.texts_merged else []))

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

    def chart(
        self,
        name: str,
        *,
        model_error: float | None = None,
        target: float | Iterable[float] | None = None,
        **asked: Any,
    ) -> Any:
        """Draw one chart of the report, as an Altair object.

        Parameters
        ----------
        name : {"interval", "confusion", "local", "learning", "growth", "calibration", "curve"}
            Which one; "growth" runs again on parts of the rows.
        model_error, target : float, optional
            Error of a model and wanted accuracy, marked in the interval chart.
        """
        from bayesfloor.report import draw_chart

        return draw_chart(self, name, model_error=model_error, target=target, **asked)

    def plot(
        self,
        *,
        model_error: float | None = None,
        target: float | Iterable[float] | None = None,
        **asked: Any,
    ) -> Any:
        """Draw the charts that need no further search as one Altair chart."""
        from bayesfloor.report import draw_overview

        return draw_overview(self, model_error=model_error, target=target, **asked)

    def report(
        self,
        path: str | PathLike[str],
        *,
        rows: Any = None,
        model_error: float | None = None,
        target: float | Iterable[float] | None = None,
        title: str | None = None,
        shown_as: str = DEFAULT_MEASURE,
        progress: bool = False,
        **asked: Any,
    ) -> Path:
        """Write a page that explains the answer: one HTML file that needs no network.

        Parameters
        ----------
        path : str or path
            The file; it is written aside and then renamed.
        rows : data frame or array of n rows, optional
            What to show of the hardest rows; by default the points as they were given.
        model_error, target : float, optional
            Error of a model and wanted accuracy, to be compared with the floor.
        title : str, optional
            Heading of the page.
        shown_as : {"error", "accuracy"}
            What the sentences and numbers of the page are.
        progress : bool
            Show a progress bar on a terminal.
        **asked : float, optional
            Other questions, by the names in `bayesfloor.report.answer.QUESTIONS`.

        Returns
        -------
        Path
            The file.
        """
        from bayesfloor.report import write_report

        return write_report(
            self,
            path,
            rows=self.display if rows is None else rows,
            model_error=model_error,
            target=target,
            title=title,
            shown_as=shown_as,
            progress=progress,
            **asked,
        )

    def answer(
        self,
        *,
        target: float | Iterable[float] | None = None,
        model_error: float | None = None,
        test_rows: float | None = None,
        shown_as: str = DEFAULT_MEASURE,
        **asked: float | None,
    ) -> Any:
        """Tell whether a target is in reach, and whether a model is done.

        Parameters
        ----------
        target : float or several, optional
            Accuracy that is wanted, above 0 and up to 1; several make a table.
        model_error, test_rows : float, int, optional
            Error of a model on new rows, and the rows that it was measured on.
        shown_as : {"error", "accuracy"}
            What the sentences speak of.

        Returns
        -------
        Answer
            As `bayesfloor.answer`.
        """
        from bayesfloor.report.answer import answer

        return answer(
            self,
            target=target,
            model_error=model_error,
            test_rows=test_rows,
            shown_as=shown_as,
            **asked,
        )

    def hard_rows(self, *, rows: Any = None) -> Any:
        """Return the rows that have a likelier label than their own, the least likely first.

        Parameters
        ----------
        rows : data frame or array of n rows, optional
            The values to return with them; by default the points as they were given.

        Returns
        -------
        polars.DataFrame
            The number of the row, its label, the likelier one, the chance that a new label would
            differ, the columns that speak for the likelier label, and the values.
        """
        from bayesfloor.report.hardest_rows import misplaced_rows

        return misplaced_rows(self, self.display if rows is None else rows)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain Python values, ready for JSON."""
        return {
            "lower": self.lower,
            "upper": self.upper,
            "interval": list(self.interval),
            "confidence": self.confidence,
            "lower_rests_on": self.lower_rests_on,
            "estimate": self.estimate,
            "estimate_interval": list(self.estimate_interval),
            "henze_penrose": {
                name: list(value) if isinstance(value, tuple) else value
                for name, value in asdict(self.henze_penrose).items()
            },
            "classes": self.classes.tolist(),
            "priors": self.priors.tolist(),
            "n": self.n,
            "d": self.d,
            "columns": self.columns,
            "intrinsic_dimension": self.intrinsic_dimension,
            "representation": self.representation,
            "maps": dict(self.maps),
            "loss": self.loss,
            "learning_curve": self.learning_curve
            and {
                "rows": self.learning_curve.sizes.tolist(),
                "loss": self.learning_curve.losses.tolist(),
                "excess": self.learning_curve.excess and self.learning_curve.excess.value,
            },
            "method": self.method,
            "curve": self.curve
            and {
                name: getattr(self.curve, name).tolist()
                for name in ("rank", "mismatch", "adjusted", "radius")
            },
            "votes": self.votes and asdict(self.votes),
            "notes": list(self.notes),
        }

    def facts(self, shown_as: str = DEFAULT_MEASURE) -> list[tuple[str, str]]:
        """Return the answer as pairs of a name and a text, in reading order.

        Parameters
        ----------
        shown_as : {"error", "accuracy"}
            What the numbers are.
        """
        measure, sure = find_measure(shown_as), as_percent(self.confidence)
        facts = [
            (measure.floor, self._floor_text(measure, sure)),
            ("estimate", self._estimate_text(measure)),
            *self.grounds(shown_as),
            ("data", ", ".join([*self.size(), counted(len(self.classes), "class", "classes")])),
            ("classes", _class_list(self.classes, self.priors)),
            ("method", f"{self.method}: {self.how.summary}"),
        ]
        if self.divergence is not None and self.divergence_interval is not None:
            shown = min(max(self.divergence, 0.0), 1.0)
            span = "{:.4f} to {:.4f}".format(*self.divergence_interval)
            facts.append(("HP divergence", f"{shown:.4f} ({sure} interval {span})"))
        if self.votes is not None and self.votes.to_halve is not None:
            facts.append(("half as wide", self.votes.to_halve.sentence()))
        return facts + [("note", note) for note in self.notes]

    def grounds(self, shown_as: str = DEFAULT_MEASURE) -> list[tuple[str, str]]:
        """Return what the ends of the interval rest on, as `facts` does."""
        measure = find_measure(shown_as)
        inference = f"rests on {self.ground.summary}; holds if {' and '.join(self.provisos)}"
        if not self.how.sharpens:
            return [("both ends", inference)]
        if percent(self.interval[0]) == percent(0):
            inference = "rests on nothing: that a classifier is never wrong cannot be ruled out"
        measurement = (
            f"rests on a rule that {measure.verb} {measure.percent(self.upper)} of rows it was not"
            " learned from; free of assumptions"
        )
        first, second = ("lower", "upper") if measure.rises else ("upper", "lower")
        return [(f"{first} end", measurement), (f"{second} end", inference)]

    def size(self) -> tuple[str, str]:
        """Return how many rows and columns there are, or items and votes, as texts."""
        if not self.of_items:
            return counted(self.n, "row"), counted_columns(self.columns, self.d)
        items = counted(self.n, "item")
        if self.votes is None:
            return items, "probabilities"
        fewest, most = self.votes.fewest, self.votes.most
        each = f"{fewest:,}" if fewest == most else f"{fewest:,} to {most:,}"
        return items, f"{each} votes each"

    def _floor_text(self, measure: Measure, sure: str) -> str:
        size = counted(self.n, "item" if self.of_items else "row")
        return (
            f"{measure.span(*self.interval)} with {sure} confidence (without the margin of error of"
            f" {size}: {measure.span(self.lower, self.upper)})"
        )

    def _estimate_text(self, measure: Measure) -> str:
        span = measure.span(*self.estimate_interval)
        return f"{measure.percent(self.estimate)} (likely {span}; less certain than the line above)"

    def __str__(self) -> str:
        return "\n".join(f"{name:<16}{text}" for name, text in self.facts())

    def _repr_html_(self) -> str:
        from bayesfloor.report.notebook import floor_html

        return floor_html(self)


@dataclass(frozen=True, slots=True)
class Divergence:
    """The Henze-Penrose divergence of two point sets: unclipped value, standard error, interval."""

    value: float
    se: float
    interval: tuple[float, float]


def _class_list(classes: AnyArray, priors: Floats, most: int = MOST_LISTED_CLASSES) -> str:
    """Classes with their shares, the first few."""
    shown = [f"{cut(str(c))} {p:.1%}" for c, p in zip(classes.tolist(), priors, strict=True)][:most]
    return ", ".join(shown) + (f" and {len(classes) - most} more" if len(classes) > most else "")
