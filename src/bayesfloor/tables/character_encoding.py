"""The characters of a text file: any encoding becomes UTF-8."""

from __future__ import annotations

import re
from codecs import (
    BOM_UTF8,
    BOM_UTF16_BE,
    BOM_UTF16_LE,
    BOM_UTF32_BE,
    BOM_UTF32_LE,
    getincrementaldecoder,
    lookup,
)
from contextlib import suppress
from typing import Any, cast

from bayesfloor.base.errors import DataError, printable
from bayesfloor.base.formatting import shorten
from bayesfloor.tables.compression import PIECE_BYTES, Contents

BYTE_ORDER_MARKS = {
    BOM_UTF8: "utf-8",
    BOM_UTF32_LE: "utf-32",
    BOM_UTF32_BE: "utf-32",
    BOM_UTF16_LE: "utf-16",
    BOM_UTF16_BE: "utf-16",
}
"""First bytes that name the encoding; UTF-32 comes before UTF-16, whose mark it starts with."""
LIKELY = "cp1252"
"""The encoding that text of Western languages most often has if it is not UTF-8: that of Windows,
where spreadsheets save it as CSV, and a superset of the letters of latin-1."""
WORD_BYTES = 24
"""Bytes before a place, and from it, of which a word is shown: enough to tell the language."""
WORD_BEFORE, WORD_FROM = re.compile(rb"[^\s,;|\"']*\Z"), re.compile(rb"[^\s,;|\"']*")
"""Match the parts of a word before a place and from it."""
UTF8_LETTER = re.compile(
    rb"[\xe0-\xef][\x80-\xbf]{2}"
    rb"|[\xc2-\xdf](?![\x82\x84\x85\x91-\x97\x9b\xa0\xab\xbb])[\x80-\xbf]"
)
"""Matches a letter of UTF-8 that is no capital before a mark of cp1252, as in "CAFÉ’S"."""
LEFTOVER_CONTROL = re.compile("[\x80-\x84\x86-\x9f]")
"""Matches control characters that no text has: bytes to which an encoding gives no letter."""
UTF16_SHARE = 0.1
"""Share of zeros among every other byte of a table in UTF-16, at least: those of its digits,
separators and ends of lines, in any language. A judgement."""


def check_encoding(name: str, encoding: Any) -> str | None:
    """Return an encoding that Python knows; None is allowed, and means UTF-8."""
    try:
        with suppress(UnicodeError):  # a known encoding, with several bytes per character
            b"a".decode("utf-8" if encoding is None else encoding)
    except (LookupError, TypeError, ValueError) as problem:
        message = f"{name} is {encoding!r}; pass one that Python knows, such as cp1252 or latin-1"
        raise DataError(message) from problem
    return cast("str | None", encoding)


def to_utf8(data: Contents, encoding: str | None) -> Contents:
    """Return text in UTF-8 without a byte order mark; refuse binary data.

    A byte order mark counts more than the encoding that is named, and so do letters in UTF-8: one
    of several files may have them.
    """
    known = text_encoding(data, encoding)
    if known != "utf-8":
        _refuse_zeros(data, unless_wide=known)
        data = _decode(data, known).encode("utf-8", "replace")
    if data[: len(BOM_UTF8)] == BOM_UTF8:
        data = data[len(BOM_UTF8) :]
    _refuse_zeros(data)
    if not data.isascii():
        check_utf8(data, whole=False)  # that of the header is cut anywhere
    return data


def start_in_utf8(head: bytes, encoding: str | None) -> bytes:
    """Return the first bytes of a file in UTF-8 if they are text, to tell what it starts like."""
    known = text_encoding(head, encoding)
    text = head if known == "utf-8" else head.decode(known, "replace").encode("utf-8", "replace")
    return text.removeprefix(BOM_UTF8)


def text_encoding(data: Contents, encoding: str | None) -> str:
    """Return the name of the encoding of a text, "utf-8" for all of its spellings."""
    mark = next((mark for mark in BYTE_ORDER_MARKS if data[: len(mark)] == mark), b"")
    if mark or encoding is None:
        return BYTE_ORDER_MARKS.get(mark, "utf-8")
    named = lookup(encoding).name
    if named in ("utf-8", "utf-8-sig"):
        return "utf-8"
    if _has_one_byte_letters(named) and UTF8_LETTER.search(data) and _is_utf8(data):
        return "utf-8"
    return encoding


