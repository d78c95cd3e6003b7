"""Files with an ARFF or KEEL header become frames: the header names the columns of the text below.

Attribute-Relation File Format: Weka's manual, chapter 9; KEEL adds ranges, inputs and outputs.
"""

from __future__ import annotations

import csv
import io
import re
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from bayesfloor.base.errors import DataError
from bayesfloor.tables.character_encoding import decode_utf8, to_utf8
from bayesfloor.tables.column_choice import column_names
from bayesfloor.tables.read_options import ReadOptions
from bayesfloor.tables.sources import Source
from bayesfloor.tables.text_files import read_text

if TYPE_CHECKING:
    import polars as pl

MAX_HEADER_BYTES = 2**20
"""Number of bytes in which a header is looked for when only its names are wanted: enough for
thousands of columns, a judgement."""
KEEL_MISSING = b"<null>"
"""What KEEL writes for a missing value, beside the question mark."""
COMMENT = rb"(?m)^[ \t]*%.*$"
"""Matches a line of comment."""
FIRST_WORD = re.compile(rb"(?:\s|%[^\n\r]*+)*+@(?:relation|attribute)\b", re.IGNORECASE)
"""Matches the start of a header, after blanks and comments."""
ATTRIBUTE = re.compile(
    r"""@attribute\s+(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|([^\s{\[]+))\s*(\S.*)?$""",
    re.IGNORECASE,
)
"""Matches the line of an attribute: its name, quoted or not, and its type."""
FIELD = re.compile(r"""\s*+(?:'((?:[^'\\]|\\.)*)'\s*+,|"((?:[^"\\]|\\.)*)"\s*+,|([^,]*+),)""")
"""Matches one value of a row, quoted or not, and the comma after it."""


class Header(NamedTuple):
    """Holds the names of the columns, and where the rows start."""

    names: list[str]
    lines: int  # up to and with @data
    end: int  # of these lines, in bytes


def starts_header(head: bytes) -> bool:
    """Return whether a file starts like an ARFF or KEEL header."""
    return FIRST_WORD.match(head) is not None


def read_arff(source: Source, options: ReadOptions) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """Read the rows below the header like any text with commas, under the names of the header."""
    data = to_utf8(source.data, options.encoding)[:].replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    header = _header(data)
    body = data[header.end :].replace(KEEL_MISSING, b"?")
    if b"%" in body:
        body = re.sub(COMMENT, b"", body)
    if re.match(rb"\s*\{", body):
        what = "the rows are sparse, as in {0 1, 3 x}"
        raise DataError(f"{what}; save the table with all values, as dense ARFF or CSV")
    if b"," not in body.lstrip().split(b"\n", 1)[0]:
        body = _with_commas(body)
    if re.search(rb"['\"\\]", body):
        body = _with_double_quotes(decode_utf8(body)).encode()
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerow(header.names)
    whole = replace(source, data=text.getvalue().encode() + body)
    try:
        return read_text(whole, ReadOptions(separator=","))
    except DataError as problem:
        raise DataError(_own_words(str(problem), header.lines - 1)) from problem


def arff_header(source: Source, options: ReadOptions) -> list[str]:
    """Return the names of the columns of a file with an ARFF or KEEL header."""
    return _header(to_utf8(source.data[:MAX_HEADER_BYTES], options.encoding)[:]).names


def _header(data: bytes) -> Header:
    """Read the header line by line."""
    fields: list[str] = []
    end = 0
    for number, line in enumerate(data.split(b"\n"), 1):
        end += len(line) + 1
        text = decode_utf8(line).strip()
        word = text.split(maxsplit=1)[0].lower() if text else ""
        if word == "@data":
            break
        if word == "@attribute":
            fields.append(_attribute(text, number))
    else:
        raise DataError("the header has no line @data; add it above the rows")
    if not fields:
        raise DataError("the header has no line @attribute; add one for each column")
    return Header(column_names(fields), number, end)


def _attribute(text: str, number: int) -> str:
    """Return the name of the attribute in a line of the header."""
    found = ATTRIBUTE.match(text)
    if found is None:
        raise DataError(f"line {number} is no attribute; write @attribute, a name and a type")
    return _unquoted(*found.groups()[:3])


def _unquoted(single: str | None, double: str | None, plain: str | None) -> str:
    """Return a word without its quotes and the backslashes in them."""
    quoted = single if single is not None else double
    return re.sub(r"\\(.)", r"\1", quoted) if quoted is not None else (plain or "").rstrip()


def _with_double_quotes(body: str) -> str:
    """Write rows with single quotes or backslashes as CSV does, line by line."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    for line in body.split("\n"):
        if line.strip():
            writer.writerow([_unquoted(*found.groups()) for found in FIELD.finditer(line + ",")])
        else:
            text.write("\n")
    return text.getvalue()


def _with_commas(body: bytes) -> bytes:
    """Write commas between the values of rows that have blanks there."""
    single = re.sub(rb"[ \t]+", b" ", body)
    return re.sub(rb"(?m)^ | $", b"", single).replace(b" ", b",")


def _own_words(message: str, lines: int) -> str:
    """Return a message on the rows that counts lines from the start of the file."""
    shifted = re.sub(
        r"\blines? (\d+(?:, \d+)*)",
        lambda found: re.sub(r"\d+", lambda number: str(int(number[0]) + lines), found[0]),
        message,
    )
    return shifted.replace("the first line", "the header").replace(", or pass separator=", "")
