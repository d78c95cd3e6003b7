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
from bayesfloor.base.cautions import Caution
from bayesfloor.base.formatting import percent
from bayesfloor.base.measures import ACCURACY
from bayesfloor.base.progress import telling_progress
from bayesfloor.bounds.calibration import calibrate
from bayesfloor.floor import confusion, growth
from bayesfloor.report.answer import answer
from bayesfloor.report.charts import CHARTS, Chart, ChartRequest, Drawing, applicable_charts
from bayesfloor.report.charts.calibration import calibration_sentence, make_calibration
from bayesfloor.report.charts.confusion import (
    MOST_PAIRS,
    confusion_bars,
    confusion_chart,
    confusion_sentence,
)
from bayesfloor.report.charts.growth import growth_sentence
from bayesfloor.report.charts.interval import interval_chart
from bayesfloor.report.charts.learning_curve import (
    learning_curve_chart,
    learning_curve_sentence,
)
from bayesfloor.report.charts.local_mismatch import local_mismatch_sentence
from bayesfloor.report.charts.rank_curve import rank_curve_sentence
from bayesfloor.report.charts.style import inline_chart, layered, styled, svg_text
from bayesfloor.report.column_evidence import column_evidence, make_column
from bayesfloor.report.facts import floor_facts
from bayesfloor.report.hard_rows_file import write_hard_rows
from bayesfloor.report.hardest_rows import (
    FIRST_COLUMNS,
    MOST_COLUMNS,
    hardest_rows,
    hardest_rows_sentence,
)
from bayesfloor.report.model_facts import calibration_text
from bayesfloor.report.names import class_names
from bayesfloor.report.page import Report, own_ids, render
from bayesfloor.report.sections import make_report, method_sentence
from bayesfloor.representation.learning_curve import LearningCurve, MeasuredExcess, fit_excess
from bayesfloor.sample.folds import assign_folds

HOSTILE = [
    "<script>alert(1)</script>",
    "</script><script>document.title='hacked'</script>",
    '"><img src=x onerror=alert(2)>',
    "]]>--></svg></style><b onmouseover=alert(3)>",
    "datum['x']; alert(4) {{ 7 * 7 }} {% raw %}",
]
FIELDS = {"what", "low", "high", "at", "colour", "rank", "radius", "share", "a", "b", "rows"}
FIELDS |= {"lower", "upper", "text", "from", "to", "loss", "shape", "set", "zero"}
FIELDS |= {"rate", "found", "line"}


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


@pytest.fixture(scope="module")
def plain_report(two: bf.Floor) -> Report:
    """What a page says of two classes when nothing is asked."""
    return make_report(ChartRequest(two, answer(two)))


@pytest.fixture(scope="module")
def plain_pages(
    floor: bf.Floor, plain_report: Report, maps_alone: bf.Floor, tmp_path_factory: Any
) -> dict[str, str]:
    """Pages of all three floors when nothing is asked."""
    path = tmp_path_factory.mktemp("plain") / "page.html"
    return {
        "floor": floor.report(path).read_text(encoding="utf-8"),
        "two": render(plain_report),
        "maps_alone": maps_alone.report(path).read_text(encoding="utf-8"),
    }


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


def test_hostile_phrases_are_shown_as_they_are(page: str) -> None:
    text = Tags(page).text
    for phrase in HOSTILE:
        assert phrase[:24] in text
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page


def test_the_page_says_what_was_asked_and_has_every_chart(page: str, floor: bf.Floor) -> None:
    assert "Target of 10% error:" in page
    assert "Model with 30% error:" in page
    for name, chart in CHARTS.items():
        assert (f'id="{name}"' in page) == chart.applies(floor)
        assert (chart.heading in page) == chart.applies(floor)
    assert {name for name in CHARTS if not CHARTS[name].applies(floor)} == {
        *("growth", "model", "model-calibration")
    }
    assert all(note in Tags(page).text for note in floor.notes)


