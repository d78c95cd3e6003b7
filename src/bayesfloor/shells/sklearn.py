"""A scikit-learn shell over `bayes_error`."""

from __future__ import annotations

from typing import Any, Self

from sklearn.utils.validation import _check_feature_names, _check_n_features

from bayesfloor.floor import bayes_error
from bayesfloor.floor.input import no_label_hint
from bayesfloor.shells.labelled_estimator import LabelledEstimator


class BayesErrorEstimator(LabelledEstimator):
    """Bounds on the Bayes error, fitted like any scikit-learn estimator.

    Parameters
    ----------
    method : {"wnn", "wnn-published", "knn", "mst"}
        As in `bayes_error`.
    k : int
        The neighbour that method "knn" looks at.
    representation : {"auto", "raw", "learned"} or scikit-learn classifier or transformer
        What is measured, as in `bayes_error`.
    confidence : float
        Of the intervals.
    random_state : int, None, or NumPy Generator or RandomState
        Seed that parts the rows for learning and measuring; None takes another at every call.
    tolerance : float, optional
        Standard error of the mismatch that is small enough: rows are searched in random order until
        it is met.
    max_seconds : float, optional
        Search for about so long, in random order too.
    workers : int, optional
        Threads, all cores by default.
    max_memory : int or str, optional
        Memory that the call may take, such as "8GB"; by default what there is.
    priors, cost, metric, reject, top_k
        What a classifier decides, as in `bayes_error`.

    Attributes
    ----------
    floor_ : Floor
        The whole answer.
    lower_, upper_ : float
        Bounds on the Bayes error.
    interval_ : tuple of float
        Confidence interval of the Bayes error.
    estimate_ : float
        The Bayes error itself, between the bounds.
    classes_ : array
        The labels.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : array
        Names of the columns, where they have names.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> estimator = BayesErrorEstimator().fit(*load_iris(return_X_y=True))
    >>> estimator.lower_ <= estimator.upper_
    True
    """

    def __init__(
        self,
        method: str = "wnn",
        *,
        k: int = 5,
        representation: Any = "auto",
        confidence: float = 0.95,
        random_state: Any = 0,
        tolerance: float | None = None,
        max_seconds: float | None = None,
        workers: Any = None,
        max_memory: Any = None,
        priors: Any = None,
        cost: Any = None,
        metric: str | None = None,
        reject: float | None = None,
        top_k: int | None = None,
    ) -> None:
        self.method = method
        self.k = k
        self.representation = representation
        self.confidence = confidence
        self.random_state = random_state
        self.tolerance = tolerance
        self.max_seconds = max_seconds
        self.workers = workers
        self.max_memory = max_memory
        self.priors = priors
        self.cost = cost
        self.metric = metric
        self.reject = reject
        self.top_k = top_k

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        groups: Any = None,
        time: Any = None,
        predictions: Any = None,
    ) -> Self:
        """Bound the Bayes error of points `X` with labels `y`.

        Parameters
        ----------
        X : array or data frame of shape (n, d)
            The points.
        y : array of length n
            Their labels.
        sample_weight : array of length n, optional
            Weight of each row, the same for all rows of a class, as in `bayes_error`.
        groups, time : array of length n, optional
            What each row belongs to, or when it was, as in `bayes_error`.
        predictions : array of shape (n,) or (n, m), optional
            What a model says of rows that it was not learned from, as in `bayes_error`.
        """
        with no_label_hint():
            floor = bayes_error(
                X,
                y,
                sample_weight=sample_weight,
                groups=groups,
                time=time,
                predictions=predictions,
                **self.get_params(deep=False),
            )
        _check_feature_names(self, X, reset=True)
        _check_n_features(self, X, reset=True)
        self.floor_ = floor
        self.lower_, self.upper_, self.interval_ = floor.lower, floor.upper, floor.interval
        self.estimate_ = floor.estimate
        self.classes_ = floor.classes
        return self
