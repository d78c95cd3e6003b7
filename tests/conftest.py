from __future__ import annotations

import signal
from pathlib import Path

import pytest
from hypothesis import settings

signal.signal(signal.SIGINT, signal.default_int_handler)  # shells ignore it in the background
settings.register_profile("repeatable", deadline=None, derandomize=True)
settings.load_profile("repeatable")


@pytest.fixture
def shared_data() -> Path:
    """Real data kept beside the checkout, not part of it."""
    folder = Path(__file__).parents[2] / "shared" / "data"
    if not folder.is_dir():
        pytest.skip("wants the data sets in ../shared/data, which are not part of the repository")
    return folder
