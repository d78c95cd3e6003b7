"""Compressed files are recognised by their first bytes and decompressed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from mmap import mmap
from typing import Any

from bayesfloor.tables.damage import refuse_damage

Contents = bytes | mmap
"""The bytes of a file; a plain file is mapped into memory, not copied."""


@dataclass(frozen=True, slots=True)
class Compression:
    """Says how one kind of compressed file is recognised and decompressed."""

    name: str  # as messages call it
    suffixes: tuple[str, ...]
    first_bytes: bytes
    decompress: Callable[[bytes], bytes]


def decompress(data: Contents) -> Contents:
    """Return the contents of a compressed file, and other data unchanged."""
    for known in COMPRESSIONS:
        if data[: len(known.first_bytes)] == known.first_bytes:
            with refuse_damage(f"the {known.name} file is damaged or truncated; compress it again"):
                return known.decompress(data[:])
    return data


def _gunzip(data: bytes) -> bytes:
    import zlib

    return _all_members(data, lambda: zlib.decompressobj(wbits=ZLIB_GZIP_BITS))


def _unzstd(data: bytes) -> bytes:
    import zstandard

    return _all_members(data, lambda: zstandard.ZstdDecompressor().decompressobj())


def _all_members(data: bytes, decompressor: Callable[[], Any]) -> bytes:
    """Decompress the members of a file one after another; ignore zeros that pad its end."""
    parts = []
    while data:
        member = decompressor()
        parts.append(member.decompress(data))
        if not member.eof:
            raise EOFError("the last member has no end")
        data = member.unused_data.lstrip(b"\0")
    return parts[0] if len(parts) == 1 else b"".join(parts)


ZLIB_GZIP_BITS = 31
"""The `wbits` of zlib for gzip: 16 for its header and trailer, plus 15 for the largest window."""
COMPRESSIONS = (
    Compression("gzip", (".gz", ".gzip"), b"\x1f\x8b", _gunzip),
    Compression("Zstandard", (".zst", ".zstd"), b"\x28\xb5\x2f\xfd", _unzstd),
)
"""The compressions that are understood; first bytes from RFC 1952 and RFC 8878."""
COMPRESSED_SUFFIXES = {suffix for known in COMPRESSIONS for suffix in known.suffixes}
"""Suffixes that come after the one that names the format, as in table.csv.gz."""
