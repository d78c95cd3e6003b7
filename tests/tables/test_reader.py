from __future__ import annotations

import gzip
import io
import json
import math
import re
import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import zstandard

import bayesfloor as bf
from bayesfloor.tables import read_table
from bayesfloor.tables.column_choice import most_similar
from bayesfloor.tables.text_columns import MISSING_TEXTS
from bayesfloor.tables.text_files import FIRST_TYPE_ROWS, MORE_TYPE_ROWS, may_lack_fields

EMPTY = "the file is empty; pass a table with a header and rows"
NO_ROWS = "there are no rows below the header; pass a table with rows"
BINARY = "binary data of an unknown format; save the table as CSV or Parquet"
NO_MARK = 'the text is UTF-16 without its mark; pass encoding="utf-16-le"'
NOT_UTF8 = (
    'the text is not UTF-8; pass encoding="cp1252" if {!r} in line {} reads right, else its own'
)
STRAY = 'a stray quote (") in line {}; remove it, or close the field it opens'
TRUNCATED_GZIP = "the gzip file is damaged or truncated; compress it again"
TRUNCATED_ZST = "the Zstandard file is damaged or truncated; compress it again"
ROWS = [(1.0,), (2.0,), (2.0,), (3.0,)]
LABELS = ["u", "v", "v", "u"]


def written(folder: Path, content: bytes | str, name: str = "table.csv") -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def read(content: bytes | str, label: str | int = "y", **options: Any) -> bf.LabelledTable:
    """Read a table without scaling."""
    data = content.encode() if isinstance(content, str) else content
    return read_table(io.BytesIO(data), label=label, **{"scale": "none", **options})


def test_columns_keep_their_order_and_the_label_may_stand_anywhere() -> None:
    table = read("b,y,a\n1,u,0.5\n2,v,1.5\n2,u,0.5\n")
    assert table.X.columns == ["b", "a"]
    assert table.X.rows() == [(1, 0.5), (2, 1.5), (2, 0.5)]
    assert table.y.to_list() == ["u", "v", "u"]
    assert table.rows.rows() == [(1, 0.5), (2, 1.5), (2, 0.5)]


def test_a_path_may_be_text_a_path_or_an_open_file(tmp_path: Path) -> None:
    path = written(tmp_path, "a,y\n1,u\n2,v\n1,u\n")
    with open(path) as text, open(path, "rb") as binary:
        for source in (str(path), path, [path], text, [binary]):
            table = read_table(source, label="y")
            assert (table.name, table.y.to_list()) == (str(path), ["u", "v", "u"])


@pytest.mark.parametrize(
    ("text", "label"),
    [("u", "u"), ("7", 7), ("1.5", 1.5), ("true", True), ('"a,b"', "a,b"), (" u ", "u")],
)
def test_labels_have_the_type_that_fits(text: str, label: object) -> None:
    other = {bool: "false", str: "w"}.get(type(label), "3")
    labels = read(f"a,y\n1,{text}\n1,{other}\n2,{other}\n").y
    assert labels[0] == label
    assert type(labels[0]) is type(label)


VARIANTS = {
    "plain": b"a,y\n1,u\n2,v\n2,v\n3,u\n",
    "gzip": gzip.compress(b"a,y\n1,u\n2,v\n2,v\n3,u\n"),
    "gzip members": gzip.compress(b"a,y\n1,u\n") + gzip.compress(b"2,v\n2,v\n3,u\n"),
    "gzip with zeros after": gzip.compress(b"a,y\n1,u\n2,v\n2,v\n3,u\n") + bytes(5),
    "zst": zstandard.compress(b"a,y\n1,u\n2,v\n2,v\n3,u\n"),
    "zst frames": zstandard.compress(b"a,y\n1,u\n") + zstandard.compress(b"2,v\n2,v\n3,u\n"),
    "byte order mark": b"\xef\xbb\xbfy,a\nu,1\nv,2\nv,2\nu,3\n",
    "utf-16": "a,y\n1,u\n2,v\n2,v\n3,u\n".encode("utf-16"),
    "crlf": b"a,y\r\n1,u\r\n2,v\r\n2,v\r\n3,u\r\n",
    "old line ends": b"a,y\r1,u\r2,v\r2,v\r3,u\r",
    "empty lines": b"\n\na,y\n1,u\n\n2,v\n,\n2,v\n3,u\n\n\n",
    "no last newline": b"a,y\n1,u\n2,v\n2,v\n3,u",
    "quotes, spaces": b'"a","y"\n"1",u\n 2,v\n2,"v"\n3,u\n',
    "a space after each comma": b"a, y\n1, u\n2, v\n2, v\n3, u\n",
    "spaces and quotes": b'a, y\n1, "u"\n2, "v"\n2, "v"\n3, "u"\n',
    "semicolons": b"a;y\n1;u\n2;v\n2;v\n3;u\n",
    "tabs": b"a\ty\n1\tu\n2\tv\n2\tv\n3\tu\n",
    "pipes": b"a|y\n1|u\n2|v\n2|v\n3|u\n",
    "runs of spaces": b"  a   y\n  1   u\n  2   v  \n  2   v\n  3   u\n",
    "spaces and crlf": b"  a   y\r\n  1   u\r\n  2   v \r\n  2   v\r\n  3   u\r\n",
    "decimal commas": b"a;y\n1,0;u\n2,0;v\n2,00;v\n3,0;u\n",
    "comments": b"# By me, in 2020, for all.\n#\na,y\n1,u\n2,v\n2,v\n3,u\n",
    "Excel's hint": b"sep=;\r\na;y\r\n1;u\r\n2;v\r\n2;v\r\n3;u\r\n",
    "json lines": b'{"a":1,"y":"u"}\n{"a":2,"y":"v"}\n{"a":2,"y":"v"}\n{"a":3,"y":"u"}\n',
    "json columns": b'{"a":[1,2,2,3],"y":["u","v","v","u"]}',
    "json columns by row": (
        b'{"a":{"0":1,"1":2,"2":2,"3":3},"y":{"3":"u","2":"v","0":"u","1":"v"}}\n'
    ),
    "json rows by number": (
        b'{"0":{"a":1,"y":"u"},"1":{"a":2,"y":"v"},"2":{"a":2,"y":"v"},"3":{"a":3,"y":"u"}}'
    ),
    "json names apart from rows": (
        b'{"columns":["a","y"],"index":[0,1,2,3],"data":[[1,"u"],[2,"v"],[2,"v"],[3,"u"]]}'
    ),
    "json columns by row, called as those of rows": (
        b'{"columns":{"0":1,"1":2,"2":2,"3":3},"data":{"0":5,"1":5,"2":5,"3":5},'
        b'"y":{"0":"u","1":"v","2":"v","3":"u"}}'
    ),
    "json columns called as those of rows": (
        b'{"columns":[1,2,2,3],"data":[5,5,5,5],"y":["u","v","v","u"]}'
    ),
    "json rows in an object": (
        b'{"source": {"by": "me"},\n "n": 4, "rows": [\n  {"a":1,"y":"u"},\n  {"a":2,"y":"v"},'
        b'\n  {"a":2,"y":"v"},\n  {"a":3,"y":"u"}]}\n'
    ),
    "json array": b' [\n{"a":1,"y":"u"},{"a":2,"y":"v"},{"y":"v","a":2},{"a":3,"y":"u"}]\n',
    "json array of text and numbers": (
        b'[{"a":1,"y":"u"},{"a":2,"y":"v"},{"a":"2","y":"v"},{"a":3,"y":"u"}]'
    ),
    "json array with a mark": (
        b'\xef\xbb\xbf[{"a":1,"y":"u"},{"a":2,"y":"v"},{"a":2,"y":"v"},{"a":3,"y":"u"}]'
    ),
    "missing values in a column of no use": b"a,y,b\n1,u,\n2,v,\n2,v,\n3,u,\n",
}


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_same_table_written_differently_reads_the_same(variant: str) -> None:
    table = read(VARIANTS[variant])
    assert table.X.rows() == ROWS
    assert table.y.to_list() == LABELS


