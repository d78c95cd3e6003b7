"""What is wrong with a table is collected, so that all of it is told at once."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from bayesfloor.base.errors import DataError
from bayesfloor.base.formatting import first_few


class Problems:
    """Collects DataErrors, and raises them as one.

    Examples
    --------
    >>> problems = Problems()
    >>> for name in ("a", "b"):
    ...     with problems.collected():
    ...         raise DataError(f"no column {name!r}")
    >>> problems.check()
    Traceback (most recent call last):
    bayesfloor.base.errors.DataError: 2 problems: (1) no column 'a'; (2) no column 'b'
    """

    def __init__(self) -> None:
        self._found: list[str] = []

    @contextmanager
    def collected(self) -> Iterator[None]:
        """Keep the DataError that is raised, if any, and go on."""
        try:
            yield
        except DataError as problem:
            self._found.append(str(problem))

    def check(self) -> None:
        """Raise what was collected, if anything was."""
        found = list(dict.fromkeys(self._found))
        if len(found) == 1:
            raise DataError(found[0])
        if found:
            numbered = [f"({number}) {text}" for number, text in enumerate(found, 1)]
            raise DataError(f"{len(found)} problems: {first_few(numbered, separator='; ')}")
