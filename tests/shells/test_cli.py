from __future__ import annotations

import gzip
import html
import io
import json
import math
import os
import re
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import polars as pl
import pytest
from rich.console import Console
from typer.testing import CliRunner

import bayesfloor as bf
from bayesfloor.base.formatting import percent
from bayesfloor.base.progress import telling_progress
from bayesfloor.report.charts import CHARTS
from bayesfloor.report.document import document
from bayesfloor.shells import cli
from bayesfloor.shells.cli.answer_output import print_answer
from bayesfloor.shells.cli.options.declaration import complete_column
from bayesfloor.shells.cli.output import as_flags, finite, print_facts
from bayesfloor.shells.demos import DEMOS

MAIN = "from bayesfloor.shells.cli import main; main()"


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rng = np.random.default_rng(5)
    side = np.repeat([0, 1], 60)
    points = rng.normal(size=(120, 2)) + 1.2 * side[:, None]
    rows = [f"{a},{b},{'no' if s else 'yes'}" for (a, b), s in zip(points, side, strict=True)]
    path = tmp_path_factory.mktemp("data") / "table.csv"
    path.write_text("\n".join(["a,b,y", *rows]))
    return path


@pytest.fixture(scope="module")
def noisy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table whose labels follow a column in seven rows of ten: the Bayes error is 30 %."""
    rows = [f"{row % 2},{'uv'[(row + (row // 2 % 10 < 3)) % 2]}" for row in range(600)]
    path = tmp_path_factory.mktemp("data") / "noisy.csv"
    path.write_text("\n".join(["a,y", *rows]))
    return path


@pytest.fixture(autouse=True)
def _no_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    for name in ("FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
        monkeypatch.delenv(name, raising=False)


def unboxed(text: str) -> str:
    """Remove colours, frames and line breaks from help."""
    return " ".join(re.sub(r"\x1b\[[\d;]*m|[│╭╮╰╯─]", " ", text).split())


def run(*words: object) -> Any:
    return CliRunner().invoke(cli.app, [str(word) for word in words])


def launch(*words: object, **options: Any) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", MAIN, *map(str, words)]
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen(command, text=True, **{**pipes, **options})


def labelled(folder: Path, *names: str) -> Path:
    """Write a table in which each class has 40 rows, far from the others."""
    lines = [f'{100 * place + row % 7},"{n}"' for place, n in enumerate(names) for row in range(40)]
    path = folder / "labelled.csv"
    path.write_text("\n".join(["a,y", *lines]))
    return path


@pytest.mark.parametrize("options", [(), ("--method", "knn", "-k", "3", "--confidence", "0.8")])
def test_json_is_the_answer_of_bayes_error(table: Path, options: tuple[str, ...]) -> None:
    result = run("estimate", table, "--label", "y", "--json", "--workers", "1", *options)
    named: Any = {"method": "knn", "k": 3, "confidence": 0.8} if options else {}
    floor = bf.bayes_error(bf.read_table(table, label="y"), **named)
    assert result.exit_code == 0
    assert json.loads(result.stdout) == document(floor)
    assert result.stdout.count("\n") == 1
    assert result.stderr == ""


def test_the_answer_for_readers_holds_the_numbers(table: Path) -> None:
    result = run("estimate", table, "--label", "y", "--confidence", "90%")
    floor = bf.bayes_error(bf.read_table(table, label="y"), confidence=0.9)
    low, high = map(percent, floor.interval)
    assert (result.exit_code, result.stderr) == (0, "")
    assert floor.divergence_interval is not None
    lines = result.stdout.splitlines()
    assert lines[0] == f"Lowest possible error: {low} to {high} (90% confidence)"
    reasons, facts = ("\n".join(lines).split("\n\n")[i].splitlines() for i in (2, 3))
    assert reasons == [
        f"upper end       rests on a rule that errs on {percent(floor.upper)} of rows it was not"
        " learned from; free of assumptions",
        "lower end       rests on the labels of near rows; holds if labels do not change abruptly"
        " between near rows and what a rule misses is spread over many rows",
    ]
    likely = "likely {} to {}".format(*map(percent, floor.estimate_interval))
    assert facts == [
        f"Bayes error     {low} to {high} with 90% confidence (without the margin of error of 120"
        f" rows: {percent(floor.lower)} to {percent(floor.upper)})",
        f"estimate        {percent(floor.estimate)} ({likely}; less certain than the line above)",
        "data            120 rows, 2 columns, 2 classes",
        "classes         no 50.0%, yes 50.0%",
        "method          wnn: weighted neighbours, the most accurate",
        f"HP divergence   {floor.divergence:.4f} (90% interval {{:.4f}} to {{:.4f}})".format(
            *floor.divergence_interval
        ),
    ]


@pytest.mark.usefixtures("one_chart")
def test_python_command_and_page_give_the_same_numbers(table: Path, tmp_path: Path) -> None:
    """To the last digit that each of them shows; the document shows all of them."""
    page = tmp_path / "page.html"
    asked: Any = {"target": [0.8, 0.9, 0.97], "model_error": 0.13, "test_rows": 400}
    words: list[object] = ["--target", "0.8", "--target", "90%", "--target", "0,97"]
    words += ["--model-error", "13%", "--test-rows", "400"]
    floor = bf.bayes_error(table, "y")
    for shown_as in ("error", "accuracy"):
        command = ["estimate", table, "--label", "y", *words, "--as", shown_as]
        printed = run(*command, "--report", page).stdout
        found = json.loads(run(*command, "--json").stdout)
        assert found == json.loads(json.dumps(document(floor, shown_as=shown_as, **asked)))
        assert found["interval"] == list(floor.interval)
        answer = floor.answer(shown_as=shown_as, **asked)
        assert [one["sentence"] for one in found["targets"]] == [
            one.sentence for one in answer.targets
        ]
        shown = " ".join(html.unescape(page.read_text(encoding="utf-8")).split())
        for name, text in floor.facts(shown_as):
            assert f"{name:<16}{text}\n" in printed
            assert text in shown
        assert "\n".join(answer.targets.lines()) in printed
        assert answer.model is not None
        for reply in (*answer.targets, answer.model):
            assert reply.heading in shown
            assert reply.sentence[1:] in shown
        assert f"your model      {answer.model.verdict}: {answer.model.sentence}\n" in printed


@pytest.mark.parametrize("shown_as", ["error", "accuracy"])
def test_the_answer_is_all_in_errors_or_all_in_accuracies(table: Path, shown_as: str) -> None:
    words = ("--target", "0.8", "--model-error", "0.15", "--as", shown_as)
    printed = run("estimate", table, "--label", "y", *words).stdout
    other = {"error": r"\bright\b|accurac(?!ate)", "accuracy": r"\berrs?\b|error"}[shown_as]
    assert not re.search(other, printed.replace("margin of error", ""))
    assert run("estimate", table, "--label", "y", "--as", "f1").exit_code == 2


@pytest.mark.parametrize("width", [60, 80, 120])
def test_nothing_breaks_on_a_narrow_terminal(table: Path, width: int) -> None:
    floor = bf.bayes_error(table, "y")
    for asked in ({}, {"target": 0.9, "model_error": 0.4}, {"target": [0.1, 0.2, 0.5, 0.9, 0.99]}):
        for shown_as in ("error", "accuracy"):
            out = io.StringIO()
            console = Console(file=out, force_terminal=True, width=width, color_system=None)
            print_answer(floor, floor.answer(**asked, shown_as=shown_as), console)
            lines = out.getvalue().splitlines()
            assert max(map(len, lines)) <= width
            above = lines[: lines.index("", lines.index("") + 1)]
            scale = [line for line in above if "├" in line]
            assert len(scale) == 1
            assert scale[0].endswith("%")
            assert len(scale[0].rstrip()) == min(width, 90)
            assert all(line.count("  ") == 0 for line in above[: lines.index("")])


@pytest.mark.parametrize(
    ("options", "code"),
    [
        (("--target", "0.6"), 0),
        (("--target", "0.4"), 0),
        (("--model-error", "0.5"), 0),
        (("--target", "0.7"), 3),
        (("--target", "0.6", "--target", "0.7"), 3),
        (("--target", "0.9", "--target", "0.7", "--json"), 4),
        (("--target", "0.6", "--model-error", "0"), 5),
    ],
    ids=str,
)
def test_a_check_exits_by_the_worst_verdict(
    noisy: Path, options: tuple[str, ...], code: int
) -> None:
    result = run("estimate", noisy, "--label", "y", "--check", *options)
    assert result.exit_code == code
    assert result.stdout
    assert result.stderr == ""
    assert run("estimate", noisy, "--label", "y", *options).exit_code == 0


def test_a_check_of_nothing_is_wrong_usage(table: Path) -> None:
    result = run("estimate", table, "--label", "y", "--check")
    hint = "pass --target, --model-error or --predictions too"
    said = f"error: --check has nothing to check; {hint}\n"
    assert (result.exit_code, result.stdout, result.stderr) == (2, "", said)


@pytest.mark.parametrize("form", [(), ("--json",)], ids=["text", "json"])
def test_the_answer_is_printed_before_the_page_is_drawn(
    table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: tuple[str, ...]
) -> None:
    def fail(*_: Any, **__: Any) -> Any:
        raise bf.DataError("no ink")

    monkeypatch.setitem(CHARTS, "interval", replace(CHARTS["interval"], draw=fail))
    result = run("estimate", table, "--label", "y", "--report", tmp_path / "page.html", *form)
    assert (result.exit_code, result.stderr) == (1, "error: no ink\n")
    assert ('"interval"' if form else "Lowest possible error") in result.stdout


def test_columns_are_counted_as_they_came(tmp_path: Path) -> None:
    path = tmp_path / "mixed.csv"
    lines = [f"{row % 7},{'rgb'[row % 3]},{'uv'[row % 2]}" for row in range(60)]
    path.write_text("\n".join(["size,colour,y", *lines]))
    page = tmp_path / "page.html"
    result = run("estimate", path, "--label", "y", "--report", page)
    size = "60 rows, 2 columns (4 after encoding), 2 classes"
    assert f"\ndata            {size}\n" in result.stdout
    assert size in page.read_text(encoding="utf-8")
    assert "sees only these 2 columns" in page.read_text(encoding="utf-8")
    found = json.loads(run("estimate", path, "--label", "y", "--json").stdout)
    assert (found["columns"], found["d"]) == (2, 4)


def test_long_class_names_are_cut_for_readers_and_whole_for_programs(tmp_path: Path) -> None:
    long = "a class whose name goes on and on and on and on"
    path, page = labelled(tmp_path, long, "b"), tmp_path / "page.html"
    result = run("estimate", path, "--label", "y", "--report", page)
    cut = "a class whose name goes on and on and o…"
    assert f"classes         {cut} 50.0%, b 50.0%\n" in result.stdout
    assert long not in result.stdout + page.read_text(encoding="utf-8")
    found = json.loads(run("estimate", path, "--label", "y", "--json").stdout)
    assert found["classes"] == [long, "b"]


def test_notes_are_told_one_a_line(table: Path) -> None:
    result = run("estimate", table, "--label", "y", "--method", "mst")
    note = "note            The interval of mst covers its sampling error, not its bias."
    assert note in result.stdout.splitlines()


def test_three_classes_have_no_divergence(tmp_path: Path) -> None:
    result = run("estimate", labelled(tmp_path, "u", "v", "w"), "--label", "y")
    assert "u 33.3%, v 33.3%, w 33.3%" in result.stdout
    assert "HP divergence" not in result.stdout


def test_many_classes_are_counted_and_the_first_listed(tmp_path: Path) -> None:
    result = run("estimate", labelled(tmp_path, *"abcdefghij"), "--label", "y")
    assert "400 rows, 1 column, 10 classes" in result.stdout
    assert "g 10.0%, h 10.0% and 2 more\n" in result.stdout


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("[red]x[/red]", "[red]x[/red]"),
        ("[/]", "[/]"),
        (":smile:", ":smile:"),
        ("\x1b[31mred", r"\x1b[31mred"),
        ("two\nlines", r"two\nlines"),
        ("naïve 雪", "naïve 雪"),
    ],
)
@pytest.mark.parametrize("terminal", [False, True])
def test_class_names_are_printed_as_they_are(
    tmp_path: Path, name: str, shown: str, terminal: bool
) -> None:
    floor = bf.bayes_error(bf.read_table(labelled(tmp_path, name, "zz"), label="y"))
    out = io.StringIO()
    console = Console(file=out, force_terminal=terminal, width=90, color_system=None)
    print_facts(floor.facts(), console)
    line = next(line for line in out.getvalue().splitlines() if line.startswith("classes"))
    assert line.removeprefix("classes").strip() == f"{shown} 50.0%, zz 50.0%"


def test_hostile_class_names_reach_json_unchanged(tmp_path: Path) -> None:
    path = labelled(tmp_path, "[red]x", "\x1b[31m\n雪")
    result = run("estimate", path, "--label", "y", "--json")
    assert json.loads(result.stdout)["classes"] == ["\x1b[31m\n雪", "[red]x"]
    assert result.stdout.isascii()


def test_a_terminal_gets_bold_names_and_lines_that_fit(table: Path) -> None:
    floor = bf.bayes_error(bf.read_table(table, label="y"), method="mst")
    out = io.StringIO()
    console = Console(file=out, force_terminal=True, width=60, color_system="standard")
    print_facts(floor.facts(), console)
    assert "\x1b[1mBayes error" in out.getvalue()
    plain = out.getvalue().replace("\x1b[1m", "").replace("\x1b[0m", "")
    assert all(len(line) <= 60 for line in plain.splitlines())
    assert "margin of error" in " ".join(plain.split())


def test_json_has_null_for_what_is_no_finite_number() -> None:
    given = {"a": math.nan, "b": [1.5, -math.inf, {"c": math.inf}], "d": "nan", "e": True}
    assert finite(given) == {"a": None, "b": [1.5, None, {"c": None}], "d": "nan", "e": True}


def test_equal_points_give_an_answer(tmp_path: Path) -> None:
    path = tmp_path / "equal.csv"
    path.write_text("a,y\n" + "1,u\n1,v\n" * 20)
    result = run("estimate", path, "--label", "y", "--keep", "a", "--json")
    assert json.loads(result.stdout)["n"] == 40


@pytest.mark.parametrize(
    ("options", "shown"),
    [((), True), (("--quiet",), False), (("--json",), False)],
    ids=["talking", "quiet", "json"],
)
def test_progress_is_shown_unless_quiet_or_json(
    table: Path, options: tuple[str, ...], shown: bool
) -> None:
    told: list[str] = []
    with telling_progress(lambda what, _: told.append(what)):
        assert run("estimate", table, "--label", "y", *options).exit_code == 0
    assert bool(told) == shown


def test_messages_name_options_as_they_are_typed() -> None:
    said = 'pass missing="drop", min_class_rows=0, header=False or encoding="latin-1" with drop='
    typed = "pass --missing drop, --min-class-rows 0, --no-header or --encoding latin-1 with --drop"
    assert as_flags(said) == typed
    for text in ("a column 'drop=' of 'label=x'", "undrop=1, xlabel=", "k=3"):
        assert as_flags(text) == text


def test_notes_name_options_as_they_are_typed(tmp_path: Path) -> None:
    path = tmp_path / "constant.csv"
    path.write_text("a,b,y\n" + "1,7,u\n2,7,v\n1,7,v\n" * 9)
    assert "keep= uses a column anyway" in bf.read_table(path, label="y").notes[0]
    assert "'b'; --keep uses a column anyway." in run("estimate", path, "--label", "y").stdout


BAD_DATA = {
    "no file": (None, (), "no such file; check the path"),
    "no label": ("a,b\n1,2\n", (), "no column 'y'; choose the label from 'a', 'b'"),
    "missing value": (
        "a,y\n1,u\n,u\n2,v\n2,v\n",
        ("--missing", "error"),
        "values are missing in 'a' (25.0% of rows); pass --missing drop to leave out these rows, or"
        " --missing impute to fill them in",
    ),
    "missing label": (
        "a,y\n1,u\n1,\n2,v\n2,v\n",
        ("--missing", "error"),
        "values are missing in 'y' (25.0% of rows); pass --missing drop to leave out these rows, or"
        " --missing impute to fill them in",
    ),
    "one class": (
        "a,y\n1,u\n2,u\n",
        (),
        "the label 'y' has the same value, 'u', in all 2 rows; pass a column with at least two"
        " classes",
    ),
    "one row of a class": (
        "a,y\n1,u\n2,u\n3,v\n",
        (),
        "class 'v' has a single row; add rows or drop the class",
    ),
    "k beyond the rows": (
        "a,y\n1,u\n2,u\n3,v\n4,v\n",
        ("--method", "knn", "-k", "4"),
        "k is 4; pass a whole number from 1 to 3",
    ),
}


@pytest.mark.parametrize("json_or_not", [(), ("--json",)], ids=["text", "json"])
@pytest.mark.parametrize("case", BAD_DATA)
def test_bad_data_is_one_line_on_stderr_and_exit_code_1(
    tmp_path: Path, case: str, json_or_not: tuple[str, ...]
) -> None:
    content, options, message = BAD_DATA[case]
    path = tmp_path / "bad.csv"
    if content is not None:
        path.write_text(content)
    result = run("estimate", path, "--label", "y", *options, *json_or_not)
    assert result.exit_code == 1
    assert result.stderr == f"error: {path}: {message}\n"
    assert result.stdout == ""


BAD_TABLES = {
    "empty": (b"", (), "the file is empty"),
    "only a header": (b"a,y\n", (), "no rows below the header"),
    "binary": (bytes(range(256)), (), "binary data of an unknown format"),
    "truncated gz": (gzip.compress(b"a,y\n1,u\n" * 99)[:-9], (), "damaged or truncated"),
    "Latin-1": (
        "a,y\n1,\xe9\n".encode("latin-1"),
        (),
        "pass --encoding cp1252 if 'é' in line 2 reads right",
    ),
    "100000 columns": (b"a," * 100_000 + b"y\n", (), "columns are named 'a'; give each its own"),
    "same names": (b"a,a,y\n1,2,u\n", (), "2 columns are named 'a'; give each its own name"),
    "continuous label": (
        "".join(["a,y\n", *(f"{row % 7},{row / 7}\n" for row in range(50))]).encode(),
        (),
        "the label 'y' has a different value in every row; pass a column of classes",
    ),
    "no such feature": (b"a,y\n1,u\n2,v\n", ("--features", "b"), "no column 'b'; choose from"),
}


@pytest.mark.parametrize("case", BAD_TABLES)
def test_a_bad_table_is_one_line_that_says_what_to_do(
    tmp_path: Path, case: str, capfd: pytest.CaptureFixture[str]
) -> None:
    content, options, message = BAD_TABLES[case]
    path = tmp_path / "bad.csv"
    path.write_bytes(content)
    result = run("estimate", path, "--label", "y", *options)
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (1, "", 1)
    assert result.stderr.startswith(f"error: {path}: ")
    assert message in result.stderr
    assert capfd.readouterr() == ("", "")  # nor did a library print anything itself


def test_the_options_of_the_input_reach_the_table(tmp_path: Path) -> None:
    path = tmp_path / "raw.txt"
    rows = [f"{row};{row % 7};{'x' if row % 3 else '?'};\xe9;{'uv'[row % 2]}" for row in range(60)]
    path.write_text("\n".join(rows), encoding="latin-1")
    words = ["--no-header", "--encoding", "latin-1", "--separator", ";", "--missing", "impute"]
    words += ["--label", "-1", "--scale", "rank", "--keep", "1", "--drop", "column 4"]
    result = run("estimate", path, *words, "--features", "1,2", "--features", "column 3", "--json")
    table = bf.read_table(
        path,
        label=-1,
        header=False,
        encoding="latin-1",
        missing="impute",
        scale="rank",
        features=[1, 2, 3],
    )
    assert json.loads(result.stdout) == document(bf.bayes_error(table))
    assert table.rows.columns == ["column 1", "column 2", "column 3"]


def test_rare_classes_are_left_out_unless_all_are_asked_for(tmp_path: Path) -> None:
    path = labelled(tmp_path, "u", "v")
    path.write_text(path.read_text() + "\n5,w")
    result = run("estimate", path, "--label", "y")
    assert "80 rows, 1 column, 2 classes" in result.stdout
    assert (
        "'w' (1 row); the answer is about the other classes, and --min-class-rows" in result.stdout
    )
    result = run("estimate", path, "--label", "y", "--min-class-rows", "0")
    assert (
        result.stderr == f"error: {path}: class 'w' has a single row; add rows or drop the class\n"
    )
    assert run("estimate", path, "--label", "y", "--min-class-rows", "-1").exit_code == 2


def test_one_table_of_a_database_is_named_or_queried(tmp_path: Path) -> None:
    path = tmp_path / "some.db"
    with closing(sqlite3.connect(path)) as connection:
        for name in ("first", "second"):
            connection.execute(f"CREATE TABLE {name} (a, y)")
            rows = [(row % 7 / 2, "uv"[row % 2]) for row in range(40)]
            connection.executemany(f"INSERT INTO {name} VALUES (?, ?)", rows)
        connection.commit()
    words = ["estimate", path, "--label", "y", "--json", "--method", "knn"]
    result = run(*words)
    several = "the database has 2 tables, 'first', 'second'; name one with --table, or pass --query"
    assert (result.exit_code, result.stderr) == (1, f"error: {path}: {several}\n")
    one, other = run(*words, "--table", "first"), run(*words, "--query", "SELECT * FROM second")
    assert json.loads(one.stdout) == json.loads(other.stdout)
    assert json.loads(one.stdout)["n"] == 40


def test_several_files_are_one_table(table: Path, tmp_path: Path) -> None:
    lines = table.read_text().splitlines()
    for name, rows in (("1.csv", lines[:50]), ("2.csv", [lines[0], *lines[50:]])):
        (tmp_path / name).write_text("\n".join(rows))
    whole, files, pattern = (
        run("estimate", *paths, "--label", "y", "--json").stdout
        for paths in ([table], [tmp_path / "1.csv", tmp_path / "2.csv"], [tmp_path / "*.csv"])
    )
    assert whole == files == pattern


def test_a_table_may_come_from_standard_input(table: Path) -> None:
    with open(table) as file:
        process = launch("estimate", "-", "--label", "y", "--json", stdin=file)
        out, err = process.communicate(timeout=60)
    assert err == ""
    assert json.loads(out) == json.loads(run("estimate", table, "--label", "y", "--json").stdout)
    process = launch("estimate", "-", "--label", "y", stdin=subprocess.DEVNULL)
    assert process.communicate(timeout=60)[1].startswith("error: standard input: the file is empty")


def test_a_hostile_file_name_stays_on_one_line() -> None:
    result = run("estimate", "no\n\x1b[31m[red]", "--label", "y")
    assert (
        result.stderr
        == "error: no\\n\\x1b[31m[red]: no file matches this pattern; check the path\n"
    )


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("estimate", "x.csv", "--label", "y", "--method", "nope"), "'nope' is not one of wnn"),
        (("estimate", "x.csv", "--label", "y", "--scale", "nope"), "'nope' is not one of standard"),
        (("estimate", "x.csv", "--label", "y", "--missing", "nope"), "'nope' is not one of impute"),
        (("estimate", "x.csv"), "label"),
        (("estimate", "--label", "y"), "TABLE"),
        (("estimate", "x.csv", "--label", "y", "-k", "two"), "Invalid value"),
        (("demo", "nope"), "'nope' is not one of breast-cancer, wine, digits"),
        (("guess",), "guess"),
        (("--nope",), "nope"),
    ],
)
def test_wrong_usage_exits_with_2(words: tuple[str, ...], complaint: str) -> None:
    result = run(*words)
    assert result.exit_code == 2
    assert complaint in unboxed(result.stderr)
    assert "Traceback" not in result.stderr


def test_help_names_commands_options_methods_and_scaling() -> None:
    top, page = (unboxed(run(*w).stdout) for w in (["--help"], ["estimate", "--help"]))
    assert all(word in top for word in ("estimate", "demo", "version"))
    options = ["label", "features", "drop", "keep", "no-header", "scale", "missing", "separator"]
    options += ["min-class-rows", "table", "query", "as", "check", "ascii"]
    options += ["encoding", "method", "-k", "confidence", "workers", "json", "quiet"]
    options += [
        "model-error",
        "test-rows",
        "target",
        "report",
        "representation",
        "seed",
        "hard-rows",
    ]
    assert all(word in page for word in [*options, *bf.METHODS])
    assert "standard deviation" in page


def test_help_fits_a_terminal_and_shows_an_example_and_the_common_options_first() -> None:
    page = run("estimate", "-h").stdout
    assert page == run("estimate", "--help").stdout
    assert max(map(len, page.splitlines())) <= 80
    places = [page.index(f"\n  --{name} ") for name in ("label", "target", "report", "features")]
    assert places == sorted(places)
    example = page.index("  bayesfloor estimate table.csv --label outcome --target 95%")
    assert page.index("\nExamples:\n") < example < places[0]
    assert page.index("\nOptions:\n") < page.index("\nThe table:\n") < places[3]
    assert "<" not in page
    assert "-h, --help" in run("-h").stdout


def test_the_package_runs_as_a_module() -> None:
    command = [sys.executable, "-m", "bayesfloor", "--version"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, f"bayesfloor {bf.__version__}\n")


def completed(*words: object) -> list[str]:
    """Return what the shell offers for the last word."""
    asked = {"_BAYESFLOOR_COMPLETE": "complete_zsh"}
    asked["_TYPER_COMPLETE_ARGS"] = " ".join(["bayesfloor", *map(str, words)])
    done = CliRunner().invoke(cli.app, env=asked, prog_name="bayesfloor")
    return re.findall(r'"([^"]*)"', done.stdout)


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (("--label", ""), ["size", "shape", "sort"]),
        (("--label", "s"), ["size", "shape", "sort"]),
        (("--label", "sh"), ["shape"]),
        (("--label", "sort", "--drop", "size,sh"), ["size,shape"]),
        (("--label", "sort", "--features", "z"), []),
    ],
    ids=str,
)
def test_the_shell_completes_columns_of_the_file_that_was_named(
    tmp_path: Path, words: tuple[str, ...], offered: list[str]
) -> None:
    path = tmp_path / "table.csv"
    path.write_text("size;shape;sort\n1;x;u\n2;y;v\n")
    assert completed("estimate", path, *words) == offered
    assert completed("estimate", tmp_path / "none.csv", *words) == []


@pytest.mark.parametrize("command", ["estimate", "columns", "compare"])
def test_a_missing_label_is_asked_for_by_the_columns_there_are(
    tmp_path: Path, command: str
) -> None:
    path = tmp_path / "table.csv"
    path.write_text("size;shape\x1b;sort\n1;x;u\n2;y;v\n")
    result = CliRunner().invoke(cli.app, [command, str(path)])
    assert result.exit_code == 2
    said = "Missing option '--label'. Choose it from 'size', 'shape\\x1b', 'sort'."
    assert said in " ".join(result.stderr.split())
    result = CliRunner().invoke(cli.app, [command, str(tmp_path / "none.csv")])
    assert result.stderr.rstrip().endswith("Missing option '--label'.")


@pytest.mark.parametrize(
    "name", ["$(touch x)", "`id`", 'a" b', "a'b", "a\\nb", "*", "a;b", "\x1b[31m"]
)
def test_names_that_a_shell_might_run_are_not_offered(tmp_path: Path, name: str) -> None:
    path = tmp_path / "table.csv"
    quoted = name.replace('"', '""')
    path.write_text(f'plain (cm),"{quoted}"\n1,2\n')
    context: Any = SimpleNamespace(params={"tables": None}, args=[str(path)])
    assert complete_column(context, "") == ["plain (cm)"]


def test_version_is_printed() -> None:
    result = run("--version")
    assert (result.exit_code, result.stdout) == (0, f"bayesfloor {bf.__version__}\n")


def test_the_demo_is_breast_cancer_and_its_numbers_are_those_of_bayes_error(tmp_path: Path) -> None:
    """The test of the gallery's outputs runs all demos, with all that they print."""
    result = run("demo", "--report", tmp_path / "page.html")
    assert (result.exit_code, result.stderr) == (0, "")
    assert "569 rows, 30 columns, 2 classes" in result.stdout
    assert "benign 62.7%, malignant 37.3%" in result.stdout
    from sklearn.datasets import load_breast_cancer

    data = load_breast_cancer()
    floor = bf.bayes_error(data.data / data.data.std(axis=0), data.target_names[data.target])
    assert f"rows: {percent(floor.lower)} to {percent(floor.upper)})" in result.stdout
    asked = DEMOS["breast-cancer"]
    answer = floor.answer(target=asked.target, model_error=asked.model_error)
    page = f"report          {tmp_path / 'page.html'}"
    assert result.stdout.endswith(f"\n{asked.lesson(floor, answer)}\n{page}\n")
    assert floor.lower_rests_on == "models"
    ground = floor.ground.summary if floor.interval[0] > 0 else "nothing"
    assert f"lower end       rests on {ground}" in result.stdout
    assert "not a better model" not in result.stdout