def test_comments_before_a_table_are_noted_and_other_lines_with_their_sign_stay() -> None:
    rows = b"1,u\n2,v\n2,v\n3,u\n"
    assert read(b"# one\n# two\na,y\n" + rows).notes[0] == (
        "Left out 2 lines of comments before the table."
    )
    headed = read(b"# one\n#a,y\n" + rows)
    assert headed.X.columns == ["a"]
    assert headed.notes[0] == "Left out 1 line of comments before the table."
    assert read(b"#,y\n" + rows).X.columns == ["#"]
    colours = read(b"#ff0000,u\n#00ff00,v\nblue,u\nblue,v\n" * 3, label=-1, header=False)
    assert len(colours.y) == 12
    long = b"\n# one\n\n# two\na,y\n1,u\n1,2,u\n"
    for data in (long, long.replace(b"\n", b"\r\n"), long.replace(b"\n", b"\r")):
        with pytest.raises(bf.DataError, match="line 7 has 3 fields but the first line has 2"):
            read(data)


COMMENTS = {
    "as wide as the table": (b"# Source: City, Country, 2024\na,b,y\n", 1),
    "as wide, and another": (b"# Source: City, Country, 2024\n# Licence\na,b,y\n", 2),
    "as wide, and the header": (b"# Source: City, Country, 2024\n# a,b,y\n", 1),
    "the header": (b"# a,b,y\n", 0),
    "the header between spaces": (b"# a b y\n", 0),
    "the header between tabs": (b"# From a lab\n#a\tb\ty\n", 1),
    "as wide by its sign": (b"# x 1\na b y\n", 1),
    "as wide without its sign": (b"# x y z\na b y\n", 1),
    "a blank line": (b"# R table\n\na b y\n", 1),
    "blank lines between": (b"# one\n\n \r\n# two\na,b,y\n", 2),
    "a quote": (b'# "one\na,b,y\n', 1),
}


@pytest.mark.parametrize(("first", "count"), COMMENTS.values(), ids=COMMENTS)
def test_the_header_is_found_below_comments_and_in_the_last(first: bytes, count: int) -> None:
    between = next(sign for sign in b"\t, " if sign in first.splitlines()[-1])
    rows = b"1,2,u\n2,3,v\n2,NA,v\n1,3.5,u\n".replace(b",", bytes([between]))
    found = read(first + rows)
    assert found.rows.columns == ["a", "b"]
    assert found.y.to_list() == ["u", "v", "v", "u"]
    assert [note for note in found.notes if "comment" in note] == (
        [f"Left out {count} line{'s' * (count > 1)} of comments before the table."] * (count > 0)
    )


def test_rows_may_start_with_the_sign_of_comments_and_a_header_may_too() -> None:
    rows = b"#ff0000,3,u\n#00ff00,4,v\nblue,5,u\nblue,5,v\n"
    found = read(b"# Colours\n#name,size,y\n" + rows)
    assert found.rows["name"].to_list() == ["#ff0000", "#00ff00", "blue", "blue"]
    for first in (b"", b"# Colours\n", b"# name,size,y\n"):
        assert len(read(first + rows, label=-1, header=False).y) == 4
    for n in (10, 10_000):
        assert read(b"#name,y\n" + b"#a,u\n#b,v\n" * n).rows["#name"].to_list() == ["#a", "#b"] * n


def test_the_header_that_numpy_writes_is_read() -> None:
    file = io.BytesIO()
    np.savetxt(file, np.array([[1.5, 2, 0], [2, 3, 1], [2, 2, 1], [3, 3, 0]]), header="a b y")
    found = read(file.getvalue())
    assert found.X.columns == ["a", "b"]
    assert found.y.to_list() == [0, 1, 1, 0]


@pytest.mark.parametrize("header", [True, False])
def test_lines_that_lack_fields_are_filled_up_and_named(header: bool) -> None:
    data = (b"y,a,b\n" if header else b"") + b"u,1,2\nu,2,4\nv,3,5\nv,4,7\n" * 5 + b"u,4\nv\n"
    found = read(data, label=1, header=header)
    first = 21 + header
    assert found.notes[0] == (
        f"The fields that some lines lack count as missing: lines {first}, {first + 1} have fewer"
        " fields than the first line, which has 3."
    )
    whole = read(data.replace(b"u,4\nv\n", b"u,4,\nv,,\n"), label=1, header=header)
    assert not any("lack" in note for note in whole.notes)
    assert whole.X.rows() == found.X.rows()


@pytest.mark.parametrize("between", [" ", "  "])
def test_short_lines_are_refused_where_spaces_separate_whatever_else_there_is(between: str) -> None:
    lines = ["a b y", "1 2 u", "2 3 v", "2 u", "1 2 v"]
    empty, missing, quoted = ["", *lines, ""], [*lines, "NA NA NA"], ['"a" "b" "y"', *lines[1:]]
    held = [*lines[:3], "2 u", "1 2 'v w'".replace("'", '"')]
    for rows, number in ((empty, 5), (missing, 4), (quoted, 4), (held, 4)):
        text = "\n".join(rows).replace(" ", between) + "\n"
        for data in (text, text.replace("\n", "\r\n")):
            with pytest.raises(
                bf.DataError, match=f"line {number} has fewer fields than the first"
            ):
                read(data)


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_empty_lines_are_not_short_and_no_line_is_looked_at_for_them(end: str) -> None:
    lines = ["a b y", "1 2 u", "", "", "2 3 v", "2 u u", "", "1 2 v", "", ""]
    for between in " ,":
        text = end.join(lines).replace(" ", between)
        assert len(read(text).y) == 4
        height = pl.read_csv(text.encode(), separator=between).height
        assert not may_lack_fields(text.encode(), between, 3, height + 1)
        assert may_lack_fields(text.replace(f"3{between}", "3").encode(), between, 3, height + 1)


