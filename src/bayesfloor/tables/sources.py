"""Paths, patterns and open files become decompressed bytes; no other module opens user files."""

from __future__ import annotations

import glob
import os
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Any

from bayesfloor.base.errors import DataError, error_prefix
from bayesfloor.tables.compression import COMPRESSED_SUFFIXES, Contents, decompress

STANDARD_INPUT = "-"
"""The path that stands for standard input, as in other commands."""


@dataclass(frozen=True, slots=True)
class Source:
    """Holds the contents of one file."""

    name: str  # as the user wrote it
    stem: str  # "data" of "some/data.csv.gz"
    suffix: str  # ".csv" of the same
    data: Contents  # decompressed
    path: Path | None  # of the file if it holds exactly these bytes


def open_sources(paths: Any) -> list[Source]:
    """Read the files that are given by a path, a pattern or an open file, or by several."""
    several = isinstance(paths, Iterable) and not isinstance(paths, str | bytes | os.PathLike)
    items = list(paths) if several and not hasattr(paths, "read") else [paths]
    if not items:
        raise DataError("no file is given; pass at least one path")
    files = [path for item in items for path in _matching(item)]
    _check_different(files)
    return [_source(path) for path in files]


def file_name(path: Any) -> str:
    """Return the name of a path or an open file for messages."""
    if hasattr(path, "read"):
        name = getattr(path, "name", None)
        return name if isinstance(name, str) else f"open {type(path).__name__}"
    return "standard input" if path == STANDARD_INPUT else str(path)


def _matching(path: Any) -> Iterator[Any]:
    """Yield the files that match a pattern, in order of name, and anything else unchanged."""
    if hasattr(path, "read"):
        yield path
        return
    if not isinstance(path, str | os.PathLike) or isinstance(os.fspath(path), bytes):
        came = f"a path is of type {type(path).__name__}"
        raise DataError(f"{came}; pass a file name, an open file or a data frame")
    text = os.fspath(path)
    if not glob.has_magic(text) or os.path.lexists(text):
        yield path
        return
    files = sorted(name for name in glob.glob(text, recursive=True) if not os.path.isdir(name))
    if not files:
        raise DataError(f"{text}: no file matches this pattern; check the path")
    yield from files


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


def _source(path: Any) -> Source:
    name = file_name(path)
    with error_prefix(name):
        data = decompress(_contents(path))
    plain = Path(name)
    while plain.suffix.lower() in COMPRESSED_SUFFIXES:
        plain = plain.with_suffix("")
    mapped = Path(path) if isinstance(data, mmap) else None
    return Source(name, plain.stem, plain.suffix.lower(), data, mapped)


def _contents(path: Any) -> Contents:
    """Return the bytes of a file, or say why it cannot be read."""
    try:
        if path == STANDARD_INPUT:
            return sys.stdin.buffer.read()
        if not hasattr(path, "read"):
            return _mapped(path)
        contents = path.read()
        return contents.encode() if isinstance(contents, str) else bytes(contents)
    except FileNotFoundError as problem:
        raise DataError("no such file; check the path") from problem
    except IsADirectoryError as problem:
        raise DataError("this is a directory; pass the files in it") from problem
    except PermissionError as problem:
        raise DataError("no permission to read the file; ask its owner") from problem
    except (OSError, ValueError, TypeError) as problem:
        reason = getattr(problem, "strerror", None) or problem
        raise DataError(f"the file cannot be read ({reason}); check the path") from problem


def _mapped(path: Any) -> Contents:
    """Map a file into memory; an empty file or a pipe cannot be mapped, and is read."""
    with Path(path).open("rb") as file:
        try:
            return mmap(file.fileno(), 0, access=ACCESS_READ)
        except (OSError, ValueError):
            return file.read()
