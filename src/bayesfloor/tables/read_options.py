"""What the user says about a file that the file does not say itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Self

from bayesfloor.base.errors import DataError
from bayesfloor.tables.character_encoding import check_encoding

SEPARATOR_WORDS = {"\\t": "\t", "tab": "\t", "space": " "}
"""Words for separators that are hard to type in a shell."""


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """Holds how text is written, what to read of a database, and the memory for it."""

    header: bool = True
    separator: str | None = None  # detected by default
    encoding: str | None = None  # UTF-8 by default, or what a byte order mark says
    table: str | None = None  # of a database, by default its only one
    query: str | None = None  # in place of a table
    max_memory: int | str | None = None  # that reading may take, by default what there is

    @classmethod
    def from_arguments(cls, arguments: Mapping[str, Any]) -> Self:
        """Check the options among the arguments of a call, given by name as `locals()` has them."""
        found = {name: arguments[name] for name in FILE_OPTIONS if name in arguments}
        found["separator"] = check_separator("separator", found.get("separator"))
        found["encoding"] = check_encoding("encoding", found.get("encoding"))
        return cls(**found)

    def keywords(self) -> dict[str, Any]:
        """Return the options as arguments of `read_table`."""
        return asdict(self)


FILE_OPTIONS = tuple(field.name for field in fields(ReadOptions))
"""Options of `read_table` that say how a file is read."""


def check_separator(name: str, value: str | None) -> str | None:
    """Return a separator of one character, which may be given as a word."""
    separator = SEPARATOR_WORDS.get(value, value) if value is not None else None
    if separator is not None and (
        len(separator) != 1 or not separator.isascii() or separator in "\r\n\"'"
    ):
        raise DataError(f"{name} is {value!r}; pass one character, or tab or space")
    return separator
