"""Column sets and samples compared: how much lower the floor of one is than that of another.

`sides` says row by row what a set of columns tells of the labels, `paired_excess` what the maps of
two sets would still gain, `difference` puts both into intervals and p-values, `comparison` collects
them; `api` has the call. `source_choice` says where the next rows should come from.

Not public, and may change at any time: rely on the names in `bayesfloor.__all__`.
"""

from __future__ import annotations

from bayesfloor.comparison.api import compare
from bayesfloor.comparison.column_ranking import ColumnRanking, ColumnWorth
from bayesfloor.comparison.columns_api import rank_columns
from bayesfloor.comparison.difference import Difference
from bayesfloor.comparison.record import Comparison, SetDifference
from bayesfloor.comparison.source_choice import NextSource, next_source

__all__ = [
    "ColumnRanking",
    "ColumnWorth",
    "Comparison",
    "Difference",
    "NextSource",
    "SetDifference",
    "compare",
    "next_source",
    "rank_columns",
]
