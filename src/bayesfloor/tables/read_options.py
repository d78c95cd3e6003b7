"""What the user says about a file that the file does not say itself."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """Holds how text is written, what to read of a database, and the memory for it."""

    header: bool = True
    separator: str | None = None  # detected by default
    encoding: str | None = None  # UTF-8 by default, or what a byte order mark says
    table: str | None = None  # of a database, by default its only one
    query: str | None = None  # in place of a table
    max_memory: int | str | None = None  # that reading may take, by default what there is