def test_the_lesson_of_the_demo_agrees_with_its_numbers(table: Path) -> None:
    floor = bf.bayes_error(bf.read_table(table, label="y"))

    def lesson(shown_as: str = "error", **changes: Any) -> str:
        changed = replace(floor, **changes)
        return DEMOS["breast-cancer"].lesson(changed, changed.answer(shown_as=shown_as))

    known = lesson(interval=(0.02, 0.05), upper=0.04)
    assert "errs on 4.00% of the others, and with 95% confidence on 5.00% or less of new" in known
    assert known.endswith("No classifier errs on less than 2.00%.")
    tried = lesson(interval=(0.02, 0.05), lower_rests_on="models")
    assert tried.endswith("No model of the kinds that were tried errs on less than 2.00%.")
    unknown = lesson(interval=(0.0, 0.05))
    assert "errs on less than" not in unknown
    assert unknown.endswith("too few to rule out that one is never wrong.")
    assert lesson("accuracy", interval=(0.02, 0.05)).endswith("is right on more than 98.00%.")


def test_the_rows_of_a_test_give_a_model_its_margin_of_error(table: Path) -> None:
    error = round(bf.bayes_error(bf.read_table(table, label="y")).interval[1] + 0.03, 3)
    words = ("estimate", table, "--label", "y", "--model-error", error, "--target", 0.99 - error)
    few, many = (
        json.loads(run(*words, "--test-rows", rows, "--json").stdout) for rows in (10, 100_000)
    )
    assert (few["model"]["verdict"], many["model"]["verdict"]) == ("may be done", "room left")
    assert few["model"]["error_interval"][0] < error - 0.1
    assert few["model"]["error_interval"][1] > error + 0.1
    assert many["target"]["verdict"] == "already met"
    assert few["target"]["verdict"] != "already met"
    said = run(*words, "--test-rows", "100000").stdout
    assert re.search(r"^your target     already met: your model errs on [\d.]+% ", said, re.M)


