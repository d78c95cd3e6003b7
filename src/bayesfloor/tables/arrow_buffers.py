"""How large the columns of an Arrow file or stream are once unpacked, from the lengths in it.

Messages are tables of FlatBuffers (https://flatbuffers.dev/internals/), and what they mean is in
https://arrow.apache.org/docs/format/Columnar.html#serialization-and-interprocess-communication-ipc.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

from bayesfloor.tables.loaded_table import VALUE_BYTES

FILE_START = b"ARROW1"
"""First and last bytes of a file; a stream has none."""
CONTINUES = 0xFFFFFFFF
"""Stands before the length of every message."""
DICTIONARY, BATCH = 2, 3
"""Types of messages that have buffers."""
ENTRY_BYTES = 16
"""Bytes of a buffer's or a column's entry: two whole numbers."""
BLOCK_BYTES = 24
"""Bytes of an entry in the footer of a file, which starts with the position of a message."""


def buffers_size(data: bytes) -> int:
    """Return the bytes that the columns of an Arrow file or stream take once unpacked, about.

    Raises an error of Python's if the file is damaged.
    """
    in_file = data.startswith(FILE_START)
    return sum(_message_size(data, at) for at in (_blocks(data) if in_file else _messages(data)))


def _blocks(data: bytes) -> Iterator[int]:
    """Yield the positions of the messages that the footer of a file lists."""
    length = _number("i", data, len(data) - len(FILE_START) - 4)
    start = len(data) - len(FILE_START) - 4 - length
    footer = start + _number("I", data, start)
    for field in (2, 3):
        first, count = _vector(data, footer, field)
        yield from (_block(data, first + BLOCK_BYTES * j) for j in range(count))


def _block(data: bytes, entry: int) -> int:
    """Return the position of a message in the footer; a library ends badly if it is not there."""
    at, header, body = struct.unpack_from("<qi4xq", data, entry)
    if min(at, header, body) < 0 or at + header + body > len(data):
        raise ValueError("no message of Arrow")
    return int(at)


def _messages(data: bytes) -> Iterator[int]:
    """Yield the positions of the messages of a stream."""
    at = 0
    while at + 8 <= len(data) and _number("I", data, at + 4):
        yield at
        message, body = _message(data, at)
        place = _field(data, message, 3)
        at = body + max(0, _number("q", data, place) if place else 0)  # never back


def _message(data: bytes, at: int) -> tuple[int, int]:
    """Return the positions of a message and of its body."""
    if at < 0 or _number("I", data, at) != CONTINUES:
        raise ValueError("no message of Arrow")
    length = _number("i", data, at + 4)
    if length <= 0:
        raise ValueError("no length of Arrow")
    return at + 8 + _number("I", data, at + 8), at + 8 + length


def _message_size(data: bytes, at: int) -> int:
    """Add up the buffers of a message, or the values of its columns if these are more."""
    message, body = _message(data, at)
    kind, header = _field(data, message, 1), _field(data, message, 2)
    if not header or data[kind] not in (DICTIONARY, BATCH):
        return 0
    batch = _follow(data, header)
    if data[kind] == DICTIONARY:
        batch = _follow(data, _field(data, batch, 1))
    first, count = _vector(data, batch, 1)
    values = sum(_number("q", data, first + ENTRY_BYTES * j) for j in range(count))
    packed = bool(_field(data, batch, 3))
    first, count = _vector(data, batch, 2)
    size = 0
    for j in range(count):
        start, length = struct.unpack_from("<qq", data, first + ENTRY_BYTES * j)
        claimed = _number("q", data, body + start) if packed and length else -1
        size += length if claimed < 0 else claimed  # -1 stands for a buffer that is not packed
    return max(size, VALUE_BYTES * values)


def _vector(data: bytes, table: int, field: int) -> tuple[int, int]:
    """Return the position of the first entry of a list, and how many there are."""
    place = _field(data, table, field)
    if not place:
        return 0, 0
    start = _follow(data, place)
    return start + 4, _number("I", data, start)


def _field(data: bytes, table: int, index: int) -> int:
    """Return the position of a field of a table, 0 if it is not there."""
    layout = table - _number("i", data, table)
    if 4 + 2 * index >= _number("H", data, layout):
        return 0
    offset = _number("H", data, layout + 4 + 2 * index)
    return table + offset if offset else 0


def _follow(data: bytes, place: int) -> int:
    return place + _number("I", data, place)


def _number(kind: str, data: bytes, at: int) -> int:
    if at < 0:
        raise ValueError("no position of Arrow")
    return int(struct.unpack_from(f"<{kind}", data, at)[0])
