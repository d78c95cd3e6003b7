"""The engines by name, and which one is the fastest for a job."""

from __future__ import annotations

import sys

import numpy as np

from bayesfloor.arrays import Floats
from bayesfloor.search.job import Engine, Job
from bayesfloor.search.plain import BlockFinder, Finder, TreeFinder

ENGINES = ("tree", "blocks", "scipy", "numpy")
"""Compiled for few and for many columns, and the same without compiled code."""
TREE_DIMENSION = 8
"""Up to this many columns SciPy's tree finds the neighbours of a few points the fastest."""
PATIENCE = 2.0
"""Seconds on one core that are not worth loading, or once even compiling, compiled code."""
FEW_POINTS, FEW_A_COLUMN = 4000, 400
"""Up to so many points, and so many for each column, NumPy is as fast as compiled code."""
PROBES = 32
"""Rows on which an engine is tried."""


def make_finder(points: Floats) -> Finder:
    """Make the faster finder of the neighbours of a few of the points."""
    return TreeFinder(points) if points.shape[1] <= TREE_DIMENSION else BlockFinder(points)


def make_engine(job: Job, engine: str = "auto") -> Engine:
    """Build an engine by name, or the one that should be the fastest."""
    if engine == "auto":
        by_tree, by_products = plain_seconds(job)
        if min(by_tree, by_products) > PATIENCE:
            return fastest_compiled(job)
        if is_warm():
            return brief_numpy(job) or fastest_compiled(job)
        engine = "scipy" if by_tree < by_products else "numpy"
    if engine == "tree":
        from bayesfloor.search.tree_sums import TreeSums

        return TreeSums(job)
    if engine == "blocks":
        from bayesfloor.search.block_sums import BlockSums

        return BlockSums(job)
    from bayesfloor.search.plain_sums import NumpySums, ScipySums

    return ScipySums(job) if engine == "scipy" else NumpySums(job)


def is_warm() -> bool:
    """Tell whether compiled code has been used already: it is then faster for most jobs."""
    kernel = sys.modules.get("bayesfloor.search.tree_kernel")
    return kernel is not None and bool(kernel.sum_rows.signatures)


def plain_seconds(job: Job) -> tuple[float, float]:
    """Estimate how long SciPy's tree and NumPy's products take on one core."""
    u, d = job.points.shape
    by_tree = 4e-8 * u * (1 + d) * min(job.ranks, u) if d <= TREE_DIMENSION else np.inf
    return by_tree, u * u * (4e-9 + 1e-10 * d)


def brief_numpy(job: Job) -> Engine | None:
    """Build NumPy's engine if it is as fast as compiled code: few points, none of them tied."""
    from bayesfloor.search.plain_sums import NumpySums

    u, d = job.points.shape
    if u > min(FEW_POINTS, FEW_A_COLUMN * d):
        return None
    engine = NumpySums(job)
    return engine if engine.is_untied(PROBES) else None


def fastest_compiled(job: Job) -> Engine:
    """Build the faster of the compiled engines.

    What a tree costs depends on how many leaves a row has to visit, and that on the intrinsic
    dimension. So, unless even the fewest leaves that hold the neighbours would be too many, or all
    leaves few enough, the tree is built and tried on some rows.
    """
    from bayesfloor.search.tree_sums import WIDTH, TreeSums

    u, d = job.points.shape
    by_blocks = 3e-5 + u * (2.5e-9 + 2.5e-11 * d)

    def by_tree(leaves: float) -> float:
        return 1e-5 + 5e-8 * (d + 2) * leaves

    if by_tree(job.ranks * u / job.sizes.sum() / WIDTH) < by_blocks:
        tree = TreeSums(job)
        if by_tree(u / WIDTH) < by_blocks or by_tree(tree.leaves_visited(PROBES)) < by_blocks:
            return tree
    return make_engine(job, "blocks")
