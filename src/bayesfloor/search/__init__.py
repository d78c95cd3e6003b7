"""Exact neighbour search with shared ranks: points in, sums over the ranks out.

Nothing here keeps an n × K table: engines are asked for batches of rows, each batch is reduced to
sums over its rows, and the sums are added up in a fixed order.
"""

from __future__ import annotations

from bayesfloor.search.choice import ENGINES, make_finder
from bayesfloor.search.effort import Effort
from bayesfloor.search.job import Field, Job, Thin
from bayesfloor.search.ranks import Drawn, RankSums, growing_sums, rank_sums

__all__ = [
    "ENGINES",
    "Drawn",
    "Effort",
    "Field",
    "Job",
    "RankSums",
    "Thin",
    "growing_sums",
    "make_finder",
    "rank_sums",
]
