"""Take the pictures of the demos' pages in docs/images, in a real browser."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playwright.sync_api import Page

WIDTH, HEIGHT, SCALE = 1200, 1190, 0.75
MARGIN = 24
PICTURES: dict[str, tuple[str, str | None]] = {
    "report.png": ("breast-cancer", None),
    "breast-cancer.png": ("breast-cancer", "#interval"),
    "wine.png": ("wine", "#learning"),
    "digits.png": ("digits", "#confusion"),
}
"""File: the demo and the section of its page, or None for what is seen first."""


def take_all(folder: Path) -> None:
    """Write the page of each demo, open it, and save its pictures."""
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as scratch, sync_playwright() as driver:
        browser = driver.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        size: Any = {"width": WIDTH, "height": HEIGHT}
        view = browser.new_page(viewport=size, device_scale_factor=SCALE)
        for demo in dict.fromkeys(demo for demo, _ in PICTURES.values()):
            view.goto(_write_page(demo, Path(scratch)).as_uri())
            _take(view, demo, folder)
        browser.close()


def _write_page(demo: str, folder: Path) -> Path:
    page = folder / f"{demo}.html"
    command = [sys.executable, "-c", "from bayesfloor.shells.cli import main; main()", "demo", demo]
    subprocess.run([*command, "--report", str(page)], check=True)
    return page


def _take(view: Page, demo: str, folder: Path) -> None:
    for name, (shown, section) in PICTURES.items():
        if shown == demo and section is None:
            view.screenshot(path=folder / name)
        elif shown == demo:
            clip = _with_margin(view.locator(str(section)).bounding_box())
            view.screenshot(path=folder / name, full_page=True, clip=clip)


def _with_margin(box: Any) -> Any:
    """Return what to show of a section: some white at its sides, no rule at its top."""
    wider = {"x": box["x"] - MARGIN, "width": box["width"] + 2 * MARGIN}
    return {**wider, "y": box["y"] + 2, "height": box["height"] - 2}


if __name__ == "__main__":
    take_all(Path(sys.argv[1]))