def test_the_decision_comes_first(page: str) -> None:
    text = Tags(page.split("<body>")[1]).text
    parts = ["Target of 10% error:", "Model with 30% error:", "What it rests on"]
    parts += ["What to do next:", "Which classes are confused"]
    places = [text.index(part) for part in parts]
    assert places == sorted(places)
    first = page.index('class="steps"')
    assert page.index('id="interval"') < first < page.index('id="confusion"')


@pytest.mark.usefixtures("one_chart")
def test_without_a_question_the_floor_itself_is_the_verdict(plain_report: Report) -> None:
    text = Tags(render(plain_report).split("<body>")[1]).text
    sentence = "With 95% confidence, "
    assert text.count(sentence) == 1
    assert text.index(sentence) < text.index("What it rests on")


@pytest.mark.usefixtures("one_chart")
def test_what_is_suspicious_stands_before_the_numbers(two: bf.Floor, plain_report: Report) -> None:
    leak = Caution(f"Possible leak: {HOSTILE[2]}", f"{HOSTILE[2]} determines the label.")
    request = ChartRequest(replace(two, notes=("A remark.", leak)), answer(two))
    page = render(make_report(request))
    head = page.split('id="interval"')[0]
    assert "Possible leak: &#34;&gt;&lt;img src=x" in head
    assert "A remark" not in head
    assert 'href="#note-1"' in head
    notes = Tags(page.split('id="notes"')[1]).text
    assert notes.index("determines the label") < notes.index("A remark.")
    assert "Check first" in head
    assert "Check first" not in render(plain_report)


@pytest.mark.parametrize("which", ["floor", "two", "maps_alone"])
def test_every_chart_has_a_text_for_readers_who_cannot_see_it(
    which: str, request: pytest.FixtureRequest, plain_pages: dict[str, str]
) -> None:
    one: bf.Floor = request.getfixturevalue(which)
    figure = r'<figure role="img" aria-label="([^".]+)\. ([^"]*)"'
    labels = dict(re.findall(figure, plain_pages[which]))
    assert set(labels) == {chart.heading for chart in applicable_charts(one)}
    for text in labels.values():
        assert len(text) > 40
        assert re.search(r"\d", text), text
    assert " to ".join(map(percent, one.interval)) in labels[CHARTS["interval"].heading]


def test_ids_are_never_shared_between_drawings(page: str) -> None:
    ids = [value for name, value in Tags(page).attributes if name == "id"]
    assert len(ids) == len(set(ids))
    used = re.findall(r"url\(#([^)]+)\)", page)
    assert set(used) <= set(ids)
    svg = '<g id="a" clip-path="url(#a)"><g id="b" xlink:href="#a"></g></g>'
    own = '<g id="x-0" clip-path="url(#x-0)"><g id="x-1" xlink:href="#x-0"></g></g>'
    assert own_ids(svg, "x-") == own


def test_the_same_floor_gives_the_same_bytes(
    floor: bf.Floor, page: str, plain_report: Report, tmp_path: Path
) -> None:
    assert write_page(floor, tmp_path / "again.html") == page
    assert render(plain_report) == render(replace(plain_report))


def test_a_floor_has_the_charts_of_what_was_measured(
    floor: bf.Floor,
    two: bf.Floor,
    maps_alone: bf.Floor,
    plain_pages: dict[str, str],
    tmp_path: Path,
) -> None:
    """Neighbours have a rank curve, maps a learning curve; without maps, parts are run again."""
    proved_wrong = replace(floor, lower_rests_on="models", representation="learned")
    maps = {"learning", "calibration"}
    expected = {"curve"} | maps, {"curve", "growth"}, maps, maps
    last = proved_wrong.report(tmp_path / "page.html").read_text(encoding="utf-8")
    pages = (*plain_pages.values(), last)
    floors = (floor, two, maps_alone, proved_wrong)
    for one, names, page in zip(floors, expected, pages, strict=True):
        found = {chart.name for chart in applicable_charts(one)}
        assert found & {"curve", "learning", "growth", "calibration"} == names
        assert {"interval", *re.findall(r'<section class="chart" id="(\w+)"', page)} == found
    with pytest.raises(bf.DataError, match="chart 'curve' needs an answer that rests on near row"):
        maps_alone.chart("curve")
    with pytest.raises(bf.DataError, match="chart 'calibration' needs learned maps, and here"):
        two.chart("calibration")
    with pytest.raises(bf.DataError, match="chart 'learning' needs learned maps, and here"):
        two.chart("learning")
    with pytest.raises(bf.DataError, match="chart 'growth' needs columns, and no learned maps"):
        floor.chart("growth")


