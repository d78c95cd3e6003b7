from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from scripts import load_benchmark

cluster = load_benchmark("cluster")


def test_the_model_goes_through_both_times_and_shares_out_the_rest() -> None:
    model = cluster.fit_model(1000, one=30.0, two=20.0)
    assert model.seconds(1000, 1) == pytest.approx(30)
    assert model.seconds(1000, 2) == pytest.approx(20)
    assert model.seconds(2000, 1e9) == pytest.approx(20)
    slower = cluster.fit_model(1000, one=20.0, two=30.0)
    assert slower.shared == 0  # more workers cannot be told to help


def test_parts_hold_all_rows(tmp_path: Path) -> None:
    cluster.write_parts(tmp_path, 100, 2)
    found = pl.concat([pl.read_parquet(path) for path in tmp_path.iterdir()])
    assert found.shape == (100, 3)
    assert cluster.loopback_bytes() >= 0
