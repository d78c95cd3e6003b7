from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bayesfloor.base.arrays import Floats
from bayesfloor.neighbours.kernels.selection import ABOVE_ALL_KEYS, find_bound, select

KINDS: dict[str, Callable[[np.random.Generator, tuple[int, int]], Floats]] = {
    "apart": lambda rng, shape: rng.random(shape),
    "tied": lambda rng, shape: np.floor(3 * rng.random(shape)),
    "equal": lambda _, shape: np.full(shape, 2.5),
    "zero": lambda _, shape: np.zeros(shape),
    "of all magnitudes": lambda rng, shape: np.exp(rng.uniform(-690, 23, shape)),
    "below zero": lambda rng, shape: rng.random(shape) - 0.3,
    "not normal": lambda rng, shape: np.where(rng.random(shape) < 0.5, 0, 1e-320),
}


def sorted_keys(rough: Floats, rows: np.ndarray, index_mask: int) -> np.ndarray:
    keys = np.maximum(rough.view(np.int64), 0) & ~np.int64(index_mask)
    keys |= np.arange(rough.shape[1])
    keys[np.arange(len(rows)), rows] = ABOVE_ALL_KEYS
    return np.sort(keys, axis=1)


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_the_least_numbers_of_each_row_are_picked(kind: str, data: st.DataObject) -> None:
    u = data.draw(st.integers(2, 300))
    b, count = data.draw(st.integers(1, min(u, 9))), data.draw(st.integers(1, u - 1))
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    rough, rows = KINDS[kind](rng, (b, u)), rng.permutation(u)[:b]
    index_mask = (1 << u.bit_length()) - 1
    expected = sorted_keys(rough.copy(), rows, index_mask)[:, :count]
    near = np.empty((b, count + data.draw(st.integers(1, 20))), dtype=np.int64)
    select(rough, rows, count, index_mask, near)
    near.sort(axis=1)
    np.testing.assert_array_equal(near[:, :count], expected)
    kept = (near != ABOVE_ALL_KEYS).sum(axis=1)
    assert (kept <= near.shape[1] - 1).all()


def test_a_bound_is_found_from_any_guess_among_numbers_that_differ_in_their_last_bits() -> None:
    keys = np.concatenate([2**62 + np.arange(200), 2**40 + np.arange(5)])
    for guess in (0, 2**30, 2**62, 2**62 + 100, 2**62 + 2**54):
        bound, _ = find_bound(keys, 40, 40, guess, 2.0**51)
        assert (keys <= bound).sum() == 40