def test_an_unknown_chart_is_named(floor: bf.Floor) -> None:
    with pytest.raises(
        bf.DataError, match="no chart 'pie'; choose one of interval, confusion, roc, local"
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
    assert len(two.plot().to_dict()["vconcat"]) == 6
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

    if name.startswith("model"):
        n = 120
        p, labels = np.full((n, 2), 0.5), np.arange(n) % 2
        points = np.arange(n)[:, None]
        own = bf.bayes_error(points, labels, predictions=p, representation="raw")
        chart = own.chart(name, target=0.9)
    else:
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
    assert len(chart.to_dict()["vconcat"]) == 5


@pytest.mark.parametrize("method", ["wnn-published", "knn", "mst"])
def test_other_methods_have_a_curve_without_fit(method: str) -> None:
    rng = np.random.default_rng(0)
    floor = bf.bayes_error(rng.normal(size=(90, 2)), np.arange(90) % 2, method=method)
    spec = floor.chart("curve").to_dict()
    names = [row.get("what") for rows in spec["datasets"].values() for row in rows]
    assert set(names) == {"neighbours with another label", "estimate at distance zero"}


def test_equal_points_and_perfect_classes_can_be_drawn(tmp_path: Path) -> None:
    labels = np.arange(200) % 2
    for points in (np.zeros((200, 1)), labels[:, None] * 10.0):
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


@pytest.mark.parametrize("representation", ["raw", "learned"])
def test_charts_speak_of_accuracies_alone_where_these_are_asked_for(representation: str) -> None:
    labels = np.arange(240) % 2
    points = np.random.default_rng(3).normal(size=(240, 2)) + labels[:, None]
    floor = bf.bayes_error(points, labels, representation=representation)
    request = ChartRequest(floor, bf.answer(floor, shown_as="accuracy"))
    for chart in applicable_charts(floor):
        drawn = chart.draw(request)
        for text in (chart.heading, drawn.sentence, drawn.description):
            mixed = re.search(r"errs|\berrors?\b", re.sub(r"(margin of|sampling) error", "", text))
            assert mixed is None, (chart.name, text)


def test_the_growth_of_accuracies_goes_the_other_way(two: bf.Floor) -> None:
    found = growth.Growth(
        sizes=np.array([60, 120, 240]),
        bounds=np.array([[0.1, 0.2], [0.1, 0.25], [0.05, 0.2]]),
        intervals=np.tile([0.0, 0.3], (3, 1)),
        mismatch=np.array([0.3, 0.2, 0.1]),
        mismatch_se=np.full(3, 0.01),
    )
    text = growth_sentence(two, found, ACCURACY)
    assert "from 75.0% and 90.0% to 80.0% and 95.00%." in text
    assert "expect a still higher answer" in text


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
    """Losses of 0.2 plus eight over the rows."""
    sizes = np.array([800, 400, 200, 100])
    found = 0.2 + 8 / sizes
    noise = 0.001 * np.random.default_rng(0).normal(size=(5000, 4))
    left = fit_excess(MeasuredExcess(0.21 - found + noise, sizes.astype(float), 0.0, 1.0))
    kept = slice(None) if excess else slice(2)
    return LearningCurve(sizes[kept], found[kept], 0 * found[kept], left if excess else None)


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


def test_numbers_below_the_learning_chart_stay_apart_on_a_phone() -> None:
    drawn = svg_text(styled(learning_curve_chart(learning_curve()), 340))
    axis = drawn.split("role-axis-label")[1].split("</g>")[0]
    found = re.findall(r'translate\(([\d.]+),[^>]* opacity="1">([^<]+)<', axis)
    places = [float(place) for place, _ in found]
    assert [text for _, text in found] == ["100", "200", "1k", "2k", "3k", "10k"]
    assert np.diff(places).min() > 22  # "300" was that far from "200", and both are 20 pixels wide


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
    wide = replace(unsure, excess=replace(unsure.excess, error=100 * unsure.excess.error + 1))
    assert "possibly by 0.210:" in learning_curve_sentence(floor, wide)  # no loss is below zero
    spec = learning_curve_chart(wide).to_dict()
    rows = [row for values in spec["datasets"].values() for row in values]
    assert min(row["loss"] for row in rows) >= 0
    single = learning_curve_sentence(replace(floor, maps={"SVC": 1.0}), learning_curve())
    assert single.startswith("Maps learned here: SVC.")


def test_the_learning_sentence_speaks_of_accuracies_where_asked(floor: bf.Floor) -> None:
    text = learning_curve_sentence(replace(floor, maps={"SVC": 1.0}), learning_curve(), ACCURACY)
    assert f"the upper end is above what these maps reach ({1 - floor.upper:.1%})" in text
    assert "lower end" not in text


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


@pytest.mark.usefixtures("one_chart")
def test_the_page_says_what_the_lower_end_rests_on(
    floor: bf.Floor, two: bf.Floor, maps_alone: bf.Floor, page: str
) -> None:
    for one in (floor, two, maps_alone):
        sure = replace(one, interval=(one.lower / 2, one.interval[1]))
        text = Tags(render(make_report(ChartRequest(sure, answer(sure, target=1.0))))).text
        verdict, rest = text.split("What it rests on", 1)
        assert f"This holds if {sure.ground.condition}" in verdict
        assert f"rests on {sure.ground.summary}: it holds if {sure.ground.condition}" in rest
        assert f"{sure.ground.summary}; holds if " in rest.split("how to cite it")[1]
        kinds = "no model of the kinds that were tried on these"
        assert (kinds in text) == (one.lower_rests_on == "models")
    assert "it was not learned from; free of assumptions" in page


@pytest.mark.parametrize(
    ("which", "said", "not_said"),
    [
        ("floor", ["maps that were learned on other rows", "extrapolating"], ["read off"]),
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
        (0.1, 0.2), (0.05, 0.25), estimate=0.15, majority=0.48, target_errors=[0.1]
    ).to_dict()
    texts = [layer for layer in drawn["layer"] if layer["mark"]["type"] == "text"]
    values = {text["mark"]["align"]: drawn["datasets"][text["data"]["name"]] for text in texts}
    assert [row["what"] for row in values["left"]] == ["Your target"]
    assert [row["what"] for row in values["right"]] == ["Largest class"]


@pytest.mark.parametrize(
    ("targets", "rows"),
    [
        ([0.7, 0.8, 0.9], {"Your target", "Target 2", "Target 3"}),
        ([0.5, 0.6, 0.7, 0.8, 0.9], {"Your targets"}),
    ],
)
def test_every_one_of_a_few_targets_has_a_row(
    two: bf.Floor, targets: list[float], rows: set[str]
) -> None:
    drawn = two.chart("interval", target=targets).to_dict()["datasets"].values()
    marks = [row for rows in drawn for row in rows if row.get("shape") == "triangle-up"]
    assert {row["what"] for row in marks} == rows
    assert {row["at"] for row in marks} == {1 - target for target in targets}


def test_accuracies_are_drawn_from_right_to_left_in_their_own_numbers(two: bf.Floor) -> None:
    asked: dict[str, Any] = {"target": 0.9, "model_error": 0.3, "shown_as": "accuracy"}
    spec = two.chart("interval", **asked).to_dict()
    x = spec["layer"][0]["encoding"]["x"]
    assert x["scale"]["reverse"]
    assert (x["axis"]["labelExpr"], x["title"][:8]) == ("format(1 - datum.value, '~%')", "Accuracy")
    texts = {r["text"] for rows in spec["datasets"].values() for r in rows if "text" in r}
    assert {"90%", "70%", percent(1 - two.interval[1])} <= texts


def test_a_page_in_accuracies_says_no_error_above_the_charts(two: bf.Floor, tmp_path: Path) -> None:
    path = two.report(tmp_path / "page.html", target=[0.9, 0.99], shown_as="accuracy")
    top = Tags(path.read_text(encoding="utf-8")).text.split("Which classes are confused")[0]
    assert "How high can the accuracy go?" in top
    assert "errs" not in top
    assert "Bayes error" not in top


def test_the_scale_ends_where_errors_do() -> None:
    drawn = interval_chart((0.1, 0.2), (0.05, 0.25), estimate=0.15, majority=0.95).to_dict()
    ends = [layer["encoding"]["x"]["scale"]["domain"] for layer in drawn["layer"][:1]]
    assert ends == [[0, 1.05]]


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


def test_pairs_of_classes_contribute_what_they_are_confused(floor: bf.Floor) -> None:
    found = confusion.make_confusion(floor)
    assert found.error == pytest.approx(floor.upper)
    taken_for = floor.posterior.argmax(axis=1)
    for a, b, share in zip(found.labels, found.taken_for, found.shares, strict=True):
        assert share == pytest.approx(np.mean((floor.labels == a) & (taken_for == b)))
    assert found.shares.tolist() == sorted(found.shares, reverse=True)
    missed = [np.mean(taken_for[floor.labels == c] != c) for c in range(3)]
    np.testing.assert_allclose(found.missed(floor.priors), missed)


def test_ties_are_shared_among_the_classes_of_a_pair(floor: bf.Floor) -> None:
    tied = replace(floor, posterior=np.full((floor.n, 3), 1 / 3))
    found = confusion.make_confusion(tied)
    np.testing.assert_allclose(found.shares, np.full(6, 1 / 9))


def test_a_frequent_pair_weighs_more_than_one_that_is_never_told_apart() -> None:
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2, 3], [400, 400, 12, 12])
    points = np.where(y < 2, y, 100.0)[:, None] + rng.normal(size=(824, 1))
    floor = bf.bayes_error(points, y, representation="raw")
    assert floor.run.divergence_between(2, 3) < floor.run.divergence_between(0, 1)
    found = confusion.make_confusion(floor)
    assert {int(found.labels[0]), int(found.taken_for[0])} == {0, 1}
    text = confusion_sentence(floor, found)
    assert re.search(r"labelled [01] and taken for [01] make \d+% of its mistakes", text)
    assert re.search(r"The class missed most often is [23]: ", text)


