from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import bayesfloor as bf
from bayesfloor.report.shift_page import MOST_NEW_ROWS
from bayesfloor.shells.cli import app


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str, str]:
    rng, folder = np.random.default_rng(0), tmp_path_factory.mktemp("shift")
    paths = []
    for name, moved in (("old", 0.0), ("same", 0.0), ("new", 2.0)):
        rows = rng.normal((0, moved), 1, (80, 2))
        lines = [f"{a:.3f},{b:.3f}" for a, b in rows]
        path = folder / f"{name}.csv"
        path.write_text("\n".join(["size,weight", *lines]), encoding="utf-8")
        paths.append(str(path))
    return paths[0], paths[1], paths[2]


def test_shift_prints_a_verdict_within_80_columns(tables: tuple[str, str, str]) -> None:
    old, _, new = tables
    result = CliRunner().invoke(app, ["shift", old, new, "--quiet"], env={"COLUMNS": "80"})
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[0] == "The rows of new.csv differ from those of old.csv (p = 0.001)"
    table = lines[next(i for i, line in enumerate(lines) if "adjusted p" in line) :]
    assert max(map(len, table)) <= 80
    assert any("weight" in line and "yes" in line and "mean" in line for line in table)


def test_shift_checks_prints_json_and_writes_a_page(
    tables: tuple[str, str, str], tmp_path: Path
) -> None:
    old, same, new = tables
    page = tmp_path / "page.html"
    words = ["shift", old, new, "--check", "--json", "--permutations", "99", "--report", str(page)]
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 6
    found = json.loads(result.stdout)
    assert found["verdict"] == "differ"
    assert found["p_value"] == 0.01
    assert found["moved"] == ["weight"]
    assert "Is new.csv drawn like old.csv?" in page.read_text(encoding="utf-8")
    calm = CliRunner().invoke(app, ["shift", old, same, "--check", "--json", "--seed", "1"])
    assert (calm.exit_code, json.loads(calm.stdout)["verdict"]) == (0, "no difference found")


def test_the_page_shows_some_of_many_new_rows(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    old, new = rng.normal(size=(100, 2)), rng.normal(size=(40, 2)) + 50
    found = bf.two_sample_test(old, new, permutations=99)
    assert len(found.new_rows) == 40
    text = found.report(tmp_path / "page.html").read_text(encoding="utf-8")
    section = text.split('id="new-rows"')[1].split("</section>")[0]
    assert section.count("<tr>") == 1 + MOST_NEW_ROWS
    assert f"{MOST_NEW_ROWS} of them are shown." in section


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["--permutations", "-1"], 2, "--permutations is -1"),
        (["--confidence", "2"], 2, "--confidence is 2"),
        (["--drop", "height"], 1, "no column 'height'"),
        (["--features", "nothing"], 1, "no column 'nothing'"),
    ],
)
def test_shift_refuses_wrong_usage_in_one_line(
    tables: tuple[str, str, str], words: list[str], code: int, message: str
) -> None:
    result = CliRunner().invoke(app, ["shift", *tables[:2], *words])
    assert result.exit_code == code
    assert message in result.stderr
    assert len(result.stderr.splitlines()) == 1
