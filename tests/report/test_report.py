from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.linear_model import LogisticRegression

import bayesfloor as bf
from bayesfloor import report
from bayesfloor.base.progress import progress_bar
from bayesfloor.floor import confusion, growth
from bayesfloor.report.answer import answer
from bayesfloor.report.charts import CHARTS, Chart, ChartRequest, Drawing, applicable_charts
from bayesfloor.report.charts.confusion import confusion_chart, confusion_sentence
from bayesfloor.report.charts.growth import growth_sentence
from bayesfloor.report.charts.interval import interval_chart
from bayesfloor.report.charts.learning_curve import (
    learning_curve_chart,
    learning_curve_sentence,
)
from bayesfloor.report.charts.local_mismatch import local_mismatch_sentence
from bayesfloor.report.charts.rank_curve import rank_curve_sentence
from bayesfloor.report.charts.style import inline_chart, layered, styled, svg_text
from bayesfloor.report.hardest_rows import MOST_COLUMNS, hardest_rows, hardest_rows_sentence
from bayesfloor.report.names import class_names
from bayesfloor.report.page import render
from bayesfloor.report.sections import make_report, method_sentence
from bayesfloor.representation.learning_curve import LearningCurve, make_learning_curve
from bayesfloor.sample.folds import assign_folds

HOSTILE = [
    "<script>alert(1)</script>",
    "</script><script>document.title='hacked'</script>",
    '"><img src=x onerror=alert(2)>',
    "]]>--></svg></style><b onmouseover=alert(3)>",
    "datum['x']; alert(4) {{ 7 * 7 }} {% raw %}",
]
FIELDS = {"what", "low", "high", "at", "colour", "rank", "radius", "share", "a", "b", "rows"}
FIELDS |= {"lower", "upper", "apart", "text", "from", "to", "loss"}


def hostile_frame(classes: int = 3, n: int = 240) -> tuple[pd.DataFrame, list[str]]:
    """Columns, classes and cells that try to become code."""
    rng = np.random.default_rng(0)
    y = np.arange(n) % classes
    points = rng.normal(size=(n, len(HOSTILE))) + y[:, None]
    return pd.DataFrame(points, columns=HOSTILE), [HOSTILE[c] for c in y]


@pytest.fixture(scope="module")
def floor() -> bf.Floor:
    """A floor of three classes by neighbours and maps."""
    found = bf.bayes_error(*hostile_frame())
    assert found.curve is not None
    assert found.learning_curve is not None
    return found


@pytest.fixture(scope="module")
def maps_alone() -> bf.Floor:
    found = bf.bayes_error(*hostile_frame(2), representation="learned")
    assert found.curve is None
    return found


@pytest.fixture(scope="module")
def two() -> bf.Floor:
    """A floor of neighbours alone."""
    return bf.bayes_error(*hostile_frame(2), representation="raw")


@pytest.fixture(scope="module")
def page(floor: bf.Floor, tmp_path_factory: pytest.TempPathFactory) -> str:
    return write_page(floor, tmp_path_factory.mktemp("page") / "page.html")


def write_page(floor: bf.Floor, path: Path) -> str:
    cells = pl.DataFrame(dict.fromkeys(HOSTILE, HOSTILE * 48))
    written = floor.report(path, rows=cells, model_error=0.3, target=0.9, title=HOSTILE[0])
    assert written == path
    return path.read_text(encoding="utf-8")


