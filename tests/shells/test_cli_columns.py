from __future__ import annotations

import io
import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from rich.console import Console
from typer.testing import CliRunner

from bayesfloor.shells.cli import app
from bayesfloor.shells.cli.output import print_table


def run(*arguments: object) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, ["columns", *map(str, arguments)])
    return result.exit_code, result.stdout, result.stderr


@pytest.fixture
def table(tmp_path: Path) -> Path:
    rng = np.random.default_rng(0)
    ill = rng.integers(0, 2, 200)
    towns = np.where(rng.random(200) < 0.7, np.where(ill, "x", "y"), "z")
    frame = pl.DataFrame({"town": towns, "age": rng.normal(size=200), "ill": ill})
    frame.write_csv(tmp_path / "table.csv")
    return tmp_path / "table.csv"


def test_the_command_prints_sentences_table_path_and_page(table: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    code, out, _ = run(table, "--label", "ill", "--report", page)
    assert code == 0
    assert out.startswith("town would be missed most: without it the error rises by ")
    assert "1 of 2 columns are enough (town): no further one lowers the mismatch." in out
    assert "table.csv" in page.read_text(encoding="utf-8")


def test_a_table_that_is_too_wide_for_the_terminal_has_cells_of_several_lines() -> None:
    heads, row = ("a set", "lowest possible error"), ("[red]all", "2.02% to 9.20%")
    lines = ["a set     lowest possible error", "[red]all  2.02% to 9.20%"]
    for width, shown in ((80, "[red]all  2.02% to 9.20%"), (22, "[red]all  2.02% to")):
        file = io.StringIO()
        console = Console(file=file, width=width, force_terminal=True, color_system=None)
        print_table(lines, console, rows=[heads, row])
        assert shown in file.getvalue()
        assert max(map(len, file.getvalue().splitlines())) <= width


def test_json_has_columns_and_path_and_says_what_was_not_tried(table: Path) -> None:
    code, out, _ = run(table, "--label", "ill", "--json", "--max-seconds", "0.000001")
    found = json.loads(out)
    assert code == 0
    assert found["schema"] == 1
    assert {one["names"][0] for one in found["columns"]} == {"town", "age"}
    assert not found["finished"]


def test_wrong_usage_is_told_in_a_line(table: Path) -> None:
    code, _, error = run(table, "--label", "ill", "--max-seconds", -1)
    assert (code, error) == (2, "error: --max-seconds is -1.0; pass a number above 0\n")
    code, _, error = run(table, "--label", "ill", "--features", "age")
    assert code == 1
    assert error.startswith("error: there is one column")