def test_verdicts_come_first_then_the_scale_then_why_then_facts_and_notes(noisy: Path) -> None:
    asked = ("--model-error", "0.6", "--target", "0.99", "--method", "mst")
    result = run("estimate", noisy, "--label", "y", *asked)
    blocks = result.stdout.split("\n\n")
    assert blocks[0].splitlines()[:2] == [
        "Target of 1% error: out of reach",
        "Model with 60% error: room left",
    ]
    assert blocks[1].strip().startswith("v your target 1%")
    names = [[line[:16].strip() for line in block.splitlines()] for block in blocks[2:]]
    assert names[0] == ["your target", "your model", "both ends", "caution"]
    assert (names[1][0], names[1][-1]) == ("Bayes error", "note")
    assert "a model that errs on 60% of new rows can still improve" in result.stdout
    found = json.loads(run("estimate", noisy, "--label", "y", *asked, "--json").stdout)
    floor = bf.bayes_error(bf.read_table(noisy, label="y"), method="mst")
    assert found == document(floor, model_error=0.6, target=0.99)


@pytest.mark.usefixtures("one_chart")
def test_free_text_that_is_left_out_is_told_wherever_the_lower_end_is(tmp_path: Path) -> None:
    rng, y = np.random.default_rng(0), np.arange(300) % 2
    words = [" ".join(rng.choice(list("abcdefghij"), 6)) for _ in y]
    path, page = tmp_path / "texts.csv", tmp_path / "page.html"
    pl.DataFrame({"text": words, "x": rng.normal(0.5 * y, 1).round(6), "y": y}).write_csv(path)
    result = run("estimate", path, "--label", "y", "--target", "0.99", "--report", page)
    verdict, _, lower, caution = (
        line for line in result.stdout.split("\n\n")[2].splitlines() if line.strip()
    )
    said = "the free text that was left out ('text') tells no more"
    assert said in lower
    assert said in verdict
    assert "Better columns are needed, such as numbers from the free text" in verdict
    assert caution.startswith("caution         Left out because most values are different texts")
    assert "Free text was left out: &#39;text&#39;." in page.read_text(encoding="utf-8")
    found = json.loads(run("estimate", path, "--label", "y", "--json").stdout)
    assert found["texts_left_out"] == ["text"]
    assert found["provisos"][-1] == said


