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
from typing import TYPE_CHECKING, Any

import numpy as np

from bayesfloor.errors import DataError
from bayesfloor.tables.dialect import HEAD, Dialect, find_dialect

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
UNREADABLE = "not a table of text; check quotes and separators"


def read_text(
    data: bytes, *, header: bool, separator: str | None, encoding: str | None
) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """Read a text table; return its columns, each of the type that fits, and notes."""
    data = _utf8(data, encoding)
    dialect = find_dialect(_head(data), header=header, separator=separator)
    data = _plain(data, dialect)
    frame = _parsed(data, dialect, header)
    swallowed = not frame.height and _stray_quote(data, dialect.separator)
    if swallowed or frame.width != len(dialect.names):
        raise DataError(_complaint(data, dialect))
    frame.columns = dialect.names
    return _without_empty_rows(frame), dialect.notes


def _utf8(data: bytes, encoding: str | None) -> bytes:
    """Return text in UTF-8 without a byte order mark, its lines ended by line feeds."""
    mark = next((mark for mark in BYTE_ORDER_MARKS if data.startswith(mark)), b"")
    encoding = encoding or BYTE_ORDER_MARKS.get(mark, "utf-8")
    if encoding.lower().replace("_", "-") not in ("utf-8", "utf8"):
        data = _decoded(data, encoding).encode("utf-8", "replace")
    data = data.removeprefix(BOM_UTF8)
    if b"\0" in data:
        raise DataError("binary data, not text; pass a table in a format that is known by its name")
    if b"\n" not in data and b"\r" in data:
        data = data.replace(b"\r", b"\n")
    return data.lstrip() if data[:1].isspace() and data[:1] != b"\t" else data


def check_encoding(name: str, encoding: Any) -> None:
    """Refuse what is no name of a text encoding; None is found out."""
    try:
        b"a".decode("utf-8" if encoding is None else encoding)
    except UnicodeError:  # known, and more than a byte a letter
        return
    except (LookupError, TypeError, ValueError) as problem:
        message = f"{name} is {encoding!r}; pass one that Python knows, such as latin-1 or cp1252"
        raise DataError(message) from problem


def _decoded(data: bytes, encoding: str) -> str:
    try:
        return data.decode(encoding)
    except (UnicodeError, ValueError) as problem:
        raise DataError(f"not {encoding} text; pass another --encoding") from problem


def _head(data: bytes) -> str:
    """Return the first lines."""
    end = data.find(b"\n", HEAD)
    return _unicode(data if end < 0 else data[:end])


def _unicode(data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as problem:
        raise DataError("not UTF-8 text; pass --encoding latin-1, or what it is in") from problem


def _plain(data: bytes, dialect: Dialect) -> bytes:
    """Remove the blanks that polars would take for values, by few passes in C."""
    if dialect.separator == " ":
        data = data.replace(b"\t", b" ").replace(b"\r\n", b"\n")
        while b"  " in data:
            data = data.replace(b"  ", b" ")
        return data.replace(b"\n ", b"\n").replace(b" \n", b"\n").strip(b" ")
    if not dialect.spaced:
        return data
    mark = dialect.separator.encode()
    if b'"' in data:  # blanks in quotes stay
        return data.replace(mark + b' "', mark + b'"')
    codes = np.frombuffer(data, np.uint8)
    elsewhere = (codes[1:] == ord(" ")) & (codes[:-1] != ord(mark))
    return data.replace(mark + b" ", mark) if elsewhere.any() else data.translate(None, b" ")


def _parsed(data: bytes, dialect: Dialect, header: bool) -> pl.DataFrame:
    """Read the columns, each with the type that fits all its rows."""
    import polars as pl

    options: dict[str, Any] = {
        "separator": dialect.separator,
        "has_header": header,
        "decimal_comma": dialect.decimal_comma,
        "null_values": [field.strip() for field in dialect.missing] or None,
    }

    def typed_by(rows: int) -> pl.DataFrame | None:
        try:
            return pl.read_csv(data, infer_schema_length=rows, **options)
        except pl.exceptions.ComputeError:
            return None

    try:
        frame = typed_by(FEW)
        if frame is None or _starts_empty(frame):
            frame = typed_by(MANY)
        if frame is None:
            frame = pl.read_csv(data, infer_schema_length=None, **options)
    except (Exception, pl.exceptions.PanicException) as problem:
        raise DataError(_complaint(data, dialect)) from problem
    return frame


def _starts_empty(frame: pl.DataFrame) -> bool:
    """Tell whether the first rows of a column hold no value that would tell its type."""
    columns = (column for column in frame.iter_columns() if column.null_count() >= FEW)
    return any(
        column.null_count() < len(column) and column.head(FEW).null_count() == FEW
        for column in columns
    )


def _without_empty_rows(frame: pl.DataFrame) -> pl.DataFrame:
    """Leave out the rows in which every value is missing: empty lines."""
    import polars as pl

    if frame.width and all(column.null_count() for column in frame.iter_columns()):
        return frame.filter(~pl.all_horizontal(pl.all().is_null()))
    return frame


def _complaint(data: bytes, dialect: Dialect) -> str:
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


def _stray_quote(data: bytes, separator: str) -> int | None:
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


def _lines(data: bytes, separator: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the lines that are not empty: number, counted from 1, and fields."""
    reader = csv.reader(io.StringIO(_unicode(data), newline=""), delimiter=separator)
    try:
        yield from ((reader.line_num, fields) for fields in reader if fields)
    except csv.Error as problem:
        raise DataError(
            f"not a table of text ({problem}); check quotes and separators"
        ) from problem
