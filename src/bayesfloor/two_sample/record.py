"""The record of a comparison of two samples: whether they differ, by how much, and where."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from bayesfloor.base.formatting import as_percent, counted, counted_columns, first_few, percent
from bayesfloor.floor import Divergence
from bayesfloor.two_sample.classifier import ClassifierTest
from bayesfloor.two_sample.columns import MovedColumn
from bayesfloor.two_sample.graph_statistic import NeighbourTest
from bayesfloor.two_sample.new_rows import FALSE_SHARE

DIFFER, MAY_DIFFER, ALIKE = "differ", "may differ", "no difference found"
"""Verdicts: by the neighbour test, by the classifier test alone, and by neither."""
SEEN_IN = {
    "near": "rows whose nearest rows are of their own sample",
    "broad": "wide regions with more rows of one sample than of the other",
    "degree": "rows of one sample that lie closer together than those of the other",
    "trend": "columns whose means or spreads differ",
    "waves": "columns along which the samples take turns",
}
"""What the largest score of the neighbour test shows, by its name."""


@dataclass(frozen=True, slots=True)
class NewRow:
    """A new row that lies where old rows do not.

    Attributes
    ----------
    row : int
        Its number in the new table, from 0.
    distance : float
        How far the nearest old row is, over the median distance between nearest old rows.
    nearest : int
        The number of that row in the old table.
    columns : tuple of str
        The columns in which they differ most.
    """

    row: int
    distance: float
    nearest: int
    columns: tuple[str, ...]


@dataclass(frozen=True, eq=False, repr=False)
class TwoSampleTest:
    """Whether two samples are drawn alike.

    Attributes
    ----------
    p_value : float
        Of the neighbour test: chance of such a difference, or a larger one, if they were.
    verdict : {"differ", "may differ", "no difference found"}
        At a level of 1 − confidence; "may differ" if the classifier test alone finds a difference.
    divergence : Divergence
        How much they differ: the Henze-Penrose divergence with its interval, 0 if they are the
        same, 1 if they never mix.
    neighbours : NeighbourTest
        The permutation test on the fixed graph of neighbours, and its normal limit.
    classifier : ClassifierTest or None
        Whether a classifier tells unseen rows apart; None where rows are too few to learn from.
    columns : tuple of MovedColumn
        All columns, those that moved most first.
    new_rows : tuple of NewRow
        New rows that lie where old rows do not, the farthest first; on average at most a fifth of
        them are old kinds of rows.
    old_rows, new_rows_total : int
        Numbers of rows.
    d : int
        Columns that were compared, text encoded.
    confidence : float
        Of the interval, and one minus the level of the verdict.
    names : tuple of str
        What the two samples are called.
    notes : tuple of str
        Sentences a reader must know.
    """

    divergence: Divergence
    neighbours: NeighbourTest
    classifier: ClassifierTest | None
    columns: tuple[MovedColumn, ...]
    new_rows: tuple[NewRow, ...]
    old_rows: int
    new_rows_total: int
    d: int
    confidence: float
    names: tuple[str, str]
    notes: tuple[str, ...]

    def __repr__(self) -> str:
        """Return the main figures on one line."""
        low, high = self.divergence.interval
        return (
            f"TwoSampleTest(verdict={self.verdict!r}, p_value={self.p_value:.4g},"
            f" divergence=({low:.4f}, {high:.4f}), moved={len(self.moved)},"
            f" new_rows={len(self.new_rows)})"
        )

    @property
    def p_value(self) -> float:
        """Of the neighbour test."""
        return self.neighbours.p_value

    @property
    def level(self) -> float:
        """Chance that alike samples are said to differ."""
        return round(1 - self.confidence, 12)

    @property
    def verdict(self) -> str:
        """Whether the samples differ."""
        if self.p_value <= self.level:
            return DIFFER
        if self.classifier is not None and self.classifier.p_value <= self.level:
            return MAY_DIFFER
        return ALIKE

    @property
    def moved(self) -> tuple[MovedColumn, ...]:
        """The columns that moved, with the number of columns told."""
        return tuple(column for column in self.columns if column.adjusted <= self.level)

    @property
    def headline(self) -> str:
        """The verdict in a sentence."""
        old, new = self.names
        p = p_text(self.p_value)
        if self.verdict == DIFFER:
            return f"The rows of {new} differ from those of {old} ({p})"
        if self.verdict == MAY_DIFFER:
            assert self.classifier is not None
            found = f"a classifier finds a difference ({p_text(self.classifier.p_value)})"
            return f"The rows of {new} may differ from those of {old}: {found}, neighbours none"
        return f"No difference found between the rows of {old} and {new} ({p})"

    def facts(self) -> list[tuple[str, str]]:
        """Return the answer as pairs of a name and a text, in reading order."""
        facts = [
            ("divergence", self._divergence_text()),
            ("neighbours", self._neighbour_text()),
            ("classifier", self._classifier_text()),
            ("columns", self.columns_sentence()),
            ("new rows", self.new_rows_sentence()),
            ("data", self.size()),
        ]
        return facts + [("note", note) for note in self.notes]

    def size(self) -> str:
        """Return how many rows and columns there are."""
        columns = counted_columns(len(self.columns), self.d)
        rows = counted(self.old_rows, "old row"), counted(self.new_rows_total, "new row")
        return ", ".join([*rows, columns])

    def _divergence_text(self) -> str:
        low, high = self.divergence.interval
        shown = min(max(self.divergence.value, 0.0), 1.0)
        sure = as_percent(self.confidence)
        return f"{shown:.4f} ({sure} interval {low:.4f} to {high:.4f}; 0 is alike, 1 never mixed)"

    def _neighbour_text(self) -> str:
        test = self.neighbours
        largest = max(test.scores, key=test.scores.__getitem__)
        seen = f"; it shows most in {SEEN_IN[largest]}" if self.verdict == DIFFER else ""
        if test.permutation is None:
            how = "by the normal limit of permuted labels on the graph of neighbours"
        else:
            every = "all " if test.permutation.complete else ""
            count = test.permutation.total - (0 if test.permutation.complete else 1)
            how = f"{every}{counted(count, 'permutation')} of the labels on the graph of neighbours"
        return f"{p_text(self.p_value)}, {how}{seen}"

    def _classifier_text(self) -> str:
        if self.classifier is None:
            return "not learned: too few rows"
        return (
            f"{p_text(self.classifier.p_value)}; of a new and an old row it had not seen, the new"
            f" one scores higher in {percent(self.classifier.auc)} of cases"
        )

    def columns_sentence(self) -> str:
        """Say which columns moved."""
        if not self.moved:
            return f"none of {counted(len(self.columns), 'column')} moved on its own"
        names = first_few([column.name for column in self.moved])
        return f"{len(self.moved)} of {len(self.columns)} moved: {names}"

    def new_rows_sentence(self) -> str:
        """Say how many rows are of a new kind."""
        total = counted(self.new_rows_total, "new row")
        if not self.new_rows:
            return f"none of {total} lies where old rows do not"
        numbers = first_few([row.row for row in self.new_rows])
        return (
            f"{len(self.new_rows):,} of {total} lie where old rows do not (up to"
            f" {as_percent(FALSE_SHARE)} of them by chance): {numbers}"
        )

    def __str__(self) -> str:
        lines = [f"{name:<16}{text}" for name, text in self.facts()]
        return "\n".join([self.headline, *lines])

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain Python values, ready for JSON."""
        permutation = self.neighbours.permutation
        return {
            "verdict": self.verdict,
            "headline": self.headline,
            "p_value": self.p_value,
            "level": self.level,
            "divergence": self.divergence.value,
            "divergence_se": self.divergence.se,
            "divergence_interval": list(self.divergence.interval),
            "confidence": self.confidence,
            "neighbours": {
                "p_value": self.p_value,
                "p_value_mid": None if permutation is None else permutation.p_value_mid,
                "normal_p_value": self.neighbours.normal_p_value,
                "statistic": self.neighbours.statistic,
                "scores": dict(self.neighbours.scores),
                "permutations": None if permutation is None else permutation.total,
                "complete": permutation is not None and permutation.complete,
                "ranks": self.neighbours.ranks,
            },
            "classifier": self.classifier and asdict(self.classifier),
            "columns": [asdict(column) for column in self.columns],
            "moved": [column.name for column in self.moved],
            "new_rows": [{**asdict(row), "columns": list(row.columns)} for row in self.new_rows],
            "old_n": self.old_rows,
            "new_n": self.new_rows_total,
            "d": self.d,
            "names": list(self.names),
            "notes": list(self.notes),
        }

    def report(self, path: str | PathLike[str], *, title: str | None = None) -> Path:
        """Write a page that explains the answer: one HTML file that needs no network.

        Parameters
        ----------
        path : str or path
            The file; it is written aside and then renamed.
        title : str, optional
            Heading of the page.
        """
        from bayesfloor.report.shift_page import write_shift_page

        return write_shift_page(self, path, title=title)


def p_text(p_value: float) -> str:
    """Write a p-value.

    Examples
    --------
    >>> p_text(0.001), p_text(0.0312), p_text(0.4), p_text(1e-12)
    ('p = 0.001', 'p = 0.031', 'p = 0.40', 'p < 0.0001')
    """
    if p_value < 1e-4:
        return "p < 0.0001"
    digits = 2 if p_value >= 0.0995 else 3 if p_value >= 0.000995 else 4
    return f"p = {p_value:.{digits}f}"
