"""The engines by name, and which one is the fastest for a task."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bayesfloor.base.arrays import Floats
from bayesfloor.base.executor import ALL_CORES, Executor
from bayesfloor.base.memory import check_space_for
from bayesfloor.neighbours.engine_costs import (
    MEASURED_COSTS,
    EngineCosts,
    blocks_row_seconds,
    few_row_seconds,
    numpy_seconds,
    scipy_seconds,
    tree_build_seconds,
    tree_row_seconds,
)
from bayesfloor.neighbours.finders import BlockFinder, Finder, TreeFinder, check_finite
from bayesfloor.neighbours.task import Engine, SearchTask

if TYPE_CHECKING:
    from bayesfloor.neighbours.engines.few import FewFinder

TREE_PROBES = 32
"""Rows on which a tree is tried. A judgement: they show how many leaves a row visits."""
TIE_PROBES = 4
"""Rows in which ties are looked for. A judgement: where ties are common, any row has some."""


@dataclass(frozen=True, slots=True)
class EngineSpec:
    """What an engine is, how to build it, and how long it should take."""

    summary: str
    compiled: bool
    build: Callable[[SearchTask, Executor], Engine]
    """Imports the engine when it is called: a plain one must not wait for Numba."""
    seconds: Callable[[EngineCosts, SearchTask], float] | None = None
    """Predicts the time on one core. None if that takes a trial, as it does for a compiled tree;
    plain engines without it are never chosen automatically."""


def _build_tree(task: SearchTask, executor: Executor) -> Engine:
    from bayesfloor.neighbours.engines.tree import TreeSums

    return TreeSums(task, executor)


def _build_blocks(task: SearchTask, executor: Executor) -> Engine:
    from bayesfloor.neighbours.engines.blocks import BlockSums

    return BlockSums(task, executor)


def _build_few(task: SearchTask, _: Executor) -> Engine:
    from bayesfloor.neighbours.engines.few import FewSums

    return FewSums(task)


def _build_scipy(task: SearchTask, _: Executor) -> Engine:
    from bayesfloor.neighbours.engines.plain import ScipySums

    return ScipySums(task)


def _build_numpy(task: SearchTask, _: Executor) -> Engine:
    from bayesfloor.neighbours.engines.plain import NumpySums

    return NumpySums(task)


ENGINES: dict[str, EngineSpec] = {
    "tree": EngineSpec(
        "A compiled search of a balanced tree, for few columns or a low intrinsic dimension.",
        compiled=True,
        build=_build_tree,
    ),
    "blocks": EngineSpec(
        "Matrix products in single precision, sifted by compiled code, for many columns.",
        compiled=True,
        build=_build_blocks,
    ),
    "few": EngineSpec(
        "Matrix products in double precision, selected from by compiled code, for few points.",
        compiled=True,
        build=_build_few,
    ),
    "scipy": EngineSpec(
        "SciPy's k-d tree, for small samples of few columns; nothing is compiled.",
        compiled=False,
        build=_build_scipy,
        seconds=lambda costs, task: scipy_seconds(
            costs, len(task.points), task.points.shape[1], task.ranks
        ),
    ),
    "numpy": EngineSpec(
        "NumPy's matrix products, for small samples of many columns; nothing is compiled.",
        compiled=False,
        build=_build_numpy,
        seconds=lambda costs, task: numpy_seconds(costs, len(task.points), task.points.shape[1]),
    ),
}
"""The engines by name. A new one is a class with `sum()`, see `Engine`, and an entry here."""


def make_finder(points: Floats) -> Finder:
    """Make the faster finder of the neighbours of a few of the points."""
    check_finite(points)
    few_columns = points.shape[1] <= MEASURED_COSTS.scipy_columns
    return TreeFinder(points) if few_columns else BlockFinder(points)


def make_engine(
    task: SearchTask,
    engine: str = "auto",
    executor: Executor = ALL_CORES,
    *,
    seconds: float = float("inf"),
) -> Engine:
    """Build an engine by name, or with "auto" the one that should be the fastest.

    If fewer `seconds` are left than compiling takes, "auto" does not wait for it.
    """
    check_finite(task.points)
    if engine == "auto":
        return fastest_engine(task, executor, seconds_left=seconds)
    spec = ENGINES[engine]
    if spec.compiled:
        load_kernels()
    return spec.build(task, executor)


def fastest_engine(
    task: SearchTask,
    executor: Executor,
    *,
    costs: EngineCosts = MEASURED_COSTS,
    loaded: bool | None = None,
    kept: bool | None = None,
    seconds_left: float = float("inf"),
) -> Engine:
    """Build the engine that should be the fastest.

    A short task does not wait for compiled code, unless that is `loaded` already: by default,
    whether it has been used in this process. Nor does one with a time limit that compiling alone
    would exceed, unless machine code is `kept` from an earlier run.
    """
    seconds, plain = fastest_plain(task, costs)
    if kernels_are_loaded() if loaded is None else loaded:
        return fastest_compiled(task, executor, costs)
    if seconds > costs.patience and (
        seconds_left >= costs.compiling or (_is_compiled(task) if kept is None else kept)
    ):
        return fastest_compiled(task, executor, costs)
    return plain.build(task, executor)


def fastest_plain(task: SearchTask, costs: EngineCosts) -> tuple[float, EngineSpec]:
    """Return the shortest predicted time of an engine that is not compiled, and that engine.

    Of two that should take equally long, it is the later one in the table.
    """
    plain = [spec for spec in ENGINES.values() if not spec.compiled]
    timed = [(spec.seconds(costs, task), spec) for spec in plain if spec.seconds is not None]
    return min(reversed(timed), key=lambda pair: pair[0])


def fastest_compiled(task: SearchTask, executor: Executor, costs: EngineCosts) -> Engine:
    """Build the fastest of the compiled engines, by the time that a row should take.

    The cost of a tree depends on how many leaves a row visits, which grows with the intrinsic
    dimension. So the tree is built and tried on some rows. It is not built if it could save less
    time than building it takes, even if rows visited only the leaves that hold their neighbours.
    It is not tried if it is the fastest even when rows visit all leaves.
    """
    from bayesfloor.neighbours.engines.blocks import BlockSums
    from bayesfloor.neighbours.engines.few import FewSums

    load_kernels()
    u, d = task.points.shape
    by_blocks = blocks_row_seconds(costs, u, d)
    by_few = few_row_seconds(costs, u, d, task.ranks)
    finder = _untied_finder(task) if by_few < by_blocks else None
    tree = _faster_tree(task, executor, costs, by_blocks if finder is None else by_few)
    if tree is not None:
        return tree
    return BlockSums(task, executor) if finder is None else FewSums(task, finder)


def _faster_tree(
    task: SearchTask, executor: Executor, costs: EngineCosts, by_products: float
) -> Engine | None:
    """Return a tree if a row takes less time than by products; one that is not is given back."""
    from bayesfloor.neighbours.engines.tree import TreeSums
    from bayesfloor.neighbours.kernels.nearby_leaves import LEAF_SIZE

    u, d = task.points.shape

    def by_tree(leaves: float) -> float:
        return tree_row_seconds(costs, leaves, d, task.ranks)

    at_best = by_tree(task.ranks * u / task.sizes.sum() / LEAF_SIZE)
    if u * (by_products - at_best) <= tree_build_seconds(costs, u):
        return None
    tree = TreeSums(task, executor)
    at_worst = by_tree(u / LEAF_SIZE)
    faster = at_worst < by_products or by_tree(tree.leaves_visited(TREE_PROBES)) < by_products
    return tree if faster else None


def _untied_finder(task: SearchTask) -> FewFinder | None:
    """Return a finder for few points, or None where ties would keep it busy."""
    from bayesfloor.neighbours.engines.few import FewFinder

    if task.sizes.max() > 1:
        return None
    finder = FewFinder(task.points)
    return finder if finder.is_untied(task.ranks, TIE_PROBES) else None


def kernels_are_loaded() -> bool:
    """Tell whether compiled code has been used in this process: it is then the fastest."""
    kernel = sys.modules.get("bayesfloor.neighbours.kernels.selection")
    return kernel is not None and bool(kernel.select.overloads)


def _is_compiled(task: SearchTask) -> bool:
    """Tell whether the longest kernel that a task needs is kept from an earlier run."""
    check_space_for("numba")
    if task.points.shape[1] <= MEASURED_COSTS.scipy_columns:
        from bayesfloor.neighbours.kernels.tree_search import sum_rows as kernel
    else:
        from bayesfloor.neighbours.kernels.sieve import sum_candidates as kernel  # type: ignore[assignment]
    return is_kept(kernel)


def is_kept(kernel: Any) -> bool:
    """Tell whether Numba has the machine code of a kernel, compiled since its source was written.

    Where code cannot be kept, it has not.
    """
    folder, source = kernel.stats.cache_path, Path(kernel.py_func.__code__.co_filename)
    if folder is None:
        return bool(kernel.overloads)
    indexes = Path(folder).glob(f"{source.stem}.{kernel.py_func.__name__}-*.nbi")
    written = source.stat().st_mtime
    return any(index.stat().st_mtime >= written for index in indexes)


def load_kernels() -> None:
    """Compile or load the kernels for few points, as compiled code has to be waited for anyway."""
    if not kernels_are_loaded():
        check_space_for("numba")
        from bayesfloor.neighbours.engines.few import FewFinder

        FewFinder(np.arange(3.0)[:, None]).is_untied(1, 1)
