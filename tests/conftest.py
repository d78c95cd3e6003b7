from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from playwright.sync_api import Browser

SLOWEST_FILES = (
    *("test_report.py", "test_web_browser.py", "test_web_server.py", "test_cli.py"),
    "test_web_predictions.py",
    *("test_floor.py", "test_representation.py", "test_cluster.py", "test_engines.py"),
    *("test_browser.py", "test_faults.py", "test_extension_points.py", "test_hostile_requests.py"),
    *("test_selector.py", "test_tolerance.py", "test_grouped_floor.py", "test_paper_run.py"),
    *("test_docs_commands.py", "test_architecture.py", "test_first_command.py"),
)
"""Files that take longest: they come first, so that no worker ends long after the others."""
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
"""Names of the browser that tests of pages want."""

signal.signal(signal.SIGINT, signal.default_int_handler)  # shells ignore it in the background
settings.register_profile("repeatable", deadline=None, derandomize=True)
settings.register_profile("attack", deadline=None, derandomize=False, print_blob=True)
settings.load_profile("attack" if os.environ.get("ATTACK") else "repeatable")


def pytest_configure(config: pytest.Config) -> None:
    """Forget machine code older than its source: Numba sees changes in the caller's file only."""
    if hasattr(config, "workerinput"):
        return
    root = Path(__file__).parents[1] / "src" / "bayesfloor"
    folders = (root / "neighbours", root / "representation")
    files = [path for folder in folders for path in folder.rglob("*")]
    newest = max(path.stat().st_mtime for path in files if path.suffix == ".py")
    for index in (path for path in files if path.suffix == ".nbi"):
        if index.stat().st_mtime < newest:
            index.unlink()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run the slowest files first; all others stay in their order."""
    places = {name: place for place, name in enumerate(SLOWEST_FILES)}
    items.sort(key=lambda item: places.get(item.path.name, len(places)))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print what `make attack` tried, by kind."""
    if not os.environ.get("ATTACK"):
        return
    from hostile import OUTCOMES

    terminalreporter.section("attacks")
    for attack in sorted({kind for kind, _ in OUTCOMES}):
        answered, refused = (OUTCOMES[attack, outcome] for outcome in ("answered", "refused"))
        line = f"{attack:20} {answered + refused:9,} tried {answered:9,} answered"
        terminalreporter.write_line(f"{line} {refused:9,} refused")


@pytest.fixture
def shared_data() -> Path:
    """Real data kept beside the checkout, not part of it."""
    folder = Path(__file__).parents[2] / "shared" / "data"
    if not folder.is_dir():
        pytest.skip("wants the data sets in ../shared/data, which are not part of the repository")
    return folder


@pytest.fixture
def one_chart(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave pages their first chart only: drawing all takes most of the time of a page."""
    from bayesfloor.report.charts import CHARTS

    for name in list(CHARTS)[:0:-1]:  # put back the other way round: in the order that they had
        monkeypatch.delitem(CHARTS, name)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Return a real browser."""
    driver = pytest.importorskip("playwright.sync_api", reason="wants Playwright")
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None:
        pytest.skip(f"wants a browser, one of {', '.join(BROWSERS)}; apt-get install chromium")
    flags = ["--no-sandbox"] if os.geteuid() == 0 else []
    with driver.sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=found, args=flags)
        yield opened
        opened.close()
