from __future__ import annotations

from math import comb

import numpy as np
import pytest

from bayesfloor.two_sample.permutations import (
    cell_counts,
    compare_with_permuted,
    is_complete,
    labellings,
)


def test_all_labellings_are_tried_where_there_are_few() -> None:
    blocks = list(labellings(10, 4, 999, seed=0))
    labels = np.hstack(blocks)
    assert labels.shape == (10, comb(10, 4))
    assert (labels.sum(axis=0) == 4).all()
    assert len({tuple(column) for column in labels.T}) == comb(10, 4)
    assert is_complete(10, 4, 999)
    assert not is_complete(13, 5, 999)


def test_many_labellings_are_drawn_with_as_many_new_rows_each() -> None:
    labels = np.hstack(list(labellings(40, 7, 250, seed=3)))
    assert labels.shape == (40, 250)
    assert (labels.sum(axis=0) == 7).all()
    again = np.hstack(list(labellings(40, 7, 250, seed=3)))
    np.testing.assert_array_equal(labels, again)
    assert np.unique(labels, axis=1).shape[1] > 240
    chosen = labels.mean(axis=1)  # every row is chosen alike: 7/40, four standard errors
    assert np.abs(chosen - 7 / 40).max() < 4 * np.sqrt(7 / 40 * 33 / 40 / 250)


def test_p_values_by_hand() -> None:
    permuted = np.array([0.0, 1.0, 2.0, 2.0 + 1e-12, 5.0])
    found = compare_with_permuted(2.0, permuted, complete=False)
    assert (found.greater, found.tied, found.total) == (1, 3, 6)
    assert found.p_value == pytest.approx(4 / 6)
    assert found.p_value_mid == pytest.approx(2.5 / 6)
    assert 1 / 6 <= found.randomised(np.random.default_rng(0)) <= 4 / 6
    assert compare_with_permuted(9.0, permuted, complete=False).p_value == pytest.approx(1 / 6)
    assert compare_with_permuted(5.0, permuted, complete=True).p_value == pytest.approx(1 / 5)


@pytest.mark.parametrize("sizes", [[1] * 30, [3, 1, 2] * 5, [20, 40, 30]])
def test_new_rows_of_cells_have_the_moments_of_permuted_rows(sizes: list[int]) -> None:
    """Single rows, some copies, and mostly copies, which are drawn in another way."""
    cells, count, n = np.array(sizes), 2000, sum(sizes)
    new = n // 3
    counts = np.hstack(list(cell_counts(cells, new, count, seed=1))).astype(float)
    assert counts.shape == (len(cells), count)
    assert (counts.sum(axis=0) == new).all()
    q = new / n
    variance = cells * q * (1 - q) * (n - cells) / (n - 1)  # hypergeometric
    assert np.abs(counts.mean(axis=1) - cells * q).max() < 4.5 * np.sqrt(variance.max() / count)
    np.testing.assert_allclose(counts.var(axis=1), variance, rtol=4.5 * np.sqrt(2 / count) + 0.1)


def test_all_labellings_of_cells_are_tried_where_there_are_few() -> None:
    counts = np.hstack(list(cell_counts(np.array([2, 3, 1]), 2, 99, seed=0)))
    found, times = np.unique(counts, axis=1, return_counts=True)
    ways = [comb(2, a) * comb(3, b) * comb(1, c) for a, b, c in found.T]
    assert times.tolist() == ways
