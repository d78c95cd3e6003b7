"""JSON lines, one object per line, become a frame."""

from __future__ import annotations

import io
import json
import re
from typing import TYPE_CHECKING

from bayesfloor.base.errors import DataError
from bayesfloor.tables.sources import Source

if TYPE_CHECKING:
    import polars as pl


def starts_object(head: bytes) -> bool:
    """Return whether a file starts like a JSON object."""
    return head.lstrip()[:1] == b"{"


def starts_array(head: bytes) -> bool:
    """Return whether a file starts like a JSON array of objects."""
    return re.match(rb"\s*\[\s*\{", head) is not None


def refuse_array(_: Source) -> pl.DataFrame:
    """Refuse a JSON array and say how to write it."""
    raise DataError("this is a JSON array; save it as JSON lines, one object per line")


def read_json_lines(source: Source) -> pl.DataFrame:
    """Read one row per line; the type of a column fits all its values."""
    import polars as pl

    try:
        return pl.read_ndjson(io.BytesIO(source.data), infer_schema_length=None)
    except (Exception, pl.exceptions.PanicException) as problem:
        number = _broken_line(source.data[:])
        if number is None:
            raise
        raise DataError(f"line {number} is not a JSON object; correct or remove it") from problem


def _broken_line(data: bytes) -> int | None:
    """Return the first line, counted from 1, that is not an object."""
    for number, line in enumerate(data.split(b"\n"), 1):
        try:
            if line.strip() and not isinstance(json.loads(line), dict):
                return number
        except (ValueError, RecursionError):
            return number
    return None
