"""JSON lines, one object per line, become a frame."""

from __future__ import annotations

import io
import json
import re
from typing import TYPE_CHECKING

import numpy as np

from bayesfloor.base.errors import DataError
from bayesfloor.tables.json_keys import check_keys
from bayesfloor.tables.sources import Source

if TYPE_CHECKING:
    import polars as pl

MOST_BRACKETS = 64
"""Levels of brackets in a line at most: a judgement, far above those of any table, and below those
at which parsers end in errors of their own."""
JSON_TEXT = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"?', re.DOTALL)
"""Matches a text in quotes, or one that is not closed."""
BRACKET_STEPS = np.array([(code in b"[{") - (code in b"]}") for code in range(256)], np.int8)
"""By how many levels each byte goes deeper."""


def starts_object(head: bytes) -> bool:
    """Return whether a file starts like a JSON object."""
    return head.lstrip()[:1] == b"{"


def starts_array(head: bytes) -> bool:
    """Return whether a file starts like a JSON array of objects or arrays."""
    return re.match(rb"\s*\[\s*[\[{]", head) is not None


def read_json_lines(source: Source) -> pl.DataFrame:
    """Read one row per line; the type of a column fits all its values."""
    import polars as pl

    _check_lines(source.data)
    check_keys(source.data[:], source.data[:].count(b"\n") + 1, source.limit)
    try:
        return pl.read_ndjson(io.BytesIO(source.data), infer_schema_length=None)
    except (Exception, pl.exceptions.PanicException) as problem:
        number = _broken_line(source.data[:])
        if number is None:
            raise
        raise DataError(f"line {number} is not a JSON object; correct or remove it") from problem


def _check_lines(data: bytes) -> None:
    """Refuse lines that are nested deeper than columns can be.

    Brackets are counted in C; only lines with many of them, in texts or not, are looked at closely.
    """
    codes = np.frombuffer(data, np.uint8)
    brackets = np.flatnonzero((codes == ord("[")) | (codes == ord("{")))
    if len(brackets) <= MOST_BRACKETS:
        return
    ends = np.flatnonzero(codes == ord("\n"))
    lines = np.searchsorted(ends, brackets)
    for number in np.flatnonzero(np.bincount(lines) > MOST_BRACKETS).tolist():
        start = ends[number - 1] + 1 if number else 0
        line = data[start : ends[number] if number < len(ends) else len(data)]
        if json_depth(line) > MOST_BRACKETS:
            came = f"line {number + 1} is nested more than {MOST_BRACKETS} levels deep"
            raise DataError(f"{came}; write numbers and texts beside each other")


def json_depth(data: bytes) -> int:
    """Return how deep brackets are nested outside of texts.

    Examples
    --------
    >>> json_depth(b'[{"a": "[["}, {"b": [1]}]')
    3
    """
    plain = np.frombuffer(JSON_TEXT.sub(b"", data), np.uint8)
    steps = BRACKET_STEPS[plain]
    return int(np.cumsum(steps[steps != 0], dtype=np.int64).max(initial=0))


def _broken_line(data: bytes) -> int | None:
    """Return the first line, counted from 1, that is not an object."""
    for number, line in enumerate(data.split(b"\n"), 1):
        try:
            if line.strip() and not isinstance(json.loads(line), dict):
                return number
        except (ValueError, RecursionError):
            return number
    return None
