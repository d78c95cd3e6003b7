from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.ensemble import HistGradientBoostingClassifier
from threadpoolctl import threadpool_limits

from bayesfloor.base.arrays import Bools, Floats, Ints
from bayesfloor.representation.boosted_trees import (
    BoostedTrees,
    exclusive_sets,
    make_binning,
    make_cuts,
)


@pytest.fixture(autouse=True)
def _one_thread() -> Iterator[None]:
    """Let scikit-learn use one thread: on busy cores, several mostly wait for each other."""
    with threadpool_limits(1, user_api="openmp"):
        yield


def sample(n: int, d: int, m: int, seed: int) -> tuple[Floats, Ints]:
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(n, d))
    scores = np.column_stack([points[:, 0] * c + (points[:, 1] > 0) * (c % 2) for c in range(m)])
    return points, (scores + rng.gumbel(size=(n, m))).argmax(axis=1)


@pytest.mark.parametrize(("m", "penalty"), [(2, 0.0), (2, 1.0), (4, 0.0)])
def test_probabilities_are_those_of_scikit_learns_boosting(m: int, penalty: float) -> None:
    points, labels = sample(240, 3, m, seed=5)  # no two splits gain the same
    points = points.round(1)  # fewer values than bins: both cut between all of them
    options = {"learning_rate": 0.1, "max_leaf_nodes": 8, "min_samples_leaf": 5}
    oracle = HistGradientBoostingClassifier(
        max_iter=20, l2_regularization=penalty, early_stopping=False, **options
    ).fit(points, labels)
    ours = BoostedTrees(rounds=20, step=0.1, leaves=8, rows_of_leaf=5, penalty=penalty)
    found = ours.fit(points, labels).predict_proba(points)
    np.testing.assert_allclose(found, oracle.predict_proba(points), atol=1e-5)


def test_one_tree_of_two_leaves_by_hand() -> None:
    points = np.array([[0.0], [1.0], [2.0], [3.0]])
    tree = BoostedTrees(rounds=1, step=1.0, leaves=2, rows_of_leaf=1)
    found = tree.fit(points, np.array([0, 0, 1, 1])).predict_proba([[-5.0], [1.4], [1.6], [9.0]])
    # Odds of one; gradients of ±1/2, hessians of 1/4: each side moves by 1 / (1/2) = 2.
    odds = np.exp([-2.0, -2.0, 2.0, 2.0])
    np.testing.assert_allclose(found[:, 1], odds / (1 + odds), rtol=1e-12)


def test_columns_that_are_never_on_together_count_as_one_and_change_nothing() -> None:
    rng = np.random.default_rng(3)
    codes, other = rng.integers(0, 6, 400), rng.normal(size=400).round(1)
    labels = (rng.random(400) < np.array([0.1, 0.9, 0.3, 0.5, 0.8, 0.2])[codes]).astype(int)
    flags = (codes[:, None] == np.arange(6)) * 0.37 - 1.0
    points = np.column_stack([other, flags])
    binning = make_binning(points)
    assert binning.counts.tolist() == [len(np.unique(other)), 7]
    oracle = HistGradientBoostingClassifier(max_iter=10, early_stopping=False).fit(points, labels)
    found = BoostedTrees(rounds=10).fit(points, labels).predict_proba(points)
    np.testing.assert_allclose(found, oracle.predict_proba(points), atol=1e-5)


def test_rows_with_two_flags_that_were_never_on_together_have_a_prediction() -> None:
    codes = np.arange(60) % 3
    flags = (codes[:, None] == np.arange(3)).astype(float)
    trees = BoostedTrees(rounds=3, rows_of_leaf=2).fit(flags, codes % 2)
    found = trees.predict_proba(np.array([[1.0, 1.0, 0.0], [0.0, 0.0, 0.0]]))
    np.testing.assert_allclose(found.sum(axis=1), 1.0)


def test_a_table_without_any_cut_has_the_class_shares() -> None:
    labels = np.array([0, 0, 0, 1])
    found = BoostedTrees().fit(np.ones((4, 2)), labels).predict_proba(np.ones((2, 2)))
    np.testing.assert_allclose(found, [[0.75, 0.25]] * 2)


def test_classes_are_those_of_the_labels() -> None:
    points, labels = sample(90, 2, 3, seed=1)
    trees = BoostedTrees(rounds=2).fit(points, np.array(["b", "a", "c"])[labels])
    assert trees.classes_.tolist() == ["a", "b", "c"]
    assert trees.predict_proba(points).shape == (90, 3)


@given(arrays(np.bool_, st.tuples(st.integers(1, 30), st.integers(0, 12))), st.integers(1, 5))
def test_sets_of_flags_have_one_at_most_in_each_row(flags: Bools, most: int) -> None:
    sets = exclusive_sets(flags, most)
    assert sorted(j for some in sets for j in some) == list(range(flags.shape[1]))
    for some in sets:
        assert len(some) <= most
        assert (flags[:, some].sum(axis=1) <= 1).all()


@given(
    arrays(np.float64, st.integers(1, 60), elements=st.integers(-30, 30).map(float)),
    st.integers(2, 9),
)
def test_bins_are_few_and_follow_the_order_of_values(values: Floats, most: int) -> None:
    cuts = make_cuts(values, most)
    assert len(cuts) < most
    bins = np.searchsorted(cuts, np.sort(values))
    assert (np.diff(bins) >= 0).all()
    different = np.unique(values)
    if len(different) <= most:
        assert len(np.unique(bins)) == len(different)