def test_classes_that_are_never_confused_have_no_bars(tmp_path: Path) -> None:
    y = np.arange(200) % 2
    floor = bf.bayes_error(y[:, None] * 10.0, y, representation="raw")
    page = floor.report(tmp_path / "page.html").read_text(encoding="utf-8")
    section = page.split('id="confusion"')[1].split("</section>")[0]
    assert "takes no class for another" in section
    assert "<svg" not in section
    with pytest.raises(bf.DataError, match="chart 'confusion' would be empty: on rows"):
        floor.chart("confusion")


def test_pairs_beyond_the_first_share_a_bar() -> None:
    found = confusion.Confusion(np.arange(12), np.arange(12) + 1, np.linspace(0.12, 0.01, 12))
    bars = confusion_bars([f"class {c}" for c in range(13)], found)
    assert bars[0] == ("class 0 taken for class 1", 0.12)
    assert [what for what, _ in bars[1:]][-1] == "2 other pairs"
    assert len(bars) == MOST_PAIRS + 1
    assert bars[-1][1] == pytest.approx(0.03)
    assert "2 other pairs</text>" in svg_text(styled(confusion_chart(bars), 340))


# --- calibration


def test_maps_that_say_what_they_do_are_taken_at_their_word(maps_alone: bf.Floor) -> None:
    rng = np.random.default_rng(3)
    p = rng.uniform(size=4000)
    floor = replace(
        maps_alone,
        n=4000,
        labels=(rng.uniform(size=4000) < p).astype(int),
        posterior=np.column_stack([1 - p, p]),
    )
    found = make_calibration(floor)
    np.testing.assert_allclose(found.right, found.stated, atol=0.06)
    assert found.within >= 8
    assert "can be taken at their word" in calibration_sentence(found)
    sharp = p**3 / (p**3 + (1 - p) ** 3)
    sure = replace(floor, posterior=np.column_stack([1 - sharp, sharp]))
    found = make_calibration(sure)
    assert found.within < 5
    assert (found.right < found.stated)[1:-1].all()
    assert "too sure of themselves" in calibration_sentence(found)
    flat = replace(floor, posterior=(floor.posterior + 0.5) / 2)
    assert "too careful" in calibration_sentence(make_calibration(flat))


