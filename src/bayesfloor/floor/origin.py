"""Where a sample came from, as far as later stages want to know."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from bayesfloor.base.arrays import Ints
from bayesfloor.predictions import Predictions
from bayesfloor.representation.cross_fitting import take_rows
from bayesfloor.tables import LabelledTable

BY_GROUP, BY_TIME = "groups", "blocks of time"
"""What rows belong to."""


@dataclass(frozen=True, slots=True, eq=False)
class Origin:
    """The table that a sample was made of, and what reading it has to tell."""

    table: Any = None  # the points as they came: what a map of the user's own is given
    display: Any = None  # the rows as a reader should see them
    columns: int | None = None  # columns before text was encoded, where it was
    notes: tuple[str, ...] = ()
    texts_merged: bool = False  # whether some texts could not be told apart in full
    texts_left_out: tuple[str, ...] = ()  # columns of free text
    copied: float | None = None  # share of rows with an equal one, before text was encoded
    row_numbers: Ints | None = None  # of the rows in the table, where some were left out
    grouping: str = BY_GROUP  # what rows belong to, where they belong together
    predictions: Predictions | None = None  # of the user's own model

    @property
    def shown(self) -> Any:
        """The rows as a reader should see them, or as they came; None if neither is known."""
        return self.table if self.display is None else self.display

    def part(self, rows: Ints) -> Origin:
        """Return the origin of some of the rows."""
        predictions = None if self.predictions is None else self.predictions.take(rows)
        table = _taken(self.table, rows)
        return Origin(table, grouping=self.grouping, predictions=predictions)

    def drawn(self, rows: Ints, note: str) -> Origin:
        """Return the origin of the rows that stand for all, with a note that says so."""
        return replace(
            self,
            table=_taken(self.table, rows),
            display=_taken(self.display, rows),
            notes=(*self.notes, note),
            predictions=None if self.predictions is None else self.predictions.take(rows),
        )


def _taken(table: Any, rows: Ints) -> Any:
    return None if table is None else take_rows(table, rows)


def origin_of(table: LabelledTable) -> Origin:
    """Return what is known of a table that was read."""
    numbers = table.row_numbers
    return Origin(
        table.X,
        table.rows,
        table.rows.width,
        table.notes,
        table.texts_merged,
        table.texts_left_out,
        table.copied,
        None if numbers is None else numbers.to_numpy(),
    )
