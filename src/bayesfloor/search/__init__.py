"""Exact neighbour search with shared ranks: points in, sums over the ranks out.

Nothing here keeps an n × K table: engines hand over batches of rows, each batch is
reduced to sums over its rows, and the sums are added up in a fixed order.
"""

from __future__ import annotations

from bayesfloor.search.engines import ENGINES, choose_engine
from bayesfloor.search.ranks import Field, RankSums, rank_sums

__all__ = ["ENGINES", "Field", "RankSums", "choose_engine", "rank_sums"]
