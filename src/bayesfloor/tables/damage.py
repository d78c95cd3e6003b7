"""How the exceptions of other libraries on a damaged file become one DataError."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from bayesfloor.base.errors import DataError


@contextmanager
def refuse_damage(message: str) -> Iterator[None]:
    """Turn any exception, panics of polars included, into a DataError with this message."""
    from polars.exceptions import PanicException

    try:
        yield
    except DataError:
        raise
    except MemoryError as problem:
        raise DataError("there is too little memory for the file; pass fewer rows") from problem
    except (Exception, PanicException) as problem:
        raise DataError(message) from problem
