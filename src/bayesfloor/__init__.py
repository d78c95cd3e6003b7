"""Bounds on the Bayes error: how low the error of any classifier can go on a sample.

The names in `__all__` are public. Modules and names that are not there may change at any time.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from bayesfloor.base.errors import DataError

if TYPE_CHECKING:
    from bayesfloor.comparison import (
        ColumnRanking,
        Comparison,
        NextSource,
        compare,
        next_source,
        rank_columns,
    )
    from bayesfloor.estimators.methods import METHODS
    from bayesfloor.floor import (
        Divergence,
        Floor,
        bayes_error,
        bayes_error_from_probabilities,
        bayes_error_from_votes,
        henze_penrose,
    )
    from bayesfloor.report.answer import Answer, answer
    from bayesfloor.shells.selector import FloorSelector
    from bayesfloor.shells.sklearn import BayesErrorEstimator
    from bayesfloor.tables import LabelledTable, read_table
    from bayesfloor.truth import populations
    from bayesfloor.two_sample import TwoSampleTest, two_sample_test

__version__ = "0.2.0"

__all__ = [
    "METHODS",
    "Answer",
    "BayesErrorEstimator",
    "ColumnRanking",
    "Comparison",
    "DataError",
    "Divergence",
    "Floor",
    "FloorSelector",
    "LabelledTable",
    "NextSource",
    "TwoSampleTest",
    "__version__",
    "answer",
    "bayes_error",
    "bayes_error_from_probabilities",
    "bayes_error_from_votes",
    "compare",
    "henze_penrose",
    "next_source",
    "populations",
    "rank_columns",
    "read_table",
    "two_sample_test",
]

_HOMES = {
    "METHODS": "estimators.methods",
    "Answer": "report.answer",
    "BayesErrorEstimator": "shells.sklearn",
    "ColumnRanking": "comparison",
    "Comparison": "comparison",
    "Divergence": "floor",
    "Floor": "floor",
    "FloorSelector": "shells.selector",
    "LabelledTable": "tables",
    "NextSource": "comparison",
    "TwoSampleTest": "two_sample",
    "answer": "report.answer",
    "bayes_error": "floor",
    "bayes_error_from_probabilities": "floor",
    "bayes_error_from_votes": "floor",
    "compare": "comparison",
    "henze_penrose": "floor",
    "next_source": "comparison",
    "rank_columns": "comparison",
    "read_table": "tables",
    "two_sample_test": "two_sample",
}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used."""
    if name == "populations":
        return import_module("bayesfloor.truth.populations")
    if name not in _HOMES:
        raise AttributeError(f"module 'bayesfloor' has no attribute {name!r}")
    value = getattr(import_module(f"bayesfloor.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
