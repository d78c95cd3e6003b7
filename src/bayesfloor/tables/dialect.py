"""The first lines of a text file tell how it is written: separator, names, decimal sign."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import dataclass
from itertools import islice

from bayesfloor.base.errors import DataError
from bayesfloor.tables.column_choice import own_names

HEAD = 2**16
"""Bytes looked at; more if the first line is longer."""
MOST_LINES = 200
"""Lines looked at, as the first bytes may hold thousands."""
SEPARATORS = ("\t", ";", "|", ",", " ")
"""In order of preference: a comma may stand in decimals or text, a space anywhere."""
AGREEMENT = 0.9
"""Share of lines of equal width that makes a separator certain."""
MISSING = frozenset(
    ["", "?", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "-nan", "NULL", "null", "None"]
)
"""Texts that stand for a missing value."""
DECIMAL_COMMA = re.compile(r"\s*[+-]?\d*,(\d+)(?:[eE][+-]?\d+)?\s*")
GROUPED = re.compile(r"\s*[+-]?[1-9]\d{0,2}[.,]\d{3}\s*")
"""What may be thousands."""
DECIMAL_POINT = re.compile(r"\s*[+-]?\d*\.\d+(?:[eE][+-]?\d+)?\s*")
NO_HEADER = ", or pass --no-header if the first line is a row"
"""What else may be done about names that come twice."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a text file is written, as far as its first lines tell."""

    separator: str  # " " stands for runs of blanks
    names: list[str]  # from the header, or by position
    decimal_comma: bool
    spaced: bool  # spaces may follow a separator
    missing: list[str]  # the texts for missing values that were seen
    notes: tuple[str, ...]


def find_dialect(head: str, *, header: bool, separator: str | None) -> Dialect:
    """Find how a text is written from its first lines."""
    chosen, lines = (separator, _records(head, separator)) if separator else _likely_cut(head)
    if not lines:
        raise DataError("the file is empty; pass a table with a header and rows")
    rows = lines[1:] if header else lines
    comma, doubtful = _decimal_comma(rows) if "," in head and chosen != "," else (False, False)
    notes = ("Numbers such as 1,234 were read with a decimal comma.",) if doubtful else ()
    fields = {field for row in rows for field in row}
    return Dialect(
        separator=chosen,
        names=own_names(lines[0] if header else [""] * len(lines[0]), NO_HEADER),
        decimal_comma=comma,
        spaced=chosen + " " in head,
        missing=sorted({field for field in fields if field.strip() in MISSING} - {""}),
        notes=notes + (_numeric_header(lines[0]) if header else ()),
    )


def _likely_cut(head: str) -> tuple[str, list[list[str]]]:
    """Return the first separator that cuts all lines alike, or comes nearest, and the lines."""
    best, most = None, 0.0
    for separator in filter(head.__contains__, SEPARATORS):
        lines = _records(head, separator)
        agreement = _agreement(lines)
        if agreement > most:
            best, most = (separator, lines), agreement
        if agreement >= AGREEMENT:
            break
    return best or (",", _records(head, ","))


def _agreement(lines: list[list[str]]) -> float:
    """Return the share of lines that are as wide as the first, or 0 if that is not cut."""
    widths = [len(line) for line in lines]
    return widths.count(widths[0]) / len(widths) if widths and widths[0] > 1 else 0.0


def _records(head: str, separator: str) -> list[list[str]]:
    """Cut the first lines into fields; lines without any are left out."""
    text = io.StringIO(head, newline="")
    if separator == " ":
        return [line for line in (row.split() for row in islice(text, MOST_LINES)) if line]
    try:
        reader = csv.reader(text, delimiter=separator, skipinitialspace=True)
        return [line for line in islice(reader, MOST_LINES) if line]
    except csv.Error as problem:
        raise DataError(
            f"not a table of text ({problem}); check quotes and separators"
        ) from problem


def _numeric_header(first: list[str]) -> tuple[str, ...]:
    """Warn of a header that looks like a row: numbers, other than a count 0, 1, 2, ..."""
    numbers = [field.strip() for field in first if re.fullmatch(r"\s*[+-]?[\d.]+\s*", field)]
    count = [str(int(numbers[0]) + j) for j in range(len(numbers))] if _whole(numbers) else []
    if not numbers or numbers == count:
        return ()
    return (
        f"The header holds numbers, {numbers[0]!r} for one: if the first line is a row, pass"
        " --no-header.",
    )


def _whole(numbers: list[str]) -> bool:
    return bool(numbers) and numbers[0].isdecimal() and len(numbers) > 1


def _decimal_comma(rows: list[list[str]]) -> tuple[bool, bool]:
    """Tell whether decimals are written with a comma, and whether that may be thousands."""
    fields = [field for row in rows for field in row]
    found = [match for match in map(DECIMAL_COMMA.fullmatch, fields) if match]
    points = [field for field in fields if DECIMAL_POINT.fullmatch(field)]
    if points and (
        all(GROUPED.fullmatch(match[0]) for match in found)
        or not all(map(GROUPED.fullmatch, points))
    ):
        return False, False
    return bool(found), not points and all(len(match[1]) == 3 for match in found)
