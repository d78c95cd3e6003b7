"""Files that the page sends: kept under names of our own, in a folder that goes with the server."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

from bayesfloor.base.formatting import cut
from bayesfloor.base.memory import show_size
from bayesfloor.shells.web.jobs import new_id
from bayesfloor.shells.web.request_errors import RequestError

FOLDER_PREFIX = "bayesfloor-serve-"
"""How the folder of uploads is called within that of temporary files."""
MOST_NAME_LETTERS = 120
"""Length to which the name of a file is cut: the suffix is what matters, a judgement."""
KEPT_FREE_BYTES = 500 * 10**6
"""Space on the disk that uploads leave to others: half a gigabyte, a judgement."""
BUFFER_BYTES = 2**20
"""Bytes that are written at a time. A judgement."""


@dataclass(frozen=True, slots=True)
class Upload:
    """A file that came, with the name that the user knows it by."""

    id: str
    name: str
    path: Path
    size: int


class UploadFolder:
    """The folder in which uploads are, made for the first of them; only this user can read it.

    Parameters
    ----------
    most_bytes : int
        Size of a file at most.
    """

    def __init__(self, most_bytes: int) -> None:
        self.most_bytes = most_bytes
        self.path = Path(tempfile.gettempdir()) / f"{FOLDER_PREFIX}{new_id()}"

    async def receive(self, name: str, body: AsyncIterator[bytes]) -> Upload:
        """Write a file as it comes; nothing stays of one that is too large or breaks off."""
        path, size = self.path / new_id(), 0
        try:
            self.path.mkdir(mode=0o700, exist_ok=True)
            with path.open("xb", buffering=BUFFER_BYTES) as file:
                async for piece in body:
                    size += len(piece)
                    self.check_size(size)
                    await asyncio.to_thread(file.write, piece)
        except BaseException as problem:
            path.unlink(missing_ok=True)
            if isinstance(problem, OSError):
                raise RequestError(507, f"The file cannot be kept: {problem.strerror}.") from None
            raise
        return Upload(path.name, plain_name(name), path, size)

    def check_size(self, size: int) -> None:
        """Refuse a file that is too large, or for which the disk has no room."""
        if size > self.most_bytes:
            raise RequestError(
                413,
                f"The file has more than {show_size(self.most_bytes)}; restart bayesfloor serve"
                " with a larger --max-upload, or use bayesfloor estimate.",
            )
        if shutil.disk_usage(self.path.parent).free < KEPT_FREE_BYTES:
            raise RequestError(
                507, "The disk is nearly full; free some space in the folder of temporary files."
            )

    def remove(self, upload: Upload) -> None:
        """Remove a file."""
        upload.path.unlink(missing_ok=True)

    def close(self) -> None:
        """Remove the folder with all that is in it."""
        shutil.rmtree(self.path, ignore_errors=True)


def plain_name(name: str) -> str:
    r"""Return the last part of a name, to be shown and to tell the format from its suffix.

    Examples
    --------
    >>> plain_name("../../etc/passwd"), plain_name("C:\\data\\table.csv"), plain_name("\0")
    ('passwd', 'table.csv', 'table')
    """
    last = "".join(c for c in name.replace("\\", "/").split("/")[-1] if c.isprintable()).strip()
    stem, dot, suffix = last.rpartition(".")
    return (f"{cut(stem, MOST_NAME_LETTERS)}{dot}{suffix[:MOST_NAME_LETTERS]}") or "table"
