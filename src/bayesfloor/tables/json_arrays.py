"""A JSON array of objects becomes a frame."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING, Any

from bayesfloor.base.errors import DataError
from bayesfloor.tables.character_encoding import decode_utf8, to_utf8
from bayesfloor.tables.compression import Contents
from bayesfloor.tables.json_keys import check_keys
from bayesfloor.tables.json_lines import MOST_BRACKETS, json_depth
from bayesfloor.tables.read_options import ReadOptions
from bayesfloor.tables.sources import Source

if TYPE_CHECKING:
    import polars as pl


def read_json_array(source: Source, options: ReadOptions) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """Read one row per object; the type of a column fits all its values."""
    return _read_array(to_utf8(source.data, options.encoding), source.limit), ()


def _read_array(data: Contents, limit: int) -> pl.DataFrame:
    import polars as pl

    if json_depth(data) > MOST_BRACKETS:  # polars would take hours
        came = f"the JSON array is nested more than {MOST_BRACKETS} levels deep"
        raise DataError(f"{came}; write numbers and texts beside each other")
    if data[:].lstrip()[1:].lstrip()[:1] != b"{":
        _objects(decode_utf8(data))  # says what is there instead
    check_keys(data, data.count(b"{"), limit)
    try:
        return pl.read_json(io.BytesIO(data), infer_schema_length=None)
    except (Exception, pl.exceptions.PanicException):
        return from_objects(_objects(decode_utf8(data)))


def _objects(text: str) -> list[dict[str, Any]]:
    """Return the objects of an array; refuse anything else, by its place."""
    try:
        items = json.loads(text)
    except json.JSONDecodeError as problem:
        where = f"line {problem.lineno}, column {problem.colno}"
        raise DataError(f"the JSON array is broken in {where}; correct it there") from problem
    for place, item in enumerate(items):
        if not isinstance(item, dict):
            what = f"item {place} of the JSON array is no object"
            raise DataError(f"{what}; pass an array with one object per row")
    return list(items)


def from_objects(rows: list[dict[str, Any]]) -> pl.DataFrame:
    """Return objects as rows; values of several types in one column become text."""
    import polars as pl

    names = dict.fromkeys(name for row in rows for name in row)
    columns = {name: [row.get(name) for row in rows] for name in names}
    return pl.DataFrame([series_of(name, values) for name, values in columns.items()])


def series_of(name: str, values: list[Any]) -> pl.Series:
    """Return values of one type as they are, and others as text."""
    import polars as pl

    try:
        return pl.Series(name, values, strict=True)
    except (TypeError, OverflowError, pl.exceptions.PolarsError):
        return pl.Series(name, [None if value is None else _as_text(value) for value in values])


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)
