"""The record of an answer, and what can be asked of it further."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from html import escape
from itertools import combinations
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from bayesfloor.base.arrays import AnyArray, Bools, Floats, Ints
from bayesfloor.base.errors import DataError
from bayesfloor.base.formatting import counted, counted_columns, cut, percent
from bayesfloor.bounds.henze_penrose import divergence
from bayesfloor.curve.rank_curve import RankCurve
from bayesfloor.estimators.methods import METHODS
from bayesfloor.neighbours import Effort
from bayesfloor.neighbours.effort import ALL_ROWS
from bayesfloor.representation import take_rows
from bayesfloor.representation.pooling import estimate_mismatch
from bayesfloor.sample.sample import Sample

PAIR_SEED = 2018
PAIR_ROWS, PAIR_CLASSES = 2000, 30
"""Rows of a class that are compared with those of another, and classes all of whose pairs are."""


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
    _sample: Sample
    _samples: tuple[Sample, ...]  # what was measured of it
    _asked: Any  # the representation
    _k: int
    _seed: int = 0
    _effort: Effort = ALL_ROWS
    _table: Any = None  # the points as they came
    _rows: Any = None  # the same as a reader should see them
    _crowded: bool = False  # texts in them, beyond what could be told apart in full

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
    def columns(self) -> int:
        """Columns as they came, before text was encoded."""
        return self.d if self._rows is None else int(self._rows.width)

    @property
    def provisos(self) -> tuple[str, ...]:
        """What the lower bound rests on beside the rows."""
        learned = "what was learned of the columns keeps all that matters"
        crowded = "columns of many different texts say no more than could be told apart"
        both = ((learned, bool(self.maps)), (crowded, self._crowded))
        return tuple(text for text, holds in both if holds)

    @property
    def known_mismatch(self) -> Floats:
        """Local mismatch of the rows that were searched, all of them by default."""
        return self.local_mismatch[~np.isnan(self.local_mismatch)]

    @property
    def labels(self) -> Ints:
        """Class of each row, as an index into `classes`, (n,)."""
        return self._sample.labels

    @cached_property
    def pairwise(self) -> Floats:
        """Henze-Penrose divergence between any two classes, unclipped, (m, m).

        At most 2000 rows of a class are compared; `divergence_between` compares all.
        """
        table = np.zeros((len(self.classes), len(self.classes)))
        for a, b in combinations(range(len(self.classes)), 2):
            table[a, b] = table[b, a] = self.divergence_between(a, b, most_rows=PAIR_ROWS)
        return table

    def divergence_between(self, a: int, b: int, *, most_rows: int | None = None) -> float:
        """Henze-Penrose divergence between two classes, given by index, unclipped.

        With `most_rows`, that many rows of a class are drawn at random where there are more.
        """
        if self.divergence is not None:
            return self.divergence
        pairs = [_restricted(sample, a, b, most_rows) for sample in self._samples]
        effort = Effort(engine=self._effort.engine, executor=self._effort.executor)
        values = [
            divergence(
                estimate_mismatch(pair, self.method, self._k, effort)[1].mismatch, pair.priors
            )
            for pair in pairs
        ]
        return float(np.average(values, weights=[pair.n for pair in pairs]))

    def part(self, rows: Bools) -> Floor:
        """Answer the same question from some of the rows, which hold every class.

        Parameters
        ----------
        rows : (n,) array of bool
            The rows to keep, two or more of every class.
        """
        sample = self._sample.only(rows)
        if sample.counts.min() < 2:
            raise DataError("a part of the rows lacks a class; keep two rows of each or more")
        from bayesfloor.floor.run import make_floor

        return make_floor(
            sample,
            method=self.method,
            k=self._k,
            representation=self.representation if isinstance(self._asked, str) else self._asked,
            table=None if self._table is None else take_rows(self._table, np.flatnonzero(rows)),
            confidence=self.confidence,
            seed=self._seed,
            effort=self._effort,
        )

    def chart(
        self, name: str, *, model_error: float | None = None, target: float | None = None
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

        return draw_chart(self, name, model_error=model_error, target=target)

    def plot(self, *, model_error: float | None = None, target: float | None = None) -> Any:
        """Draw the interval, the rank curve and the local mismatch as one Altair chart."""
        from bayesfloor.report import draw_overview

        return draw_overview(self, model_error=model_error, target=target)

    def report(
        self,
        path: str | PathLike[str],
        *,
        rows: Any = None,
        model_error: float | None = None,
        target: float | None = None,
        title: str | None = None,
        progress: bool = False,
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

        Returns
        -------
        Path
            The file.
        """
        from bayesfloor.report import write_report

        return write_report(
            self,
            path,
            rows=next((r for r in (rows, self._rows, self._table) if r is not None), None),
            model_error=model_error,
            target=target,
            title=title,
            progress=progress,
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
            "pairwise": self.pairwise.tolist() if len(self.classes) <= PAIR_CLASSES else None,
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
        sure, span = f"{100 * self.confidence:.6g}%", "({} interval {:.4f} to {:.4f})".format
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
            f"{low:.4f} to {high:.4f} with {sure} confidence (bounds without the margin for"
            f" {counted(self.n, 'row')}: {self.lower:.4f} and {self.upper:.4f})"
        )

    def _best_guess(self) -> str:
        low, high = self.estimate_interval
        return (
            f"{self.estimate:.4f} (likely {low:.4f} to {high:.4f}; less sure than the line above)"
        )

    def _best_accuracy(self, sure: str) -> str:
        low, high = self.interval
        return (
            f"{percent(1 - high)} to {percent(1 - low)} of new rows with {sure} confidence: the"
            " best classifier reaches the first, none exceeds the second (without the margin:"
            f" {percent(1 - self.upper)} and {percent(1 - self.lower)})"
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


def _restricted(sample: Sample, a: int, b: int, most_rows: int | None) -> Sample:
    """Return the rows of two classes only, or as many as asked."""
    rng = np.random.default_rng(PAIR_SEED)
    kept = np.zeros(sample.n, dtype=np.bool_)
    for c in (a, b):
        kept[rng.permutation(np.flatnonzero(sample.labels == c))[:most_rows]] = True
    return Sample(
        points=sample.points[kept],
        labels=(sample.labels[kept] == b).astype(np.int64),
        classes=sample.classes[[a, b]],
        scale=sample.scale,
    )


def _class_list(classes: AnyArray, priors: Floats, most: int = 8) -> str:
    """Classes with their shares, the first few."""
    shown = [f"{cut(str(c))} {p:.1%}" for c, p in zip(classes.tolist(), priors, strict=True)][:most]
    return ", ".join(shown) + (f" and {len(classes) - most} more" if len(classes) > most else "")
