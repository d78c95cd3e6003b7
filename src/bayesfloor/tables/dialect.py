"""The first lines of a text file show how it is written: separator, names, decimal sign."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import dataclass
from itertools import islice

from bayesfloor.base.errors import DataError
from bayesfloor.tables.character_encoding import decode_utf8
from bayesfloor.tables.column_choice import column_names
from bayesfloor.tables.compression import Contents
from bayesfloor.tables.text_columns import MISSING_TEXTS
from bayesfloor.tables.text_errors import no_table

DIALECT_HEAD_BYTES = 2**16
"""Number of bytes at the start of a file that are examined, up to the end of a line: 64 kilobytes
hold hundreds of lines of most tables and are parsed in milliseconds, a judgement."""
MAX_DIALECT_LINES = 200
"""Number of lines that are examined at most, as short ones would be thousands; a judgement."""
SEPARATORS = ("\t", ";", "|", ",", " ")
"""Separators in order of preference: a comma may be in decimals or text, a space anywhere."""
CLEAR_AGREEMENT = 0.9
"""Share of lines as wide as the first from which on no other separator is tried; a judgement."""
DECIMAL_COMMA = re.compile(r"\s*[+-]?\d*,(\d+)(?:[eE][+-]?\d+)?\s*")
"""A number with a decimal comma; the group is its fraction."""
DECIMAL_POINT = re.compile(r"\s*[+-]?\d*\.\d+(?:[eE][+-]?\d+)?\s*")
"""A number with a decimal point."""
SINGLE_QUOTED = re.compile(r"\s*'[^']*'\s*")
"""A field in single quotes, which stay in texts as they are apostrophes elsewhere."""
USE_DOUBLE_QUOTES = "are in single quotes; write them in double quotes, or in none"
"""What is said of such fields."""
THOUSANDS = re.compile(r"\s*[+-]?[1-9]\d{0,2}[.,]\d{3}\s*")
"""A number whose comma or point may as well separate thousands, as in 1,234."""
DATE_OR_FRACTION = re.compile(r"\d[-/.,:]\d")
"""Matches what names of rows do not hold, but a date or number that was cut by a separator does."""
ROW_NAMES_NOTE = (
    "Left out the first field of each line: the header has no name for it, as where R writes the"
    " names of rows."
)
"""What is said of names of rows."""
EMPTY_FILE = "the file is empty; pass a table with a header and rows"
"""What is wrong with a file without any text."""
NO_HEADER_HINT = ", or pass header=False if the first line is data"
"""What else may be done about names that occur twice."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """Says how a text file is written, as far as its first lines show."""

    separator: str  # " " means runs of spaces and tabs
    names: list[str]  # from the header, or by position; a first one may be empty
    decimal_comma: bool
    spaces_follow: bool  # some separators are followed by a space
    missing_texts: list[str]  # those that were seen
    notes: tuple[str, ...]
    skipped: int = 0  # lines of the file before the first one
    row_names: bool = False  # lines start with a field that the header lacks

    @property
    def width(self) -> int:
        """Return the number of fields of a line."""
        return len(self.names) + self.row_names


def detect_dialect(head: str, *, header: bool, separator: str | None) -> Dialect:
    """Detect how a text is written from its first lines."""
    chosen, lines = split_lines(head, separator)
    if not lines:
        raise DataError(EMPTY_FILE)
    if all(SINGLE_QUOTED.fullmatch(field) for field in lines[0]):
        raise DataError(f"the fields of the first line, such as {lines[0][0]}, {USE_DOUBLE_QUOTES}")
    rows = lines[1:] if header else lines
    comma, doubtful = _decimal_comma(rows) if "," in head and chosen != "," else (False, False)
    notes = tuple[str, ...]()
    if doubtful:
        notes = ("Numbers such as 1,234 were read with a decimal comma.",)
    fields = {field for row in rows for field in row}
    row_names = header and _has_row_names(head, lines, chosen)
    notes += (ROW_NAMES_NOTE,) if row_names else ()
    names = column_names(lines[0] if header else [""] * len(lines[0]), NO_HEADER_HINT)
    if header and len(names) > 1 and not lines[0][0].strip():
        names[0] = ""  # a first column without a name may number the rows
    return Dialect(
        separator=chosen,
        names=names,
        row_names=row_names,
        decimal_comma=comma,
        spaces_follow=chosen + " " in head,
        missing_texts=sorted({field for field in fields if field.strip() in MISSING_TEXTS} - {""}),
        notes=notes + (_numeric_header(lines[0]) if header else ()),
    )


def first_lines(data: Contents, start: int = 0) -> str:
    """Return the lines that are examined, from a place in a text."""
    end = data.find(b"\n", start + DIALECT_HEAD_BYTES)
    return decode_utf8(data[start:] if end < 0 else data[start:end])


def split_lines(head: str, separator: str | None) -> tuple[str, list[list[str]]]:
    """Return the separator, which is detected unless it is passed, and the fields of lines."""
    return (separator, _split(head, separator)) if separator else _split_best(head)


def _split_best(head: str) -> tuple[str, list[list[str]]]:
    """Return the first separator that splits lines evenly, or the most even one, and the lines."""
    best, most = None, 0.0
    for separator in filter(head.__contains__, SEPARATORS):
        lines = _split(head, separator)
        agreement = 1.0 if _has_row_names(head, lines, separator) else _agreement(lines)
        if agreement > most:
            best, most = (separator, lines), agreement
        if agreement >= CLEAR_AGREEMENT:
            break
    return best or (",", _split(head, ","))


def _agreement(lines: list[list[str]]) -> float:
    """Return the share of lines with as many fields as the first, or 0 if that has only one."""
    widths = [len(line) for line in lines]
    return widths.count(widths[0]) / len(widths) if widths and widths[0] > 1 else 0.0


def _has_row_names(head: str, lines: list[list[str]], separator: str) -> bool:
    """Return whether lines start with a name of their own that the header has no field for.

    So does R's `write.table`. With commas, which texts and decimals may hold, names have quotes.
    """
    if len(lines) < 2 or {len(line) for line in lines[1:]} != {len(lines[0]) + 1}:
        return False
    first, last = [line[0].strip() for line in lines[1:]], [line[-1].strip() for line in lines[1:]]
    if not all(first) or len(set(first)) < len(first) or not any(last):
        return False
    if any(map(DATE_OR_FRACTION.search, first)):
        return False
    return separator != "," or head.count('\n"') >= len(first)


def _split(head: str, separator: str) -> list[list[str]]:
    """Split the first lines into fields; leave out empty lines."""
    text = io.StringIO(head, newline="")
    if separator == " ":
        rows = (row.split() for row in islice(text, MAX_DIALECT_LINES))
        return [_without_quotes(row) for row in rows if row]
    try:
        reader = csv.reader(text, delimiter=separator, skipinitialspace=True)
        return [line for line in islice(reader, MAX_DIALECT_LINES) if line]
    except csv.Error as problem:
        raise DataError(no_table(problem)) from problem


def _without_quotes(fields: list[str]) -> list[str]:
    """Return fields of a line, those between quotes as one."""
    if not any('"' in field for field in fields):
        return fields
    return next(csv.reader([" ".join(fields)], delimiter=" "))


def _numeric_header(first: list[str]) -> tuple[str, ...]:
    """Warn of a header that looks like data: numbers, other than a count 0, 1, 2, ..."""
    numbers = [field.strip() for field in first if re.fullmatch(r"\s*[+-]?[\d.]+\s*", field)]
    if not numbers or _is_count(numbers):
        return ()
    what = f"The header contains numbers such as {numbers[0]!r}"
    return (f"{what}; if the first line is data, pass header=False.",)


def _is_count(numbers: list[str]) -> bool:
    """Return whether two numbers or more are consecutive whole numbers."""
    if len(numbers) < 2 or not numbers[0].isdecimal():
        return False
    return numbers == [str(int(numbers[0]) + j) for j in range(len(numbers))]


def _decimal_comma(rows: list[list[str]]) -> tuple[bool, bool]:
    """Return whether numbers have a decimal comma, and whether it may separate thousands."""
    fields = [field for row in rows for field in row]
    commas = [match for match in map(DECIMAL_COMMA.fullmatch, fields) if match]
    points = [field for field in fields if DECIMAL_POINT.fullmatch(field)]
    if points and (
        all(THOUSANDS.fullmatch(match[0]) for match in commas)
        or not all(map(THOUSANDS.fullmatch, points))
    ):
        return False, False
    return bool(commas), not points and all(len(match[1]) == 3 for match in commas)
