from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("repeatable", deadline=None, derandomize=True)
settings.load_profile("repeatable")

COMPILED = ("test_curve", "test_search", "test_tolerance", "test_tree")
"""Files that compile the same kernels, which one process does for all of them."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """With ``--dist loadgroup``, keep the tests of a file in one process: they share fixtures."""
    for item in items:
        group = "compiled" if item.path.stem in COMPILED else item.path.stem
        item.add_marker(pytest.mark.xdist_group(group))


@pytest.fixture
def shared_data() -> Path:
    """Real data kept beside the checkout, not part of it."""
    folder = Path(__file__).parents[2] / "shared" / "data"
    if not folder.is_dir():
        pytest.skip("wants the data sets in ../shared/data, which are not part of the repository")
    return folder
