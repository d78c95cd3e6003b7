"""Tables in many parts are read as one: folders of Parquet files, arrays and frames of Dask."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import bayesfloor as bf
from bayesfloor.tables.sources import open_sources

ROWS = 400


@pytest.fixture(scope="module")
def frame() -> pl.DataFrame:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, ROWS)
    X = rng.normal(size=(ROWS, 2)) + y[:, None]
    text = pl.Series(np.where(X[:, 0] + rng.normal(size=ROWS) > 0, "low", "high"))
    missing = pl.Series(X[:, 1]).set(pl.Series(np.arange(ROWS) % 50 == 7), None)
    return pl.DataFrame({"a": X[:, 0], "b": missing, "c": text, "y": y})


def floor_of(table: Any) -> bf.Floor:
    return bf.bayes_error(table, label="y", representation="raw")


def assert_same(one: bf.Floor, other: bf.Floor) -> None:
    assert one.interval == other.interval
    np.testing.assert_array_equal(one.posterior, other.posterior)
    assert one.notes == other.notes


def test_a_folder_of_parquet_files_is_one_table(frame: pl.DataFrame, tmp_path: Path) -> None:
    whole, folder = tmp_path / "whole.parquet", tmp_path / "folder"
    frame.write_parquet(whole)
    (folder / "part.9").mkdir(parents=True)
    for part in range(10):
        where = folder / "part.9" if part == 9 else folder
        frame[part * 40 : (part + 1) * 40].write_parquet(where / f"part.{part}.parquet")
    (folder / "_metadata.parquet").write_bytes(b"of something else")
    (folder / "notes.txt").write_text("not a table")
    assert_same(floor_of(folder), floor_of(whole))


def test_parts_come_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    for part in (10, 2, 1):
        pl.DataFrame({"a": [part]}).write_parquet(tmp_path / f"part.{part}.parquet")
    assert [source.stem for source in open_sources(tmp_path)] == ["part.1", "part.2", "part.10"]


def test_a_folder_without_parquet_files_is_refused(tmp_path: Path) -> None:
    (tmp_path / "table.csv").write_text("a,y\n1,2\n")
    with pytest.raises(bf.DataError, match="there is no Parquet file in this folder"):
        bf.read_table(tmp_path, label="y")


def test_a_frame_of_dask_is_read_as_one_of_pandas(frame: pl.DataFrame) -> None:
    dask_frames = pytest.importorskip("dask.dataframe", reason="wants bayesfloor[dask]")
    lazy = dask_frames.from_pandas(frame.to_pandas(), npartitions=3)
    assert_same(floor_of(lazy), floor_of(frame))


def test_arrays_of_dask_are_points_and_labels() -> None:
    dask_arrays = pytest.importorskip("dask.array", reason="wants bayesfloor[dask]")
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, ROWS)
    X = rng.normal(size=(ROWS, 2)) + y[:, None]
    lazy = dask_arrays.from_array(X, chunks=(150, 2)), dask_arrays.from_array(y, chunks=90)
    assert_same(
        bf.bayes_error(*lazy, representation="raw"), bf.bayes_error(X, y, representation="raw")
    )
