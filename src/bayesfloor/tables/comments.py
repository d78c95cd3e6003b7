"""Lines of comments before a text table are told from its header and its rows."""

from __future__ import annotations

import re
from itertools import zip_longest

from bayesfloor.base.formatting import counted
from bayesfloor.tables.character_encoding import decode_utf8
from bayesfloor.tables.compression import Contents
from bayesfloor.tables.dialect import DIALECT_HEAD_BYTES, first_lines, split_lines
from bayesfloor.tables.text_columns import MISSING_TEXTS

COMMENT_LINE = re.compile(rb"#+([^\n]*)\n(?:[ \t\r]*\n)*")
"""A line that starts with the sign of comments, and the empty lines after it."""
ANY_NUMBER = re.compile(r"\s*[+-]?[.,]?\d[\d.,]*(?:[eE][+-]?\d+)?\s*")
"""A number with any decimal sign."""


def without_comments(
    data: Contents, separator: str | None, *, header: bool
) -> tuple[Contents, tuple[str, ...]]:
    r"""Leave out the first lines that start with #, but for a header and rows; tell how many.

    Examples
    --------
    >>> without_comments(b"# By me\n\n# a b\n1 2\n", None, header=True)
    (b' a b\n1 2\n', ('Left out 1 line of comments before the table.',))
    """
    comments = _first_comments(data)
    end = comments[-1].end() if comments else 0
    head = first_lines(data, end) if 0 < end < DIALECT_HEAD_BYTES else ""
    if not head.strip():  # none, or all lines start with the sign
        return data, ()
    separator, rows = split_lines(head, separator)
    alike = list[list[str]]()  # the last ones that have as many fields as the table
    for comment in reversed(comments):
        fields = split_lines(decode_utf8(comment[1]), separator)[1]
        if [len(line) for line in fields] != [len(rows[0])]:
            break
        alike.insert(0, fields[0])
    left_out = len(comments) - len(alike) + _rank_of_first(alike, rows, header=header)
    start = end
    if left_out < len(comments):
        start = comments[left_out].start()
        if header and alike[left_out - len(comments)][0].strip():  # else # is the first name
            start = comments[left_out].start(1)
    lines = counted(left_out, "line of comments", "lines of comments")
    return data[start:], (f"Left out {lines} before the table.",) if left_out else ()


def _first_comments(data: Contents) -> list[re.Match[bytes]]:
    """Return the first lines if they start with the sign of comments."""
    found, start = list[re.Match[bytes]](), 0
    while start < DIALECT_HEAD_BYTES and (comment := COMMENT_LINE.match(data, start)):
        found.append(comment)
        start = comment.end()
    return found


def _rank_of_first(alike: list[list[str]], rows: list[list[str]], *, header: bool) -> int:
    """Return how many comments as wide as the table come before its header, or its first row.

    The header is the last of them, or the line after them, with text over numbers; without any it
    is the last comment. Where there is no header, all lines below such a comment are rows.
    """
    if not alike:
        return 0
    lines = alike + rows
    for i in reversed(range(len(alike) + header)):
        if _names_numbers(lines[i], lines[i + 1 :]):
            return i if header else i + 1
    return len(alike) - 1 if header else 0


def _names_numbers(line: list[str], below: list[list[str]]) -> bool:
    """Return whether a line has text where all lines below have numbers."""
    for name, *values in zip_longest(line, *below, fillvalue=""):
        seen = [value for value in values if value.strip() not in MISSING_TEXTS]
        is_text = name.strip() not in MISSING_TEXTS and not ANY_NUMBER.fullmatch(name)
        if is_text and seen and all(map(ANY_NUMBER.fullmatch, seen)):
            return True
    return False
