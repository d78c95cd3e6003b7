from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from pkgutil import resolve_name

import pytest

ROOT = Path(__file__).parents[1] / "src" / "bayesfloor"
MAY_IMPORT = {
    "base": set(),
    "bounds": {"base"},
    "tables": {"base"},
    "sample": {"base", "tables"},
    "neighbours": {"base", "sample"},
    "curve": {"base", "sample", "neighbours"},
    "estimators": {"base", "bounds", "sample", "neighbours", "curve"},
    "representation": {"base", "bounds", "sample", "neighbours", "curve", "estimators"},
    "votes": {"base", "bounds", "tables"},
    "predictions": {"base", "bounds", "tables", "representation"},
    "floor": {
        *("base", "bounds", "tables", "sample", "neighbours", "curve", "estimators"),
        *("representation", "votes", "predictions"),
    },
    "comparison": {"base", "bounds", "tables", "sample", "representation", "floor"},
    "two_sample": {"base", "tables", "sample", "neighbours", "representation", "floor"},
    "report": {
        *("base", "bounds", "curve", "estimators", "representation", "floor", "comparison"),
        "two_sample",
    },
    "truth": {"base"},
    "paper": {
        *("base", "bounds", "sample", "neighbours", "curve", "estimators", "report", "truth"),
    },
    "shells": {
        *("base", "tables", "sample", "estimators", "representation", "floor"),
        *("comparison", "two_sample", "report", "paper"),
    },
}
"""Which layer may import which: data flows down this list."""
CONVENIENCES = {
    "floor/conveniences.py": {"report"},
    "comparison/record.py": {"report"},
    "comparison/column_ranking.py": {"report"},
    "two_sample/record.py": {"report"},
}
"""`Floor.report`, `.plot` and `.chart` draw: they import the later layer when they are called.
So do a comparison, a ranking and a test of two samples."""
MODULES = [path for path in sorted(ROOT.rglob("*.py")) if path.parent != ROOT]
TESTS_ROOT = Path(__file__).parent
TESTS = sorted(TESTS_ROOT.rglob("*.py"))


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def imported(path: Path, *, when_called: bool = False) -> set[str]:
    """Modules of the package that a module imports, or that its functions import when called."""
    tree = parsed(path)
    inside = {n for f in ast.walk(tree) if isinstance(f, ast.FunctionDef) for n in ast.walk(f)}
    nodes = inside if when_called else set(ast.walk(tree)) - inside
    names = set()
    for node in nodes:
        if isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
        elif isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
    return {name for name in names if module_path(name) is not None}


def module_path(name: str) -> Path | None:
    """Return the file of a module of the package, or None."""
    if not name.startswith("bayesfloor."):
        return None
    path = ROOT.joinpath(*name.split(".")[1:])
    candidates = (path.with_suffix(".py"), path / "__init__.py")
    return next((found for found in candidates if found.exists()), None)


def layer(path: Path) -> str:
    return path.relative_to(ROOT).parts[0]


def layers_of(names: set[str]) -> set[str]:
    return {name.split(".")[1] for name in names}


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_layers_import_only_what_they_may(path: Path) -> None:
    allowed = MAY_IMPORT[layer(path)] | {layer(path)}
    late = CONVENIENCES.get(path.relative_to(ROOT).as_posix(), set())
    assert layers_of(imported(path)) <= allowed
    assert layers_of(imported(path, when_called=True)) <= allowed | late


def test_layers_form_no_circle() -> None:
    order = list(MAY_IMPORT)
    for name, others in MAY_IMPORT.items():
        assert all(order.index(other) < order.index(name) for other in others), name


def test_every_layer_is_a_folder_and_every_folder_a_layer() -> None:
    folders = {path.name for path in ROOT.iterdir() if path.is_dir() and path.name != "__pycache__"}
    assert folders == set(MAY_IMPORT)
    assert {path.name for path in ROOT.glob("*.py")} == {"__init__.py", "__main__.py"}


@pytest.mark.parametrize("name", MAY_IMPORT)
def test_modules_of_a_layer_import_each_other_in_no_circle(name: str) -> None:
    """Imports at call time and for type checks count too."""
    inner = {
        path: {
            found
            for used in imported(path) | imported(path, when_called=True)
            if (found := module_path(used)) and layer(found) == name and found != path
        }
        for path in MODULES
        if layer(path) == name
    }
    inner = {path: {f for f in used if f.name != "__init__.py"} for path, used in inner.items()}
    while True:
        free = {path for path, used in inner.items() if not used}
        if not free:
            break
        inner = {path: used - free for path, used in inner.items() if path not in free}
    assert not inner, sorted(str(path.relative_to(ROOT)) for path in inner)


CONSTANT = re.compile("[A-Z][A-Z0-9_]*")
ONE_IN_EACH = {"CHART"}
"""Constants that every module of a kind has, such as that of one chart."""


