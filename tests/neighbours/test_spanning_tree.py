from __future__ import annotations

import subprocess
import sys
from _thread import interrupt_main
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from threading import Timer
from time import process_time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse.csgraph import minimum_spanning_tree
from scipy.spatial.distance import cdist

from bayesfloor.base.arrays import Floats, Ints
from bayesfloor.base.executor import Threads
from bayesfloor.neighbours.spanning_tree import cross_edges, spanning_edges
from bayesfloor.neighbours.spanning_tree.boruvka import boruvka_edges
from bayesfloor.neighbours.spanning_tree.component_search import JUST_ABOVE, rounded
from bayesfloor.neighbours.spanning_tree.edges import scale_points
from bayesfloor.neighbours.spanning_tree.prim import LOW_BITS, prim_edges, squared_lengths
from tied_points import tied_points

Engine = Callable[[Floats], Ints]

each_engine = pytest.mark.parametrize("engine", [boruvka_edges, prim_edges])


def in_order(pairs: Ints) -> list[tuple[int, ...]]:
    """Compare edges as sets: sorted pairs, smaller index first."""
    return sorted(tuple(sorted(map(int, edge))) for edge in pairs)


def kruskal(points: Floats) -> list[tuple[int, ...]]:
    """Join by brute force: all pairs, in the documented order."""
    low, high = np.triu_indices(len(points), 1)
    fraction, exponent = np.frexp(((points[low] - points[high]) ** 2).sum(axis=1))
    squares = np.ldexp(np.floor(fraction * 2**33 + 0.5), exponent - 33)
    group, tree = np.arange(len(points)), []
    for at in np.lexsort((high, low, squares)):
        a, b = int(low[at]), int(high[at])
        if group[a] != group[b]:
            group[group == group[b]] = group[a]
            tree.append((a, b))
    return sorted(tree)


def total_length(points: Floats, pairs: Ints) -> float:
    return float(np.linalg.norm(points[pairs[:, 0]] - points[pairs[:, 1]], axis=1).sum())


def tight_clusters(n: int, d: int, clusters: int, rng: np.random.Generator) -> Floats:
    centres = 100 * rng.normal(size=(clusters, d))
    return centres[rng.integers(clusters, size=n)] + rng.normal(size=(n, d)) / 100


# by hand


def test_four_points_on_paper_have_the_tree_drawn_there() -> None:
    points = np.array([[0.0, 0.0], [4.0, 0.0], [4.0, 1.5], [1.0, 1.0]])
    assert spanning_edges(points).tolist() == [[0, 3], [1, 2], [2, 3]]


def test_unit_square_leaves_out_the_last_of_its_four_equal_sides() -> None:
    square = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    assert spanning_edges(square).tolist() == [[0, 1], [0, 2], [1, 3]]


def test_four_points_on_paper_have_two_cross_edges() -> None:
    points = np.array([[0.0, 0.0], [4.0, 0.0], [4.0, 1.5], [1.0, 1.0]])
    assert cross_edges(points, np.array([0, 0, 1, 0]), 2) == 2


def test_duplicates_count_the_mean_over_their_pairs() -> None:
    # Cell at 0: three points, labels 0 0 1. Two edges, each joins two classes in 2 of 3 pairs.
    # Cell at 5: two points, labels 0 1, one edge. Between: the ends agree with chance 1/2.
    points = np.array([[0.0], [5.0], [0.0], [-0.0], [5.0]])
    assert cross_edges(points, np.array([0, 0, 0, 1, 1]), 2) == pytest.approx(4 / 3 + 1 + 1 / 2)


def test_equal_points_make_one_cell_without_edges_to_others() -> None:
    assert cross_edges(np.ones((4, 3)), np.array([0, 0, 1, 1]), 2) == pytest.approx(2)
    assert spanning_edges(np.ones((1, 3))).shape == (0, 2)


def test_two_points_share_one_edge() -> None:
    points = np.array([[-1e308, 0.0], [1e308, 0.0]])
    assert spanning_edges(points).tolist() == [[0, 1]]
    assert cross_edges(points, np.array([1, 0]), 2) == 1
    assert cross_edges(points, np.array([1, 1]), 2) == 0


def test_collinear_points_are_joined_in_their_order_along_the_line() -> None:
    along = np.random.default_rng(1).permutation(50)
    found = spanning_edges(along[:, None] * np.array([1.0, 2.0, -3.0]))
    assert sorted(np.sort(along[found], axis=1).tolist()) == [[i, i + 1] for i in range(49)]


# oracle


@each_engine
@pytest.mark.parametrize("n", [2, 3, 5, 14, 50, 400])
@pytest.mark.parametrize("d", [1, 2, 5, 12])
def test_total_length_is_that_of_the_dense_tree(engine: Engine, n: int, d: int) -> None:
    points = np.random.default_rng(n * d).normal(size=(n, d))
    best = minimum_spanning_tree(cdist(points, points)).sum()
    assert total_length(points, engine(points)) == pytest.approx(best)


