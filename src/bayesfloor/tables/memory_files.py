"""Files in memory that take no more of it than what is written to them, where the system can."""

from __future__ import annotations

import io
import mmap
import os
from typing import BinaryIO

from bayesfloor.base.errors import DataError

LARGER = "the file is larger than the memory; write it in several"
"""What is said of a file of which there is no room even for holes."""


def zero_file(size: int) -> BinaryIO:
    """Return a file in memory that is zero throughout, and takes memory where it is written only.

    Linux refuses to promise more memory than there is, but not a file of that size with holes.
    """
    try:
        return io.BytesIO(bytes(size))  # not copied, as nothing else refers to the bytes
    except MemoryError as problem:
        if not hasattr(os, "memfd_create"):
            raise DataError(LARGER) from problem
    try:
        file = os.fdopen(os.memfd_create("zero_file"), "w+b")
    except OSError as problem:  # a sandbox
        raise DataError(LARGER) from problem
    file.truncate(size)
    return file


def view(file: BinaryIO) -> bytes | mmap.mmap:
    """Return the contents of such a file, without a copy; holes stay holes."""
    if isinstance(file, io.BytesIO):
        return file.getvalue()
    try:
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except OSError as problem:  # a limit of the address space
        raise DataError(LARGER) from problem
