"""Compiled code in a build that checks every index."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from hostile import ATTACK

CHECKED = """
import numpy as np
from bayesfloor.neighbours import Effort, Field, SearchTask, rank_sums
from bayesfloor.neighbours.spanning_tree import spanning_edges
rng = np.random.default_rng()
far = rng.normal(size=(700, 3)) * 10.0 ** rng.integers(-150, 1, (700, 1))
for points in (far, np.round(rng.normal(size=(700, 2)), 1), np.arange(700.0)[:, None]):
    points = np.unique(points, axis=0)
    n = len(points)
    field = Field(np.ones((n, 2)), np.zeros(n))
    task = SearchTask(points, np.ones(n, dtype=int), (field,), None, 5, 5, np.full(n, 2.0))
    for engine in ("tree", "blocks", "few"):
        assert np.allclose(rank_sums(task, Effort(engine=engine)).products, 2)
    assert len(spanning_edges(points, compiled_from=1)) == n - 1
print("checked")
"""


@pytest.mark.skipif(not ATTACK, reason="compiles the kernels, which takes a minute")
def test_no_kernel_leaves_its_arrays(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Such a build raises where another would write anywhere."""
    cache = Path(tmp_path_factory.getbasetemp().parent, "checked-kernels")
    environment = {**os.environ, "NUMBA_BOUNDSCHECK": "1", "NUMBA_CACHE_DIR": str(cache)}
    command = [sys.executable, "-c", CHECKED]
    run = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert run.stdout == "checked\n", run.stderr
