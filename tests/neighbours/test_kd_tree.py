"""The balanced tree: every point once, full leaves, tight boxes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayesfloor.base.executor import Threads
from bayesfloor.neighbours.kernels.kd_tree import NO_POINT, build_tree


@given(
    n=st.integers(1, 200), d=st.integers(1, 5), width=st.integers(1, 40), values=st.integers(1, 50)
)
def test_every_node_holds_its_points_in_the_tightest_box(
    n: int, d: int, width: int, values: int
) -> None:
    points = np.random.default_rng([n, d, values]).integers(0, values, (n, d)).astype(float)
    tree = build_tree(points, width)
    assert sorted(tree.order) == list(range(n))
    np.testing.assert_array_equal(tree.points, points[tree.order])
    for first, last, low, high in zip(tree.first, tree.last, tree.low, tree.high, strict=True):
        inside = tree.points[first * width : last * width]
        np.testing.assert_array_equal(low, inside.min(axis=0))
        np.testing.assert_array_equal(high, inside.max(axis=0))


@given(n=st.integers(1, 200), width=st.integers(1, 40))
def test_children_part_the_leaves_of_their_parent(n: int, width: int) -> None:
    tree = build_tree(np.random.default_rng(n).normal(size=(n, 2)), width)
    for node, (first, last) in enumerate(zip(tree.first, tree.last, strict=True)):
        if last - first > 1:
            middle = tree.last[node + 1]
            right = node + 2 * (middle - first)
            assert (tree.first[node + 1], tree.first[right], tree.last[right]) == (
                first,
                middle,
                last,
            )


@given(
    n=st.integers(2, 200), d=st.integers(1, 5), width=st.integers(1, 40), values=st.integers(1, 50)
)
def test_children_lie_on_both_sides_of_a_cut_through_the_widest_side(
    n: int, d: int, width: int, values: int
) -> None:
    points = np.random.default_rng([n, d, values]).integers(0, values, (n, d)).astype(float)
    tree = build_tree(points, width)
    for node, (first, last) in enumerate(zip(tree.first, tree.last, strict=True)):
        if last - first > 1:
            widest = (tree.high[node] - tree.low[node]).argmax()
            right = node + 2 * (tree.last[node + 1] - first)
            assert tree.high[node + 1, widest] <= tree.low[right, widest]


def test_tiles_hold_the_points_column_by_column_and_nothing_else() -> None:
    points = np.array([[0.0, 5.0], [1.0, 4.0], [2.0, 3.0]])
    tree = build_tree(points, 2)
    expected = [[[0.0, 1.0], [5.0, 4.0]], [[2.0, NO_POINT], [3.0, NO_POINT]]]
    np.testing.assert_array_equal(np.sort(tree.tiles[0], axis=1), np.sort(expected[0], axis=1))
    np.testing.assert_array_equal(tree.tiles[1], expected[1])


@pytest.mark.parametrize("n", [1, 2, 33])
def test_equal_points_are_parted_too(n: int) -> None:
    tree = build_tree(np.zeros((n, 3)), 2)
    assert len(tree.tiles) == -(-n // 2)
    assert not tree.points.any()


@pytest.mark.parametrize("n", [999, 1000])
@pytest.mark.parametrize("workers", [1, 2, 3, 5])
def test_any_number_of_workers_builds_the_same_tree(n: int, workers: int) -> None:
    points = np.random.default_rng(n).integers(0, 30, (n, 3)).astype(float)
    alone = build_tree(points, 8)
    together = build_tree(points, 8, Threads(workers), parallel_points=0)
    for one, other in zip(alone, together, strict=True):
        np.testing.assert_array_equal(one, other)


@given(
    n=st.integers(1, 300), d=st.integers(1, 4), width=st.integers(1, 40), values=st.integers(1, 50)
)
def test_a_known_order_builds_the_same_tree(n: int, d: int, width: int, values: int) -> None:
    points = np.random.default_rng([n, d, values]).integers(0, values, (n, d)).astype(float)
    sorted_here = build_tree(points, width)
    ordered = build_tree(points, width, order=sorted_here.order)
    for one, other in zip(sorted_here, ordered, strict=True):
        np.testing.assert_array_equal(one, other)
