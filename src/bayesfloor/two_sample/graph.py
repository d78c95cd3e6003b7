"""The neighbour graph of two samples put together: labels have no part in it.

Every row gives a weight to each of its nearest rows, by their rank. Rows at equal distance share
the weights of the ranks they take up, so the graph does not depend on the order of the rows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from bayesfloor.base.arrays import Floats, Ints
from bayesfloor.base.executor import ALL_CORES, Executor
from bayesfloor.neighbours import make_finder
from bayesfloor.neighbours.finders import Finder, TreeFinder
from bayesfloor.neighbours.ties import NeighbourBatch, are_covered, no_neighbours, tie_groups
from bayesfloor.sample.distinct_points import Cells

NEAR_DECAY, BROAD_DECAY = 1.5, 0.5
"""The weight of rank k is k to minus this: "near" looks at the first ranks, "broad" at all of them.

Ranks up to K have a standard error like √K, so that k^-0.5 gives all scales the same say; k^-1.5
leaves two thirds of the weight to the first four ranks. `benchmarks/two_sample.py` shows what each
of them finds.
"""
JOINED_PAIRS, LEAST_RANKS = 500_000, 64
"""Pairs of rows that are joined where there are at most so many rows that each has this many ranks:
a second of permutations. Judgements."""
MOST_PAIRS_JOINED = 8_000_000
"""Pairs of rows that are joined at most, some hundred megabytes: beyond, only some rows, drawn at
random, look for their neighbours."""
PAIR_BYTES = 100
"""Bytes that a joined pair takes while the graph is made and scored: calls of 2,000 to 100,000 rows
took 93 to 101."""
FEWEST_SEARCHED = 100
"""Cells that look for their neighbours at least, however little memory there is. A judgement."""
TREE_COLUMNS = 6
"""Columns up to which a tree finds neighbours faster than matrix products do, by a measurement."""
MOST_COMPARED = 4_000_000_000
"""Pairs of rows whose distances are computed at most where a tree is of no use: ten seconds on a
core. A judgement."""
COMPILED_CELLS = 4000
"""Distinct points from which on compiled code is worth loading. A judgement."""
SEARCH_SPAN = 512
"""Cells that are searched at a time. A judgement."""


@dataclass(frozen=True, slots=True, eq=False)
class NeighbourGraph:
    """Weights of pairs of rows, by cell: all rows of a cell have the same.

    Entry (c, d) is the weight that a row of cell c gives to a row of cell d; the diagonal has what
    rows of a cell give to each other.
    """

    near: csr_array  # (u, u)
    broad: csr_array  # (u, u)
    sizes: Ints  # (u,) rows in each cell
    ranks: int
    searched: int  # rows that have looked for their neighbours

    @property
    def n(self) -> int:
        """Number of rows."""
        return int(self.sizes.sum())


def rank_count(n: int) -> int:
    """Return how many ranks get a weight among n rows: half of them where there are few.

    Examples
    --------
    >>> rank_count(20), rank_count(5000), rank_count(1_000_000)
    (10, 100, 64)
    """
    return max(1, min(n // 2, max(JOINED_PAIRS // n, LEAST_RANKS)))


def make_graph(
    cells: Cells,
    *,
    seed: int = 0,
    executor: Executor = ALL_CORES,
    advance: Callable[[int], None] | None = None,
    ranks: int | None = None,
    max_memory: int | None = None,
) -> NeighbourGraph:
    """Join the rows of a sample to their nearest rows.

    Parameters
    ----------
    cells : Cells
        Distinct points with the rows in each.
    seed : int
        Decides which rows look for their neighbours where there are too many.
    executor : Executor
        Where the search runs; the graph does not depend on it.
    advance : callable, optional
        Takes the number of cells that were searched.
    ranks : int, optional
        Ranks that get a weight, `rank_count` by default.
    max_memory : int, optional
        Bytes that the graph may take: with fewer, fewer rows look for their neighbours.
    """
    ranks = rank_count(cells.n) if ranks is None else ranks
    pairs = MOST_PAIRS_JOINED
    if max_memory is not None:
        pairs = min(pairs, max(max_memory // PAIR_BYTES, FEWEST_SEARCHED * ranks))
    rows = searched_cells(cells, ranks, np.random.default_rng(seed), pairs)
    finder = _finder(cells.points)
    spans = [rows[a : a + SEARCH_SPAN] for a in range(0, len(rows), SEARCH_SPAN)]
    shares = rank_shares(NEAR_DECAY, ranks), rank_shares(BROAD_DECAY, ranks)

    def search(span: Ints) -> list[_Joined]:
        return _search(finder, span, cells.sizes, shares, ranks)

    found: list[_Joined] = []
    many = isinstance(finder, TreeFinder)
    for span, joined in zip(spans, executor.map(search, spans, multiplies=not many), strict=True):
        found += joined
        if advance is not None:
            advance(len(span))
    own = _own_cells(rows, cells.sizes, shares)
    start, stop, near, broad = (
        np.concatenate([getattr(one, name) for one in (*found, own)])
        for name in ("start", "stop", "near", "broad")
    )
    shape = (len(cells.points), len(cells.points))
    return NeighbourGraph(
        csr_array((near, (start, stop)), shape=shape),
        csr_array((broad, (start, stop)), shape=shape),
        cells.sizes,
        ranks,
        int(cells.sizes[rows].sum()),
    )


def rank_shares(decay: float, ranks: int) -> Floats:
    """Return the weights of the first k ranks together, k = 0..ranks, (ranks + 1,)."""
    return np.concatenate([[0.0], np.cumsum(np.arange(1.0, ranks + 1) ** -decay)])


def searched_cells(
    cells: Cells, ranks: int, rng: np.random.Generator, pairs: int = MOST_PAIRS_JOINED
) -> Ints:
    """Return the cells that look for their neighbours: all, or some where that takes too much."""
    u = len(cells.points)
    most = pairs // ranks
    if cells.points.shape[1] > TREE_COLUMNS:
        most = min(most, MOST_COMPARED // u)
    return np.arange(u) if u <= most else np.sort(rng.choice(u, most, replace=False))


def _finder(points: Floats) -> Finder:
    """Return the fastest finder of neighbours."""
    if points.shape[1] <= TREE_COLUMNS:
        return TreeFinder(points)
    if len(points) < COMPILED_CELLS:
        return make_finder(points)
    from bayesfloor.neighbours.engines.few import FewFinder

    return FewFinder(points)


@dataclass(frozen=True, slots=True, eq=False)
class _Joined:
    """Cells and the cells they are joined to, with the weights of their rows."""

    start: Ints
    stop: Ints
    near: Floats
    broad: Floats


def _search(
    finder: Finder, rows: Ints, sizes: Ints, shares: tuple[Floats, Floats], ranks: int
) -> list[_Joined]:
    """Find the neighbours of some cells; where ties need more of them, look farther."""
    others, joined = len(sizes) - 1, list[_Joined]()
    pending = [(rows, min(others, ranks + 1))]
    while pending:
        some, width = pending.pop()
        batch = finder.nearest(some, width) if width else no_neighbours(some)
        done = are_covered(batch, sizes, ranks) | (width == others)
        if done.any():
            joined.append(_weigh(batch.only(done), sizes, shares, ranks))
        if not done.all():
            pending.append((some[~done], min(others, 2 * width)))
    return joined


def _weigh(
    batch: NeighbourBatch, sizes: Ints, shares: tuple[Floats, Floats], ranks: int
) -> _Joined:
    """Give each neighbour the mean weight of the ranks that its tie group takes up."""
    groups = tie_groups(batch, sizes, ranks)
    first = np.minimum(groups.start, ranks)
    lengths = np.diff(groups.first, append=batch.found.size)
    start = np.repeat(batch.rows, batch.found.shape[1])
    near, broad = (
        np.repeat((share[first + groups.length] - share[first]) / groups.size, lengths)
        for share in shares
    )
    kept = broad > 0
    return _Joined(start[kept], batch.found.ravel()[kept], near[kept], broad[kept])


def _own_cells(rows: Ints, sizes: Ints, shares: tuple[Floats, Floats]) -> _Joined:
    """Return the weights that rows of one cell give to each other."""
    several = rows[sizes[rows] > 1]
    others = sizes[several] - 1
    near, broad = (share[np.minimum(others, len(share) - 1)] / others for share in shares)
    return _Joined(several, several, near, broad)
