"""One table of formats: the file's first bytes or its suffix choose how it is read."""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bayesfloor.base.errors import DataError
from bayesfloor.tables.column_choice import own_names
from bayesfloor.tables.numpy_files import array_frame, load_archive, load_array
from bayesfloor.tables.sources import Contents, Source
from bayesfloor.tables.text_files import read_text

if TYPE_CHECKING:
    import polars as pl

ZIP = b"PK\x03\x04"
UNNAMED = "__UNNAMED__"
"""How polars calls a column of a sheet without a name, before its place."""
HEAD = 1000
"""Bytes that tell the format."""


@dataclass(frozen=True, slots=True)
class TextOptions:
    """What the user says of text files."""

    header: bool = True
    separator: str | None = None
    encoding: str | None = None


@dataclass(frozen=True, slots=True)
class Part:
    """The table in one file."""

    name: str  # of the file
    frame: pl.DataFrame
    notes: tuple[str, ...] = ()
    beside: bool = False  # an array, whose rows go beside those of other arrays


@dataclass(frozen=True, slots=True)
class Format:
    """A kind of file."""

    name: str
    suffixes: tuple[str, ...]
    first_bytes: bytes  # empty if any will do
    read: Callable[[Source], pl.DataFrame]


def read_part(source: Source, options: TextOptions) -> Part:
    """Read one file in the format that its first bytes, or else its suffix, tell."""
    try:
        return _part(source, options)
    except DataError as problem:
        raise DataError(f"{source.name}: {problem}") from problem.__cause__


def _part(source: Source, options: TextOptions) -> Part:
    if not source.data[:HEAD].strip() and not source.data[:].strip():
        raise DataError("the file is empty; pass a table with a header and rows")
    found = _format(source)
    if found is None:
        frame, notes = read_text(
            source,
            header=options.header,
            separator=options.separator,
            encoding=options.encoding,
        )
    else:
        with _damage_named(found.name):
            frame, notes = found.read(source), ()
    if not frame.height:
        raise DataError("no rows below the header; pass a table with a header and rows")
    return Part(source.name, frame, notes, beside=found is not None and found.name == "NumPy array")


def _format(source: Source) -> Format | None:
    """Return the format of a file, or None for text."""
    head = source.data[:HEAD]
    if head.startswith(ZIP):
        return _zip_format(source.data)
    for known in FORMATS:
        if known.first_bytes and head.startswith(known.first_bytes):
            return known
    for known in FORMATS:
        if source.suffix in known.suffixes:
            if known.first_bytes:
                raise DataError(f"not the {known.name} file that its name says; check the file")
            return known
    if re.match(rb"\s*\[\s*\{", head):
        raise DataError("a JSON array; write its objects without the brackets, one a line")
    return JSON_LINES if head.lstrip()[:1] == b"{" else None


def _zip_format(data: Contents) -> Format:
    """Tell a workbook from an archive of arrays by what is inside."""
    try:
        inside = zipfile.ZipFile(io.BytesIO(data)).namelist()
    except Exception as problem:
        raise DataError("the file is damaged or cut short; write it again") from problem
    if any(name.endswith(".npy") for name in inside):
        return ARCHIVE
    if any(name.startswith("xl/") for name in inside):
        return EXCEL
    raise DataError("a zip archive; unpack it and pass the tables in it")


@contextmanager
def _damage_named(format_name: str) -> Iterator[None]:
    """Turn whatever a reader raises, panics of polars included, into a DataError."""
    import polars as pl

    try:
        yield
    except DataError:
        raise
    except (Exception, pl.exceptions.PanicException) as problem:
        message = f"the {format_name} file is damaged, cut short or of a kind that is not read"
        raise DataError(f"{message}; write it again") from problem


def _parquet(source: Source) -> pl.DataFrame:
    import polars as pl

    return pl.read_parquet(io.BytesIO(source.data))


def _arrow_file(source: Source) -> pl.DataFrame:
    import polars as pl

    return pl.read_ipc(io.BytesIO(source.data))


def _arrow_stream(source: Source) -> pl.DataFrame:
    import polars as pl

    return pl.read_ipc_stream(io.BytesIO(source.data))


def _json_lines(source: Source) -> pl.DataFrame:
    import polars as pl

    try:
        return pl.read_ndjson(io.BytesIO(source.data), infer_schema_length=None)
    except (Exception, pl.exceptions.PanicException) as problem:
        number = _broken_line(source.data[:])
        if number is None:
            raise
        raise DataError(f"line {number} is no JSON object; mend or remove it") from problem


def _broken_line(data: bytes) -> int | None:
    """Return the first line, counted from 1, that is not an object."""
    for number, line in enumerate(data.split(b"\n"), 1):
        try:
            if line.strip() and not isinstance(json.loads(line), dict):
                return number
        except (ValueError, RecursionError):
            return number
    return None


def _excel(source: Source) -> pl.DataFrame:
    import polars as pl

    try:
        import fastexcel
    except ImportError as problem:
        wanted = "a workbook needs its reader: pip install 'bayesfloor[excel]'"
        raise DataError(f"{wanted}, or save the sheet as CSV") from problem
    data = source.data[:]
    frame = pl.read_excel(io.BytesIO(data), engine="calamine", raise_if_empty=False)
    book = fastexcel.read_excel(data)
    if not frame.height:
        where = f"no rows below a header in the first sheet, {book.sheet_names[0]!r}"
        raise DataError(f"{where}; put the table there, or save its sheet as CSV")
    first = book.load_sheet(0, header_row=None, n_rows=1, dtypes="string").to_polars()
    own_names([name for name in first.row(0) if name])  # polars makes equal and lacking ones up
    lacking = [name for name in frame.columns if name.startswith(UNNAMED)]
    places = {name: f"column {int(name.removeprefix(UNNAMED)) + 1}" for name in lacking}
    return frame.rename(places)


def _array(source: Source) -> pl.DataFrame:
    return array_frame({source.stem: load_array(source.data)})


def _archive(source: Source) -> pl.DataFrame:
    return array_frame(load_archive(source.data))


EXCEL = Format("Excel", (".xlsx",), ZIP, _excel)
ARCHIVE = Format("NumPy archive", (".npz",), ZIP, _archive)
JSON_LINES = Format("JSON lines", (".ndjson", ".jsonl"), b"", _json_lines)
FORMATS = (
    Format("Parquet", (".parquet", ".pq"), b"PAR1", _parquet),
    Format("Arrow", (".arrow", ".feather", ".ipc"), b"ARROW1", _arrow_file),
    Format("Arrow stream", (".arrows",), b"\xff\xff\xff\xff", _arrow_stream),
    Format("old Excel", (".xls",), b"\xd0\xcf\x11\xe0", _excel),
    Format("NumPy array", (".npy",), b"\x93NUMPY", _array),
    EXCEL,
    ARCHIVE,
    JSON_LINES,
)
"""Formats other than text."""