@pytest.mark.parametrize("form", [(), ("--json",)], ids=["text", "json"])
@pytest.mark.usefixtures("one_chart")
def test_a_report_is_written_and_named(table: Path, tmp_path: Path, form: tuple[str, ...]) -> None:
    path = tmp_path / "page.html"
    result = run("estimate", table, "--label", "y", "--report", path, "--target", "0.9", *form)
    assert (result.exit_code, result.stderr) == (0, "")
    page = path.read_text(encoding="utf-8")
    assert "How low can the error on y go?" in page
    assert "Target of 10% error" in page
    assert form or result.stdout.splitlines()[-1] == f"report          {path}"


def test_hard_rows_are_written_and_never_over_the_table(table: Path, tmp_path: Path) -> None:
    path = tmp_path / "hard.csv"
    result = run("estimate", table, "--label", "y", "--hard-rows", path)
    assert (result.exit_code, result.stderr) == (0, "")
    found = bf.bayes_error(str(table), "y").hard_rows()
    assert pl.read_csv(path)["row"].to_list() == found["row"].to_list()
    before = table.read_bytes()
    result = run("estimate", table, "--label", "y", "--hard-rows", table)
    assert result.exit_code == 1
    assert result.stderr == f"error: {table}: exists and is not such a table; choose another name\n"
    assert table.read_bytes() == before


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (("--hard-rows", "no/rows.csv"), "no/rows.csv: no directory 'no'; make it first"),
        (("--hard-rows", "rows"), "rows: the table is written as CSV; choose a name such as rows."),
        (("--report", "no/where.html"), "no/where.html: no directory 'no'; make it first"),
        (("--report", "."), ".: a directory; name a file in it"),
    ],
)
def test_what_cannot_be_done_is_said_before_the_table_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...], complaint: str
) -> None:
    monkeypatch.chdir(tmp_path)
    result = run("estimate", "none.csv", "--label", "y", *options)
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith(f"error: {complaint}")
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (("--seed", "-1"), "--seed is -1; pass a whole number of at least 0"),
        (("--workers", "0"), "--workers is 0; pass a whole number of at least 1"),
        (("-k", "0"), "-k is 0; pass a whole number of at least 1"),
        (
            ("--confidence", "2"),
            "--confidence is 2.0; pass a number between 0.001 and 0.999999999",
        ),
        (
            ("--target", "950"),
            "--target is 950.0; pass an accuracy above 0 and up to 1, such as 0.95",
        ),
        (
            ("--model-error", "12"),
            "--model-error is 12.0; pass the share of errors, from 0 to 1, such as 0.12",
        ),
        (
            ("--target", "0.9", "--target", "most"),
            "--target is 'most'; pass an accuracy above 0 and up to 1, such as 0.95",
        ),
        (
            ("--confidence", "sure"),
            "--confidence is 'sure'; pass a number between 0.001 and 0.999999999",
        ),
        (
            ("--model-error", "7"),
            "--model-error is 7.0; pass the share of errors, from 0 to 1, such as 0.12",
        ),
        (
            ("--model-error", "0.1", "--test-rows", "0.2"),
            "--test-rows is 0.2; pass the number of rows that the model was tested on",
        ),
        (
            ("--test-rows", "200"),
            "--test-rows adds to --model-error; pass --model-error too or leave it out",
        ),
        (
            ("--method", "mst", "--max-seconds", "5"),
            "--max-seconds does not go with --method mst, which needs all rows;"
            " leave out --max-seconds",
        ),
        (
            ("--method", "mst", "--max-seconds", "5", "--tolerance", "0.1"),
            "--tolerance does not go with --method mst, which needs all rows;"
            " leave out --tolerance and --max-seconds",
        ),
        (("--max-memory", "much"), "--max-memory is 'much'; pass a size such as 500MB or 8GB"),
        (("--separator", "ab"), "--separator is 'ab'; pass one character, or tab or space"),
        (
            ("--encoding", "klingon"),
            "--encoding is 'klingon'; pass one that Python knows, such as cp1252 or latin-1",
        ),
    ],
)
def test_a_value_that_an_option_does_not_take_is_wrong_usage(
    table: Path, options: tuple[str, ...], complaint: str
) -> None:
    result = run("estimate", table, "--label", "y", *options)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == f"error: {complaint}\n"


