"""Compressed files: every kind is read, a bomb is refused before the memory is gone."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import subprocess
import sys
import tracemalloc
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard

import bayesfloor as bf
from bayesfloor.tables.compression import COMPRESSED_SUFFIXES, PIECE_BYTES, decompress

TABLE = b"a,y\n1,u\n2,v\n2,v\n3,u\n"
LIMIT = 10**9


def zipped(*members: tuple[str, bytes]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members:
            archive.writestr(name, data)
    return file.getvalue()


PACKERS: dict[str, Callable[[bytes], bytes]] = {
    ".gz": gzip.compress,
    ".zst": zstandard.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zip": lambda data: zipped(("table.csv", data)),
}


@pytest.mark.parametrize("suffix", PACKERS)
def test_every_compression_is_read_by_its_contents(suffix: str, tmp_path: Path) -> None:
    assert suffix in COMPRESSED_SUFFIXES
    path = tmp_path / f"table.csv{suffix}"
    path.write_bytes(PACKERS[suffix](TABLE))
    assert bf.read_table(path, label="y").y.to_list() == ["u", "v", "v", "u"]
    assert bf.read_table(io.BytesIO(path.read_bytes()), label="y").X.height == 4


@pytest.mark.parametrize("suffix", sorted(PACKERS.keys() - {".zip"}))
def test_members_follow_each_other_and_zeros_may_follow_them(suffix: str) -> None:
    pack = PACKERS[suffix]
    whole = os.urandom(PIECE_BYTES) + bytes(PIECE_BYTES)
    assert decompress(pack(whole) + pack(b"1,2") + bytes(8), LIMIT) == whole + b"1,2"
    assert decompress(pack(b""), LIMIT) == b""


@pytest.mark.parametrize("suffix", PACKERS)
def test_a_cut_file_is_damaged(suffix: str) -> None:
    packed = PACKERS[suffix](TABLE * 1000)
    with pytest.raises(bf.DataError, match=r"damaged or truncated; (compress|save) it again"):
        decompress(packed[:-10], LIMIT)


@pytest.mark.parametrize("suffix", PACKERS)
def test_a_bomb_is_refused_before_it_takes_the_memory(suffix: str) -> None:
    bomb = PACKERS[suffix](bytes(40 * PIECE_BYTES))
    assert len(bomb) < PIECE_BYTES
    tracemalloc.start()
    try:
        with pytest.raises(bf.DataError) as caught:
            bf.read_table(io.BytesIO(bomb), label="y", max_memory=20 * PIECE_BYTES)
        assert tracemalloc.get_traced_memory()[1] < 40 * PIECE_BYTES
    finally:
        tracemalloc.stop()
    assert str(caught.value) == (
        "open BytesIO: the contents would take more than 5.2 MB, too much for the memory there is;"
        " pass fewer rows or columns, or a larger max_memory="
    )


def test_an_xz_file_with_a_huge_dictionary_allocates_none() -> None:
    large = {"id": lzma.FILTER_LZMA2, "preset": 0, "dict_size": 2**27}
    packed = lzma.compress(TABLE, filters=[large])
    with pytest.raises(bf.DataError, match="the dictionary of the xz file would take"):
        decompress(packed, 10**7)


def test_a_text_that_starts_like_bzip2_is_text() -> None:
    text = b"BZh1,y\n1,u\n2,v\n2,v\n3,u\n"
    assert bf.read_table(io.BytesIO(text), label="y").rows.columns == ["BZh1"]


ARCHIVES = {
    "several": (
        zipped(("a.csv", TABLE), ("b/c.csv", TABLE)),
        "the zip archive holds 2 files ('a.csv', 'b/c.csv'); unpack it and pass the tables inside",
    ),
    "none": (
        zipped(("folder/", b""), (".DS_Store", b"x")),
        "the zip archive holds no file; unpack it and pass the tables inside",
    ),
    "another archive": (
        zipped(("inner.zip", zipped(("a.csv", TABLE)))),
        "this is a zip archive within another; unpack it and pass the tables inside",
    ),
}


@pytest.mark.parametrize("case", ARCHIVES)
def test_an_archive_of_more_or_less_than_a_table_is_refused(case: str) -> None:
    data, message = ARCHIVES[case]
    with pytest.raises(bf.DataError) as caught:
        bf.read_table(io.BytesIO(data), label="y")
    assert str(caught.value) == f"open BytesIO: {message}"


def test_an_encrypted_archive_is_refused() -> None:
    data = bytearray(zipped(("a.csv", TABLE)))
    data[6] |= 1
    data[data.index(b"PK\x01\x02") + 8] |= 1
    with pytest.raises(bf.DataError, match="the zip archive is encrypted; unpack it"):
        bf.read_table(io.BytesIO(bytes(data)), label="y")


@pytest.mark.parametrize("name", ["../../escape.csv", "/etc/passwd", "c:\\x.csv", "a\0b"])
def test_no_path_from_inside_an_archive_is_used(name: str, tmp_path: Path) -> None:
    path = tmp_path / "inside" / "table.zip"
    path.parent.mkdir()
    path.write_bytes(zipped((name, TABLE)))
    table = bf.read_table(path, label="y")
    assert table.name == str(path)
    assert [found.name for found in tmp_path.rglob("*")] == ["inside", "table.zip"]


def test_what_systems_add_to_an_archive_is_no_table() -> None:
    others = [("d/", b""), ("__MACOSX/d/._t.csv", b"x"), ("d/.DS_Store", b"")]
    data = zipped(("d/t.csv", TABLE), *others)
    assert bf.read_table(io.BytesIO(data), label="y").X.height == 4


LIMITED = """
import resource, sys
import bayesfloor, polars, zstandard
most = int(next(l for l in open("/proc/self/status") if "VmSize" in l).split()[1]) * 1024 + 10**9
resource.setrlimit(resource.RLIMIT_AS, (most, most))
try:
    bayesfloor.read_table(sys.argv[1], label="y")
