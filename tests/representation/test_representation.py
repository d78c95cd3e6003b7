from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.decomposition import PCA
from sklearn.feature_selection import SelectKBest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.svm import LinearSVC

import bayesfloor as bf
from bayesfloor import populations
from bayesfloor.base.arrays import Floats, Ints
from bayesfloor.base.executor import Threads
from bayesfloor.base.settings import Settings
from bayesfloor.bounds.loss import losses
from bayesfloor.curve.intrinsic_dimension import intrinsic_dimension
from bayesfloor.estimators.methods import METHODS
from bayesfloor.floor.notes import make_notes
from bayesfloor.representation import Measured, conclude, learn, pool_mismatch, raw_representation
from bayesfloor.representation.auto import THRESHOLDS, choose
from bayesfloor.representation.conclusion import (
    Doubt,
    design_effect_of_rule,
    posterior_of_copies,
    reaching_to_discontinuous,
)
from bayesfloor.representation.cross_fitting import (
    LearningTask,
    learn_probabilities,
    run_fits,
    thin_classes,
)
from bayesfloor.representation.locality import locality
from bayesfloor.representation.maps import (
    MAPS,
    Map,
    TrainingSize,
    boosting_seconds,
    forest_trees,
    leaves_columns_out,
)
from bayesfloor.representation.partition import Split, make_partition
from bayesfloor.sample.distinct_points import make_cells
from bayesfloor.sample.folds import assign_folds
from bayesfloor.sample.gate import make_sample

ONE_FIT = """
from dataclasses import replace
import numpy as np
from bayesfloor import bayes_error
from bayesfloor.representation.maps import MAPS

threads = set()

def spying(make=MAPS["boosting"].make, **size):
    from threadpoolctl import threadpool_info
    threads.update(library["num_threads"] for library in threadpool_info())
    return make(**size)

MAPS["boosting"] = replace(MAPS["boosting"], make=spying)
X = np.random.default_rng(0).normal(size=(200, 3))
bayes_error(X, X[:, 0] > 0, representation="learned", workers=2)
print(*threads)
"""
HALVES = [row / 2 for row in range(10, 50)]


def draw(population: populations.Population, n: int, seed: int) -> tuple[Floats, Ints]:
    both = population.draw(n, n, np.random.default_rng(seed))
    return np.concatenate(both), np.repeat([0, 1], n)


def noise(n: int, d: int, seed: int = 0) -> tuple[Floats, Ints]:
    return np.random.default_rng(seed).normal(size=(n, d)), np.arange(n) % 2


