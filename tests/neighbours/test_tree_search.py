"""The search of a tree: leaves are measured right, and no point within a bound is missed."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from bayesfloor.neighbours.kernels.kd_tree import UNBOUNDED
from bayesfloor.neighbours.kernels.nearby_leaves import LEAF_SIZE
from bayesfloor.neighbours.kernels.tree_search import bits_within, measure_leaf, sure_bound


@pytest.mark.parametrize("d", range(1, 10))
def test_distances_to_the_points_of_a_leaf(d: int) -> None:
    rng = np.random.default_rng(d)
    place, tile, squared = (
        rng.normal(size=d),
        rng.normal(size=(d, LEAF_SIZE)),
        np.full(LEAF_SIZE, np.nan),
    )
    measure_leaf(place, tile, squared)
    np.testing.assert_allclose(squared, ((tile - place[:, None]) ** 2).sum(axis=0), rtol=1e-14)


@given(arrays(np.float64, LEAF_SIZE, elements=st.sampled_from([0.0, 1.0, 2.0, 1e300])))
def test_every_point_within_the_bound_has_its_bit(squared: np.ndarray) -> None:
    bits = int(bits_within(squared, 1.0)) % 2**LEAF_SIZE
    assert [bits >> a & 1 for a in range(LEAF_SIZE)] == list((squared <= 1.0).astype(int))


@given(n=st.integers(2, 30), need=st.integers(1, 40), data=st.data())
def test_a_sure_bound_holds_as_many_other_points(n: int, need: int, data: st.DataObject) -> None:
    points = np.random.default_rng(n).integers(0, 4, (n, 2)).astype(float)
    i = data.draw(st.integers(0, n - 1))
    bound = sure_bound(points, i, need)
    squared = np.delete(((points - points[i]) ** 2).sum(axis=1), i)
    assert (squared <= bound).sum() >= min(need, n - 1)
    assert bound < UNBOUNDED or need >= n
