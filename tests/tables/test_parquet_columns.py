"""Of Parquet files only the columns that are asked for are read."""

from __future__ import annotations

import os
from collections.abc import Collection
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

import bayesfloor as bf
from bayesfloor.shells.cli import app
from bayesfloor.tables.memory_files import view, zero_file
from bayesfloor.tables.sources import read_spans

ROWS = 600


@pytest.fixture(scope="module")
def frame() -> pl.DataFrame:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, ROWS)
    X = rng.normal(size=(ROWS, 3)) + y[:, None]
    text = pl.Series(np.where(X[:, 2] + rng.normal(size=ROWS) > 0, "low", "high"))
    who = rng.integers(0, 60, ROWS)
    return pl.DataFrame({"a": X[:, 0], "b": X[:, 1], "who": who, "c": text, "y": y})


def write_parts(frame: pl.DataFrame, folder: Path) -> Path:
    """Write a frame as a folder of files with several row groups each."""
    folder.mkdir()
    for part in range(3):
        rows = frame[part * 200 : (part + 1) * 200]
        rows.write_parquet(folder / f"part.{part}.parquet", row_group_size=70)
    return folder


def destroy(path: Path, columns: Collection[str]) -> None:
    """Write over all pages of some columns of a file, or of the files of a folder."""
    for file in path.glob("*.parquet") if path.is_dir() else [path]:
        contents, footer = bytearray(file.read_bytes()), pq.read_metadata(file)
        for group in range(footer.num_row_groups):
            for j in range(footer.num_columns):
                chunk = footer.row_group(group).column(j)
                if chunk.path_in_schema.split(".")[0] in columns:
                    first = chunk.dictionary_page_offset or chunk.data_page_offset
                    size = chunk.total_compressed_size
                    contents[first : first + size] = b"\xff" * size
        file.write_bytes(contents)


def groups_of(table: bf.LabelledTable) -> list[int] | None:
    return None if table.groups is None else table.groups.to_list()


@pytest.mark.parametrize("in_parts", [False, True])
@pytest.mark.parametrize(
    ("options", "unread"),
    [
        ({"features": ["b", "c"]}, "a who"),
        ({"features": "b", "keep": "b"}, "a who c"),
        ({"drop": ["who", "a"]}, "a who"),
        ({"drop": [1]}, "a"),
        ({"features": ["a"], "groups": "who"}, "b c"),
    ],
)
def test_other_columns_are_not_read(
    frame: pl.DataFrame, tmp_path: Path, in_parts: bool, options: dict[str, Any], unread: str
) -> None:
    path = tmp_path / "whole.parquet"
    if in_parts:
        path = write_parts(frame, tmp_path / "parts")
    else:
        frame.write_parquet(path)
    before = bf.read_table(path, label="y", **options)
    destroy(path, unread.split())
    after = bf.read_table(path, label="y", **options)
    expected = bf.read_table(frame, label="y", **options)
    for table in (before, after):
        assert table.X.equals(expected.X)
        assert table.rows.equals(expected.rows)
        assert table.y.equals(expected.y)
        assert table.notes == expected.notes
        assert groups_of(table) == groups_of(expected)
    with pytest.raises(bf.DataError, match="damaged"):
        bf.read_table(path, label="y")


def test_positions_count_all_columns_also_those_that_are_not_read(
    frame: pl.DataFrame, tmp_path: Path
) -> None:
    folder = write_parts(frame, tmp_path / "parts")
    first = folder / "part.0.parquet"
    pl.read_parquet(first).select("y", "c", "who", "b", "a").write_parquet(first)
    table = bf.read_table(folder, label=1, features=[2, -1], groups=3)
    expected = bf.read_table(frame, label="y", features=["c", "a"], groups="who")
    assert table.X.select(expected.X.columns).equals(expected.X)
    assert table.y.equals(expected.y)


def test_columns_with_strange_names_are_found(frame: pl.DataFrame, tmp_path: Path) -> None:
    path = tmp_path / "strange.parquet"
    strange = frame.rename({"a": "^b.*$", "c": "*", "who": ""})
    strange.write_parquet(path)
    for features in (["b"], ["^b.*$"], ["*"], ["column 3"], [3]):
        table = bf.read_table(path, label="y", features=features, keep=features)
        assert table.X.equals(bf.read_table(strange, label="y", features=features).X)
    destroy(path, ["^b.*$", "*", ""])
    assert bf.read_table(path, label="y", features="b").X.columns == ["b"]


def test_structs_and_lists_are_columns_like_others(frame: pl.DataFrame, tmp_path: Path) -> None:
    path = tmp_path / "nested.parquet"
    nested = frame.with_columns(s=pl.struct("a", "b"), z=pl.concat_list("a", "b"))
    nested.write_parquet(path)
    destroy(path, ["s", "z"])
    assert bf.read_table(path, label="y", drop="s,z").X.equals(bf.read_table(frame, label="y").X)


