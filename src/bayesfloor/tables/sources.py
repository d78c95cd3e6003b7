"""Paths, patterns and open files become decompressed bytes; no other module opens user files."""

from __future__ import annotations

import glob
import os
import re
import stat
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from bayesfloor.base.errors import DataError, error_prefix, printable
from bayesfloor.base.memory import available_memory, check_memory, unloaded_space
from bayesfloor.tables.compression import (
    COMPRESSED_SUFFIXES,
    PIECE_BYTES,
    Contents,
    decompress,
    joined,
    too_large,
)
from bayesfloor.tables.foreign_formats import refuse_foreign
from bayesfloor.tables.memory_files import zero_file

STANDARD_INPUT = "-"
"""The path that stands for standard input, as in other commands."""
MEMORY_PER_BYTE = 4
"""Bytes of memory that reading takes for each byte of a file, unpacked: the file, the columns as
read and as encoded. Tables of 14 columns of numbers in text took 3 to 5; a judgement."""

SQLITE_START, DUCKDB_START = (b"SQLite format 3\0", 0), (b"DUCK", 8)
"""First bytes of databases (SQLite Database File Format, section 1.3; DuckDB's storage), and where
they are in the file."""
PARQUET_START = (b"PAR1", 0)
"""The same of Parquet files (https://parquet.apache.org/docs/file-format/)."""
IN_PLACE, IN_PLACE_BYTES = (SQLITE_START, DUCKDB_START, PARQUET_START), 100
"""Marks of files that are read in place, and the bytes to look for these."""


@dataclass(frozen=True, slots=True)
class Source:
    """Holds the contents of one file."""

    name: str  # as the user wrote it
    stem: str  # "data" of "some/data.csv.gz"
    suffix: str  # ".csv" of the same
    data: Contents  # decompressed; the first bytes of what is read in place
    limit: int  # bytes that the columns may take
    path: Path | None = None  # of a file that is not compressed, for what is read in place


def open_sources(paths: Any, *, max_memory: Any = None) -> list[Source]:
    """Read the files that are given by a path, a pattern or an open file, or by several.

    `max_memory` is the memory that reading them may take, by default what is available.
    """
    several = isinstance(paths, Iterable) and not isinstance(paths, str | bytes | os.PathLike)
    items = list(paths) if several and not hasattr(paths, "read") else [paths]
    if not items:
        raise DataError("no file is given; pass at least one path")
    files = [path for item in items for path in _matching(item)]
    _check_different(files)
    sources, limit = list[Source](), memory_limit(max_memory)
    for path in files:
        sources.append(_source(path, limit))
        limit -= len(sources[-1].data)
    return sources


def memory_limit(max_memory: Any = None) -> int:
    """Return the bytes that the contents of all files may have."""
    if max_memory is None:
        memory = max(available_memory() - unloaded_space(), 0)
    else:
        memory = check_memory("max_memory", max_memory)
    return memory // MEMORY_PER_BYTE


def open_head(path: str, size: int) -> Source:
    """Read the first bytes of a file that is not compressed."""
    with Path(path).open("rb") as file:
        data = file.read(size)
    return Source(path, Path(path).stem, Path(path).suffix.lower(), data, size, Path(path))


def read_end(path: Path, size: int) -> bytes:
    """Read the last bytes of a file; all of it if it has fewer."""
    with path.open("rb") as file:
        whole = file.seek(0, os.SEEK_END)
        file.seek(max(0, whole - size))
        return file.read(size)


def read_spans(path: Path, spans: Iterable[tuple[int, int]], limit: int) -> BinaryIO:
    """Return a copy in memory of a file, zero outside of some spans, which are all that is read.

    Memory that is zero and never touched is not taken, so that the spans alone count.
    """
    with path.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        joined_spans = list(_joined_spans(spans, size))
        if sum(stop - start for start, stop in joined_spans) > limit:
            raise too_large("the file", limit)
        copy = zero_file(size)
        for start, stop in joined_spans:
            file.seek(start)
            copy.seek(start)
            for at in range(start, stop, PIECE_BYTES):
                copy.write(file.read(min(PIECE_BYTES, stop - at)))
    copy.seek(0)
    return copy


def _joined_spans(spans: Iterable[tuple[int, int]], size: int) -> Iterator[tuple[int, int]]:
    """Yield spans within a file in order, each byte once."""
    end = 0
    for start, stop in sorted(spans):
        first, last = max(start, end), min(stop, size)
        if first < last:
            yield first, last
            end = last


def file_name(path: Any) -> str:
    """Return the name of a path or an open file for messages."""
    if hasattr(path, "read"):
        name = getattr(path, "name", None)
        return printable(name) if isinstance(name, str) else f"open {type(path).__name__}"
    return "standard input" if path == STANDARD_INPUT else printable(str(path))


