"""The error that bad input raises, and how other errors become one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

MAX_CAUSE_LETTERS = 150
"""Length to which the words of another library are cut in a message: about two lines of a
terminal, a judgement."""


class DataError(ValueError):
    """Says that input cannot be used: what came, where, and what to do."""


@contextmanager
def reading(name: str, hint: str = "pass a plain array") -> Iterator[None]:
    """Turn an exception raised while the argument `name` is read into a DataError about it.

    Memory that is gone is not about the argument, and stays what it is.
    """
    try:
        yield
    except (DataError, MemoryError):
        raise
    except Exception as problem:
        cause = " ".join(str(problem).split()).split(". ")[0][:MAX_CAUSE_LETTERS]
        reason = f"{type(problem).__name__}: {cause}"
        raise DataError(f"{name} cannot be read ({reason}); {hint}") from problem


@contextmanager
def error_prefix(name: str) -> Iterator[None]:
    """Put a name, such as that of a file, in front of the message of a DataError."""
    try:
        yield
    except DataError as problem:
        raise DataError(f"{name}: {problem}") from problem.__cause__


def printable(text: str) -> str:
    r"""Escape line breaks and whatever else a terminal would obey.

    Examples
    --------
    >>> printable("two\nlines")
    'two\\nlines'
    """
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)
