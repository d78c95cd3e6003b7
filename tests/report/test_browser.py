"""The page in a real browser: nothing leaves it, nothing runs in it, every chart is drawn."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest
from test_report import HOSTILE, hostile_frame

import bayesfloor as bf
from bayesfloor.report.charts import CHARTS
from bayesfloor.report.charts.style import styled, svg_text
from bayesfloor.report.interval_rows import interval_rows
from bayesfloor.report.sections import NARROW, WIDE

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

FOLD = 900
"""Pixels of a first screen: that of a laptop, and of a phone."""
PAPER = 672
"""Pixels of the text on A4 paper, within margins of 16 mm."""
VISIBLE_MARKS = """section => [...section.querySelectorAll('figure svg')]
    .filter(svg => svg.getBoundingClientRect().width > 0)
    .map(svg => [...svg.querySelectorAll('.role-mark > *')].filter(mark => {
        const box = mark.getBoundingClientRect();
        return box.width + box.height > 0;
    }).length)"""
OUTSIDE = """() => [...document.querySelectorAll('h1, h2, p, dd, dt, a, figure svg, .scroll')]
    .filter(part => {
        const box = part.getBoundingClientRect();
        return box.width > 0 && (box.left < -1 || box.right > innerWidth + 1);
    }).map(part => part.outerHTML.slice(0, 80))"""

CUT_OFF = """() => [...document.querySelectorAll('svg')].flatMap(svg => {
    const frame = svg.getBoundingClientRect();
    return [...svg.querySelectorAll('text')].filter(text => {
        const box = text.getBoundingClientRect();
        return box.width > 0 && (box.left < frame.left - 0.5 || box.right > frame.right + 0.5);
    }).map(text => text.textContent);
})"""


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    cells = pl.DataFrame(dict.fromkeys(HOSTILE, HOSTILE * 48))
    target = tmp_path_factory.mktemp("browser") / "page.html"
    floor = bf.bayes_error(*hostile_frame())
    return floor.report(target, rows=cells, model_error=0.3, target=0.9, title=HOSTILE[0])


class Visit:
    """A page that was opened, with all that happened on it."""

    def __init__(self, browser: Browser, path: Path, width: int, scheme: Any = "light") -> None:
        size: Any = {"width": width, "height": 900}
        context = browser.new_context(viewport=size, color_scheme=scheme)
        self.page: Page = context.new_page()
        self.requests: list[str] = []
        self.troubles: list[str] = []
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("console", lambda message: self.troubles.append(message.text))
        self.page.on("pageerror", lambda error: self.troubles.append(str(error)))
        self.page.on("dialog", self._refuse)
        self.page.goto(path.as_uri())
        self.page.wait_for_load_state("networkidle")

    def _refuse(self, dialog: Any) -> None:
        self.troubles.append("dialog")
        dialog.dismiss()


@pytest.mark.parametrize("width", [360, 390, 640, 1000, 1100, 1600])
def test_the_page_is_drawn_and_keeps_to_itself(browser: Browser, path: Path, width: int) -> None:
    visit = Visit(browser, path, width)
    page = visit.page
    assert visit.requests == [path.as_uri()]
    assert visit.troubles == []
    others = {"growth", "model", "model-calibration"}  # for floors without maps, and with a model
    for name in set(CHARTS) - others:
        marks = page.eval_on_selector(f"section#{name}", VISIBLE_MARKS)
        assert len(marks) == 1, f"{name}: one width of the drawing is visible"
        assert marks[0] >= 3, name
        assert page.locator(f"section#{name} p").first.is_visible()
    assert page.locator("h1").inner_text() == HOSTILE[0]
    assert page.evaluate(OUTSIDE) == []
    assert page.evaluate(CUT_OFF) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.context.close()


@pytest.mark.parametrize("font", ["DejaVu Sans", "Liberation Sans"])
@pytest.mark.parametrize("width", [WIDE, NARROW])
@pytest.mark.parametrize("places", [(0, 0, 25), (-25, 0, 0), (-1, 0, 1), (12, 20, 25)])
def test_no_name_or_number_of_an_interval_is_cut_off(
    browser: Browser, font: str, width: int, places: tuple[int, ...]
) -> None:
    if not _is_installed(font):
        pytest.skip(f"{font} is not installed, and another font would take its place")
    names = ["statusquo", "m" * 15, "wavelength of the measurement"]
    rows = [
        {"set": name, "low": at - 2.1, "high": at + 2.1, "at": at, "text": f"{at} (-12.3 to 45.6)"}
        for name, at in zip(names, places, strict=True)
    ]
    drawn = svg_text(styled(interval_rows(rows, "Rise of squared loss, in points"), width))
    page = browser.new_page()
    page.set_content(f"<style>text {{ font-family: '{font}' !important }}</style>{drawn}")
    assert page.locator("svg text").count() > 6
    assert page.evaluate(CUT_OFF) == []
    page.close()


def test_hostile_names_are_shown_and_inert(browser: Browser, path: Path) -> None:
    visit = Visit(browser, path, 1440)
    page = visit.page
    assert page.evaluate("document.scripts.length") == 0
    assert page.evaluate("document.images.length") == 0
    assert page.title() == f"{HOSTILE[0]} · bayesfloor"
    shown = page.locator("body").inner_text()
    assert all(name[:24] in shown for name in HOSTILE)
    for mark in page.locator("figure svg text").all()[:40]:
        mark.dispatch_event("mouseover")
    assert visit.troubles == []
    page.context.close()


def test_the_decision_is_on_the_first_screen(browser: Browser, path: Path) -> None:
    """On a desk all of it; on a phone the verdict and what is suspicious."""
    seen = {1100: ".callouts, .cautions, #interval, #next .steps", 390: ".callouts, .cautions"}
    for width, parts in seen.items():
        page = Visit(browser, path, width).page
        for part in page.locator(parts).all():
            box = part.bounding_box()
            assert box is not None
            assert box["y"] + box["height"] <= FOLD, part
        page.context.close()


def test_charts_are_as_wide_as_their_place(browser: Browser, path: Path) -> None:
    beyond = """() => [...document.querySelectorAll('figure')].map(figure => {
        const svg = [...figure.querySelectorAll('svg')].find(one => one.clientWidth > 0);
        return svg.getBoundingClientRect().right - figure.getBoundingClientRect().right;
    })"""
    page = Visit(browser, path, 360).page
    for width in range(360, 1601, 40):
        page.set_viewport_size({"width": width, "height": FOLD})
        assert max(page.evaluate(beyond)) <= 0.5, width
    page.context.close()


def test_dark_screens_and_paper_get_their_own_colours(browser: Browser, path: Path) -> None:
    page = Visit(browser, path, 1440, "dark").page
    background = "getComputedStyle(document.body).backgroundColor"
    label = "getComputedStyle(document.querySelector('.role-axis-label text')).fill"
    assert _light(page.evaluate(background)) < 0.2
    assert _light(page.evaluate(label)) > 0.5
    page.emulate_media(media="print")
    assert _light(page.evaluate(background)) == 1
    assert _light(page.evaluate(label)) < 0.5
    page.context.close()


def test_nothing_runs_off_the_paper(browser: Browser, path: Path) -> None:
    page = Visit(browser, path, PAPER).page
    page.emulate_media(media="print")
    assert page.evaluate("document.documentElement.scrollWidth") <= PAPER
    page.context.close()


def test_the_last_line_does_not_stand_alone_on_a_sheet(browser: Browser, path: Path) -> None:
    page = Visit(browser, path, PAPER).page
    page.emulate_media(media="print")
    style = "getComputedStyle(document.querySelector('footer')).breakBefore"
    assert page.evaluate(style) == "avoid"
    page.context.close()


def _is_installed(font: str) -> bool:
    """Tell whether the font that browsers draw with is the one that is named."""
    if not shutil.which("fc-match"):
        return False
    command = ["fc-match", "--format", "%{family}", font]
    found = subprocess.run(command, capture_output=True, encoding="utf-8", check=True).stdout
    return font in found.split(",")


def _light(colour: str) -> float:
    """Mean brightness of rgb(r, g, b), from 0 to 1."""
    parts = colour.removeprefix("rgb(").removesuffix(")").split(",")
    return sum(map(int, parts)) / 3 / 255