def test_costs_are_told_in_words_that_numbers_as_classes_do_not_blur() -> None:
    X = np.random.default_rng(0).normal(size=(60, 2))
    floor = bf.bayes_error(X, [1, 2] * 30, cost={(2, 1): 5}, representation="raw")
    told = dict(floor_facts(floor, "error"))["costs"]
    assert told == "1 answered as 2 costs 1, 2 answered as 1 costs 5"


def test_probabilities_that_are_off_in_both_directions_are_told_so() -> None:
    groups = np.repeat([0.6, 0.7, 0.8, 0.9], 250)
    right = np.concatenate([np.arange(250) < 250 * p for p in (0.45, 0.7, 0.8, 0.98)])
    found = calibrate(groups, right.astype(float))
    assert abs(found.claimed - found.reached) < 0.02
    assert (found.too_sure, found.too_careful) == (4, 5)
    assert calibration_text(found).endswith("too sure in 4 groups and too careful in 5")
    assert "they are too sure in 4 groups and too careful in 5." in calibration_sentence(found)


# --- hardest rows


def frame_of(kind: str, table: Any) -> Any:
    return {"numpy": table, "pandas": pd.DataFrame(table), "list": table.tolist()}[kind]


@pytest.mark.parametrize("kind", ["numpy", "pandas", "list"])
def test_the_hardest_rows_come_first_with_their_values(kind: str) -> None:
    rng = np.random.default_rng(4)
    y = np.repeat([0, 1], 100)
    points = rng.normal(size=(200, 3)) + 8 * y[:, None]
    y[17] = 1
    floor = bf.bayes_error(points, y, representation="raw")
    table = hardest_rows(floor, frame_of(kind, points))
    assert table.rows[0][:3] == ("17", "1", "0")
    assert sorted(table.rows[0][4:]) == sorted(f"{v:.6g}" for v in points[17])
    assert table.speaking[0] == {4, 5, 6}  # all three columns give the label away
    chances = [float(row[3].rstrip("%")) for row in table.rows]
    assert chances == sorted(chances, reverse=True)
    assert hardest_rows(floor, None).columns == FIRST_COLUMNS


