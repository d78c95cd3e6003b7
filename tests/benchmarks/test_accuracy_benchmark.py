from __future__ import annotations

import csv
import subprocess
import sys
from math import isnan, nan, sqrt
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from bayesfloor import METHODS, bayes_error, populations
from bayesfloor.base.arrays import Floats, Ints
from scripts import load_benchmark, run_benchmark

pytestmark = pytest.mark.slow

FIELDS = "population,d,n,m,method,repetitions,ratio,ratio_se,bias,coverage,coverage_se"
COLUMNS = ["wnn", "wnn-published", "knn k=1", "knn k=5", "mst"]


@pytest.fixture(scope="module")
def accuracy() -> ModuleType:
    return load_benchmark("accuracy")


def run_small(path: Path, *options: str) -> subprocess.CompletedProcess[str]:
    small = [
        "--populations",
        "figure2",
        "--sizes",
        "30/20",
        "--repetitions",
        "3",
        "--csv",
        str(path),
    ]
    return run_benchmark("accuracy", *small, *options)


def drawn(task: Any) -> tuple[Floats, Ints]:
    n, m = task.size
    population = populations.POPULATIONS[task.population]
    points = np.vstack(population.draw(n, m, np.random.default_rng(task.seed)))
    return points, np.repeat([0, 1], [n, m])


# by hand


def test_ratio_bias_and_coverage_match_the_sums_on_paper(accuracy: ModuleType) -> None:
    found = np.array([[0.5, 0.4, 0.6], [0.7, 0.6, 0.8], [0.1, 0.0, 0.4], [0.3, 0.3, 0.5]])
    score = accuracy.make_score(found, truth=0.4, bound=0.04)  # squares .01 .09 .09 .01
    assert score.ratio == pytest.approx(0.05 / 0.04)
    assert score.ratio_se == pytest.approx(sqrt(4 * 0.04**2 / 3) / 0.04 / sqrt(4))
    assert score.bias == pytest.approx(0.0, abs=1e-12)
    assert score.coverage == 0.75
    assert score.coverage_se == pytest.approx(sqrt(0.75 * 0.25 / 4))


def test_bias_has_a_sign_and_is_counted_in_standard_deviations(accuracy: ModuleType) -> None:
    found = np.array([[0.1, 0, 1], [0.3, 0, 1]])
    assert accuracy.make_score(found, truth=0.4, bound=0.04).bias == pytest.approx(-0.2 / 0.2)


def test_a_bound_of_zero_leaves_the_squared_error_as_it_is(accuracy: ModuleType) -> None:
    found = np.array([[0.1, 0, 0.2], [-0.3, 0, 0]])
    score = accuracy.make_score(found, truth=-2e-16, bound=1e-32)  # zero but for rounding
    assert (score.ratio, score.bias) == (pytest.approx(0.05), pytest.approx(-0.1))
    assert score.coverage == 1


def test_a_refused_sample_leaves_no_score(accuracy: ModuleType) -> None:
    score = accuracy.make_score(np.array([[0.1, 0, 1], [nan, nan, nan]]), truth=0.1, bound=1)
    assert all(isnan(value) for value in (score.ratio, score.bias, score.coverage))


def test_geometric_mean_leaves_out_many_columns_and_zero_bounds(accuracy: ModuleType) -> None:
    names = ("shift(d=2, delta=1)", "shift(d=5, delta=2)", "shift(d=10, delta=2)", "figure2(d=2)")
    rows = [
        accuracy.Row(
            accuracy.POPULATIONS[name], (9, 9), "wnn", 2, bound, accuracy.Score(ratio, 0, 0, 1, 0)
        )
        for name, bound, ratio in zip(names, (1, 1, 1, 0), (2, 8, 99, 99), strict=True)
    ]
    assert accuracy.geometric_mean(rows) == pytest.approx(4)


def test_a_repetition_draws_the_same_data_whatever_else_runs(accuracy: ModuleType) -> None:
    columns = accuracy.make_columns(["knn"])
    few, many = (accuracy.make_tasks("square()", (9, 9), columns, r, 1)[1] for r in (2, 50))
    other = accuracy.make_tasks("square()", (9, 8), columns, 2, 1)[1]
    state = [task.seed.generate_state(4).tolist() for task in (few, many, other)]
    assert state[0] == state[1] != state[2]


def test_learned_maps_are_measured_if_they_are_asked_for(accuracy: ModuleType) -> None:
    columns = [*accuracy.make_columns(["wnn"]), *accuracy.make_columns(["wnn"], "learned")]
    (task,) = accuracy.make_tasks("shift(d=5, delta=2)", (60, 60), tuple(columns), 1, 0)
    raw, learned = accuracy.estimates(task)
    assert raw[0] != learned[0]
    floor = bayes_error(*drawn(task), representation="learned", workers=1)
    assert learned[0] == floor.divergence


def test_every_method_has_a_column(accuracy: ModuleType) -> None:
    columns = accuracy.make_columns(list(METHODS))
    assert [column.name for column in columns] == COLUMNS
    assert {column.method for column in columns} == set(METHODS)


# the whole script


def test_the_script_prints_tables_and_writes_the_same_rows_for_any_workers(tmp_path: Path) -> None:
    one, two = tmp_path / "one.csv", tmp_path / "two.csv"
    done = run_small(one, "--workers", "1")
    assert (done.returncode, done.stderr) == (0, "")
    for text in ("30/20", "figure2(d=2)", "geometric mean", "Coverage", "Overall, wnn", *COLUMNS):
        assert text in done.stdout
    assert "\x1b" not in done.stdout
    assert run_small(two, "--workers", "2").returncode == 0
    assert one.read_bytes() == two.read_bytes()
    assert sorted(tmp_path.iterdir()) == [one, two]
    head, *lines = one.read_text(encoding="utf-8").splitlines()
    rows = list(csv.reader(lines))
    assert head == FIELDS
    assert [row[4] for row in rows] == COLUMNS
    assert {tuple(row[:4]) for row in rows} == {("figure2(d=2)", "2", "30", "20")}


def test_a_refusing_method_is_shown_as_a_dash_and_an_empty_field(
    accuracy: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    setting = ("surface(d=30)", (20, 20), accuracy.make_columns(["wnn-published"]))
    found = np.array([accuracy.estimates(task) for task in accuracy.make_tasks(*setting, 2, 1)])
    rows = accuracy.make_rows(*setting, found)
    accuracy.show(rows)
    shown = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["surface(d=30)", "–"] in shown
    accuracy.write_rows(rows, tmp_path / "rows.csv")
    lines = (tmp_path / "rows.csv").read_text(encoding="utf-8").splitlines()
    assert lines[1:] == ["surface(d=30),30,20,20,wnn-published,2,,,,,"]


@pytest.mark.parametrize(
    ("options", "hint"),
    [
        (("--populations", "nowhere"), "choose from shift"),
        (("--sizes", "150"), "give pairs N/M"),
        (("--repetitions", "1"), "at least 2"),
        (("--csv", "nowhere/rows.csv"), "a folder that exists"),
    ],
)
def test_wrong_options_end_at_once_and_say_what_to_give(
    accuracy: ModuleType,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    options: tuple[str, ...],
    hint: str,
) -> None:
    monkeypatch.setattr(sys, "argv", ["accuracy.py", *options])
    with pytest.raises(SystemExit):
        accuracy.parse()
    assert hint in capsys.readouterr().err
