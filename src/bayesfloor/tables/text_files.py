"""Text tables with any common separator become frames.

This module examines the first kilobytes only; polars reads the rest.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from bayesfloor.base.errors import DataError
from bayesfloor.base.formatting import first_few
from bayesfloor.tables.character_encoding import decode_utf8, to_utf8
from bayesfloor.tables.column_choice import fill_names
from bayesfloor.tables.comments import without_comments
from bayesfloor.tables.compression import Contents, too_large
from bayesfloor.tables.dialect import (
    DIALECT_HEAD_BYTES,
    SEPARATORS,
    Dialect,
    detect_dialect,
    first_lines,
)
from bayesfloor.tables.loaded_table import TEXT_CELL_BYTES
from bayesfloor.tables.read_options import ReadOptions
from bayesfloor.tables.sources import Source
from bayesfloor.tables.text_errors import explain_failure, short_lines, stray_quote_line

if TYPE_CHECKING:
    import polars as pl

FIRST_TYPE_ROWS, MORE_TYPE_ROWS = 100, 10_000
"""Number of first rows from which polars infers the types of columns, and of those it gets when
these mislead; after that it gets all. 100 is its own default, 10 000 a judgement on speed."""
MOST_FIELDS = 1_000_000
"""Number of fields of a line at most. A judgement: polars takes about 10 µs and 1 kB for each, so
more would take minutes before the columns are refused or chosen from."""
SCAN_BYTES = 2**18
"""Number of bytes that are compared at a time: their masks fit into a core's cache, a judgement."""
EMPTY_LINE = re.compile(rb"\n(?=\r?\n)")
"""The end of a line before an empty one."""
ROW_NAMES = b"row.names"
"""The name of a first column that the header lacks, as R calls it."""
GROUPED_NUMBER = r"^\s*[+-]?\d{1,3}(?:\.\d{3})*(?:,\d+)?\s*$"
"""Matches a number with a decimal comma and points between its thousands."""


def read_text(source: Source, options: ReadOptions) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """Read a text table; return its columns, each of the type that fits, and notes."""
    whole = _with_line_feeds(to_utf8(source.data, options.encoding))
    data, separator = _without_first_blanks(whole), options.separator
    data, notes = without_comments(data, separator, header=options.header)
    excel_hint = re.match(rb"sep=(.)\r?\n", data[:8])  # a first line that Excel writes and reads
    if excel_hint:
        data = data[excel_hint.end() :]
        separator = separator or excel_hint[1].decode("latin-1")
    head = first_lines(data)
    if max(head.count(one) for one in {*SEPARATORS, separator or ","}) > MOST_FIELDS:
        raise DataError(f"a line has more than {MOST_FIELDS:,} fields; pass fewer columns")
    dialect = detect_dialect(head, header=options.header, separator=separator)
    dialect = replace(dialect, skipped=whole[: len(whole) - len(data)].count(b"\n"))
    data = _remove_blanks(data, dialect)
    _check_cells(data, dialect.width, source.limit)
    if dialect.row_names:
        data = ROW_NAMES + dialect.separator.encode() + data
    frame = _parse(data, dialect, header=options.header)
    swallowed = not frame.height and stray_quote_line(data, dialect.separator)
    if swallowed or frame.width != dialect.width:
        raise DataError(_explain(data, dialect))
    frame = frame[:, dialect.row_names :]
    frame.columns = dialect.names
    if dialect.decimal_comma:
        frame = frame.with_columns(_without_thousands(column) for column in frame.iter_columns())
    notes += dialect.notes + _filled_up(data, dialect, frame.height + options.header)
    return _without_empty_rows(frame), notes


def _filled_up(data: Contents, dialect: Dialect, lines: int) -> tuple[str, ...]:
    """Tell of lines with fewer fields than others; refuse them where spaces separate.

    There a missing value leaves no trace, and all that follow would be in the wrong columns.
    """
    width = dialect.width
    if not may_lack_fields(data, dialect.separator, width, lines):
        return ()
    found = [n + dialect.skipped for n in short_lines(data, dialect.separator, width)]
    if not found:
        return ()
    where = f"lines {first_few(found)} have" if len(found) > 1 else f"line {found[0]} has"
    came = f"{where} fewer fields than the first line, which has {width}"
    if dialect.separator == " ":
        raise DataError(f"{came}; write NA for a missing value, or pass separator=")
    return (f"The fields that some lines lack count as missing: {came}.",)


def may_lack_fields(data: Contents, separator: str, width: int, lines: int) -> bool:
    """Tell from counts alone whether lines that are not empty may have too few fields.

    Fields in quotes may hold separators, so that these tell nothing: lines between spaces are then
    looked at one by one, and other files not at all.
    """
    if b'"' in data:
        return separator == " "
    missing = lines * (width - 1) - data.count(separator.encode())
    return missing > 0 and missing != (width - 1) * len(EMPTY_LINE.findall(data))


def text_header(source: Source, options: ReadOptions) -> list[str]:
    """Return the names of the columns of a text table from its first kilobytes."""
    first = source.data[:DIALECT_HEAD_BYTES]
    if len(first) < len(source.data):
        first = first[: first.rfind(b"\n") + 1] or first
    separator = options.separator
    data = _without_first_blanks(_with_line_feeds(to_utf8(first, options.encoding)))
    data, _ = without_comments(data, separator, header=options.header)
    dialect = detect_dialect(decode_utf8(data), header=options.header, separator=separator)
    return fill_names(dialect.names)