class Spy(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Knows the label of every row that it was fitted on, and nothing of the others."""

    log: ClassVar[list[tuple[set[float], set[float]]]] = []

    def fit(self, X: Any, y: Any) -> Self:
        self.classes_ = np.unique(y)
        self.seen_ = dict(zip(np.asarray(X)[:, 0].tolist(), y, strict=True))
        return self

    def predict_proba(self, X: Any) -> Floats:
        asked = np.asarray(X)[:, 0].tolist()
        Spy.log.append((set(self.seen_), set(asked)))
        known = [[float(self.seen_.get(x) == c) for c in self.classes_] for x in asked]
        return np.array([row if sum(row) else [0.5, 0.5] for row in known])


# parts


@given(st.lists(st.integers(0, 3), min_size=2, max_size=60), st.integers(2, 5))
def test_every_class_is_dealt_out_evenly(labels: list[int], count: int) -> None:
    fold = assign_folds(np.array(labels), count, np.random.default_rng(0))
    for c in set(labels):
        sizes = np.bincount(fold[np.array(labels) == c], minlength=count)
        assert sizes.max() - sizes.min() <= 1


def test_no_row_is_learned_from_and_measured() -> None:
    X, y = noise(200, 3)
    Spy.log.clear()
    floor = bf.bayes_error(X, y, representation=Spy())
    assert len(Spy.log) == 5 + 3 * 3  # folds, thirds, and two parts of these
    assert all(not seen & asked for seen, asked in Spy.log)
    assert floor.upper > 0.4  # it would be 0 if it met the rows it knows


def test_copies_of_a_row_are_never_parted() -> None:
    X, y = noise(120, 2)
    copied = np.r_[X, X[:60]]
    sample = make_sample(copied, np.r_[y, 1 - y[:60]])
    partition = make_partition(make_cells(sample), sample.labels, 0)
    for part in (*partition.folds, partition.third):
        np.testing.assert_array_equal(part[:60], part[120:])
    for splits in (partition.fold_splits(), partition.third_splits(), partition.third_splits(2)):
        for split in splits:
            seen = {tuple(row) for row in copied[split.training]}
            assert not any(tuple(row) in seen for row in copied[split.held_out])


def test_folds_hold_all_rows_and_thirds_are_halved_inside() -> None:
    sample = make_sample(*noise(240, 2))
    partition = make_partition(make_cells(sample), sample.labels, 1)
    first, second = np.array_split([split.held_out for split in partition.fold_splits()], 2)
    assert [sorted(held_out.ravel().tolist()) for held_out in (first, second)] == [
        list(range(240))
    ] * 2
    assert {tuple(sorted(fold)) for fold in first}.isdisjoint(
        tuple(sorted(fold)) for fold in second
    )
    for whole, half, quarter in zip(*(partition.third_splits(h) for h in range(3)), strict=True):
        assert (len(whole.training), len(half.training), len(quarter.training)) == (80, 40, 20)
        assert set(half.training) < set(whole.training)
        assert set(quarter.training) < set(whole.training)


def test_rows_that_are_learned_from_do_not_tell_the_shares_of_those_measured() -> None:
    """Always answering the larger class of the other folds errs on half of the rows."""
    errors = []
    for seed in range(400):
        rng = np.random.default_rng(seed)
        labels = rng.integers(0, 2, 120)
        cells = make_cells(make_sample(rng.normal(size=(120, 1)), labels))
        found = []
        for split in make_partition(cells, labels, seed).fold_splits():
            share = labels[split.training].mean()
            wrong = labels[split.held_out] != (share > 0.5)
            found.append(0.5 if share == 0.5 else wrong.mean())
        errors.append(np.mean(found))
    error = np.std(errors) / np.sqrt(len(errors))
    assert abs(np.mean(errors) - 0.5) < 4 * error  # with the same shares in all folds, 10 of these


def test_rare_classes_are_spread_over_folds_and_thirds() -> None:
    labels = np.repeat([0, 1], [300, 9])
    cells = make_cells(make_sample(np.random.default_rng(0).normal(size=(309, 2)), labels))
    partition = make_partition(cells, labels, 0)
    for fold in partition.folds:
        assert np.ptp(np.bincount(fold[labels == 1], minlength=10)) <= 1
    assert np.bincount(partition.third[labels == 1]).tolist() == [3] * 3


def test_maps_of_many_rows_are_learned_on_fewer_parts() -> None:
    labels = np.arange(24_000) % 2
    points = np.random.default_rng(0).normal(size=(24_000, 1))
    partition = make_partition(make_cells(make_sample(points, labels)), labels, 1)
    assert [len(split.training) for split in partition.fold_splits()] == [18_000] * 4
    for steps, size in enumerate((8000, 2000, 500)):
        for t, split in enumerate(partition.third_splits(steps)):
            assert len(split.training) == size
            assert set(partition.third[split.training]) == {t}
            assert set(partition.third[split.held_out]) == {0, 1, 2} - {t}


def test_very_many_rows_are_thinned_for_learning() -> None:
    labels = np.arange(3000) % 3
    kept = thin_classes(np.arange(3000), labels, 1000)
    assert len(kept) == 1000
    assert np.ptp(np.bincount(labels[kept])) <= 1
    assert len(thin_classes(np.arange(3000), labels, None)) == 3000


def test_rare_classes_are_thinned_less_and_their_probabilities_are_those_of_all_rows() -> None:
    rng = np.random.default_rng(0)
    labels = np.repeat([0, 1], [30_000, 24])
    sample = make_sample(rng.normal(size=(len(labels), 2)), labels)
    kept = thin_classes(np.arange(len(labels)), labels, 5000)
    assert np.bincount(labels[kept])[1] >= 10
    thinned = Map(LogisticRegression, "", most_rows=5000)
    task = LearningTask(sample.points, 2, labels, np.arange(2), {"thinned": thinned})
    rows = np.arange(len(labels))
    found = learn_probabilities(task, "thinned", Split(rows, rows))
    assert isinstance(found, np.ndarray)
    assert found[:, 1].mean() == pytest.approx(8e-4, rel=0.3)  # unweighed, thrice as much


def test_a_class_that_a_map_has_not_seen_has_no_chance() -> None:
    X, _ = noise(60, 3)
    floor = bf.bayes_error(X, np.r_[np.zeros(30), np.ones(28), 2, 2], representation="learned")
    assert floor.posterior.shape == (60, 3)
    np.testing.assert_allclose(floor.posterior.sum(axis=1), 1)
    assert floor.interval[1] >= 28 / 60


class Direction(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Log-odds along a random direction; nothing is learned."""

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed

    def fit(self, X: Any, y: Any) -> Self:
        self.classes_ = np.unique(y)
        self.direction_ = np.random.default_rng(self.seed).normal(size=X.shape[1])
        return self

    def decision_function(self, X: Any) -> Floats:
        return np.asarray(X @ self.direction_)


def use_maps(monkeypatch: pytest.MonkeyPatch, maps: dict[str, Map]) -> None:
    """Put other maps in the place of those there are, for the time of a test."""
    for name in reversed(tuple(MAPS)):  # put back in the order that they had
        monkeypatch.delitem(MAPS, name)
    for name, one in maps.items():
        monkeypatch.setitem(MAPS, name, one)


def test_weights_come_from_rows_that_have_no_part_in_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """The best of 40 directions in pure noise looks good on the rows that chose it, only there."""
    use_maps(monkeypatch, {str(seed): Map(partial(Direction, seed), "") for seed in range(40)})
    excess, errors = [], []
    for seed in range(15):
        sample = make_sample(*noise(150, 30, seed))
        posterior = learn(sample, seed=seed).posterior
        excess.append(losses(posterior, sample.labels).mean() - 0.5)
        errors.append((posterior.argmax(axis=1) != sample.labels).mean() - 0.5)
    # No probabilities predict noise, so loss and error are a half or more, up to chance.
    for found in (excess, errors):
        assert np.mean(found) > -4 * np.std(found) / np.sqrt(len(found))


def test_noise_is_not_predicted_by_the_maps_there_are() -> None:
    errors = []
    for seed in range(3):
        rng = np.random.default_rng(seed)
        points, labels = rng.normal(size=(150, 3)), rng.integers(0, 2, 150)
        floor = bf.bayes_error(points, labels, representation="learned")
        errors.append((floor.posterior.argmax(axis=1) != floor.labels).mean() - 0.5)
    assert np.mean(errors) > -4 * 0.5 / np.sqrt(150 * 3)


# invariance


@pytest.fixture(scope="module")
def shifted() -> tuple[Floats, Ints]:
    return draw(populations.shift(12, 2), 100, 5)


def test_row_order_workers_and_names_of_classes_change_nothing(
    shifted: tuple[Floats, Ints],
) -> None:
    X, y = shifted
    order = np.random.default_rng(6).permutation(len(y))
    one = bf.bayes_error(X, y, representation="learned", workers=1)
    two = bf.bayes_error(X[order], y[order], representation="learned", workers=2)
    swapped = bf.bayes_error(X, 1 - y, representation="learned")
    for value in ("mismatch", "interval", "estimate"):
        assert getattr(one, value) == pytest.approx(getattr(swapped, value), abs=1e-9)
    np.testing.assert_allclose(one.local_mismatch, swapped.local_mismatch, atol=1e-9)
    assert one.mismatch == pytest.approx(two.mismatch, abs=1e-12)
    assert one.interval == pytest.approx(two.interval, abs=1e-12)
    np.testing.assert_allclose(one.local_mismatch[order], two.local_mismatch, atol=1e-9)


@pytest.mark.parametrize("load", [load_breast_cancer, load_wine])
def test_the_names_of_classes_on_real_data_change_nothing(load: Callable[..., Any]) -> None:
    X, y = (array[::3] for array in load(return_X_y=True))
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    one, other = (
        bf.bayes_error(X, names[y], representation="learned")
        for names in (np.arange(3), np.array(["z", "m", "b"]))
    )
    assert one.mismatch == pytest.approx(other.mismatch, abs=1e-9)
    assert one.interval == pytest.approx(other.interval, abs=1e-9)
    np.testing.assert_allclose(one.local_mismatch, other.local_mismatch, atol=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_the_order_of_rows_that_coincide_changes_nothing(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X, y = rng.integers(0, 3, size=(80, 2)) / 10, rng.integers(0, 2, size=80)
    order = rng.permutation(80)
    one, two = bf.bayes_error(X, y), bf.bayes_error(X[order], y[order])
    assert one.lower_rests_on == "repeats"
    assert one.mismatch == pytest.approx(two.mismatch, abs=1e-12)
    assert one.interval == pytest.approx(two.interval, abs=1e-12)
    assert one.estimate_interval == pytest.approx(two.estimate_interval, abs=1e-12)


# what is chosen


def test_a_map_that_fails_is_left_out_and_one_that_fails_alone_is_told(
    shifted: tuple[Floats, Ints], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Picky:
        def fit(self, *_: Any) -> Self:
            raise ValueError("too many rows")

    maps = {"picky": Map(Picky, ""), "plain": Map(LogisticRegression, "")}
    use_maps(monkeypatch, maps)
    assert learn(make_sample(*shifted)).weights == {"plain": 1.0}
    monkeypatch.delitem(MAPS, "plain")
    with pytest.raises(bf.DataError, match=r"representation Picky fails .*too many rows"):
        learn(make_sample(*shifted))


def test_another_seed_parts_the_rows_differently(shifted: tuple[Floats, Ints]) -> None:
    first, second = (learn(make_sample(*shifted), LogisticRegression(), seed=s) for s in (0, 1))
    assert not np.array_equal(first.partition.fold, second.partition.fold)


# what is chosen


def test_local_neighbours_and_maps_go_together_and_a_cloud_in_many_columns_is_learned() -> None:
    for population in (populations.shift(4, 2), populations.surface(30)):
        floor = bf.bayes_error(*draw(population, 150, 7))
        assert floor.lower_rests_on in ("neighbours", "models")
        assert floor.curve is not None
        assert floor.maps
    floor = bf.bayes_error(*draw(populations.shift(20, 2), 150, 8))
    assert (floor.representation, floor.lower_rests_on) == ("learned", "models")
    assert floor.curve is None
    assert set(floor.maps) <= set(MAPS)
    assert sum(floor.maps.values()) == pytest.approx(1)
    assert floor.intrinsic_dimension > 8
    assert any("Maps were learned" in note for note in floor.notes)


@pytest.mark.parametrize(
    ("n", "d", "kinds"),
    [
        (300, 2, ("raw", "learned")),  # the rule of maps has the smaller margin of error
        (199, 3, ("raw",)),  # so few rows show no discontinuity
        (200, 3, ("raw", "learned")),
        (20_000, 4, ("raw",)),  # so many rows in few columns are local
        (10_000, 5, ("raw", "learned")),
        (20_000, 5, ("learned",)),  # comparing all rows takes longer than learning
        (300, 40, ("learned",)),
    ],
)
def test_what_is_measured_follows_the_table(n: int, d: int, kinds: tuple[str, ...]) -> None:
    points = np.random.default_rng(0).random((n, d))
    assert choose(make_sample(points, np.arange(n) % 2), METHODS["wnn"]).kinds == kinds


def test_comparing_many_rows_of_many_columns_is_too_much_work() -> None:
    sample, wnn = make_sample(*draw(populations.surface(12), 100, 11)), METHODS["wnn"]
    assert choose(sample, wnn).kinds == ("raw", "learned")
    assert choose(sample, wnn, replace(THRESHOLDS, heavy=200**2 * 12)).kinds == ("learned",)


def test_rows_that_are_mostly_copies_or_very_few_are_not_learned_from() -> None:
    X, y = noise(60, 3)
    assert choose(make_sample(np.r_[X, X], np.r_[y, y]), METHODS["wnn"]).kinds == ("raw",)
    assert choose(make_sample(X[:19], y[:19]), METHODS["wnn"]).kinds == ("raw",)


def test_rows_that_share_their_neighbours_are_wrong_together() -> None:
    """The error of identical classes, own label left out, varies by more than independent rows."""
    errors, limits = [], []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        points, labels = rng.normal(size=(400, 2)), rng.integers(0, 2, 400)
        floor = bf.bayes_error(points, labels, representation="raw")
        errors.append(float((floor.posterior.argmax(axis=1) != floor.labels).mean()))
        limits.append(floor.interval[1])
    stated = np.mean([design_effect_of_rule(p, 20) for p in (np.full((9, 2), 0.5),)])
    assert np.std(errors) > 1.3 * 0.5 / np.sqrt(400)
    assert np.std(errors) < 1.3 * np.sqrt(stated) * 0.5 / np.sqrt(400)
    assert np.mean(np.array(limits) >= 0.5 - 1e-9) >= 0.975 - 4 * np.sqrt(0.025 * 0.975 / 60)


def test_copies_predict_each_other_and_no_row_itself() -> None:
    rng = np.random.default_rng(0)
    cell = rng.integers(0, 40, 800)
    chance = rng.random(40)[cell]
    labels = (rng.random(800) < chance).astype(np.int64)
    sample = make_sample(cell[:, None], labels)
    even = np.full((800, 2), 0.5)
    found = posterior_of_copies(sample, even, make_cells(sample))
    truth = np.column_stack([1 - chance, chance])
    assert np.abs(found - truth).mean() < 0.12  # 19 other labels: a standard error of 0.09 or so
    lone = make_sample(np.arange(40.0)[:, None], np.arange(40) % 2)
    np.testing.assert_array_equal(posterior_of_copies(lone, even[:40], make_cells(lone)), even[:40])
    floor = bf.bayes_error(cell[:, None], labels)
    assert floor.lower_rests_on == "repeats"
    assert floor.interval[0] <= np.minimum(chance, 1 - chance).mean() <= floor.interval[1]


def test_published_methods_stay_with_the_columns() -> None:
    sample = make_sample(*draw(populations.shift(20, 2), 150, 8))
    assert choose(sample, METHODS["wnn"]).kinds == ("learned",)
    assert choose(sample, METHODS["knn"]).kinds == ("raw",)


def _corner(seed: int) -> tuple[Floats, Any]:
    """Two thresholds, and every tenth label turned round: R is 0.18, the Bayes error 0.1."""
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(1500, 5))
    return points, ((points[:, :2] > 0).all(axis=1)) ^ (rng.random(1500) < 0.1)


@pytest.mark.slow
def test_maps_take_over_where_they_lose_less_than_the_neighbours_mismatch() -> None:
    holds, learned = [], []
    for seed in range(3):
        floor = bf.bayes_error(*_corner(seed))
        holds.append(floor.interval[0] <= 0.1 <= floor.interval[1])
        learned.append((floor.representation, floor.lower_rests_on) == ("learned", "models"))
    assert sum(learned) >= 2  # the difference is two standard errors or three
    assert sum(holds) >= 2  # of 3 at 95 %: fewer has a chance of about one in 140


@pytest.mark.parametrize(
    ("doubt", "discontinuous", "below"),
    [
        (Doubt.DECIDES, None, 0.03),
        (Doubt.NONE, (0.26, 0.04**2), 0.03),
        (Doubt.COUNTS, (0.26, 0.04**2), 0.05),
        (Doubt.DECIDES, (0.26, 0.04**2), 0.04 + 0.05),
        (Doubt.DECIDES, (0.5, 0.04**2), 0.05),  # more mismatch than neighbours say adds no gap
    ],
)
def test_the_mismatch_reaches_down_to_that_of_discontinuities(
    doubt: Doubt, discontinuous: tuple[float, float] | None, below: float
) -> None:
    sample = make_sample(*draw(populations.shift(3, 2), 30, 3))
    found = pool_mismatch(raw_representation(sample), METHODS["wnn"], 5)
    found = replace(found, mismatch=0.3, margins=(0.03, 0.03), discontinuous=discontinuous)
    assert reaching_to_discontinuous(found, doubt) == pytest.approx(below)


@pytest.mark.parametrize("margin", [0.02, 0.3])
def test_the_neighbours_stand_and_reach_down_to_the_maps(margin: float) -> None:
    sample = make_sample(*draw(populations.shift(3, 2), 300, 3))
    neighbours = pool_mismatch(raw_representation(sample), METHODS["wnn"], 5)
    neighbours = replace(neighbours, margins=(margin, margin), discontinuous=None)
    learned = learn(sample)
    alone = conclude(sample, Measured(neighbours))
    maps = conclude(sample, Measured(learned=learned))
    both = conclude(sample, Measured(neighbours, learned))
    assert both.rests_on.name == "neighbours"
    first, other = alone, maps
    assert first.known is not None
    assert other.known is not None
    assert both.known is not None
    reach = both.known.value - both.known.below
    assert reach == pytest.approx(
        min(one.value - one.below for one in (first.known, other.known)), abs=0.002
    )
    np.testing.assert_array_equal(both.posterior, learned.posterior)
    assert both.mismatch == first.mismatch


@pytest.mark.parametrize("name", MAPS)
@pytest.mark.parametrize("size", [TrainingSize(60, 3, 2), TrainingSize(90, 150, 3)])
def test_every_map_learns_from_few_and_many_columns(name: str, size: TrainingSize) -> None:
    rng = np.random.default_rng(0)
    labels = np.arange(size.rows) % size.classes
    points = rng.normal(size=(size.rows, size.columns)) / size.columns**0.5
    points[:, 1] += labels
    map_ = MAPS[name].build(size).fit(points[:, ::-1], labels + 5)
    found = map_.predict_proba(points[:, ::-1])
    assert map_.classes_.tolist() == list(range(5, 5 + size.classes))
    np.testing.assert_allclose(found.sum(axis=1), 1.0, rtol=1e-9)
    assert (found.argmax(axis=1) == labels).mean() > 0.6


def test_boosting_looks_at_the_most_telling_of_many_columns() -> None:
    rng = np.random.default_rng(0)
    labels, points = rng.integers(0, 2, 200), rng.normal(size=(200, 150))
    points[:, 149] += 2 * labels
    found = MAPS["boosting in small steps"].build(TrainingSize(200, 150, 2)).fit(points, labels)
    oracle = SelectKBest(k=100).fit(points, labels)
    np.testing.assert_array_equal(found.kept_, np.flatnonzero(oracle.get_support()))


def test_work_is_bounded_whatever_the_table() -> None:
    plain = TrainingSize(1000, 10, 2)
    assert MAPS["boosting"].build(plain).rounds == 100  # scikit-learn's default
    pixels = MAPS["boosting"].build(TrainingSize(4000, 663, 10))
    assert pixels.most == 100
    assert pixels.model.rounds == 100
    assert 20 <= MAPS["boosting"].build(TrainingSize(40_000, 663, 10)).model.rounds < 100
    assert leaves_columns_out(TrainingSize(4000, 663, 10))
    assert not leaves_columns_out(TrainingSize(4000, 90, 10))
    assert forest_trees(plain) == 60
    assert forest_trees(TrainingSize(10**6, 3, 2)) < 8  # no forest
    trees = [forest_trees(TrainingSize(rows, 5, 2)) for rows in range(4_000, 24_000, 100)]
    assert trees[0] > 20
    assert trees[-1] < 8
    assert max(abs(np.diff(trees))) <= 1  # no size at which a row more costs much
    assert not MAPS["forest"].suits(TrainingSize(10**6, 3, 2))
    assert boosting_seconds(TrainingSize(1000, 10, 5)) == pytest.approx(5 * boosting_seconds(plain))


def test_classes_that_never_mix_may_have_no_error() -> None:
    reach_zero = []
    for seed in range(4):
        points = np.random.default_rng(seed).normal(size=(300, 3))
        reach_zero.append(bf.bayes_error(points, points.sum(axis=1) > 0).interval[0] == 0)
    assert sum(reach_zero) >= 3  # of 4 at 95 %: fewer has a chance of one in 70


@pytest.mark.parametrize("d", [3, 5])
def test_neighbours_alone_leave_it_open_that_a_ball_has_no_error(d: int) -> None:
    reach_zero = []
    for seed in range(12):
        points = np.random.default_rng(seed).uniform(-1, 1, size=(500, d))
        floor = bf.bayes_error(points, (points**2).mean(axis=1) > 0.3, representation="raw")
        reach_zero.append(floor.interval[0] == 0)
    assert sum(reach_zero) >= 9  # of 12 at 95 %: fewer has a chance of one in 400


@pytest.mark.slow
def test_maps_take_over_where_they_prove_local_neighbours_wrong(shared_data: Path) -> None:
    """The label is a rule of two of 24 sensors; along the robot's path neighbours are local."""
    rows = np.loadtxt(shared_data / "robot" / "sensor_readings_24.data", delimiter=",", dtype=str)
    X, y = rows[::2, :-1].astype(np.float64), rows[::2, -1]
    assert bf.bayes_error(X, y, representation="raw").mismatch > 0.02  # and none is true
    floor = bf.bayes_error(X, y)
    assert floor.representation == "learned"
    assert floor.interval[0] == 0
    assert floor.upper < 0.02


@pytest.mark.parametrize("method", ["knn", "mst", "wnn-published"])
def test_published_methods_see_the_columns_unless_asked_otherwise(method: str) -> None:
    X, y = noise(100, 2) if method == "wnn-published" else noise(100, 20)
    assert bf.bayes_error(X, y, method=method).representation == "raw"
    learned = bf.bayes_error(X, y, method=method, representation=LogisticRegression())
    assert learned.representation == "LogisticRegression"


@pytest.mark.parametrize("d", [2, 6])
def test_the_locality_is_that_of_the_whole_rank_curve(d: int) -> None:
    X, y = noise(400, d)
    curve = bf.bayes_error(X, y, representation="raw").curve
    assert curve is not None
    found = locality(make_cells(make_sample(X, y)), len(curve.rank))
    assert found.nearness == pytest.approx(curve.radius[0] / curve.radius[-1], rel=1e-9)
    assert found.dimension == pytest.approx(curve.intrinsic_dimension, rel=1e-9)


def test_the_locality_of_rows_full_of_ties_matches_brute_force() -> None:
    X = np.random.default_rng(1).integers(0, 2, size=(450, 14)).astype(float)
    X[0] = 50  # an outlier sets the unit
    cells = make_cells(make_sample(X, np.arange(450) % 2))
    found = locality(cells, 80)
    squared = ((cells.points[:, None] - cells.points) ** 2).sum(axis=2)
    logs = np.log(np.sort(squared, axis=1)[:, 1:81]).mean(axis=0)
    assert found.nearness == pytest.approx(np.exp((logs[0] - logs[-1]) / 2))
    assert found.dimension == pytest.approx(intrinsic_dimension(np.arange(1, 81), logs, 14))


def test_tables_with_few_distinct_rows_are_local() -> None:
    X = np.random.default_rng(0).integers(0, 2, size=(500, 6))
    assert locality(make_cells(make_sample(X, np.arange(500) % 2)), 60).nearness < 0.4


# truth


def test_the_bounds_are_right_where_neighbours_fail() -> None:
    population = populations.scale(20, 2)
    floor = bf.bayes_error(*draw(population, 1000, 9))
    assert floor.interval[0] < population.bayes_error() < floor.interval[1]
    assert floor.estimate_interval[0] < population.bayes_error() < floor.estimate_interval[1]
    nearest = bf.bayes_error(*draw(population, 1000, 9), method="knn", k=1)
    assert nearest.lower > 5 * population.bayes_error()  # what published bounds say


def test_more_columns_than_rows_say_that_nothing_is_known() -> None:
    X, y = noise(80, 100)
    floor = bf.bayes_error(X, y)
    assert floor.interval[0] == 0
    assert floor.interval[1] == pytest.approx(0.5, abs=0.02)
    assert any("too few for so many columns" in note for note in floor.notes)


def test_maps_without_time_for_all_columns_leave_the_lower_end_open() -> None:
    sample = make_sample(*draw(populations.shift(4, 2), 100, 2))
    learned = learn(sample, LogisticRegression())
    assert conclude(sample, Measured(learned=learned)).known is not None
    pixels = replace(learned, leaves_columns_out=True)
    assert conclude(sample, Measured(learned=pixels)).known is None
    notes = make_notes(
        sample,
        Measured(learned=pixels),
        conclude(sample, Measured(learned=pixels)),
        METHODS["wnn"],
        Settings(),
    )
    assert any("more than boosting could look at" in note for note in notes)


# maps of the user's own


@pytest.mark.parametrize(
    "own",
    [
        LogisticRegression(),
        LinearSVC(),
        PCA(2),
        make_pipeline(StandardScaler(), PCA(2)),
        make_pipeline(StandardScaler(), LogisticRegression()),
    ],
    ids=lambda own: type(own).__name__,
)
@pytest.mark.parametrize("classes", [2, 3])
def test_any_classifier_or_transformer_can_be_the_map(own: Any, classes: int) -> None:
    X, y = load_iris(return_X_y=True)
    X, y = X[y < classes], np.array(["a", "b", "c"])[y[y < classes]]
    floor = bf.bayes_error(X, y, representation=own)
    assert floor.representation == type(own).__name__
    assert floor.upper < 0.2
    assert floor.run.pairwise()[0, 1] > 0.85
    assert not hasattr(own, "n_features_in_")  # clones are fitted


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_a_map_sees_the_columns_by_name_and_as_they_came(frame: Any) -> None:
    X, y = noise(60, 3)
    table = frame({name: 1e6 + column for name, column in zip("abc", X.T, strict=True)})
    own = make_pipeline(make_column_transformer((StandardScaler(), ["a", "c"])), Checked())
    Checked.widths.clear()
    bf.bayes_error(table, y, representation=own)
    assert set(Checked.widths) == {2}


class Checked(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    widths: ClassVar[list[int]] = []

    def fit(self, X: Any, y: Any) -> Self:  # noqa: ARG002
        self.width_ = X.shape[1]
        Checked.widths.append(self.width_)
        return self

    def transform(self, X: Any) -> Any:
        return X


class Broken(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    def fit(self, X: Any, y: Any) -> Self:  # noqa: ARG002
        return self

    def transform(self, X: Any) -> Any:
        return np.full_like(X, np.nan)


def test_the_first_maps_of_a_process_are_learned_by_one_thread_each() -> None:
    process = subprocess.run(
        [sys.executable, "-c", ONE_FIT],
        env={**os.environ, "OMP_NUM_THREADS": "2", "OPENBLAS_NUM_THREADS": "2"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert process.stdout.split() == ["1"]


def test_interrupted_learning_ends_after_the_fit_at_hand() -> None:
    started = []

    def work(item: int) -> None:
        started.append(item)
        time.sleep(0.02)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_fits(work, range(1000), executor=Threads(2))
    assert len(started) < 100


# bad input


@pytest.mark.parametrize(
    ("representation", "message"),
    [
        ("rw", "representation is 'rw'; pass auto, raw, learned, or a scikit-learn classifier"),
        (None, "representation is a NoneType"),
        (PCA, "representation is the class PCA, not an instance"),
        (PCA(50), "representation PCA fails on these rows"),
        (Broken(), "representation Broken returns no table of finite numbers"),
    ],
)
def test_a_bad_representation_is_refused_in_one_sentence(representation: Any, message: str) -> None:
    with pytest.raises(bf.DataError, match=message) as caught:
        bf.bayes_error(*noise(40, 3), representation=representation)
    assert "\n" not in str(caught.value)


def test_rare_classes_are_learned_with_the_others_and_too_rare_for_a_transformer() -> None:
    X, _ = noise(60, 20)
    y = np.arange(60) < 3
    assert bf.bayes_error(X, y).representation == "learned"
    with pytest.raises(bf.DataError, match="class True has 3 rows, and a transformer needs 10"):
        bf.bayes_error(X, y, representation=PCA(2))
    with pytest.raises(bf.DataError, match="12 different rows are too few to learn from"):
        bf.bayes_error(*noise(12, 2), representation="learned")


@pytest.mark.parametrize("kind", [np.asarray, pd.DataFrame, pl.DataFrame])
def test_a_map_of_ones_own_sees_two_point_sets_as_they_came(kind: Callable[[Any], Any]) -> None:
    rng = np.random.default_rng(0)
    x, y = np.exp(rng.normal(size=(60, 2))), np.exp(1 + rng.normal(size=(60, 2)))
    own = FunctionTransformer(np.log)  # of points about their median it would be no number
    found = bf.henze_penrose(kind(x), kind(y), representation=own)
    floor = bf.bayes_error(np.r_[x, y], np.repeat([0, 1], 60), representation=own)
    assert found.value == pytest.approx(floor.divergence)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (pl.DataFrame({"a": range(40), "b": range(40)}), pl.DataFrame({"a": HALVES, "b": HALVES})),
        (pd.DataFrame({"a": HALVES, "b": HALVES}), pl.DataFrame({"a": HALVES, "b": HALVES})),
        (pd.DataFrame({"a": HALVES, "b": HALVES}), pd.DataFrame([HALVES, HALVES]).T),
    ],
    ids=["types", "libraries", "names"],
)
def test_a_map_of_ones_own_sees_any_two_frames_that_go_together(first: Any, second: Any) -> None:
    found = bf.henze_penrose(first, second, representation=StandardScaler())
    assert (
        found.value
        == bf.henze_penrose(
            np.asarray(first), np.asarray(second), representation=StandardScaler()
        ).value
    )


def test_no_maps_are_learned_after_the_deadline() -> None:
    points, labels = _corner(0)
    assert choose(make_sample(points, labels), METHODS["wnn"]).kinds == ("raw", "learned")
    assert bf.bayes_error(points, labels, max_seconds=1e-6).maps == {}


def test_a_map_to_no_columns_is_refused() -> None:
    points, labels = draw(populations.shift(2, 1), 30, 5)
    with pytest.raises(bf.DataError, match="returns no table of finite numbers"):
        bf.bayes_error(points, labels, representation=_Nothing())


class _Nothing(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: ARG002
        return self

    def transform(self, X: Any) -> Floats:
        return np.empty((len(X), 0))


class Overflowing(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Its scores are not finite on some rows."""

    def fit(self, X: Any, y: Any) -> Self:  # noqa: ARG002
        self.classes_ = np.unique(y)
        return self

    def decision_function(self, X: Floats) -> Floats:
        return np.where(X[:, 0] > 0, np.inf, 1.0)


@pytest.mark.parametrize("engine", ["auto", "tree", "blocks", "few", "scipy", "numpy"])
def test_scores_that_are_not_finite_reach_no_engine(engine: str) -> None:
    points, labels = draw(populations.shift(2, 1), 60, 5)
    with pytest.raises(bf.DataError, match="its scores are not finite"):
        bf.bayes_error(points, labels, representation=Overflowing(), engine=engine)
