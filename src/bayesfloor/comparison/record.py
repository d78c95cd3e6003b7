"""The record of a comparison: floors of all sets, and how each differs from one of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any

from bayesfloor.base.cautions import Caution
from bayesfloor.base.errors import DataError
from bayesfloor.base.formatting import as_percent, cut, percent, quoted_names
from bayesfloor.base.p_values import holm
from bayesfloor.comparison.difference import Difference
from bayesfloor.comparison.sides import Differences, Side, paired_differences, unpaired_differences
from bayesfloor.floor.record import Floor

LOWER, HIGHER, TELLS_MORE, TELLS_LESS, NOT_SHOWN = (
    "lower",
    "higher",
    "tells more",
    "tells less",
    "undecided",
)
"""Verdicts on a set: its floor is lower or higher than that of the reference; or only its mismatch
is, so that it says more or less of the labels; or neither is shown."""


@dataclass(frozen=True, slots=True)
class SetDifference:
    """How a set differs from the reference.

    Attributes
    ----------
    name, reference : str
        The sets.
    mismatch, floor, held_out : Difference
        Of the mismatch, of the Bayes error, and of the held-out error, the set's less the
        reference's.
    adjusted_p : float
        p-value of no difference in mismatch, adjusted for the number of sets.
    verdict : str
        "lower", "higher", "tells more", "tells less" or "undecided".
    sentence : str
        The verdict in words.
    """

    name: str
    reference: str
    mismatch: Difference
    floor: Difference
    held_out: Difference
    adjusted_p: float
    verdict: str
    sentence: str


@dataclass(frozen=True, eq=False, repr=False)
class Comparison:
    """Floors of column sets or samples, and what tells them apart.

    Attributes
    ----------
    floors : dict of str to Floor
        Every set, the lowest mismatch first.
    reference : str
        The set that all others are compared with.
    differences : dict of str to SetDifference
        All others, in the order of `floors`.
    paired : bool
        Whether all sets have the same rows, so that the noise of their labels cancels.
    confidence : float
        Of the intervals.
    notes : tuple of str
        Sentences a reader must know.
    """

    floors: dict[str, Floor]
    reference: str
    differences: dict[str, SetDifference]
    paired: bool
    confidence: float
    notes: tuple[str, ...]
    sides: Mapping[str, Side]

    def with_notes(self, notes: tuple[str, ...]) -> Comparison:
        """Return the same with notes before its own."""
        return replace(self, notes=(*notes, *self.notes))

    def difference(self, name: str, reference: str) -> SetDifference:
        """Compare any two sets; the p-value is that of this comparison alone."""
        for one in (name, reference):
            if one not in self.floors:
                raise DataError(
                    f"there is no set {one!r}; choose from {quoted_names(list(self.floors))}"
                )
        found = _apart(self.sides[name], self.sides[reference], self.confidence, self.paired)
        return _judge(name, reference, found, found.mismatch.p_value, found.floor.p_value, self)

    def __repr__(self) -> str:
        """Return the sets and the verdicts on one line."""
        verdicts = ", ".join(f"{name!r}: {one.verdict}" for name, one in self.differences.items())
        return f"Comparison(reference={self.reference!r}, {verdicts})"

    def __str__(self) -> str:
        """Return the table, the verdicts and the notes."""
        lines = [*self.table_lines(), "", *(d.sentence for d in self.differences.values())]
        return "\n".join([*lines, "", *self.notes])

    def rows(self) -> list[tuple[str, ...]]:
        """Return the table as texts, its heads first."""
        against = f"floor against {cut(self.reference)}"
        heads = ("set", "columns", "lowest possible error", "held-out error", against, "p-value")
        return [heads, *(self._row(name) for name in self.floors)]

    def table_lines(self) -> list[str]:
        """Return the table as lines of text, columns aligned."""
        rows = self.rows()
        widths = [max(len(row[j]) for row in rows) for j in range(len(rows[0]))]
        padded = [
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
            for row in rows
        ]
        return [line.rstrip() for line in padded]

    def _row(self, name: str) -> tuple[str, ...]:
        floor = self.floors[name]
        size = f"{floor.columns}" if self.paired else f"{floor.columns}, {floor.n:,} rows"
        found = (cut(name), size, " to ".join(map(percent, floor.interval)))
        held_out = percent(float(self.sides[name].errors.mean()))
        if name == self.reference:
            return (*found, held_out, "reference", "")
        one = self.differences[name]
        return (*found, held_out, points_with_interval(one.floor), show_p(one.adjusted_p))

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain Python values."""
        return {
            "reference": self.reference,
            "paired": self.paired,
            "confidence": self.confidence,
            "sets": [self._plain(name) for name in self.floors],
            "notes": list(self.notes),
        }

    def _plain(self, name: str) -> dict[str, Any]:
        floor, one = self.floors[name], self.differences.get(name)
        plain = {
            "name": name,
            "rows": floor.n,
            "columns": floor.columns,
            "interval": list(floor.interval),
            "estimate": floor.estimate,
            "mismatch": floor.mismatch,
            "held_out_error": float(self.sides[name].errors.mean()),
            "lower_rests_on": floor.lower_rests_on,
        }
        if one is None:
            return {**plain, "against_reference": None}
        differences = {"mismatch": one.mismatch, "floor": one.floor, "held_out": one.held_out}
        return {
            **plain,
            "against_reference": {
                **{key: _plain_difference(value) for key, value in differences.items()},
                "adjusted_p": one.adjusted_p,
                "verdict": one.verdict,
                "sentence": one.sentence,
            },
        }

    def chart(self) -> Any:
        """Draw how the floors differ from the reference, as an Altair object."""
        from bayesfloor.report.comparison import draw_comparison

        return draw_comparison(self)

    def report(self, path: str | PathLike[str], *, title: str | None = None) -> Path:
        """Write a page that explains the comparison: one HTML file that needs no network."""
        from bayesfloor.report.comparison import write_comparison

        return write_comparison(self, path, title=title)