class Tags(HTMLParser):
    """Collects the tags, attributes and visible text of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: list[tuple[str, str | None]] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes += attrs

    def handle_data(self, data: str) -> None:
        self.text += data


def test_the_page_is_small_and_has_no_script_and_no_way_out(page: str) -> None:
    found = Tags(page)
    assert len(page.encode()) < 3_000_000
    assert not found.tags & {"script", "iframe", "object", "embed", "img", "link", "base", "form"}
    for name, value in found.attributes:
        assert not name.startswith("on"), name
        assert name not in {"src", "srcset", "action", "data"}, name
        assert "href" not in name or str(value).startswith("#")
    policy = "default-src 'none'; style-src 'unsafe-inline'"
    assert ("content", policy) in found.attributes
    assert "url(" not in page.replace("url(#", "")
    assert "@import" not in page


def test_hostile_phraseare_shown_as_they_are(page: str) -> None:
    text = Tags(page).text
    for phrase in HOSTILE:
        assert phrase[:24] in text
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page


def test_the_page_says_what_was_asked_and_has_every_chart(page: str, floor: bf.Floor) -> None:
    assert "Target of 90% accuracy:" in page
    assert "Model with 30% error:" in page
    for name, chart in CHARTS.items():
        assert (f'id="{name}"' in page) == (name != "growth")
        assert (chart.heading in page) == (name != "growth")
    assert all(note in Tags(page).text for note in floor.notes)


def test_ids_are_never_shared_between_drawings(page: str) -> None:
    ids = [value for name, value in Tags(page).attributes if name == "id"]
    assert len(ids) == len(set(ids))
    used = re.findall(r"url\(#([^)]+)\)", page)
    assert sorted(used) == ["confusion-narrow-0", "confusion-wide-0"]
    assert set(used) <= set(ids)


def test_the_same_floor_gives_the_same_bytes(
    floor: bf.Floor, page: str, two: bf.Floor, tmp_path: Path
) -> None:
    assert write_page(floor, tmp_path / "again.html") == page
    record = make_report(ChartRequest(two, answer(two)))
    assert render(record) == render(replace(record))


def test_two_classes_have_no_confusion_chart(two: bf.Floor, tmp_path: Path) -> None:
    assert 'id="confusion"' not in two.report(tmp_path / "page.html").read_text(encoding="utf-8")
    with pytest.raises(
        bf.DataError, match=r"chart 'confusion' needs 3 classes or more; choose one of interval, cu"
    ):
        two.chart("confusion")


def test_a_floor_has_the_charts_of_what_was_measured(
    floor: bf.Floor, two: bf.Floor, maps_alone: bf.Floor, tmp_path: Path
) -> None:
    """Neighbours have a rank curve, maps a learning curve; without maps, parts are run again."""
    expected = {"curve", "learning"}, {"curve", "growth"}, {"learning"}
    for one, names in zip((floor, two, maps_alone), expected, strict=True):
        found = {chart.name for chart in applicable_charts(one)}
        assert found & {"curve", "learning", "growth"} == names
        page = one.report(tmp_path / "page.html").read_text(encoding="utf-8")
        assert set(re.findall(r'<section class="chart" id="(\w+)"', page)) == found
    with pytest.raises(bf.DataError, match="chart 'curve' needs neighbours that were compared,"):
        maps_alone.chart("curve")
    with pytest.raises(bf.DataError, match="chart 'learning' needs learned maps, and here"):
        two.chart("learning")
    with pytest.raises(bf.DataError, match="chart 'growth' needs a floor without learned maps"):
        floor.chart("growth")


def test_an_unknown_chart_is_named(floor: bf.Floor) -> None:
    with pytest.raises(
        bf.DataError, match="no chart 'pie'; choose one of interval, learning, curve"
    ):
        floor.chart("pie")


def test_a_new_chart_is_one_entry(
    two: bf.Floor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def draw(request: ChartRequest) -> Drawing:
        dot = inline_chart([{"rows": request.floor.n}]).mark_point().encode(x="rows:Q")
        return Drawing(layered(dot, height=40), "One dot.")

    monkeypatch.setitem(CHARTS, "dot", Chart("dot", "A dot", draw))
    assert "mark" in str(two.chart("dot").to_dict())
    assert len(two.plot().to_dict()["vconcat"]) == 4
    section = two.report(tmp_path / "page.html").read_text(encoding="utf-8").split('id="dot"')[1]
    assert "One dot." in section.split("</section>")[0]


def fields(spec: Any) -> Iterator[str]:
    if isinstance(spec, dict):
        for key, value in spec.items():
            if key == "field":
                yield value
            else:
                yield from fields(value)
    elif isinstance(spec, list):
        for item in spec:
            yield from fields(item)


@pytest.mark.parametrize("name", list(CHARTS))
def test_charts_are_altair_objects_with_fixed_field_names(
    floor: bf.Floor, two: bf.Floor, name: str
) -> None:
    import altair as alt

    chart = (two if name == "growth" else floor).chart(name, model_error=0.3, target=0.9)
    assert isinstance(chart, alt.LayerChart)
    spec = chart.to_dict()
    assert set(fields(spec)) <= FIELDS
    json.dumps(spec, allow_nan=False)
    text = svg_text(styled(chart, 400))
    assert 'width="400"' in text
    assert "NaN" not in text


def test_the_overview_is_one_altair_chart(two: bf.Floor) -> None:
    import altair as alt

    chart = two.plot(model_error=0.2)
    assert isinstance(chart, alt.VConcatChart)
    assert len(chart.to_dict()["vconcat"]) == 3


@pytest.mark.parametrize("method", ["wnn-published", "knn", "mst"])
def test_other_methods_have_a_curve_without_fit(method: str) -> None:
    rng = np.random.default_rng(0)
    floor = bf.bayes_error(rng.normal(size=(90, 2)), np.arange(90) % 2, method=method)
    spec = floor.chart("curve").to_dict()
    names = [row.get("what") for rows in spec["datasets"].values() for row in rows]
    assert set(names) == {"neighbours with another label", "estimate at distance zero"}


def test_equal_points_and_perfect_classes_can_be_drawn(tmp_path: Path) -> None:
    labels = np.arange(200) % 2
    for points in (np.zeros((200, 1)), labels[:, None] * 10.0, np.round(labels / 3)[:, None]):
        for representation in ("raw", "auto"):
            floor = bf.bayes_error(points, labels, representation=representation)
            text = floor.report(tmp_path / "page.html").read_text()
            assert "NaN" not in text.split("</style>")[1].split('id="method"')[0]


def test_bad_requests_are_refused_before_the_work(two: bf.Floor, tmp_path: Path) -> None:
    with pytest.raises(bf.DataError, match="make it first"):
        two.report(tmp_path / "none" / "page.html")
    with pytest.raises(bf.DataError, match="target is 95; pass an accuracy"):
        two.report(tmp_path / "page.html", target=95)
    with pytest.raises(bf.DataError, match="rows has 3 rows, the floor 240; pass the rows"):
        two.report(tmp_path / "page.html", rows=np.zeros((3, 2)))
    assert list(tmp_path.iterdir()) == []


# --- growth


def test_growth_ends_with_the_floor_itself_and_counts_its_rows(two: bf.Floor) -> None:
    done: list[int] = []
    found = growth.make_growth(two, done.append)
    assert found.sizes.tolist() == [60, 120, 240]
    assert found.bounds[-1].tolist() == [two.lower, two.upper]
    assert found.intervals[-1].tolist() == list(two.interval)
    assert sum(done) == growth.growth_rows(two) == 480
    half = assign_folds(two.labels, 2, np.random.default_rng(growth.PART_SEED))
    halves = [two.run.part(half == h).mismatch for h in range(2)]
    assert found.mismatch[-2] == pytest.approx(np.mean(halves))


@pytest.mark.parametrize(("n", "runs"), [(1000, 3), (50_000, 1.5), (1_000_000, 0.875)])
def test_growth_costs_no_more_than_a_few_runs(n: int, runs: float, floor: bf.Floor) -> None:
    many = replace(floor, n=n, labels=np.arange(n) % 3)
    assert growth.growth_rows(many) / n == pytest.approx(runs, abs=0.01)


def test_a_class_of_three_rows_leaves_only_the_whole_and_no_chart(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    points, labels = rng.normal(size=(203, 2)), [0] * 200 + [1] * 3
    floor = bf.bayes_error(points, labels, representation="raw")
    found = growth.make_growth(floor)
    assert found.sizes.tolist() == [203]
    assert "too few rows" in growth_sentence(floor, found)
    page = floor.report(tmp_path / "page.html").read_text(encoding="utf-8")
    section = page.split('id="growth"')[1].split("</section>")[0]
    assert "too few rows" in section
    assert "<svg" not in section
    with pytest.raises(bf.DataError, match="chart 'growth' would be empty: there are too few"):
        floor.chart("growth")


@pytest.mark.parametrize(
    ("mismatch", "se", "phrase"),
    [
        ([0.2, 0.2, 0.2], [0.01, 0.01, 0.01], "need not change the answer"),
        ([0.2, 0.2, 0.1], [0.01, 0.01, 0.01], "expect a still lower answer"),
        ([0.2, 0.1, 0.2], [0.01, 0.01, 0.01], "expect a still higher answer"),
        ([0.3, 0.2, 0.1], [0.01, 0.09, 0.01], "expect a still lower answer"),
        ([0.1, 0.2, 0.1], [0.01, 0.09, 0.01], "need not change the answer"),
        ([0.3, 0.2, 0.1], [0.01, 0.01, 0.09], "need not change the answer"),
    ],
    ids=["steady", "falling", "rising", "drifting", "to and fro", "uncertain"],
)
def test_the_growth_sentence_tells_steady_from_changing(
    two: bf.Floor, mismatch: list[float], se: list[float], phrase: str
) -> None:
    found = growth.Growth(
        sizes=np.array([60, 120, 240]),
        bounds=np.tile([0.1, 0.2], (3, 1)),
        intervals=np.tile([0.0, 0.3], (3, 1)),
        mismatch=np.array(mismatch),
        mismatch_se=np.array(se),
    )
    assert phrase in growth_sentence(two, found)


# --- learning curves


def learning_curve(*, excess: bool = True) -> LearningCurve:
    """Losses of 0.2 plus one over the rows."""
    sizes = np.array([800, 400, 200, 100])
    rng = np.random.default_rng(0)
    losses = 0.2 + 8 / sizes + 0.001 * rng.normal(size=(5000, 4))
    kept = slice(None) if excess else slice(2)
    return make_learning_curve(sizes[kept], losses[:, kept])


def test_the_learning_chart_goes_on_where_the_measured_losses_end() -> None:
    spec = learning_curve_chart(learning_curve()).to_dict()
    rows = [row for values in spec["datasets"].values() for row in values]
    measured = [row for row in rows if row["what"] == "measured"]
    ahead = [row for row in rows if row["what"] != "measured"]
    assert [row["rows"] for row in measured] == [800, 400, 200, 100]
    assert ahead[0]["rows"] == 800
    assert ahead[0]["loss"] == pytest.approx(measured[0]["loss"])
    losses = [row["loss"] for row in ahead]
    assert losses == sorted(losses, reverse=True)
    last = ahead[-1]
    assert (
        last["low"] < 0.2 + 8 / last["rows"] < last["high"]
    )  # the truth at sixteen times the rows
    assert 'stroke-dasharray="5,4"' in svg_text(styled(learning_curve_chart(learning_curve()), 340))


def test_the_learning_sentence_says_how_far_the_loss_would_fall(floor: bf.Floor) -> None:
    maps = {"boosting": 0.6, "linear": 0.38, "forest": 0.02}
    text = learning_curve_sentence(replace(floor, maps=maps), learning_curve())
    assert text.startswith("Maps learned here: boosting and linear. Their squared loss was 0.280")
    fall = float(re.findall(r"likely fall by ([\d.]+) more", text)[0])
    most = float(re.findall(r"possibly by ([\d.]+):", text)[0])
    assert 0.006 < fall < 0.015
    assert fall < most
    unsure = learning_curve()
    assert unsure.excess is not None
    wide = replace(unsure, excess=replace(unsure.excess, errors=100 * unsure.excess.errors + 1))
    assert "possibly by 0.210:" in learning_curve_sentence(floor, wide)  # no loss is below zero
    single = learning_curve_sentence(replace(floor, maps={"SVC": 1.0}), learning_curve())
    assert single.startswith("Maps learned here: SVC.")


def test_a_learning_curve_of_few_sizes_is_drawn_without_an_end(floor: bf.Floor) -> None:
    short = learning_curve(excess=False)
    assert short.excess is None
    assert "too few rows to see how they improve" in learning_curve_sentence(floor, short)
    spec = learning_curve_chart(short).to_dict()
    rows = [row for values in spec["datasets"].values() for row in values]
    assert {row["what"] for row in rows} == {"measured"}


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"representation": "PCA"}, "rows alike in what PCA makes of a row. Nearest"),
        ({"representation": "PCA", "method": "knn"}, "Method knn finds"),
        ({"representation": "learned", "method": "knn"}, "rows alike in class probabilities."),
    ],
)
def test_learned_places_are_named_by_what_they_are(
    two: bf.Floor, changes: dict[str, Any], said: str
) -> None:
    floor = replace(two, **changes)
    assert floor.curve is not None
    text = rank_curve_sentence(floor, floor.curve, None)
    assert said in text
    assert ("smooth trend" in text) == (floor.method == "wnn")
    mapped = "neighbours in what PCA makes of a row" in method_sentence(floor)
    assert mapped == (floor.method == "wnn")


# --- what the ends rest on


def test_the_page_says_what_the_lower_end_rests_on(
    floor: bf.Floor, two: bf.Floor, maps_alone: bf.Floor, page: str
) -> None:
    for one in (floor, two, maps_alone):
        sure = replace(one, interval=(one.lower / 2, one.interval[1]))
        text = Tags(render(make_report(ChartRequest(sure, answer(sure, target=1.0))))).text
        lead, rest = text.split("The best estimate of the lowest", 1)
        assert f"rests on {sure.ground.summary}: it holds if {sure.ground.condition}" in lead
        assert f"This holds if {sure.ground.condition}" in rest
        assert f"lower end: {sure.ground.summary}" in rest.split("how to cite it")[1]
        kinds = "model of the kinds that were tried exceeds"
        assert (kinds in text) == (one.lower_rests_on == "models")
    assert "upper end: held-out rows, free of assumptions" in page


@pytest.mark.parametrize(
    ("which", "said", "not_said"),
    [
        ("floor", ["maps that were learned on four fifths", "extrapolating"], ["read off"]),
        ("two", ["labels of its neighbours, its own left out", "extrapolating"], ["maps"]),
        ("maps_alone", ["maps that were learned", "read off the learning curve"], ["extrapolat"]),
    ],
)
def test_the_method_is_that_of_the_floor(
    which: str, said: list[str], not_said: list[str], request: pytest.FixtureRequest
) -> None:
    text = method_sentence(request.getfixturevalue(which))
    assert all(words in text for words in said)
    assert not any(words in text for words in not_said)


def test_names_of_points_at_the_right_edge_stand_on_their_left() -> None:
    drawn = interval_chart(
        (0.1, 0.2), (0.05, 0.25), estimate=0.15, majority=0.48, target_error=0.1
    ).to_dict()
    texts = [layer for layer in drawn["layer"] if layer["mark"]["type"] == "text"]
    values = {text["mark"]["align"]: drawn["datasets"][text["data"]["name"]] for text in texts}
    assert [row["what"] for row in values["left"]] == ["Your target"]
    assert [row["what"] for row in values["right"]] == ["Majority class"]


def test_columns_of_a_legend_leave_room_for_wider_letters() -> None:
    drawn = styled(interval_chart((0, 0), (0, 1), estimate=0, majority=0.5), 700)
    assert drawn.to_dict()["config"]["legend"]["columnPadding"] >= 0.25 * 180  # a long name's width


def test_rows_with_equal_names_are_refused(two: bf.Floor) -> None:
    rows = pd.DataFrame(np.zeros((two.n, 2)), columns=["a", "a"])
    with pytest.raises(bf.DataError, match=r"rows cannot be read .*; give each column its"):
        hardest_rows(two, rows)


def test_a_blurred_local_mismatch_is_called_so(two: bf.Floor) -> None:
    assert "a wider view" not in local_mismatch_sentence(two)
    sharp = replace(two, henze_penrose=replace(two.henze_penrose, mismatch=0.01))
    assert "judged by its 15 nearest, a wider view" in local_mismatch_sentence(sharp)


# --- confusion


def test_the_confusion_of_few_classes_is_the_pairwise_divergence(floor: bf.Floor) -> None:
    done: list[int] = []
    found = confusion.make_confusion(floor, done.append)
    np.testing.assert_allclose(found.divergence, floor.run.pairwise())
    assert found.most_rows is None
    assert sum(done) == confusion.confusion_rows(floor) == 480


def test_of_many_classes_the_confused_ones_are_compared() -> None:
    rng = np.random.default_rng(0)
    y = np.arange(600) % 20
    floor = bf.bayes_error(np.where(y < 5, 0, 10 * y)[:, None] + rng.normal(size=(600, 1)), y)
    found = confusion.make_confusion(floor)
    assert set(range(5)) <= set(found.members.tolist())
    assert len(found.members) == 12
    names = [class_names(floor)[c] for c in found.members]
    text = confusion_sentence(names, found.divergence, classes=20, most_rows=2000)
    assert "the 12 of 20 classes with most confusion" in text
    assert "At most 2,000 rows of a class were compared" in text


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ((0.0, -0.1, 0.004), "No two of these classes can be told apart: every divergence is"),
        (
            (0.3, 0.301, 0.9),
            "Hardest to tell apart are a and b (and 1 other pair), with divergence 0",
        ),
        ((0.3, 0.4, 0.9), "Hardest to tell apart are a and b, with divergence 0.30 ("),
        ((0.99, 0.995, 1), "Every two of these classes have a divergence of 0.99 or more"),
    ],
)
def test_the_hardest_pair_is_named_unless_there_is_none(
    values: tuple[float, float, float], said: str
) -> None:
    table = np.zeros((3, 3))
    table[[0, 0, 1], [1, 2, 2]] = values
    assert confusion_sentence("abc", table, classes=3).startswith(said)


@pytest.mark.parametrize(("m", "shown"), [(3, "0.07 1.00"), (12, ".07 1")])
def test_numbers_fit_the_cells_of_many_classes(m: int, shown: str) -> None:
    table = np.full((m, m), 0.999)
    table[0, 1] = table[1, 0] = 0.07
    svg = svg_text(styled(confusion_chart([f"c{i}" for i in range(m)], table), 340))
    assert " ".join(re.findall(r">(0?\.?\d\d|1|1\.00)</text>", svg)[:2]) == shown


def test_large_classes_are_compared_by_some_of_their_rows(floor: bf.Floor) -> None:
    found = confusion.make_confusion(floor, most_rows=30)
    assert found.most_rows == 30
    assert confusion.confusion_rows(floor, most_rows=30) == 180
    assert found.divergence[0, 2] == floor.run.divergence_between(0, 2, most_rows=30)
    assert found.divergence[0, 2] != floor.run.divergence_between(0, 2)


# --- hardest rows


def frame_of(kind: str, table: Any) -> Any:
    return {"numpy": table, "pandas": pd.DataFrame(table), "list": table.tolist()}[kind]


@pytest.mark.parametrize("kind", ["numpy", "pandas", "list"])
def test_the_hardest_rows_come_first_with_their_values(kind: str) -> None:
    rng = np.random.default_rng(4)
    y = np.repeat([0, 1], 100)
    points = rng.normal(size=(200, 3)) + 8 * y[:, None]
    y[17] = 1
    floor = bf.bayes_error(points, y)
    table = hardest_rows(floor, frame_of(kind, points))
    assert table.rows[0][:2] == ("17", "1")
    assert table.rows[0][3:] == tuple(f"{v:.6g}" for v in points[17])
    chances = [float(row[2].rstrip("%")) for row in table.rows]
    assert chances == sorted(chances, reverse=True)
    assert hardest_rows(floor, None).columns == ("row", "label", "chance of another label")


def test_missing_values_are_called_so() -> None:
    frame = pl.DataFrame({"a": [1.0, None] * 20, "b": ["x", None] * 20, "y": ["u", "v"] * 20})
    table = bf.read_table(frame, label="y", missing="impute")
    found = hardest_rows(bf.bayes_error(table), table.rows)
    assert ("missing", "missing") in {row[3:] for row in found.rows}
    assert not any("None" in row for row in found.rows)


def test_bounds_that_meet_are_drawn_all_the_same() -> None:
    y = np.arange(200) % 2
    floor = bf.bayes_error(y[:, None] * 10.0, y)
    assert floor.upper < 1e-12
    svg = svg_text(floor.chart("interval"))
    bar = re.search(r'aria-roledescription="bar"[^>]*>', svg)
    assert bar is not None
    assert 'stroke="#0072B2" stroke-width="4"' in bar[0]


def test_wide_tables_show_their_first_columns() -> None:
    rng = np.random.default_rng(0)
    points = rng.normal(size=(60, 30))
    table = hardest_rows(bf.bayes_error(points, np.arange(60) % 2), points)
    assert len(table.columns) == 3 + MOST_COLUMNS
    assert f"The first {MOST_COLUMNS} of 30 columns" in hardest_rows_sentence(table)


def test_class_names_are_short_and_different() -> None:
    rng = np.random.default_rng(0)
    labels = ["x" * 60 + "a", "x" * 60 + "b", "line\nbreak"] * 20
    names = class_names(bf.bayes_error(rng.normal(size=(60, 1)), labels))
    assert len(set(names)) == 3
    assert max(map(len, names)) < 50
    assert "line break" in names


def test_the_report_shows_the_points_as_they_were_given(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"height": 1e6 + rng.integers(10, size=90), "name": 0.1})
    floor = bf.bayes_error(frame, np.arange(90) % 2)
    text = floor.report(tmp_path / "page.html").read_text(encoding="utf-8")
    assert "<th>height</th><th>name</th>" in text
    assert re.search(r"<td>100000\d</td><td>0.1</td>", text)


def test_a_part_that_lacks_a_class_is_refused(two: bf.Floor) -> None:
    with pytest.raises(bf.DataError, match="lacks a class"):
        two.run.part(two.labels == 0)


def test_progress_counts_the_work(two: bf.Floor, tmp_path: Path, monkeypatch: Any) -> None:
    asked = []

    def spy(what: str, total: int, *, show: bool) -> Any:
        asked.append((total, show))
        return progress_bar(what, total, show=show)

    monkeypatch.setattr(report, "progress_bar", spy)
    two.report(tmp_path / "page.html", progress=True)
    assert asked == [(growth.growth_rows(two), True)]


# --- learned


def test_a_map_of_ones_own_is_named_on_its_page(tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    labels = np.arange(120) % 2
    X = rng.normal(size=(120, 12)) + labels[:, None]
    floor = bf.bayes_error(X, labels, representation=LogisticRegression())
    page = floor.report(tmp_path / "page.html").read_text(encoding="utf-8")
    assert "Maps learned here: LogisticRegression." in page
    assert "Rank k of the neighbour" not in page
    assert floor.run.part(labels == labels).mismatch == floor.mismatch
    published = bf.bayes_error(X, labels, representation=LogisticRegression(), method="knn")
    page = published.report(tmp_path / "page.html").read_text(encoding="utf-8")
    assert "Rank k of the neighbour" in page
    assert "That chance bounds the Bayes error from both sides" in page
