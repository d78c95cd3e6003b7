"""Take docs/images/report.png: the first screen of the demo's page, in a real browser."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

WIDTH, HEIGHT, SCALE = 1200, 1120, 0.75


def take(target: Path) -> None:
    """Write the demo's page, open it, and save what is seen first."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        page = Path(folder) / "page.html"
        command = [sys.executable, "-c", "from bayesfloor.cli import main; main()", "demo"]
        subprocess.run([*command, "--report", str(page)], check=True)
        browser = driver.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        size: Any = {"width": WIDTH, "height": HEIGHT}
        view = browser.new_page(viewport=size, device_scale_factor=SCALE)
        view.goto(page.as_uri())
        view.screenshot(path=target)
        browser.close()


if __name__ == "__main__":
    take(Path(sys.argv[1]))