def test_missing_values_are_called_so() -> None:
    frame = pl.DataFrame({"a": [1.0, None] * 20, "b": ["x", None] * 20, "y": ["u", "v"] * 20})
    table = bf.read_table(frame, label="y", missing="impute")
    found = hardest_rows(bf.bayes_error(table, representation="raw"), table.rows)
    assert ("missing", "missing") in {row[4:] for row in found.rows}
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
    table = hardest_rows(bf.bayes_error(points, np.arange(60) % 2, representation="raw"), points)
    assert len(table.columns) == 4 + MOST_COLUMNS
    assert f" {MOST_COLUMNS} of 30 columns are shown." in hardest_rows_sentence(table)


def test_columns_that_speak_for_the_likelier_label_come_first() -> None:
    rng = np.random.default_rng(0)
    y = np.arange(400) % 2
    frame = pl.DataFrame(
        {
            **{f"noise {j}": rng.normal(size=400) for j in range(MOST_COLUMNS)},
            "size": rng.normal(size=400) + 6 * y,
            "shape": np.where(y == 1, "round", "flat"),
        }
    )
    y[[5, 100]] = 1 - y[[5, 100]]
    table = hardest_rows(
        bf.bayes_error(bf.read_table(frame.with_columns(y=y), label="y"), representation="raw"),
        frame,
    )
    assert {table.rows[0][0], table.rows[1][0]} == {"5", "100"}
    assert set(table.columns[4:6]) == {"size", "shape"}
    assert all({4, 5} <= cells for cells in table.speaking[:2])
    assert "Values in bold are at least twice as frequent" in hardest_rows_sentence(table)


