"""Compressed files are recognised by their first bytes and unpacked piece by piece, up to a limit.

A few kilobytes can unpack to any size, so no library is asked for the whole: what has come is
counted, and a file beyond the limit is refused before the memory is gone.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from bayesfloor.base.errors import DataError
from bayesfloor.base.formatting import quoted_names
from bayesfloor.base.memory import show_size
from bayesfloor.tables.damage import refuse_damage

Contents = bytes
"""The bytes of a file."""
PIECE_BYTES = 2**20
"""Number of bytes that are unpacked at a time, about: what a limit can be exceeded by. 1 MiB, a
judgement."""
INPUT_BYTES = 2**13
"""Number of packed bytes that a decompressor gets at a time: what 8 KiB of text unpack to is memory
that is used again, where that of 64 KiB was fetched anew each time and took up to twice as long."""
ZSTD_INPUT_BYTES = 2**10
"""The same for Zstandard, whose library cannot be told where to stop: a block of 4 bytes unpacks to
128 KiB at most (RFC 8878, section 3.1.1.2), so this many unpack to 32 MiB at most."""
XZ_BYTES = 2**27
"""Bytes that unpacking xz may take whatever the limit: 128 MiB are twice those of `xz -9`."""
ZLIB_GZIP_BITS = 31
"""The `wbits` of zlib for gzip: 16 for its header and trailer, plus 15 for the largest window."""
ZIP_START = b"PK\x03\x04"
"""First bytes of a zip file with at least one member (PKWARE APPNOTE.TXT, section 4.3.7)."""
NUMPY_MEMBER, EXCEL_MEMBER = r".*\.npy$", r"xl/"
"""Patterns of the names of members by which a zip file is a NumPy archive or an Excel workbook."""
SYSTEM_MEMBER = r"(?:.*/)?(?:__MACOSX/|\.DS_Store$|Thumbs\.db$|desktop\.ini$)|.*/$"
"""Pattern of the names of members that systems add to archives: folders, icons, attributes."""


@dataclass(frozen=True, slots=True)
class Compression:
    """Says how one kind of compressed file is recognised and unpacked."""

    name: str  # as messages call it
    suffixes: tuple[str, ...]
    start: bytes  # pattern of the first bytes
    unpack: Callable[[bytes, int], Iterable[bytes]]  # contents and limit, into pieces


def decompress(data: Contents, limit: int) -> Contents:
    """Return the contents of a compressed file, and other data unchanged.

    `limit` is the number of bytes that the contents may have.
    """
    for known in COMPRESSIONS:
        if re.match(known.start, data, re.DOTALL) and not is_zip_format(data):
            with refuse_damage(f"the {known.name} file is damaged or truncated; compress it again"):
                return joined(known.unpack(data, limit), limit)
    return data


def joined(pieces: Iterable[bytes], limit: int) -> bytes:
    """Join pieces; refuse more bytes than the limit allows."""
    whole = io.BytesIO()
    for piece in pieces:
        if whole.tell() + len(piece) > limit:
            raise too_large("the contents", limit)
        whole.write(piece)
    return whole.getvalue()


def too_large(what: str, limit: int) -> DataError:
    """Say that something takes more memory than there is, and how to raise the limit."""
    came = f"{what} would take more than {show_size(limit)}, too much for the memory there is"
    return DataError(f"{came}; pass fewer rows or columns, or a larger max_memory=")


def _gunzip(data: bytes, _: int) -> Iterator[bytes]:
    import zlib

    return _members(data, lambda: zlib.decompressobj(wbits=ZLIB_GZIP_BITS), _zlib_pieces)


def _unbzip2(data: bytes, _: int) -> Iterator[bytes]:
    import bz2

    return _members(data, bz2.BZ2Decompressor, _limited_pieces)


def _unxz(data: bytes, limit: int) -> Iterator[bytes]:
    """Unpack xz; a dictionary that is larger than the limit is not allocated."""
    import lzma

    most = max(limit, XZ_BYTES)
    try:
        yield from _members(
            data, lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=most), _limited_pieces
        )
    except lzma.LZMAError as problem:
        if "limit" not in str(problem):
            raise
        raise too_large("the dictionary of the xz file", limit) from problem


def _unzstd(data: bytes, _: int) -> Iterator[bytes]:
    import zstandard

    def make() -> Any:
        return zstandard.ZstdDecompressor().decompressobj()

    return _members(data, make, lambda one, some: iter([one.decompress(some)]), ZSTD_INPUT_BYTES)


def _unzip(data: bytes, _: int) -> Iterator[bytes]:
    """Unpack the only file of a zip archive; its name is shown at most, and never a path."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = [one for one in archive.infolist() if not re.match(SYSTEM_MEMBER, one.filename)]
        if len(members) != 1:
            names = quoted_names([one.filename for one in members])
            which = f"{len(members)} files ({names})" if members else "no file"
            raise DataError(f"the zip archive holds {which}; unpack it and pass the tables inside")
        if members[0].flag_bits & ENCRYPTED:
            raise DataError("the zip archive is encrypted; unpack it and pass the table inside")
        yield from member_pieces(archive, members[0])


