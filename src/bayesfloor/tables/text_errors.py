"""Why a text file cannot be read as a table, and in which line.

The lines are searched one by one, which is slow, and only after polars has failed.
"""

from __future__ import annotations

import csv
import io
import re
from array import array
from collections.abc import Iterator

from bayesfloor.base.errors import DataError
from bayesfloor.base.formatting import first_few
from bayesfloor.tables.character_encoding import check_utf8
from bayesfloor.tables.compression import Contents


def explain_failure(data: Contents, *, separator: str, width: int, skipped: int = 0) -> str:
    """Say why text cannot be parsed: a stray quote, a long line, or something else.

    Lines are counted from the first of the file, of which some were skipped.
    """
    number = stray_quote_line(data, separator)
    if number:
        return (
            f'a stray quote (") in line {number + skipped}; remove it, or close the field it opens'
        )
    long, fields = array("q"), 0
    for number, record in _records(data, separator):
        if len(record) > width:
            long.append(number + skipped)
            fields = len(record)
    if not long:
        return no_table()
    where = f"lines {first_few(long)} have more fields than the first line, which has {width}"
    if len(long) == 1:
        where = f"line {long[0]} has {fields} fields but the first line has {width}"
    return f"{where}; make them equal, or pass separator="


def short_lines(data: Contents, separator: str, width: int) -> array[int]:
    """Return the lines with fewer fields than the first, counted from 1."""
    records = _records(data, separator)
    return array("q", (number for number, record in records if len(record) < width))


def no_table(reason: csv.Error | None = None) -> str:
    """Say that text cannot be split into columns, and why if that is known."""
    why = f" ({reason})" if reason else ""
    return f"the text cannot be split into columns{why}; check its quotes and separators"


def stray_quote_line(data: Contents, separator: str) -> int | None:
    """Return the first line with a quote that neither encloses a field nor is doubled in one."""
    check_utf8(data)
    start, seen = 1, list[str]()  # the first line of a record, and its lines
    within = re.compile(f'(^|{re.escape(separator)})[^"{re.escape(separator)}]+"')

    def lines() -> Iterator[str]:
        for line in _lines(data, "\n"):
            seen.append(line.removesuffix("\n"))
            yield seen[-1]

    reader = csv.reader(lines(), delimiter=separator, strict=True)
    try:
        for fields in reader:
            quoted = any('"' in field for field in fields)
            if quoted and within.search(seen[0]):
                return start
            start = reader.line_num + 1
            seen.clear()
    except csv.Error:  # text after a closing quote, or no closing quote
        return start
    return None


def _records(data: Contents, separator: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the number of each line that is not empty, counted from 1, and its fields."""
    reader = csv.reader(_lines(data, ""), delimiter=separator)
    try:
        yield from ((reader.line_num, fields) for fields in reader if fields)
    except csv.Error as problem:
        raise DataError(no_table(problem)) from problem


def _lines(data: Contents, newline: str) -> Iterator[str]:
    """Yield line by line: all at once would take several times the memory of the file."""
    yield from io.TextIOWrapper(io.BytesIO(data), encoding="utf-8", newline=newline)
