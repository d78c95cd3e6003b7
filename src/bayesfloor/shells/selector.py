"""A scikit-learn selector over `rank_columns`."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from bayesfloor.base.arrays import Bools, Floats, Ints
from bayesfloor.comparison import ColumnRanking, rank_columns
from bayesfloor.comparison.column_groups import make_groups
from bayesfloor.representation.learned import can_learn
from bayesfloor.sample.distinct_points import make_cells
from bayesfloor.sample.gate import make_sample
from bayesfloor.shells.labelled_estimator import LabelledEstimator


class FloorSelector(SelectorMixin, LabelledEstimator):  # type: ignore[misc]
    """Keep the columns that are enough to predict the labels.

    Columns are added one by one, each the one that lowers the mismatch most, until none lowers it
    by more than chance. Of columns that say the same, the first is kept. Columns are scaled to unit
    variance before they are compared; what is returned is not. Fewer than 20 different rows tell
    nothing: then all columns are kept.

    Parameters
    ----------
    confidence : float
        With which a column must lower the mismatch.
    random_state : int, None, or NumPy Generator or RandomState
        Seed that parts the rows for learning and measuring; None takes another at every call.
    max_seconds : float, optional
        Try no further column after about so long.
    workers : int, optional
        Threads, all cores by default.
    max_memory : int or str, optional
        Memory that the call may take, such as "8GB"; by default what there is.

    Attributes
    ----------
    ranking_ : (d,) array
        1 for columns that are kept, then 2, 3, ... by what is lost without them.
    column_ranking_ : ColumnRanking or None
        The whole answer; None where there was nothing to choose.
    classes_ : array
        The labels.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : array
        Names of the columns, where they have names.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> selector = FloorSelector().fit(*load_iris(return_X_y=True))
    >>> bool(selector.get_support()[2:].any())
    True
    """

    def __init__(
        self,
        *,
        confidence: float = 0.95,
        random_state: Any = 0,
        max_seconds: float | None = None,
        workers: Any = None,
        max_memory: Any = None,
    ) -> None:
        self.confidence = confidence
        self.random_state = random_state
        self.max_seconds = max_seconds
        self.workers = workers
        self.max_memory = max_memory

    def fit(self, X: Any, y: Any) -> Self:
        """Find the columns of `X` that are enough for the labels `y`."""
        points, labels = validate_data(self, X, y, dtype=np.float64, ensure_min_samples=2)
        check_classification_targets(labels)
        self.classes_ = np.unique(labels)
        self.column_ranking_: ColumnRanking | None = None
        columns, comparable = points.shape[1], scaled(points)
        sample = make_sample(comparable, labels)
        self.ranking_ = np.ones(columns, dtype=np.int64)
        if not can_learn(make_cells(sample)):
            return self
        if len(make_groups(sample.points, {str(j): [j] for j in range(columns)})) == 1:
            self.ranking_ += np.arange(columns)
            return self
        found = rank_columns(comparable, labels, **self.get_params(deep=False))
        self.column_ranking_, self.ranking_ = found, ranks(found, columns)
        return self

    def _get_support_mask(self) -> Bools:
        check_is_fitted(self)
        return np.asarray(self.ranking_ == 1)


def scaled(points: Floats) -> Floats:
    """Divide columns by their standard deviations; those that never change stay."""
    spread = points.std(axis=0)
    return np.asarray(points / np.where(spread > 0, spread, 1.0))


def ranks(found: ColumnRanking, columns: int) -> Ints:
    """Return 1 for selected columns, then 2, 3, ... by what they are worth, (columns,).

    Without any, the column that would be missed most is kept: a selector must return something.
    """
    ordered = [place(name) for one in found.columns for name in one.names]
    kept = [place(name) for name in found.selected] or ordered[:1]
    others = [j for j in ordered if j not in kept]
    ranking = np.ones(columns, dtype=np.int64)
    ranking[others] = np.arange(2, len(others) + 2)
    return ranking


def place(name: str) -> int:
    """Return the place of a column of an array, from its name.

    Examples
    --------
    >>> place("column 12")
    12
    """
    return int(name.removeprefix("column "))
