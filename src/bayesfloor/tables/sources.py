"""Paths, patterns and open files become bytes, unpacked; alone in opening the user's files."""

from __future__ import annotations

import glob
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Any

from bayesfloor.base.errors import DataError

STANDARD_INPUT = "-"
PACKED_SUFFIXES = {".gz", ".gzip", ".zst", ".zstd"}


Contents = bytes | mmap
"""What a file holds: a plain file is looked at where the system keeps it, without a copy."""


@dataclass(frozen=True, slots=True)
class Source:
    """The contents of one file."""

    name: str  # as the user wrote it
    stem: str  # "data" of "some/data.csv.gz"
    suffix: str  # ".csv" of it
    data: Contents  # unpacked
    path: Path | None  # of a file that holds just this


def open_sources(paths: Any) -> list[Source]:
    """Read one path, pattern or open file, or several of them."""
    several = isinstance(paths, Iterable) and not isinstance(paths, str | bytes | os.PathLike)
    listed = list(paths) if several and not hasattr(paths, "read") else [paths]
    if not listed:
        raise DataError("no file given; pass one path or more")
    found = [path for item in listed for path in _matching(item)]
    _check_different(found)
    return [_source(path) for path in found]


def file_name(path: Any) -> str:
    """Return what messages call a path or an open file."""
    if hasattr(path, "read"):
        name = getattr(path, "name", None)
        return name if isinstance(name, str) else f"open {type(path).__name__}"
    return "standard input" if path == STANDARD_INPUT else str(path)


def _matching(path: Any) -> Iterator[Any]:
    """Yield the files that a pattern matches, in order of name; anything else as it is."""
    if hasattr(path, "read"):
        yield path
        return
    if not isinstance(path, str | os.PathLike) or isinstance(os.fspath(path), bytes):
        came = f"a path is {type(path).__name__}"
        raise DataError(f"{came}; pass a file name, an open file or a data frame")
    text = os.fspath(path)
    if not glob.has_magic(text) or os.path.lexists(text):
        yield path
        return
    found = sorted(name for name in glob.glob(text, recursive=True) if not os.path.isdir(name))
    if not found:
        raise DataError(f"{text}: no file matches this pattern; check the path")
    yield from found


def _check_different(paths: list[Any]) -> None:
    """Refuse a file that comes twice: its copied rows would look like certainty."""
    seen = set()
    for path in paths:
        if hasattr(path, "read"):
            continue
        real = path if path == STANDARD_INPUT else os.path.realpath(path)
        if real in seen:
            raise DataError(f"{file_name(path)}: comes twice; name each file once")
        seen.add(real)


def _source(path: Any) -> Source:
    name = file_name(path)
    try:
        data = _unpacked(_contents(path))
    except DataError as problem:
        raise DataError(f"{name}: {problem}") from problem.__cause__
    place = Path(name)
    while place.suffix.lower() in PACKED_SUFFIXES:
        place = place.with_suffix("")
    whole = Path(path) if isinstance(data, mmap) else None
    return Source(name, place.stem, place.suffix.lower(), data, whole)


def _contents(path: Any) -> Contents:
    """Return what a file holds."""
    try:
        if path == STANDARD_INPUT:
            return sys.stdin.buffer.read()
        if not hasattr(path, "read"):
            return _pages(path)
        found = path.read()
        return found.encode() if isinstance(found, str) else bytes(found)
    except FileNotFoundError as problem:
        raise DataError("no such file; check the path") from problem
    except IsADirectoryError as problem:
        raise DataError("a directory, not a file; pass the files in it") from problem
    except PermissionError as problem:
        raise DataError("no permission to read the file; ask its owner for it") from problem
    except (OSError, ValueError, TypeError) as problem:
        reason = getattr(problem, "strerror", None) or problem
        raise DataError(f"the file cannot be read ({reason}); check the path") from problem


def _pages(path: Any) -> Contents:
    """Return what a named file holds; an empty one, or a pipe, has no pages to look at."""
    with Path(path).open("rb") as file:
        try:
            return mmap(file.fileno(), 0, access=ACCESS_READ)
        except (OSError, ValueError):
            return file.read()


def _unpacked(data: Contents) -> Contents:
    """Return the contents of a gzip or Zstandard file, and other data as they are."""
    for first_bytes, (name, unpack) in PACKERS.items():
        if data[: len(first_bytes)] == first_bytes:
            try:
                return unpack(data[:])
            except Exception as problem:
                message = f"the {name} file is damaged or cut short; compress it again"
                raise DataError(message) from problem
    return data


def _ungzip(data: bytes) -> bytes:
    import zlib

    return _joined(data, lambda: zlib.decompressobj(wbits=31))


def _unzstd(data: bytes) -> bytes:
    import zstandard

    return _joined(data, lambda: zstandard.ZstdDecompressor().decompressobj())


def _joined(data: bytes, unpacker: Callable[[], Any]) -> bytes:
    """Unpack all members of a file; zeros after them do not count, a missing end is an error."""
    parts = []
    while data:
        member = unpacker()
        parts.append(member.decompress(data))
        if not member.eof:
            raise DataError("cut short")
        data = member.unused_data.lstrip(b"\0")
    return parts[0] if len(parts) == 1 else b"".join(parts)


PACKERS: dict[bytes, tuple[str, Callable[[bytes], bytes]]] = {
    b"\x1f\x8b": ("gzip", _ungzip),
    b"\x28\xb5\x2f\xfd": ("Zstandard", _unzstd),
}
"""First bytes of a packed file, its name, and what unpacks it."""
