"""Whatever a file holds, it is a table or refused in one sentence: damage, bombs, odd archives."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import sqlite3
import zipfile
from contextlib import closing
from typing import Any

import numpy as np
import polars as pl
import pytest
import xlsxwriter
import zstandard
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import bayesfloor as bf
from hostile import ATTACK, NAMES, check_message

FILES_DRAWN = 400 if ATTACK else 25
QUICK = settings(max_examples=FILES_DRAWN, suppress_health_check=list(HealthCheck))
TABLE = b"a,b,y\n" + b"".join(b"%d,x%d,%d\n" % (j, j % 3, j % 2) for j in range(12))
ATTRIBUTES = b"@attribute a real\n@attribute b {x0,x1,x2}\n@attribute y {0,1}\n"
NUMBERS = np.arange(24.0).reshape(12, 2)


def zipped(data: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("table.csv", data)
    return file.getvalue()


def sqlite(create: str, rows: list[tuple[Any, ...]]) -> bytes:
    """Return a file with one table of three columns."""
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute(create)
        connection.executemany("INSERT INTO t (a, b, y) VALUES (?, ?, ?)", rows)
        connection.commit()
        return connection.serialize()


def made() -> dict[str, bytes]:
    """Return one small file of every format and compression."""
    frame = pl.read_csv(TABLE)
    files: dict[str, bytes] = {
        ".csv.gz": gzip.compress(TABLE),
        ".csv.zst": zstandard.compress(TABLE),
        ".csv.bz2": bz2.compress(TABLE),
        ".csv.xz": lzma.compress(TABLE),
        ".csv.zip": zipped(TABLE),
        ".ndjson": frame.write_ndjson().encode(),
        ".json": frame.write_json().encode(),
        ".arff": b"@relation t\n" + ATTRIBUTES + b"@data\n" + TABLE.partition(b"\n")[2],
        ".sqlite": sqlite("CREATE TABLE t (a, b, y)", frame.rows()),
    }
    writers: dict[str, Any] = {
        ".parquet": frame.write_parquet,
        ".arrow": frame.write_ipc,
        ".arrows": frame.write_ipc_stream,
        ".npz": lambda file: np.savez_compressed(file, X=NUMBERS, y=[0, 1] * 6),
        ".npy": lambda file: np.save(file, NUMBERS),
        ".xlsx": lambda file: frame.write_excel(xlsxwriter.Workbook(file)).close(),
    }
    for suffix, write in writers.items():
        file = io.BytesIO()
        write(file)
        files[suffix] = file.getvalue()
    return files


FILES = made()


def read(data: bytes, suffix: str = "", **options: Any) -> bf.LabelledTable:
    """Read a table, and check that its numbers are finite."""
    file = io.BytesIO(data)
    file.name = f"table{suffix}"
    table = bf.read_table(file, **{"label": "y", "max_memory": "200MB", **options})
    assert np.isfinite(table.X.to_numpy()).all()
    return table


def attempt(data: bytes, suffix: str = "", **options: Any) -> None:
    """Read a table; anything but a table or a short sentence fails."""
    try:
        read(data, suffix, **options)
    except bf.DataError as problem:
        check_message(problem)


@pytest.mark.parametrize("suffix", FILES)
@QUICK
@given(data=st.data())
def test_any_damage_is_a_table_or_refused(suffix: str, data: st.DataObject) -> None:
    """Bytes are changed, cut out, repeated and swapped, with a liking for lengths and marks."""
    file = bytearray(FILES[suffix])
    for _ in range(data.draw(st.integers(1, 6))):
        at = data.draw(st.integers(0, len(file)))
        change = data.draw(st.sampled_from(["set", "cut", "repeat", "insert"]))
        some = data.draw(st.sampled_from([1, 2, 4, 8, 64]))
        if change == "set":
            value = data.draw(st.sampled_from([b"\0", b"\xff", b"\x7f", b"\x80"])) * some
            file[at : at + some] = value
        elif change == "cut":
            del file[at : at + some]
        elif change == "repeat":
            file[at:at] = file[at : at + some] * data.draw(st.sampled_from([1, 100]))
        else:
            file[at:at] = data.draw(st.binary(max_size=some))
    attempt(bytes(file), suffix, missing="impute")


CELLS = st.one_of(
    st.sampled_from([*NAMES, "1e308", "-1e308", "1e-320", "inf", "1,5", "$3", "NA", "2020-01-01"]),
    st.integers(-(10**20), 10**20).map(str),
    st.floats().map(str),
    st.text(max_size=8),
)


@QUICK
@given(
    rows=st.lists(st.tuples(CELLS, CELLS, st.sampled_from("uv")), min_size=2, max_size=15),
    missing=st.sampled_from(["error", "drop", "impute"]),
    scale=st.sampled_from(["standard", "rank", "none"]),
    pack=st.sampled_from([bytes, gzip.compress, bz2.compress, lzma.compress, zipped]),
)
@example(
    rows=[("1e308", "a", "u"), ("-1e308", "b", "v")] * 3,
    missing="error",
    scale="standard",
    pack=bytes,
)
def test_any_cells_are_a_table_or_refused(
    rows: list[tuple[str, str, str]], missing: str, scale: str, pack: Any
) -> None:
    quoted = [",".join('"{}"'.format(cell.replace('"', '""')) for cell in row) for row in rows]
    text = "\n".join(["a,b,y", *quoted])
    attempt(pack(text.encode("utf-8", "surrogatepass")), missing=missing, scale=scale)


COMPUTED = "CREATE TABLE t (a, b, y, c AS (zeroblob({})))"
SEEDS = {
    "gzip bomb": gzip.compress(bytes(10**8)),
    "zst bomb": zstandard.compress(bytes(10**8)),
    "zip bomb": zipped(bytes(10**8)),
    "zst of repeated blocks": b"\x28\xb5\x2f\xfd\x00\x58" + b"\x02\x00\x10\x41" * 3000,
    "deep JSON": b'{"a":' + b"[" * 10**6 + b"]" * 10**6 + b"}",
    "deep JSON array": b'[{"a":' + b"[" * 1000 + b"]" * 1000 + b"}]",
    "percent signs": b"%" * 10**5,
    "blanks in ARFF": b"@relation t\n@attribute y real\n@data\n1" + b" " * 10**6 + b"2\n",
    "blanks and quotes in ARFF": b"@relation t\n" + ATTRIBUTES + b"@data\n'1" + b" " * 10**6 + b"2",
    "long computed value": sqlite(COMPUTED.format(10**9), [(1, 2, 3)] * 5),
    "many computed values": sqlite(COMPUTED.format(10**7), [(1, 2, 3)] * 500),
    "a new key in each line": b"\n".join(b'{"y": 1, "k%d": 1}' % j for j in range(3000)),
    "a new key in each object": b"[%s]" % b",".join(b'{"y": 1, "k%d": 1}' % j for j in range(3000)),
    "open JSON": b'{"a":"' * 10**5,
    "wide header": b"," * 300_000 + b"\n",
    "one long line": b"1" * 10**6,
    "quotes": b'"' * 10**5,
    "zip without a directory": b"PK\x03\x04" + bytes(1000),
    "parquet of marks": b"PAR1" * 1000,
    "parquet with a footer that is not there": b"PAR1" + b"\xff\xff\xff\x7f" + b"PAR1",
    "npy of a long header": b"\x93NUMPY\x02\x00\xff\xff\xff\x7f{",
    "arrow of lengths": b"\xff\xff\xff\xff" * 1000,
}


@pytest.mark.parametrize("seed", SEEDS)
def test_what_once_failed_or_might_is_refused(seed: str) -> None:
    with pytest.raises(bf.DataError) as caught:
        bf.read_table(io.BytesIO(SEEDS[seed]), label="y", max_memory="100MB")
    check_message(caught.value)


def test_a_wrong_number_in_the_footer_of_an_arrow_file_is_refused_in_silence(
    capfd: pytest.CaptureFixture[str],
) -> None:
    """A library that looks beyond the end of the file would tell so on its own."""
    whole = FILES[".arrow"]
    for at in range(len(whole) - 10 - 240, len(whole) - 10, 4):
        attempt(whole[:at] + (10**8).to_bytes(8, "little") + whole[at + 8 :], ".arrow")
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("name", ["*", "^.*$", "^b$", "^$", "^[$", "^"])
def test_a_name_that_is_a_pattern_stands_for_its_own_column_only(name: str) -> None:
    rows = [f"{j % 5},x{j % 3},{j % 7} kg,{j % 2}" for j in range(30)]
    data = "\n".join([f"a,{name},b,y", *rows]).encode()
    table = read(data)
    assert [one.strip() for one in table.rows.columns] == ["a", name, "b"]
    assert [one.strip() for one in read(data, drop=name).rows.columns] == ["a", "b"]
    labelled = read(data, label=name)
    assert sorted(labelled.y.unique()) == ["x0", "x1", "x2"]
    frame = pl.DataFrame({name: ["u", "v"] * 15, "a": [0, 1, 1, 2, 0] * 6})
    both = bf.two_sample_test(frame[:15], frame[15:], drop=name, permutations=9)
    assert [one.name for one in both.columns] == ["a"]
