"""The estimators by name."""

from __future__ import annotations

from bayesfloor.base.choices import METHOD_SUMMARIES
from bayesfloor.estimators.extrapolation import fitted_curve
from bayesfloor.estimators.method import Method
from bayesfloor.estimators.mst import mst
from bayesfloor.estimators.published import curve_and_grid, knn, wnn_published
from bayesfloor.estimators.wnn import wnn

METHODS: dict[str, Method] = {
    "wnn": Method(
        wnn,
        METHOD_SUMMARIES["wnn"],
        "comparing every row with its nearest neighbours and extrapolating to distance zero",
        covers_bias=True,
        may_learn=True,
        sharpens=True,
        fitted_curve=fitted_curve,
    ),
    "wnn-published": Method(
        wnn_published,
        METHOD_SUMMARIES["wnn-published"],
        "comparing every row with its nearest neighbours, with the published weights",
        curve_length=curve_and_grid,
    ),
    "knn": Method(
        knn,
        METHOD_SUMMARIES["knn"],
        "comparing every row with its k-th nearest neighbour",
        uses_k=True,
    ),
    "mst": Method(
        mst,
        METHOD_SUMMARIES["mst"],
        "counting the edges of the minimum spanning tree that join two classes",
        needs_all_rows=True,
    ),
}
"""Choices of the call, the command line and the tests."""
DEFAULT_METHOD = "wnn"
"""What is used unless another is asked for."""
