"""The characters of a text file: any encoding becomes UTF-8."""

from __future__ import annotations

from codecs import (
    BOM_UTF8,
    BOM_UTF16_BE,
    BOM_UTF16_LE,
    BOM_UTF32_BE,
    BOM_UTF32_LE,
    getincrementaldecoder,
)
from contextlib import suppress
from typing import Any, cast

from bayesfloor.base.errors import DataError
from bayesfloor.tables.compression import PIECE_BYTES, Contents

BYTE_ORDER_MARKS = {
    BOM_UTF8: "utf-8",
    BOM_UTF32_LE: "utf-32",
    BOM_UTF32_BE: "utf-32",
    BOM_UTF16_LE: "utf-16",
    BOM_UTF16_BE: "utf-16",
}
"""First bytes that name the encoding; UTF-32 comes before UTF-16, whose mark it starts with."""
NOT_UTF8 = 'the text is not UTF-8; pass its encoding, such as encoding="latin-1"'
"""What is said of text in another encoding."""


def check_encoding(name: str, encoding: Any) -> str | None:
    """Return an encoding that Python knows; None is allowed, and means UTF-8."""
    try:
        with suppress(UnicodeError):  # a known encoding, with several bytes per character
            b"a".decode("utf-8" if encoding is None else encoding)
    except (LookupError, TypeError, ValueError) as problem:
        message = f"{name} is {encoding!r}; pass one that Python knows, such as latin-1 or cp1252"
        raise DataError(message) from problem
    return cast("str | None", encoding)


def to_utf8(data: Contents, encoding: str | None) -> Contents:
    """Return text in UTF-8 without a byte order mark; refuse binary data."""
    mark = next((mark for mark in BYTE_ORDER_MARKS if data[: len(mark)] == mark), b"")
    encoding = encoding or BYTE_ORDER_MARKS.get(mark, "utf-8")
    if encoding.lower().replace("_", "-") not in ("utf-8", "utf8"):
        data = _decode(data, encoding).encode("utf-8", "replace")
    if data[: len(BOM_UTF8)] == BOM_UTF8:
        data = data[len(BOM_UTF8) :]
    if data.find(b"\0") >= 0:
        raise DataError("binary data of an unknown format; save the table as CSV or Parquet")
    return data


def _decode(data: Contents, encoding: str) -> str:
    try:
        return str(data, encoding)
    except (UnicodeError, ValueError) as problem:
        raise DataError(f"the text is not {encoding}; pass another encoding=") from problem


def decode_utf8(data: Contents) -> str:
    """Return the characters of UTF-8 text."""
    try:
        return str(data, "utf-8")
    except UnicodeDecodeError as problem:
        raise DataError(NOT_UTF8) from problem


def check_utf8(data: Contents) -> None:
    """Refuse text that is not UTF-8, without holding its characters."""
    decoder = getincrementaldecoder("utf-8")()
    try:
        for start in range(0, len(data), PIECE_BYTES):
            decoder.decode(data[start : start + PIECE_BYTES])
        decoder.decode(b"", final=True)
    except UnicodeDecodeError as problem:
        raise DataError(NOT_UTF8) from problem