def test_what_is_wrong_with_the_columns_is_told_as_of_other_files(
    frame: pl.DataFrame, tmp_path: Path
) -> None:
    folder = write_parts(frame, tmp_path / "parts")
    with pytest.raises(bf.DataError) as caught:
        bf.read_table(folder, label="Y", features=["A", "nothing"])
    for problem in ("no column 'Y'; did you mean 'y'?", "no column 'A'", "no column 'nothing'"):
        assert problem in str(caught.value)
    second = folder / "part.1.parquet"
    pl.read_parquet(second).drop("b").write_parquet(second)
    with pytest.raises(bf.DataError, match=r"part\.1\.parquet: no column 'b', which"):
        bf.read_table(folder, label="y", features="a")
    pl.DataFrame({"other": [1]}).write_parquet(second)
    with pytest.raises(bf.DataError, match=r"part\.1\.parquet: no column 'a', which"):
        bf.read_table(folder, label="y", features="a")


def test_a_file_beside_another_kind_is_read_whole(frame: pl.DataFrame, tmp_path: Path) -> None:
    frame[:300].write_parquet(tmp_path / "first.parquet")
    frame[300:].write_csv(tmp_path / "second.csv")
    files = [tmp_path / "first.parquet", tmp_path / "second.csv"]
    table = bf.read_table(files, label="y", features=["a", "c"])
    assert table.X.equals(bf.read_table(frame, label="y", features=["a", "c"]).X)


def test_what_is_not_read_takes_no_part_in_the_limit(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    wide = pl.DataFrame({f"x{j}": rng.normal(size=20_000) for j in range(20)})
    path = tmp_path / "wide.parquet"
    wide.with_columns(y=pl.Series(rng.integers(0, 2, 20_000))).write_parquet(path)
    with pytest.raises(bf.DataError, match=r"would take more than 1\.0 MB"):
        bf.read_table(path, label="y", max_memory="4MB")
    assert bf.read_table(path, label="y", features="x7", max_memory="4MB").X.height == 20_000


def test_spans_are_read_once_and_the_rest_is_zero(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"0123456789")
    assert read_spans(path, [(6, 99), (1, 3), (2, 4)], 7).read() == b"\x00123\x00\x006789"
    with pytest.raises(bf.DataError, match="the file would take more than 6 bytes"):
        read_spans(path, [(6, 99), (1, 3), (2, 4)], 6)


@pytest.mark.skipif(not hasattr(os, "memfd_create"), reason="files with holes in memory")
def test_a_small_column_is_read_of_a_file_larger_than_the_memory(tmp_path: Path) -> None:
    frame = pl.DataFrame({"a": [1.0, 2.0] * 500, "b": [2.0, 5.0] * 500, "y": ["u", "v"] * 500})
    path, size = tmp_path / "large.parquet", 4 * total_memory()
    frame.write_parquet(path)
    data = path.read_bytes()
    footer = int.from_bytes(data[-8:-4], "little") + 8
    with path.open("r+b") as file:  # one with a hole before its footer
        file.seek(size - footer)
        file.write(data[-footer:])
    table = bf.read_table(path, label="y", features="b", scale="none")
    assert table.X.equals(frame.select("b"))


@pytest.mark.parametrize("has_holes", [True, False])
def test_where_there_is_no_room_for_holes_a_large_file_is_refused(
    has_holes: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not has_holes:
        monkeypatch.delattr(os, "memfd_create", raising=False)
    message = r"^the file is larger than the memory; write it in several$"
    with pytest.raises(bf.DataError, match=message), zero_file(2**62) as file:
        view(file)


def total_memory() -> int:
    """Return the bytes of memory of this machine."""
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def test_commands_and_comparisons_read_only_their_columns(
    frame: pl.DataFrame, tmp_path: Path
) -> None:
    path = tmp_path / "table.parquet"
    frame.write_parquet(path)
    destroy(path, ["who", "c"])
    for words in (
        ["estimate", "--features", "a,b", "--representation", "raw"],
        ["estimate", "--drop", "who,c", "--representation", "raw"],
        ["compare", "--columns", "one=a", "--columns", "both=a,b"],
    ):
        done = CliRunner().invoke(app, [words[0], str(path), "--label", "y", *words[1:]])
        assert done.exit_code == 0, done.output


def test_a_comparison_by_position_means_those_of_the_file(
    frame: pl.DataFrame, tmp_path: Path
) -> None:
    path = tmp_path / "table.parquet"
    frame.write_parquet(path)
    by_place = bf.compare({"one": [2], "other": ["who", 1]}, "y", data=path)
    by_name = bf.compare({"one": ["b"], "other": ["who", "a"]}, "y", data=path)
    assert by_place.to_dict() == by_name.to_dict()
