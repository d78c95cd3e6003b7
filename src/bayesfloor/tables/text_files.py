"""Text tables with any usual separator become frames.

Only the first kilobytes are looked at here; polars reads the rest. When it fails, and only then,
the lines are gone through one by one for a message that says where.
"""

from __future__ import annotations

import csv
import io
import re
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE, BOM_UTF32_BE, BOM_UTF32_LE
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bayesfloor.base.errors import DataError
from bayesfloor.tables.dialect import HEAD, Dialect, find_dialect
from bayesfloor.tables.sources import Contents, Source

if TYPE_CHECKING:
    import polars as pl

BYTE_ORDER_MARKS = {
    BOM_UTF8: "utf-8",
    BOM_UTF32_LE: "utf-32",
    BOM_UTF32_BE: "utf-32",
    BOM_UTF16_LE: "utf-16",
    BOM_UTF16_BE: "utf-16",
}
"""First bytes that name the encoding; UTF-32 comes before UTF-16, whose mark it starts with."""
FEW, MANY = 100, 10_000
"""First rows that tell the types of columns; all rows are gone through if these mislead."""
BLOCK = 2**18
"""Bytes looked at together."""
THOUSANDS = r"^\s*[+-]?\d{1,3}(?:\.\d{3})*(?:,\d+)?\s*$"
"""A number with a decimal comma and points between its thousands."""
UNREADABLE = "not a table of text; check quotes and separators"


def read_text(
    source: Source, *, header: bool, separator: str | None, encoding: str | None
) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """Read a text table; return its columns, each of the type that fits, and notes."""
    data = _utf8(source.data, encoding)
    hint = re.match(rb"sep=(.)\r?\n", data[:8])  # as Excel writes and reads it
    if hint:
        data, separator = data[hint.end() :], separator or hint[1].decode("latin-1")
    dialect = find_dialect(_head(data), header=header, separator=separator)
    data = _plain(data, dialect)
    frame = _parsed(data, dialect, header, source.path if data is source.data else None)
    swallowed = not frame.height and _stray_quote(data, dialect.separator)
    if swallowed or frame.width != len(dialect.names):
        raise DataError(_complaint(data, dialect))
    frame.columns = dialect.names
    if dialect.decimal_comma:
        frame = frame.with_columns(_without_thousands(column) for column in frame.iter_columns())
    return _without_empty_rows(frame), dialect.notes


def _utf8(data: Contents, encoding: str | None) -> Contents:
    """Return text in UTF-8 without a byte order mark, its lines ended by line feeds."""
    mark = next((mark for mark in BYTE_ORDER_MARKS if data[: len(mark)] == mark), b"")
    encoding = encoding or BYTE_ORDER_MARKS.get(mark, "utf-8")
    if encoding.lower().replace("_", "-") not in ("utf-8", "utf8"):
        data = _decoded(data, encoding).encode("utf-8", "replace")
    if data[: len(BOM_UTF8)] == BOM_UTF8:
        data = data[len(BOM_UTF8) :]
    if data.find(b"\0") >= 0:
        raise DataError("binary data, not text; pass a table in a format that is known by its name")
    if data.find(b"\n") < 0 <= data.find(b"\r"):
        data = data[:].replace(b"\r", b"\n")
    return data[:].lstrip() if data[:1].isspace() and data[:1] != b"\t" else data


def check_encoding(name: str, encoding: Any) -> None:
    """Refuse what is no name of a text encoding; None is found out."""
    try:
        b"a".decode("utf-8" if encoding is None else encoding)
    except UnicodeError:  # known, and more than a byte a letter
        return
    except (LookupError, TypeError, ValueError) as problem:
        message = f"{name} is {encoding!r}; pass one that Python knows, such as latin-1 or cp1252"
        raise DataError(message) from problem


def _decoded(data: Contents, encoding: str) -> str:
    try:
        return str(data, encoding)
    except (UnicodeError, ValueError) as problem:
        raise DataError(f"not {encoding} text; pass another --encoding") from problem


def _head(data: Contents) -> str:
    """Return the first lines."""
    end = data.find(b"\n", HEAD)
    return _unicode(data if end < 0 else data[:end])


def _unicode(data: Contents) -> str:
    try:
        return str(data, "utf-8")
    except UnicodeDecodeError as problem:
        raise DataError("not UTF-8 text; pass --encoding latin-1, or what it is in") from problem