def test_an_empty_row_does_not_hide_a_short_line() -> None:
    note = "The fields that some lines lack count as missing: line 4 has fewer fields than the"
    assert (
        read("y,a,b\nu,1,2\nv,2,2\nv,2\n,,\nv,2,3\nu,2,2\n", missing="drop")
        .notes[0]
        .startswith(note)
    )


def test_odd_names_are_kept() -> None:
    names = ["<script>alert(1)</script>", "größe (m²)", 'a "b"', "c,d", " "]
    quoted = ",".join('"{}"'.format(name.replace('"', '""')) for name in names)
    table = read(f"{quoted},y\n1,2,1,1,1,u\n2,1,1,2,2,v\n1,1,2,1,2,u\n2,2,2,2,1,v\n")
    assert table.X.columns == [*names[:4], "column 5"]


@pytest.mark.parametrize("separator", [";", "\t", "|", " "])
def test_decimal_commas_are_numbers_unless_the_comma_separates(separator: str) -> None:
    rows = ["a,y".replace(",", separator)] + [f"{v}{separator}u" for v in ("1,5", "-2,25", "3")]
    table = read("\n".join([*rows, f"1{separator}v"]))
    assert table.X["a"].to_list() == [1.5, -2.25, 3.0, 1.0]
    assert table.notes == ()


def test_a_comma_that_cuts_alike_does_not_hide_the_separator() -> None:
    table = read("1,5;2,5;u\n2,5;2,5;v\n2,5;3,5;v\n1,5;2,5;u\n", -1, header=False)
    assert table.X.columns == ["column 1", "column 2"]
    assert table.X.rows()[0] == (1.5, 2.5)


def test_spaces_in_quotes_stay() -> None:
    table = read('a, b, y\n1, "x, z", u\n2, "x,z", v\n2, "x, z", v\n1, "w", u\n')
    assert table.rows["b"].to_list() == ["x, z", "x,z", "x, z", "w"]


def test_a_decimal_comma_that_may_separate_thousands_is_noted() -> None:
    table = read("a;y\n1,234;u\n2,500;v\n2,500;u\n")
    assert table.X["a"].to_list() == [1.234, 2.5, 2.5]
    assert table.notes == ("Numbers such as 1,234 were read with a decimal comma.",)


def test_points_separate_thousands_where_commas_are_decimal() -> None:
    table = read("a;b;y\n27.280;0,5;u\n980;2,125;v\n1.234.567;-0,75;v\n2.500,5;1,5;u\n")
    assert table.X["a"].to_list() == [27280, 980, 1234567, 2500.5]
    assert table.X["b"].to_list() == [0.5, 2.125, -0.75, 1.5]
    assert table.notes == ()
    both = read("a;b;y\n27.280;1,500;u\n980;2,125;v\n1.234;1,500;v\n")  # either may be thousands
    assert both.X["a"].to_list() == [27.28, 980, 1.234]


def test_points_and_commas_together_are_no_decimal_commas() -> None:
    table = read("a;b;y\n1.5;1,5;u\n2.5;2,5;v\n2.5;1,5;v\n")
    assert table.X.columns == ["a", "b=2,5"]


def test_a_separator_that_is_not_found_can_be_said() -> None:
    assert read("a:y\n1:u\n2:v\n2:v\n3:u\n", separator=":").X.rows() == ROWS
    assert read("a\ty\n1\tu\n2\tv\n2\tv\n3\tu\n", separator="tab").X.rows() == ROWS
    with pytest.raises(bf.DataError, match="separator is '::'; pass one character, or tab"):
        read("a::y\n1::u\n", separator="::")


LATE = [FIRST_TYPE_ROWS + 1, MORE_TYPE_ROWS + 1]


@pytest.mark.parametrize("rows", LATE)
def test_integers_that_turn_to_fractions_late_are_read_as_fractions(rows: int) -> None:
    values = read("a,y\n" + "1,u\n" * rows + "1.5,v\n").X["a"]
    assert (len(values), values[0], values[-1]) == (rows + 1, 1.0, 1.5)


@pytest.mark.parametrize("rows", LATE)
def test_numbers_that_turn_to_text_late_are_text(rows: int) -> None:
    assert read("a,y\n" + "1,u\n" * rows + "x,v\n").X.columns == ["a=x"]


@pytest.mark.parametrize(("text", "dtype"), [("7", pl.Int64), ("true", pl.Boolean)])
def test_a_column_that_starts_with_gaps_has_the_type_of_what_follows(text: str, dtype: Any) -> None:
    content = "a,b,y\n" + ",1,u\n" * (2 * FIRST_TYPE_ROWS) + f"{text},2,v\n" * 5
    assert read(content, missing="impute").rows["a"].dtype == dtype


@pytest.mark.parametrize("text", ["xy", "x y", '"x y"', '"x, y"'])
def test_blanks_after_separators_go_and_others_stay(text: str) -> None:
    table = read(f"a, b, y\n1, {text}, u\n2, {text}, v\n1, {text}, u\n", keep="b")
    assert table.rows["a"].to_list() == [1, 2, 1]
    assert table.rows["b"].to_list() == [text.strip('"')] * 3


@pytest.mark.parametrize("first", ["0.5", "7"])
def test_numbers_with_many_digits_are_floats(first: str) -> None:
    digits = "123456789012345678901234567890"
    table = read(f"a,y\n{first},{digits}\n{digits},3\n{first},3\n")
    assert table.X["a"].to_list() == [float(first), 123456789012345678901234567890.0, float(first)]
    assert table.y.to_list() == [digits, "3", "3"]


def test_large_integers_keep_their_differences() -> None:
    start = 2**60
    table = read(f"a,y\n{start},u\n{start + 1},v\n{start + 3},u\n{start + 1},v\n")
    assert table.X["a"].to_list() == [0.0, 1.0, 3.0, 1.0]
    assert table.rows["a"].to_list() == [start, start + 1, start + 3, start + 1]


def test_a_table_goes_straight_to_bayes_error() -> None:
    rng = np.random.default_rng(1)
    points, odd = rng.integers(0, 9, (60, 2)), rng.random(60) < 0.5
    side = np.where(rng.random(60) < 0.8, odd, ~odd)
    rows = [
        f"{a},{b},{str(s).lower()},{'uv'[int(o)]}"
        for (a, b), s, o in zip(points, side, odd, strict=True)
    ]
    table = read("\n".join(["a,b,odd,y", *rows]))
    found = bf.bayes_error(table, method="knn", workers=1)
    X = np.column_stack([points, side])
    assert found.to_dict() == bf.bayes_error(X, np.where(odd, "v", "u"), method="knn").to_dict()
    assert bf.bayes_error(table.X, table.y, method="knn").to_dict() == found.to_dict()
    assert table.X["odd"].dtype == pl.Boolean


