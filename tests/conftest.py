from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from hypothesis import settings

signal.signal(signal.SIGINT, signal.default_int_handler)  # shells ignore it in the background
settings.register_profile("repeatable", deadline=None, derandomize=True)
settings.register_profile("attack", deadline=None, derandomize=False, print_blob=True)
settings.load_profile("attack" if os.environ.get("ATTACK") else "repeatable")


def pytest_configure(config: pytest.Config) -> None:
    """Forget machine code older than its source: Numba sees changes in the caller's file only."""
    if hasattr(config, "workerinput"):
        return
    root = Path(__file__).parents[1] / "src" / "bayesfloor"
    folder = root / "neighbours"
    newest = max(path.stat().st_mtime for path in folder.rglob("*.py"))
    for index in folder.rglob("*.nbi"):
        if index.stat().st_mtime < newest:
            index.unlink()


@pytest.fixture
def shared_data() -> Path:
    """Real data kept beside the checkout, not part of it."""
    folder = Path(__file__).parents[2] / "shared" / "data"
    if not folder.is_dir():
        pytest.skip("wants the data sets in ../shared/data, which are not part of the repository")
    return folder
