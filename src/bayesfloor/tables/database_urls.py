"""A table or a query of a database server becomes a table, by its URL."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from bayesfloor.base.errors import DataError, error_prefix
from bayesfloor.tables.compression import too_large
from bayesfloor.tables.databases import read_whole
from bayesfloor.tables.loaded_table import LoadedTable
from bayesfloor.tables.read_options import ReadOptions
from bayesfloor.tables.sources import memory_limit

if TYPE_CHECKING:
    import polars as pl

DATABASE_URL = re.compile(
    r"(?:postgres(?:ql)?|redshift|mysql|mssql|oracle|clickhouse|bigquery|trino)(?:\+\w+)?://.*"
)
"""Matches the URL of a database that connectorx reads."""
FETCHED_VALUE_BYTES, TEXT_BYTES = 8, 24
"""Bytes of a number, and of a text at least: its view and the first of its letters."""
QUOTES = {"mysql": "`", "clickhouse": "`", "bigquery": "`"}
"""Quotes of names where they are not those of standard SQL."""


def load_database_urls(paths: Any, options: ReadOptions) -> list[LoadedTable] | None:
    """Return one table for each URL of a database, or None if there is none."""
    items = [paths] if isinstance(paths, str | os.PathLike) else paths
    if not isinstance(items, list | tuple) or not items:
        return None
    urls = [item for item in items if isinstance(item, str) and DATABASE_URL.fullmatch(item)]
    if not urls:
        return None
    if len(urls) < len(items):
        raise DataError("a database cannot be combined with files; pass one of them")
    return [_load(url, options) for url in urls]


def _load(url: str, options: ReadOptions) -> LoadedTable:
    """Read from a database; messages name it without user and password."""
    parts = urlsplit(url)
    scheme, host = parts.scheme.split("+")[0], parts.netloc.rpartition("@")[2]
    name = f"{scheme}://{host}{parts.path}"
    with error_prefix(name):
        if options.query is None and options.table is None:
            raise DataError("name a table with table=, or pass query=")
        query = options.query or read_whole(options.table or "", QUOTES.get(scheme, '"'))
        return LoadedTable(name, _read(url, query, memory_limit(options.max_memory)))


def _read(url: str, query: str, limit: int) -> pl.DataFrame:
    try:
        import connectorx  # noqa: F401
    except ImportError as problem:
        install = "databases need an extra package: pip install connectorx pyarrow"
        raise DataError(f"{install}, or save the table as Parquet") from problem
    import polars as pl

    def ask(statement: str) -> pl.DataFrame:
        try:
            return pl.read_database_uri(statement, url, engine="connectorx")
        except (Exception, pl.exceptions.PanicException) as problem:
            hint = "check the address, the rights and the query"
            raise DataError(f"the database cannot be read; {hint}") from problem

    if _size(ask, query) > limit:
        raise too_large("the rows", limit)
    frame = ask(query)
    if not frame.height:
        raise DataError("the table has no rows; pass one with rows")
    return frame


def _size(ask: Callable[[str], pl.DataFrame], query: str) -> int:
    """Return the bytes that the rows of a query would take, at least: the database counts them.

    A query that cannot stand inside another, such as one in order for some servers, counts nothing.
    """
    rows = f"({query.strip().rstrip(';')}) t"
    try:
        empty = ask(f"SELECT * FROM {rows} WHERE 1 = 0")
        counted = ask(f"SELECT COUNT(*) FROM {rows}")
    except DataError:
        return 0
    a_row = sum(FETCHED_VALUE_BYTES if dtype.is_numeric() else TEXT_BYTES for dtype in empty.dtypes)
    return int(counted.item()) * a_row
