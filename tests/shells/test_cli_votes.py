from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from bayesfloor.shells.cli import app

LONG = "item,vote,annotator\nx,cat,ann\nx,dog,bob\ny,cat,ann\ny,cat,bob\nz,dog,ann\nz,dog,bob\n"


def run(*arguments: object) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, ["votes", *map(str, arguments)])
    return result.exit_code, result.stdout, result.stderr


@pytest.fixture
def matrix(tmp_path: Path) -> Path:
    counts = np.random.default_rng(0).multinomial(6, [0.7, 0.2, 0.1], 200)
    path = tmp_path / "counts.csv"
    np.savetxt(path, counts, fmt="%d", delimiter=",", header="cat,dog,fox", comments="")
    return path


def test_a_matrix_of_counts_gets_its_floor_and_page(matrix: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    code, out, _ = run(matrix, "--target", 0.9, "--report", page)
    assert code == 0
    assert "200 items, 6 votes each, 3 classes" in out
    assert "no classifier errs on 10% or less of new votes" in " ".join(out.split())
    assert "counts.csv" in page.read_text(encoding="utf-8")


def test_confused_classes_are_counted_in_votes_or_items(matrix: Path, tmp_path: Path) -> None:
    page, chances = tmp_path / "page.html", tmp_path / "chances.csv"
    chances.write_text("cat,dog\n" + "0.9,0.1\n0.3,0.7\n" * 20)
    for words, what in (([matrix], "votes"), ([chances, "--probabilities"], "items")):
        assert run(*words, "--report", page)[0] == 0
        section = page.read_text(encoding="utf-8").split('id="confusion"')[1].split("</section>")[0]
        assert f"Share of all {what}" in section
        assert "rows" not in section
        assert "learned" not in section


def test_the_page_on_votes_speaks_of_items_and_shows_the_classes_that_have_votes(
    tmp_path: Path,
) -> None:
    page, path = tmp_path / "page.html", tmp_path / "counts.csv"
    counts = np.zeros((60, 12), dtype=int)
    counts[:, 10], counts[:, 11] = 4, 2
    counts[::2, 0], counts[1, 1:10] = 5, 1
    names = [f"class {c}" for c in range(12)]
    np.savetxt(path, counts, fmt="%d", delimiter=",", header=",".join(names), comments="")
    assert run(path, "--report", page)[0] == 0
    text = page.read_text(encoding="utf-8")
    section = text.split('id="hardest"')[1].split("</section>")[0]
    assert "<h2>The hardest items</h2>" in section
    assert "The 8 of 12 classes with most are shown." in section
    assert "likelier label" not in section
    shown = re.findall(r"<th[^>]*>([^<]*)</th>", section)
    assert shown[:3] == ["item", "label", "chance of another label"]
    assert {"class 0", "class 10", "class 11"} <= set(shown)
    assert "Items (log scale)" in text
    assert "Rows (log scale)" not in text
    assert "Error on new votes (square-root scale)" in text


def test_features_work_together_with_votes(tmp_path: Path) -> None:
    rng, path = np.random.default_rng(0), tmp_path / "counts.csv"
    x = rng.normal(size=200)
    yes = rng.binomial(2, 1 / (1 + np.exp(-3 * x)))
    table = np.column_stack([yes, 2 - yes, x])
    np.savetxt(path, table, fmt=["%d", "%d", "%.6f"], delimiter=",", header="yes,no,x", comments="")
    code, out, _ = run(path, "--features", "x", "--json", "--seed", 1)
    found = json.loads(out)
    assert code == 0
    low, high = found["votes"]["columns"]["interval_by_votes"]
    assert low <= found["interval"][0] < found["interval"][1] < high
    code, out, err = run(path, "--features", "z")
    assert (code, out) == (1, "")
    assert "no column 'z'" in err


def test_json_has_the_votes(matrix: Path) -> None:
    code, out, _ = run(matrix, "--json")
    found = json.loads(out)
    assert code == 0
    assert found["votes"]["votes"] == 1200
    assert found["classes"] == ["cat", "dog", "fox"]
    assert found["intrinsic_dimension"] is None


def test_a_row_a_vote_is_recognised(tmp_path: Path) -> None:
    path = tmp_path / "votes.csv"
    path.write_text(LONG)
    code, out, _ = run(path)
    assert code == 0
    assert "3 items, 2 votes each, 2 classes" in out
    path.write_text(LONG.replace("item,vote,annotator", "image,label,who"))
    code, again, _ = run(path, "--item", "image", "--vote", "label", "--annotator", "who")
    assert (code, again) == (0, out)


def test_probabilities_are_read(tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    path.write_text("a,b\n0.9,0.1\n0.5,0.5\n")
    code, out, _ = run(path, "--probabilities")
    assert code == 0
    assert "2 items, probabilities, 2 classes" in out
    code, _, err = run(path, "--probabilities", "--item", "a")
    assert (code, err) == (
        2,
        "error: --item is for votes; leave it out with --probabilities\n",
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b\n1,-1\n", "counts holds -1 in row 0, column 1; a count cannot be negative"),
        ("a,b\n1.5,1\n", "counts holds 1.5 in row 0, column 0; counts are whole numbers"),
        ("a,b\n0,0\n1,1\n", "the item in row 0 has no votes; leave it out"),
        ("a,b\n3,0\n1,0\n", "all votes are for a; votes for two classes or more are needed"),
        ("image,a,b\nx,1,2\n", "name it with --item if it names the items, or in --features"),
        (LONG + "x,dog,ann\n", "annotator 'ann' votes twice on item 'x', in rows 0 and 6"),
    ],
)
def test_wrong_input_is_one_line(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "votes.csv"
    path.write_text(text)
    code, out, err = run(path)
    assert (code, out) == (1, "")
    assert message in err
    assert err.count("\n") == 1