ENCRYPTED = 1
"""Bit of a member's flags that says it is encrypted (PKWARE APPNOTE.TXT, section 4.4.4)."""


def member_pieces(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> Iterator[bytes]:
    """Yield a member of a zip file in pieces: no more than it says to have, which is checked."""
    with archive.open(member) as file:
        while piece := file.read(PIECE_BYTES):
            yield piece


def _members(
    data: bytes,
    decompressor: Callable[[], Any],
    pieces: Callable[[Any, bytes], Iterator[bytes]],
    step: int = INPUT_BYTES,
) -> Iterator[bytes]:
    """Unpack the members of a file one after another; ignore zeros that pad its end."""
    at = 0
    while at < len(data):
        member = decompressor()
        while not member.eof:
            if at >= len(data):
                raise EOFError("the last member has no end")
            some = data[at : at + step]
            at += len(some)
            yield from pieces(member, some)
        at = _skip_zeros(data, at - len(member.unused_data))


def _skip_zeros(data: bytes, at: int) -> int:
    """Return the position of the next byte that is not zero."""
    match = re.compile(rb"\0*").match(data, at)
    return match.end() if match else at


def _zlib_pieces(member: Any, some: bytes) -> Iterator[bytes]:
    piece = member.decompress(some, PIECE_BYTES)
    yield piece
    while not member.eof and (member.unconsumed_tail or len(piece) == PIECE_BYTES):
        piece = member.decompress(member.unconsumed_tail, PIECE_BYTES)
        yield piece


def _limited_pieces(member: Any, some: bytes) -> Iterator[bytes]:
    yield member.decompress(some, PIECE_BYTES)
    while not (member.eof or member.needs_input):
        yield member.decompress(b"", PIECE_BYTES)


def is_zip_format(data: Contents) -> bool:
    """Return whether a zip file is a file of some format, such as a workbook, not a compression."""
    if not data.startswith(ZIP_START):
        return False
    names = zip_names(data)
    return any(re.match(f"{NUMPY_MEMBER}|{EXCEL_MEMBER}", name) for name in names)


def zip_names(data: Contents) -> list[str]:
    """Return the names of the members of a zip file."""
    with refuse_damage("the file is damaged or truncated; save it again"):
        return zipfile.ZipFile(io.BytesIO(data)).namelist()


COMPRESSIONS = (
    Compression("gzip", (".gz", ".gzip"), rb"\x1f\x8b", _gunzip),
    Compression("Zstandard", (".zst", ".zstd"), rb"\x28\xb5\x2f\xfd", _unzstd),
    Compression("bzip2", (".bz2",), rb"BZh[1-9](?:\x31\x41\x59\x26\x53\x59|\x17\x72)", _unbzip2),
    Compression("xz", (".xz",), rb"\xfd7zXZ\0", _unxz),
    Compression("zip", (".zip",), re.escape(ZIP_START), _unzip),
)
"""The compressions that are understood. First bytes are those of RFC 1952, RFC 8878, bzip2 (digits
of π, or of its square root where it is empty), xz (xz-file-format.txt, section 2.1.1.1) and zip."""
COMPRESSED_SUFFIXES = {suffix for known in COMPRESSIONS for suffix in known.suffixes}
"""Suffixes that come after the one that names the format, as in table.csv.gz."""
