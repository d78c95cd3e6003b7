"""The formats of files: a file's contents, or else its suffix, choose how it is read.

A new format is one function that turns a `Source` into a frame, and one entry in `FORMATS`.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bayesfloor.base.errors import DataError, error_prefix
from bayesfloor.tables.arff_files import arff_header, read_arff, starts_header
from bayesfloor.tables.arrow_buffers import buffers_size
from bayesfloor.tables.character_encoding import start_in_utf8
from bayesfloor.tables.column_choice import fill_names
from bayesfloor.tables.compression import (
    EXCEL_MEMBER,
    NUMPY_MEMBER,
    ZIP_START,
    too_large,
    zip_names,
)
from bayesfloor.tables.damage import refuse_damage
from bayesfloor.tables.databases import read_duckdb, read_sqlite, sqlite_header
from bayesfloor.tables.dialect import EMPTY_FILE
from bayesfloor.tables.excel_files import read_excel
from bayesfloor.tables.foreign_formats import refuse_foreign
from bayesfloor.tables.json_arrays import read_json_array
from bayesfloor.tables.json_lines import starts_array, starts_object
from bayesfloor.tables.json_objects import read_json_objects
from bayesfloor.tables.loaded_table import LoadedTable
from bayesfloor.tables.numpy_files import read_npy, read_npz
from bayesfloor.tables.parquet_files import parquet_header, read_parquet
from bayesfloor.tables.read_options import ReadOptions
from bayesfloor.tables.sources import DUCKDB_START, PARQUET_START, SQLITE_START, Source
from bayesfloor.tables.text_files import read_text, text_header

if TYPE_CHECKING:
    import polars as pl

FORMAT_HEAD_BYTES = 2**16
"""Number of bytes at the start of a file that a format's `starts_like` sees: enough for pages of
comments that ARFF may start with, a judgement."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """Says how one kind of file is recognised and read.

    A file is recognised by its first bytes, then by its suffix, then by how it starts. Where
    several formats fit, the first in `FORMATS` is taken.
    """

    name: str  # as messages call it
    read: Callable[[Source, ReadOptions], tuple[pl.DataFrame, tuple[str, ...]]]  # frame and notes
    suffixes: tuple[str, ...] = ()
    first_bytes: bytes = b""  # of every file of this format; empty if there are none
    first_byte: int = 0  # where these are in the file
    zip_member: str = ""  # pattern that the name of a member matches, if the file is a zip file
    starts_like: Callable[[bytes], bool] | None = None  # test of the start if nothing else tells
    side_by_side: bool = False  # several files hold columns of the same rows
    has_tables: bool = False  # the user may ask for one of several tables, or for a query
    header: Callable[[Source, ReadOptions], list[str]] | None = None  # names without reading rows
    read_columns: Callable[[Source, Collection[str]], pl.DataFrame] | None = None  # not the others


def without_options(
    read: Callable[[Source], pl.DataFrame],
) -> Callable[[Source, ReadOptions], tuple[pl.DataFrame, tuple[str, ...]]]:
    """Return the reader of a format that needs no options for text and makes no notes."""
    return lambda source, _: (read(source), ())


def _read_arrow_file(source: Source) -> pl.DataFrame:
    import polars as pl

    _check_buffers(source)
    return pl.read_ipc(io.BytesIO(source.data))


def _read_arrow_stream(source: Source) -> pl.DataFrame:
    import polars as pl

    _check_buffers(source)
    return pl.read_ipc_stream(io.BytesIO(source.data))


def _check_buffers(source: Source) -> None:
    if buffers_size(source.data) > source.limit:  # polars would abort the process
        raise too_large("the columns of the Arrow file", source.limit)


def _refuse_zip(_: Source) -> pl.DataFrame:
    raise DataError("this is a zip archive within another; unpack it and pass the tables inside")


FORMATS: list[Format] = [
    Format(
        name="Parquet",
        read=without_options(read_parquet),
        suffixes=(".parquet", ".pq"),
        first_bytes=PARQUET_START[0],
        header=parquet_header,
        read_columns=read_parquet,
    ),
    Format(
        name="Arrow",
        read=without_options(_read_arrow_file),
        suffixes=(".arrow", ".feather", ".ipc"),
        first_bytes=b"ARROW1",
    ),
    Format(
        name="Arrow stream",
        read=without_options(_read_arrow_stream),
        suffixes=(".arrows",),
        first_bytes=b"\xff\xff\xff\xff",
    ),
    Format(
        name="old Excel",
        read=without_options(read_excel),
        suffixes=(".xls",),
        first_bytes=b"\xd0\xcf\x11\xe0",
    ),
    Format(
        name="NumPy array",
        read=without_options(read_npy),
        suffixes=(".npy",),
        first_bytes=b"\x93NUMPY",
        side_by_side=True,
    ),
    Format(
        name="NumPy archive",
        read=without_options(read_npz),
        suffixes=(".npz",),
        first_bytes=ZIP_START,
        zip_member=NUMPY_MEMBER,
    ),
    Format(
        name="Excel",
        read=without_options(read_excel),
        suffixes=(".xlsx",),
        first_bytes=ZIP_START,
        zip_member=EXCEL_MEMBER,
    ),
    Format(
        name="SQLite",
        read=read_sqlite,
        suffixes=(".sqlite", ".sqlite3", ".db"),
        first_bytes=SQLITE_START[0],
        has_tables=True,
        header=sqlite_header,
    ),
    Format(
        name="DuckDB",
        read=read_duckdb,
        suffixes=(".duckdb", ".ddb"),
        first_bytes=DUCKDB_START[0],
        first_byte=DUCKDB_START[1],
        has_tables=True,
    ),
    Format(name="zip archive", read=without_options(_refuse_zip), first_bytes=ZIP_START),
    Format(
        name="JSON lines",
        read=read_json_objects,
        suffixes=(".ndjson", ".jsonl"),
    ),
    Format(name="JSON", read=read_json_objects, starts_like=starts_object),
    Format(name="JSON array", read=read_json_array, starts_like=starts_array),
    Format(
        name="ARFF",
        read=read_arff,
        suffixes=(".arff",),
        starts_like=starts_header,
        header=arff_header,
    ),
    Format(name="text", read=read_text, starts_like=lambda _: True, header=text_header),
]
"""All formats, in the order in which they are tried; text takes whatever is left. First bytes are
those that the specification of each format gives."""


ColumnChoice = Callable[[list[str]], Collection[str]]
"""Returns those names of columns that are needed."""


def load_table(
    source: Source,
    options: ReadOptions,
    *,
    needed: ColumnChoice | None = None,
    formats: Sequence[Format] = FORMATS,
) -> LoadedTable:
    """Read one file in the format that it has, without columns that are not needed if it can."""
    with error_prefix(source.name):
        if not source.data[:FORMAT_HEAD_BYTES].strip() and not source.data[:].strip():
            raise DataError(EMPTY_FILE)
        known = recognise_format(source, options.encoding, formats=formats)
        _check_tables(known, options)
        damaged = f"the {known.name} file is damaged, truncated or of an unsupported kind"
        with refuse_damage(f"{damaged}; save it again"):
            if needed is None or known.read_columns is None or known.header is None:
                frame, notes = known.read(source, options)
                names = frame.columns
            else:
                names = known.header(source, options)
                frame, notes = known.read_columns(source, _chosen(names, needed)), ()
        if not frame.height or not frame.width:
            raise DataError("there are no rows below the header; pass a table with rows")
        titles = dict(zip(names, fill_names(names), strict=True))
        frame.columns = [titles[name] for name in frame.columns]
        unread = len(names) > frame.width
        return LoadedTable(
            source.name,
            frame,
            notes,
            side_by_side=known.side_by_side,
            names=list(titles.values()) if unread else [],
            nameless=titles.get("", "") if names[0] == "" else "",
        )


def may_read_columns(source: Source, formats: Sequence[Format] = FORMATS) -> bool:
    """Tell whether some columns of a file can be read without the others."""
    return any(
        source.data.startswith(known.first_bytes, known.first_byte)
        for known in formats
        if known.read_columns is not None and known.first_bytes
    )


def _chosen(names: list[str], needed: ColumnChoice) -> set[str]:
    """Return the names in the file of the columns that are needed; all of them if none is there."""
    titles = fill_names(names)
    chosen = needed(titles)
    found = {name for name, title in zip(names, titles, strict=True) if title in chosen}
    return found or set(names)


def _check_tables(known: Format, options: ReadOptions) -> None:
    """Refuse to ask for a table or a query where there is only one table, and for both."""
    given = [f"{name}=" for name in ("table", "query") if getattr(options, name) is not None]
    if given and not known.has_tables:
        raise DataError(f"{given[0]} is for databases, and this is {known.name}; leave it out")
    if len(given) == 2:
        raise DataError("both table= and query= are given; pass one of them")


def recognise_format(
    source: Source, encoding: str | None = None, *, formats: Sequence[Format] = FORMATS
) -> Format:
    """Return the format of a file; refuse a file whose suffix its contents contradict."""
    head = source.data[:FORMAT_HEAD_BYTES]
    refuse_foreign(start_in_utf8(head, encoding))
    members = zip_names(source.data) if head.startswith(ZIP_START) else []
    for known in formats:
        fits = known.first_bytes and head.startswith(known.first_bytes, known.first_byte)
        if fits and (not known.zip_member or any(map(re.compile(known.zip_member).match, members))):
            return known
    for known in formats:
        if source.suffix in known.suffixes:
            if known.first_bytes:
                other = f"the suffix {source.suffix} says {known.name} but the contents do not"
                raise DataError(f"{other}; check the file")
            return known
    text = start_in_utf8(head, encoding)
    return next(known for known in formats if known.starts_like and known.starts_like(text))
