from __future__ import annotations

import io
from typing import Any

import pytest

import bayesfloor as bf
from bayesfloor.tables import read_table
from bayesfloor.tables.formats import recognise_format
from bayesfloor.tables.sources import open_sources

ARFF = """% 1. Title
%    '@attribute' in a comment, and a stray quote "

@RELATION 'some flowers'
@ATTRIBUTE 'sepal length'\tREAL
@attribute colour {red, 'dark blue', "it\'s",green}
@attribute "a {b}, \\'c\\'" integer
@attribute when date "yyyy-MM-dd"
@Attribute class {u,v}

@DATA
% the rows
5.1, red, 1, "2020-01-01", u
?,'dark blue',2,'2020-02-01',v

4.5,"it's",?,2021-02-01,v
4.5, 'red' ,3,2021-02-03,u
"""
KEEL = """@relation ring
@attribute A1 real [-6.879, 6.285]
@attribute A2 integer[0,9]
@attribute Kind {a, b}
@attribute Class{u,v}
@inputs A1, A2, Kind
@outputs Class
@data
-1.5, 2, a, u
2.5, <null>, b, v
2.5, 3, b, v
0.25, 4, a, u
"""


def read(text: str, **options: Any) -> bf.LabelledTable:
    return read_table(io.BytesIO(text.encode()), **{"label": "class", "scale": "none", **options})


def test_an_arff_header_names_the_columns() -> None:
    found = read(ARFF)
    assert found.rows.columns == ["sepal length", "colour", "a {b}, 'c'", "when"]
    assert found.rows["sepal length"].to_list() == [5.1, None, 4.5, 4.5]
    assert found.rows["colour"].to_list() == ["red", "dark blue", "it's", "red"]
    assert found.X["when month"].to_list() == [1, 2, 2, 2]
    assert found.y.to_list() == ["u", "v", "v", "u"]


def test_a_keel_header_names_the_columns() -> None:
    found = read(KEEL, label="Class")
    assert found.rows.columns == ["A1", "A2", "Kind"]
    assert found.rows["A1"].to_list() == [-1.5, 2.5, 2.5, 0.25]
    assert found.rows["A2"].to_list() == [2, None, 3, 4]
    assert found.rows["Kind"].to_list() == ["a", "b", "b", "a"]


@pytest.mark.parametrize("ending", ["\r\n", "\r"])
@pytest.mark.parametrize("between", [", ", "\t", " "])
def test_line_ends_and_separators_do_not_matter(ending: str, between: str) -> None:
    plain = read(KEEL, label="Class")
    head, rows = KEEL.split("@data\n")
    text = f"{head}@data\n{rows.replace(', ', between)}".replace("\n", ending)
    assert read(text, label="Class").X.equals(plain.X)


def test_long_comments_do_not_hide_the_header() -> None:
    source = open_sources(io.BytesIO(("% about these data\n" * 2000 + KEEL).encode()))[0]
    assert recognise_format(source).name == "ARFF"


BAD = {
    "no data": (KEEL.split("@data")[0], "the header has no line @data; add it above the rows"),
    "no attribute": (
        "@relation x\n@data\n1,2\n",
        "the header has no line @attribute; add one for each column",
    ),
    "an attribute without a name": (
        "@relation x\n@attribute\n@data\n1,2\n",
        "line 2 is no attribute; write @attribute, a name and a type",
    ),
    "same names": (
        "@relation x\n@attribute a real\n@attribute a real\n@data\n1,2\n",
        "2 columns are named 'a'; give each its own name",
    ),
    "sparse": (
        KEEL.split("@data")[0] + "@data\n% sparse\n{0 1.5, 3 u}\n",
        "the rows are sparse, as in {0 1, 3 x}; save the table with all values, as dense ARFF or",
    ),
    "no rows": (KEEL.split("@data")[0] + "@data\n", "there are no rows below the header; pass a"),
    "a long row": (
        KEEL + "\n% comment\n1,2,a,u,5\n",
        "line 15 has 5 fields but the header has 4; make them equal",
    ),
    "a long row with quotes": (
        KEEL.replace(" b,", "'b',") + "1,2,a,u,5\n",
        "line 13 has 5 fields but the header has 4; make them equal",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_a_bad_file_is_refused_in_one_sentence(case: str) -> None:
    content, message = BAD[case]
    with pytest.raises(bf.DataError) as caught:
        read(content, label="Class")
    assert str(caught.value).startswith(f"open BytesIO: {message}")