def _with_line_feeds(data: Contents) -> Contents:
    """Return text whose lines end in line feeds."""
    return data.replace(b"\r", b"\n") if data.find(b"\n") < 0 <= data.find(b"\r") else data


def _without_first_blanks(data: Contents) -> Contents:
    """Return text that does not start with blanks, other than a tab that separates."""
    return data.lstrip() if data[:1].isspace() and data[:1] != b"\t" else data


def _remove_blanks(data: Contents, dialect: Dialect) -> Contents:
    """Remove the blanks that polars would take for values, by a few passes in C."""
    if dialect.separator == " ":
        data = data[:].replace(b"\t", b" ").replace(b"\r\n", b"\n")
        while b"  " in data:
            data = data.replace(b"  ", b" ")
        return data.replace(b"\n ", b"\n").replace(b" \n", b"\n").strip(b" ")
    if not dialect.spaces_follow:
        return data
    return _remove_spaces_after(data[:], dialect.separator.encode())


def _remove_spaces_after(data: bytes, separator: bytes) -> bytes:
    """Remove the spaces after separators; where there are no others, all at once, which is fast."""
    if b'"' in data:  # spaces in quotes stay
        return data.replace(separator + b' "', separator + b'"')
    codes = np.frombuffer(data, np.uint8)
    for start in range(0, len(codes), SCAN_BYTES):
        block = codes[start : start + SCAN_BYTES + 1]
        if ((block[1:] == ord(" ")) & (block[:-1] != ord(separator))).any():
            return data.replace(separator + b" ", separator)
    return data.translate(None, b" ")


def _check_cells(data: Contents, width: int, limit: int) -> None:
    """Refuse text whose cells would take more bytes than the limit: polars would abort the process.

    A line with fewer fields than others is filled up, so that cells may take no text at all.
    """
    a_row = (width + 1) * TEXT_CELL_BYTES  # one more for what is counted of the rows of a column
    if len(data) * a_row <= limit or (data.count(b"\n") + 1) * a_row <= limit:
        return
    if b'"' not in data or _count_rows(data) * a_row > limit:
        raise too_large("the columns", limit)


def _count_rows(data: Contents) -> int:
    r"""Count the lines, without those that end within quotes.

    Examples
    --------
    >>> _count_rows(b'a,"x\ny""\n"\nb,z\n')
    2
    """
    codes, rows, quotes = np.frombuffer(data, np.uint8), 0, 0
    for start in range(0, len(codes), SCAN_BYTES):
        block = codes[start : start + SCAN_BYTES]
        before = np.cumsum(block == ord('"')) + quotes
        rows += int(np.count_nonzero((block == ord("\n")) & (before % 2 == 0)))
        quotes = int(before[-1])
    return rows


def _parse(data: Contents, dialect: Dialect, *, header: bool) -> pl.DataFrame:
    """Read the columns, each of the type that fits all rows."""
    import polars as pl

    options: dict[str, Any] = {
        "separator": dialect.separator,
        "has_header": header,
        "decimal_comma": dialect.decimal_comma,
        "null_values": [field.strip() for field in dialect.missing_texts] or None,
    }

    def typed_by(rows: int | None) -> pl.DataFrame:
        return pl.read_csv(data, infer_schema_length=rows, **options)

    def typed_if_possible(rows: int) -> pl.DataFrame | None:
        try:
            return typed_by(rows)
        except pl.exceptions.ComputeError:
            return None

    try:
        frame = typed_if_possible(FIRST_TYPE_ROWS)
        if frame is None or _starts_empty(frame):
            frame = typed_if_possible(MORE_TYPE_ROWS)
        return typed_by(None) if frame is None else frame
    except (Exception, pl.exceptions.PanicException) as problem:
        raise DataError(_explain(data, dialect)) from problem


def _starts_empty(frame: pl.DataFrame) -> bool:
    """Return whether a column has values, but none in the rows that its type was inferred from."""
    return any(
        FIRST_TYPE_ROWS <= column.null_count() < len(column)
        and column.head(FIRST_TYPE_ROWS).null_count() == FIRST_TYPE_ROWS
        for column in frame.iter_columns()
    )


def _without_thousands(column: pl.Series) -> pl.Series:
    """Return text of numbers with points between thousands as numbers, other columns unchanged."""
    import polars as pl

    if column.dtype != pl.String or not column.str.contains(GROUPED_NUMBER).all():
        return column
    plain = (
        column.str.strip_chars()
        .str.replace_all(".", "", literal=True)
        .str.replace(",", ".", literal=True)
    )
    return plain.cast(pl.Float64)


def _without_empty_rows(frame: pl.DataFrame) -> pl.DataFrame:
    """Leave out the rows in which every value is missing: they come from empty lines."""
    import polars as pl

    if frame.width and all(column.null_count() for column in frame.iter_columns()):
        return frame.filter(~pl.all_horizontal(pl.all().is_null()))
    return frame


def _explain(data: Contents, dialect: Dialect) -> str:
    return explain_failure(
        data, separator=dialect.separator, width=dialect.width, skipped=dialect.skipped
    )
