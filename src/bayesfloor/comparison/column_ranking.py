"""The record of a ranking: what each column is worth, and the columns that are enough."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from bayesfloor.base.formatting import as_percent, counted, cut, percent
from bayesfloor.comparison.difference import Difference
from bayesfloor.comparison.forward_selection import Selection, SelectionStep
from bayesfloor.comparison.record import in_points, points_with_interval, show_p
from bayesfloor.floor.record import Floor


@dataclass(frozen=True, slots=True)
class ColumnAlone:
    """What a group of columns tells by itself.

    Attributes
    ----------
    interval : tuple of float
        Where the lowest possible error with these columns alone lies.
    mismatch, mismatch_interval : float, tuple of float
        Their mismatch.
    """

    interval: tuple[float, float]
    mismatch: float
    mismatch_interval: tuple[float, float]


@dataclass(frozen=True, slots=True)
class ColumnWorth:
    """What one column is worth, or several that say the same.

    Attributes
    ----------
    names : tuple of str
        The columns; several are strongly correlated, and any of them may stand for all.
    without : Difference or None
        By how much the loss of maps rises without them: the mismatch that they take away. None
        where there was no time, or a cheap look found nothing.
    without_error : Difference or None
        The same of the held-out error.
    adjusted_p : float or None
        p-value of no rise, adjusted for the number of columns.
    needed : bool or None
        Whether the other columns surely do not replace them; None if that was not tried.
    alone : ColumnAlone or None
        What they tell by themselves; None where there was no time.
    """

    names: tuple[str, ...]
    without: Difference | None
    without_error: Difference | None
    adjusted_p: float | None
    needed: bool | None
    alone: ColumnAlone | None

    @property
    def name(self) -> str:
        """The columns in one text."""
        return " / ".join(self.names)


@dataclass(frozen=True, eq=False, repr=False)
class ColumnRanking:
    """Columns by what they are worth, and a path that adds them one by one.

    Attributes
    ----------
    columns : tuple of ColumnWorth
        All columns, the one that would be missed most first; those that were not tried last.
    needed : tuple of str
        Columns that the others do not replace.
    selected : tuple of str
        Columns that are enough: no further one lowers the mismatch by more than chance.
    path : tuple of SelectionStep
        How they were found, one step after the other.
    finished : bool
        Whether the path ended because nothing helped, not because time was up.
    left : Difference
        Loss of maps of all columns, less that of the selected ones.
    left_tells : bool
        Whether the columns that are not selected surely lower it together.
    floor : Floor
        The floor of all columns.
    maps : dict of str to float
        The maps that were learned again on other columns, with their weights.
    confidence : float
        Of intervals and steps.
    notes : tuple of str
        Sentences a reader must know.
    """

    columns: tuple[ColumnWorth, ...]
    needed: tuple[str, ...]
    selected: tuple[str, ...]
    path: tuple[SelectionStep, ...]
    start: float  # loss without any column
    finished: bool
    left: Difference
    left_tells: bool
    floor: Floor
    maps: dict[str, float]
    confidence: float
    notes: tuple[str, ...]

    def __repr__(self) -> str:
        """Return what was found on one line."""
        return f"ColumnRanking(needed={list(self.needed)}, selected={list(self.selected)})"

    def __str__(self) -> str:
        """Return the sentences, the table, the path and the notes."""
        lines = [*self.sentences(), "", *self.table_lines(), "", *self.path_lines()]
        return "\n".join([*lines, "", *self.notes])

    def sentences(self) -> tuple[str, ...]:
        """Say which column would be missed most, and which are enough."""
        return (_missed_sentence(self), _enough_sentence(self))

    def rows(self) -> list[tuple[str, ...]]:
        """Return the table as texts, its heads first."""
        heads = ("column", "error without it", "p-value", "needed", "lowest possible error alone")
        return [heads, *map(_row, self.columns)]

    def path_rows(self) -> list[tuple[str, ...]]:
        """Return the path as texts, its heads first."""
        heads = ("step", "added", "mismatch at most", "held-out error", "p-value")
        return [heads, *(_step_row(k, step) for k, step in enumerate(self.path, 1))]

    def table_lines(self) -> list[str]:
        """Return the table as lines of text."""
        return aligned(self.rows())

    def path_lines(self) -> list[str]:
        """Return the path as lines of text."""
        return aligned(self.path_rows())

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain Python values."""
        return {
            "needed": list(self.needed),
            "selected": list(self.selected),
            "finished": self.finished,
            "left": _plain(asdict(self.left)),
            "left_tells": self.left_tells,
            "confidence": self.confidence,
            "interval": list(self.floor.interval),
            "rows": self.floor.n,
            "maps": self.maps,
            "mismatch_without_columns": self.start,
            "columns": [_plain(asdict(one)) for one in self.columns],
            "path": [_plain(asdict(step)) for step in self.path],
            "notes": list(self.notes),
        }

    def chart(self, name: str = "columns") -> Any:
        """Draw what columns are worth ("columns") or the path ("path"), as an Altair object."""
        from bayesfloor.report.column_page import draw_ranking

        return draw_ranking(self, name)

    def report(self, path: str | PathLike[str], *, title: str | None = None) -> Path:
        """Write a page that explains the ranking: one HTML file that needs no network."""
        from bayesfloor.report.column_page import write_ranking

        return write_ranking(self, path, title=title)