def test_the_notes_of_a_table_come_first_in_those_of_the_floor() -> None:
    table = read("a,b,y\n" + "1,7,u\n2,7,v\n" * 20)
    floor = bf.bayes_error(table, method="mst")
    assert len(table.notes) == 2
    assert floor.notes[:2] == table.notes
    assert floor.notes[-1] == "The interval of mst covers its sampling error, not its bias."


def test_labels_may_not_be_left_out_of_other_data() -> None:
    with pytest.raises(bf.DataError, match="requires y to be passed"):
        bf.bayes_error([[1.0], [2.0]])


@pytest.mark.parametrize(
    ("values", "came"),
    [
        (["u", "v"], "Text data not supported in column 'b' of X"),
        ([1.0, None], "missing value, NaN or infinity in row 1, column 'b' of X"),
    ],
)
@pytest.mark.parametrize("module", ["polars", "pandas"])
def test_a_frame_apart_from_its_labels_is_told_how_it_would_be_encoded(
    values: list[Any], came: str, module: str
) -> None:
    frame = pl.DataFrame({"a": [1.0, 2.0] * 20, "b": values * 20, "y": ["u", "v"] * 20})
    X: Any = frame.select("a", "b")
    labels = frame["y"].to_list()
    if module == "pandas":
        X = X.to_pandas()
        came = came.replace("Text data not supported in column 'b' of X", "column 'b' of X")
    with pytest.raises(bf.DataError, match=came) as caught:
        bf.bayes_error(X, labels)
    hint = "or pass the frame with its labels as a column and name that in label=, which encodes"
    assert hint in str(caught.value)
    assert bf.bayes_error(frame, label="y", method="mst").n == 40
    with pytest.raises(bf.DataError) as caught:
        bf.bayes_error(X.to_numpy(), labels)
    assert "label=" not in str(caught.value)
    with pytest.raises(bf.DataError, match=came) as caught:
        bf.rank_columns(X, labels)
    assert hint in str(caught.value)
    with pytest.raises(bf.DataError, match="the column of labels is not named; pass its name"):
        bf.bayes_error(X)


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda X, y: bf.BayesErrorEstimator().fit(X, y), ""),
        (lambda X, y: bf.compare({"one": X, "two": X}, y), "set 'one': "),
        (lambda X, y: bf.compare({"one": (X, y), "two": (X, y)}), "set 'one': "),
        (lambda X, y: bf.next_source({"one": (X, y), "two": (X, y)}), ""),
    ],
    ids=["fit", "compare", "compare samples", "next_source"],
)
def test_calls_without_label_do_not_advise_it(call: Callable[..., Any], name: str) -> None:
    X, labels = pd.DataFrame({"a": [1.0, None] * 20}), ["u", "v"] * 20
    with pytest.raises(bf.DataError) as caught:
        call(X, labels)
    came = "missing value, NaN or infinity in row 1, column 'a' of X"
    assert str(caught.value) == f"{name}{came}; drop or impute it"


# columns


WIDE = "a,b,2,y\n1,5,9,u\n2,5,8,v\n2,6,8,v\n"


@pytest.mark.parametrize("label", ["y", 4, -1, "4", "-1", " y"])
def test_the_label_is_found_by_name_or_position(label: str | int) -> None:
    assert read(WIDE, label).y.to_list() == ["u", "v", "v"]


def test_frames_of_mixed_objects_are_read_like_files() -> None:
    values = [1, "x", 2.5, None, np.nan, 1.5]
    frame = pd.DataFrame({"a": pd.Series(values * 5, dtype=object), "y": ["u", 3] * 15})
    found = read_table(frame, label="y", missing="impute")
    assert found.X.columns == ["a=missing", "a=1", "a=1.5", "a=2.5", "a=x"]
    assert found.y.to_list()[:2] == ["u", "3"]
    with pytest.raises(bf.DataError, match="column 'a' holds 1j; turn it into numbers or text"):
        read_table(pd.DataFrame({"a": ["x", 1j], "y": [1, 2]}), label="y")
    twice = pd.DataFrame([[1, 2, 3]], columns=["a", "a", "y"])
    with pytest.raises(bf.DataError, match=r"^2 columns are named 'a'; give each its own name$"):
        read_table(twice, label="y")


def test_frames_are_put_below_each_other() -> None:
    first = pd.DataFrame({"a": [1.5, 2.5, 3.0], "y": ["u", "v", "u"]})
    second = pl.DataFrame({"y": ["v", "v"], "a": [4.5, 5.0]})
    found = read_table([first, second], label="y", scale="none")
    assert found.X["a"].to_list() == [1.5, 2.5, 3.0, 4.5, 5.0]
    with pytest.raises(bf.DataError, match="data frame 2: no column 'a', which data frame 1 has"):
        read_table([first, second.drop("a")], label="y")
    with pytest.raises(bf.DataError, match="a path is of type DataFrame"):
        read_table([first, "file.csv"], label="y")


def test_a_name_goes_before_a_position() -> None:
    assert read(WIDE, "2").y.to_list() == [9, 8, 8]
    assert read(WIDE, 2).y.to_list() == [9, 8, 8]
    frame = pd.DataFrame([[1.5, "u", 4], [2.5, "v", 5], [1.5, "v", 7]])  # named 0, 1, 2
    assert read_table(frame, label=1).y.to_list() == ["u", "v", "v"]
    assert read_table(frame, label=1, features=[np.int64(2)]).X.columns == ["2"]
    assert read_table(frame, label=1, drop=0).X.columns == ["2"]


@pytest.mark.parametrize(
    ("options", "columns"),
    [
        ({"features": "a,b"}, ["a", "b"]),
        ({"features": ["b", "a"]}, ["b", "a"]),
        ({"features": ["b", 1, "y"]}, ["b", "a"]),
        ({"drop": "a,2"}, ["b"]),
        ({"drop": ["a", -2]}, ["b"]),
        ({"features": "a,b", "drop": 1}, ["b"]),
    ],
)
def test_features_and_drop_choose_columns(options: Any, columns: list[str]) -> None:
    assert read(WIDE, **options).X.columns == columns


def test_names_with_commas_can_be_chosen() -> None:
    content = '"a,b",a,b,y\n1,2,1,u\n2,1,2,v\n2,2,1,u\n'
    assert read(content, features="a,b").X.columns == ["a,b"]


def test_without_a_header_columns_go_by_position() -> None:
    table = read("1,u\n2,v\n2,v\n3,u\n", -1, header=False)
    assert table.X.columns == ["column 1"]
    assert table.X.rows() == ROWS
    assert read("1,u\n2,v\n2,v\n3,u\n", "column 2", header=False).y.to_list() == LABELS


