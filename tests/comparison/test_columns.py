from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bayesfloor as bf
from bayesfloor.base.arrays import Floats, Ints
from bayesfloor.base.executor import ALL_CORES
from bayesfloor.comparison.column_groups import encoded_places, make_groups
from bayesfloor.comparison.column_maps import ColumnMaps, make_column_maps
from bayesfloor.comparison.forward_selection import explained_share
from bayesfloor.representation import learn
from bayesfloor.sample.gate import make_sample


def draw(n: int, seed: int) -> tuple[Floats, Ints]:
    """Draw rows of which columns 0 and 1 tell the class, 2 is a copy of 0, and the rest noise."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    X = rng.normal(size=(n, 6))
    X[:, :2] += 1.2 * y[:, None]
    X[:, 2] = -3 * X[:, 0] + 1
    return X, y


@pytest.fixture(scope="module")
def ranking() -> bf.ColumnRanking:
    X, y = draw(400, seed=0)
    frame = pl.DataFrame(X, schema=[*"abcdef"]).with_columns(pl.Series("ill", y))
    return bf.rank_columns(frame, "ill", drop=["f"])


@pytest.mark.parametrize(
    ("value", "shown"),
    [(0.234, "+23.4"), (0.007, "+0.7"), (0.0002, "+0.02"), (0.0, "0.0"), (-0.001, "-0.1")],
)
def test_rises_have_their_sign(ranking: bf.ColumnRanking, value: float, shown: str) -> None:
    first = ranking.columns[0]
    assert first.without_error is not None
    changed = replace(first, without_error=replace(first.without_error, value=value))
    row = replace(ranking, columns=(changed,)).rows()[1]
    assert row[1].split()[0] == shown


def test_columns_that_matter_are_needed_and_enough(ranking: bf.ColumnRanking) -> None:
    assert set(ranking.needed) == {"a", "b", "c"}
    assert set(ranking.selected) == {"a", "b"}
    assert ranking.finished


def test_copies_are_one_group(ranking: bf.ColumnRanking) -> None:
    assert ("a", "c") in [one.names for one in ranking.columns]
    assert any("a / c" in note for note in ranking.notes)


def test_a_column_alone_reaches_what_it_can(ranking: bf.ColumnRanking) -> None:
    for one in ranking.columns:
        assert one.alone is not None
        low, high = one.alone.interval
        truth = 0.2743 if one.names[0] in "ab" else 0.5  # normal distribution below -0.6
        assert low <= truth <= high + 1e-9


def test_columns_are_sorted_by_what_they_are_worth(ranking: bf.ColumnRanking) -> None:
    rises = [one.without.value for one in ranking.columns if one.without is not None]
    assert rises == sorted(rises, reverse=True)
    assert len(rises) == 4


def test_the_path_falls_step_by_step(ranking: bf.ColumnRanking) -> None:
    values = [ranking.start, *(step.mismatch for step in ranking.path)]
    assert all(a > b for a, b in pairwise(values))
    for before, step in zip(values, ranking.path, strict=False):
        assert step.fall.value == pytest.approx(step.mismatch - before)
        assert step.p_value < 0.05


def test_text_document_and_page_say_the_same(ranking: bf.ColumnRanking, tmp_path: Path) -> None:
    page = ranking.report(tmp_path / "page.html").read_text(encoding="utf-8")
    for sentence in ranking.sentences():
        assert sentence in str(ranking)
        assert sentence in page
    made = ranking.to_dict()
    assert [one["names"] for one in made["columns"]] == [list(o.names) for o in ranking.columns]
    assert made["path"][0]["added"] == list(ranking.path[0].added)
    assert "2 of 5 columns are enough" in page
    for name in ("columns", "path"):
        assert ranking.chart(name).to_dict()["layer"]
    with pytest.raises(bf.DataError, match="choose one of columns, path"):
        ranking.chart("pie")


def test_what_only_two_columns_tell_together_is_found_by_leaving_them_out() -> None:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(400, 3))
    y = (X[:, 0] * X[:, 1] > 0) ^ (rng.random(400) < 0.1)
    found = bf.rank_columns(X, y)
    assert set(found.needed) == {"column 0", "column 1"}
    assert set(found.selected) == {"column 0", "column 1"}
    assert found.path[0].added in (("column 0", "column 1"), ("column 1", "column 0"))


def test_without_time_it_says_what_was_not_tried() -> None:
    X, y = draw(200, seed=1)
    found = bf.rank_columns(X, y, max_seconds=1e-9)
    assert sum(one.without is not None for one in found.columns) == 1
    assert all(one.alone is None for one in found.columns)
    assert not found.finished
    assert "before time was up; more may be needed" in str(found) or not found.path
    assert any("Time was up: 1 of 5 columns" in note for note in found.notes)
    assert "not tried" in str(found)


def test_one_column_cannot_be_ranked() -> None:
    with pytest.raises(bf.DataError, match="there is one column, or all say the same"):
        bf.rank_columns(np.arange(60.0)[:, None], np.arange(60) % 2)


def test_encodings_of_one_column_are_left_out_together() -> None:
    names = ["age", "town=x", "town~1", "when", "when year", "age is missing", "town hall"]
    originals = ["age", "town", "when", "town hall"]
    assert encoded_places(names, originals) == {
        "age": [0, 5],
        "town": [1, 2],
        "when": [3, 4],
        "town hall": [6],
    }


@given(st.integers(0, 1000))
def test_groups_hold_every_column_once(seed: int) -> None:
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(30, 3)) @ rng.integers(-1, 2, size=(3, 6))
    places = {"a": [0, 1], "b": [2], "c": [3], "d": [4, 5]}
    groups = make_groups(points, places)
    assert sorted(p for group in groups for p in group.places) == list(range(6))
    assert sorted(name for group in groups for name in group.names) == [*"abcd"]


@pytest.fixture(scope="module")
def maps() -> ColumnMaps:
    X, y = draw(300, seed=2)
    sample = make_sample(X, y)
    return make_column_maps(sample, learn(sample), ALL_CORES)


def test_without_columns_every_row_has_the_shares_of_the_classes(maps: ColumnMaps) -> None:
    nothing = maps.outcome([])
    np.testing.assert_allclose(nothing.posterior, np.tile(maps.sample.priors, (300, 1)), atol=0.05)
    assert nothing.losses.mean() == pytest.approx(0.5, abs=0.02)


def test_every_row_is_measured_once_and_more_columns_lose_less(maps: ColumnMaps) -> None:
    assert sorted(maps.held_out) == list(range(300))
    assert maps.outcome([0, 1]).losses.mean() < maps.outcome([0]).losses.mean() - 0.02


def test_shuffling_a_telling_column_hurts_most(maps: ColumnMaps) -> None:
    groups = make_groups(maps.sample.points, {str(j): [j] for j in range(6)})
    rises = maps.permuted_losses(groups, seed=0).mean(axis=1)
    assert set(np.argsort(-rises)[:2]) == {0, 1}  # columns 0 and 2 are one group


def test_bins_explain_what_a_column_tells_and_nothing_of_noise() -> None:
    rng = np.random.default_rng(0)
    values = rng.normal(size=2000)
    missed = np.column_stack([np.sign(values**2 - 1), -np.sign(values**2 - 1)])
    assert explained_share(values, missed) > 0.7
    assert abs(explained_share(rng.normal(size=2000), missed)) < 0.02


def test_maps_that_any_column_smooths_are_not_learned_again() -> None:
    X, y = draw(300, seed=2)
    sample = make_sample(X, y)
    learned = learn(sample)
    only_forest = replace(learned, weights={"forest": 1.0, "linear": 0.0})
    assert list(make_column_maps(sample, only_forest, ALL_CORES).weights) == ["boosting"]
    both = replace(learned, weights={"forest": 0.6, "linear": 0.3, "logistic": 0.1})
    assert make_column_maps(sample, both, ALL_CORES).weights == {"linear": 1.0}
