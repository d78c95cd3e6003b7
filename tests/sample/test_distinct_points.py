from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from bayesfloor.base.arrays import Floats
from bayesfloor.sample.distinct_points import make_cells, sorted_runs
from bayesfloor.sample.sample import Sample

few_values = arrays(
    np.float64,
    st.tuples(st.integers(4, 30), st.integers(1, 3)),
    elements=st.integers(-1, 1).map(float),
)


def sample_of(points: Floats) -> Sample:
    labels = np.arange(len(points)) % 2
    return Sample(points, labels, np.array([0, 1]))


@given(few_values)
def test_cells_are_the_distinct_rows_with_their_class_counts(points: Floats) -> None:
    sample = sample_of(points)
    cells = make_cells(sample)
    assert (cells.points == np.unique(points, axis=0)).all()
    assert (cells.points[cells.of_row] == points).all()
    for cell, counts in enumerate(cells.counts):
        assert (counts == np.bincount(sample.labels[cells.of_row == cell], minlength=2)).all()
    assert cells.n == cells.sizes.sum() == len(points)


@given(few_values, st.integers(0, 99))
def test_cells_do_not_depend_on_the_order_of_rows(points: Floats, seed: int) -> None:
    sample = sample_of(points)
    order = np.random.default_rng(seed).permutation(len(points))
    mixed = make_cells(Sample(points[order], sample.labels[order], sample.classes))
    cells = make_cells(sample)
    assert (mixed.points == cells.points).all()
    assert (mixed.counts == cells.counts).all()


@given(few_values)
def test_cells_in_any_order_are_the_same_cells(points: Floats) -> None:
    sample = sample_of(points)
    cells, loose = make_cells(sample), make_cells(sample, in_order=False)
    order = np.lexsort(loose.points.T[::-1])
    assert (loose.points[order] == cells.points).all()
    assert (loose.counts[order] == cells.counts).all()
    assert (loose.sizes[order] == cells.sizes).all()
    assert (loose.points[loose.of_row] == points).all()


def test_rows_that_all_differ_stay_in_place_if_order_does_not_matter() -> None:
    points = np.array([[3.0], [1.0], [2.0], [0.0]])
    for distinct in (False, True):
        cells = make_cells(replace(sample_of(points), distinct=distinct), in_order=False)
        assert cells.points.tolist() == points.tolist()
        assert cells.of_row.tolist() == [0, 1, 2, 3]
        assert cells.counts.tolist() == [[1, 0], [0, 1], [1, 0], [0, 1]]


@given(
    arrays(
        np.float64,
        st.tuples(st.integers(1, 40), st.integers(1, 4)),
        elements=st.sampled_from([-1e308, -1.0, -0.0, 0.0, 0.5, 1e308]),
    )
)
def test_rows_are_put_in_lexicographic_order_and_equal_rows_in_their_own(points: Floats) -> None:
    order, starts = sorted_runs(points)
    assert order.tolist() == np.lexsort(points.T[::-1]).tolist()
    ahead = np.vstack([np.full((1, points.shape[1]), np.inf), points[order]])
    assert starts.tolist() == (ahead[1:] != ahead[:-1]).any(axis=1).tolist()


def test_classes_are_ordered_by_their_points_whatever_they_are_called() -> None:
    rng = np.random.default_rng(0)
    points, labels = rng.integers(0, 4, size=(60, 2)).astype(np.float64), np.arange(60) % 3
    order = make_cells(Sample(points, labels, np.arange(3))).class_order()
    assert sorted(order) == [0, 1, 2]
    for names in itertools.permutations(range(3)):
        renamed = np.array(names)[labels]
        found = make_cells(Sample(points, renamed, np.arange(3))).class_order()
        assert found.tolist() == np.array(names)[order].tolist()