def constants(path: Path) -> dict[str, bool]:
    """Return the constants of a module, and whether each is followed by a text that explains it.

    One text may explain several that stand above it without a blank line.
    """
    found: dict[str, bool] = {}
    waiting: list[str] = []
    end = 0
    for node in parsed(path).body:
        if node.lineno > end + 1:
            waiting = []
        end = node.end_lineno or end
        if isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names = [n.id for one in targets for n in ast.walk(one) if isinstance(n, ast.Name)]
            waiting += [name for name in names if CONSTANT.fullmatch(name)]
            found |= dict.fromkeys(waiting, False)
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            found |= dict.fromkeys(waiting, True)
            waiting = []
    return found


def test_a_constant_has_one_meaning() -> None:
    homes: dict[str, list[str]] = {}
    for path in MODULES:
        for name in constants(path):
            homes.setdefault(name, []).append(path.relative_to(ROOT).as_posix())
    twice = {name: where for name, where in homes.items() if len(where) > 1}
    assert {name: where for name, where in twice.items() if name not in ONE_IN_EACH} == {}


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_constant_says_what_it_is(path: Path) -> None:
    silent = [name for name, says in constants(path).items() if not says]
    assert [name for name in silent if name not in ONE_IN_EACH] == []


def test_tests_follow_the_layers() -> None:
    paths = TESTS_ROOT.iterdir()
    folders = {path.name for path in paths if path.is_dir() and path.name[0] not in "._"}
    assert folders - {"attack", "benchmarks"} == set(MAY_IMPORT)


@pytest.mark.parametrize("path", TESTS, ids=lambda path: str(path.relative_to(TESTS_ROOT)))
def test_tests_take_no_private_name_and_patch_no_constant_or_function(path: Path) -> None:
    """What tests need to see is public, and what they need to change is a parameter."""
    taken = own_imports(path)
    assert not [name for name in taken if name.startswith("_")], path
    for target in patched(path, taken):
        assert not CONSTANT.fullmatch(target.rpartition(".")[2]), (path, target)
        assert not is_own(target), (path, target)


def own_imports(path: Path) -> dict[str, str]:
    """Return what a file imports from the package, by name."""
    tree = parsed(path)
    froms = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module]
    ours = [node for node in froms if str(node.module).startswith("bayesfloor")]
    return {one.name: f"{node.module}.{one.name}" for node in ours for one in node.names}


def patched(path: Path, taken: dict[str, str]) -> Iterator[str]:
    """Yield the full names of what a file replaces."""
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "monkeypatch.setattr":
            owner, name = (ast.unparse(one).strip("'") for one in node.args[:2])
            yield owner if "." in owner else f"{taken.get(owner, owner)}.{name}"


def is_own(target: str) -> bool:
    """Tell whether something is a function or a class that the package defines."""
    if module_path(target.rpartition(".")[0]) is None:
        return False
    return getattr(resolve_name(target), "__module__", "").startswith("bayesfloor")


HEAVY = {
    "polars",
    "altair",
    "vl_convert",
    "matplotlib",
    "numba",
    "sklearn",
    "pandas",
    "starlette",
    "uvicorn",
}
"""Libraries that take long to load: only what needs them loads them."""
NUMERICS = {"numpy", "scipy", "narwhals", "rich"}
"""Libraries that a list of commands needs as little."""


def loaded_by(*code: str) -> set[str]:
    """Return the libraries that code loads, `scipy.stats` among them by its full name."""
    tell = "print(*{m.split('.')[0] for m in sys.modules} | {'scipy.stats'} & set(sys.modules))"
    run = [sys.executable, "-c", "\n".join(["import sys, contextlib", *code, tell])]
    return set(subprocess.run(run, capture_output=True, text=True, check=True).stdout.split())


def test_the_package_and_its_command_load_no_library() -> None:
    assert not (HEAVY | NUMERICS) & loaded_by("import bayesfloor, bayesfloor.shells.cli")


@pytest.mark.parametrize(
    "command", ["", "estimate", "votes", "compare", "columns", "shift", "demo", "paper", "serve"]
)
def test_help_loads_no_library(command: str) -> None:
    loaded = loaded_by(
        "from bayesfloor.shells.cli import main",
        f"sys.argv[1:] = {[*command.split(), '--help']}",
        "with contextlib.suppress(SystemExit): main()",
    )
    assert not (HEAVY | NUMERICS) & loaded


def test_heavy_libraries_load_only_when_needed() -> None:
    """What comes before a table is read needs none."""
    layers = ", ".join(f"bayesfloor.{name}" for name in ("floor", "comparison", "two_sample"))
    answers = "bayesfloor.shells.cli.answer_output, bayesfloor.report.document"
    assert not (HEAVY | {"scipy.stats"}) & loaded_by(f"import {layers}, {answers}")


def test_choices_that_help_lists_are_all_that_there_are() -> None:
    from bayesfloor.base.choices import METHOD_SUMMARIES
    from bayesfloor.estimators.methods import METHODS

    assert {name: one.summary for name, one in METHODS.items()} == METHOD_SUMMARIES


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
