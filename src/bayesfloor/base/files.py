"""Writing a file whole or not at all: aside first, then renamed into place."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from os import PathLike
from pathlib import Path

from bayesfloor.base.errors import DataError

PAGES = {".html", ".htm"}
"""Endings of the names of pages."""


def check_writable(path: str | PathLike[str]) -> Path:
    """Return the path of a file that is to be written, or say why it cannot be.

    Meant to be called before long work whose result goes there.
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
    """Return the path of a page that is to be written; it may replace a page and nothing else."""
    target = check_writable(path)
    if target.suffix.lower() not in PAGES:
        other = target.with_suffix(".html").name
        raise DataError(f"{path}: a page is HTML; choose a name such as {other}")
    if target.exists() and target.stat().st_size:
        with target.open("rb") as file:
            if not file.read(15).lower().startswith(b"<!doctype html"):
                raise DataError(f"{path}: exists and is no page; choose another name")
    return target


def write_whole(path: str | PathLike[str], content: str | bytes) -> Path:
    """Write a file, text in UTF-8; whoever looks finds the old file or the new one, never half.

    A file that stands there keeps its mode, a link keeps pointing to its file.
    """
    target = check_writable(path).resolve()
    mode = target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~_umask()
    handle, aside = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name[:50]}.")
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
    """Return the mask of new files, which can only be read by setting it."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
