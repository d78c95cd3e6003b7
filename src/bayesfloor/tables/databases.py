"""A table or a query of a database file becomes a frame; the file is opened read-only.

No SQL is run but the user's own query, the reading of one table by its name, and that of the list
of tables.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import closing
from sys import getsizeof
from typing import TYPE_CHECKING, Any

from bayesfloor.base.errors import DataError
from bayesfloor.base.formatting import quoted_names
from bayesfloor.tables.column_choice import column_names, most_similar
from bayesfloor.tables.compression import too_large
from bayesfloor.tables.read_options import ReadOptions
from bayesfloor.tables.sources import Source

if TYPE_CHECKING:
    import polars as pl

SQLITE_TABLES = (
    "SELECT name FROM sqlite_master WHERE type = 'table' AND substr(name, 1, 7) <> 'sqlite_'"
    " ORDER BY name"
)
"""Lists the tables of an SQLite file, without its own."""
DUCKDB_TABLES = (
    "SELECT table_name FROM information_schema.tables WHERE table_type = 'BASE TABLE' ORDER BY 1"
)
"""Lists the tables of a DuckDB file."""
READING_ACTIONS = frozenset(
    [sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE]
)
"""What a statement may do to an SQLite file: nothing but reading."""
LONGEST_VALUE = 10**9
"""Bytes that a value of SQLite has at most (its default of SQLITE_MAX_LENGTH)."""


def read_sqlite(source: Source, options: ReadOptions) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """Read a table or a query of an SQLite file."""
    with closing(_open_sqlite(source)) as connection:
        try:
            return _read(_cursor(connection, SQLITE_TABLES, options), source.limit), ()
        except sqlite3.DataError as problem:  # a value is too long, which may be computed
            raise too_large("a value", source.limit) from problem


def sqlite_header(source: Source, options: ReadOptions) -> list[str]:
    """Return the names of the columns of a table or a query of an SQLite file."""
    with closing(_open_sqlite(source)) as connection:
        return _names(_cursor(connection, SQLITE_TABLES, options))


def _open_sqlite(source: Source) -> sqlite3.Connection:
    """Open a file so that statements can do nothing but read it."""
    if source.path is not None:
        uri = f"{source.path.resolve().as_uri()}?mode=ro"
        connection = sqlite3.connect(uri, uri=True)
    else:  # decompressed, or an open file
        connection = sqlite3.connect(":memory:")
        connection.deserialize(source.data)
    connection.execute("PRAGMA mmap_size = 0")  # pages of a mapped file that is cut end the process
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, min(source.limit, LONGEST_VALUE))
    connection.set_authorizer(
        lambda action, *_: sqlite3.SQLITE_OK if action in READING_ACTIONS else sqlite3.SQLITE_DENY
    )
    return connection


def read_duckdb(source: Source, options: ReadOptions) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """Read a table or a query of a DuckDB file."""
    try:
        import duckdb
    except ImportError as problem:
        install = "DuckDB files need an extra package: pip install duckdb"
        raise DataError(f"{install}, or save the table as Parquet") from problem
    if source.path is None:
        advice = "pass its path, not compressed, or save the table as Parquet"
        raise DataError(f"a DuckDB file is read in place; {advice}")
    with closing(duckdb.connect(str(source.path), read_only=True)) as connection:
        return _read(_cursor(connection, DUCKDB_TABLES, options), source.limit), ()


def _cursor(connection: Any, list_tables: str, options: ReadOptions) -> Any:
    """Run the user's query, or start to read one table."""
    if options.query is not None:
        return run_query(connection, options.query)
    names = [name for (name,) in connection.execute(list_tables).fetchall()]
    return connection.execute(read_whole(choose_table(names, options.table)))


def _names(cursor: Any) -> list[str]:
    if cursor.description is None:
        raise DataError("the query returns no table; pass a SELECT as query=")
    return column_names([str(column[0]) for column in cursor.description])


def _read(cursor: Any, limit: int) -> pl.DataFrame:
    """Read row by row, up to the memory there is."""
    names, rows, size = _names(cursor), list[Sequence[Any]](), 0
    for row in iter(cursor.fetchone, None):
        rows.append(row)
        size += sum(map(getsizeof, row))
        if size > limit:
            raise too_large("the rows", limit)
    return frame_of(names, rows)


def run_query(connection: Any, query: str) -> Any:
    """Run the user's query; say why it cannot be run."""
    try:
        return connection.execute(query)
    except Exception as problem:
        reason = " ".join(str(problem).split())
        raise DataError(f"the query fails ({reason}); correct query=") from problem


def choose_table(names: Sequence[str], wanted: str | None) -> str:
    """Return the table that is asked for, or the only one."""
    if wanted is None:
        if len(names) == 1:
            return names[0]
        if not names:
            raise DataError("the database has no tables; pass one with tables")
        several = f"the database has {len(names)} tables, {quoted_names(names)}"
        raise DataError(f"{several}; name one with table=, or pass query=")
    if wanted not in names:
        near = most_similar(names, wanted)
        hint = f"did you mean {near!r}?" if near else f"choose from {quoted_names(names)}"
        raise DataError(f"no table {wanted!r}; {hint}")
    return wanted


def read_whole(table: str, quote: str = '"') -> str:
    """Return the statement that reads a table, whatever its name holds."""
    return f"SELECT * FROM {quote}{table.replace(quote, 2 * quote)}{quote}"


def frame_of(names: Sequence[str], rows: Sequence[Sequence[Any]]) -> pl.DataFrame:
    """Return rows as a frame; values of several types in one column become text."""
    import polars as pl

    columns: Iterable[Sequence[Any]] = zip(*rows, strict=True) if rows else ([] for _ in names)
    return pl.DataFrame(
        [_series(name, values) for name, values in zip(names, columns, strict=True)]
    )


def _series(name: str, values: Sequence[Any]) -> pl.Series:
    import polars as pl

    kinds = {type(value) for value in values} - {type(None)}
    if kinds == {int, float}:
        return pl.Series(name, values, pl.Float64, strict=False)
    if len(kinds) <= 1:
        return pl.Series(name, values, strict=False)
    return pl.Series(name, [None if value is None else str(value) for value in values])