def test_a_header_of_numbers_is_noted() -> None:
    note = "The header contains numbers such as '74'; if the first line is data, pass header=False."
    assert read("74,85,1\n1,2,u\n2,2,v\n2,1,v\n", 3).notes == (note,)
    assert read("0,1,2,y\n1,2,1,u\n2,2,1,v\n2,1,2,v\n").notes == ()


# several files


def test_a_file_that_is_given_twice_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    file.write_text("x,y\n1,a\n2,b\n")
    (tmp_path / "link.csv").symlink_to(file)
    for other in (file, str(file), tmp_path / "x" / ".." / "a.csv", tmp_path / "link.csv"):
        (tmp_path / "x").mkdir(exist_ok=True)
        with pytest.raises(
            bf.DataError, match=r"\.csv: this file is given twice; pass each file once"
        ):
            read_table([file, other], label="y")
    with pytest.raises(bf.DataError, match=r"link\.csv: this file is given twice"):
        read_table(str(tmp_path / "*.csv"), label="y")
    with pytest.raises(bf.DataError, match="standard input: this file is given twice"):
        read_table(["-", "-"], label="y")


def test_several_files_are_put_below_each_other(tmp_path: Path) -> None:
    first = written(tmp_path, "a,y\n1,u\n2,v\n", "1.csv")
    written(tmp_path, "y;a\nv;2,0\nu;3,5\n", "2.csv")
    for paths in ([first, tmp_path / "2.csv"], str(tmp_path / "*.csv"), tmp_path / "[12].csv"):
        table = read_table(paths, label="y", scale="none")
        assert table.X["a"].to_list() == [1.0, 2.0, 2.0, 3.5]
        assert table.y.to_list() == LABELS
        assert table.name == f"{first} and 1 more"


def test_a_column_may_be_text_in_one_file_and_numbers_in_another(tmp_path: Path) -> None:
    paths = [written(tmp_path, "a,y\n1,u\n2,v\n", "1.csv")]
    paths.append(written(tmp_path, "a,y\nmany,v\n2,u\n", "2.csv"))
    assert read_table(paths, label="y").X.columns == ["a=2", "a=1", "a=many"]
    categories = tmp_path / "3.parquet"
    pl.DataFrame({"a": ["few"], "y": ["u"]}).cast(pl.Categorical).write_parquet(categories)
    assert read_table([*paths, categories], label="y").X.width == 4


def test_a_file_named_like_a_pattern_is_that_file(tmp_path: Path) -> None:
    path = written(tmp_path, "a,y\n1,u\n2,v\n1,u\n", "[1].csv")
    assert read_table(path, label="y").y.to_list() == ["u", "v", "u"]


def test_other_columns_in_another_file_are_named(tmp_path: Path) -> None:
    paths = [written(tmp_path, "a,y\n1,u\n", "1.csv"), written(tmp_path, "a,z\n1,u\n", "2.csv")]
    with pytest.raises(bf.DataError) as caught:
        read_table(paths, label="y")
    assert str(caught.value) == (
        f"{paths[1]}: no column 'y', which {paths[0]} has; pass tables with the same columns, or"
        " header=False if they have no header"
    )


def test_types_that_do_not_go_together_are_named(tmp_path: Path) -> None:
    frame = pl.DataFrame({"a": [[1], [2]], "y": ["u", "v"]})
    paths = [written(tmp_path, "a,y\n1,u\n", "1.csv"), tmp_path / "2.parquet"]
    frame.write_parquet(paths[1])
    with pytest.raises(bf.DataError, match=r"2\.parquet: column 'a' is List\(Int64\) but Int64 in"):
        read_table(paths, label="y")


# formats


FRAME = pl.DataFrame({"a": [1, 2, 2, 3], "y": LABELS})


@pytest.mark.parametrize("suffix", [".parquet", ".arrow", ".feather", ".arrows", ".jsonl", ".xlsx"])
def test_formats_are_recognised_by_contents_or_name(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"table{suffix}"
    write: dict[str, Any] = {
        ".parquet": FRAME.write_parquet,
        ".arrows": FRAME.write_ipc_stream,
        ".jsonl": FRAME.write_ndjson,
        ".xlsx": FRAME.write_excel,
    }
    write.get(suffix, FRAME.write_ipc)(path)
    for source in (path, io.BytesIO(path.read_bytes())):
        table = read_table(source, label="y", scale="none")
        assert (table.X.rows(), table.y.to_list()) == (ROWS, LABELS)


def test_objects_of_a_json_array_may_lack_values() -> None:
    rows = [{"a": 1.5, "b": True, "y": "u"}, {"b": None, "y": "v", "a": 2}, {"y": "u", "c": "x"}]
    found = read(json.dumps(rows * 4)).rows
    assert found["a"].to_list()[:3] == [1.5, 2, None]
    assert found["b"].to_list()[:3] == [True, None, None]
    assert found["c"].to_list()[:3] == [None, None, "x"]


SHEETS: dict[str, tuple[list[list[Any]], str]] = {
    "names twice": ([["a", "y", "y"], [1, 2, 3]], "2 columns are named 'y'; give each its own"),
    "nothing": ([], "the first sheet, 'Cover', has no rows below a header; put the table there"),
    "a title": ([["Our data"]], "the first sheet, 'Cover', has no rows below a header"),
    "no names": ([["Our data"], [1, 2]], "choose the label from 'Our data', 'column 2'"),
}


@pytest.mark.parametrize(("rows", "message"), SHEETS.values(), ids=SHEETS)
def test_a_sheet_that_is_no_table_is_refused(rows: list[list[Any]], message: str) -> None:
    import xlsxwriter

    file = io.BytesIO()
    with xlsxwriter.Workbook(file) as book:
        sheet = book.add_worksheet("Cover")
        for place, row in enumerate(rows):
            sheet.write_row(place, 0, row)
        book.add_worksheet("Data").write_row(0, 0, ["a", "y"])
    with pytest.raises(bf.DataError, match=message):
        read_table(io.BytesIO(file.getvalue()), label="no")


def test_a_workbook_without_its_reader_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    FRAME.write_excel(tmp_path / "table.xlsx")
    monkeypatch.setitem(sys.modules, "fastexcel", None)
    with pytest.raises(bf.DataError, match=r"pip install 'bayesfloor\[excel\]', or save the sheet"):
        read_table(tmp_path / "table.xlsx", label="y")


def test_arrays_in_one_archive_or_several_files_are_one_sample(tmp_path: Path) -> None:
    X, y = np.array([[1.0, 5], [2, 6], [2, 5], [3, 6]]), np.array(LABELS)
    np.savez(tmp_path / "both.npz", X=X, y=y)
    np.save(tmp_path / "X.npy", X.astype(">f4"))
    np.save(tmp_path / "y.npy", y.astype("S1"))
    np.save(tmp_path / "one.npy", np.column_stack([X, [0, 1, 1, 0]]))
    pair = [tmp_path / "X.npy", tmp_path / "y.npy"]
    for paths in (tmp_path / "both.npz", pair):
        table = read_table(paths, label="y", scale="none")
        assert table.X.to_dict(as_series=False) == {"X 1": [1, 2, 2, 3], "X 2": [5, 6, 5, 6]}
        assert table.y.to_list() == LABELS
    assert read_table(tmp_path / "one.npy", label=-1, scale="none").X["one 2"].sum() == 22


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"X": np.ones((2, 2, 2))}, "array 'X' is 3-D; save vectors and matrices only"),
        ({"X": np.ones(2, complex)}, "array 'X' holds complex128; save numbers or text"),
        (
            {"X": np.ones((3, 1)), "y": np.ones(2)},
            "the arrays differ in their number of rows ('X' has 3, 'y' has 2); make them equal",
        ),
    ],
)
def test_arrays_that_are_no_table_are_refused(tmp_path: Path, arrays: Any, message: str) -> None:
    np.savez(tmp_path / "bad.npz", **arrays)
    with pytest.raises(bf.DataError) as caught:
        read_table(tmp_path / "bad.npz", label="y")
    assert str(caught.value) == f"{tmp_path / 'bad.npz'}: {message}"


