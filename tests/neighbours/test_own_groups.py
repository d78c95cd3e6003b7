"""Rows of one's own group are no neighbours, whichever engine searches."""

from __future__ import annotations

import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from bayesfloor.base.arrays import Floats, Ints
from bayesfloor.neighbours import ENGINES
from bayesfloor.neighbours.spanning_tree import cross_edges, spanning_edges
from oracles import shared_ranks
from searched_sums import assert_matches_brute_force, sums_of
from tied_points import tied_points

SHAPES = [(200, 2, 30), (250, 12, 90), (100, 3, 2), (300, 1, 5)]
"""Rows, columns and groups."""


def ranks_of(groups: Ints) -> int:
    return len(groups) - int(np.bincount(groups).max())


@pytest.mark.parametrize("engine", ENGINES)
@settings(max_examples=40, deadline=None)
@given(points=tied_points(), data=st.data())
def test_grids_full_of_ties_match_brute_force(
    engine: str, points: Floats, data: st.DataObject
) -> None:
    n = len(points)
    groups = data.draw(arrays(np.int64, n, elements=st.integers(0, max(n // 2, 1))))
    groups = np.unique(groups, return_inverse=True)[1]
    most = ranks_of(groups)
    if most == 0:
        return
    labels = data.draw(arrays(np.int64, n, elements=st.integers(0, 2)))
    ranks = data.draw(st.integers(1, most))
    assert_matches_brute_force(points, np.eye(3)[labels], ranks, engine, groups=groups)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("kind", ["spread", "together", "copied"])
@pytest.mark.parametrize(("n", "d", "count"), SHAPES)
def test_groups_of_any_shape_match_brute_force(
    engine: str, kind: str, n: int, d: int, count: int
) -> None:
    rng = np.random.default_rng([n, d])
    groups = np.concatenate([np.arange(count), rng.integers(0, count, n - count)])
    points = rng.normal(size=(n, d))
    if kind == "together":
        points = rng.normal(size=(count, d))[groups] + 1e-3 * points
    if kind == "copied":
        points = points[rng.integers(0, n // 3, n)]
    points -= points[0]
    ranks = min(60, ranks_of(groups))
    assert_matches_brute_force(points, rng.normal(size=(n, 2)), ranks, engine, 1e-9, groups)


@pytest.mark.parametrize("engine", ENGINES)
def test_sums_around_rows_leave_out_their_group(engine: str) -> None:
    rng = np.random.default_rng(1)
    groups, points = rng.integers(0, 20, 200), rng.normal(size=(200, 2)).round(1)
    vectors = rng.normal(size=(200, 2))
    found, of_row = sums_of(points, vectors, ranks=30, near=7, engine=engine, groups=groups)
    for c in range(2):
        values = np.broadcast_to(vectors[:, c], (200, 200))
        near = shared_ranks(points, values, 7, groups)[0].sum(axis=1)
        np.testing.assert_allclose(found.local[of_row, c], near, atol=1e-9)


@pytest.mark.parametrize(("engine", "d"), [("tree", 2), ("blocks", 20), ("few", 20)])
def test_groups_cost_little_time(engine: str, d: int) -> None:
    rng = np.random.default_rng(2)
    points, vectors = rng.normal(size=(5000, d)), rng.normal(size=(5000, 2))
    groups = np.arange(5000) // 10

    def seconds(groups: Ints | None) -> float:
        best = np.inf
        for _ in range(4):
            start = time.process_time()
            sums_of(points, vectors, ranks=190, near=50, engine=engine, groups=groups)
            best = min(best, time.process_time() - start)
        return best

    seconds(groups)  # compiles
    assert seconds(groups) < 1.5 * seconds(None)


def test_a_tree_without_edges_inside_groups_by_hand() -> None:
    points = np.array([[0.0], [1.0], [2.0], [10.0]])
    groups, labels = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
    # Edges of 1 (1–2), 2 (0–2) and 9 (1–3); 0–1 and 2–3 would be shorter.
    assert cross_edges(points, labels, 2, groups=groups) == 1
    assert cross_edges(points, np.array([0, 1, 1, 0]), 2, groups=groups) == 2


def test_equal_rows_of_several_groups_share_their_edges() -> None:
    # Rows a, b of one group and c of another, at one point: the edges are a–c and b–c.
    labels, groups = np.array([0, 1, 1]), np.array([0, 0, 1])
    assert cross_edges(np.ones((3, 2)), labels, 2, groups=groups) == pytest.approx(1)
    # Without groups any of three trees has two of three edges, two of which differ.
    assert cross_edges(np.ones((3, 2)), labels, 2) == pytest.approx(4 / 3)


def drawn_tree(points: Floats, groups: Ints, rng: np.random.Generator) -> Ints:
    """Draw a shortest tree without edges inside groups, ties at one point broken at random.

    Rows at one point are joined by a walk of Aldous and Broder, all others by Kruskal.
    """
    n = len(points)
    parent = np.arange(n)

    def root(a: int) -> int:
        while parent[a] != a:
            a = int(parent[a])
        return a

    edges = []
    for place in np.unique(points, axis=0):
        here = np.flatnonzero((points == place).all(axis=1))
        if len(np.unique(groups[here])) == 1:
            continue
        at, seen = int(rng.choice(here)), set()
        seen.add(at)
        while len(seen) < len(here):
            to = int(rng.choice(here[groups[here] != groups[at]]))
            if to not in seen:
                seen.add(to)
                edges.append((at, to))
                parent[root(to)] = root(at)
            at = to
    a, b = np.triu_indices(n, 1)
    allowed = groups[a] != groups[b]
    a, b = a[allowed], b[allowed]
    squared = ((points[a] - points[b]) ** 2).sum(axis=1)
    for e in np.lexsort((rng.random(len(a)), squared)):
        if root(a[e]) != root(b[e]):
            parent[root(b[e])] = root(a[e])
            edges.append((int(a[e]), int(b[e])))
    return np.array(edges)


def test_the_expected_tree_is_the_mean_of_drawn_ones() -> None:
    rng = np.random.default_rng(3)
    places = rng.normal(size=(9, 2))  # no two distances are equal
    cell = np.array([0, 0, 0, 0, 1, 1, 1, 2, 2, 3, 4, 5, 5, 6, 7, 8])
    groups = np.array([0, 0, 1, 2, 0, 0, 3, 3, 3, 1, 1, 4, 4, 0, 2, 2])
    labels = rng.integers(0, 3, len(cell))
    drawn = [drawn_tree(places[cell], groups, rng) for _ in range(2000)]
    counts = [(labels[one[:, 0]] != labels[one[:, 1]]).sum() for one in drawn]
    error = np.std(counts) / np.sqrt(len(counts))
    found = cross_edges(places[cell], labels, 3, groups=groups)
    assert abs(found - np.mean(counts)) < 4 * error
    assert len({len(one) for one in drawn}) == 1


@pytest.mark.parametrize("d", [2, 10])
def test_both_algorithms_find_the_same_tree(d: int) -> None:
    rng = np.random.default_rng(d)
    for kind in (3, 50):
        points = np.unique(rng.normal(size=(400, d)).round(1 if d == 2 else 5), axis=0)
        colours = rng.integers(-1, kind, len(points))
        plain = spanning_edges(points, colours=colours, compiled_from=10**9)
        np.testing.assert_array_equal(
            spanning_edges(points, colours=colours, compiled_from=0), plain
        )
        same = (colours[plain[:, 0]] == colours[plain[:, 1]]) & (colours[plain[:, 0]] >= 0)
        assert not same.any()


@settings(max_examples=40, deadline=None)
@given(data=st.data(), n=st.integers(4, 25))
def test_names_of_groups_do_not_change_the_tree(data: st.DataObject, n: int) -> None:
    points = data.draw(arrays(np.float64, (n, 2), elements=st.integers(0, 3).map(float)))
    groups = np.r_[0, 1, data.draw(arrays(np.int64, n - 2, elements=st.integers(0, 3)))]
    labels = data.draw(arrays(np.int64, n, elements=st.integers(0, 1)))
    found = cross_edges(points, labels, 2, groups=groups)
    assert cross_edges(points, labels, 2, groups=3 - groups) == pytest.approx(found)
    assert 0 <= found <= n - 1
