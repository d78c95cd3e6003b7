"""The engines by name, and which one is the fastest for a job."""

from __future__ import annotations

import sys

from bayesfloor.arrays import Floats
from bayesfloor.search.job import Engine, Job
from bayesfloor.search.plain import BlockFinder, Finder, TreeFinder

ENGINES = ("tree", "blocks", "scipy", "numpy")
"""Compiled for few and for many columns, and the same without compiled code."""
TREE_DIMENSION = 8
"""Up to this many columns SciPy's tree beats matrix products in double precision."""
PATIENCE = 2.0
"""Seconds on one core that are not worth loading, or once even compiling, compiled code."""
PROBES = 32
"""Rows on which a tree is tried."""


def make_finder(points: Floats) -> Finder:
    """Make the faster finder of the neighbours of a few of the points."""
    return TreeFinder(points) if points.shape[1] <= TREE_DIMENSION else BlockFinder(points)


def make_engine(job: Job, engine: str = "auto") -> Engine:
    """Build an engine by name, or the one that should be the fastest."""
    if engine == "auto":
        if plain_seconds(job) > PATIENCE or is_warm():
            return fastest_compiled(job)
        engine = "scipy" if job.points.shape[1] <= TREE_DIMENSION else "numpy"
    if engine == "tree":
        from bayesfloor.search.tree_sums import TreeSums

        return TreeSums(job)
    if engine == "blocks":
        from bayesfloor.search.block_sums import BlockSums

        return BlockSums(job)
    from bayesfloor.search.plain_sums import NumpySums, ScipySums

    return ScipySums(job) if engine == "scipy" else NumpySums(job)


def is_warm() -> bool:
    """Tell whether compiled code has been used already: it is then faster for any job."""
    kernel = sys.modules.get("bayesfloor.search.tree_kernel")
    return kernel is not None and bool(kernel.sum_rows.signatures)


def plain_seconds(job: Job) -> float:
    """Estimate how long the engines without compiled code take on one core."""
    u, d = job.points.shape
    if d <= TREE_DIMENSION:
        return 5e-8 * u * (1 + d) * min(job.ranks, u)
    return u * u * (1.2e-8 + 1e-10 * d)


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
