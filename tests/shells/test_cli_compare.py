from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

from bayesfloor.shells.cli import app


def run(*arguments: object) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, ["compare", *map(str, arguments)])
    return result.exit_code, result.stdout, result.stderr


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rng = np.random.default_rng(0)
    ill = rng.integers(0, 2, 300)
    frame = pl.DataFrame(
        {
            "id": np.arange(300),
            "age": rng.normal(size=300) + ill,
            "crp": rng.normal(size=300) + 2 * ill,
            "ill": ill,
        }
    )
    frame.write_csv(tmp_path / "all.csv")
    frame.select("id", "age", "ill").write_csv(tmp_path / "base.csv")
    frame.select("id", "crp")[::-1].write_csv(tmp_path / "lab.csv")
    frame[:150].write_csv(tmp_path / "north.csv")
    return tmp_path


def test_sets_of_columns_get_a_verdict_a_table_and_a_page(folder: Path) -> None:
    sets = ("--columns", "base=age", "--columns", "base + lab=age,crp")
    page = folder / "page.html"
    code, out, _ = run(folder / "all.csv", "--label", "ill", *sets, "--report", page)
    assert code == 0
    assert out.startswith("base + lab lowers the floor against base by ")
    assert "reference" in out
    assert "all.csv" in page.read_text(encoding="utf-8")


def test_tables_joined_by_a_key_say_the_same_as_one_table(folder: Path) -> None:
    files = folder / "base.csv", folder / "lab.csv"
    code, out, _ = run(*files, "--label", "ill", "--key", "id", "--json")
    assert code == 0
    joined = {one["name"]: one for one in json.loads(out)["sets"]}
    sets = ("--columns", "base=age", "--columns", "both=age,crp")
    one = json.loads(run(folder / "all.csv", "--label", "ill", *sets, "--json")[1])
    assert one["schema"] == 1
    both = next(a for a in one["sets"] if a["name"] == "both")
    assert joined["base + lab"]["interval"] == both["interval"]


def test_tables_without_a_key_are_samples(folder: Path) -> None:
    code, out, _ = run(folder / "all.csv", folder / "north.csv", "--label", "ill")
    assert code == 0
    assert "150 rows" in out
    assert "no rows in common" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "error: there is one table and no set of columns; pass --columns, or more tables"),
        (("--columns", "age"), "error: --columns is 'age'; write it as NAME=a,b,c"),
        (("--columns", "a=age"), "error: --columns names one set"),
        (("--columns", "a=age", "--columns", "a=crp"), "error: --columns names 'a' twice"),
        (("--columns", "a=age", "--columns", "b=crp", "--key", "id"), "error: --columns and --key"),
    ],
)
def test_wrong_usage_is_told_in_a_line(
    folder: Path, arguments: tuple[str, ...], message: str
) -> None:
    code, out, error = run(folder / "all.csv", "--label", "ill", *arguments)
    assert (code, out) == (2, "")
    assert error.startswith(message)
    assert error.count("\n") == 1
