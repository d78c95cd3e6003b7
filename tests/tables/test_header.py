from __future__ import annotations

import gzip
import json
import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from bayesfloor.tables.formats import FORMATS
from bayesfloor.tables.header import header_names

FRAME = pl.DataFrame({"size in cm": [1, 2], "sort": ["u", "v"]})


def files(folder: Path) -> dict[str, Path]:
    paths = {suffix: folder / f"table{suffix}" for suffix in (".csv", ".tsv", ".parquet", ".json")}
    paths |= {suffix: folder / f"table{suffix}" for suffix in (".arrow", ".csv.gz", ".arff", ".db")}
    FRAME.write_csv(paths[".csv"])
    FRAME.write_csv(paths[".tsv"], separator="\t")
    FRAME.write_parquet(paths[".parquet"])
    FRAME.write_ipc(paths[".arrow"])
    paths[".json"].write_text(json.dumps(FRAME.rows(named=True)))
    paths[".csv.gz"].write_bytes(gzip.compress(FRAME.write_csv().encode()))
    attributes = "@attribute 'size in cm' real\n@attribute sort {u,v}\n"
    paths[".arff"].write_text(f"@relation x\n{attributes}@data\n1,u\n2,v\n")
    with closing(sqlite3.connect(paths[".db"])) as connection:
        connection.execute('CREATE TABLE t ("size in cm", sort)')
        connection.commit()
    return paths


SUFFIXES = [".csv", ".tsv", ".parquet", ".json", ".arrow", ".csv.gz", ".arff", ".db"]


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_the_names_of_any_file_are_found(tmp_path: Path, suffix: str) -> None:
    assert header_names(str(files(tmp_path)[suffix])) == ["size in cm", "sort"]


def test_only_the_first_kilobytes_of_text_are_read(tmp_path: Path) -> None:
    path = tmp_path / "long.csv"
    lines = "".join(f"{row},x\n" for row in range(50_000))
    path.write_bytes(b"a,b\n" + lines.encode() + b"\xff\0 not a table\n")
    assert header_names(str(path)) == ["a", "b"]


def test_large_files_are_not_read_whole(tmp_path: Path) -> None:
    paths = files(tmp_path).items()
    quick = {suffix for suffix, path in paths if header_names(str(path), max_whole=10)}
    assert quick == {".csv", ".tsv", ".parquet", ".arff", ".db"}
    assert {known.name for known in FORMATS if known.header} == {
        "text",
        "Parquet",
        "ARFF",
        "SQLite",
    }


def test_no_more_than_the_head_of_a_large_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "long.csv"
    with path.open("wb") as file:
        file.write(b"a,b\n1,2\n")
        file.truncate(10**13)  # more than there is memory, and nothing on disk
    assert header_names(str(path)) == ["a", "b"]


@pytest.mark.parametrize("content", [b"", b"\0\1", b"PAR1 broken", b"\x1f\x8b broken", b'[{"a": '])
def test_a_file_that_cannot_be_read_has_no_names(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "broken"
    path.write_bytes(content)
    assert header_names(str(path)) == []
    assert header_names(str(tmp_path)) == []
    np.save(tmp_path / "x.npy", np.ones((2, 2)))
    assert header_names(str(tmp_path / "x.npy")) == ["x 1", "x 2"]
