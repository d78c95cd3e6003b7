"""Compiled code works where no cache can be written."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

KERNEL = """
from bayesfloor.neighbours.kernels.jit import jit, jit_strict

@jit
def doubled(x):
    return 2 * x

@jit_strict
def tripled(x):
    return 3 * x

print(doubled(21), tripled(14), doubled.stats.cache_path, tripled.stats.cache_path)
"""


def run_kernel(folder: Path, **more: str) -> str:
    path = folder / "kernel.py"
    path.write_text(KERNEL)
    variables = {k: v for k, v in os.environ.items() if k != "NUMBA_CACHE_DIR"} | more
    command = [sys.executable, str(path)]
    done = subprocess.run(command, env=variables, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    return done.stdout.strip()


def test_kernels_are_kept_beside_their_source(tmp_path: Path) -> None:
    cache = tmp_path / "__pycache__"
    assert run_kernel(tmp_path) == f"42 42 {cache} {cache}"
    assert len(list(cache.glob("kernel.doubled*.nbc"))) == 1


def test_kernels_are_compiled_anew_where_no_folder_takes_a_cache(tmp_path: Path) -> None:
    """A file stands in the place of every folder, which stops the superuser too."""
    file = tmp_path / "__pycache__"
    file.touch()
    at_file = dict.fromkeys(
        ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME", "HOME", "LOCALAPPDATA"), str(file)
    )
    assert run_kernel(tmp_path, **at_file) == "42 42 None None"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["__pycache__", "kernel.py"]
