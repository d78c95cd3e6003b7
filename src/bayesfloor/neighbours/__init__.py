"""Exact neighbour search with shared ranks: points in, sums over the ranks out.

No table of n × K neighbours is kept: engines search batches of rows, each batch is reduced to sums
over its rows, and these are added up in a fixed order.

Not public, and may change at any time: rely on the names in `bayesfloor.__all__`.
"""

from __future__ import annotations

from bayesfloor.neighbours.effort import Effort
from bayesfloor.neighbours.engine_choice import ENGINES, make_finder
from bayesfloor.neighbours.search import PartialSums, RankSums, growing_sums, rank_sums
from bayesfloor.neighbours.task import Field, LeverageField, SearchTask

__all__ = [
    "ENGINES",
    "Effort",
    "Field",
    "LeverageField",
    "PartialSums",
    "RankSums",
    "SearchTask",
    "growing_sums",
    "make_finder",
    "rank_sums",
]