def _plain(data: Contents, dialect: Dialect) -> Contents:
    """Remove the blanks that polars would take for values, by few passes in C."""
    if dialect.separator == " ":
        data = data[:].replace(b"\t", b" ").replace(b"\r\n", b"\n")
        while b"  " in data:
            data = data.replace(b"  ", b" ")
        return data.replace(b"\n ", b"\n").replace(b" \n", b"\n").strip(b" ")
    return _unspaced(data[:], dialect.separator.encode()) if dialect.spaced else data


def _unspaced(data: bytes, mark: bytes) -> bytes:
    """Remove the blanks after separators, fast if there are no others."""
    if b'"' in data:  # blanks in quotes stay
        return data.replace(mark + b' "', mark + b'"')
    codes = np.frombuffer(data, np.uint8)
    for start in range(0, len(codes), BLOCK):
        block = codes[start : start + BLOCK + 1]
        if ((block[1:] == ord(" ")) & (block[:-1] != ord(mark))).any():
            return data.replace(mark + b" ", mark)
    return data.translate(None, b" ")


def _parsed(data: Contents, dialect: Dialect, header: bool, path: Path | None) -> pl.DataFrame:
    """Read the columns, each with the type that fits all its rows, from a file if it has them."""
    import polars as pl

    options: dict[str, Any] = {
        "separator": dialect.separator,
        "has_header": header,
        "decimal_comma": dialect.decimal_comma,
        "null_values": [field.strip() for field in dialect.missing] or None,
    }

    def typed_by(rows: int | None) -> pl.DataFrame:
        with path.open("rb") if path else nullcontext(data[:]) as source:
            return pl.read_csv(source, infer_schema_length=rows, **options)

    def tried(rows: int) -> pl.DataFrame | None:
        try:
            return typed_by(rows)
        except pl.exceptions.ComputeError:
            return None

    try:
        frame = tried(FEW)
        if frame is None or _starts_empty(frame):
            frame = tried(MANY)
        return typed_by(None) if frame is None else frame
    except (Exception, pl.exceptions.PanicException) as problem:
        raise DataError(_complaint(data, dialect)) from problem


def _starts_empty(frame: pl.DataFrame) -> bool:
    """Tell whether the first rows of a column hold no value that would tell its type."""
    columns = (column for column in frame.iter_columns() if column.null_count() >= FEW)
    return any(
        column.null_count() < len(column) and column.head(FEW).null_count() == FEW
        for column in columns
    )


def _without_thousands(column: pl.Series) -> pl.Series:
    """Return numbers whose points stand between thousands as numbers, all else as it is."""
    import polars as pl

    if column.dtype != pl.String or not column.str.contains(THOUSANDS).all():
        return column
    plain = (
        column.str.strip_chars()
        .str.replace_all(".", "", literal=True)
        .str.replace(",", ".", literal=True)
    )
    return plain.cast(pl.Float64)


def _without_empty_rows(frame: pl.DataFrame) -> pl.DataFrame:
    """Leave out the rows in which every value is missing: empty lines."""
    import polars as pl

    if frame.width and all(column.null_count() for column in frame.iter_columns()):
        return frame.filter(~pl.all_horizontal(pl.all().is_null()))
    return frame


def _complaint(data: Contents, dialect: Dialect) -> str:
    """Say why a table cannot be parsed: a stray quote, a line too long, or text in doubt."""
    number = _stray_quote(data, dialect.separator)
    if number:
        return f'a stray quote (") in line {number}; remove it, or close the field it opens'
    width = len(dialect.names)
    for number, fields in _lines(data, dialect.separator):
        if len(fields) > width:
            where = f"line {number} has {len(fields)} fields, the first line {width}"
            return f"{where}; make them equal, or pass --separator"
    return UNREADABLE


def _stray_quote(data: Contents, separator: str) -> int | None:
    """Return the first line with a quote that neither encloses a field nor is doubled in one."""
    lines, start = _unicode(data).split("\n"), 1
    within = re.compile(f'(^|{re.escape(separator)})[^"{re.escape(separator)}]+"')
    reader = csv.reader(lines, delimiter=separator, strict=True)
    try:
        for fields in reader:
            quoted = any('"' in field for field in fields)
            if quoted and within.search(lines[start - 1]):
                return start
            start = reader.line_num + 1
    except csv.Error:  # text after a closing quote, or no closing quote
        return start
    return None


def _lines(data: Contents, separator: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the lines that are not empty: number, counted from 1, and fields."""
    reader = csv.reader(io.StringIO(_unicode(data), newline=""), delimiter=separator)
    try:
        yield from ((reader.line_num, fields) for fields in reader if fields)
    except csv.Error as problem:
        raise DataError(
            f"not a table of text ({problem}); check quotes and separators"
        ) from problem
