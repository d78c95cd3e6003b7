from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from bayesfloor.base.arrays import Floats
from bayesfloor.base.executor import ALL_CORES, ONE_THREAD, Threads
from bayesfloor.neighbours import (
    ENGINES,
    Effort,
    Field,
    SearchTask,
    growing_sums,
    rank_sums,
)
from bayesfloor.neighbours.engine_choice import fastest_engine, is_kept
from bayesfloor.neighbours.engine_costs import MEASURED_COSTS
from bayesfloor.neighbours.engines.blocks import BlockSums
from bayesfloor.neighbours.engines.plain import PlainSums, log_sums
from bayesfloor.neighbours.finders import FAR_AWAY, BlockFinder, TreeFinder
from bayesfloor.neighbours.kernels.kernel_input import make_kernel_input
from bayesfloor.neighbours.kernels.ordering import (
    drop_unneeded,
    is_covered,
    new_scratch,
    sort_candidates,
)
from bayesfloor.neighbours.ties import TIE_TOLERANCE, NeighbourBatch, are_covered, group_starts
from oracles import shared_ranks
from searched_sums import assert_matches_brute_force, sums_of
from tied_points import tied_points

KINDS = ["apart", "on a grid", "copied"]


def placed(points: Floats, kind: str) -> Floats:
    """Leave points where they are, tie them on a grid, or make a third of them equal to others."""
    if kind == "on a grid":
        return np.round(points)
    third = len(points) // 3 if kind == "copied" else 0
    return np.concatenate([points[third : 2 * third], points[third:]])


@pytest.mark.parametrize("engine", ENGINES)
@settings(max_examples=60)
@given(points=tied_points(), data=st.data())
def test_grids_full_of_ties_match_brute_force(
    engine: str, points: Floats, data: st.DataObject
) -> None:
    n = len(points)
    ranks = data.draw(st.integers(1, n - 1))
    labels = data.draw(arrays(np.int64, n, elements=st.integers(0, 2)))
    assert_matches_brute_force(points, np.eye(3)[labels], ranks, engine)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("d", [1, 2, 5, 12, 40])
@pytest.mark.parametrize("offset", [0.0, 1e7])
def test_continuous_data_match_brute_force(engine: str, d: int, offset: float) -> None:
    rng = np.random.default_rng(d)
    points = rng.normal(size=(70, d)) + offset
    points -= points[0]  # as the gate does
    assert_matches_brute_force(points, rng.normal(size=(70, 2)), 50, engine)


@pytest.mark.parametrize("engine", ENGINES)
@settings(max_examples=40)
@given(
    n=st.integers(2, 50),
    d=st.integers(1, 40),
    offset=st.sampled_from([0.0, 1e7]),
    values=st.sampled_from([0, 2, 5]),
    data=st.data(),
)
def test_any_sample_matches_brute_force(
    engine: str, n: int, d: int, offset: float, values: int, data: st.DataObject
) -> None:
    rng = np.random.default_rng([n, d, values])
    shape = (n, d)
    points = rng.normal(size=shape)
    if values:
        points = rng.integers(0, values, shape).astype(np.float64)
    ranks = data.draw(st.integers(max(1, n - 5), n - 1))
    assert_matches_brute_force(points + offset - offset / 3, rng.normal(size=(n, 3)), ranks, engine)


@pytest.mark.parametrize("engine", ["tree", "blocks"])
@pytest.mark.parametrize("clusters", [1e-9, 1.0, 1e4])
def test_many_more_points_than_ranks_match_brute_force(engine: str, clusters: float) -> None:
    rng = np.random.default_rng(4)
    points = rng.normal(size=(400, 4)) + clusters * rng.integers(0, 3, (400, 1))
    points[:100] = points[:100].round(1)
    assert_matches_brute_force(points, rng.normal(size=(400, 2)), 9, engine)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("seed", [1, 2])
