"""Tables about the same rows, joined by a key: each is a set of columns, and so are all of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bayesfloor.base.errors import DataError, error_prefix
from bayesfloor.base.formatting import quoted_names
from bayesfloor.tables import ReadOptions, find_column, read_frame

if TYPE_CHECKING:
    import polars as pl

MOST_NAMED_SETS = 3
"""Tables whose names together name all their columns; more are called `ALL_TOGETHER`.
A judgement."""
ALL_TOGETHER = "all together"
"""Name of the set of all columns of many tables."""


@dataclass(frozen=True, slots=True, eq=False)
class JoinedTables:
    """One frame, and the columns of each table in it."""

    frame: pl.DataFrame
    label: str
    sets: dict[str, list[str]]
    notes: tuple[str, ...]


def join_tables(
    tables: Mapping[str, Any], *, key: str, label: str, options: ReadOptions
) -> JoinedTables:
    """Join tables row by row where they have the same key.

    Parameters
    ----------
    tables : dict
        Anything that `read_table` reads, by name.
    key : str
        The column that names the rows in all tables; different in each row.
    label : str
        The column of labels, in one of them at least; the first counts.
    options : ReadOptions
        How files are read.
    """
    if len(tables) < 2:
        raise DataError("a key joins two tables or more; pass another one")
    frames, held = {}, None
    for name, table in tables.items():
        frame = read_frame(table, options).frame
        with error_prefix(name):
            frames[name] = _keyed(frame, key)
        held = name if held is None and label in frame.columns else held
    if held is None:
        raise DataError(f"no table has a column {label!r} for the labels; name another label=")
    joined, sets, taken = None, {}, {key, label}
    rows = [frame.height for frame in frames.values()]
    for name, frame in frames.items():
        features = [column for column in frame.columns if column not in (key, label)]
        renamed = {column: _free_name(column, name, taken) for column in features}
        taken |= set(renamed.values())
        sets[name] = list(renamed.values())
        wanted = frame.select(key, *([label] if name == held else []), *features).rename(renamed)
        joined = wanted if joined is None else _joined(joined, wanted, key)
    assert joined is not None
    every = [column for columns in sets.values() for column in columns]
    together = " + ".join(sets) if len(sets) <= MOST_NAMED_SETS else ALL_TOGETHER
    return JoinedTables(joined, label, {**sets, together: every}, _lost_rows(rows, joined.height))


def _keyed(frame: pl.DataFrame, key: str) -> pl.DataFrame:
    """Return a table with a key that is different in each row."""
    name = find_column(frame.columns, key)
    frame = frame.rename({name: key}) if name != key else frame
    if frame[key].is_duplicated().any():
        raise DataError(f"the key {key!r} is not different in every row; remove the copies")
    if frame.width < 2:
        raise DataError(f"the key {key!r} is the only column; pass a table with more columns")
    return frame


def _free_name(column: str, table: str, taken: set[str]) -> str:
    return column if column not in taken else f"{column} ({table})"


def _joined(first: pl.DataFrame, second: pl.DataFrame, key: str) -> pl.DataFrame:
    """Join two tables; keys of different types are compared as text."""
    import polars as pl

    if first[key].dtype != second[key].dtype:
        first, second = (one.with_columns(pl.col(key).cast(pl.String)) for one in (first, second))
    both = first.join(second, on=key, how="inner", maintain_order="left")
    if not both.height:
        values = quoted_names([str(v) for v in first[key].head(3)])
        raise DataError(f"no key is in all tables, such as {values}; check the key {key!r}")
    return both


def _lost_rows(rows: Sequence[int], kept: int) -> tuple[str, ...]:
    if kept == max(rows):
        return ()
    came = " and ".join(f"{count:,}" for count in rows)
    return (f"{kept:,} keys are in all tables, which have {came} rows; the others are left out.",)
