"""The page in a real browser: by mouse and by keyboard, on a desk and on a phone."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

pytest.importorskip("starlette", reason="wants the extra: pip install 'bayesfloor[web]'")
pytest.importorskip("uvicorn", reason="wants the extra: pip install 'bayesfloor[web]'")

from web_server import Server, serving, until

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Locator, Page

HOSTILE = '<img src=x onerror="alert(1)">'
PATIENCE = 60_000
"""Milliseconds to wait for anything."""
DROP = """([name, text, place]) => {
    const transfer = new DataTransfer();
    const bytes = Uint8Array.from(atob(text), letter => letter.charCodeAt(0));
    transfer.items.add(new File([bytes], name));
    for (const kind of ['dragenter', 'dragover', 'drop'])
        document.getElementById(place).dispatchEvent(
            new DragEvent(kind, { bubbles: true, cancelable: true, dataTransfer: transfer }));
}"""
CATCH_CHOOSER = """() => document.getElementById('chosen').addEventListener('click', event => {
    event.preventDefault();  // a headless browser does not always report its dialog
    document.title = 'the list of files';
})"""
WATCH = """name => {
    const button = document.querySelector(`[aria-label="${name}"]`);
    const text = button.parentElement.querySelector('span');
    window.watched = { button, places: new Set(), texts: new Set() };
    const look = () => {
        if (!button.isConnected) return;
        const box = button.getBoundingClientRect();
        watched.places.add(`${box.left} ${box.top + scrollY}`);
        watched.texts.add(text.textContent);
        requestAnimationFrame(look);
    };
    look();
}"""
OUTSIDE = """() => [...document.querySelectorAll('h1, h2, p, label, button, select, a, td, th')]
    .filter(part => {
        const box = part.getBoundingClientRect();
        return box.width > 1 && (box.left < -1 || box.right > innerWidth + 1);
    }).map(part => part.outerHTML.slice(0, 80))"""


def csv(rows: int = 60, names: str = "size,weight,sort") -> bytes:
    rng = np.random.default_rng(5)
    y = np.arange(rows) % 2
    a, b = rng.normal(size=(2, rows)) + y
    lines = [names, *(f"{p:.3f},{q:.3f},{'xy'[c]}" for p, q, c in zip(a, b, y, strict=True))]
    return "\n".join(lines).encode()


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with serving() as running:
        yield running


class Visitor:
    """A tab with the page, and all that went wrong in it."""

    def __init__(self, server: Server, context: BrowserContext) -> None:
        self.page: Page = context.new_page()
        self.page.set_default_timeout(PATIENCE)
        self.troubles: list[str] = []
        self.page.on("console", lambda message: self.troubles.append(message.text))
        self.page.on("pageerror", lambda error: self.troubles.append(str(error)))
        self.page.on("dialog", lambda dialog: self.troubles.append(dialog.message))
        self.page.on("request", lambda request: self._check(request.url, server.address))
        self.page.goto(server.address)
        self.page.wait_for_selector("body[data-ready]")

    def _check(self, url: str, address: str) -> None:
        if not url.startswith(address):
            self.troubles.append(url)

    def drop(self, data: bytes, name: str = "table.csv", place: str = "drop") -> None:
        text = base64.b64encode(data).decode()
        self.page.evaluate(DROP, [name, text, place])

    def runs(self, state: str) -> Locator:
        return self.page.locator(f".run.{state}")

    def wait_for_runs(self, state: str, count: int) -> None:
        self.runs(state).nth(count - 1).wait_for()


@pytest.fixture
def visitor(server: Server, browser: Browser) -> Iterator[Visitor]:
    size: Any = {"width": 1100, "height": 900}
    with browser.new_context(viewport=size) as context:
        guest = Visitor(server, context)
        yield guest
        assert guest.troubles == []


def test_a_table_is_dropped_asked_about_read_kept_and_compared(
    visitor: Visitor, tmp_path: Path
) -> None:
    page = visitor.page
    visitor.drop(csv())
    page.locator("#columns").wait_for()
    assert page.locator("#file-facts").inner_text() == "905 bytes · 60 rows · 3 columns"
    assert page.locator("#go-text").inner_text() == "“sort” from 2 columns"
    page.fill("[name=target]", "95%")
    page.click("#go")
    visitor.wait_for_runs("done", 1)
    frame = page.frame_locator("#report-frame")
    assert frame.locator("h1").inner_text() == "How low can the error on sort go?"
    assert visitor.runs("done").locator(".verdict").inner_text().startswith("Target of 5% error")
    page.get_by_label("Use weight").uncheck()
    page.click("#go")
    visitor.wait_for_runs("done", 2)
    page.click("#compare-form button")
    visitor.wait_for_runs("done", 3)
    pair = visitor.runs("done").first
    assert pair.locator("h3").inner_text() == "Run 3: run 2 against run 1"
    assert "between Run 2 and Run 1" in pair.locator(".verdict").inner_text()
    assert pair.locator(".bar").count() == 2
    assert frame.locator("h1").inner_text() == "Which has the lower floor, Run 1 or Run 2?"
    assert page.locator("#first-run option").count() == 2
    page.select_option("#second-run", index=0)
    page.click("#compare-form button")
    page.locator("#comparison").wait_for()
    assert "the same columns" in page.locator("#comparison p").nth(1).inner_text()
    page.set_viewport_size({"width": 360, "height": 800})
    assert page.evaluate(OUTSIDE) == []
    assert page.locator(".facts td").first.bounding_box()["width"] > 120  # type: ignore[index]
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    with page.expect_download() as download:
        page.get_by_text("Download the report").nth(1).click()
    download.value.save_as(tmp_path / "page.html")
    assert download.value.suggested_filename == "bayesfloor-sort-2.html"
    assert (tmp_path / "page.html").read_bytes().startswith(b"<!DOCTYPE html>")
    page.reload()
    visitor.wait_for_runs("done", 3)
    page.locator("#columns").wait_for()
    page.get_by_label("Remove run 1").click()
    visitor.runs("done").nth(2).wait_for(state="detached")
    page.click("#drop-file")
    page.locator("#drop").wait_for()


def test_predictions_are_dropped_or_chosen_matched_and_judged(
    visitor: Visitor, tmp_path: Path
) -> None:
    page = visitor.page
    rows = csv().decode().splitlines()
    keyed = [f"{line},r{row}" for row, line in enumerate(rows[1:])]
    visitor.drop("\n".join([f"{rows[0]},id", *keyed]).encode())
    page.locator("#columns").wait_for()
    visitor.drop(b"\0\1", "model.parquet", "predictions-drop")
    page.get_by_text("model.parquet: the suffix").wait_for()
    page.locator("#predictions-drop").wait_for()
    assert page.locator("#file-name").inner_text() == "table.csv"
    lines = [f"{'xy'[row % 3 == 0]},r{row}" for row in reversed(range(60))]
    (tmp_path / "model.csv").write_text("\n".join([f"{HOSTILE},id", *lines]), encoding="utf-8")
    page.set_input_files("#predictions-chosen", tmp_path / "model.csv")
    page.locator("#predictions-key").wait_for()
    assert not page.locator("#problem").is_visible()
    facts = page.locator("#predictions-loaded p").inner_text()
    assert facts == "model.csv 383 bytes · 60 rows · 2 columns"
    assert page.locator("[name=key]").input_value() == "id"
    assert page.locator("[name=model_error]").is_disabled()
    assert page.locator("#go-text").inner_text() == "“sort” from 2 columns"
    page.click("#go")
    visitor.wait_for_runs("done", 1)
    assert visitor.runs("done").locator("h3").inner_text() == (
        "Run 1: “sort” from 2 columns of table.csv, with model.csv"
    )
    report = page.frame_locator("#report-frame")
    assert report.get_by_text("Where does your model lose?").is_visible()
    page.focus("#predictions-remove")
    page.keyboard.press("Enter")
    page.locator("#predictions-drop").wait_for()
    assert page.evaluate("document.activeElement.id") == "predictions-chosen"
    assert page.locator("[name=model_error]").is_enabled()
    page.click("#go")
    visitor.wait_for_runs("done", 2)
    assert report.get_by_text("Where does your model lose?").count() == 0


def test_the_keyboard_is_enough(visitor: Visitor, tmp_path: Path) -> None:
    page = visitor.page
    (tmp_path / "table.csv").write_bytes(csv())
    page.locator("#drop").wait_for()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.id") == "chosen"
    page.evaluate(CATCH_CHOOSER)
    page.keyboard.press("Enter")
    assert page.title() == "the list of files"
    page.set_input_files("#chosen", tmp_path / "table.csv")
    page.locator("#columns").wait_for()
    assert page.evaluate("document.activeElement.id") == "columns-heading"
    page.keyboard.press("Tab")  # to the label, one stop for all of them
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowDown")
    for _ in range(20):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.name") == "target":
            break
    page.keyboard.type("0.95")
    page.keyboard.press("Enter")
    visitor.runs("done").or_(visitor.runs("running")).or_(visitor.runs("queued")).first.wait_for()
    assert page.evaluate("document.activeElement.id") == "runs-heading"
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('.run') !== null")
    visitor.wait_for_runs("done", 1)
    assert page.evaluate("document.activeElement.closest('.run') !== null")
    assert "Run 1: With 95% confidence" in str(page.locator("#status").text_content())


def test_a_button_of_the_list_stays_where_it_is_and_keeps_the_focus(visitor: Visitor) -> None:
    page = visitor.page
    visitor.drop(csv(18_000))
    page.locator("#columns").wait_for()
    page.click("#go")
    page.click("#go")
    cancel = page.get_by_label("Cancel run 1")
    page.get_by_label("Cancel run 2").wait_for()  # the list has all that it will have
    cancel.focus()
    page.evaluate(WATCH, "Cancel run 1")
    visitor.wait_for_runs("running", 1)
    until(lambda: page.evaluate("watched.texts.size > 1"))  # several polls have told something else
    assert page.evaluate("[...watched.places].length") == 1
    assert page.evaluate("document.activeElement === watched.button")
    page.keyboard.press("Enter")
    visitor.wait_for_runs("cancelled", 1)
    assert page.evaluate("document.activeElement.ariaLabel") == "Remove run 1"
    page.get_by_label("Cancel run 2").click()
    visitor.wait_for_runs("cancelled", 2)


def test_what_is_wrong_is_said_and_the_next_file_is_read(visitor: Visitor) -> None:
    page = visitor.page
    visitor.drop(b"\0\1\2", "table.parquet")
    page.locator("#problem").wait_for()
    assert "says Parquet but the contents do not" in page.locator("#problem").inner_text()
    page.click("#drop-file")
    page.locator("#drop").wait_for()
    visitor.drop(b"x" * 6_000_000, "large.csv")
    page.get_by_text("more than 5.0 MB").wait_for()
    visitor.drop(csv(), f"{HOSTILE}.csv")
    page.locator("#columns").wait_for()
    assert not page.locator("#problem").is_visible()
    page.fill("[name=target]", "most")
    page.click("#go")
    page.get_by_text("“Target” is 'most'").wait_for()
    until(lambda: page.evaluate("document.activeElement.name") == "target")
    box = page.locator("#problem").bounding_box()
    assert box is not None
    assert 0 <= box["y"] < 100  # it is in view, wherever the page is scrolled to
    page.keyboard.press("Escape")
    assert not page.locator("#problem").is_visible()
    visitor.troubles[:] = [said for said in visitor.troubles if "400 (Bad Request)" not in said]


def test_hostile_names_are_shown_and_inert(visitor: Visitor) -> None:
    page, name = visitor.page, HOSTILE.replace('"', '""')
    visitor.drop(csv(names=f'size,"{name}1","{name}2"'), f"{HOSTILE}.csv")
    page.locator("#columns").wait_for()
    assert page.locator("#file-name").inner_text() == f"{HOSTILE}.csv"
    assert f"{HOSTILE}1" in page.locator("#column-rows th").all_inner_texts()
    page.click("#go")
    visitor.wait_for_runs("done", 1)
    assert f"{HOSTILE}2" in page.frame_locator("#report-frame").locator("h1").inner_text()
    assert page.evaluate("document.images.length") == 0


def test_two_tabs_have_files_and_runs_of_their_own(visitor: Visitor, server: Server) -> None:
    other = Visitor(server, visitor.page.context)
    visitor.drop(csv(18_000), "first.csv")
    other.drop(csv(), "second.csv")
    for tab in (visitor, other):
        tab.page.locator("#columns").wait_for()
    for tab in (visitor, other):  # at once: the first run must not end before it is cancelled
        tab.page.click("#go")
    other.page.get_by_text("In the queue").or_(other.runs("done")).first.wait_for()
    visitor.page.get_by_label("Cancel run 1").click()
    visitor.wait_for_runs("cancelled", 1)
    other.wait_for_runs("done", 1)
    assert (
        other.page.locator("#run-list h3").inner_text()
        == "Run 1: “sort” from 2 columns of second.csv"
    )
    other.page.close()
    assert visitor.page.locator("#file-name").inner_text() == "first.csv"
    assert other.troubles == []


@pytest.mark.parametrize(("width", "scheme"), [(360, "dark"), (390, "light"), (768, "dark")])
def test_a_phone_shows_all_of_it(server: Server, browser: Browser, width: int, scheme: Any) -> None:
    size: Any = {"width": width, "height": 800}
    with browser.new_context(viewport=size, color_scheme=scheme) as context:
        guest = Visitor(server, context)
        guest.drop(csv(names="size," + "w" * 80 + ",sort"), "n" * 90 + ".csv")
        guest.page.locator("#columns").wait_for()
        guest.page.get_by_text("More settings").click()
        assert guest.page.evaluate(OUTSIDE) == []
        assert guest.page.evaluate("document.documentElement.scrollWidth") <= width
        head = guest.page.evaluate("document.querySelector('thead').offsetHeight")
        assert head < 50  # no word is broken
        colour = guest.page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert (colour == "rgb(255, 255, 255)") == (scheme == "light")
        assert guest.troubles == []
