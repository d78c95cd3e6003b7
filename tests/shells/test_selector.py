from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import estimator_checks_generator

import bayesfloor as bf
from bayesfloor.base.arrays import Floats, Ints
from bayesfloor.representation.maps import MAPS

QUICK = bf.FloorSelector(max_seconds=1e-9)  # the contract is the same, whatever is chosen
CHECKS = list(estimator_checks_generator(QUICK))


@pytest.fixture
def _one_map(monkeypatch: pytest.MonkeyPatch) -> None:
    """Learn one cheap map: the contract is the same, whatever columns are judged by."""
    linear = MAPS["linear"]
    for name in reversed(tuple(MAPS)):  # put back in the order that they had
        monkeypatch.delitem(MAPS, name)
    monkeypatch.setitem(MAPS, "linear", linear)


@pytest.mark.usefixtures("_one_map")
@pytest.mark.parametrize(
    "check", [check for _, check in CHECKS], ids=lambda check: check.func.__name__
)
def test_it_is_a_scikit_learn_selector(check: object) -> None:
    check(clone(QUICK))  # type: ignore[operator]


def draw(n: int = 240) -> tuple[Floats, Ints]:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, n)
    X = rng.normal(size=(n, 5))
    X[:, 1] += 2 * y
    X[:, 3] *= 1000  # noise on another scale
    X[:, 4] = X[:, 1] * 5
    return X, y


def test_it_keeps_one_of_two_columns_that_say_the_same() -> None:
    X, y = draw()
    selector = bf.FloorSelector().fit(X, y)
    assert selector.get_support().tolist() == [False, True, False, False, False]
    assert selector.ranking_[1] == 1
    assert sorted(selector.ranking_) == [1, 2, 3, 4, 5]
    np.testing.assert_array_equal(selector.transform(X), X[:, [1]])
    assert selector.column_ranking_ is not None
    assert selector.column_ranking_.selected == ("column 1",)


def test_it_works_in_pipelines_and_column_transformers_with_names() -> None:
    X, y = draw()
    frame = pd.DataFrame(X, columns=[*"abcde"])
    model = make_pipeline(bf.FloorSelector(), LogisticRegression()).fit(frame, y)
    assert model.score(frame, y) > 0.8
    assert model[0].feature_names_in_.tolist() == [*"abcde"]
    assert model[0].get_feature_names_out().tolist() == ["b"]
    both = ColumnTransformer([("few", bf.FloorSelector(), ["a", "b", "c"])]).fit(frame, y)
    assert both.get_feature_names_out().tolist() == ["few__b"]


def test_where_no_column_helps_one_is_kept() -> None:
    rng = np.random.default_rng(1)
    selector = bf.FloorSelector().fit(rng.normal(size=(60, 3)), np.arange(60) % 2)
    assert selector.get_support().sum() == 1


def test_one_column_is_kept() -> None:
    selector = bf.FloorSelector().fit(np.arange(40.0)[:, None], np.arange(40) % 2)
    assert selector.get_support().tolist() == [True]
