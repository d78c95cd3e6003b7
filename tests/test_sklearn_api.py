from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.utils.estimator_checks import check_estimator

import bayesfloor as bf


@pytest.mark.parametrize(
    "estimator", [bf.BayesErrorEstimator(), bf.BayesErrorEstimator("knn", k=1)], ids=str
)
def test_the_estimator_keeps_the_contract_of_scikit_learn(estimator: Any) -> None:
    results = check_estimator(estimator, on_skip=None, on_fail=None)
    failed = [r["check_name"] for r in results if r["status"] == "failed"]
    skipped = {r["check_name"] for r in results if r["status"] == "skipped"}
    assert failed == []
    assert skipped <= {"check_array_api_input"}  # for estimators that declare array API support
    assert len(results) > 30


def test_fit_gives_what_bayes_error_gives() -> None:
    rng = np.random.default_rng(3)
    X = pd.DataFrame(rng.normal(size=(80, 2)), columns=["a", "b"])
    y = np.where(X["a"] + rng.normal(size=80) > 0, "up", "down")
    fitted = bf.BayesErrorEstimator("knn", k=3, confidence=0.9).fit(X, y)
    floor = bf.bayes_error(X, y, method="knn", k=3, confidence=0.9)
    assert (fitted.lower_, fitted.upper_) == (floor.lower, floor.upper)
    assert fitted.interval_ == floor.interval
    assert fitted.classes_.tolist() == ["down", "up"]
    assert fitted.feature_names_in_.tolist() == ["a", "b"]


def test_a_clone_has_the_options_and_no_result() -> None:
    copy = clone(bf.BayesErrorEstimator("mst", confidence=0.8))
    assert (copy.method, copy.confidence) == ("mst", 0.8)
    assert not hasattr(copy, "floor_")


def test_bad_options_are_refused_when_fitted() -> None:
    with pytest.raises(bf.DataError, match="method is 'nope'"):
        bf.BayesErrorEstimator("nope").fit([[0.0], [1.0]] * 4, [0, 1] * 4)
