"""Two tables of the same columns are read, typed and encoded together, so that both mean the same.

The rows of the first are labelled `OLD`, those of the second `NEW`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from bayesfloor.base.errors import DataError, error_prefix
from bayesfloor.base.memory import check_space_for, memory_errors
from bayesfloor.base.options import check_choice
from bayesfloor.tables.column_choice import choose_columns
from bayesfloor.tables.concatenation import concat_tables
from bayesfloor.tables.labelled_table import LabelledTable, TableChoices, label_table
from bayesfloor.tables.loaded_table import LoadedTable
from bayesfloor.tables.missing_values import MISSING_CHOICES
from bayesfloor.tables.read_options import ReadOptions
from bayesfloor.tables.reader import read_frame
from bayesfloor.tables.scaling import SCALES

if TYPE_CHECKING:
    import polars as pl

OLD, NEW = "1: old", "2: new"
"""Labels of the rows of the first table and of the second, in their order."""
AGES = ("old", "new")
"""What tables without names of their own are called."""
MARK = "sample"
"""Name of the column that holds them, made longer where a column is called so."""


@dataclass(frozen=True, slots=True, eq=False)
class TablePair:
    """Two tables as one, with the names of both."""

    table: LabelledTable
    old_name: str
    new_name: str
    old_height: int  # rows of the first as they came


def read_pair(
    old: Any,
    new: Any,
    *,
    features: Any = None,
    drop: Any = None,
    keep: Any = None,
    header: bool = True,
    scale: str = "standard",
    missing: str = "impute",
    separator: str | None = None,
    encoding: str | None = None,
    table: str | None = None,
    query: str | None = None,
    max_memory: int | str | None = None,
) -> TablePair:
    """Read two tables of the same columns.

    Parameters
    ----------
    old, new : path, pattern, open file or data frame, or several of them
        As in `read_table`.
    features, drop, keep, header, scale, missing, separator, encoding, table, query, max_memory
        As in `read_table`; columns to drop may be in one table only.
    """
    check_space_for("polars")
    check_choice("scale", scale, SCALES)
    check_choice("missing", missing, MISSING_CHOICES)
    options = ReadOptions.from_arguments(locals())
    loaded = [replace(read_frame(one, options), side_by_side=False) for one in (old, new)]
    if loaded[0].name == loaded[1].name:
        loaded = [
            replace(one, name=f"the {age} table") for one, age in zip(loaded, AGES, strict=True)
        ]
    listed = _listed(drop)
    both = _same_columns(loaded, set(listed))
    names = [one.name for one in both]
    notes = tuple(dict.fromkeys(note for one in both for note in one.notes))
    with error_prefix(" and ".join(dict.fromkeys(names))), memory_errors():
        frame, mark = _one_below_the_other(both)
        known = {name for one in loaded for name in one.frame.columns}
        rest = [name for name in listed if name not in known]  # positions, or mistakes
        chosen = choose_columns(
            frame.columns, label=mark, features=features, drop=rest or None, keep=keep
        )
        choices = TableChoices(
            chosen.keep, SCALES[scale], MISSING_CHOICES[missing], 0, tells_leaks=False
        )
        read = label_table(frame[[*chosen.features, mark]], choices, names[0], notes)
    return TablePair(read, names[0], names[1], both[0].frame.height)


def _listed(names: Any) -> list[Any]:
    """Return names of columns one by one, those between commas too."""
    if names is None:
        return []
    single = isinstance(names, str) or not isinstance(names, Iterable)
    each = [names] if single else list(names)
    return [
        part for name in each for part in (name.split(",") if isinstance(name, str) else [name])
    ]


def _same_columns(both: list[LoadedTable], dropped: set[Any]) -> list[LoadedTable]:
    """Leave out columns that are to be dropped; refuse a column that one of the tables lacks."""
    old, new = both
    for owner, other in ((old, new), (new, old)):
        lacking = [
            name
            for name in owner.frame.columns
            if name not in other.frame.columns and name not in dropped
        ]
        if lacking:
            where = f"{other.name}: no column {lacking[0]!r}, which {owner.name} has"
            raise DataError(f"{where}; add it, or leave it out with drop=")
    shared = [
        name for name in old.frame.columns if name in new.frame.columns and name not in dropped
    ]
    if not shared:
        raise DataError(f"{old.name} and {new.name}: drop= leaves no column; choose others")
    return [replace(one, frame=one.frame.select(shared)) for one in both]


def _one_below_the_other(both: list[LoadedTable]) -> tuple[pl.DataFrame, str]:
    """Return the rows of both tables with a column that says whose they are, and its name."""
    import polars as pl

    frame, mark = concat_tables(both).rechunk(), MARK
    while mark in frame.columns:
        mark = f"{mark}_"
    heights = [one.frame.height for one in both]
    if min(heights) < 2:
        name = both[heights.index(min(heights))].name
        raise DataError(f"{name} has fewer than two rows; pass more")
    marks = [OLD] * heights[0] + [NEW] * heights[1]
    return frame.with_columns(pl.Series(mark, marks)), mark