except bayesfloor.DataError as problem:
    print(problem)
# ru_maxrss would count what the parent had before this program began
peak = int(next(l for l in open("/proc/self/status") if "VmHWM" in l).split()[1]) * 1024
print(peak)
"""


def read_with_a_gigabyte(path: Path) -> tuple[str, int]:
    """Read a file in a process that may take 1 GB more; return its message and peak."""
    command = [sys.executable, "-c", LIMITED, str(path)]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 0, (run.returncode, run.stderr)
    message, peak = run.stdout.splitlines()
    return message, int(peak)


@pytest.mark.skipif(sys.platform != "linux", reason="reads its size from /proc")
def test_without_an_option_the_limit_follows_the_memory_there_is(tmp_path: Path) -> None:
    path = tmp_path / "bomb.csv.gz"
    squeeze = zlib.compressobj(wbits=31)
    block = bytes(PIECE_BYTES)
    path.write_bytes(b"".join(squeeze.compress(block) for _ in range(400)) + squeeze.flush())
    message, peak = read_with_a_gigabyte(path)
    assert message.startswith(f"{path}: the contents would take more than 1")
    assert peak < 1e9


# plain files


@pytest.mark.skipif(sys.platform == "win32", reason="there is no /dev/zero on Windows")
def test_a_device_that_never_ends_is_refused() -> None:
    with pytest.raises(bf.DataError, match="/dev/zero: the contents would take more than 25 MB"):
        bf.read_table("/dev/zero", label="y", max_memory="100MB")


def test_a_file_that_is_too_large_is_refused_unread(tmp_path: Path) -> None:
    path = tmp_path / "huge.csv"
    with path.open("wb") as file:
        file.truncate(10**13)
    with pytest.raises(bf.DataError, match=r"the file would take more than .* memory there"):
        bf.read_table(path, label="y")


def test_several_files_share_the_memory(tmp_path: Path) -> None:
    paths = [tmp_path / f"{j}.csv" for j in range(3)]
    for path in paths:
        path.write_bytes(b"a,y\n" + b"1,u\n2,v\n" * 5000)
    assert bf.read_table(paths, label="y", max_memory="4MB").X.height == 30_000
    with pytest.raises(bf.DataError, match=r"2\.csv: the file would take more than 20 kB"):
        bf.read_table(paths, label="y", max_memory="400kB")


CUTTING = """
import os, sys
from bayesfloor.tables import formats, reader
path = sys.argv[1]
inner = formats.recognise_format
def cut(*given, **options):
    os.truncate(path, 10)
    return inner(*given, **options)
formats.recognise_format = cut
print(reader.read_table(path, label="y").X.height)
"""


def test_a_file_that_is_cut_while_it_is_read_ends_no_process(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_bytes(b"a,y\n" + b"1,u\n2,v\n" * 50_000)
    command = [sys.executable, "-c", CUTTING, str(path)]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (run.returncode, run.stdout) == (0, "100000\n"), run.stderr