def test_arrays_of_different_length_are_refused(tmp_path: Path) -> None:
    np.save(tmp_path / "X.npy", np.ones((3, 2)))
    np.save(tmp_path / "y.npy", np.ones(2))
    with pytest.raises(bf.DataError, match=r"y\.npy: 2 rows but .*X\.npy has 3; pass arrays with"):
        read_table([tmp_path / "X.npy", tmp_path / "y.npy"], label="y")
    with pytest.raises(
        bf.DataError, match=r"X\.npy: an array cannot be combined with another kind"
    ):
        read_table([tmp_path / "X.npy", written(tmp_path, "a,y\n1,u\n")], label="y")
    (tmp_path / "other").mkdir()
    np.save(tmp_path / "other" / "X.npy", np.ones((3, 2)))
    with pytest.raises(
        bf.DataError, match=r"X\.npy: column 'X 1' is also in .*X\.npy; rename one of"
    ):
        read_table([tmp_path / "X.npy", tmp_path / "other" / "X.npy"], label="y")


def test_a_pickle_in_an_array_is_not_run(tmp_path: Path) -> None:
    np.save(tmp_path / "X.npy", np.array([{}, 1], dtype=object))
    with pytest.raises(bf.DataError, match="an array holds Python objects; save numbers"):
        read_table(tmp_path / "X.npy", label=1)


@pytest.mark.parametrize(
    "library", [pl.DataFrame, pd.DataFrame, pa.table], ids=lambda f: f.__module__
)
def test_data_frames_of_any_library_are_tables(library: Any) -> None:
    frame = library({"a": [1, 2, 2, 3], "b": ["x", "z", "x", "z"], "y": LABELS})
    table = read_table(frame, label="y", scale="none")
    assert table.X.to_dict(as_series=False) == {
        "a": [1, 2, 2, 3],
        "b=z": [False, True, False, True],
    }
    assert table.y.to_list() == LABELS
    assert table.name == "data frame"


def test_frames_without_rows_or_not_collected_are_refused() -> None:
    with pytest.raises(bf.DataError, match=r"the data frame is lazy; call \.collect\(\) on it"):
        read_table(FRAME.lazy(), label="y")
    with pytest.raises(bf.DataError, match="the data frame has no rows; pass one with rows"):
        read_table(FRAME.head(0), label="y")


@pytest.mark.parametrize("wrong", [None, 3, b"table.csv", [None]])
def test_what_is_no_path_is_refused(wrong: Any) -> None:
    with pytest.raises(bf.DataError, match="pass a file name, an open file or a data frame"):
        read_table(wrong, label="y")
    with pytest.raises(bf.DataError, match="no file is given; pass at least one path"):
        read_table([], label="y")


def test_equal_gzip_members_are_all_read() -> None:
    packed = gzip.compress(b"1,u\n2,v\n")
    table = read_table(io.BytesIO(3 * packed), label=2, header=False)
    assert table.y.to_list() == ["u", "v"] * 3


def test_a_gzip_file_that_claims_to_be_huge_takes_no_memory() -> None:
    claims = gzip.compress(b"1,u\n2,v\n") + b"\xff\xff\xff\xff"
    tracemalloc.start()
    try:
        with pytest.raises(bf.DataError, match=TRUNCATED_GZIP):
            read_table(io.BytesIO(claims), label=2, header=False)
        assert tracemalloc.get_traced_memory()[1] < 1e8
    finally:
        tracemalloc.stop()


# bad files


