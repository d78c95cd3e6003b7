"""Whatever a file holds, the outcome is a table or a DataError."""

from __future__ import annotations

import gzip
import io
import sqlite3
from contextlib import closing, suppress

import numpy as np
import polars as pl
import pytest
import zstandard
from hypothesis import example, given, settings
from hypothesis import strategies as st

import bayesfloor as bf

SUFFIXES = [
    *(".csv", ".tsv", ".txt", ".data", "", ".parquet", ".arrow", ".arrows", ".feather"),
    *(".ndjson", ".jsonl", ".xlsx", ".xls", ".npy", ".npz", ".csv.gz", ".csv.zst"),
    *(".json", ".arff", ".sqlite", ".duckdb"),
]
CELLS = st.sampled_from(
    [
        *("0", "1", "2.5", "-3e4", "NA", "?", "", " ", "a", "b", '"a,b"', '"', "'", "é", "\t"),
        *("true", "False", "1,5", "2020-01-01", "10:30", "inf", "nan", "1e400", "9" * 30, "x\r"),
        *("5th", "10-20", "<b>", "\ufeff", "{", "[1]", "=1+1", "#", "-", "."),
    ]
)


class Named(io.BytesIO):
    name = "table"


def attempt(data: bytes, suffix: str, **options: object) -> None:
    file = Named(data)
    file.name = f"table{suffix}"
    with suppress(bf.DataError):
        table = bf.read_table(file, **options)  # type: ignore[arg-type]
        assert table.X.height == len(table.y) == table.rows.height > 0
        assert all(column.dtype in (pl.Float64, pl.Boolean) for column in table.X.iter_columns())
        assert np.isfinite(table.X.cast(pl.Float64).to_numpy()).all()
        assert table.y.null_count() == 0


options = st.fixed_dictionaries(
    {
        "label": st.sampled_from([-1, 1, "a", "y"]),
        "header": st.booleans(),
        "missing": st.sampled_from(["error", "drop", "impute"]),
        "scale": st.sampled_from(["standard", "rank", "none"]),
        "separator": st.sampled_from([None, ",", " "]),
        "encoding": st.sampled_from([None, "latin-1", "utf-16"]),
    }
)


@settings(max_examples=300)
@given(data=st.binary(max_size=300), suffix=st.sampled_from(SUFFIXES), options=options)
def test_any_bytes_are_a_table_or_refused(
    data: bytes, suffix: str, options: dict[str, object]
) -> None:
    attempt(data, suffix, **options)


@settings(max_examples=500)
@given(
    rows=st.lists(st.lists(CELLS, min_size=1, max_size=4), min_size=1, max_size=12),
    separator=st.sampled_from([",", ";", "\t", "|", " ", ", "]),
    ending=st.sampled_from(["\n", "\r\n", "\r"]),
    options=options,
)
def test_any_text_is_a_table_or_refused(
    rows: list[list[str]], separator: str, ending: str, options: dict[str, object]
) -> None:
    text = ending.join(separator.join(row) for row in rows)
    attempt(text.encode(), ".csv", **options)


ARFF = b"""% a comment
@relation 'a b'
@attribute a real [0, 9]
@attribute 'b \\' c' {u, v, "w x"}
@attribute y {0, 1}
@data
1,u,0
2,'v',1
3,"w x",0
% more
4,?,1
"""


def database(frame: pl.DataFrame) -> bytes:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("CREATE TABLE t (a, b, y)")
        connection.executemany("INSERT INTO t VALUES (?, ?, ?)", frame.rows())
        connection.commit()
        return connection.serialize()


def binary_files() -> dict[str, bytes]:
    """Return one small file of each binary format."""
    frame = pl.DataFrame({"a": [1, 2, 3, 4], "b": ["u", "v", "w", None], "y": [0, 1, 0, 1]})
    files = {suffix: io.BytesIO() for suffix in (".parquet", ".arrow", ".arrows", ".npy", ".npz")}
    frame.write_parquet(files[".parquet"])
    frame.write_ipc(files[".arrow"])
    frame.write_ipc_stream(files[".arrows"])
    np.save(files[".npy"], np.arange(12.0).reshape(4, 3))
    np.savez(files[".npz"], X=np.arange(8.0).reshape(4, 2), y=np.arange(4) % 2)
    packed = frame.write_csv().encode()
    return {
        **{suffix: file.getvalue() for suffix, file in files.items()},
        ".csv.gz": gzip.compress(packed),
        ".csv.zst": zstandard.compress(packed),
        ".ndjson": frame.write_ndjson().encode(),
        ".json": frame.write_json().encode(),
        ".arff": ARFF,
        ".sqlite": database(frame),
    }


FILES = binary_files()


@pytest.mark.parametrize("suffix", FILES)
@settings(max_examples=60)
@given(cut=st.floats(0, 1), flips=st.lists(st.tuples(st.floats(0, 0.999), st.integers(0, 255))))
@example(cut=0.5, flips=[])
@example(cut=0.99, flips=[])
def test_any_damage_is_a_table_or_refused(
    suffix: str, cut: float, flips: list[tuple[float, int]]
) -> None:
    data = bytearray(FILES[suffix])
    for place, value in flips:
        data[int(place * len(data))] = value
    attempt(bytes(data[: round(cut * len(data))]), suffix, label="y")


@pytest.mark.parametrize("suffix", FILES)
def test_the_undamaged_files_are_read(suffix: str) -> None:
    label = -1 if suffix == ".npy" else "y"
    file = Named(FILES[suffix])
    file.name = f"table{suffix}"
    data = file.getvalue()
    if suffix == ".npy":
        data = (
            FILES[suffix][:128] + np.array([[1.0, 2, 0], [3, 4, 1], [5, 1, 0], [2, 2, 1]]).tobytes()
        )
    table = bf.read_table(io.BytesIO(data), label=label, missing="impute", keep=1)
    assert table.X.height == 4
