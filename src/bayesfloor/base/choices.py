"""Choices of options whose registries take long to load: help lists them without these."""

from __future__ import annotations

METHOD_SUMMARIES = {
    "wnn": "weighted neighbours, the most accurate",
    "wnn-published": "weighted neighbours as in Noshad & Hero (2018)",
    "knn": "the k-th neighbour alone",
    "mst": "minimum spanning tree (Friedman-Rafsky)",
}
"""What each estimator is; `bayesfloor.estimators.methods.METHODS` has the estimators."""
AUTO, RAW, LEARNED = "auto", "raw", "learned"
"""Names of representations, as users write them."""
REPRESENTATIONS = {
    AUTO: "neighbours where they are local, and learned maps beside them or alone",
    RAW: "neighbours in the columns as they are, no maps",
    LEARNED: "class probabilities, learned on some rows and measured on others",
}
"""What can be asked for by name."""
