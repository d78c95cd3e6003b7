from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import bayesfloor as bf
from bayesfloor.tables import read_csv

EMPTY = "the file is empty; pass a CSV file with a header and rows"
NO_ROWS = "no rows below the header; pass a CSV file with a header and rows"
BINARY = "binary data, not text; pass a CSV file in UTF-8"
NOT_UTF8 = "not UTF-8 text; save it as a CSV file in UTF-8"


def written(folder: Path, content: bytes | str) -> Path:
    path = folder / "table.csv"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def test_columns_keep_their_order_and_the_label_may_stand_anywhere(tmp_path: Path) -> None:
    path = written(tmp_path, "b,y,a\n1,u,0.5\n2,v,1.5\n")
    features, labels = read_csv(path, "y")
    assert features.columns == ["b", "a"]
    assert features.rows() == [(1, 0.5), (2, 1.5)]
    assert labels.to_list() == ["u", "v"]


def test_a_path_may_be_text(tmp_path: Path) -> None:
    assert read_csv(str(written(tmp_path, "a,y\n1,u\n")), "y")[1].to_list() == ["u"]


@pytest.mark.parametrize(
    ("text", "label"), [("u", "u"), ("7", 7), ("1.5", 1.5), ("true", True), ('"a,b"', "a,b")]
)
def test_labels_have_the_type_that_fits(tmp_path: Path, text: str, label: object) -> None:
    assert read_csv(written(tmp_path, f"a,y\n1,{text}\n"), "y")[1].to_list() == [label]


@pytest.mark.parametrize(
    "content",
    [
        gzip.compress(b"a,y\n1,u\n2,v\n"),
        b"\xef\xbb\xbfy,a\nu,1\nv,2\n",
        b"a,y\r\n1,u\r\n2,v\r\n",
        b"\n\na,y\n1,u\n\n2,v\n,\n\n\n",
        b"a,y\n1,u\n2,v",
        b'"a","y"\n"1",u\n 2,v\n',
    ],
    ids=["gzip", "byte order mark", "crlf", "empty lines", "no last newline", "quotes, spaces"],
)
def test_the_same_table_in_another_dress_reads_the_same(tmp_path: Path, content: bytes) -> None:
    features, labels = read_csv(written(tmp_path, content), "y")
    assert features.rows() == [(1,), (2,)]
    assert labels.to_list() == ["u", "v"]


def test_integers_that_turn_to_fractions_late_are_read_as_fractions(tmp_path: Path) -> None:
    content = "a,y\n" + "1,u\n" * 5000 + "1.5,v\n"
    values = read_csv(written(tmp_path, content), "y")[0]["a"]
    assert values.dtype == pl.Float64
    assert (len(values), values[0], values[-1]) == (5001, 1.0, 1.5)


@pytest.mark.parametrize("first", ["0.5", "7"])
def test_numbers_with_many_digits_are_floats(tmp_path: Path, first: str) -> None:
    digits = "123456789012345678901234567890"
    features, labels = read_csv(written(tmp_path, f"a,y\n{first},{digits}\n{digits},3\n"), "y")
    assert features["a"].to_list() == [float(first), 123456789012345678901234567890.0]
    assert labels.to_list() == [digits, "3"]


