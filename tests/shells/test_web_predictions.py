"""Predictions of the user's model on the page: what they tell, what is refused, what is left."""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

pytest.importorskip("starlette", reason="wants the extra: pip install 'bayesfloor[web]'")
pytest.importorskip("uvicorn", reason="wants the extra: pip install 'bayesfloor[web]'")

from bayesfloor.shells.cli import app
from web_server import TOKEN, Server, Tab, serving

ROWS = 200


def text(frame: pl.DataFrame) -> bytes:
    return frame.write_csv().encode()


def table() -> pl.DataFrame:
    rng = np.random.default_rng(0)
    yes = np.arange(ROWS) % 2 == 0
    return pl.DataFrame(
        {
            "id": [f"r{row}" for row in range(ROWS)],
            "x": (rng.normal(size=ROWS) + 2 * yes).round(3),
            "sick": np.where(yes, "yes", "no"),
        }
    )


def model() -> pl.DataFrame:
    """Return probabilities in another order than that of the table."""
    x = table()["x"].to_numpy()
    p = (1 / (1 + np.exp(1 - x))).round(3)
    return pl.DataFrame({"id": table()["id"], "yes": p, "no": (1 - p).round(3)}).reverse()


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with serving(max_upload=100_000) as running:
        yield running


@pytest.fixture
def tab(server: Server) -> Tab:
    found = Tab(server)
    found.drop(text(table()))
    return found


