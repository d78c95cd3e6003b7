from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from bayesfloor.base.formatting import (
    MAX_SHOWN_LETTERS,
    counted,
    counted_columns,
    cut,
    percent,
    shorten,
)


def test_percents_are_finer_near_the_ends() -> None:
    assert [percent(x) for x in (0, 0.00012, 0.004, 0.05, 0.123, 0.95, 1)] == [
        "0%", "0.012%", "0.40%", "5.00%", "12.3%", "95.00%", "100%",
    ]  # fmt: skip


@pytest.mark.parametrize("tiny", [0.0, -0.0, 1e-300, 1e-9, 4e-6])
def test_what_rounds_to_none_or_all_is_written_like_them(tiny: float) -> None:
    assert (percent(tiny), percent(1 - tiny)) == ("0%", "100%")
    assert percent(6e-6) == "0.001%"


def test_one_thing_is_no_plural() -> None:
    assert [counted(n, "column") for n in (0, 1, 2, 1000)] == [
        "0 columns", "1 column", "2 columns", "1,000 columns",
    ]  # fmt: skip
    assert counted_columns(1, 60) == "1 column (60 after encoding)"


@pytest.mark.parametrize(
    "value", [None, float("nan"), np.float32("nan"), pd.NA, pd.NaT, np.ma.masked], ids=str
)
def test_a_missing_value_is_called_so(value: Any) -> None:
    assert shorten(value) == "missing"


def test_long_names_end_in_an_ellipsis() -> None:
    assert cut("x" * MAX_SHOWN_LETTERS) == "x" * MAX_SHOWN_LETTERS
    assert cut("x" * 1000) == "x" * (MAX_SHOWN_LETTERS - 1) + "…"
    assert shorten("a " * 40) == ("a " * 40)[: MAX_SHOWN_LETTERS - 1].rstrip() + "…"
    assert shorten(np.array([1, 2])) == "[1 2]"
