from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1] / "src" / "bayesfloor"
FLOW = [
    "base",
    "bounds",
    "tables",
    "sample",
    "neighbours",
    "curve",
    "estimators",
    "representation",
    "floor",
    "report",
    "truth",
    "paper",
    "shells",
]


LATER = {("floor", "report")}
"""A Floor's methods draw and write; they import the later stage when they are called."""


def package_imports(path: Path, *, at_call: bool) -> set[str]:
    """Stages of the package that a module imports, or that its functions do when called."""
    names = set()
    tree = ast.parse(path.read_text(encoding="utf-8"))
    inside = [n for f in ast.walk(tree) if isinstance(f, ast.FunctionDef) for n in ast.walk(f)]
    for node in inside if at_call else set(ast.walk(tree)) - set(inside):
        if isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
        elif isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
    return {name.split(".")[1] for name in names if name.startswith("bayesfloor.")}


MODULES = [path for path in sorted(ROOT.rglob("*.py")) if path != ROOT / "__init__.py"]


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_point_upstream_only(path: Path) -> None:
    stage = path.relative_to(ROOT).with_suffix("").parts[0]
    for at_call in (False, True):
        for used in package_imports(path, at_call=at_call):
            upstream = FLOW.index(used) <= FLOW.index(stage)
            assert upstream or (at_call and (stage, used) in LATER), f"{stage} imports {used}"


@pytest.mark.parametrize("module", ["bayesfloor", "bayesfloor.shells.cli"])
def test_heavy_libraries_load_only_when_needed(module: str) -> None:
    code = f"import sys, {module}; print(*{{m.split('.')[0] for m in sys.modules}})"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert not {"polars", "altair", "vl_convert", "numba", "sklearn", "pandas"} & set(
        loaded.stdout.split()
    )


def test_no_benchmark_is_taken_for_a_library() -> None:
    """Scripts find their own folder first, and so do the libraries that they load."""
    process = subprocess.run(
        [sys.executable, "-c", "import altair, numba, pandas, polars, rich, sklearn.ensemble"],
        env={**os.environ, "PYTHONPATH": str(ROOT.parents[1] / "benchmarks")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.returncode == 0, process.stderr


def test_every_public_name_exists() -> None:
    import bayesfloor

    for name in bayesfloor.__all__:
        assert getattr(bayesfloor, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        bayesfloor.nothing  # noqa: B018