def test_rows_keep_their_number_where_others_were_left_out() -> None:
    rng = np.random.default_rng(0)
    y = [None] * 10 + ["a", "b"] * 60
    x = rng.normal(size=130) + 9 * np.array([label == "b" for label in y])
    y[40], y[70] = "b", "rare"
    table = bf.read_table(pl.DataFrame({"x": x, "y": y}), label="y")
    floor = bf.bayes_error(table, representation="raw")
    assert floor.n == 119
    assert hardest_rows(floor, table.rows).rows[0][:3] == ("40", "b", "a")
    assert floor.hard_rows().row(0, named=True)["row"] == 40
    assert floor.hard_rows()["x"][0] == x[40]


def test_evidence_of_a_value_is_how_much_more_frequent_it_is_elsewhere() -> None:
    labels = np.repeat([0, 1], 500)
    one, other = np.array([0]), np.array([1])
    numbers = make_column([0.0] + [5.0] * 499 + [0.0] * 500)
    assert numbers.ordered
    assert column_evidence(numbers, labels, np.array([0]), one, other)[0] > np.log(50)
    texts = make_column(["a", None] * 250 + ["a"] * 500)
    assert not texts.ordered
    found = column_evidence(texts, labels, np.array([0, 1]), np.zeros(2, int), np.ones(2, int))
    assert found[0] == pytest.approx(np.log(2), abs=0.01)
    assert found[1] < -np.log(100)


# --- hard rows as a file


def test_hard_rows_are_a_table_of_those_with_a_likelier_label(floor: bf.Floor) -> None:
    found = floor.hard_rows()
    wrong = floor.posterior.argmax(axis=1) != floor.labels
    assert sorted(found["row"]) == np.flatnonzero(wrong).tolist()
    assert found["chance of another label"].is_sorted(descending=True)
    taken = floor.classes[floor.posterior.argmax(axis=1)[found["row"].to_list()]]
    assert found["likelier label"].to_list() == taken.tolist()
    assert found.columns[5:] == HOSTILE


def test_names_of_the_user_that_are_taken_are_told_apart(two: bf.Floor) -> None:
    rows = pl.DataFrame({"row": np.arange(two.n), "label": "x"})
    assert two.hard_rows(rows=rows).columns[5:] == ["row (table)", "label (table)"]


def test_a_file_of_hard_rows_runs_in_no_spreadsheet(two: bf.Floor, tmp_path: Path) -> None:
    bad = ["=1+1", "+2", "-3", "@a", "\t=1", "\r=1", "  =1", "＝1", "a\n=1", 'say "=1"']
    rows = pl.DataFrame({"=cmd": (bad * 24)[: two.n], "number": -1.5})
    path = write_hard_rows(two, tmp_path / "rows.csv", rows=rows)
    read = pl.read_csv(path, infer_schema=False)
    assert read.columns[-2:] == ["'=cmd", "number"]
    cells = set(read["'=cmd"])
    assert cells <= {*(f"'{text}" for text in bad[:8]), *bad[8:]}
    assert len(cells) > 5
    assert set(read["number"]) == {"-1.5"}
    assert read["label"][0].startswith("<")