def _matching(path: Any) -> Iterator[Any]:
    """Yield the files that match a pattern, in order of name, and anything else unchanged."""
    if hasattr(path, "read"):
        yield path
        return
    if not isinstance(path, str | os.PathLike) or isinstance(os.fspath(path), bytes):
        came = f"a path is of type {type(path).__name__}"
        raise DataError(f"{came}; pass a file name, an open file or a data frame")
    text = os.fspath(path)
    if not _can_be_named(text):
        raise DataError(f"{text!r}: no such file; check the path")
    if os.path.isdir(text):
        yield from _parquet_parts(text)
        return
    if not glob.has_magic(text) or os.path.lexists(text):
        yield path
        return
    files = sorted(name for name in glob.glob(text, recursive=True) if not os.path.isdir(name))
    if not files:
        raise DataError(f"{printable(text)}: no file matches this pattern; check the path")
    yield from files


def _parquet_parts(folder: str) -> list[str]:
    """Return the Parquet files of a folder and of those in it, in order of name and number.

    Names that begin with a dot or a dash below are those of other things, as Spark and Dask do.
    """
    found = [
        os.path.join(where, name)
        for where, _, names in os.walk(folder)
        for name in names
        if name.lower().endswith((".parquet", ".pq")) and not name.startswith((".", "_"))
    ]
    if not found:
        raise DataError(
            f"{printable(folder)}: there is no Parquet file in this folder; pass the files in it"
        )
    return sorted(found, key=_by_number)


def _by_number(path: str) -> list[str | int]:
    """Return what sorts part.2 before part.10."""
    return [int(part) if part.isdecimal() else part for part in re.split(r"(\d+)", path)]


def _can_be_named(text: str) -> bool:
    """Tell whether a file can have this name: no NUL, no half of a letter."""
    try:
        return b"\0" not in os.fsencode(text)
    except UnicodeEncodeError:
        return False


def _check_different(paths: list[Any]) -> None:
    """Refuse a file that is given twice: every row would have a copy with the same label."""
    seen = set()
    for path in paths:
        if hasattr(path, "read"):
            continue
        real = path if path == STANDARD_INPUT else os.path.realpath(path)
        if real in seen:
            raise DataError(f"{file_name(path)}: this file is given twice; pass each file once")
        seen.add(real)


def _source(path: Any, limit: int) -> Source:
    name = file_name(path)
    with error_prefix(name):
        packed = _contents(path, limit)
        refuse_foreign(packed[:IN_PLACE_BYTES])  # some are zip files
        data = decompress(packed, limit)
    plain = Path(name)
    while plain.suffix.lower() in COMPRESSED_SUFFIXES:
        plain = plain.with_suffix("")
    in_place = data is packed and path != STANDARD_INPUT and not hasattr(path, "read")
    real = Path(path) if in_place else None
    return Source(name, plain.stem, plain.suffix.lower(), data, limit, real)


def _contents(path: Any, limit: int) -> Contents:
    """Return the bytes of a file, or say why it cannot be read."""
    try:
        if path == STANDARD_INPUT:
            return _read_pieces(sys.stdin.buffer, limit)
        return _read_pieces(path, limit) if hasattr(path, "read") else _read_path(path, limit)
    except DataError:
        raise
    except MemoryError as problem:
        raise too_large("the file", limit) from problem
    except FileNotFoundError as problem:
        raise DataError("no such file; check the path") from problem
    except PermissionError as problem:
        raise DataError("no permission to read the file; ask its owner") from problem
    except (OSError, ValueError, TypeError) as problem:
        reason = getattr(problem, "strerror", None) or problem
        raise DataError(f"the file cannot be read ({reason}); check the path") from problem


def _read_path(path: Any, limit: int) -> Contents:
    """Read a file; it is not mapped into memory, as another process may cut it meanwhile.

    Pages that are gone from a mapped file end the process that looks at them.
    """
    with Path(path).open("rb") as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode) or not status.st_size:  # a pipe, a device, /proc
            return _read_pieces(file, limit)
        head = file.read(min(IN_PLACE_BYTES, status.st_size))
        if any(head.startswith(mark, at) for mark, at in IN_PLACE):
            return head
        if status.st_size > limit:
            raise too_large("the file", limit)
        file.seek(0)
        return file.read(status.st_size)


def _read_pieces(file: Any, limit: int) -> Contents:
    """Read an open file, of bytes or text, to its end or to the limit."""

    def pieces() -> Iterator[bytes]:
        while piece := file.read(PIECE_BYTES):
            yield piece.encode() if isinstance(piece, str) else bytes(piece)

    return joined(pieces(), limit)
