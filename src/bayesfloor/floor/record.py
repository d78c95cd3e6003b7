"""The record of an answer: numbers, and the run that can be asked further."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from os import PathLike
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from bayesfloor.base.arrays import AnyArray, Bools, Floats, Ints
from bayesfloor.base.formatting import as_percent, counted, counted_columns, cut, percent
from bayesfloor.base.settings import Settings
from bayesfloor.curve.rank_curve import RankCurve
from bayesfloor.estimators.methods import METHODS

MOST_LISTED_CLASSES = 8
"""Classes that are listed with their shares."""


class Rerun(Protocol):
    """What can be asked of the run that made a floor."""

    @property
    def settings(self) -> Settings:
        """What was asked for."""
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


@dataclass(frozen=True, eq=False, repr=False)
class Floor:
    """How low the error of any classifier can go on a sample.

    Attributes
    ----------
    lower, upper : float
        Bounds on the Bayes error, clipped to what is possible. No classifier does better than
        `lower`; the best one does at least as well as `upper`.
    interval : tuple of float
        The Bayes error lies inside with the asked confidence.
    confidence : float
        That confidence.
    mismatch, mismatch_se : float
        Chance R that two labels drawn at the same point differ, unclipped, and its standard error.
    mismatch_interval : tuple of float
        Confidence interval of the mismatch, clipped to what is possible.
    divergence, divergence_se, divergence_interval : float, float, tuple of float, or None
        Henze-Penrose divergence, two classes only; the value is unclipped, the interval clipped.
    classes, priors : (m,) arrays
        The labels and their shares.
    n, d : int
        Rows, and columns that were compared.
    columns : int
        Columns as they came; fewer than `d` where `read_table` encoded text.
    intrinsic_dimension : float
        Dimension that the neighbour distances grow with.
    estimate, estimate_interval : float, tuple of float
        The Bayes error itself, between the bounds, and its interval. Narrower than `interval`, and
        less certain: it takes the posteriors about the rows to have the right shape.
    representation : str
        What was measured: "raw", the columns as they came; "learned", class probabilities; or the
        class of the map that was passed. A learned `upper` holds in any case, a learned `lower` if
        the map keeps all that matters.
    maps : tuple of str
        The map that each part of the rows was measured with; empty for "raw".
    method : str
        A key of ``METHODS``.
    curve : RankCurve
        Mismatch and radius by neighbour rank.
    local_mismatch : (n,) array
        For each row the chance that a new label drawn there differs from the row's own; NaN for
        rows that were not searched because a tolerance or a time limit was met before.
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
    """

    lower: float
    upper: float
    interval: tuple[float, float]
    confidence: float
    mismatch: float
    mismatch_se: float
    mismatch_interval: tuple[float, float]
    estimate: float
    estimate_interval: tuple[float, float]
    divergence: float | None
    divergence_se: float | None
    divergence_interval: tuple[float, float] | None
    classes: AnyArray
    priors: Floats
    n: int
    d: int
    intrinsic_dimension: float
    representation: str
    maps: tuple[str, ...]
    method: str
    curve: RankCurve
    local_mismatch: Floats
    notes: tuple[str, ...]
    labels: Ints
    columns: int
    texts_merged: bool
    display: Any
    run: Rerun

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
    def provisos(self) -> tuple[str, ...]:
        """What the lower bound rests on beside the rows."""
        learned = "what was learned of the columns keeps all that matters"
        merged = "columns of many different texts say no more than could be told apart"
        both = ((learned, bool(self.maps)), (merged, self.texts_merged))
        return tuple(text for text, holds in both if holds)

    @property
    def known_mismatch(self) -> Floats:
        """Local mismatch of the rows that were searched, all of them by default."""
        return self.local_mismatch[~np.isnan(self.local_mismatch)]

    def chart(
        self,
        name: str,
        *,
        model_error: float | None = None,
        target: float | None = None,
        **asked: float | None,
    ) -> Any:
        """Draw one chart of the report, as an Altair object.

        Parameters
        ----------
        name : {"interval", "curve", "growth", "confusion", "local"}
            Which one; "growth" runs again on parts of the rows, "confusion" on pairs of classes.
        model_error, target : float, optional
            Error of a model and wanted accuracy, marked in the interval chart.
        """
        from bayesfloor.report import draw_chart

        return draw_chart(self, name, model_error=model_error, target=target, **asked)

    def plot(
        self,
        *,
        model_error: float | None = None,
        target: float | None = None,
        **asked: float | None,
    ) -> Any:
        """Draw the interval, the rank curve and the local mismatch as one Altair chart."""
        from bayesfloor.report import draw_overview

        return draw_overview(self, model_error=model_error, target=target, **asked)

    def report(
        self,
        path: str | PathLike[str],
        *,
        rows: Any = None,
        model_error: float | None = None,
        target: float | None = None,
        title: str | None = None,
        progress: bool = False,
        **asked: float | None,
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
            progress=progress,
            **asked,
        )

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain Python values, ready for JSON."""
        return {
            "lower": self.lower,
            "upper": self.upper,
            "interval": list(self.interval),
            "confidence": self.confidence,
            "estimate": self.estimate,
            "estimate_interval": list(self.estimate_interval),
            "mismatch": self.mismatch,
            "mismatch_se": self.mismatch_se,
            "mismatch_interval": list(self.mismatch_interval),
            "divergence": self.divergence,
            "divergence_se": self.divergence_se,
            "divergence_interval": self.divergence_interval and list(self.divergence_interval),
            "classes": self.classes.tolist(),
            "priors": self.priors.tolist(),
            "n": self.n,
            "d": self.d,
            "columns": self.columns,
            "intrinsic_dimension": self.intrinsic_dimension,
            "representation": self.representation,
            "maps": list(self.maps),
            "method": self.method,
            "curve": {
                name: getattr(self.curve, name).tolist()
                for name in ("rank", "mismatch", "adjusted", "radius")
            },
            "notes": list(self.notes),
        }

    def facts(self) -> list[tuple[str, str]]:
        """Return the answer as pairs of a name and a text, in reading order."""
        sure, span = as_percent(self.confidence), "({} interval {:.4f} to {:.4f})".format
        size = counted(self.n, "row"), counted_columns(self.columns, self.d)
        facts = [
            ("data", ", ".join([*size, counted(len(self.classes), "class", "classes")])),
            ("classes", _class_list(self.classes, self.priors)),
            ("method", f"{self.method}: {METHODS[self.method].summary}"),
            ("Bayes error", self._lowest_error(sure)),
            ("estimate", self._best_guess()),
            ("best accuracy", self._best_accuracy(sure)),
        ]
        if self.divergence is not None and self.divergence_interval is not None:
            shown = min(max(self.divergence, 0.0), 1.0)
            divergence = f"{shown:.4f} {span(sure, *self.divergence_interval)}"
            facts.append(("HP divergence", divergence))
        return facts + [("note", note) for note in self.notes]

    def _lowest_error(self, sure: str) -> str:
        low, high = self.interval
        return (
            f"{low:.4f} to {high:.4f} with {sure} confidence (without the margin of error of"
            f" {counted(self.n, 'row')}: {self.lower:.4f} to {self.upper:.4f})"
        )

    def _best_guess(self) -> str:
        low, high = self.estimate_interval
        span = f"likely {low:.4f} to {high:.4f}"
        return f"{self.estimate:.4f} ({span}; less certain than the line above)"

    def _best_accuracy(self, sure: str) -> str:
        low, high = self.interval
        return (
            f"at least {percent(1 - high)}, at most {percent(1 - low)} with {sure} confidence"
            f" (without the margin of error: {percent(1 - self.upper)} to"
            f" {percent(1 - self.lower)})"
        )

    def __str__(self) -> str:
        return "\n".join(f"{name:<16}{text}" for name, text in self.facts())

    def _repr_html_(self) -> str:
        left = "style='text-align:left'"
        rows = (
            f"<tr><th {left}>{escape(name)}</th><td {left}>{escape(text)}</td></tr>"
            for name, text in self.facts()
        )
        return f"<table>{''.join(rows)}</table>"


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