def test_hard_rows_overwrite_only_their_like(two: bf.Floor, tmp_path: Path) -> None:
    other = tmp_path / "other.csv"
    other.write_text("a,b\n1,2\n")
    with pytest.raises(bf.DataError, match=r"other.csv: exists and is not such a table; choose"):
        write_hard_rows(two, other)
    with pytest.raises(bf.DataError, match=r"CSV; choose a name such as rows.csv"):
        write_hard_rows(two, tmp_path / "rows.xlsx")
    assert other.read_text() == "a,b\n1,2\n"
    again = write_hard_rows(two, write_hard_rows(two, tmp_path / "rows.csv"))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["other.csv", "rows.csv"]
    assert pl.read_csv(again).height == two.hard_rows().height


def test_no_hard_rows_are_an_empty_table(tmp_path: Path) -> None:
    y = np.arange(200) % 2
    floor = bf.bayes_error(y[:, None] * 10.0, y, representation="raw")
    path = write_hard_rows(floor, tmp_path / "rows.csv")
    assert path.read_text().count("\n") == 1
    write_hard_rows(floor, path)


def test_class_names_are_short_and_different() -> None:
    rng = np.random.default_rng(0)
    labels = ["x" * 60 + "a", "x" * 60 + "b", "line\nbreak"] * 20
    names = class_names(bf.bayes_error(rng.normal(size=(60, 1)), labels, representation="raw"))
    assert len(set(names)) == 3
    assert max(map(len, names)) < 50
    assert "line break" in names


@pytest.mark.usefixtures("one_chart")
def test_the_report_shows_the_points_as_they_were_given(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"height": 1e6 + rng.integers(10, size=90), "name": 0.1})
    floor = bf.bayes_error(frame, np.arange(90) % 2, representation="raw")
    text = floor.report(tmp_path / "page.html").read_text(encoding="utf-8")
    assert '<th scope="col">height</th><th scope="col">name</th>' in text
    assert re.search(r">100000\d(</strong>)?</td><td>0.1</td>", text)


def test_a_part_that_lacks_a_class_is_refused(two: bf.Floor) -> None:
    with pytest.raises(bf.DataError, match="lacks a class"):
        two.run.part(two.labels == 0)


def test_progress_counts_the_work(two: bf.Floor, tmp_path: Path) -> None:
    told: list[float] = []
    with telling_progress(lambda _, share: told.append(share)):
        two.report(tmp_path / "page.html")
        assert told == []
        two.report(tmp_path / "page.html", progress=True)
    assert told[0] == 0
    assert told[-1] == 1  # all of the work, and no more: the last step but one is below
    assert told[-2] < 1


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
    assert "Rank k of the neighbour" not in page
    assert "That chance bounds the Bayes error from both sides" in page


# --- notebooks


def test_a_notebook_shows_the_scale_and_the_facts(floor: bf.Floor) -> None:
    shown = floor._repr_html_()
    found = Tags(shown)
    assert found.tags == {"div", "img", "table", "tr", "th", "td"}
    source = next(str(value) for name, value in found.attributes if name == "src")
    assert source.startswith("data:image/png;base64,iVBOR")
    said = next(str(value) for name, value in found.attributes if name == "alt")
    assert said.startswith("A scale of errors. Bayes error: ")
    assert all(text in found.text for _, text in floor.facts())


def test_charts_show_themselves_without_a_network(two: bf.Floor) -> None:
    for chart in (two.chart("interval"), two.plot(), two.chart("local").properties(width=200)):
        shown = chart._repr_mimebundle_()
        kinds = sorted(shown)
        assert kinds[1:] == ["image/png", "text/plain"]
        assert re.fullmatch(r"application/vnd\.vegalite\.v\d\+json", kinds[0])
        assert shown["image/png"].startswith("iVBOR")
        assert shown[kinds[0]]["datasets"]