@pytest.mark.parametrize(
    "engine", [partial(boruvka_edges, listed=1), partial(boruvka_edges, listed=8), prim_edges]
)
@settings(max_examples=60)
@given(points=tied_points(), scale=st.sampled_from([1.0, 0.1, 3.7]))
def test_edges_match_brute_force_on_grids_full_of_ties(
    engine: Engine, points: Floats, scale: float
) -> None:
    cells = np.unique(points + 0.0, axis=0)
    assert in_order(engine(cells * scale)) == kruskal(cells)


@each_engine
def test_ties_between_distant_components_match_brute_force(engine: Engine) -> None:
    corners = np.array([[0.0, 0.0], [0.0, 100.0], [100.0, 0.0], [100.0, 100.0]])
    grid = np.indices((5, 5)).reshape(2, -1).T.astype(np.float64)
    points = np.unique((corners[:, None] + grid).reshape(-1, 2), axis=0)
    assert in_order(engine(points)) == kruskal(points)


@each_engine
def test_points_that_tie_with_a_whole_component_match_brute_force(engine: Engine) -> None:
    turn = np.linspace(0, 2 * np.pi, 80, endpoint=False)
    circle, flat = np.stack([np.cos(turn), np.sin(turn)], axis=1), np.zeros((80, 2))
    points = np.concatenate([np.hstack([circle, flat]), np.hstack([flat, circle])])
    points = points[np.random.default_rng(3).permutation(len(points))]
    assert in_order(engine(points)) == kruskal(points)


@pytest.mark.parametrize("listed", [1, 4])
@pytest.mark.parametrize("first", [0, 6, 12, 18])
def test_the_first_of_many_ties_is_found_in_the_last_leaf(first: int, listed: int) -> None:
    # Each point of a line is equally near to 24 points of a far tube; row 0 is at the tube's end.
    turn, along = np.meshgrid(np.arange(24) * np.pi / 12, np.arange(14.0))
    tube = np.stack([0 * turn + 99, along, 9 * np.cos(turn), 9 * np.sin(turn)], axis=-1)
    line, at = tube[:, 0] * np.array([0, 1, 0, 0]), 13 * 24 + first
    rows = tube.reshape(-1, 4)
    points = np.concatenate([rows[[at]], line, np.delete(rows, at, axis=0)])
    assert in_order(boruvka_edges(points, listed=listed)) == kruskal(points)


@settings(max_examples=80)
@given(
    n=st.integers(2, 50),
    d=st.integers(1, 20),
    listed=st.integers(1, 6),
    offset=st.sampled_from([0.0, 1e7]),
    values=st.sampled_from([None, 2, 5]),
)
def test_compiled_edges_match_brute_force(
    n: int, d: int, listed: int, offset: float, values: int | None
) -> None:
    rng = np.random.default_rng([n, d, listed])
    drawn = rng.normal(size=(n, d)) if values is None else rng.integers(values, size=(n, d))
    points: Floats = np.unique(drawn + offset, axis=0).astype(np.float64)
    assert in_order(boruvka_edges(points, listed=listed)) == kruskal(points)


@pytest.mark.parametrize("scale", [0.1, 0.3, 0.7])
@pytest.mark.parametrize("shape", [(60, 50), (15, 14, 13), (2,) * 11])
def test_engines_agree_on_large_grids_in_any_order(shape: tuple[int, ...], scale: float) -> None:
    grid = np.indices(shape).reshape(len(shape), -1).T * scale
    points: Floats = grid[np.random.default_rng(1).permutation(len(grid))].astype(np.float64)
    expected = in_order(prim_edges(points))
    for listed in (1, 5):
        assert in_order(boruvka_edges(points, listed=listed)) == expected, listed


@pytest.mark.parametrize("clusters", [2, 20, 300])
@pytest.mark.parametrize("d", [1, 2, 5, 30])
def test_engines_agree_on_clustered_data(clusters: int, d: int) -> None:
    points = tight_clusters(3000, d, clusters, np.random.default_rng(clusters))
    assert in_order(boruvka_edges(points)) == in_order(prim_edges(points))


def test_engines_agree_where_squares_would_underflow() -> None:
    rng = np.random.default_rng(4)
    tiny = rng.choice([1.0, 1e-119, 1e-155, 1e-160, 3e-162], size=(400, 2))
    points = np.unique(rng.integers(-2, 3, size=(400, 2)) * tiny + 0.0, axis=0)
    found = spanning_edges(points)
    np.testing.assert_array_equal(spanning_edges(points, compiled_from=0), found)
    assert in_order(boruvka_edges(scale_points(points), listed=1)) == in_order(found)


def test_many_points_in_two_far_clusters_are_joined_by_the_shortest_bridge() -> None:
    rng = np.random.default_rng(5)
    far = rng.normal(size=(20_000, 2)) + np.array([[0.0, 0.0], [100.0, 0.0]]).repeat(10_000, axis=0)
    found = spanning_edges(far)
    bridges = found[(found < 10_000).sum(axis=1) == 1]
    assert len(found) == 19_999
    assert len(bridges) == 1
    near = [far[:10_000][far[:10_000, 0] > 3], far[10_000:][far[10_000:, 0] < 97]]
    assert total_length(far, bridges) == pytest.approx(cdist(*near).min())


