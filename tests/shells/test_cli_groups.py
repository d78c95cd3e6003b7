from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

from bayesfloor import BayesErrorEstimator
from bayesfloor.shells.cli import app
from bayesfloor.truth.panels import PANELS


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    points, labels, groups = PANELS["both"].draw(40, np.random.default_rng(0))
    path = tmp_path_factory.mktemp("data") / "panel.csv"
    day = pl.date_range(pl.date(2020, 1, 1), pl.date(2021, 2, 3), eager=True)
    frame = pl.DataFrame({"a": points[:, 0], "b": points[:, 1], "who": groups, "y": labels})
    frame.with_columns(day=day, name=pl.lit("x")).write_csv(path)
    return path


def run(*words: object) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, ["estimate", *map(str, words), "--quiet"])
    return result.exit_code, result.stdout, result.stderr


def test_the_terminal_and_the_document_tell_groups(table: Path) -> None:
    code, shown, _ = run(table, "--label", "y", "--group", "who", "--drop", "day,name")
    assert code == 0
    assert "400 rows in 40 groups" in shown
    asked = (table, "--label", "y", "--group", "who", "--drop", "day,name", "--json")
    assert json.loads(run(*asked)[1])["groups"]["count"] == 40


@pytest.mark.usefixtures("one_chart")
def test_the_page_tells_groups(table: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    asked = ("--label", "y", "--group", "who", "--drop", "day,name", "--report", page)
    assert run(table, *asked)[0] == 0
    assert "400 rows in 40 groups" in page.read_text(encoding="utf-8")


def test_ceilings_of_groups_are_refused_before_the_run(table: Path) -> None:
    for option in ("--group", "--time"):
        code, shown, said = run(table, "--label", "y", option, "who", "--ceilings")
        assert (code, shown) == (2, "")
        assert said.startswith("error: --ceilings need independent rows")
        assert said.count("\n") == 1


def test_notes_on_the_page_name_the_options_of_the_command(table: Path, tmp_path: Path) -> None:
    rows = table.read_text(encoding="utf-8").splitlines()
    (tmp_path / "twice.csv").write_text("\n".join([*rows, *rows[1:]]), encoding="utf-8")
    page = tmp_path / "page.html"
    words = (tmp_path / "twice.csv", "--label", "y", "--drop", "day,name,who", "--report", page)
    code, _, said = run(*words)
    assert code == 0, said
    text = page.read_text(encoding="utf-8")
    assert "--group" in text
    assert "groups=" not in text


def test_dates_make_blocks(table: Path) -> None:
    code, shown, _ = run(table, "--label", "y", "--time", "day", "--drop", "who,name")
    assert code == 0
    assert "blocks of time" in shown


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--group", "y"), "--group names the label 'y'"),
        (("--group", "none"), "no column 'none'"),
        (("--group", "name"), "one group only, 'x'"),
        (("--time", "name"), "--time names 'name', which holds text"),
        (("--group", "who", "--time", "day"), "--group and --time are both given"),
    ],
)
def test_bad_columns_are_refused_in_one_line(
    table: Path, words: tuple[str, ...], message: str
) -> None:
    code, _, told = run(table, "--label", "y", *words)
    assert code == 1
    assert message in told
    assert told.count("\n") == 1


def test_the_estimator_takes_groups_when_it_is_fitted() -> None:
    points, labels, groups = PANELS["both"].draw(40, np.random.default_rng(0))
    fitted = BayesErrorEstimator().fit(points, labels, groups=groups)
    assert fitted.floor_.groups is not None
    assert fitted.floor_.groups.count == 40
