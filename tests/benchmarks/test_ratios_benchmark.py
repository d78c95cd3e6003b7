from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

from scripts import load_benchmark

ratios = load_benchmark("ratios")


def test_a_ratio_that_fell_by_a_third_is_named_and_a_new_one_is_not() -> None:
    now = {"search": 0.99, "call": 1.01, "new": 0.1}
    assert ratios.fallen(now, {"search": 1.5, "call": 1.5}) == ["search"]


def test_a_ratio_of_a_time_too_short_to_matter_may_wobble() -> None:
    last = {"help": 19.7, "search": 5.0}
    assert ratios.fallen({"help": 3.4, "search": 3.4}, last) == []
    assert ratios.fallen({"help": 3.3, "search": 3.3}, last) == ["help", "search"]


def test_other_processes_do_not_count_towards_the_time_of_a_start() -> None:
    def waits() -> None:
        time.sleep(0.3)
        subprocess.run([sys.executable, "-c", "pass"], check=True)

    assert 0 < ratios.start_race().seconds(waits) < 0.25


def test_what_is_kept_is_added_to_what_was_kept(tmp_path: Path) -> None:
    path = tmp_path / "ratios.json"
    ratios.keep(path, {"search": 1.234})
    ratios.keep(path, {"search": 2.0})
    assert [entry["ratios"]["search"] for entry in ratios.read_kept(path)] == [1.23, 2.0]


def test_a_ratio_below_the_wanted_one_is_measured_again() -> None:
    runs: list[int] = []

    def ours() -> None:
        runs.append(0)
        time.sleep(0.002)

    race = ratios.Race(ours, lambda: None, 2)
    assert ratios.ratio_of(race, 100.0) < 1
    assert len(runs) == 1 + 2 * ratios.TRIES


@pytest.mark.parametrize(("last", "code"), [(1e9, 1), (1e-9, 0)])
def test_the_script_fails_if_a_ratio_has_fallen(
    last: float, code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, name = tmp_path / "ratios.json", "read_table, 200,000 rows, polars"
    path.write_text(json.dumps([{"ratios": {name: last}}]), encoding="utf-8")
    race = ratios.Race(lambda: None, lambda: None, 1)
    monkeypatch.setattr("sys.argv", ["ratios.py", "--kept", str(path)])
    assert ratios.main(lambda _: [(name, race)]) == code


def test_the_repository_keeps_a_ratio_of_every_race() -> None:
    kept = ratios.read_kept(ratios.KEPT)
    assert all(0.01 < ratio < 100 for ratio in kept[-1]["ratios"].values())
    assert len(kept[-1]["ratios"]) == 6
