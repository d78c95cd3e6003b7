from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from bayesfloor.base.clustered_noise import (
    critical_value,
    design_effect,
    label_design_effect,
    mean_error,
)
from bayesfloor.representation.partition import make_partition
from bayesfloor.sample.distinct_points import make_cells
from bayesfloor.sample.folds import assign_groups
from bayesfloor.sample.gate import make_sample
from bayesfloor.sample.time_blocks import alike_for, time_blocks


@given(data=st.data(), n=st.integers(6, 40))
def test_codes_follow_the_rows_of_groups_not_their_names(data: st.DataObject, n: int) -> None:
    points = data.draw(arrays(np.float64, (n, 2), elements=st.integers(0, 3).map(float)))
    groups = np.r_[0, 0, 1, data.draw(arrays(np.int64, n - 3, elements=st.integers(0, 4)))]
    labels, rows = np.arange(n) % 2, np.random.default_rng(n).permutation(n)
    one = make_sample(points, labels, groups=groups).groups
    names = np.array(["e", "b", "d", "a", "c"])[groups]
    other = make_sample(points[rows], labels[rows], groups=names[rows]).groups
    assert one is not None
    assert other is not None
    content = [sorted(zip(points[one == g].tolist(), labels[one == g], strict=True))
               for g in range(one.max() + 1)]  # fmt: skip
    back = [sorted(zip(points[rows][other == g].tolist(), labels[rows][other == g], strict=True))
            for g in range(one.max() + 1)]  # fmt: skip
    assert content == back


def test_no_group_and_no_copy_is_parted() -> None:
    rng = np.random.default_rng(0)
    groups, points = rng.integers(0, 60, 600), rng.normal(size=(600, 2))
    points[:6], groups[:6] = points[0], np.arange(6) // 2  # copies in three groups
    sample = make_sample(points, rng.integers(0, 2, 600), groups=groups)
    found = make_partition(make_cells(sample), sample.labels, 0, sample.groups)
    for part in (found.fold, found.third):
        assert all(len(np.unique(part[groups == g])) == 1 for g in range(60))
        assert len(np.unique(part[:6])) == 1
        assert np.bincount(part).max() < 1.3 * np.bincount(part).min()
    smaller = [found.third_splits(steps)[0].training for steps in range(3)]
    for few, many in zip(smaller[1:], smaller[:-1], strict=True):
        assert set(few) < set(many)
        assert all(set(np.flatnonzero(groups == g)) <= set(few) for g in np.unique(groups[few]))


def test_groups_that_share_most_rows_are_parted_from_each_other() -> None:
    rng = np.random.default_rng(0)
    groups, points = np.arange(600) // 10, rng.integers(0, 3, (600, 2)).astype(float)
    sample = make_sample(points, rng.integers(0, 2, 600), groups=groups)
    fold = make_partition(make_cells(sample), sample.labels, 0, sample.groups).fold
    assert len(np.unique(fold)) == 10
    assert all(len(np.unique(fold[groups == g])) == 1 for g in range(60))


def test_groups_of_a_rare_class_are_spread_evenly() -> None:
    strata = np.where(np.arange(100) < 10, 1, -1)
    folds = assign_groups(strata, np.full(100, 7), 5, np.random.default_rng(0))
    assert np.bincount(folds[:10]).tolist() == [2] * 5
    assert np.bincount(folds).tolist() == [20] * 5


def test_the_noise_of_groups_is_that_of_their_means() -> None:
    rng = np.random.default_rng(0)
    groups, values = np.repeat(np.arange(50), 8), rng.normal(size=400)
    by_group = values.reshape(50, 8).mean(axis=1)
    expected = by_group.std(ddof=1) / np.sqrt(50)
    np.testing.assert_allclose(mean_error(values, groups), expected)
    np.testing.assert_allclose(mean_error(values), values.std() / 20)
    assert critical_value(0.95, np.repeat(np.arange(3), 5)) > 4.3  # Student's t, 2 degrees
    assert 0.7 < design_effect(values, groups) < 1.5
    labels = np.repeat(rng.integers(0, 2, 50), 8)
    assert 7.5 < label_design_effect(labels, groups) < 8.5


def test_blocks_are_longer_than_labels_stay_alike() -> None:
    rng = np.random.default_rng(0)
    runs = np.repeat(rng.integers(0, 2, 500), 8)
    assert alike_for(runs) == 8
    assert np.bincount(time_blocks(np.arange(4000.0), runs)).tolist() == [80] * 50
    assert time_blocks(np.arange(8000), rng.integers(0, 2, 8000)).max() == 399
    days = np.repeat(np.arange("2020-01-01", "2020-04-10", dtype="datetime64[D]"), 10)
    blocks = time_blocks(days[::-1], rng.integers(0, 2, 1000))
    assert all(len(np.unique(blocks[days[::-1] == day])) == 1 for day in np.unique(days))
