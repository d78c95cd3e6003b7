"""Files are written completely or not at all: to a temporary name first, then renamed."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from os import PathLike
from pathlib import Path

from bayesfloor.base.errors import DataError
from bayesfloor.base.memory import check_space_for_drawing

PAGE_SUFFIXES = {".html", ".htm"}
"""Suffixes that the name of an HTML page may have."""
PAGE_START = b"<!doctype html"
"""How every page of this package starts, in lower case: only a page may be overwritten."""
MAX_PREFIX_LETTERS = 50
"""Length to which a file's name is cut within that of its temporary file: with the random part it
stays below the 255 bytes that file systems allow, whatever the letters."""


def check_writable(path: str | PathLike[str]) -> Path:
    """Return the path if a file can be written there; raise a DataError if not.

    Call it before long work whose result is to be saved there.
    """
    target = Path(path)
    try:
        if target.is_dir():
            raise DataError(f"{path}: a directory; name a file in it")
        if target.exists() and not target.is_file():
            raise DataError(f"{path}: not a plain file; choose another name")
        if not target.parent.is_dir():
            raise DataError(f"{path}: no directory {str(target.parent)!r}; make it first")
        locked = target.exists() and not os.access(target, os.W_OK)
        if locked or not os.access(target.resolve().parent, os.W_OK | os.X_OK):
            raise DataError(f"{path}: no permission to write there; choose another place")
    except (OSError, ValueError) as problem:
        if isinstance(problem, DataError):
            raise
        reason = getattr(problem, "strerror", None) or problem
        raise DataError(f"{path}: cannot be written ({reason}); choose another name") from problem
    return target


def check_page(path: str | PathLike[str]) -> Path:
    """Return the path if a page can be drawn and written there, in place of a page at most."""
    target = check_writable(path)
    if target.suffix.lower() not in PAGE_SUFFIXES:
        other = target.with_suffix(".html").name
        raise DataError(f"{path}: a page is HTML; choose a name such as {other}")
    if target.exists() and target.stat().st_size:
        with target.open("rb") as file:
            if file.read(len(PAGE_START)).lower() != PAGE_START:
                raise DataError(f"{path}: exists and is not a page; choose another name")
    check_space_for_drawing()
    return target


def check_csv(path: str | PathLike[str], header: str) -> Path:
    """Return the path if a CSV file can be written there; it may replace only one like it.

    Parameters
    ----------
    path : str or path
        The file.
    header : str
        How the file will start.
    """
    target = check_writable(path)
    if target.suffix.lower() != ".csv":
        other = target.with_suffix(".csv").name
        raise DataError(f"{path}: the table is written as CSV; choose a name such as {other}")
    if target.exists() and target.stat().st_size:
        start = header.encode()
        with target.open("rb") as file:
            if file.read(len(start)) != start:
                raise DataError(f"{path}: exists and is not such a table; choose another name")
    return target


def write_whole(path: str | PathLike[str], content: str | bytes) -> Path:
    """Write a file, text in UTF-8; a reader sees the old file or the new one, never half of it.

    An existing file keeps its permissions, and a link still points to its file.
    """
    target = check_writable(path).resolve()
    mode = target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~_umask()
    handle, aside = tempfile.mkstemp(
        dir=target.parent, prefix=f".{target.name[:MAX_PREFIX_LETTERS]}."
    )
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content.encode() if isinstance(content, str) else content)
        os.chmod(aside, mode)
        os.replace(aside, target)
    except BaseException:  # Ctrl-C too
        with suppress(OSError):
            os.unlink(aside)
        raise
    return Path(path)


def _umask() -> int:
    """Return the permissions that new files lack; reading them means setting them for a moment."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
