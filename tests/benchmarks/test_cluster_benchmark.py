from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from scripts import load_benchmark

cluster = load_benchmark("cluster")


def test_the_model_adds_up_what_each_spends() -> None:
    one = cluster.Outcome(9.0, (0.1, 0.2), serial=1.0, here=3.0, there=5.0, moved=50.0)
    two = cluster.Outcome(7.0, (0.1, 0.2), serial=1.0, here=3.0, there=7.0, moved=80.0)
    model = cluster.fit_model(10, one, two)
    assert model.processor(10, 1) == pytest.approx(one.processor)
    assert model.processor(10, 2) == pytest.approx(two.processor)
    assert (model.sent, model.returned) == (3, 2)
    moved = (30 * 2 + 20) / cluster.NETWORK  # two machines: the second gets it from the first
    assert model.seconds(10, 2, 4, here=2) == pytest.approx(1 + 2 / 2 + 2 / 4 + 3 / 8 + moved)
    assert model.seconds(20, 1, 10**9, here=10**9) == pytest.approx(2, abs=1e-6)


def test_the_check_prints_what_was_measured_beside_the_model() -> None:
    took = cluster.Outcome(8.0, (0.1, 0.2), serial=1.0, here=3.0, there=5.0)
    model, said = cluster.fit_model(10, took, took), list[str]()
    cluster.check(model, {10: took}, [], 3, said.append)
    cells = said[-1].split(" | ")
    assert (cells[0], cells[1], *cells[3:]) == ("| 10", "8.0", "8.0", "8.0 |")


def test_parts_hold_all_rows(tmp_path: Path) -> None:
    cluster.write_parts(tmp_path, 100, 2)
    found = pl.concat([pl.read_parquet(path) for path in tmp_path.iterdir()])
    assert found.shape == (100, 3)
    assert cluster.loopback_bytes() >= 0