def test_ties_seen_from_far_away_match_brute_force(engine: str, seed: int) -> None:
    """Outliers see all others at almost one distance: some tied to the last rank, some not."""
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(200, 3))
    points[:40] += 10 ** rng.uniform(6, 9) * rng.normal(size=(40, 3))
    assert_matches_brute_force(points, np.eye(2)[rng.integers(0, 2, 200)], 50, engine, 1e-9)


@pytest.mark.parametrize("engine", ["tree", "blocks"])
@pytest.mark.parametrize("unit", [0.01, 100.0])
def test_points_in_any_unit_match_brute_force(engine: str, unit: float) -> None:
    """A distance is below its square, or above it."""
    rng = np.random.default_rng(1)
    points = unit * rng.normal(size=(300, 2))
    assert_matches_brute_force(points, rng.normal(size=(300, 1)), 20, engine)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("ranks", [5, 59])
def test_points_of_any_kind_match_brute_force(engine: str, kind: str, ranks: int) -> None:
    rng = np.random.default_rng(8)
    points = placed(rng.normal(size=(60, 3)), kind)
    assert_matches_brute_force(points, rng.normal(size=(60, 2)), ranks, engine)


@pytest.mark.parametrize("engine", ["tree", "blocks"])
def test_cells_of_many_sizes_in_several_leaves_match_brute_force(engine: str) -> None:
    rng = np.random.default_rng(9)
    points = rng.normal(size=(300, 2)).round(1)
    sizes = np.unique(points, axis=0, return_counts=True)[1]
    assert len(sizes) > 2 * 64
    assert sizes.max() > 2
    assert_matches_brute_force(points, rng.normal(size=(300, 2)), 8, engine)


@pytest.mark.parametrize("engine", ENGINES)
def test_near_points_among_far_ones_match_brute_force(engine: str) -> None:
    rng = np.random.default_rng(6)
    points = rng.standard_cauchy((300, 3))
    points[::7] = points[::7].round()
    assert_matches_brute_force(points, rng.normal(size=(300, 2)), 60, engine)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("close", "ranks", "apart"), [(4, 12, 1e-6), (60, 30, 3e-7)])