@pytest.mark.usefixtures("one_chart")
def test_a_page_is_titled_by_the_label_or_else_by_the_file(table: Path, tmp_path: Path) -> None:
    page, bare = tmp_path / "page.html", tmp_path / "bare & plain.csv"
    bare.write_text(table.read_text().split("\n", 1)[1])
    for words, title in (
        ((table, "--label", "y"), "How low can the error on y go?"),
        ((bare, "--label", "-1", "--no-header"), "How low can the error go? bare &amp; plain.csv"),
    ):
        assert run("estimate", *words, "--report", page).exit_code == 0
        assert f"<h1>{title}</h1>" in page.read_text(encoding="utf-8")


def test_ctrl_c_while_drawing_leaves_no_file(
    table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(*_: Any, **__: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setitem(CHARTS, "interval", replace(CHARTS["interval"], draw=stop))
    result = run("estimate", table, "--label", "y", "--report", tmp_path / "page.html")
    assert (result.exit_code, result.stderr) == (130, "interrupted\n")
    assert "report  " not in result.stdout
    assert list(tmp_path.iterdir()) == []


def test_a_real_run_exits_with_0_and_a_clean_stderr(table: Path) -> None:
    process = launch("estimate", table, "--label", "y", "--json")
    out, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (0, "")
    assert json.loads(out)["n"] == 120


def test_a_real_run_on_bad_data_exits_with_1(tmp_path: Path) -> None:
    process = launch("estimate", tmp_path, "--label", "y")
    out, err = process.communicate(timeout=60)
    expected = f"error: {tmp_path}: there is no Parquet file in this folder; pass the files in it\n"
    assert (process.returncode, out, err) == (1, "", expected)


@pytest.mark.parametrize("form", [(), ("--json",)], ids=["text", "json"])
def test_a_reader_who_leaves_early_causes_no_traceback(table: Path, form: tuple[str, ...]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    process = launch("estimate", table, "--label", "y", *form, stdout=writer)
    os.close(writer)
    assert process.communicate(timeout=60)[1] == ""
    assert process.returncode == 1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_is_one_line(table: Path) -> None:
    with open("/dev/full", "w") as full:
        process = launch("estimate", table, "--label", "y", stdout=full)
        err = process.communicate(timeout=60)[1]
    assert (process.returncode, err) == (1, "error: No space left on device\n")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_ctrl_c_is_one_line_and_exit_code_130(tmp_path: Path) -> None:
    path = tmp_path / "slow.csv"
    os.mkfifo(path)
    process = launch("estimate", path, "--label", "y")
    with open(path, "w"):  # opens once the command reads
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (130, "", "interrupted\n")


def test_an_output_without_the_letters_gets_escapes(tmp_path: Path) -> None:
    path = labelled(tmp_path, "雪", "u")
    ascii_only = {**os.environ, "PYTHONIOENCODING": "ascii"}
    out, err = launch("estimate", path, "--label", "y", env=ascii_only).communicate(timeout=60)
    assert err == ""
    assert r"\u96ea 50.0%" in out


def test_targets_above_one_are_in_percent_unless_they_are_costs(table: Path) -> None:
    typed = ("99,9", "99.9", "99,9%", "0,999", "0.999")
    words = [word for one in typed for word in ("--target", one)]
    found = json.loads(run("estimate", table, "--label", "y", "--json", *words).stdout)
    assert [one["accuracy"] for one in found["targets"]] == [0.999] * len(typed)
    costs = ("--cost", "yes:no=10", "--target", "1,5")
    costly = json.loads(run("estimate", table, "--label", "y", "--json", *costs).stdout)
    assert costly["target"]["error"] == 1.5


def test_decisions_are_asked_for_on_the_command_line(table: Path) -> None:
    plain, costly, shifted = (
        json.loads(run("estimate", table, "--label", "y", "--json", *words).stdout)
        for words in (
            (),
            ("--cost", "yes:no=10", "--target", "1.5", "--reject", "3"),
            ("--prior", "yes=2%", "--target", "0.99"),
        )
    )
    assert plain["decision"] is None
    assert costly["decision"]["cost"] == [[0.0, 1.0], [10.0, 0.0]]
    assert costly["target"]["accuracy"] is None
    assert costly["best_accuracy"] is None
    assert shifted["decision"]["priors"] == pytest.approx([0.98, 0.02])
    assert shifted["interval"][1] <= 0.02 + 1e-12
    balanced = run("estimate", table, "--label", "y", "--metric", "balanced", "--quiet")
    assert "Lowest possible balanced error: " in balanced.stdout


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--prior", "yes"], "--prior 'yes' has no share; write it as yes=0.02"),
        (["--cost", "yes=1"], "--cost 'yes=1' is no cost of an answer; write it as yes:no=10"),
        (["--cost", "yes:no=2", "--as", "accuracy"], "costs have no accuracy"),
        (["--metric", "cost"], "--metric cost needs costs; pass --cost or --reject"),
        (["--prior", "yes=2", "--metric", "error"], "priors has 2.0 for class 'yes'"),
    ],
)
def test_wrong_decisions_are_one_line(table: Path, words: list[str], message: str) -> None:
    found = run("estimate", table, "--label", "y", *words)
    assert found.exit_code in (1, 2)
    assert message in found.stderr
    assert found.stderr.count("\n") == 1
