from __future__ import annotations

from inspect import Parameter, signature
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.utils.estimator_checks import check_estimator

import bayesfloor as bf

WITHIN_CLASSES = {
    "check_sample_weights_not_overwritten",
    "check_sample_weight_equivalence_on_dense_data",
    "check_sample_weight_equivalence_on_sparse_data",  # of scikit-learn 1.6 only
}
"""Checks of weights that differ within a class, which are refused in one line."""


@pytest.mark.parametrize(
    "estimator",
    [bf.BayesErrorEstimator(representation="raw"), bf.BayesErrorEstimator("knn", k=1)],
    ids=str,
)
def test_the_estimator_keeps_the_contract_of_scikit_learn(estimator: Any) -> None:
    results = check_estimator(estimator, on_skip=None, on_fail=None)
    failed = {r["check_name"] for r in results if r["status"] == "failed"}
    skipped = {r["check_name"] for r in results if r["status"] == "skipped"}
    assert failed <= WITHIN_CLASSES
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


NOT_OF_THE_ESTIMATOR = (
    "label",
    "engine",
    "progress",
    "groups",
    "time",
    "sample_weight",
    "predictions",
    "key",
    "client",
)
"""Options that belong to a table, a terminal or, as groups do, to `fit`."""


def test_the_options_are_those_of_bayes_error_with_the_same_defaults() -> None:
    options = {
        name: given.default
        for name, given in signature(bf.bayes_error).parameters.items()
        if given.kind is Parameter.KEYWORD_ONLY and name not in NOT_OF_THE_ESTIMATOR
    }
    assert bf.BayesErrorEstimator().get_params() == options


@pytest.mark.parametrize("limit", [{"tolerance": 0.02}, {"max_seconds": 1e-6}], ids=str)
def test_some_rows_may_be_enough(limit: dict[str, Any]) -> None:
    rng = np.random.default_rng(4)
    X, y = rng.normal(size=(10_000, 1)), rng.integers(0, 2, 10_000)
    options: dict[str, Any] = {"random_state": 1, "representation": "raw", **limit}
    fitted = clone(bf.BayesErrorEstimator(**options)).fit(X, y)
    floor = bf.bayes_error(X, y, **options)
    assert fitted.interval_ == floor.interval
    assert len(fitted.floor_.known_mismatch) < 10_000


def test_a_clone_has_the_options_and_no_result() -> None:
    copy = clone(bf.BayesErrorEstimator("mst", confidence=0.8))
    assert (copy.method, copy.confidence) == ("mst", 0.8)
    assert not hasattr(copy, "floor_")


def test_bad_options_are_refused_when_fitted() -> None:
    with pytest.raises(bf.DataError, match="method is 'nope'"):
        bf.BayesErrorEstimator("nope").fit([[0.0], [1.0]] * 4, [0, 1] * 4)


SEEDS: dict[str, tuple[Any, Any]] = {
    "number": (3, np.int64(3)),
    "generator": (np.random.default_rng(3), np.random.default_rng(3)),
    "old generator": (np.random.RandomState(3), np.random.RandomState(3)),
}


@pytest.mark.parametrize("kind", SEEDS)
def test_a_seed_may_be_a_number_or_a_generator(kind: str) -> None:
    one, same = SEEDS[kind]
    X = np.random.default_rng(5).normal(size=(90, 12))
    y = np.arange(90) % 2
    learned = LogisticRegression()
    fitted = clone(bf.BayesErrorEstimator(representation=learned, random_state=one)).fit(X, y)
    floor = bf.bayes_error(X, y, representation=learned, random_state=same)
    assert fitted.interval_ == floor.interval
    again = bf.bayes_error(X, y, representation=learned, random_state=same)
    assert (again.interval == floor.interval) == (kind == "number")


def test_no_seed_is_another_at_every_call_and_follows_the_global_one() -> None:
    X, y = np.random.default_rng(5).normal(size=(90, 12)), np.arange(90) % 2
    state, seeds = np.random.get_state(), []  # noqa: NPY002
    for start in (state, None, state):
        if start is not None:
            np.random.set_state(start)  # noqa: NPY002
        seeds.append(bf.bayes_error(X, y, random_state=None, method="knn").run.settings.seed)
    assert seeds[0] == seeds[2] != seeds[1]


@pytest.mark.parametrize("seed", [-1, 0.5, "0", True])
def test_a_bad_seed_is_refused_with_what_may_be_passed(seed: Any) -> None:
    said = "pass a whole number of at least 0, None or a NumPy generator"
    with pytest.raises(bf.DataError, match=said):
        bf.bayes_error([[0.0], [1.0]] * 4, [0, 1] * 4, random_state=seed)
