"""The error that bad input raises, and how foreign errors become one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


class DataError(ValueError):
    """Input that cannot be used; the message says what came, where, and what to do."""


@contextmanager
def reading(name: str, hint: str = "pass a plain array") -> Iterator[None]:
    """Turn whatever foreign code raises into a DataError about the argument `name`."""
    try:
        yield
    except DataError:
        raise
    except Exception as problem:
        cause = " ".join(str(problem).split()).split(". ")[0][:150]
        reason = f"{type(problem).__name__}: {cause}"
        raise DataError(f"{name} cannot be read ({reason}); {hint}") from problem
