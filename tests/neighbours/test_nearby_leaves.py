"""The leaves near a row: none within the bound is missing, the nearest come first."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bayesfloor.base.arrays import Floats
from bayesfloor.neighbours.kernels.boxes import Boxes, box_gaps
from bayesfloor.neighbours.kernels.kd_tree import build_tree
from bayesfloor.neighbours.kernels.nearby_leaves import (
    BOX_SLACK,
    EMPTY_REACH,
    GAP_STEPS,
    LEAF_SIZE,
    Leaves,
    box_leaf_rows,
    nearest_leaves,
    new_leaf_list,
    tree_leaves,
)

MANY = 150 * LEAF_SIZE - 5
"""Points of three blocks of leaves, the last leaf and the last block not full."""


def make_leaves(n: int, d: int, *, tails: bool = False) -> Leaves:
    rng = np.random.default_rng([n, d])
    points = rng.standard_cauchy((n, d)) if tails else rng.normal(size=(n, d))
    return tree_leaves(build_tree(points, LEAF_SIZE))


def gaps_to(place: Floats, boxes: Boxes) -> Floats:
    """Return the squared distances from a point to boxes."""
    nearest = np.clip(place[:, None], boxes.low, boxes.high)
    return np.asarray(((nearest - place[:, None]) ** 2).sum(axis=0))


@pytest.mark.parametrize("n", [1, LEAF_SIZE, LEAF_SIZE + 1, 65 * LEAF_SIZE, MANY])
def test_leaves_and_blocks_have_the_boxes_of_their_points(n: int) -> None:
    tree = make_leaves(n, 3)
    for boxes, points in ((tree.boxes, LEAF_SIZE), (tree.blocks, LEAF_SIZE * LEAF_SIZE)):
        assert boxes.low.shape == boxes.high.shape == (3, -(-n // points))
        for b in range(boxes.low.shape[1]):
            inside = tree.points[b * points : (b + 1) * points]
            np.testing.assert_array_equal(boxes.low[:, b], inside.min(axis=0))
            np.testing.assert_array_equal(boxes.high[:, b], inside.max(axis=0))


@settings(max_examples=60, deadline=None)
@given(
    n=st.sampled_from([40, 10 * LEAF_SIZE, MANY]),
    d=st.integers(1, 4),
    tails=st.booleans(),
    quantile=st.floats(0, 1),
    data=st.data(),
)
def test_all_leaves_within_a_bound_are_found_the_nearest_first(
    n: int, d: int, tails: bool, quantile: float, data: st.DataObject
) -> None:
    tree = make_leaves(n, d, tails=tails)
    start = data.draw(st.integers(0, n - 1))
    queries = np.arange(start, min(start + 2 * LEAF_SIZE, n))
    nearby = new_leaf_list(tree)
    stop = box_leaf_rows(tree.points, queries, 0, nearby)
    for i in data.draw(st.lists(st.sampled_from(list(queries[:stop])), min_size=1, max_size=3)):
        place = tree.points[i]
        truth = gaps_to(place, tree.boxes)
        bound = float(np.quantile(truth, quantile))  # smaller or larger than that of the row before
        found = nearest_leaves(tree, place, bound, nearby)
        leaves, gaps = nearby.ordered[:found], nearby.ordered_gaps[:found]
        assert sorted(leaves) == list(np.flatnonzero(truth <= bound * BOX_SLACK))
        np.testing.assert_allclose(gaps, truth[leaves], rtol=1e-14)
        assert (np.diff(gaps) >= -bound * BOX_SLACK / (GAP_STEPS - 1)).all()
        assert (
            gaps[1:] >= np.maximum.accumulate(gaps)[:-1] - bound * BOX_SLACK / (GAP_STEPS - 1)
        ).all()


def test_rows_of_one_leaf_are_taken_together() -> None:
    tree = make_leaves(200, 2)
    queries = np.array([3, 5, 63, 64, 70, 199])
    nearby = new_leaf_list(tree)
    starts = [0]
    while starts[-1] < len(queries):
        nearby.reach[0] = 0.0
        starts.append(box_leaf_rows(tree.points, queries, starts[-1], nearby))
        rows = tree.points[queries[starts[-2] : starts[-1]]]
        np.testing.assert_array_equal(nearby.low, rows.min(axis=0))
        np.testing.assert_array_equal(nearby.high, rows.max(axis=0))
        assert nearby.reach[0] == EMPTY_REACH
    assert starts == [0, 3, 5, 6]


def test_boxes_that_overlap_have_no_gap() -> None:
    boxes = Boxes(np.array([[0.0, 3.0, -2.0], [0.0, 1.0, 5.0]]), np.array([[1.0, 4, 9], [1, 2, 6]]))
    gaps = np.empty(2)
    box_gaps(np.array([0.5, 0.5]), np.array([2.0, 1.5]), boxes, 0, 2, gaps)
    np.testing.assert_array_equal(gaps, [0.0, 1.0])
    box_gaps(np.array([10.0, 2.0]), np.array([11.0, 3.0]), boxes, 1, 3, gaps)
    np.testing.assert_array_equal(gaps, [36.0, 1.0 + 4.0])
