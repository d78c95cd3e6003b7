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
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.svm import LinearSVC

import bayesfloor as bf
from bayesfloor import populations
from bayesfloor.base.arrays import Floats, Ints
from bayesfloor.base.executor import Threads
from bayesfloor.curve.intrinsic_dimension import intrinsic_dimension
from bayesfloor.estimators.methods import METHODS
from bayesfloor.representation import learn, raw_representation
from bayesfloor.representation.auto import THRESHOLDS, choose, reconcile
from bayesfloor.representation.calibration import best_sharpness, losses, sharpened
from bayesfloor.representation.cross_fitting import (
    INNER_FOLDS,
    MOST_TRAINING_ROWS,
    LearningTask,
    Trial,
    best_map,
    classify,
    cross_fit,
    spread_between_maps,
    thin_classes,
)
from bayesfloor.representation.locality import locality
from bayesfloor.representation.maps import MAPS
from bayesfloor.representation.pooling import PooledMismatch, pool_mismatch
from bayesfloor.sample.distinct_points import make_cells
from bayesfloor.sample.folds import assign_folds
from bayesfloor.sample.gate import make_sample

ONE_FIT = """
from dataclasses import replace
import numpy as np
from bayesfloor import bayes_error
from bayesfloor.representation.maps import MAPS

threads = set()

def spying(make=MAPS["trees"].make, **size):
    from threadpoolctl import threadpool_info
    threads.update(library["num_threads"] for library in threadpool_info())
    return make(**size)

MAPS["trees"] = replace(MAPS["trees"], make=spying)
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


# by hand


def test_losses_are_squared_distances_from_the_label() -> None:
    shares = np.array([[0.2, 0.3, 0.5], [1.0, 0.0, 0.0]])
    expected = [0.2**2 + 0.3**2 + 0.5**2, 1 + 1]
    np.testing.assert_allclose(losses(shares, np.array([2, 1])), expected)


def test_a_temper_sharpens_flattens_or_leaves_probabilities() -> None:
    logs = np.log([[0.8, 0.2]])
    np.testing.assert_allclose(sharpened(logs, 1), [[0.8, 0.2]])
    np.testing.assert_allclose(sharpened(logs, 2), [[16 / 17, 1 / 17]])
    np.testing.assert_allclose(sharpened(logs, 0), [[0.5, 0.5]])


def test_the_best_temper_undoes_overconfidence() -> None:
    rng = np.random.default_rng(1)
    share = rng.uniform(0.1, 0.9, 20_000)
    labels = (rng.random(20_000) < share).astype(np.int64)
    odds = np.log(share / (1 - share))
    logs = np.column_stack([np.zeros_like(odds), 4 * odds])
    assert best_sharpness(logs, labels) == pytest.approx(0.25, rel=0.2)


def test_the_spread_between_maps_is_zero_for_equal_maps_and_ignores_hopeless_ones() -> None:
    best = np.random.default_rng(2).random(400)
    assert spread_between_maps(best, [best, best]) == 0
    assert (
        spread_between_maps(best, [best, best + np.random.default_rng(3).normal(1, 0.1, 400)])
        < 1e-12
    )
    close = best + np.random.default_rng(4).normal(0.01, 0.2, 400)
    assert 0 < spread_between_maps(best, [best, close]) <= (close - best).mean() ** 2


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
    assert len(Spy.log) == 3 * 5  # once to choose, and twice to measure, in each of five parts
    assert all(not seen & asked for seen, asked in Spy.log)
    assert floor.upper > 0.4  # it would be 0 if it met the rows it knows
    measured = learn(make_sample(X, y), Spy()).rows
    assert sorted(np.concatenate(measured).tolist()) == list(range(200))


def test_very_many_rows_are_thinned_for_learning() -> None:
    n = 3 * MOST_TRAINING_ROWS
    labels = np.arange(n) % 3
    kept = thin_classes(np.arange(n), labels, np.random.default_rng(0))
    assert len(kept) == MOST_TRAINING_ROWS
    assert np.ptp(np.bincount(labels[kept])) <= 1


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


def test_maps_are_not_chosen_by_the_rows_that_are_measured() -> None:
    """The best of 60 directions in pure noise looks good on the rows that chose it, only there."""
    maps = {str(seed): partial(lambda seed, _: Direction(seed), seed) for seed in range(60)}
    excess = []
    for seed in range(15):
        X, y = noise(120, 30, seed)
        learn = partial(classify, LearningTask(X, y, np.arange(2), maps))
        parts = cross_fit(learn, y, np.arange(120), count=2, seed=seed, executor=Threads(2))
        for part in parts:
            shares = np.column_stack([1 - part.points, part.points])
            excess.append(losses(shares, y[part.rows]).mean() - 0.5)
    # No probabilities foretell noise, so the loss is half or more, up to chance.
    assert np.mean(excess) > -4 * np.std(excess) / np.sqrt(len(excess))


# invariance


@pytest.fixture(scope="module")
def shifted() -> tuple[Floats, Ints]:
    return draw(populations.shift(12, 2), 200, 5)


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
    X, y = load(return_X_y=True)
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
    one = bf.bayes_error(X, y, representation="learned")
    two = bf.bayes_error(X[order], y[order], representation="learned")
    assert one.mismatch == pytest.approx(two.mismatch, abs=1e-12)
    assert one.estimate_interval == pytest.approx(two.estimate_interval, abs=1e-12)


def test_a_map_that_all_rows_do_not_allow_makes_room_for_the_next(
    shifted: tuple[Floats, Ints],
) -> None:
    class Picky:
        def fit(self, *_: Any) -> Self:
            raise ValueError("too many rows")

    maps = {"picky": lambda _: Picky(), "plain": lambda _: LogisticRegression()}
    task = LearningTask(*shifted, np.arange(2), maps)
    trials = {
        name: Trial(None, 1.0, np.full(9, loss)) for name, loss in (("plain", 2.0), ("picky", 1.0))
    }
    rows = np.arange(len(shifted[1]))
    name, model = best_map(task, trials, rows)
    assert name == "plain"
    assert model.predict(shifted[0]).shape == rows.shape
    with pytest.raises(bf.DataError, match=r"representation Picky fails .*too many rows"):
        best_map(task, {"picky": trials["picky"]}, rows)


def test_rounding_does_not_choose_between_maps(shifted: tuple[Floats, Ints]) -> None:
    maps = {name: lambda _: LogisticRegression() for name in ("first", "second")}
    task, rows = LearningTask(*shifted, np.arange(2), maps), np.arange(len(shifted[1]))
    for apart, chosen in ((1e-13, "first"), (1e-6, "second")):
        trials = {
            "first": Trial(None, 1.0, np.full(9, 0.3 + apart)),
            "second": Trial(None, 1.0, np.full(9, 0.3)),
        }
        assert best_map(task, trials, rows)[0] == chosen


def test_another_seed_parts_the_rows_differently(shifted: tuple[Floats, Ints]) -> None:
    first, second = (learn(make_sample(*shifted), LogisticRegression(), seed=s) for s in (0, 1))
    assert not np.array_equal(first.rows[0], second.rows[0])


# what is chosen


def test_few_columns_and_a_surface_in_many_stay_raw_and_a_cloud_in_many_is_learned() -> None:
    for population in (populations.shift(4, 2), populations.surface(30)):
        assert bf.bayes_error(*draw(population, 500, 7)).representation == "raw"
    floor = bf.bayes_error(*draw(populations.shift(20, 2), 150, 8))
    assert floor.representation == "learned"
    assert len(floor.maps) == 5
    assert set(floor.maps) <= set(MAPS)
    assert floor.intrinsic_dimension > 8
    assert any("whatever was learned" in note for note in floor.notes)


def test_large_tables_of_many_columns_are_learned() -> None:
    sample, wnn = make_sample(*draw(populations.surface(12), 100, 11)), METHODS["wnn"]
    assert choose(sample, wnn).kinds == ("raw", "learned")
    heavy = replace(THRESHOLDS, heavy=200**2 * 12)
    assert choose(sample, wnn, heavy).kinds == ("learned",)
    few = make_sample(*draw(populations.shift(2, 1), 100, 11))
    assert choose(few, wnn, heavy).kinds == ("raw",)  # whatever the work: a tree does it


def test_published_methods_stay_with_the_columns() -> None:
    sample = make_sample(*draw(populations.shift(20, 2), 150, 8))
    assert choose(sample, METHODS["wnn"]).kinds == ("learned",)
    assert choose(sample, METHODS["knn"]).kinds == ("raw",)


def test_a_class_too_rare_to_learn_stays_with_the_columns() -> None:
    points = np.random.default_rng(0).normal(size=(150, 20))
    assert choose(make_sample(points, np.arange(150) < 3), METHODS["wnn"]).kinds == ("raw",)


def _corner(seed: int) -> tuple[Floats, Any]:
    """Two thresholds, and every tenth label turned round: R is 0.18, the Bayes error 0.1."""
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(1500, 5))
    return points, ((points[:, :2] > 0).all(axis=1)) ^ (rng.random(1500) < 0.1)


def test_a_corner_that_blurs_between_neighbours_is_learned() -> None:
    holds = []
    for seed in range(4):
        floor = bf.bayes_error(*_corner(seed))
        holds.append(floor.interval[0] <= 0.1 and floor.mismatch_interval[0] <= 0.18)
        assert floor.representation == "learned"
        assert floor.mismatch_interval[1] >= 0.18
    assert sum(holds) >= 3  # of 4 at 95 %: fewer has a chance of about one in 70


def test_maps_that_are_likely_better_reach_up_and_others_down() -> None:
    sample = make_sample(*_corner(0))
    raw, learned = raw_representation(sample), learn(sample)
    first = pool_mismatch(raw, METHODS["wnn"], 5)

    def other(less: float) -> PooledMismatch:
        return replace(
            first, mismatch=first.mismatch - less * 2**0.5 * first.se, margins=(0.01, 0.01)
        )

    for less, name, reach in [
        (-0.5, "raw", first.margins),
        (0.5, "raw", None),
        (2.0, "learned", None),
        (4.0, "learned", (0.01, 0.01)),
    ]:
        found, pooled = reconcile((raw, first), (learned, other(less)))
        assert found.name == name
        assert reach is None or pooled.margins == reach
        if 0 < less < 1:
            low = other(less).mismatch - learned.gap - 0.01
            assert pooled.mismatch - pooled.margins[0] == pytest.approx(low)
            assert pooled.margins[1] == first.margins[1]
        if 1 < less < 3:
            assert pooled.mismatch + pooled.margins[1] == pytest.approx(
                first.mismatch + first.margins[1]
            )


def test_the_interval_reaches_down_to_the_end_of_maps_that_are_not_better() -> None:
    sample = make_sample(*_corner(0))
    raw, learned = raw_representation(sample), learn(sample)
    first = pool_mismatch(raw, METHODS["wnn"], 5)
    higher, end = replace(first, mismatch=1.01 * first.mismatch), first.mismatch - first.margins[0]
    for lowest in (-0.001, end - 0.01, end + 0.01):
        below = higher.mismatch - learned.gap - lowest
        found, pooled = reconcile((raw, first), (learned, replace(higher, margins=(below, 0.1))))
        assert found is raw
        assert pooled.mismatch == first.mismatch
        assert pooled.mismatch - pooled.margins[0] == pytest.approx(min(lowest, end))
        assert pooled.margins[1] == first.margins[1]


@pytest.mark.parametrize(
    ("n", "d", "looked_at"),
    [
        (199, 3, False),
        (200, 3, True),
        (19_999, 3, True),
        (20_000, 4, False),
        (20_000, 5, True),
        (141_000, 5, True),
        (142_000, 5, False),  # 10¹¹ rows² × columns
    ],
)
def test_maps_are_learned_where_neighbours_may_blur_a_jump(
    n: int, d: int, *, looked_at: bool
) -> None:
    points = np.random.default_rng(0).random((n, d))
    found = choose(make_sample(points, np.arange(n) % 2), METHODS["wnn"])
    assert found.kinds == (("raw", "learned") if looked_at else ("raw",))


def test_what_more_rows_would_win_is_known_up_to_its_noise() -> None:
    learned = learn(make_sample(*_corner(0)), LogisticRegression())
    known, noisy = (
        pool_mismatch(replace(learned, gap_se=se), METHODS["wnn"], 5) for se in (0.0, 0.03)
    )
    assert noisy.margins[0] == pytest.approx(np.hypot(known.margins[0], 1.959964 * 0.03))
    assert noisy.margins[1] == known.margins[1]
    others = [learn(make_sample(*_corner(0)), LogisticRegression(), seed=s) for s in range(24)]
    means = np.array([one.gap for one in others])
    assert learned.gap_se == pytest.approx(np.mean([one.gap_se for one in others]), rel=0.5)
    assert means.std() < 2 * learned.gap_se  # other rows to learn from, the same rows measured


def test_classes_that_never_mix_may_have_no_error() -> None:
    reach_zero = []
    for seed in range(6):
        points = np.random.default_rng(seed).normal(size=(300, 3))
        reach_zero.append(bf.bayes_error(points, points.sum(axis=1) > 0).interval[0] == 0)
    assert sum(reach_zero) >= 4  # of 6 at 95 %: fewer has a chance of one in 400


@pytest.mark.parametrize("d", [3, 5])
def test_neighbours_alone_leave_it_open_that_a_ball_has_no_error(d: int) -> None:
    reach_zero = []
    for seed in range(12):
        points = np.random.default_rng(seed).uniform(-1, 1, size=(500, d))
        floor = bf.bayes_error(points, (points**2).mean(axis=1) > 0.3, representation="raw")
        reach_zero.append(floor.interval[0] == 0)
    assert sum(reach_zero) >= 9  # of 12 at 95 %: fewer has a chance of one in 400


def test_an_upper_end_is_not_raised_by_a_mismatch_below_zero() -> None:
    sample = make_sample(*_corner(0))
    raw, learned = raw_representation(sample), learn(sample)
    first = replace(
        pool_mismatch(raw, METHODS["wnn"], 5), mismatch=0.05, se=0.02, margins=(0.02, 0.02)
    )
    other = replace(first, mismatch=-0.02, margins=(0.01, 0.01))
    pooled = reconcile((raw, first), (learned, other))[1]
    assert max(pooled.mismatch, 0) + pooled.margins[1] == pytest.approx(0.07)


def test_probabilities_of_a_class_that_was_thinned_less_are_those_of_all_rows() -> None:
    rng = np.random.default_rng(0)
    labels = np.repeat([0, 1], [120_000, 24])
    points = rng.normal(size=(len(labels), 2))
    found = learn(make_sample(points, labels), LogisticRegression())
    shares = np.concatenate([one for one in found.posteriors if one is not None])
    assert shares[:, 1].mean() == pytest.approx(2e-4, rel=0.3)  # unweighed, three times as much


def test_rare_classes_of_large_tables_are_all_learned_from() -> None:
    labels = np.repeat([0, 1, 2], [60_000, 50, 4])
    for seed in range(5):
        rows = thin_classes(np.arange(len(labels)), labels, np.random.default_rng(seed))
        counts = np.bincount(labels[rows])
        assert counts[0] == pytest.approx(15_000, abs=2)
        assert counts[1] >= 12
        assert counts[2] == 4


def test_maps_take_over_where_they_prove_local_neighbours_wrong(shared_data: Path) -> None:
    """The label is a rule of two of 24 sensors; along the robot's path neighbours are local."""
    rows = np.loadtxt(shared_data / "robot" / "sensor_readings_24.data", delimiter=",", dtype=str)
    X, y = rows[::2, :-1].astype(np.float64), rows[::2, -1]
    assert bf.bayes_error(X, y, representation="raw").interval[0] > 0.01  # and no error is true
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
    assert any("about 1,000 should be enough" in note for note in floor.notes)


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
    assert floor.upper < 0.12
    assert floor.run.pairwise()[0, 1] > 0.9
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

    def learn(step: Any) -> Any:
        def work(*_: Any) -> Any:
            started.append(time.monotonic())
            if len(started) == 1:
                raise KeyboardInterrupt
            while True:  # the next part has begun, and ends at its next step
                time.sleep(0.01)
                step(1)

        return work

    with pytest.raises(KeyboardInterrupt):
        cross_fit(learn, np.arange(40) % 2, np.arange(40), count=2, seed=0, executor=Threads(1))


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


def test_classes_too_small_to_be_parted_are_refused_or_left_raw() -> None:
    X, _ = noise(60, 20)
    y = np.arange(60) < 3
    assert bf.bayes_error(X, y).representation == "raw"
    with pytest.raises(bf.DataError, match="class True has 3 rows, and a map needs 4"):
        bf.bayes_error(X, y, representation="learned")
    y = np.arange(60) < 4
    assert len(bf.bayes_error(X, y, representation="learned").maps) == 2
    assert INNER_FOLDS == 3  # so that a class of four has a row to learn from inside each half


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
    assert bf.bayes_error(points, labels).representation == "learned"
    assert bf.bayes_error(points, labels, max_seconds=1e-6).representation == "raw"


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
