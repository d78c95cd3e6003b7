"""The record of one table as it was loaded, from a file or from memory."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

VALUE_BYTES = 8
"""Bytes that a value takes once it is loaded, those of a 64-bit number. Packed into a file, equal
values may take next to none."""
TEXT_CELL_BYTES = 16
"""Bytes that a text takes once it is loaded, however short it is: those of a view of Arrow. Tables
of cells of one letter or digit took 34 to 49 bytes a cell at their peak, with all copies that
`MEMORY_PER_BYTE` counts."""


@dataclass(frozen=True, slots=True, eq=False)
class LoadedTable:
    """Holds the columns of one file or data frame, with their original values."""

    name: str  # of the file, or "data frame"
    frame: pl.DataFrame
    notes: tuple[str, ...] = ()
    side_by_side: bool = False  # the rows of several are the same, as those of X.npy and y.npy
    names: list[str] = field(default_factory=list)  # of all columns, if some were not read
    nameless: str = ""  # what the first column is called if the header has no name for it

    @property
    def all_names(self) -> list[str]:
        """Return the names of all columns, whether they were read or not."""
        return self.names or self.frame.columns
