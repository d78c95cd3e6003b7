"""Small files whose tables would take more memory than there is are refused in one line."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl
import pytest
import xlsxwriter

import bayesfloor as bf
from bayesfloor.tables.arrow_buffers import buffers_size
from bayesfloor.tables.parquet_pages import unpacked_size

MEMORY = "40MB"  # 10 MB for the columns


def parquet(frame: pl.DataFrame, **options: object) -> bytes:
    file = io.BytesIO()
    frame.write_parquet(file, **options)  # type: ignore[arg-type]
    return file.getvalue()


def arrow(frame: pl.DataFrame, *, stream: bool = False, compression: Any = "zstd") -> bytes:
    file = io.BytesIO()
    (frame.write_ipc_stream if stream else frame.write_ipc)(file, compression=compression)
    return file.getvalue()


def npy(shape: str, descr: str = "<f8", data: bytes = b"") -> bytes:
    header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode() + data


def npz(member: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("X.npy", member)
    return file.getvalue()


def workbook(row: int = 4, column: int = 0) -> bytes:
    file = io.BytesIO()
    book = xlsxwriter.Workbook(file, {"in_memory": True})
    sheet = book.add_worksheet()
    for j, cells in enumerate((["a", 1, 2, 3, 4], ["y", "u", "v", "u", "v"])):
        sheet.write_column(0, j, cells)
    sheet.write(row, column, 4)
    book.close()
    return file.getvalue()


def repeating_workbook() -> bytes:
    """Return a workbook in which a thousand cells show one long text."""
    file = io.BytesIO()
    book = xlsxwriter.Workbook(file, {"in_memory": True})
    sheet = book.add_worksheet()
    for j, text in enumerate(("x" * 30_000, "u")):
        sheet.write_column(0, j, ["a" if j == 0 else "y", *[text] * 1000])
    book.close()
    return file.getvalue()


def swollen_workbook() -> bytes:
    """Return a workbook with a sheet of 20 MB of spaces."""
    source, target = io.BytesIO(workbook()), io.BytesIO()
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as new:
        for one in old.infolist():
            more = b" " * 20_000_000 if one.filename.endswith("sheet1.xml") else b""
            new.writestr(one.filename, old.read(one) + more)
    return target.getvalue()


ZEROS = pl.DataFrame({"a": np.zeros(2_000_000), "y": np.zeros(2_000_000)})
TEXTS = pl.DataFrame({"a": [f"{'a' * 10**6}{j}" for j in range(20)], "y": 0})
BOMBS: dict[str, tuple[Callable[[], bytes], str]] = {
    "equal values": (
        lambda: parquet(ZEROS),
        "the columns of the Parquet file would take",
    ),
    "long texts": (
        lambda: parquet(TEXTS),
        "the columns of the Parquet file would take",
    ),
    "Arrow": (lambda: arrow(ZEROS), "the columns of the Arrow file would take"),
    "Arrow stream": (lambda: arrow(ZEROS, stream=True), "the columns of the Arrow file would take"),
    "long texts of Arrow": (lambda: arrow(TEXTS), "the columns of the Arrow file would take"),
    "long texts of a stream": (
        lambda: arrow(TEXTS, stream=True, compression="lz4"),
        "the columns of the Arrow file would take",
    ),
    "array": (lambda: npy("(9000000,)", "|i1", bytes(9_000_000)), "the array would take"),
    "array of nothing": (lambda: npy(f"({10**15},)", "<U0"), "the array would take"),
    "header of an array": (lambda: npy(f"({10**12}, 100)"), "the NumPy array file is damaged"),
    "archive": (lambda: npz(npy("(4000000,)", data=bytes(32_000_000))), "the arrays would take"),
    "header in an archive": (
        lambda: npz(npy(f"({10**12},)")),
        "the NumPy archive file is damaged",
    ),
    "far cell": (lambda: workbook(1_048_575, 16_383), "the sheets of the workbook would take"),
    "long text in many cells": (repeating_workbook, "the texts of the workbook would take"),
    "short numbers": (lambda: b"a,b,y\n" + b"1,2,3\n" * 200_000, "the columns would take"),
    "short texts": (lambda: b"a y\n" + b"u v\n" * 300_000, "the columns would take"),
    "empty lines": (lambda: b"a,y\n1,2\n" + b"\n" * 500_000, "the columns would take"),
    "rows that are filled up": (
        lambda: b",".join(b"a%d" % j for j in range(2000)) + b",y\n" + b"1\n" * 1000,
        "the columns would take",
    ),
    "short texts of Parquet": (
        lambda: parquet(pl.DataFrame({"a": ["u", "v"] * 200_000, "y": ["a", "b"] * 200_000})),
        "the columns of the Parquet file would take",
    ),
    "swollen sheet": (swollen_workbook, "the sheets of the workbook would take"),
}


@pytest.mark.parametrize("case", BOMBS)
def test_a_bomb_is_refused_in_one_line(case: str) -> None:
    make, message = BOMBS[case]
    data = make()
    with pytest.raises(bf.DataError) as caught:
        bf.read_table(io.BytesIO(data), label="y", max_memory=MEMORY)
    assert str(caught.value).startswith(f"open BytesIO: {message}")
    assert "\n" not in str(caught.value)


def test_a_long_text_that_few_cells_show_is_no_bomb() -> None:
    file = io.BytesIO()
    book = xlsxwriter.Workbook(file, {"in_memory": True})
    sheet = book.add_worksheet()
    sheet.write_column(0, 0, ["a", "x" * 30_000, *["z", "w"] * 1000])
    sheet.write_column(0, 1, ["y", "u", *["u", "v"] * 1000])
    book.close()
    table = bf.read_table(io.BytesIO(file.getvalue()), label="y", max_memory=MEMORY)
    assert table.X.height == 2001


def test_lines_within_quotes_are_no_rows() -> None:
    long = "\n" * 1000
    rows = "".join(f'{j % 9},"{j}{long}",{j % 2}\n' for j in range(500))
    table = bf.read_table(
        io.BytesIO(f"a,b,y\n{rows}".encode()), label="y", max_memory=MEMORY, drop="b"
    )
    assert table.X.height == 500


def test_what_all_files_hold_together_is_limited() -> None:
    frame = pl.DataFrame({"a": np.arange(300_000.0) % 99, "y": np.arange(300_000) % 2})  # 5 MB
    files = [io.BytesIO(parquet(frame)) for _ in range(3)]
    assert bf.read_table(files[:1], label="y", max_memory=MEMORY).X.height == 300_000
    files[0].seek(0)
    with pytest.raises(bf.DataError, match="the columns of the Parquet file would take more"):
        bf.read_table(files, label="y", max_memory=MEMORY)


def test_what_fits_is_read() -> None:
    frame = pl.DataFrame({"a": [1, 2, 3, 4], "y": ["u", "v", "u", "v"]})
    values = np.array([[1.0, 0], [2, 1], [3, 0], [4, 1]])
    for data in (parquet(frame), workbook(), npz(npy("(4, 2)", data=values.tobytes()))):
        table = bf.read_table(io.BytesIO(data), label=2, max_memory=MEMORY, keep=1)
        assert table.X.height == 4
    with pytest.raises(bf.DataError, match="no rows below the header"):
        bf.read_table(io.BytesIO(parquet(frame.head(0))), label="y")


@pytest.mark.parametrize("compression", ["uncompressed", "snappy", "gzip", "zstd", "lz4", "brotli"])
@pytest.mark.parametrize("pages", [None, 1000])
def test_the_size_of_a_parquet_file_is_that_of_its_values(
    compression: str, pages: int | None
) -> None:
    rng = np.random.default_rng(0)
    frame = pl.DataFrame(
        {
            "a": rng.normal(size=30_000),
            "b": rng.integers(0, 3, 30_000).astype(str),
            "c": rng.integers(0, 2, 30_000) > 0,
            "d": [[1, 2], None] * 15_000,
        }
    )
    data = parquet(frame, compression=compression, data_page_size=pages, row_group_size=7000)
    assert 8 * 30_000 * 4 <= unpacked_size(data) < 8 * 30_000 * 7


@pytest.mark.parametrize("compression", ["uncompressed", "zstd", "lz4"])
@pytest.mark.parametrize("stream", [False, True])
def test_the_size_of_an_arrow_file_is_that_of_its_values(compression: str, stream: bool) -> None:
    rng = np.random.default_rng(0)
    texts = pl.Series("b", rng.integers(0, 3, 30_000).astype(str))
    frame = pl.DataFrame(
        {
            "a": rng.normal(size=30_000),
            "b": texts,
            "c": texts.cast(pl.Categorical),
            "d": [[1]] * 30_000,
        }
    )
    data = arrow(frame, stream=stream, compression=compression)
    assert 8 * 30_000 * 4 <= buffers_size(data) < 8 * 30_000 * 8
    assert buffers_size(arrow(frame.head(0), stream=stream)) < 100


def test_an_arrow_file_of_another_library_is_measured_too() -> None:
    library = pytest.importorskip("pyarrow")
    table = library.table({"a": np.arange(20_000.0), "y": ["u", "v"] * 10_000})
    for make in (library.ipc.new_file, library.ipc.new_stream):
        file = io.BytesIO()
        with make(file, table.schema) as writer:
            writer.write_table(table, max_chunksize=3000)
        assert 16 * 20_000 <= buffers_size(file.getvalue()) < 32 * 20_000
        assert bf.read_table(io.BytesIO(file.getvalue()), label="y", keep=1).X.height == 20_000


def test_a_parquet_file_of_another_library_is_measured_too() -> None:
    arrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet as writer

    for version in ("1.0", "2.0"):
        file = io.BytesIO()
        table = arrow.table({"a": np.arange(20_000.0), "y": ["u", "v"] * 10_000})
        writer.write_table(table, file, data_page_version=version, compression="gzip")
        assert 16 * 20_000 <= unpacked_size(file.getvalue()) < 40 * 20_000


def test_a_line_of_millions_of_fields_is_refused_at_once() -> None:
    for text in (b"," * 3_000_000, b"a b " * 1_000_000, b"y\n" + b"1;" * 2_000_000):
        with pytest.raises(bf.DataError, match="a line has more than 1,000,000 fields; pass fewer"):
            bf.read_table(io.BytesIO(text), label="y")


@pytest.mark.parametrize("depth", [65, 1000, 300_000])
@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"a":', "}")])
def test_deeply_nested_json_is_refused_by_its_line(opening: str, closing: str, depth: int) -> None:
    text = f'{{"a":1,"y":"u"}}\n{{"a":{opening * depth}1{closing * depth},"y":"v"}}\n'
    with pytest.raises(bf.DataError) as caught:
        bf.read_table(io.BytesIO(text.encode()), label="y")
    assert str(caught.value) == (
        "open BytesIO: line 2 is nested more than 64 levels deep; write numbers and texts beside"
        " each other"
    )


def test_brackets_in_texts_nest_nothing() -> None:
    lines = [{"a": j % 2, "b": '["\\' * 50 + "{" * 99 * (j % 2), "y": j // 2} for j in range(4)]
    text = "\n".join(map(json.dumps, lines))
    assert bf.read_table(io.BytesIO(text.encode()), label="y").X.height == 4


def test_empty_columns_of_a_sheet_are_not_talked_about(caplog: pytest.LogCaptureFixture) -> None:
    bf.read_table(io.BytesIO(workbook(4, 30)), label="y", missing="impute")
    assert not caplog.records
