"""Tables as people have them: what is not read right is told in one line that says what to do."""

from __future__ import annotations

import io
from typing import Any

import polars as pl
import pytest

import bayesfloor as bf
from bayesfloor.tables import LabelledTable, read_table


def read(text: str, **options: Any) -> LabelledTable:
    return read_table(io.BytesIO(text.encode()), **options)


@pytest.mark.parametrize("above", ["Lab,,Outcome\n", "Our study,,\n2024,,\n"])
def test_a_label_below_a_title_is_found(above: str) -> None:
    rows = "".join(f"{i % 7},{i % 3},{'uv'[i % 2]}\n" for i in range(30))
    row = above.count("\n") - 1
    with pytest.raises(bf.DataError) as problem:
        read(above + "crp,age,ill\n" + rows, label="ill")
    advice = f"; row {row} holds 'ill': if it has the names, delete the lines above"
    assert str(problem.value).endswith(advice)
    with pytest.raises(bf.DataError) as problem:
        read("crp,age,ill\n" + rows, label="sick")
    assert "holds" not in str(problem.value)


def test_single_quotes_are_told() -> None:
    text = "'a','b','y'\n" + "".join(f"'{i % 7}','{i % 3}','{'uv'[i % 2]}'\n" for i in range(30))
    with pytest.raises(bf.DataError, match="such as 'a', are in single quotes; write them in"):
        read(text, label=-1)


@pytest.mark.parametrize("start", [2**62, 10**25, -(10**25)])
def test_long_whole_numbers_differ_where_they_differ(start: int) -> None:
    if not hasattr(pl, "Int128") and abs(start) > 2**63:
        pytest.skip("this polars has no integers of 128 bits")
    text = "big,y\n" + "".join(f"{start + (i % 7)},{'uv'[i % 2]}\n" for i in range(42))
    table = read(text, label="y")
    assert table.X["big"].n_unique() == 7
    assert table.notes == ()