def test_duplicates_count_the_average_over_random_tie_breaks() -> None:
    rng = np.random.default_rng(6)
    points = rng.normal(size=(8, 2))[rng.integers(8, size=30)]
    labels = rng.integers(3, size=30)
    counts = []
    for _ in range(600):
        moved = points + 1e-7 * rng.normal(size=points.shape)
        u, v = minimum_spanning_tree(cdist(moved, moved)).nonzero()
        counts.append((labels[u] != labels[v]).sum())
    error = np.std(counts) / np.sqrt(len(counts))
    assert abs(cross_edges(points, labels, 3) - np.mean(counts)) < 3 * error


# pieces


def test_squared_lengths_keep_33_bits() -> None:
    root = np.sqrt(np.array([[1.0, 1 + 2.0**-34.5, 1 + 2.0**-32, 1 + 2.0**-32 + 2.0**-34.5]]))
    found = squared_lengths(np.zeros((1, 1)), root)
    assert found.tolist() == [1.0, 1.0, 1 + 2.0**-32, 1 + 2.0**-32]


def test_compiled_rounding_is_that_of_numpy() -> None:
    rng = np.random.default_rng(2)
    lengths = np.concatenate([[0.0, 1.0, 2.0**-800], rng.lognormal(sigma=50, size=1000)])
    found = squared_lengths(np.zeros((1, 1)), lengths[None])
    assert found.tolist() == [rounded(length**2) for length in lengths]


def test_beyond_a_rounded_length_is_not_above_the_next_one() -> None:
    lengths = squared_lengths(np.zeros((1, 1)), 1 + np.random.default_rng(3).random((1, 1000)))
    after = (lengths.view(np.int64) + (1 << LOW_BITS)).view(np.float64)
    assert (lengths < lengths * JUST_ABOVE).all()
    assert (lengths * JUST_ABOVE <= after).all()


# property


@settings(max_examples=40)
@given(points=tied_points(), seed=st.integers(0, 99))
def test_row_order_does_not_matter_even_with_ties(points: Floats, seed: int) -> None:
    rng = np.random.default_rng(seed)
    labels, shuffled = rng.integers(3, size=len(points)), rng.permutation(len(points))
    found = cross_edges(points[shuffled], labels[shuffled], 3)
    assert found == cross_edges(points, labels, 3)


@settings(max_examples=40)
@given(points=tied_points(), seed=st.integers(0, 99))
def test_count_lies_between_zero_and_all_edges_and_is_unmoved_by_label_swap(
    points: Floats, seed: int
) -> None:
    labels = np.random.default_rng(seed).integers(4, size=len(points))
    found = cross_edges(points, labels, 4)
    assert -1e-9 <= found <= len(points) - 1 + 1e-9
    assert cross_edges(points, 3 - labels, 4) == pytest.approx(found)


@pytest.mark.parametrize("d", [2, 12])
def test_count_is_unmoved_by_scale_and_shift(d: int) -> None:
    rng = np.random.default_rng(8)
    points, labels = rng.normal(size=(300, d)), rng.integers(2, size=300)
    found = cross_edges(points, labels, 2)
    assert cross_edges(3.7 * points, labels, 2) == found
    assert cross_edges(points + 5.3, labels, 2) == found


def test_several_classes_count_each_edge_between_any_two() -> None:
    rng = np.random.default_rng(9)
    points, labels = rng.normal(size=(200, 3)), rng.integers(4, size=200)
    cells = np.lexsort(points.T[::-1])
    u, v = cells[spanning_edges(points[cells])].T
    assert cross_edges(points, labels, 4) == (labels[u] != labels[v]).sum()
    assert cross_edges(points, np.arange(200), 200) == 199
    assert cross_edges(points, np.zeros(200, dtype=np.int64), 1) == 0


# threads


@pytest.mark.parametrize("d", [2, 6])
def test_any_number_of_workers_finds_the_same_edges(d: int) -> None:
    points = tight_clusters(6000, d, 500, np.random.default_rng(10))
    one = spanning_edges(points, Threads(1))
    for workers in (2, 2, 3, 5):
        np.testing.assert_array_equal(spanning_edges(points, Threads(workers)), one)


def test_an_interrupted_call_ends_soon_and_the_next_one_works() -> None:
    points = np.random.default_rng(11).normal(size=(100_000, 12))
    boruvka_edges(points[:2])  # compiled
    for _ in range(3):  # Python loses an interrupt that comes inside a finalizer
        Timer(0.5, interrupt_main).start()
        start = process_time()  # of both threads, so that a busy machine does not matter
        with suppress(KeyboardInterrupt):
            boruvka_edges(points, Threads(2))
            continue
        break
    else:
        raise AssertionError("not to be interrupted")
    assert process_time() - start < 10
    assert len(boruvka_edges(points[:500])) == 499


def test_a_small_sample_loads_no_compiler() -> None:
    code = "import numpy as np, sys; from bayesfloor.neighbours import spanning_tree; "
    code += "tree = spanning_tree.spanning_edges; "
    code += "tree(np.random.default_rng(0).normal(size=(1000, 3))); print('numba' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
