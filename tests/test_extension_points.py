"""Each change that CONTRIBUTING shows is made here, and used as users would."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

import bayesfloor as bf
from bayesfloor.base.arrays import Floats, Ints
from bayesfloor.base.executor import ONE_THREAD, Executor, Item, Result, Threads
from bayesfloor.base.options import check_share
from bayesfloor.bounds.henze_penrose import Bound
from bayesfloor.estimators.method import Evidence, Method
from bayesfloor.estimators.methods import METHODS
from bayesfloor.estimators.mismatch import MismatchEstimate
from bayesfloor.neighbours.engine_choice import ENGINES, EngineSpec
from bayesfloor.neighbours.engines.plain import NumpySums
from bayesfloor.neighbours.task import SearchTask
from bayesfloor.report.answer import QUESTIONS, Asked, Question, answer
from bayesfloor.report.charts import CHARTS
from bayesfloor.report.charts.chart import Chart, ChartRequest, Drawing
from bayesfloor.report.document import document
from bayesfloor.representation.maps import MAPS, Map
from bayesfloor.shells.cli import COMMANDS, app
from bayesfloor.shells.cli.app import make_app
from bayesfloor.shells.cli.command import Command
from bayesfloor.shells.cli.options.output import OutputOptions
from bayesfloor.shells.cli.options.reading import FileOptions, Label, Tables
from bayesfloor.tables.formats import FORMATS, Format, without_options
from bayesfloor.tables.scaling import SCALES, Scale
from bayesfloor.tables.sources import Source

ROOT = Path(__file__).parents[1]
RAW = ("--representation", "raw")
"""Leaves out maps, which take most of the time of a call."""


def sample(n: int = 120, d: int = 2) -> tuple[Floats, Ints]:
    rng = np.random.default_rng(3)
    labels = np.arange(n) % 2
    return rng.normal(size=(n, d)) + labels[:, None], labels


@pytest.fixture
def csv(tmp_path: Path) -> Path:
    X, y = sample()
    path = tmp_path / "table.csv"
    pl.DataFrame(X, schema=["a", "b"]).with_columns(pl.Series("y", y)).write_csv(path)
    return path


def run(*words: object) -> str:
    result = CliRunner().invoke(app, [str(word) for word in words])
    assert result.exit_code == 0, result.output
    return result.stdout


def page_of(floor: bf.Floor, folder: Path, **asked: Any) -> str:
    return floor.report(folder / "page.html", **asked).read_text(encoding="utf-8")


@pytest.mark.usefixtures("one_chart")
def test_an_estimator_is_a_function_and_an_entry(
    csv: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def nearest(evidence: Evidence) -> MismatchEstimate:
        return MismatchEstimate(float(evidence.measurement.curve.mismatch[0]), 0.01)

    monkeypatch.setitem(METHODS, "nearest", Method(nearest, "for a test", "looking once"))
    floor = bf.bayes_error(*sample(), method="nearest")
    assert floor.curve is not None
    assert floor.mismatch == floor.curve.mismatch[0]
    assert "The interval of nearest covers its sampling error, not its bias." in floor.notes
    command = run("estimate", csv, "--label", "y", "--method", "nearest", "--json")
    assert json.loads(command)["method"] == "nearest"
    assert "by looking once" in page_of(floor, tmp_path)


@pytest.mark.usefixtures("one_chart")
def test_a_distance_is_a_scale_of_the_columns_and_an_entry(
    csv: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unit_range(frame: pl.DataFrame) -> pl.DataFrame:
        return frame.select(pl.all() / (pl.all().max() - pl.all().min()))

    monkeypatch.setitem(SCALES, "range", Scale("divide numbers by their range", unit_range))
    table = bf.read_table(csv, label="y", scale="range")
    assert table.X["a"].max() - table.X["a"].min() == pytest.approx(1)  # type: ignore[operator]
    floor = bf.bayes_error(table, representation="raw")
    assert floor.curve is not None
    command = run("estimate", csv, "--label", "y", "--scale", "range", "--json", *RAW)
    assert json.loads(command)["curve"]["radius"] == floor.curve.radius.tolist()
    assert "120 rows" in page_of(floor, tmp_path)


@pytest.mark.usefixtures("one_chart")
def test_a_format_is_a_function_and_an_entry(tmp_path: Path, csv: Path) -> None:
    def read_reversed(source: Source) -> pl.DataFrame:
        return pl.read_csv(bytes(source.data)[::-1])

    path = tmp_path / "table.vsc"
    path.write_bytes(csv.read_bytes()[::-1])
    added = Format(name="reversed", read=without_options(read_reversed), suffixes=(".vsc",))
    FORMATS.insert(0, added)
    try:
        new, old = (
            bf.bayes_error(bf.read_table(one, label="y"), representation="raw")
            for one in (path, csv)
        )
        assert new.interval == old.interval
        page = tmp_path / "p.html"
        command = run("estimate", path, "--label", "y", "--json", "--report", page, *RAW)
        assert json.loads(command)["interval"] == list(new.interval)
        assert "120 rows" in page.read_text(encoding="utf-8")
    finally:
        FORMATS.remove(added)


@pytest.mark.usefixtures("one_chart")
def test_a_chart_is_a_file_and_an_entry(
    csv: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def draw(request: ChartRequest) -> Drawing:
        return Drawing(None, f"There are {request.floor.n} rows to see here.")

    monkeypatch.setitem(CHARTS, "rows", Chart("rows", "How many rows", draw))
    page = tmp_path / "page.html"
    run("estimate", csv, "--label", "y", "--report", page, *RAW)
    assert "There are 120 rows to see here." in page.read_text(encoding="utf-8")
    with pytest.raises(bf.DataError, match="would be empty: there are 120 rows"):
        bf.bayes_error(*sample(), representation="raw").chart("rows")


def test_a_command_is_a_function_in_a_module_and_an_entry(csv: Path, tmp_path: Path) -> None:
    """Its records of options bring reading, checks, JSON, the page and errors along."""

    def count(tables: Tables, label: Label, files: FileOptions, output: OutputOptions) -> None:
        """Count the rows of a table."""
        rows = len(bf.read_table(tables, label=label, **files.keywords()).y)
        output.show(
            document=lambda: {"rows": rows},
            text=lambda console: console.print(rows),
            page=lambda path: path.write_text(f"{rows} rows"),
        )

    more = make_app((*COMMANDS, Command("count", "Count the rows.", count)))

    def run_count(*words: object) -> Any:
        return CliRunner().invoke(more, ["count", *map(str, words)])

    assert "count     Count the rows." in CliRunner().invoke(more, ["--help"]).stdout
    text = run_count("--help").stdout
    assert "Count the rows of a table." in text
    assert "--encoding NAME" in text
    page = tmp_path / "page.html"
    assert run_count(csv, "--label", "y").stdout == "120\n"
    assert run_count(csv, "--label", "y", "--json", "--report", page).stdout == '{"rows": 120}\n'
    assert page.read_text() == "120 rows"
    bad = run_count(csv, "--label", "y", "--max-memory", "much")
    assert (bad.exit_code, bad.stderr.count("\n")) == (2, 1)
    assert "--max-memory is 'much'; pass a size" in bad.stderr
    gone = run_count(tmp_path / "no.csv", "--label", "y")
    assert (gone.exit_code, gone.stderr.count("\n")) == (1, 1)


def test_a_map_is_a_function_and_an_entry(
    tmp_path: Path, csv: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from sklearn.naive_bayes import GaussianNB

    built: list[int] = []

    def naive(*, rows: int) -> Any:
        built.append(rows)
        return GaussianNB()

    for name in reversed(tuple(MAPS)):  # put back in the order that they had
        monkeypatch.delitem(MAPS, name)
    monkeypatch.setitem(MAPS, "naive", Map(naive, "independent columns", ("rows",)))
    floor = bf.bayes_error(*sample(), representation="learned")
    assert floor.maps == {"naive": 1.0}
    assert floor.learning_curve is not None
    assert max(built) == floor.learning_curve.sizes[0] > 90  # most of the rows
    assert min(built) == floor.learning_curve.sizes[-1] < 20
    command = run("estimate", csv, "--label", "y", "--representation", "learned", "--json")
    assert set(json.loads(command)["maps"]) == {"naive"}
    assert "Maps learned here: naive." in page_of(floor, tmp_path)


def test_an_engine_is_a_class_and_an_entry(
    csv: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []

    class Counting(NumpySums):
        def sum(self, rows: Ints) -> Any:
            asked.append(len(rows))
            return super().sum(rows)

    def build(task: SearchTask, _: Executor) -> Counting:
        return Counting(task)

    monkeypatch.setitem(ENGINES, "counting", EngineSpec("counts", compiled=False, build=build))
    floor = bf.bayes_error(*sample(), engine="counting", representation="raw")
    assert sum(asked) == 120
    plain = bf.bayes_error(*sample(), engine="numpy", representation="raw")
    assert floor.interval == plain.interval
    command = run("estimate", csv, "--label", "y", "--engine", "counting", "--json", *RAW)
    assert json.loads(command)["n"] == 120
    assert sum(asked) > 120
    before = len(asked)
    assert page_of(floor, tmp_path)
    assert len(asked) > before  # parts of the rows are searched by it too


@pytest.mark.usefixtures("one_chart")
def test_a_bound_is_a_record_that_a_method_names(
    csv: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the mismatch alone says follows it; without class probabilities, all does."""

    def half_and_whole(mismatch: float, priors: Floats) -> tuple[float, float]:
        upper = min(max(0.9 * mismatch, 0.0), 1 - float(priors.max()))
        return upper / 2, upper

    new = Bound(
        "Cover-Hart",
        half_and_whole,
        unclipped_upper=lambda mismatch: 0.9 * mismatch,
        mismatch_at_lower=lambda error, _: 2 * error / 0.9,
        mismatch_at_upper=lambda error, _: error / 0.9,
    )
    halved = replace(METHODS["wnn"], bound=new, may_learn=False, sharpens=False)
    monkeypatch.setitem(METHODS, "halved", halved)
    floor = bf.bayes_error(*sample(), method="halved")
    expected = 0.45 * floor.mismatch, 0.9 * floor.mismatch
    assert (floor.lower, floor.upper) == pytest.approx(expected)
    assert floor.lower <= floor.estimate <= floor.upper
    plain = bf.bayes_error(*sample(), representation="raw")
    assert floor.interval[1] == pytest.approx(0.9 * plain.henze_penrose.interval[1])
    reply = answer(floor, target=1 - 0.9 * floor.lower).target
    assert reply is not None
    page = page_of(floor, tmp_path, target=reply.accuracy)
    assert reply.sentence[1:] in page
    command = run("estimate", csv, "--label", "y", "--method", "halved", "--json")
    found = json.loads(command)
    assert found["lower"] == pytest.approx(0.45 * found["henze_penrose"]["mismatch"])
    monkeypatch.setitem(METHODS, "halved", replace(halved, sharpens=True))
    sharpened = bf.bayes_error(*sample(), method="halved")
    assert sharpened.henze_penrose == floor.henze_penrose
    assert sharpened.upper != floor.upper


