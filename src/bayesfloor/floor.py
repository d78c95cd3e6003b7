"""One call from a labelled sample to bounds on its Bayes error."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from functools import cached_property
from html import escape
from itertools import combinations
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from scipy.special import ndtri

from bayesfloor.arrays import AnyArray, Bools, Floats, Ints
from bayesfloor.bounds import bayes_error_bounds, divergence, independent_mismatch
from bayesfloor.curve import WHOLE, RankCurve
from bayesfloor.errors import DataError
from bayesfloor.methods import METHODS
from bayesfloor.notes import make_notes
from bayesfloor.point import Family
from bayesfloor.progress import progress_bar
from bayesfloor.representation import Represented, check_representation, represent, take_rows
from bayesfloor.sample import (
    Sample,
    check_count,
    check_positive,
    check_seed,
    check_share,
    make_pair,
    make_sample,
)
from bayesfloor.search import ENGINES, Effort
from bayesfloor.solve import Solved, solve, solve_one
from bayesfloor.tables import LabelledTable
from bayesfloor.wording import counted, counted_columns, cut, percent

PAIR_SEED = 2018
SURE = 3.0
"""Standard errors on either side beyond which learned maps prove the neighbours wrong."""


@dataclass(frozen=True, eq=False)
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
    _sample: Sample = field(repr=False)
    _samples: tuple[Sample, ...] = field(repr=False)  # what was measured of it
    _asked: Any = field(repr=False)  # the representation
    _k: int = field(repr=False)
    _seed: int = field(default=0, repr=False)
    _effort: Effort = field(default=WHOLE, repr=False)
    _table: Any = field(default=None, repr=False)  # the points as they came
    _rows: Any = field(default=None, repr=False)  # the same as a reader should see them

    @property
    def columns(self) -> int:
        """Columns as they came, before text was encoded."""
        return self.d if self._rows is None else int(self._rows.width)

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
        """Henze-Penrose divergence between any two classes, unclipped, (m, m)."""
        table = np.zeros((len(self.classes), len(self.classes)))
        for a, b in combinations(range(len(self.classes)), 2):
            table[a, b] = table[b, a] = self.divergence_between(a, b)
        return table

    def divergence_between(self, a: int, b: int, *, most_rows: int | None = None) -> float:
        """Henze-Penrose divergence between two classes, given by index, unclipped.

        With `most_rows`, that many rows of a class are drawn at random where there are more.
        """
        if self.divergence is not None:
            return self.divergence
        pairs = [_restricted(sample, a, b, most_rows) for sample in self._samples]
        values = [
            divergence(solve_one(pair, self.method, self._k)[1].mismatch, pair.priors)
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
            "pairwise": self.pairwise.tolist(),
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
            ("estimate", f"{self.estimate:.4f} {span(sure, *self.estimate_interval)}"),
            ("best accuracy", self._best_accuracy(sure)),
        ]
        if self.divergence is not None and self.divergence_interval is not None:
            divergence = f"{self.divergence:.4f} {span(sure, *self.divergence_interval)}"
            facts.append(("HP divergence", divergence))
        return facts + [("note", note) for note in self.notes]

    def _lowest_error(self, sure: str) -> str:
        low, high = self.interval
        return (
            f"{low:.4f} to {high:.4f} with {sure} confidence (bounds without the margin for"
            f" {counted(self.n, 'row')}: {self.lower:.4f} and {self.upper:.4f})"
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


def bayes_error(
    X: Any,
    y: Any = None,
    *,
    method: str = "wnn",
    k: int = 5,
    representation: Any = "auto",
    confidence: float = 0.95,
    random_state: Any = 0,
    tolerance: float | None = None,
    max_seconds: float | None = None,
    engine: str = "auto",
    workers: int | None = None,
    progress: bool = False,
) -> Floor:
    """Bound the Bayes error of a labelled sample: no classifier can do better.

    Parameters
    ----------
    X : array or data frame of shape (n, d)
        Finite numbers: NumPy, lists, pandas, polars, Arrow. Distances are Euclidean, so columns
        in different units should be scaled first. Or what `read_table` returns, without `y`.
    y : array or column of length n
        Labels of any type, with two rows or more of each class.
    method : {"wnn", "wnn-published", "knn", "mst"}
        "wnn" is the most accurate; the others are the published estimators.
    k : int
        The neighbour that method "knn" looks at; the other methods do not use it.
    representation : {"auto", "raw", "learned"} or scikit-learn classifier or transformer
        What neighbours are searched in. "raw": the columns as they are. "learned": class
        probabilities, by the best of several classifiers, learned on one part of the rows and
        measured on the other. "auto": raw where neighbours are local or the method is a published
        one, else learned. A classifier or transformer of your own is learned and measured in
        parts too.
    confidence : float
        Of the intervals, between 0 and 1.
    random_state : int, None, or NumPy Generator or RandomState
        Seed that parts the rows for learning and measuring; None takes another at every call.
    tolerance : float, optional
        Standard error of the mismatch that is small enough. Rows, in random order, are compared
        with their neighbours among all rows until it is met; the intervals include the noise of
        having asked some rows only.
    max_seconds : float, optional
        Search for about so long, in random order too. What comes before the search, such as sorting
        the rows, takes the time it takes.
    engine : {"auto", "tree", "blocks", "scipy", "numpy"}
        How neighbours are searched; all find the same. "auto" takes the fastest.
    workers : int, optional
        Threads, all cores by default; the result does not depend on it.
    progress : bool
        Show a progress bar on a terminal.

    Returns
    -------
    Floor

    Raises
    ------
    DataError
        If the input cannot be used; the message says what came, where, and what to do.

    Examples
    --------
    >>> import numpy as np
    >>> import bayesfloor as bf
    >>> rng = np.random.default_rng(0)
    >>> X = np.r_[rng.normal(0, 1, (500, 2)), rng.normal(2, 1, (500, 2))]
    >>> y = np.repeat(["a", "b"], 500)
    >>> floor = bf.bayes_error(X, y)
    >>> floor.lower < 0.0786 < floor.upper  # the true Bayes error is 0.0786
    True
    """
    _check_options(method, workers)
    check_representation(representation)
    seed = check_seed("random_state", random_state)
    effort = _make_effort(method, tolerance, max_seconds, engine, workers, seed)
    notes, rows = (), None
    if isinstance(X, LabelledTable) and y is None:
        X, y, notes, rows = X.X, X.y, X.notes, X.rows
    sample = make_sample(X, y)
    floor = make_floor(
        sample,
        method=method,
        k=_check_k(k, sample, method),
        representation=representation,
        table=X,
        confidence=check_share("confidence", confidence),
        seed=seed,
        effort=effort,
        progress=progress,
    )
    return replace(floor, notes=notes + floor.notes, _rows=rows)


def henze_penrose(
    X: Any,
    Y: Any,
    *,
    method: str = "wnn",
    k: int = 5,
    representation: str = "auto",
    confidence: float = 0.95,
) -> Divergence:
    """Estimate the Henze-Penrose divergence of two point sets.

    Parameters
    ----------
    X, Y : arrays or data frames of shape (n, d) and (m, d)
        Points of the two classes; the prior is n / (n + m).
    method, k, representation, confidence
        As in `bayes_error`. The divergence of a learned representation is that of the points or
        less.

    Returns
    -------
    Divergence

    Examples
    --------
    >>> import numpy as np
    >>> import bayesfloor as bf
    >>> rng = np.random.default_rng(0)
    >>> found = bf.henze_penrose(rng.normal(0, 1, (500, 2)), rng.normal(0, 1, (500, 2)))
    >>> found.interval[0]
    0.0
    """
    _check_options(method, None)
    check_representation(representation)
    sample = make_pair(X, Y)
    floor = make_floor(
        sample,
        method=method,
        k=_check_k(k, sample, method),
        representation=representation,
        confidence=check_share("confidence", confidence),
    )
    assert floor.divergence is not None
    assert floor.divergence_se is not None
    assert floor.divergence_interval is not None
    return Divergence(floor.divergence, floor.divergence_se, floor.divergence_interval)


def make_floor(
    sample: Sample,
    *,
    method: str = "wnn",
    k: int = 5,
    representation: Any = "auto",
    table: Any = None,
    confidence: float = 0.95,
    seed: int = 0,
    effort: Effort = WHOLE,
    progress: bool = False,
) -> Floor:
    """Bound the Bayes error of a sample that has passed the gate."""
    published = isinstance(representation, str) and representation == "auto" and method != "wnn"
    asked = "raw" if published else representation
    how: dict[str, Any] = {"seed": seed, "effort": effort, "progress": progress}
    represented, solved = _measured(sample, asked, method, k, table=table, **how)
    if isinstance(asked, str) and asked == "auto" and represented.is_doubtful:
        learned, other = _measured(sample, "learned", method, k, **how)
        if other.mismatch + SURE * other.se < solved.mismatch - SURE * solved.se:
            represented, solved = learned, other
    priors, ceiling = sample.priors, independent_mismatch(sample.priors)
    mismatch, (low, high) = solved.mismatch, _limits(sample, represented, solved, confidence)
    lower, upper = bayes_error_bounds(mismatch, priors)
    family, two = Family(solved.posterior, priors), sample.m == 2
    estimate = family.error_at(mismatch)
    return Floor(
        lower=lower,
        upper=upper,
        interval=(bayes_error_bounds(low, priors)[0], bayes_error_bounds(high, priors)[1]),
        confidence=confidence,
        mismatch=mismatch,
        mismatch_se=solved.se,
        mismatch_interval=(low, high),
        estimate=estimate,
        estimate_interval=(
            min(family.error_at(low), estimate),
            max(family.error_at(high), estimate),
        ),
        divergence=divergence(mismatch, priors) if two else None,
        divergence_se=solved.se / ceiling if two else None,
        divergence_interval=(1 - high / ceiling, 1 - low / ceiling) if two else None,
        classes=sample.classes,
        priors=priors,
        n=sample.n,
        d=sample.d,
        intrinsic_dimension=represented.dimension or solved.curve.intrinsic_dimension,
        representation=represented.name,
        maps=represented.chosen,
        method=method,
        curve=solved.curve,
        local_mismatch=1 - solved.posterior[np.arange(sample.n), sample.labels],
        notes=make_notes(sample, represented, solved, method, effort.tolerance),
        _sample=sample,
        _samples=represented.samples,
        _asked=asked,
        _seed=seed,
        _effort=replace(effort, deadline=None),
        _table=table,
        _k=k,
    )


def _measured(
    sample: Sample,
    representation: Any,
    method: str,
    k: int,
    *,
    table: Any = None,
    seed: int,
    effort: Effort,
    progress: bool,
) -> tuple[Represented, Solved]:
    represented = represent(
        sample, representation, table=table, seed=seed, workers=effort.workers, progress=progress
    )
    with progress_bar("Comparing neighbours", sample.n, show=progress) as advance:
        return represented, solve(represented, method, k, replace(effort, advance=advance))


def _limits(
    sample: Sample, represented: Represented, solved: Solved, confidence: float
) -> tuple[float, float]:
    """Confidence limits of the mismatch; maps may still have something to win."""
    reach = float(ndtri(0.5 + confidence / 2)) * solved.se
    ceiling = independent_mismatch(sample.priors)
    low = 0.0 if represented.is_guess else solved.mismatch - represented.gap - reach
    return min(max(low, 0.0), ceiling), min(max(solved.mismatch + reach, 0.0), ceiling)


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


def _make_effort(
    method: str,
    tolerance: object,
    max_seconds: object,
    engine: str,
    workers: int | None,
    seed: int,
) -> Effort:
    if engine not in ("auto", *ENGINES):
        names = ", ".join(("auto", *ENGINES))
        raise DataError(f"engine is {engine!r}; pass one of {names}")
    if method == "mst" and not (tolerance is None and max_seconds is None):
        raise DataError("the spanning tree needs all rows; leave out tolerance and max_seconds")
    seconds = None if max_seconds is None else check_positive("max_seconds", max_seconds)
    return Effort(
        engine=engine,
        workers=workers,
        tolerance=None if tolerance is None else check_positive("tolerance", tolerance),
        deadline=None if seconds is None else time.monotonic() + seconds,
        seed=seed,
    )


def _check_options(method: object, workers: object) -> None:
    if method not in METHODS:
        raise DataError(f"method is {method!r}; choose one of {', '.join(sorted(METHODS))}")
    if workers is not None:
        check_count("workers", workers)


def _check_k(k: object, sample: Sample, method: str) -> int:
    return check_count("k", k, high=sample.n - 1 if method == "knn" else None)


def _class_list(classes: AnyArray, priors: Floats, most: int = 8) -> str:
    """Classes with their shares, the first few."""
    shown = [f"{cut(str(c))} {p:.1%}" for c, p in zip(classes.tolist(), priors, strict=True)][:most]
    return ", ".join(shown) + (f" and {len(classes) - most} more" if len(classes) > most else "")