def test_a_table_goes_straight_to_bayes_error(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    points, odd = rng.integers(0, 9, (60, 2)), rng.random(60) < 0.5
    rows = [
        f"{a},{b},{str(o).lower()},{'uv'[int(o)]}" for (a, b), o in zip(points, odd, strict=True)
    ]
    features, labels = read_csv(written(tmp_path, "\n".join(["a,b,odd,y", *rows])), "y")
    found = bf.bayes_error(features, labels, method="knn", workers=1)
    same = bf.bayes_error(np.column_stack([points, odd]), np.where(odd, "v", "u"), method="knn")
    assert found.to_dict() == same.to_dict()
    assert features["odd"].dtype == pl.Boolean


def test_missing_values_stay_for_the_gate_to_name(tmp_path: Path) -> None:
    features, labels = read_csv(written(tmp_path, "a,b,y\n1,2,u\n,2,u\n1,3,v\n2,2,v\n"), "y")
    with pytest.raises(bf.DataError, match="in row 1, column 'a' of X; drop or impute it"):
        bf.bayes_error(features, labels)


def test_missing_values_stay_among_numbers_with_spaces(tmp_path: Path) -> None:
    features, _ = read_csv(written(tmp_path, "a,y\n 1,u\n,v\n 2.5,u\n"), "y")
    assert features["a"].to_list() == [1.0, None, 2.5]


def test_a_line_cut_short_has_missing_values(tmp_path: Path) -> None:
    features, labels = read_csv(written(tmp_path, "a,b,y\n1,2,u\n3\n"), "y")
    assert features.rows() == [(1, 2), (3, None)]
    assert labels.to_list() == ["u", None]


ONE_OF = "no column 'y'; name the label column, one of"
BAD_FILES = {
    "empty": (b"", EMPTY),
    "only line breaks": (b"\n\n", EMPTY),
    "header only": (b"a,y\n", NO_ROWS),
    "header and empty lines": (b"a,y\n\n,\n", NO_ROWS),
    "every byte": (bytes(range(256)), BINARY),
    "utf-16": ("a,y\n1,u\n".encode("utf-16"), BINARY),
    "latin-1 in the header": ("é,y\n1,u\n".encode("latin-1"), NOT_UTF8),
    "latin-1 far below": (b"a,y\n" + b"1,u\n" * 9999 + b"1,\xe9\n", NOT_UTF8),
    "cut gzip": (
        gzip.compress(b"a,y\n1,u\n")[:-9],
        "the gzip file is damaged or cut short; compress it again",
    ),
    "wrong gzip": (
        b"\x1f\x8bnonsense",
        "the gzip file is damaged or cut short; compress it again",
    ),
    "line too long": (
        b"a,y\n1,u\n\n2,v,3\n",
        "line 4 has 3 fields, the header 2; make them equal",
    ),
    "open quote": (b'a,y\n1,"u\n2,v\n', "not a CSV file; check quotes and separators"),
    "huge field": (
        b'"' + b"a" * 200_000 + b'",y\n1,u\n',
        "not a CSV file (field larger than field limit (131072)); check quotes and separators",
    ),
    "no label": (b"a,b\n1,2\n", f"{ONE_OF} 'a', 'b'"),
    "no label among many": (
        b"a,b,c,d,e,f,g,h,i,j\n",
        f"{ONE_OF} 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h' and 2 more",
    ),
    "semicolons": (b"a;y\n1;u\n", f"{ONE_OF} 'a;y', and separate columns by commas"),
    "label only": (b"y\nu\nv\n", "no column but the label 'y'; add columns of numbers"),
    "same name": (b"a,b,b,y\n1,2,3,u\n", "2 columns are named 'b'; give each its own name"),
    "label twice": (b"a,y,y\n1,2,3\n", "2 columns are named 'y'; give each its own name"),
    "row numbers": (
        b",a,y\n0,1,u\n",
        "column 1 of 3 has no name in the header; name it, or remove it if it holds row numbers",
    ),
    "text among numbers": (
        b"a,y\n1,u\n2,v\nNA,u\n",
        "column 'a' holds 'NA' in row 2; turn text into numbers, or drop the column",
    ),
    "dates": (
        b"a,y\n2020-01-01,u\n",
        "column 'a' holds '2020-01-01' in row 0; turn text into numbers, or drop the column",
    ),
}


@pytest.mark.parametrize("case", BAD_FILES)
def test_a_bad_file_is_refused_in_one_sentence(tmp_path: Path, case: str) -> None:
    content, message = BAD_FILES[case]
    path = written(tmp_path, content)
    with pytest.raises(bf.DataError) as caught:
        read_csv(path, "y")
    assert str(caught.value) == f"{path}: {message}"


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(bf.DataError, match=r"none\.csv: no such file; check the path$"):
        read_csv(tmp_path / "none.csv", "y")


def test_a_directory_is_refused(tmp_path: Path) -> None:
    with pytest.raises(bf.DataError, match=r": a directory, not a file; pass a CSV file$"):
        read_csv(tmp_path, "y")


@pytest.mark.parametrize(
    ("problem", "message"),
    [
        (PermissionError(13, "no"), "no permission to read the file; ask its owner for it"),
        (OSError(5, "Disk asleep"), "the file cannot be read (Disk asleep); check the path"),
        (ValueError("null byte"), "the file cannot be read (null byte); check the path"),
    ],
    ids=["permission", "disk", "name"],
)
def test_a_file_that_cannot_be_read_is_refused(
    monkeypatch: pytest.MonkeyPatch, problem: Exception, message: str
) -> None:
    def fail(_: Path) -> bytes:
        raise problem

    monkeypatch.setattr(Path, "read_bytes", fail)
    with pytest.raises(bf.DataError) as caught:
        read_csv("table.csv", "y")
    assert str(caught.value) == f"table.csv: {message}"


def test_a_path_is_a_file_name_and_no_pattern_or_address(tmp_path: Path) -> None:
    written(tmp_path, "a,y\n1,u\n")
    with pytest.raises(bf.DataError, match="no such file"):
        read_csv(tmp_path / "*.csv", "y")
    with pytest.raises(bf.DataError, match="no such file"):
        read_csv("https://example.org/table.csv", "y")