def _is_wide(encoding: str) -> bool:
    return lookup(encoding).name.startswith(("utf-16", "utf-32"))


def _has_one_byte_letters(encoding: str) -> bool:
    """Return whether an encoding has a letter for each byte, so that UTF-8 does not stop it."""
    with suppress(UnicodeError):
        return len("é".encode().decode(encoding, "replace")) == 2
    return False


def _is_utf8(data: Contents) -> bool:
    try:
        check_utf8(data, whole=False)
    except DataError:
        return False
    return True


def _refuse_zeros(data: Contents, unless_wide: str = "utf-8") -> None:
    """Refuse data with zeros, which no text has unless its letters take several bytes each."""
    if _is_wide(unless_wide) or data.find(b"\0") < 0:
        return
    order = _zeros_alternate(data)
    if order:
        raise DataError(f'the text is UTF-16 without its mark; pass encoding="{order}"')
    raise DataError("binary data of an unknown format; save the table as CSV or Parquet")


def _decode(data: Contents, encoding: str) -> str:
    wide, problem = _is_wide(encoding), None
    try:
        text = str(data, encoding)
        if wide and b"\0" not in data:  # the ends of lines would have it
            text = ""
    except (UnicodeError, ValueError) as found:
        text, problem = "", found
    if not text:
        raise DataError(f"the text is not {encoding}; pass another encoding=") from problem
    control = LEFTOVER_CONTROL.search(text)
    if control is not None and len(text) == len(data):
        raise DataError(f"the text is not {encoding}; {_encoding_advice(data, control.start())}")
    return text


def _zeros_alternate(data: Contents) -> str:
    """Return the UTF-16 that a text with zeros in every other byte is, or an empty text."""
    head = data[: PIECE_BYTES & ~1]
    for encoding, first in (("utf-16-le", 1), ("utf-16-be", 0)):
        zeros, others = head[first::2].count(0), head[1 - first :: 2].count(0)
        some = zeros >= UTF16_SHARE * len(head) / 2 and not others
        if some and "\n" in head.decode(encoding, "replace"):
            return encoding
    return ""


def decode_utf8(data: Contents) -> str:
    """Return the characters of UTF-8 text."""
    try:
        return str(data, "utf-8")
    except UnicodeDecodeError as problem:
        raise DataError(not_utf8(data, problem.start)) from problem


def check_utf8(data: Contents, *, whole: bool = True) -> None:
    """Refuse text that is not UTF-8, without holding its characters; a part may end in a letter."""
    decoder, end = getincrementaldecoder("utf-8")(), 0
    try:
        for start in range(0, len(data), PIECE_BYTES):
            end = min(start + PIECE_BYTES, len(data))
            decoder.decode(data[start:end])
        decoder.decode(b"", final=whole)
    except UnicodeDecodeError as problem:
        place = end - len(problem.object) + problem.start
        raise DataError(not_utf8(data, place)) from problem


def not_utf8(data: Contents, place: int) -> str:
    r"""Say where text is not UTF-8, and how its word there would read in the likeliest encoding.

    Examples
    --------
    >>> print(not_utf8(b"a,gr\xf6\xdfe\n", 4))
    the text is not UTF-8; pass encoding="cp1252" if 'größe' in line 1 reads right, else its own
    """
    if not data[:place].isascii():
        line = _line_of(data, place)
        return f"line {line} is not UTF-8, but lines before it are; save the table in one encoding"
    return f"the text is not UTF-8; {_encoding_advice(data, place)}"


def _encoding_advice(data: Contents, place: int) -> str:
    """Show the word at a place in the likeliest encoding, for people to judge."""
    line = _line_of(data, place)
    before = WORD_BEFORE.search(data[max(place - WORD_BYTES, 0) : place])
    after = WORD_FROM.match(data[place : place + WORD_BYTES])
    word = b"".join(part[0] for part in (before, after) if part)
    try:
        shown = shorten(printable(word.decode(LIKELY)))
    except UnicodeDecodeError:
        return f'see line {line}, and pass its encoding, such as encoding="cp850"'
    return f'pass encoding="{LIKELY}" if {shown!r} in line {line} reads right, else its own'


def _line_of(data: Contents, place: int) -> int:
    return data.count(b"\n" if b"\n" in data else b"\r", 0, place) + 1
