"""Several tables become one: their rows are put together, or the columns of arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayesfloor.base.errors import DataError
from bayesfloor.tables.loaded_table import LoadedTable

if TYPE_CHECKING:
    import polars as pl


def concat_tables(tables: list[LoadedTable]) -> pl.DataFrame:
    """Put tables below each other, and those that share their rows side by side."""
    if len(tables) == 1:
        return tables[0].frame
    if all(table.side_by_side for table in tables):
        return _side_by_side(tables)
    for table in tables:
        if table.side_by_side:
            mixed = f"{table.name}: an array cannot be combined with another kind of file"
            raise DataError(f"{mixed}; pass files of one kind")
    return _stacked(tables)


def _side_by_side(tables: list[LoadedTable]) -> pl.DataFrame:
    import polars as pl

    first, owners = tables[0], dict[str, str]()
    for table in tables:
        if table.frame.height != first.frame.height:
            rows = f"{table.frame.height} rows but {first.name} has {first.frame.height}"
            raise DataError(f"{table.name}: {rows}; pass arrays with the same rows")
        for column in table.frame.columns:
            if column in owners:
                same = f"column {column!r} is also in {owners[column]}"
                raise DataError(f"{table.name}: {same}; rename one of the files")
            owners[column] = table.name
    return pl.concat([table.frame for table in tables], how="horizontal")


def _stacked(tables: list[LoadedTable]) -> pl.DataFrame:
    import polars as pl

    frames = [_in_order_of(tables[0], table) for table in tables]
    try:
        return pl.concat(frames, how="vertical_relaxed")
    except Exception as problem:
        clash = _type_clash(tables)
        raise DataError(f"{clash}; give the column the same type in all files") from problem


def _in_order_of(first: LoadedTable, table: LoadedTable) -> pl.DataFrame:
    """Return the columns of a table in the order of the first; refuse other columns."""
    for owner, other in ((first, table), (table, first)):
        lacking = [name for name in owner.all_names if name not in other.all_names]
        if lacking:
            where = f"{other.name}: no column {lacking[0]!r}, which {owner.name} has"
            hint = "pass tables with the same columns, or header=False if they have no header"
            raise DataError(f"{where}; {hint}")
    return table.frame.select(first.frame.columns)


def _type_clash(tables: list[LoadedTable]) -> str:
    """Name a column whose types cannot be combined."""
    first = tables[0]
    for table in tables[1:]:
        for name, dtype in table.frame.schema.items():
            if dtype != first.frame.schema[name]:
                types = f"{dtype} but {first.frame.schema[name]} in {first.name}"
                return f"{table.name}: column {name!r} is {types}"
    return f"{first.name}: its columns cannot be combined with those of the other files"