CHOOSE = "no column 'y'; choose the label from"
BAD_FILES = {
    "empty": (b"", EMPTY),
    "only line breaks": (b"\n\n", EMPTY),
    "header only": (b"a,y\n", NO_ROWS),
    "header and empty lines": (b"a,y\n\n,\n", NO_ROWS),
    "every byte": (bytes(range(256)), BINARY),
    "utf-16 without its mark": ("a,y\n1,u\n".encode("utf-16-le"), NO_MARK),
    "latin-1 in the header": ("é,y\n1,u\n".encode("latin-1"), NOT_UTF8.format("é", 1)),
    "latin-1 far below": (b"a,y\n" + b"1,u\n" * 19999 + b"1,\xe9\n", NOT_UTF8.format("é", 20001)),
    "cut gzip": (gzip.compress(b"a,y\n1,u\n")[:-9], TRUNCATED_GZIP),
    "wrong gzip": (b"\x1f\x8bnonsense", TRUNCATED_GZIP),
    "gzip with more after": (gzip.compress(b"a,y\n1,u\n") + b"more\x01\0\0\0", TRUNCATED_GZIP),
    "cut zst": (zstandard.compress(b"a,y\n1,u\n")[:-3], TRUNCATED_ZST),
    "wrong zst": (b"\x28\xb5\x2f\xfdnonsense", TRUNCATED_ZST),
    "cut zip": (b"PK\x03\x04nonsense", "the file is damaged or truncated; save it again"),
    "line too long": (
        b"a,y\n1,u\n\n2,v,3\n",
        "line 4 has 3 fields but the first line has 2; make them equal, or pass separator=",
    ),
    "lines too long": (
        b"a,y\n1,u,2\n2,v\n3,u,3,4\n",
        "lines 2, 4 have more fields than the first line, which has 2; make them equal, or pass"
        " separator=",
    ),
    "open quote": (b'a,y\n1,"u\n2,v\n', STRAY.format(2)),
    "quote within": (b'a,y\n1,u\n2,v"w\n3,v\n', STRAY.format(3)),
    "text after a quote": (b'a,y\n1,u\n2,v\n"3"4,v\n', STRAY.format(4)),
    "open quote in the header": (b'"a,y\n1,u\n2,v\n', STRAY.format(1)),
    "open quote below a field of two lines": (
        b'a,b,y\n"one\ntwo",1,u\n"x ""y"" z",2,v\n3,"4,v\n5,6,v\n',
        STRAY.format(5),
    ),
    "huge field": (
        b'"' + b"a" * 200_000 + b'",y\n1,u\n',
        "the text cannot be split into columns (field larger than field limit (131072)); check its"
        " quotes and separators",
    ),
    "no label": (b"a,b\n1,2\n", f"{CHOOSE} 'a', 'b'"),
    "no label among many": (
        b"a,b,c,d,e,f,g,h,i,j\n1,2,3,4,5,6,7,8,9,10\n",
        f"{CHOOSE} 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h' and 2 more",
    ),
    "other separator": (b"a:y\n1:u\n", f"{CHOOSE} 'a:y', or pass separator="),
    "a broken JSON array": (
        b'[\n {"a": 1, "y": "u"},\n {"a": 2, "y": }]',
        "the JSON array is broken in line 3, column 16; correct it there",
    ),
    "a JSON array of nothing": (b"[{},{}]", NO_ROWS),
    "a cut JSON array": (
        b'[{"a": 1, "y": "u"},',
        "the JSON array is broken in line 1, column 21; correct it there",
    ),
    "a JSON array of other things": (
        b'[{"a": 1, "y": "u"}, 2]',
        "item 1 of the JSON array is no object; pass an array with one object per row",
    ),
    "a JSON array of arrays": (
        b'[["a", "y"], [1, "u"]]',
        "item 0 of the JSON array is no object; pass an array with one object per row",
    ),
    "a JSON object without a table": (
        b'{"a": [1, 2], "y": "u"}',
        "the JSON object holds no table; pass an array with one object per row, or one object"
        " with an array for each column",
    ),
    "JSON columns of different lengths": (
        b'{"a": [1, 2, 3], "y": ["u", "v"]}',
        "the columns of the JSON object have 2 to 3 values; make them equal",
    ),
    "JSON columns of different rows": (
        b'{"a": {"0": 1, "1": 2}, "y": {"0": "u", "2": "v"}}',
        "the columns of the JSON object have different rows; make them equal",
    ),
    "a short row of a split JSON object": (
        b'{"columns": ["a", "y"], "data": [[1, "u"], [2]]}',
        "row 1 of the JSON object does not have a value for each column; correct it there",
    ),
    "JSON columns of one name": (
        b'{"columns": ["a", "a"], "data": [[1, "u"]]}',
        "two columns of the JSON object have one name; give each its own",
    ),
    "JSON columns of one name, side by side": (
        b'{"a": [1, 2], "a": [3, 4], "y": ["u", "v"]}',
        "two columns of the JSON object have one name; give each its own",
    ),
    "several tables in a JSON object": (
        b'{"meta": [{"by": "me"}], "rows": [{"a": 1, "y": "u"}, {"a": 2, "y": "v"}]}',
        "the JSON object holds several tables ('meta', 'rows'); pass one",
    ),
    "several tables of as many rows in a JSON object": (
        b'{"old": [{"a": 1, "y": "u"}], "new": [{"a": 2, "y": "v"}]}',
        "the JSON object holds several tables ('old', 'new'); pass one",
    ),
    "a long number in a JSON object": (
        b'{"a": [1, ' + b"1" * 5000 + b'],\n "y": ["u", "v"]}',
        "the JSON file is damaged, truncated or of an unsupported kind; save it again",
    ),
    "half a letter in a JSON object": (
        b'{"a": ["\\ud800", "b"],\n "y": ["u", "v"]}',
        "the JSON file is damaged, truncated or of an unsupported kind; save it again",
    ),
    "a broken JSON object": (
        b'{"a": [1, 2],\n "y": ["u" "v"]}',
        "the JSON object is broken in line 2, column 12; correct it there",
    ),
    "a deep JSON object": (
        b'{"a": ' + b"[" * 99_999,
        "line 1 is nested more than 64 levels deep; write numbers and texts beside each other",
    ),
    "a deep JSON array": (
        b'[{"a": ' + b"[" * 99_999,
        "the JSON array is nested more than 64 levels deep;"
        " write numbers and texts beside each other",
    ),
    "a broken line of JSON": (
        b'{"a": 1, "y": "u"}\n\n{"a": 2, "y": "v"\n{"a": 3, "y": "v"}\n',
        "line 3 is not a JSON object; correct or remove it",
    ),
    "a line of JSON that is no object": (
        b'{"a": 1, "y": "u"}\n[2, "v"]\n',
        "line 2 is not a JSON object; correct or remove it",
    ),
    "a value missing between spaces": (
        b"a  b  y\n1  2  u\n1     u\n3  2  v\n",
        "line 3 has fewer fields than the first line, which has 3; write NA for a missing value, or"
        " pass separator=",
    ),
    "label only": (
        b"y\nu\nv\n",
        "the label 'y' is the only column; pass a table with more columns",
    ),
    "same name": (
        b"a,b,b,y\n1,2,3,u\n",
        "2 columns are named 'b'; give each its own name, or pass header=False if the first line is"
        " data",
    ),
    "label of one value": (
        b"a,y\n1,u\n2,u\n",
        "the label 'y' has the same value, 'u', in all 2 rows; pass a column with at least two"
        " classes",
    ),
    "label of fractions": (
        b"a,y\n1,0.5\n2,0.7\n1,0.1\n",
        "the label 'y' has a different value in every row; pass a column of classes, or bin it"
        " into classes",
    ),
    "label almost of fractions": (
        b"a,y\n1,0.5\n2,0.7\n1,0.1\n1,0.1\n",
        "the label 'y' has 3 different values in 4 rows; pass a column of classes, or bin it into"
        " classes",
    ),
    "infinity": (
        b"a,y\n1,u\ninf,v\n2,u\n1,v\n",
        "column 'a' holds infinity in row 1; remove the row or leave the column out with drop=",
    ),
    "100000 columns": (
        (",".join(f"c{j}" for j in range(100_000)) + ",y\n" + "1," * 100_000 + "u\n").encode(),
        "100,000 columns are more than the 10,000 that can be compared; choose some with features=",
    ),
}


@pytest.mark.parametrize("case", BAD_FILES)
def test_a_bad_file_is_refused_in_one_sentence(tmp_path: Path, case: str) -> None:
    content, message = BAD_FILES[case]
    path = written(tmp_path, content)
    with pytest.raises(bf.DataError) as caught:
        read_table(path, label="y")
    assert str(caught.value) == f"{path}: {message}"


