"""The engines by name, and which one is the fastest for a task."""

from __future__ import annotations

import sys

import numpy as np

from bayesfloor.base.arrays import Floats
from bayesfloor.neighbours.finders import BlockFinder, Finder, TreeFinder
from bayesfloor.neighbours.task import Engine, SearchTask

COMPILED = ("tree", "blocks", "few")
"""For few columns, for many, and for few points."""
ENGINES = (*COMPILED, "scipy", "numpy")
TREE_DIMENSION = 8
"""Up to this many columns SciPy's tree finds the neighbours of a few points the fastest."""
PATIENCE = 2.0
"""Seconds on one core that are not worth loading, or once even compiling, compiled code."""
FEW_POINTS = 16_000
"""Points up to which products of some rows with all of them fit into the cache."""
PROBES, FEW_PROBES = 32, 4
"""Rows on which an engine is tried, and rows that show ties where these are common."""


def make_finder(points: Floats) -> Finder:
    """Make the faster finder of the neighbours of a few of the points."""
    return TreeFinder(points) if points.shape[1] <= TREE_DIMENSION else BlockFinder(points)


def make_engine(task: SearchTask, engine: str = "auto") -> Engine:
    """Build an engine by name, or the one that should be the fastest."""
    if engine == "auto":
        by_tree, by_products = plain_seconds(task)
        if min(by_tree, by_products) > PATIENCE:
            return fastest_compiled(task)
        if is_warm():
            return fastest_compiled(task)
        engine = "scipy" if by_tree < by_products else "numpy"
    if engine in COMPILED:
        have_compiled()
    if engine == "tree":
        from bayesfloor.neighbours.engines.tree import TreeSums

        return TreeSums(task)
    if engine == "blocks":
        from bayesfloor.neighbours.engines.blocks import BlockSums

        return BlockSums(task)
    if engine == "few":
        from bayesfloor.neighbours.engines.few import FewFinder, FewSums

        return FewSums(task, FewFinder(task.points))
    from bayesfloor.neighbours.engines.plain import NumpySums, ScipySums

    return ScipySums(task) if engine == "scipy" else NumpySums(task)


def is_warm() -> bool:
    """Tell whether compiled code has been used already: it is then faster for most jobs."""
    kernel = sys.modules.get("bayesfloor.neighbours.kernels.selection")
    return kernel is not None and bool(kernel.select.overloads)


def have_compiled() -> None:
    """Compile or load what serves few points, while there is a wait for compiled code anyway."""
    if not is_warm():
        from bayesfloor.neighbours.engines.few import FewFinder

        FewFinder(np.arange(3.0)[:, None]).is_untied(1, 1)


def plain_seconds(task: SearchTask) -> tuple[float, float]:
    """Estimate how long SciPy's tree and NumPy's products take on one core."""
    u, d = task.points.shape
    by_tree = 4e-8 * u * (1 + d) * min(task.ranks, u) if d <= TREE_DIMENSION else np.inf
    return by_tree, u * u * (4e-9 + 1e-10 * d)


def fastest_compiled(task: SearchTask) -> Engine:
    """Build the fastest of the compiled engines, by what a row takes.

    What a tree costs depends on how many leaves a row has to visit, and that on the intrinsic
    dimension. So, unless even the fewest leaves that hold the neighbours would save less than the
    tree takes to build, or all leaves are few enough, it is built and tried on some rows.
    """
    from bayesfloor.neighbours.engines.few import FewFinder, FewSums
    from bayesfloor.neighbours.engines.tree import TreeSums
    from bayesfloor.neighbours.kernels.nearby_leaves import WIDTH

    have_compiled()
    u, d = task.points.shape
    by_blocks = 1.2e-5 + u * (1.4e-9 + 2e-11 * d)
    by_few = 3e-8 * task.ranks + u * (1.1e-9 + 4e-11 * d) if u <= FEW_POINTS else np.inf
    single = bool(task.sizes.max() == 1)
    finder = FewFinder(task.points) if single and by_few < by_blocks else None
    if finder is not None and not finder.is_untied(task.ranks, FEW_PROBES):
        finder = None
    by_products = by_blocks if finder is None else by_few

    def by_tree(leaves: float) -> float:
        return 1.5e-8 * task.ranks + leaves * (8e-8 + 8.5e-9 * d)

    at_best = by_tree(task.ranks * u / task.sizes.sum() / WIDTH)
    if u * (by_products - at_best) > 6e-4 + 2e-6 * u:  # what building it takes
        tree = TreeSums(task)
        if by_tree(u / WIDTH) < by_products or by_tree(tree.leaves_visited(PROBES)) < by_products:
            return tree
    return make_engine(task, "blocks") if finder is None else FewSums(task, finder)
