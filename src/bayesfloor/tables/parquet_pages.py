"""How large the columns of a Parquet file are once unpacked, from the headers of its pages.

Headers and footer are structs of Thrift's compact protocol
(https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md); what they mean
is in https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift. The
sizes that libraries allocate are those of the pages, so the footer's own sums are not believed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from mmap import mmap
from typing import Any

from bayesfloor.tables.loaded_table import TEXT_CELL_BYTES, VALUE_BYTES

Buffer = bytes | mmap
"""The bytes of a file, or a view of them."""
FOOTER_TAIL = 8
"""Bytes after the footer: its length, 4 bytes, and the mark PAR1."""
BOOLEANS, BYTE, WORDS, DOUBLE, BINARY, LISTS, STRUCT = (1, 2), 3, (4, 5, 6), 7, 8, (9, 10), 12
"""Types of Thrift's compact protocol; its maps, 11, do not occur in Parquet."""
TEXT_TYPES = (6, 7)
"""Types of columns whose values are bytes, of any length or of one."""
MOST_STRUCTS = 32
"""Structs within structs at most; those of Parquet are about ten deep."""


def unpacked_size(data: Buffer, columns: Collection[str] | None = None) -> int:
    """Return the bytes that the columns of a Parquet file, or some, take once unpacked, about.

    Raises an error of Python's if the file is damaged.
    """
    return sum(_chunk_size(data, chunk) for chunk in _chunks(data, columns))


def column_spans(footer: bytes, columns: Collection[str]) -> list[tuple[int, int]]:
    """Return where in a file the pages of some columns are, from the end of that file.

    Raises an error of Python's if the file is damaged.
    """
    chunks = list(_chunks(footer, columns))
    return [(start, start + chunk[7]) for chunk in chunks for start in [_first_page(chunk)]]


def _chunks(data: Buffer, columns: Collection[str] | None) -> Iterator[dict[int, Any]]:
    """Yield what the footer tells of each part of the columns; a struct goes by its own name."""
    length = int.from_bytes(data[-FOOTER_TAIL:-4], "little")
    footer, _ = _struct(data, len(data) - FOOTER_TAIL - length)
    for group in footer.get(4, []):
        for chunk in group.get(1, []):
            found = chunk.get(3, {})
            if columns is None or found[3][0].decode() in columns:
                yield found


def _first_page(chunk: dict[int, Any]) -> int:
    """Return where the dictionary of a part of a column is, or its first page."""
    return int(min(chunk[field] for field in (9, 11) if chunk.get(field)))


def _chunk_size(data: Buffer, chunk: dict[int, Any]) -> int:
    """Add up the pages of a column, from its dictionary or first page on."""
    if not chunk[5]:  # no values
        return 0
    a_value = TEXT_CELL_BYTES if chunk.get(1) in TEXT_TYPES else VALUE_BYTES
    at = _first_page(chunk)
    end, size, seen = at + chunk[7], 0, 0
    while at < end and seen < chunk[5]:
        page, at = _struct(data, at)
        values = next((page[kind].get(1, 0) for kind in (5, 8) if kind in page), 0)
        size += max(page[2], a_value * values)
        seen += values
        at += page[3]
    return size


def _struct(data: Buffer, at: int, depth: int = 0) -> tuple[dict[int, Any], int]:
    """Read a struct; return its fields by number, and where it ends."""
    if depth > MOST_STRUCTS or at < 0:
        raise ValueError("no struct of Parquet")
    fields, number = dict[int, Any](), 0
    while data[at]:
        kind, step = data[at] & 15, data[at] >> 4
        at += 1
        if step:
            number += step
        else:
            number, at = _signed(data, at)
        if kind in BOOLEANS:
            fields[number] = kind == BOOLEANS[0]
        else:
            fields[number], at = _value(data, at, kind, depth)
    return fields, at + 1


def _value(data: Buffer, at: int, kind: int, depth: int) -> tuple[Any, int]:
    """Read a value of a type."""
    if kind == BYTE or kind in BOOLEANS:
        return data[at], at + 1
    if kind in WORDS:
        return _signed(data, at)
    if kind == DOUBLE:
        return None, at + 8
    if kind == BINARY:
        length, at = _unsigned(data, at)
        return data[at : at + length], at + length
    if kind in LISTS:
        return _list(data, at, depth)
    if kind == STRUCT:
        return _struct(data, at, depth + 1)
    raise ValueError("no type of Parquet")


def _list(data: Buffer, at: int, depth: int) -> tuple[list[Any], int]:
    """Read a list; every item has a byte at least, so a long one ends with the file."""
    kind, count = data[at] & 15, data[at] >> 4
    at += 1
    if count == 15:
        count, at = _unsigned(data, at)
    items = []
    for _ in range(count):
        item, at = _value(data, at, kind, depth)
        items.append(item)
    return items, at


def _unsigned(data: Buffer, at: int) -> tuple[int, int]:
    """Read a number of seven bits a byte, ten bytes at most."""
    value = 0
    for shift in range(0, 70, 7):
        value |= (data[at] & 127) << shift
        at += 1
        if data[at - 1] < 128:
            return value, at
    raise ValueError("no number of Parquet")


def _signed(data: Buffer, at: int) -> tuple[int, int]:
    value, at = _unsigned(data, at)
    return (value >> 1) ^ -(value & 1), at