@pytest.mark.parametrize("suffix", [".parquet", ".arrow", ".xlsx", ".npz", ".npy", ".xls"])
def test_a_file_that_is_not_what_its_name_says_is_refused(tmp_path: Path, suffix: str) -> None:
    path = written(tmp_path, "a,y\n1,u\n", f"table{suffix}")
    with pytest.raises(
        bf.DataError, match=r"the suffix \.\w+ says .* but the contents do not; check the file"
    ):
        read_table(path, label="y")


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(bf.DataError, match=r"none\.csv: no such file; check the path$"):
        read_table(tmp_path / "none.csv", label="y")
    with pytest.raises(
        bf.DataError, match=r"\*\.csv: no file matches this pattern; check the path"
    ):
        read_table(tmp_path / "*.csv", label="y")
    with pytest.raises(bf.DataError, match="no such file"):
        read_table("https://example.org/table.csv", label="y")


def test_a_directory_is_refused(tmp_path: Path) -> None:
    with pytest.raises(
        bf.DataError, match=r": there is no Parquet file in this folder; pass the files in it$"
    ):
        read_table(tmp_path, label="y")


@pytest.mark.parametrize(
    ("problem", "message"),
    [
        (PermissionError(13, "no"), "no permission to read the file; ask its owner"),
        (OSError(5, "Disk asleep"), "the file cannot be read (Disk asleep); check the path"),
        (ValueError("null byte"), "the file cannot be read (null byte); check the path"),
    ],
    ids=["permission", "disk", "name"],
)
def test_a_file_that_cannot_be_read_is_refused(
    monkeypatch: pytest.MonkeyPatch, problem: Exception, message: str
) -> None:
    def fail(*_: object) -> None:
        raise problem

    monkeypatch.setattr(Path, "open", fail)
    with pytest.raises(bf.DataError) as caught:
        read_table("table.csv", label="y")
    assert str(caught.value) == f"table.csv: {message}"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"label": "z"}, "no column 'z'; choose the label from 'a', 'b', '2', 'y'"),
        ({"label": 0}, "no column at position 0; choose the label from 'a', 'b', '2', 'y'"),
        (
            {"label": 1.5},
            "a column is given as float; choose the label from 'a', 'b', '2', 'y'",
        ),
        ({"features": "a,c"}, "no column 'c'; choose from 'a', 'b', '2', 'y'"),
        ({"drop": "5"}, "no column at position 5; count from 1 to 4, or from -1 backwards"),
        (
            {"drop": "a,b,2"},
            "features= and drop= leave no column but the label 'y'; choose others",
        ),
        (
            {"drop": "a,y"},
            "drop= names the label 'y'; name other columns, or another label=",
        ),
        ({"label": "Y"}, "no column 'Y'; did you mean 'y'?"),
        ({"drop": "A"}, "no column 'A'; did you mean 'a'?"),
        (
            {"label": "z", "features": "a,c", "drop": ["Y", 9], "keep": "c"},
            "4 problems: (1) no column 'z'; choose the label from 'a', 'b', '2', 'y'; (2) no column"
            " 'c'; choose from 'a', 'b', '2', 'y'; (3) no column 'Y'; did you mean 'y'?; (4) no"
            " column at position 9; count from 1 to 4, or from -1 backwards",
        ),
        ({"drop": [1.5]}, "a column is given as float; pass its name or its position"),
    ],
)
def test_columns_that_are_not_there_are_refused(options: Any, message: str) -> None:
    with pytest.raises(bf.DataError) as caught:
        read(WIDE, **options)
    assert str(caught.value) == f"open BytesIO: {message}"


@pytest.mark.parametrize(
    ("label", "meant"),
    [("Species", "species"), ("specis", "species"), ("SEPAL LENGTH", "sepal length (cm)")],
)
def test_a_name_that_is_almost_right_is_asked_about(label: str, meant: str) -> None:
    with pytest.raises(
        bf.DataError, match=rf"no column '{label}'; did you mean '{re.escape(meant)}"
    ):
        read("species,sepal length (cm)\nu,1\nv,2\n", label)


def test_a_name_in_other_capitals_is_found_among_any_number() -> None:
    names = [f"column number {j}" for j in range(100_000)]
    assert most_similar(names, "Column Number 77777") == "column number 77777"
    assert most_similar(names, "label") is None


def test_all_problems_of_a_table_are_told_at_once() -> None:
    frame = pl.DataFrame(
        {
            "a": [1.0, math.inf] * 4,
            "b": [[1]] * 8,
            "c": ["1", "inf"] * 4,
            "d": [None, *[1.5, 2] * 3, 1],
            "y": [row / 7 for row in range(8)],
        },
        strict=False,
    )
    with pytest.raises(bf.DataError) as caught:
        read_table(frame, label="y", missing="error")
    assert str(caught.value) == (
        "data frame: 5 problems: (1) column 'a' holds infinity in row 1; remove the row or leave"
        " the column out with drop=; (2) column 'b' holds values of type List; turn them into"
        " numbers or text, or leave it out with drop=; (3) column 'c' holds infinity in row 1;"
        " remove the row or leave the column out with drop=; (4) the label 'y' has a different"
        " value in every row; pass a column of classes, or bin it into classes; (5) values are"
        " missing in 'd' (12.5% of rows); pass missing=\"drop\" to leave out these rows, or"
        ' missing="impute" to fill them in'
    )


def test_problems_of_several_files_are_told_at_once(tmp_path: Path) -> None:
    paths = [written(tmp_path, "", "1.csv"), written(tmp_path, "a,y\n1,u\n2,v\n", "2.csv")]
    paths.append(written(tmp_path, "a,y\n", "3.csv"))
    with pytest.raises(bf.DataError) as caught:
        read_table(paths, label="y")
    assert str(caught.value) == f"2 problems: (1) {paths[0]}: {EMPTY}; (2) {paths[2]}: {NO_ROWS}"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"scale": "nope"}, "scale is 'nope'; choose one of standard, rank, none"),
        ({"missing": "nope"}, "missing is 'nope'; choose one of impute, drop, error"),
        ({"missing": ["drop"]}, "missing is ['drop']; choose one of impute, drop, error"),
    ],
)
def test_choices_that_do_not_exist_are_refused(options: Any, message: str) -> None:
    with pytest.raises(bf.DataError) as caught:
        read(WIDE, **options)
    assert str(caught.value) == message


def test_the_texts_for_missing_values_are_documented() -> None:
    page = (Path(__file__).parents[2] / "docs" / "tables.md").read_text(encoding="utf-8")
    for text in MISSING_TEXTS - {""}:
        assert f"`{text}`" in page


def test_columns_without_a_name_are_called_by_their_place_in_every_format() -> None:
    frame = pl.DataFrame({"a": [1, 2, 3, 2], "y": ["u", "v", "u", "v"]}).rename({"a": ""})
    lines = b'{"":1,"y":"u"}\n{"":2,"y":"v"}\n{"":3,"y":"u"}\n{"":2,"y":"v"}\n'
    for table in (frame, frame.to_pandas(), io.BytesIO(lines)):
        assert read_table(table, label="y").rows.columns == ["column 1"]
