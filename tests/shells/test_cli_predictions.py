"""--predictions and --key judge a model on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

from bayesfloor.shells.cli import app

RUNNER = CliRunner()


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """Write a table, and predictions in another order beside it."""
    rng = np.random.default_rng(0)
    yes = np.arange(120) % 2 == 0
    frame = pl.DataFrame(
        {
            "id": [f"r{i}" for i in range(120)],
            "x": rng.normal(size=120) + 2 * yes,
            "sick": np.where(yes, "yes", "no"),
        }
    )
    frame.write_csv(tmp_path / "table.csv")
    answers = np.where(rng.random(120) < 0.6, frame["sick"], "no")
    pl.DataFrame({"id": frame["id"], "model": answers}).reverse().write_csv(tmp_path / "model.csv")
    return tmp_path


def run(folder: Path, *options: str) -> tuple[int, str, str]:
    base = ["estimate", str(folder / "table.csv"), "--label", "sick", "--quiet"]
    made = RUNNER.invoke(app, [*base, *options])
    return made.exit_code, made.stdout, made.stderr


def test_a_file_of_predictions_is_joined_by_its_key(table: Path) -> None:
    model = str(table / "model.csv")
    code, out, err = run(table, "--predictions", model, "--key", "id", "--json")
    assert code == 0, err
    made = json.loads(out)
    assert made["predictions"]["rows"] == 120
    assert made["model"]["verdict"] in ("room left", "may be done")
    code, out, _ = run(table, "--predictions", model, "--key", "id", "--check", "--ascii")
    assert code == 0
    assert "model's regret" in out
    assert "Your model, " in out


def test_predictions_without_a_key_go_by_their_order(table: Path) -> None:
    answers = pl.read_csv(table / "model.csv").select("model").reverse()
    answers.write_csv(table / "ordered.csv")
    _, out, _ = run(table, "--predictions", str(table / "ordered.csv"), "--drop", "id", "--json")
    _, joined, _ = run(table, "--predictions", str(table / "model.csv"), "--key", "id", "--json")
    assert json.loads(out)["predictions"] == json.loads(joined)["predictions"]


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (["--key", "id"], 2, "--key joins predictions to rows"),
        (["--predictions", "model.csv", "--model-error", "0.1"], 2, "leave out --model-error"),
        (["--predictions", "missing.csv"], 1, "missing.csv"),
        (["--predictions", "model.csv"], 1, "pass one column of classes"),
        (["--predictions", "few.csv"], 1, "or name a column of both tables by --key"),
        (["--predictions", "model.csv", "--key", "nr"], 1, "no column 'nr'"),
    ],
)
def test_what_does_not_go_is_one_line(
    table: Path, options: list[str], code: int, message: str
) -> None:
    (table / "few.csv").write_text("model\nyes\nno\n", encoding="ascii")
    options = [str(table / one) if one.endswith(".csv") else one for one in options]
    found, _, err = run(table, *options)
    assert found == code
    assert message in err
    assert err.count("\n") == 1