def sections(page: str) -> dict[str, str]:
    """Return the texts of a page by their headings, without tags, styles and titles."""
    parts = re.split(r"<h2[^>]*>", page.split("</style>", 1)[1])
    plain = [re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", part)) for part in parts]
    return {part[:30]: part for part in plain}


def test_the_report_says_of_a_model_what_the_command_line_says(tab: Tab, tmp_path: Path) -> None:
    assert tab.drop_predictions(text(model())) == {"rows": ROWS, "columns": ["id", "yes", "no"]}
    run = tab.run(label="sick", key="id", drop=["id"])
    assert run["title"] == "Run 1: “sick” from 1 column of table.csv, with model.csv"
    done = tab.wait(run)
    assert done["problem"] == ""
    assert done["summary"]["columns"] == ["x"]
    (heading,) = done["summary"]["headings"]
    assert heading.startswith("Your model, ")
    place = f"/{TOKEN}/visits/{tab.id}/runs/{run['id']}/report"
    ours = sections(tab.server.request("GET", place)[2].decode())
    (tmp_path / "table.csv").write_bytes(text(table()))
    (tmp_path / "model.csv").write_bytes(text(model()))
    words = ["estimate", str(tmp_path / "table.csv"), "--label", "sick", "--key", "id", "--quiet"]
    words += ["--predictions", str(tmp_path / "model.csv"), "--report", str(tmp_path / "a.html")]
    made = CliRunner().invoke(app, words)
    assert made.exit_code == 0, made.stderr
    theirs = sections((tmp_path / "a.html").read_text(encoding="utf-8"))
    assert list(ours) == list(theirs)
    assert any("model" in name for name in ours)
    told = [name for name in ours if "model" in ours[name]]
    assert [ours[name] for name in told] == [theirs[name] for name in told]


@pytest.mark.slow
def test_predictions_go_by_the_order_of_the_rows_or_by_a_key(tab: Tab) -> None:
    tab.drop_predictions(text(model()))
    by_key = tab.wait(tab.run(label="sick", key="id", drop=["id"]))["summary"]
    tab.drop_predictions(text(model().reverse().drop("id")))
    by_order = tab.wait(tab.run(label="sick", drop=["id"]))["summary"]
    assert by_key["headings"] == by_order["headings"]
    tab.ask("DELETE", "/predictions")
    assert tab.state()["predictions"] is None
    without = tab.wait(tab.run(label="sick", drop=["id"]))
    assert without["summary"]["headings"] == []
    assert without["title"] == "Run 3: “sick” from 1 column of table.csv"


@pytest.mark.parametrize(
    ("data", "form", "said"),
    [
        (text(model().drop("id"))[:50], {}, "predictions for 200 rows; pass one for each"),
        (text(model()), {"key": "id"}, ""),
        (text(model()), {"key": "sick"}, "“Rows are matched by” names the label"),
        (text(model()), {"key": "nr"}, "no column 'nr'"),
        (b"guess\n" + b"maybe\n" * ROWS, {}, "'maybe' in row 0, which is no class"),
        (b"yes\n" + b"no\n" * ROWS, {}, "classes under the name 'yes'"),
        (b"yes,no\n" + b"2,-1\n" * ROWS, {}, "pass probabilities between 0 and 1"),
    ],
)
def test_predictions_that_do_not_fit_are_refused_in_a_line(
    tab: Tab, data: bytes, form: dict[str, str], said: str
) -> None:
    tab.drop_predictions(data)
    run = tab.wait(tab.run(label="sick", **{"drop": ["id"], **form}))
    assert said in run["problem"]
    assert len(run["problem"].splitlines()) == (1 if said else 0)
    assert "key=" not in run["problem"]


def test_files_that_are_no_predictions_are_refused_at_once(tab: Tab) -> None:
    problem = tab.drop_predictions(b"\0\1\2", "model.parquet")
    assert problem.startswith("model.parquet: the suffix .parquet says Parquet")
    assert "more than 100 kB" in tab.drop_predictions(b"x" * 100_001)
    with serving(max_memory=10**9) as small:
        other = Tab(small)
        other.drop(text(table()))
        bomb = gzip.compress(b"yes\n" * 10**7) * 20
        assert "too much for the memory" in other.drop_predictions(bomb, "model.csv.gz")
        assert other.drop_predictions(text(model()))["rows"] == ROWS


def test_what_makes_no_sense_beside_predictions_is_refused(tab: Tab) -> None:
    assert tab.run(label="sick", key="id") == (
        "“Rows are matched by” is about predictions; drop their file on the page too."
    )
    tab.drop_predictions(text(model()))
    assert tab.run(label="sick", key="id", model_error="20%") == (
        "The predictions tell the error of your model; leave “Model error” empty."
    )
    nobody = Tab(tab.server)
    assert nobody.drop_predictions(text(model())) == (
        "There is no file yet; drop one on the page first."
    )
    assert nobody.ask("GET", "/predictions") == "The file has not been read yet."


@pytest.mark.slow
def test_predictions_go_with_their_table_and_their_tab(tab: Tab, server: Server) -> None:
    def files() -> int:
        server.board.tidy()
        return len(list(server.board.folder.path.iterdir()))

    before = files()
    tab.drop_predictions(text(model()))
    tab.drop_predictions(text(model()), "again.csv")
    assert files() == before + 1
    tab.drop(text(table()), "other.csv")
    assert tab.state()["predictions"] is None
    assert files() == before
    tab.drop_predictions(text(model()))
    run = tab.run(label="sick", key="id", drop=["id"])
    tab.ask("DELETE", "/predictions")  # the run that waits still has them
    assert tab.wait(run)["summary"]["headings"] != []
    assert files() == before
    tab.drop_predictions(text(model()))
    server.board.visit(tab.id).left = -1000.0
    assert files() == before - 1


@pytest.mark.slow
def test_runs_with_and_without_predictions_are_compared_by_their_columns(tab: Tab) -> None:
    tab.drop_predictions(text(model()))
    runs = [tab.wait(tab.run(label="sick", key="id", drop=["id"]))]
    runs += [tab.wait(tab.run(label="sick", key="id", keep=["id"], drop=["id"]))]
    place = f"/compare/{runs[0]['id']}/{runs[1]['id']}"
    assert "the same columns" in tab.ask("GET", place)["unpaired"]