def make_ranking(
    columns: Sequence[ColumnWorth],
    selection: Selection,
    floor: Floor,
    maps: dict[str, float],
    confidence: float,
    notes: Sequence[str],
) -> ColumnRanking:
    """Sort columns by what they are worth."""
    tried = [one for one in columns if one.without is not None]
    order = sorted(tried, key=lambda one: -one.without.value if one.without else 0.0)
    order += [one for one in columns if one.without is None]
    return ColumnRanking(
        columns=tuple(order),
        needed=tuple(name for one in order if one.needed for name in one.names),
        selected=tuple(group.names[0] for group in selection.chosen),
        path=selection.steps,
        start=selection.start,
        finished=selection.finished,
        left=selection.left,
        left_tells=selection.left_tells,
        floor=floor,
        maps=maps,
        confidence=confidence,
        notes=tuple(notes),
    )


def _missed_sentence(ranking: ColumnRanking) -> str:
    first = ranking.columns[0]
    if not first.needed or first.without_error is None:
        return "No column would surely be missed: the others replace each of them, or tell as much."
    others = sum(one.needed or False for one in ranking.columns) - 1
    more = (
        f" {counted(others, 'other column is', 'other columns are')} needed too." if others else ""
    )
    return (
        f"{cut(first.name)} would be missed most: without it the error rises by"
        f" {points_with_interval(first.without_error)} points.{more}"
    )


def _enough_sentence(ranking: ColumnRanking) -> str:
    if not ranking.path:
        return "No single column lowers the mismatch by more than chance."
    shown = ", ".join(map(cut, ranking.selected))
    total = sum(len(one.names) for one in ranking.columns)
    some = f"{len(ranking.selected)} of {total} columns"
    if not ranking.finished:
        return f"{some} were chosen ({shown}) before time was up; more may be needed."
    if ranking.left_tells:
        return (
            f"{some} tell most ({shown}): no further one alone lowers the mismatch by more than"
            f" chance, but all together do, by {in_points(-ranking.left.value)} points."
        )
    return f"{some} are enough ({shown}): no further one lowers the mismatch."


def _row(one: ColumnWorth) -> tuple[str, ...]:
    alone = "not tried" if one.alone is None else " to ".join(map(percent, one.alone.interval))
    if one.without_error is None or one.adjusted_p is None:
        return (cut(one.name), "not tried", "", "", alone)
    needed = "yes" if one.needed else "not shown"
    rise = points_with_interval(one.without_error)
    return (
        cut(one.name),
        f"+{rise}" if float(rise.split()[0]) > 0 else rise,
        show_p(one.adjusted_p),
        needed,
        alone,
    )


def _step_row(place: int, step: SelectionStep) -> tuple[str, ...]:
    added = " + ".join(map(cut, step.added))
    return (
        str(place),
        added,
        f"{percent(step.mismatch)} ({in_points(step.fall.value)})",
        percent(step.error),
        show_p(step.p_value),
    )


def aligned(rows: list[tuple[str, ...]]) -> list[str]:
    """Return a table as lines of text, columns aligned."""
    widths = [max(len(row[j]) for row in rows) for j in range(len(rows[0]))]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]


def _plain(value: Any) -> Any:
    """Turn tuples into lists, as JSON has no others."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, tuple | list) else value


def confidence_note(confidence: float) -> str:
    """Say what makes a column needed, and a step worth it."""
    return (
        "A column is needed if maps learned without it do worse on the same held-out rows, by more"
        f" than chance among all columns ({as_percent(confidence)} confidence); so is each step."
    )
