"""Floors of rows that belong together: of new groups, whatever they are called."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression

import bayesfloor as bf
from bayesfloor.base.arrays import Floats, Ints
from bayesfloor.truth.panels import PANELS, Panel


def subjects(d: int, groups: int = 100) -> tuple[Floats, Ints, Ints]:
    """Draw ten rows of each subject, close together, with labels that depend on it alone."""
    rng = np.random.default_rng(d)
    group = np.repeat(np.arange(groups), 10)
    points = rng.normal(size=(groups, d))[group] + 0.1 * rng.normal(size=(10 * groups, d))
    return points, (rng.permutation(groups) < 0.6 * groups).astype(int)[group], group


@pytest.mark.parametrize("d", [2, 3])
def test_labels_of_subjects_alone_leave_the_error_of_the_largest_class(d: int) -> None:
    points, labels, groups = subjects(d)
    floor = bf.bayes_error(points, labels, groups=groups)
    assert floor.interval[0] < 0.4 <= floor.interval[1]
    assert 0.4 - 2 * (0.4 * 0.6 / 100) ** 0.5 < floor.upper <= 0.4  # noise of 100 subjects
    without = bf.bayes_error(points, labels, representation="raw")
    assert without.interval[1] < 0.4
    assert any("groups=" in note for note in without.notes)
    assert not any("groups=" in note for note in floor.notes)


@pytest.mark.parametrize("method", ["wnn", "wnn-published", "knn", "mst"])
def test_every_method_leaves_out_the_own_group(method: str) -> None:
    points, labels, groups = subjects(2)
    floor = bf.bayes_error(points, labels, groups=groups, method=method, representation="raw")
    assert floor.mismatch > 0.4  # of independent labels it is 0.48, of neighbours below 0.1
    assert bf.bayes_error(points, labels, method=method, representation="raw").mismatch < 0.25


@pytest.mark.parametrize("engine", ["tree", "blocks", "few", "scipy", "numpy"])
def test_engines_agree(engine: str) -> None:
    points, labels, groups = PANELS["both"].draw(60, np.random.default_rng(0))

    def found(engine: str) -> bf.Floor:
        return bf.bayes_error(
            points.round(1), labels, groups=groups, representation="raw", engine=engine
        )

    one, other = found("numpy"), found(engine)
    np.testing.assert_allclose(other.interval, one.interval, atol=1e-7)
    np.testing.assert_allclose(other.posterior, one.posterior, atol=1e-9)


@settings(max_examples=5, deadline=None)
@given(seed=st.integers(0, 100))
def test_names_and_order_of_groups_and_rows_change_nothing(seed: int) -> None:
    rng = np.random.default_rng(seed)
    points, labels, groups = PANELS["both"].draw(30, np.random.default_rng(1))
    points = points.round(1 if seed % 2 else 4)  # copies across groups, or none
    names = rng.permutation(np.array([f"group {g}" for g in range(30)]))[groups]
    rows = rng.permutation(len(labels))
    for representation in ("raw", LogisticRegression()):
        one = bf.bayes_error(points, labels, groups=groups, representation=representation)
        other = bf.bayes_error(
            points[rows], labels[rows], groups=names[rows], representation=representation
        )
        np.testing.assert_allclose(other.interval, one.interval, atol=1e-6)


def test_rows_that_are_alone_are_as_without_groups() -> None:
    points, labels, _ = PANELS["both"].draw(20, np.random.default_rng(0))
    alone = bf.bayes_error(points, labels, groups=np.arange(len(labels)))
    assert alone.interval == bf.bayes_error(points, labels).interval
    assert alone.groups is None
    assert any("group of its own" in note for note in alone.notes)


def test_few_groups_widen_the_interval_and_are_told() -> None:
    panel = Panel("few", slope=2.0, effect=0.0)
    points, labels, _ = panel.draw(60, np.random.default_rng(3))
    few, many = (
        bf.bayes_error(points, labels, groups=np.arange(600) % count, representation="raw")
        for count in (6, 100)
    )
    assert np.diff(few.interval) > np.diff(many.interval)
    assert any("6 groups" in note and "Student's t" in note for note in few.notes)
    assert not any("Student's t" in note for note in many.notes)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("representation", "draws", "least"),
    [("raw", 40, 34), ("auto", 10, 7)],  # fewer have a chance of 2 % and less at a coverage of 0.93
)
def test_intervals_hold_the_truth_of_new_groups(
    representation: str, draws: int, least: int
) -> None:
    panel, held = PANELS["both"], 0
    for rng in np.random.default_rng(5).spawn(draws):
        points, labels, groups = panel.draw(60, rng)
        floor = bf.bayes_error(points, labels, groups=groups, representation=representation)
        held += floor.interval[0] <= panel.bayes_error <= floor.interval[1]
    assert held >= least


def test_groups_are_told_in_words_and_numbers() -> None:
    points, labels, groups = PANELS["both"].draw(40, np.random.default_rng(0))
    floor = bf.bayes_error(points, labels, groups=groups, representation="raw")
    assert "400 rows in 40 groups" in str(floor)
    told = json.loads(json.dumps(floor.to_dict()))["groups"]
    assert told == {"kind": "groups", "count": 40, "fewest": 10, "most": 10, "effective": 40.0}
    alone = bf.bayes_error(points, labels, representation="raw")
    assert alone.to_dict()["groups"] is None


def test_time_makes_blocks() -> None:
    rng = np.random.default_rng(0)
    moment = rng.permutation(1000)
    points = rng.normal(size=(20, 2))[moment // 50] + 0.1 * rng.normal(size=(1000, 2))
    labels = rng.integers(0, 2, 20)[moment // 50]
    floor = bf.bayes_error(points, labels, time=moment, representation="raw")
    assert floor.groups is not None
    assert floor.groups.kind == "blocks of time"
    assert "1,000 rows in 10 blocks of time" in str(floor)
    assert floor.interval[1] > 0.4
    assert bf.bayes_error(points, labels, representation="raw").interval[1] < 0.2


def test_a_column_of_a_table_names_groups_or_times() -> None:
    points, labels, groups = PANELS["both"].draw(40, np.random.default_rng(0))
    frame = pl.DataFrame({"a": points[:, 0], "b": points[:, 1], "sort": labels, "who": groups})
    raw: dict[str, Any] = {"representation": "raw"}
    named = bf.bayes_error(frame, "sort", groups="who", scale="none", **raw)
    assert named.columns == 2
    assert named.interval == bf.bayes_error(points, labels, groups=groups, **raw).interval
    table = bf.read_table(frame, label="sort", groups="who", scale="none")
    assert bf.bayes_error(table, **raw).interval == named.interval
    dated = frame.with_columns(day=pl.lit("2020-01-01"))
    timed = bf.bayes_error(dated, "sort", groups="who", **raw)
    assert timed.groups is not None


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"groups": [1, 2]}, r"groups has shape \(2,\), and X has 20 rows; pass one value a row"),
        ({"groups": ["a"] * 20}, "groups holds one group only, 'a'"),
        ({"groups": [None] + ["a", "b"] * 9 + ["a"]}, "groups has a missing value in row 0"),
        ({"groups": [0, 1] * 10, "time": range(20)}, "groups= and time= are both given"),
        ({"time": ["now", "then"] * 10}, "time holds text; pass numbers or dates"),
        ({"time": [1.0] * 20}, "time has the same value in nearly all rows"),
        ({"time": [np.inf, *range(19)]}, "time is infinite in row 0"),
        ({"groups": [0, 1] * 10, "k": 11, "method": "knn"}, "k"),
        ({"groups": [0, 1] * 10, "representation": "learned"}, "2 groups are too few to learn"),
    ],
)
def test_bad_groups_are_refused_in_one_sentence(asked: dict[str, object], message: str) -> None:
    points = np.random.default_rng(0).normal(size=(20, 2))
    with pytest.raises(bf.DataError, match=message):
        bf.bayes_error(points, np.arange(20) % 2, **asked)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"groups": "whom"}, "no column 'whom'; did you mean 'who'"),
        ({"groups": "sort"}, "groups= names the label 'sort'"),
        ({"groups": "who", "features": ["a", "who"]}, "groups= names 'who', which is no feature"),
        ({"time": "name"}, "time= names 'name', which holds text"),
        ({"groups": "gap"}, "groups= names 'gap', which has no value in row 3"),
        ({"groups": np.zeros(20)}, "groups= is of type ndarray"),
    ],
)
def test_bad_columns_of_groups_are_refused(asked: dict[str, object], message: str) -> None:
    frame = pl.DataFrame(
        {
            "a": np.random.default_rng(0).normal(size=20),
            "who": np.arange(20) % 5,
            "name": ["ann", "bob"] * 10,
            "gap": ["x", "y", "z", None] * 5,
            "sort": ["u", "u", "v", "v"] * 5,
        }
    )
    with pytest.raises(bf.DataError, match=message):
        bf.bayes_error(frame, "sort", **asked)  # type: ignore[arg-type]


def test_an_identifier_of_subjects_is_told_with_the_option() -> None:
    points, labels, groups = subjects(2)
    frame = pl.DataFrame({"x": points[:, 0], "z": points[:, 1], "subject": groups, "y": labels})
    raw: dict[str, Any] = {"representation": "raw"}
    told = [note for note in bf.bayes_error(frame, "y", **raw).notes if "'subject'" in note]
    assert any("groups=" in note for note in told)
    used = bf.bayes_error(frame, "y", groups="subject", **raw)
    assert not any("'subject'" in note for note in used.notes)
    mixed = frame.with_columns(y=pl.Series(np.random.default_rng(0).integers(0, 2, len(labels))))
    assert not any("groups=" in note for note in bf.bayes_error(mixed, "y", **raw).notes)
