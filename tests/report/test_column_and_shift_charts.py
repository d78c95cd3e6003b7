"""Charts of columns and of shifts leave no name out and show no share below zero."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import polars as pl
import pytest

from bayesfloor.comparison import rank_columns
from bayesfloor.report.column_charts import draw_path
from bayesfloor.report.shift_page import profile_chart
from bayesfloor.two_sample.column_profiles import ColumnProfile


def axis(*names: str) -> Any:
    shares = (1 / len(names),) * len(names)
    drawn = json.loads(profile_chart(ColumnProfile(names, shares, shares)).to_json())
    (layer,) = drawn["layer"]
    return layer["encoding"]["x"]["axis"]


@pytest.mark.parametrize(
    ("names", "angle"),
    [
        (("fog", "rain", "sun"), 0),
        (tuple(f"{bar / 7:.4g}" for bar in range(12)), 0),
        (("a long name", "another one", "the third one", "one"), -40),
        (tuple(f"2020-01-{day:02}" for day in range(1, 13)), -40),
    ],
)
def test_names_of_bars_are_level_where_they_fit(names: tuple[str, ...], angle: int) -> None:
    assert axis(*names)["labelAngle"] == angle


def test_the_path_of_columns_starts_at_zero_and_its_names_are_slanted() -> None:
    rng = np.random.default_rng(0)
    y = np.arange(200) % 2
    frame = pl.DataFrame({"a": rng.normal(size=200) + 2 * y, "b": rng.normal(size=200), "y": y})
    chart = draw_path(rank_columns(frame, "y")).chart
    assert chart is not None
    drawn = json.loads(chart.to_json())
    low, high = drawn["layer"][0]["encoding"]["y"]["scale"]["domain"]
    assert (low, high > 0.5) == (0, True)
    (names,) = (one["mark"] for one in drawn["layer"] if one["mark"]["type"] == "text")
    assert names["angle"] == 325
