"""JSON that starts with an object becomes a frame: one object per line, or one that holds a table.

Libraries write a table into one object in several ways: columns by name, rows by name, the names
apart from the rows, or an array of rows beside other things.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from bayesfloor.base.errors import DataError
from bayesfloor.base.formatting import quoted_names
from bayesfloor.tables.character_encoding import decode_utf8, to_utf8
from bayesfloor.tables.compression import Contents, too_large
from bayesfloor.tables.json_arrays import from_objects, series_of
from bayesfloor.tables.json_keys import JSON_CELL_BYTES
from bayesfloor.tables.json_lines import MOST_BRACKETS, json_depth, read_json_lines
from bayesfloor.tables.read_options import ReadOptions
from bayesfloor.tables.sources import Source

if TYPE_CHECKING:
    import polars as pl

JSON_VALUE_BYTES = 80
"""Bytes that Python takes for a value or key of JSON and its place: numbers 24 to 32, short texts
50 to 60, a place in a list 8 and in a dictionary up to 100 with its key, which is often shared. A
judgement between these."""
SPLIT_KEYS = {"columns", "data"}
"""Keys of an object that has the names of the columns apart from the rows (pandas' "split")."""
NO_TABLE = (
    "the JSON object holds no table; pass an array with one object per row, or one object with an"
    " array for each column"
)
"""What is said of an object that is read in none of the ways."""
ONE_NAME = "two columns of the JSON object have one name; give each its own"
"""What is said of names that are the same."""


def read_json_objects(source: Source, options: ReadOptions) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """Read one row per object, or the table that the only object holds."""
    return _read_objects(replace(source, data=to_utf8(source.data, options.encoding))), ()


def _read_objects(source: Source) -> pl.DataFrame:
    data = source.data
    if _goes_on_after_a_row(data) or json_depth(data) > MOST_BRACKETS:
        return read_json_lines(source)
    if _count_values(data) * JSON_VALUE_BYTES > source.limit:
        raise too_large("the values of the JSON object", source.limit)
    try:
        content = _different_names(decode_utf8(data))
    except json.JSONDecodeError as problem:
        if _first_row(data) is not None:
            return read_json_lines(source)
        where = f"line {problem.lineno}, column {problem.colno}"
        raise DataError(f"the JSON object is broken in {where}; correct it there") from problem
    if not any(isinstance(value, list | dict) for value in content.values()):
        return read_json_lines(source)  # a single row
    return _table(content, source.limit)


def _goes_on_after_a_row(data: Contents) -> bool:
    """Return whether the first line is a whole object, and others follow."""
    end = data.find(b"\n")
    return end >= 0 and bool(data[end:].strip()) and _first_row(data) is not None


def _first_row(data: Contents) -> Any:
    """Return the object in the first line, or None."""
    end = data.find(b"\n")
    try:
        return json.loads(bytes(data[: end if end >= 0 else len(data)]))
    except (ValueError, RecursionError):
        return None


def _different_names(text: str) -> Any:
    """Parse an object; refuse two values of one name, of which a dictionary would keep the last."""
    count = 0

    def to_dictionary(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        nonlocal count
        count = len(pairs)  # in the end that of the outermost object, which is closed last
        return dict(pairs)

    content = json.loads(text, object_pairs_hook=to_dictionary)
    if isinstance(content, dict) and count != len(content):
        raise DataError(ONE_NAME)
    return content


def _count_values(data: Contents) -> int:
    return data[:].count(b",") + data[:].count(b":")


def _table(content: dict[str, Any], limit: int) -> pl.DataFrame:
    """Return the table that an object holds, in whichever of the ways."""
    rows = _array_of_rows(content)
    if rows is not None:
        return _from_rows(rows, limit)
    if content.keys() >= SPLIT_KEYS and _are_split(content["columns"], content["data"]):
        return _from_split(content["columns"], content["data"])
    values = list(content.values())
    if all(isinstance(value, list) for value in values):
        return _from_columns(content)
    if all(isinstance(value, dict) for value in values):
        if _are_numbered(content) and not _are_numbered(values[0]):
            return _from_rows(values, limit)
        return _from_columns({name: _in_order(values[0], of) for name, of in content.items()})
    raise DataError(NO_TABLE)


def _array_of_rows(content: dict[str, Any]) -> list[dict[str, Any]] | None:
    """Return the only value that is an array of objects; refuse several that are no columns."""
    found = {
        name: value
        for name, value in content.items()
        if isinstance(value, list) and value and all(isinstance(row, dict) for row in value)
    }
    if len(found) == 1:
        return next(iter(found.values()))
    lengths = {len(value) if isinstance(value, list) else None for value in content.values()}
    if found and (len(found) == len(content) or len(lengths) > 1):
        names = quoted_names(list(found))
        raise DataError(f"the JSON object holds several tables ({names}); pass one")
    return None


def _from_rows(rows: list[dict[str, Any]], limit: int) -> pl.DataFrame:
    names = len({name for row in rows for name in row})
    if len(rows) * names * JSON_CELL_BYTES > limit:
        raise too_large("the columns", limit)
    return from_objects(rows)


def _are_split(names: Any, rows: Any) -> bool:
    """Return whether these are names and rows of values, not columns that are called so."""
    lists = isinstance(names, list) and isinstance(rows, list)
    return lists and all(isinstance(row, list) for row in rows)


def _from_split(names: list[Any], rows: list[list[Any]]) -> pl.DataFrame:
    """Return rows of values under their names."""
    for place, row in enumerate(rows):
        if len(row) != len(names):
            came = f"row {place} of the JSON object does not have a value for each column"
            raise DataError(f"{came}; correct it there")
    return _from_columns(
        {str(name): [row[j] for row in rows] for j, name in enumerate(names)}, count=len(names)
    )


def _from_columns(columns: dict[str, list[Any]], count: int | None = None) -> pl.DataFrame:
    """Return columns of equal length, whose names are all different, as `count` says."""
    import polars as pl

    if count is not None and count != len(columns):
        raise DataError(ONE_NAME)
    lengths = {len(values) for values in columns.values()}
    if len(lengths) > 1:
        came = f"the columns of the JSON object have {min(lengths):,} to {max(lengths):,} values"
        raise DataError(f"{came}; make them equal")
    return pl.DataFrame([series_of(name, values) for name, values in columns.items()])


def _in_order(first: dict[str, Any], column: dict[str, Any]) -> list[Any]:
    """Return the values of a column in the order of the rows of the first one."""
    if column.keys() != first.keys():
        raise DataError("the columns of the JSON object have different rows; make them equal")
    return [column[row] for row in first]


def _are_numbered(rows: dict[str, Any]) -> bool:
    """Return whether all keys are whole numbers, as those of rows are."""
    return all(key.isdecimal() for key in rows)