def make_comparison(
    floors: Mapping[str, Floor],
    sides: Mapping[str, Side],
    *,
    reference: str,
    paired: bool,
    confidence: float,
) -> Comparison:
    """Compare all sets with the reference, and adjust p-values for their number."""
    others = [name for name in floors if name != reference]
    apart = {name: _apart(sides[name], sides[reference], confidence, paired) for name in others}
    order = sorted(floors, key=lambda name: _rank(apart.get(name)))
    notes = _notes(others, apart.values(), paired, confidence, floors)
    found = Comparison(
        {name: floors[name] for name in order}, reference, {}, paired, confidence, notes, sides
    )
    adjusted = zip(
        holm([apart[name].mismatch.p_value for name in others]).tolist(),
        holm([apart[name].floor.p_value for name in others]).tolist(),
        strict=True,
    )
    judged = {
        name: _judge(name, reference, apart[name], *p, found)
        for name, p in zip(others, adjusted, strict=True)
    }
    found.differences.update({name: judged[name] for name in order if name in judged})
    return found


def _rank(apart: Differences | None) -> float:
    """Return what sets are sorted by: their mismatch, less that of the reference."""
    return 0.0 if apart is None else apart.mismatch.value


def _apart(first: Side, second: Side, confidence: float, paired: bool) -> Differences:
    return (paired_differences if paired else unpaired_differences)(first, second, confidence)


def _judge(
    name: str, reference: str, found: Differences, p: float, floor_p: float, among: Comparison
) -> SetDifference:
    """Put a difference into words; p-values are adjusted already."""
    sure = 1 - among.confidence
    falls, rises = found.floor.value < 0, found.mismatch.value > 0
    verdict = NOT_SHOWN
    if p < sure:
        verdict = TELLS_LESS if rises else TELLS_MORE
        if floor_p < sure and falls != rises:
            verdict = HIGHER if rises else LOWER
    sentence = _sentence(cut(name), cut(reference), found.floor, verdict)
    apart = found.mismatch, found.floor, found.held_out
    return SetDifference(name, reference, *apart, p, verdict, sentence)


def _sentence(name: str, reference: str, floor: Difference, verdict: str) -> str:
    by, (low, high) = points_with_interval(floor), floor.interval
    if verdict == LOWER:
        ends = f"{in_points(-high)} to {in_points(-low)}"
        moved = f"{name} lowers the floor against {reference}"
        return f"{moved} by {in_points(-floor.value)} points, {ends}."
    if verdict == HIGHER:
        ends = f"{in_points(low)} to {in_points(high)}"
        moved = f"{name} raises the floor against {reference}"
        return f"{moved} by {in_points(floor.value)} points, {ends}."
    if verdict in (TELLS_MORE, TELLS_LESS):
        more = "more" if verdict == TELLS_MORE else "less"
        return (
            f"{name} tells {more} about the labels than {reference}, but whether the lowest"
            f" possible error differs is undecided: {by} points."
        )
    return f"No difference is shown between {name} and {reference}: {by} points."


def _notes(
    others: Sequence[str],
    apart: Any,
    paired: bool,
    confidence: float,
    floors: Mapping[str, Floor],
) -> tuple[str, ...]:
    notes = []
    if paired:
        notes.append(
            "Differences are paired: all sets are measured on the same labels, so they are known"
            " better than the intervals of two floors would tell."
        )
    else:
        notes.append(
            "The samples have no rows in common: their differences include the chance of both, and"
            " a difference in the shares of classes."
        )
    if len(others) > 1:
        notes.append(
            f"{len(others)} sets are compared: p-values are adjusted for that (Holm), each interval"
            f" holds with {as_percent(confidence)} confidence on its own."
        )
    if not all(one.excess_known for one in apart):
        notes.append(
            "There are too few rows for so many columns to tell what maps have missed: differences"
            " that involve such a set are those of the maps at hand."
        )
    widest = max(floors, key=lambda name: floors[name].columns)
    cautions = (note for note in floors[widest].notes if isinstance(note, Caution))
    return (*notes, *(f"{cut(widest)}: {note}" for note in cautions))


def in_points(share: float) -> str:
    """Write a difference of shares in percentage points.

    Examples
    --------
    >>> in_points(0.0213), in_points(-0.004), in_points(0.00021)
    ('2.1', '-0.4', '0.02')
    """
    text = f"{100 * share:.{1 if abs(share) >= 0.0005 else 2}f}"
    return "0.0" if float(text) == 0 else text


def points_with_interval(difference: Difference) -> str:
    """Write a difference in points with its interval.

    Examples
    --------
    >>> points_with_interval(Difference(-0.021, (-0.03, -0.012), 0.001))
    '-2.1 (-3.0 to -1.2)'
    """
    low, high = difference.interval
    return f"{in_points(difference.value)} ({in_points(low)} to {in_points(high)})"


def show_p(p: float) -> str:
    """Write a p-value.

    Examples
    --------
    >>> show_p(0.0321), show_p(1e-9)
    ('0.032', 'below 0.001')
    """
    return "below 0.001" if p < 0.001 else f"{p:.3f}"


def _plain_difference(one: Difference) -> dict[str, Any]:
    return {"value": one.value, "interval": list(one.interval), "p_value": one.p_value}
