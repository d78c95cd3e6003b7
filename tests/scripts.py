"""Benchmarks as commands, and as modules so that tests can call their functions."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path
from types import ModuleType

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"


SECONDS = 300
"""Time after which a command is taken to hang: many times what any takes."""


def run_benchmark(name: str, *options: str) -> subprocess.CompletedProcess[str]:
    """Run a script with options, and return what it printed and how it ended."""
    command = [sys.executable, str(BENCHMARKS / f"{name}.py"), *options]
    return subprocess.run(
        command, capture_output=True, encoding="utf-8", timeout=SECONDS, check=False
    )


def load_benchmark(name: str) -> ModuleType:
    """Load a script, which may import others beside it."""
    spec = importlib.util.spec_from_file_location(name, BENCHMARKS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    sys.path.insert(0, str(BENCHMARKS))
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(BENCHMARKS))
    return module
