from __future__ import annotations

import io
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

from bayesfloor.paper.chart_elements import BOUND, STYLES, TRUTH
from bayesfloor.paper.charts import draw_figure, exports
from bayesfloor.paper.claims import CLAIMS, Claim, Verdict, verdicts
from bayesfloor.paper.figures import FIGURES
from bayesfloor.paper.findings import Finding
from bayesfloor.paper.page import make_page, render_page
from bayesfloor.paper.replicates import FigureData
from bayesfloor.paper.rules import FAILS, HOLDS
from bayesfloor.paper.show import show_verdicts
from paper_data import made_up

AXES = {
    1: ("rows per class N", "mean estimate of D"),
    2: ("rows per class N", "MSE of the estimate of D (truth 0)"),
    3: ("rows per class N", "MSE of the estimate of D"),
    4: ("rows per class N", "mean estimate of D"),
    5: ("rows per class N", "MSE of the estimate of D (truth 1)"),
    6: ("columns d", "MSE / efficiency bound"),
    7: ("columns d", "share of intervals that hold D"),
}
HOSTILE = Claim(3, "<b>claim</b> & more", "<i>rule</i>", lambda _: Finding("", ""))


@pytest.mark.parametrize("number", FIGURES)
def test_every_figure_names_its_axes_and_methods(number: int) -> None:
    spec = draw_figure(number, made_up(number)).to_dict()
    text = str(spec)
    for title in AXES[number]:
        assert f"'title': '{title}'" in text
    for method in FIGURES[number].methods if number != 7 else ("N = 100", "N = 1000"):
        assert method in text
    assert spec["config"]["legend"]["orient"] == "bottom"  # outside the plot


def test_exports_are_pictures_and_a_page_without_network() -> None:
    files = exports(draw_figure(3, made_up(3)))
    assert str(files["svg"]).startswith("<svg")
    assert "slope −" in str(files["svg"])
    assert BOUND in str(files["svg"])
    assert bytes(files["png"])[:4] == b"\x89PNG"  # type: ignore[arg-type]
    assert not re.search(r"<(script|link)[^>]+(src|href)=", str(files["html"]))


def test_methods_differ_in_colour_and_in_shape_within_each_figure() -> None:
    for figure in FIGURES.values():
        looks = [STYLES[method] for method in figure.methods]
        for part in ("colour", "shape", "dash"):
            assert len({getattr(look, part) for look in looks}) == len(looks)
    assert STYLES[BOUND] == STYLES[TRUTH]


def test_what_is_off_the_scale_or_refused_is_said() -> None:
    data = made_up(6, variance=lambda m, n, d: 1e6 / n if (m, d) == ("wnn-published", 5) else 1 / n)
    refused = "wnn-published", 20
    refusing = FigureData(
        replace(r, estimate=np.full_like(r.estimate, np.nan)) if (r.method, r.d) == refused else r
        for r in data
    )
    text = str(draw_figure(6, refusing).to_dict()["title"])
    assert "off the scale: wnn-published" in text
    assert "at d = 5" in text
    assert "missing: wnn-published, d = 20: it refuses so many columns" in text


def test_the_page_escapes_everything_and_stands_alone() -> None:
    finding = Finding("holds when <x>", "<script>alert(1)</script>", "a < b")
    record = make_page([Verdict(HOSTILE, finding)], {3: "<svg onload='bad()'/>"}, "<seed>")
    page = render_page(record)
    for raw in ("<b>", "<i>", "<x>", "<script", "a < b", "<seed>", "onload"):
        assert raw not in page
    assert not re.search(r"(src|href)=\"(https?:)?//", page)
    assert "prefers-color-scheme: dark" in page
    assert 'name="viewport"' in page
    assert "default-src 'none'; style-src 'unsafe-inline'; img-src data:" in page
    assert page == render_page(record)


def test_the_page_has_a_row_for_every_claim_with_its_rule() -> None:
    absent = verdicts({}, dict.fromkeys(FIGURES, "not asked for"))
    page = render_page(make_page(absent, {}, "none"))
    assert page.count("<article>") == len(CLAIMS)
    assert page.count("Rule: ") == len(CLAIMS)
    assert "13 were not run." in page


def test_one_claim_is_counted_in_the_singular() -> None:
    rows = [Verdict(CLAIMS[i], Finding(HOLDS if i else FAILS, "–")) for i in range(3)]
    assert make_page(rows, {}, "none").tally == "2 hold, 1 does not hold"


@pytest.mark.parametrize("terminal", [False, True])
def test_the_table_holds_every_verdict(terminal: bool) -> None:
    rows = verdicts({4: made_up(4)}, dict.fromkeys(FIGURES, "not asked for"))
    out = io.StringIO()
    width = 200 if terminal else 40
    show_verdicts(rows, Console(file=out, force_terminal=terminal, width=width))
    text = re.sub(r"\x1b\[[\d;]*m", "", out.getvalue())
    assert text.count("not run") == len(CLAIMS) - 2
    if not terminal:
        assert "figure 4: The confidence band becomes narrower for greater values of N\n" in text
        assert "\x1b" not in out.getvalue()


SOURCE = Path(__file__).parents[3] / "shared" / "paper"


def test_quotations_are_the_words_of_the_paper() -> None:
    if not SOURCE.is_dir():
        pytest.skip(
            "wants the source of the paper in ../shared/paper, which is not in the repository"
        )
    (path,) = SOURCE.glob("*.txt")
    words = re.sub(r"\s+", " ", path.read_text(encoding="utf-8").replace("$", ""))
    for claim in CLAIMS:
        if claim.ours or "term" in claim.quotation:
            continue
        for part in claim.quotation.removesuffix(" (conclusion)").split(" … "):
            assert part.lower().rstrip(".") in words.lower(), part