def test_close_points_far_from_the_centre_match_brute_force(
    engine: str, close: int, ranks: int, apart: float
) -> None:
    """A matrix product alone would lose distances of 1e-6 between points of norm 10."""
    rng = np.random.default_rng(8)
    centres = 10 * rng.normal(size=(120 // close, 9))
    points = np.repeat(centres, close, axis=0) + apart * rng.normal(size=(120, 9))
    assert_matches_brute_force(points, rng.normal(size=(120, 1)), ranks, engine)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("n", [2, 3, 5, 50])
def test_equal_points_share_all_ranks(engine: str, n: int) -> None:
    vectors = np.eye(2)[np.arange(n) % 2]
    assert_matches_brute_force(np.ones((n, 2)), vectors, n - 1, engine)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("tiny", [[1e-170, 2e-170], [1e-170, 4.5], [1e-155, 4.5], [3e-151, 4.5]])
def test_tiny_differences_whose_squares_vanish_count_as_distance_zero(
    engine: str, tiny: list[float]
) -> None:
    """Or are too small for a whole mantissa."""
    points = np.array([[0.0], [tiny[0]], [tiny[1]], [1.0], [2.2]])
    vectors = np.array([[1.0], [2.0], [4.0], [8.0], [16.0]])
    assert_matches_brute_force(points, vectors, 3, engine)


@pytest.mark.parametrize("engine", ENGINES)
def test_two_points_whose_squared_distance_vanishes_are_at_distance_zero(engine: str) -> None:
    assert_matches_brute_force(np.array([[0.0], [1e-170]]), np.array([[1.0], [2.0]]), 1, engine)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_point_crowded_out_of_its_own_neighbours_is_not_among_them(engine: str) -> None:
    points = np.append(np.arange(12) * 1e-170, 1.0)[:, None]
    assert_matches_brute_force(points, np.arange(13.0)[:, None], 2, engine)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_tie_far_wider_than_the_ranks_matches_brute_force(engine: str) -> None:
    rng = np.random.default_rng(3)
    points = np.unique(rng.integers(0, 2, size=(150, 12)), axis=0).astype(float)
    assert_matches_brute_force(points, rng.normal(size=(len(points), 1)), 4, engine)


def test_shared_ranks_are_the_mean_over_random_tie_breaks() -> None:
    rng = np.random.default_rng(4)
    points = rng.integers(0, 4, size=(40, 2)).astype(float)
    labels = rng.integers(0, 2, size=40)
    draws = []
    squared = ((points[:, None] - points) ** 2).sum(axis=2)
    np.fill_diagonal(squared, np.inf)
    for _ in range(4000):
        order = np.lexsort((rng.random(squared.shape), squared), axis=1)[:, :10]
        draws.append((labels[order] == labels[:, None]).mean(axis=0))
    mean, error = np.mean(draws, axis=0), np.std(draws, axis=0) / np.sqrt(len(draws))
    for engine in ENGINES:
        found, _ = sums_of(points, np.eye(2)[labels], ranks=10, engine=engine)
        assert (np.abs(found.products[0] - mean) < 5 * error + 1e-12).all(), engine


@settings(max_examples=30)
@given(points=tied_points(), seed=st.integers(0, 99))
def test_the_order_of_rows_does_not_matter(points: Floats, seed: int) -> None:
    rng = np.random.default_rng(seed)
    vectors, order = rng.normal(size=(len(points), 2)), rng.permutation(len(points))
    ranks = len(points) - 1
    one, _ = sums_of(points, vectors, ranks=ranks, engine="tree")
    two, _ = sums_of(points[order], vectors[order], ranks=ranks, engine="tree")
    np.testing.assert_allclose(one.products, two.products, atol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_engines_and_numbers_of_workers_agree(kind: str) -> None:
    rng = np.random.default_rng(5)
    points = placed(rng.normal(size=(3000, 4)), kind)
    vectors = rng.normal(size=(3000, 2))
    common: dict[str, Any] = {"ranks": 60, "near": 20, "at": np.array([0, 7, 59])}
    plain, _ = sums_of(points, vectors, engine="scipy", workers=1, **common)
    for engine in ENGINES:
        one, _ = sums_of(points, vectors, engine=engine, workers=1, **common)
        for workers in (2, 3, 5):
            two, _ = sums_of(points, vectors, engine=engine, workers=workers, **common)
            for name in ("products", "log_squared", "at_zero", "local", "leverage"):
                assert (getattr(one, name) == getattr(two, name)).all(), (engine, name)
        for name in ("products", "log_squared", "at_zero", "local", "leverage"):
            np.testing.assert_allclose(getattr(one, name), getattr(plain, name), atol=1e-8)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("kind", KINDS)
def test_local_sums_add_the_first_ranks_outside_the_own_cell(engine: str, kind: str) -> None:
    rng = np.random.default_rng(6)
    points = placed(rng.normal(size=(60, 2)), kind)
    vectors = rng.normal(size=(60, 1))
    found, of_row = sums_of(points, vectors, ranks=30, near=12, engine=engine)
    outside = (points[:, None] != points).any(axis=2)
    values = np.where(outside, vectors.T, 0.0)
    expected, _ = shared_ranks(points, values, 30)
    np.testing.assert_allclose(found.local[of_row, 0], expected[:, :12].sum(axis=1), atol=1e-12)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("kind", KINDS)
def test_a_field_at_some_ranks_is_interpolated_between_them(engine: str, kind: str) -> None:
    points = placed(2 * np.random.default_rng(7).normal(size=(50, 2)), kind)
    vectors, at = np.sin(3 * points), np.array([0, 4, 9])  # the same for equal rows
    whole, _ = sums_of(points, vectors, ranks=10, engine=engine)
    some, _ = sums_of(points, vectors, ranks=10, engine=engine, at=at)
    np.testing.assert_allclose(some.leverage[at], whole.products[0][at], rtol=1e-5)
    assert some.leverage[2] == pytest.approx(whole.products[0][at[:2]].mean(), rel=1e-5)


def test_tie_groups_chain_distances_equal_up_to_rounding() -> None:
    squared = np.array([[0.1 + 0.2, 0.3, 0.5, 0.5 * (1 + 5e-11), 0.5 * (1 + 10e-11), 0.6]])
    squared.sort()
    assert group_starts(squared).tolist() == [[True, False, True, False, False, True]]


def test_ranks_are_covered_only_when_a_farther_point_is_known() -> None:
    batch = NeighbourBatch(np.array([0]), np.array([[1, 2, 3]]), np.array([[1.0, 2.0, 2.0]]))
    ones = np.ones(4, dtype=np.int64)
    assert are_covered(batch, ones, 1).tolist() == [True]
    assert are_covered(batch, ones, 2).tolist() == [False]  # the tie may go on beyond the batch
    wide = NeighbourBatch(np.array([0]), np.array([[1, 2, 3]]), np.array([[2.0, 2.0, 3.0]]))
    assert are_covered(wide, ones, 1).tolist() == [True]  # the whole tie is in, and a farther point
    twos = np.array([1, 2, 1, 1])
    assert are_covered(batch, twos, 2).tolist() == [True]


def test_compiled_ranks_are_covered_only_when_no_tie_can_be_missing() -> None:
    """Two neighbours are known, and all that are nearer than some bound."""
    scratch = new_scratch(4, 3)
    scratch.sorted_keys[:2], scratch.sorted_items[:2] = [1.0, 2.0], [1, 2]
    fields = make_kernel_input(normal_task(5, 1, 1), np.arange(5), ONE_THREAD)
    assert is_covered(scratch, 2, fields, 0, 1, 0.0)  # a farther one follows
    assert is_covered(scratch, 2, fields, 0, 2, 2.1)
    for within in (1.9, 2.0, 2.0 * (1 + 1e-11)):
        assert not is_covered(scratch, 2, fields, 0, 2, within)
    assert not is_covered(scratch, 2, fields, 0, 3, np.inf)
    assert is_covered(scratch, 2, fields._replace(single=False), 1, 3, np.inf)  # one in the cell
    assert not is_covered(scratch, 2, fields._replace(single=False), 1, 4, np.inf)


@settings(max_examples=60)
@given(
    keys=st.lists(st.floats(0, 1e6) | st.integers(0, 3).map(float), min_size=1, max_size=60),
    sizes=st.sampled_from([1, 3]),
    data=st.data(),
)
def test_candidates_are_dropped_beyond_a_bound_only(
    keys: list[float], sizes: int, data: st.DataObject
) -> None:
    m = len(keys)
    need = data.draw(st.integers(1, m * sizes))
    fields = make_kernel_input(normal_task(m + 1, 1, 1), np.arange(m + 1), ONE_THREAD)
    fields = fields._replace(sizes=np.full(m + 1, sizes), single=sizes == 1)
    for work in (sort_candidates, drop_unneeded):
        scratch = new_scratch(m, 8)
        scratch.keys[:m], scratch.items[:m] = keys, np.arange(m)
        kept, bound = work(scratch, m, fields, need)
        left, items = scratch.keys[:kept], scratch.items[:kept]
        if work is sort_candidates:
            left, items = scratch.sorted_keys[:kept], scratch.sorted_items[:kept]
            assert (np.diff(left) >= 0).all()
        np.testing.assert_array_equal(left, np.array(keys)[items])
        dropped = np.delete(keys, items)
        assert len(dropped) == m - kept
        assert kept * sizes >= need
        assert (dropped >= bound * (1 - 1e-12)).all()


@pytest.mark.parametrize("far", [[], [1e3], [1e12], [1e6, 1e11, 1e16]])
def test_far_candidates_do_not_keep_near_ones_from_being_dropped(far: list[float]) -> None:
    keys = np.random.default_rng(0).permutation(np.append(np.arange(400.0 - len(far)), far))
    fields = make_kernel_input(normal_task(401, 1, 1), np.arange(401), ONE_THREAD)
    for work in (sort_candidates, drop_unneeded):
        scratch = new_scratch(400, 100)
        scratch.keys[:], scratch.items[:] = keys, np.arange(400)
        kept, bound = work(scratch, 400, fields, 100)
        assert 100 <= kept <= 102
        assert 99 < bound < 102


AWKWARD: dict[str, Callable[[np.random.Generator], Floats]] = {
    "scales": lambda rng: np.concatenate([rng.normal(size=(800, 3)) * 9.0**-k for k in range(4)]),
    "heavy tails": lambda rng: rng.standard_cauchy((3000, 2)),
    "outliers": lambda rng: np.concatenate([rng.normal(size=(2990, 3)), np.eye(10, 3) * 1e4 + 1]),
    "a line": lambda rng: (
        np.outer(rng.random(3000), np.ones(4)) + rng.normal(size=(3000, 4)) * 1e-3
    ),
    "a coarse grid": lambda rng: rng.integers(0, 16, (3000, 3)).astype(float),
    "a grid with noise": lambda rng: np.c_[rng.integers(0, 4, (3000, 2)), rng.normal(size=3000)],
    "one column": lambda rng: rng.normal(size=(3000, 1)),
}


@pytest.mark.parametrize("engine", [name for name, spec in ENGINES.items() if spec.compiled])
@pytest.mark.parametrize("kind", AWKWARD)
def test_many_points_in_awkward_places_have_the_sums_of_the_plain_engine(
    engine: str, kind: str
) -> None:
    """The plain engine, which matches brute force on few points, goes over all pairs."""
    rng = np.random.default_rng(7)
    points = AWKWARD[kind](rng)
    vectors = rng.normal(size=(len(points), 2))
    plain, _ = sums_of(points, vectors, ranks=150, engine="numpy")
    found, _ = sums_of(points, vectors, ranks=150, engine=engine)
    np.testing.assert_allclose(found.products, plain.products, atol=1e-12)
    np.testing.assert_allclose(found.local, plain.local, atol=1e-12)
    np.testing.assert_allclose(found.log_squared, plain.log_squared, atol=1e-9)
    np.testing.assert_array_equal(found.at_zero, plain.at_zero)


@pytest.mark.parametrize("make", [TreeFinder, BlockFinder])
def test_neighbours_never_contain_their_own_point(
    make: type[TreeFinder] | type[BlockFinder],
) -> None:
    points = np.random.default_rng(2).normal(size=(40, 3))
    rows = np.arange(40)
    batch = make(points).nearest(rows, 39)
    assert (np.sort(batch.found, axis=1) == [np.delete(rows, i) for i in rows]).all()


def normal_task(n: int, d: int, inner: int) -> SearchTask:
    """Make a task of n points in d columns that lie on a surface of `inner` dimensions."""
    rng = np.random.default_rng([n, d])
    points = rng.normal(size=(n, inner)) @ rng.normal(size=(inner, d))
    field = Field(np.ones((n, 1)), np.zeros(n))
    return SearchTask(points, np.ones(n, dtype=np.int64), (field,), None, 100, 1, np.ones(n))


@pytest.mark.parametrize(
    ("n", "d", "inner", "engine"),
    [
        (20_000, 2, 2, "ScipySums"),
        (2000, 3, 3, "NumpySums"),
        (2000, 30, 30, "NumpySums"),
        (200_000, 2, 2, "TreeSums"),
        (30_000, 30, 30, "BlockSums"),
        (30_000, 30, 2, "TreeSums"),
    ],
)
def test_the_engine_follows_size_and_intrinsic_dimension(
    n: int, d: int, inner: int, engine: str
) -> None:
    found = fastest_engine(normal_task(n, d, inner), ONE_THREAD, loaded=False)
    assert type(found).__name__ == engine


@pytest.mark.parametrize(
    ("n", "d", "step", "engine"),
    [
        (600, 3, 0, "FewSums"),
        (600, 3, 0.1, "TreeSums"),  # ties
        (6000, 1, 0, "TreeSums"),
        (6000, 30, 0, "FewSums"),
        (6000, 30, 1, "BlockSums"),  # ties
        (18_000, 30, 0, "BlockSums"),
    ],
)
def test_compiled_code_that_was_used_before_serves_all_tasks(
    n: int, d: int, step: float, engine: str
) -> None:
    task = normal_task(n, d, d)
    if step:
        task = replace(task, points=np.round(task.points / step) * step)
    assert type(fastest_engine(task, ONE_THREAD, loaded=True)).__name__ == engine


@pytest.mark.parametrize("rounded", [False, True])
def test_compiled_picking_changes_no_digit(rounded: bool) -> None:
    """What was called before in a process must not show in the result of a small sample."""
    task = normal_task(700, 4, 4)
    if rounded:
        task = replace(task, points=np.round(task.points))
    few, numpy = (rank_sums(task, Effort(engine=name)) for name in ("few", "numpy"))
    for name in ("products", "leverage", "log_squared", "at_zero", "local"):
        np.testing.assert_array_equal(getattr(few, name), getattr(numpy, name))


@pytest.mark.parametrize("engine", ["tree", "blocks", "few"])
def test_kernels_for_few_points_are_loaded_with_any_others(engine: str) -> None:
    """Then small samples do not wait for a compiler: what serves them is there already."""
    code = f"""
from bayesfloor.neighbours import Effort, rank_sums
from bayesfloor.neighbours.engine_choice import kernels_are_loaded
from test_engines import normal_task

before = kernels_are_loaded()
rank_sums(normal_task(200, 3, 3), Effort(engine={engine!r}))
print(before, kernels_are_loaded())
from bayesfloor.neighbours.kernels.selection import are_apart, select
print(len(select.overloads), len(are_apart.overloads))
rank_sums(normal_task(300, 3, 3), Effort())
print(len(select.overloads), len(are_apart.overloads))
"""
    here = Path(__file__).parent
    path = os.pathsep.join([str(here), str(here.parent), os.environ.get("PYTHONPATH", "")])
    process = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=True,
    )
    assert process.stdout.split() == ["False", "True", "1", "1", "1", "1"]


@pytest.mark.parametrize("apart", [1e-6, 1e-13, 0.0])
def test_a_matrix_product_that_leaves_the_order_in_doubt_is_measured_exactly(apart: float) -> None:
    """Two points lie at nearly one distance of a third, all far from the centre."""
    angles = np.array([0.0, 1.0])
    ring = np.column_stack([np.cos(angles), np.sin(angles)]) * (1 + np.array([[apart], [0.0]]))
    others = np.random.default_rng(5).normal(size=(40, 2)) + 9
    points = np.vstack([np.zeros((1, 2)), ring, others]) + 1000.0
    exact = ((points - points[0]) ** 2).sum(axis=1)
    batch = BlockFinder(points).nearest(np.array([0]), 5)
    np.testing.assert_allclose(batch.squared[0, :5], np.sort(exact)[1:6], rtol=1e-13)
    tied = exact[1] <= exact[2] * (1 + TIE_TOLERANCE)
    assert set(batch.found[0, :2]) == {1, 2}
    assert batch.found[0, 0] == 2 or tied


@given(
    arrays(np.float64, st.tuples(st.integers(2, 30), st.integers(1, 6)), elements=st.floats(-4, 4)),
    st.integers(1, 29),
    st.sampled_from([0.0, 1e3, 1e6]),
)
def test_all_nearer_points_come_with_those_that_are_found(
    points: Floats, width: int, offset: float
) -> None:
    points, others = points.round(2) + offset, len(points) - 1
    exact = ((points[:, None] - points) ** 2).sum(axis=2)
    batch = BlockFinder(points).nearest(np.arange(len(points)), min(width, others))
    for i, (found, squared) in enumerate(zip(batch.found, batch.squared, strict=True)):
        known = squared < FAR_AWAY
        np.testing.assert_allclose(squared[known], exact[i, found[known]], rtol=1e-9)
        beyond = np.setdiff1d(np.arange(len(points)), [i, *found[known]])
        assert (
            not known.any()
            or (exact[i, beyond] >= squared[known].max() * (1 - TIE_TOLERANCE)).all()
        )
        assert known.any() or batch.found.shape[1] < others


def test_rows_that_single_precision_cannot_tell_apart_are_settled_in_double() -> None:
    rng = np.random.default_rng(8)
    points = rng.normal(size=(2000, 3)) * 1e-5 + 1e4 * (np.arange(2000) % 2)[:, None]
    engine = BlockSums(replace(normal_task(2000, 3, 3), points=points), ONE_THREAD)
    parts = engine.sum(engine.order)
    assert len(parts[0].rows) < len(points)
    assert sorted(np.concatenate([part.rows for part in parts])) == list(range(2000))
    vectors = rng.normal(size=(2000, 1))
    one, other = (sums_of(points, vectors, ranks=9, engine=e)[0] for e in ("blocks", "scipy"))
    np.testing.assert_allclose(one.products, other.products, atol=1e-12)
    np.testing.assert_allclose(one.log_squared, other.log_squared)


@pytest.mark.parametrize("engine", ENGINES)
def test_an_interrupted_search_ends_and_leaves_no_thread(engine: str) -> None:
    def stop(steps: int, known: str | None = None) -> None:  # noqa: ARG001
        raise KeyboardInterrupt

    task, before = normal_task(9000, 4, 4), set(threading.enumerate())
    with pytest.raises(KeyboardInterrupt):
        rank_sums(task, Effort(engine=engine, executor=Threads(2), advance=stop))
    assert set(threading.enumerate()) <= before
    assert rank_sums(task, Effort(engine=engine, executor=Threads(2))).at_zero.max() == 0


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("rounded", [False, True])
def test_growing_sums_end_with_those_of_all_rows(engine: str, rounded: bool) -> None:
    task = normal_task(6000, 2, 2)
    if rounded:
        cells, counts = np.unique(task.points.round(1), axis=0, return_counts=True)
        field = Field(np.arange(len(cells))[:, None] / len(cells), np.zeros(len(cells)))
        task = replace(
            task, points=cells, sizes=counts, fields=(field,), squares=counts.astype(np.float64)
        )
    *some, last = growing_sums(task, Effort(engine=engine))
    whole = rank_sums(task, Effort(engine=engine))
    assert last.share == 1
    assert sorted(last.searched) == list(range(len(task.points)))
    assert not last.without
    np.testing.assert_allclose(last.sums.products, whole.products, atol=1e-12)
    np.testing.assert_allclose(last.sums.log_squared, whole.log_squared)
    np.testing.assert_allclose(last.sums.local, whole.local, atol=1e-12)
    for drawn in some:
        assert drawn.share == len(drawn.searched) / len(task.points) < 1
        assert len(drawn.without) == 16
        left_out = np.mean([sums.products for sums in drawn.without], axis=0)
        np.testing.assert_allclose(left_out, drawn.sums.products, atol=0.01)


@pytest.mark.parametrize("engine", ENGINES)
def test_progress_counts_every_row_once(engine: str) -> None:
    task = normal_task(1800, 2, 2)
    task = replace(task, sizes=np.arange(1800) % 3 + 1)
    done: list[int] = []

    def advance(steps: int, known: str | None = None) -> None:  # noqa: ARG001
        done.append(steps)

    rank_sums(task, Effort(engine=engine, advance=advance))
    assert sum(done) == task.sizes.sum()
    list(growing_sums(task, Effort(engine=engine, advance=advance)))
    assert sum(done) == 2 * task.sizes.sum()


@pytest.mark.parametrize("columns", [4, 12])
def test_a_time_limit_does_not_wait_for_a_compiler(columns: int) -> None:
    task = normal_task(700_000 // columns, columns, 2)
    seconds = MEASURED_COSTS.compiling - 1

    def is_plain(left: float, *, kept: bool) -> bool:
        engine = fastest_engine(task, ALL_CORES, loaded=False, kept=kept, seconds_left=left)
        return isinstance(engine, PlainSums)

    assert is_plain(seconds, kept=False)
    assert not is_plain(seconds, kept=True)
    assert not is_plain(seconds + 2, kept=False)


def test_machine_code_is_kept_unless_its_source_is_newer(tmp_path: Path) -> None:
    source = tmp_path / "sums.py"
    source.write_text("def add(a):\n    return a\n")
    scope: dict[str, Any] = {}
    exec(compile(source.read_text(), str(source), "exec"), scope)
    stats = SimpleNamespace(cache_path=str(tmp_path))
    kernel = SimpleNamespace(stats=stats, py_func=scope["add"], overloads={})
    index = tmp_path / "sums.add-1.py311.nbi"
    assert not is_kept(kernel)
    index.touch()
    assert is_kept(kernel)
    os.utime(index, (0, 0))
    assert not is_kept(kernel)
    stats.cache_path = None
    assert not is_kept(kernel)


def test_growing_sums_end_when_time_is_up() -> None:
    effort = Effort(engine="scipy", deadline=time.monotonic())
    assert len(list(growing_sums(normal_task(6000, 2, 2), effort))) == 1


def test_growing_sums_ask_no_more_than_there_is_time_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """A row takes a millisecond of a clock that only the rows move on."""
    clock = [0.0]

    def advance(steps: int, known: str | None = None) -> None:  # noqa: ARG001
        clock[0] += steps / 1000

    monkeypatch.setattr("time.monotonic", lambda: clock[0])
    effort = Effort(engine="scipy", executor=Threads(1), deadline=5.0, advance=advance)
    searched = [len(drawn.searched) for drawn in growing_sums(normal_task(12_000, 2, 2), effort)]
    assert searched[0] == 4096
    assert searched[1:] == pytest.approx([5000], abs=1)


@pytest.mark.parametrize("engine", ENGINES)
def test_squared_distances_below_the_normal_numbers_have_their_logarithm(engine: str) -> None:
    points = np.array([[0.0], [1e-155], [1.0], [2.5]])
    found, _ = sums_of(points, np.ones((4, 1)), ranks=1, engine=engine)
    logs = [2 * np.log(1e-155), 2 * np.log(1e-155), 0.0, 2 * np.log(1.5)]
    assert found.log_squared[0] == pytest.approx(np.mean(logs), rel=1e-6)


@pytest.mark.parametrize("rows", [1, 2, 3, 7, 27, 3000])
@pytest.mark.parametrize("power", [-1000, -120, -59, 0, 59, 120, 1000])
def test_logarithms_of_many_numbers_sum_up_without_overflow(rows: int, power: int) -> None:
    values = np.ldexp([[1.1, 1.3, 1.9]], power).repeat(rows, axis=0)
    np.testing.assert_allclose(log_sums(values), rows * np.log(values[0]))