@dataclass(frozen=True, slots=True)
class ShareReply:
    """A reply to a made-up question."""

    share: float
    verdict: str
    sentence: str

    @property
    def heading(self) -> str:
        return f"Share of {self.share}: {self.verdict}"


@pytest.mark.usefixtures("one_chart")
def test_a_decision_is_a_question_and_an_entry(
    csv: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def ask(floor: bf.Floor, share: float, asked: Asked) -> ShareReply:
        safe = floor.interval[1] <= share <= (asked.first("model_error") or 1.0)
        return ShareReply(share, "safe" if safe else "not safe", f"judged on {floor.n} rows.")

    def check(name: str, value: object) -> None:
        check_share(name, value)

    new = Question("safety", "your share", check, ask, "Share of errors that is safe.")
    monkeypatch.setitem(QUESTIONS, "safe_share", new)
    floor = bf.bayes_error(*sample(), representation="raw")
    assert answer(floor, safe_share=0.9).facts() == [("your share", "safe: judged on 120 rows.")]
    assert document(floor, safe_share=0.9)["safety"]["verdict"] == "safe"
    both = document(floor, safe_share=0.9, model_error=0.8)
    assert both["safety"]["verdict"] == "not safe"  # it sees what else was asked
    assert "Share of 0.01: not safe" in page_of(floor, tmp_path, safe_share=0.01)
    with pytest.raises(bf.DataError, match="safe_share is 2"):
        answer(floor, safe_share=2)
    with pytest.raises(bf.DataError, match="there is no question 'luck'"):
        answer(floor, luck=1)
    words = ["estimate", str(csv), "--label", "y", "--safe-share", "90%", *RAW]
    result = CliRunner().invoke(make_app(COMMANDS), [*words, "--json"])
    assert json.loads(result.stdout)["safety"]["verdict"] == "safe"
    printed = CliRunner().invoke(make_app(COMMANDS), words).stdout
    assert printed.startswith("Share of 0.9: safe\n")


@dataclass
class Cluster:
    """Stands for the client of a cluster: it maps in order, and counts what it was given."""

    workers: int = 3
    local: Threads = ONE_THREAD
    memory: None = None
    batches: list[int] = field(default_factory=list)

    def map(
        self,
        work: Callable[[Item], Result],
        items: Sequence[Item],
        *,
        multiplies: bool = False,
        initializer: Callable[[], object] | None = None,
    ) -> Iterator[Result]:
        self.batches.append(len(items))
        del multiplies
        if initializer is not None:
            initializer()
        return map(work, items)


@pytest.mark.parametrize(
    ("n", "options"),
    [
        (2000, {}),  # so many cells that their neighbours are shared out
        (300, {"representation": "learned"}),
        (6000, {"method": "mst"}),
        (21_000, {"representation": "raw"}),  # a tree
        (120_000, {"tolerance": 0.02, "representation": "raw"}),
    ],
    ids=str,
)
def test_a_cluster_is_an_executor(
    n: int, options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    X, y = sample(n, 3)
    here = bf.bayes_error(X, y, workers=1, **options)

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("threads of another executor were started")

    monkeypatch.setattr("bayesfloor.base.executor.ThreadPoolExecutor", refuse)
    cluster = Cluster()
    floor = bf.bayes_error(X, y, workers=cluster, **options)
    assert cluster.batches
    assert floor.interval == here.interval
    np.testing.assert_array_equal(floor.local_mismatch, here.local_mismatch)
    before = len(cluster.batches)
    floor.run.part(np.arange(n) % 2 == np.arange(n) // (n // 2) % 2)
    assert len(cluster.batches) > before  # what runs again runs there too


CHANGES = [
    *("estimator", "distance", "format", "chart", "command"),
    *("map", "engine", "bound", "decision", "cluster"),
]


@pytest.mark.parametrize("change", CHANGES)
def test_contributing_shows_where_each_change_goes(change: str) -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    rows = [line for line in text.splitlines() if line.startswith(f"| {change}")]
    assert len(rows) == 1
    for name in rows[0].split("`")[1::2]:
        if name.endswith(".py"):
            assert (ROOT / "src" / "bayesfloor" / name).exists(), name
