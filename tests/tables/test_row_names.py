"""Names and numbers of rows, as R and pandas write them, are no columns that predict."""

from __future__ import annotations

import io
import re
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
import xlsxwriter

import bayesfloor as bf
from bayesfloor.tables import LabelledTable, read_table
from bayesfloor.tables.preview import preview_table
from bayesfloor.tables.read_options import ReadOptions

N = 40
rng = np.random.default_rng(5)
ROWS = [
    (f"{a:.3f}", f"{b:.3f}", f'"{("red", "pale blue")[int(b > 0)]}"', f'"{("yes", "no")[i % 2]}"')
    for i, (a, b) in enumerate(rng.normal(size=(N, 2)))
]
HEADER = ('"a.x"', '"b c"', '"colour"', '"y"')
NAMES = {
    "numbers": [f'"{i + 1}"' for i in range(N)],
    "filtered": [f'"{i * 977 + 1}"' for i in range(N)],
    "words": [f'"Mazda RX{i}"' for i in range(N)],
}
NOTE = "Left out the first field of each line: the header has no name for it, as where R writes"


def written(names: list[str], separator: str, *, first: str | None = None) -> str:
    """Write a table as R does: `write.table` without a first field of the header."""
    header = HEADER if first is None else (first, *HEADER)
    lines = [header, *((name, *row) for name, row in zip(names, ROWS, strict=True))]
    return "".join(separator.join(line) + "\n" for line in lines)


def read(text: str, **options: Any) -> LabelledTable:
    return read_table(io.BytesIO(text.encode()), label="y", **options)


@pytest.mark.parametrize("names", NAMES)
@pytest.mark.parametrize("separator", [" ", "\t", ";", ","])
def test_names_of_rows_by_r_are_left_out(separator: str, names: str) -> None:
    table = read(written(NAMES[names], separator))
    assert table.rows.columns == ["a.x", "b c", "colour"]
    assert table.y.to_list() == ["yes", "no"] * (N // 2)
    assert table.rows.row(0) == (float(ROWS[0][0]), float(ROWS[0][1]), ROWS[0][2].strip('"'))
    assert table.notes[0].startswith(NOTE)


def test_quotes_go_from_names_between_spaces() -> None:
    text = "".join(" ".join(line) + "\n" for line in [HEADER, *ROWS])
    assert read(text).rows.columns == ["a.x", "b c", "colour"]
    assert read(text).notes == ()


def test_row_names_without_quotes_are_understood_where_no_comma_separates() -> None:
    text = re.sub('"|pale ', "", written(NAMES["numbers"], " ")).replace("b c", "b")
    assert read(text).rows.columns == ["a.x", "b", "colour"]
    with pytest.raises(bf.DataError, match="have more fields than the first line, which has 4"):
        read(text.replace(" ", ","))  # a comma may be in decimals or text


def test_dates_and_decimals_that_are_cut_are_no_row_names() -> None:
    dates = "day a y\n" + "".join(f"2020-01-{i + 10} 12:00 {i % 3} u\n" for i in range(9))
    with pytest.raises(bf.DataError, match="have more fields than the first line"):
        read(dates)
    trailing = "a;b;y\n" + "".join(f"{i};2;{'uv'[i % 2]};\n" for i in range(9))
    with pytest.raises(bf.DataError, match="have more fields than the first line"):
        read(trailing)


@pytest.mark.parametrize("first", ['""', "", '"Unnamed: 0"', "rownames"])
@pytest.mark.parametrize("names", ["numbers", "filtered"])
def test_row_numbers_are_left_out_and_can_be_kept(names: str, first: str) -> None:
    text = written([name.strip('"') for name in NAMES[names]], ",", first=first)
    title = first.strip('"') or "column 1"
    table = read(text)
    assert table.rows.columns == ["a.x", "b c", "colour"]
    assert f"{title!r}; keep= uses a column anyway." in table.notes[0]
    assert table.notes[0].startswith("Left out because it")
    assert read(text, keep=title).rows.columns == [title, "a.x", "b c", "colour"]
    assert read(text, keep=1).rows.columns[0] == title
    preview = preview_table(io.BytesIO(text.encode()), ReadOptions())
    assert [bool(column.left_out) for column in preview.columns] == [True] + [False] * 4


def test_row_numbers_that_start_anew_are_left_out_too(tmp_path: Path) -> None:
    text = written([str(i % 10) for i in range(N)], ",", first="")
    paths = [tmp_path / "a.csv", tmp_path / "b.csv"]
    for path in paths:
        path.write_text(text)
    assert read_table(paths, label="y").rows.columns == ["a.x", "b c", "colour"]


def test_a_first_column_without_a_name_is_used_if_it_holds_values() -> None:
    for values in (["1.5", "2"] * (N // 2), ["u", "v"] * (N // 2)):
        assert read(written(values, ",", first="")).rows.columns[0] == "column 1"
    plain = "".join(f"{i},{i % 7},{'uv'[i % 2]}\n" for i in range(0, 930_000, 31_001))
    table = read_table(io.BytesIO(plain.encode()), label=-1, header=False)
    assert table.rows.columns == ["column 1", "column 2"]  # no header lacks its name


def test_row_numbers_of_frames_and_sheets_are_left_out(tmp_path: Path) -> None:
    numbers = [i * 977 for i in range(N)]
    frame = pl.DataFrame({"__index_level_0__": numbers, "a": range(N), "y": ["u", "v"] * (N // 2)})
    frame = frame.with_columns(pl.col("a") % 7)
    frame.write_parquet(tmp_path / "a.parquet")
    with xlsxwriter.Workbook(tmp_path / "a.xlsx") as book:
        sheet = book.add_worksheet()
        for j, column in enumerate(frame.iter_columns()):
            sheet.write_column(0, j, ["" if j == 0 else column.name, *column])
    for name in ("a.parquet", "a.xlsx"):
        assert read_table(tmp_path / name, label="y").rows.columns == ["a"]
