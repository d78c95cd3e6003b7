from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from bayesfloor.base.executor import ONE_THREAD
from bayesfloor.two_sample.new_rows import column_gaps, find_new_rows, nearest_rows


@pytest.mark.parametrize("d", [2, 9])
def test_nearest_rows_are_those_of_brute_force(d: int) -> None:
    rng = np.random.default_rng(0)
    old, new = rng.normal(size=(70, d)), rng.normal(size=(40, d))
    distance, found = nearest_rows(new, old, ONE_THREAD)
    table = cdist(new, old)
    np.testing.assert_allclose(distance, table.min(axis=1))
    np.testing.assert_array_equal(found, table.argmin(axis=1))
    among, _ = nearest_rows(old, old, ONE_THREAD, skip_self=True)
    table = cdist(old, old)
    np.fill_diagonal(table, np.inf)
    np.testing.assert_allclose(among, table.min(axis=1))


def test_copies_are_each_others_neighbours() -> None:
    old = np.repeat([[0.0, 0.0], [1.0, 1.0]], 3, axis=0)
    distance, found = nearest_rows(old, old, ONE_THREAD, skip_self=True)
    assert distance.tolist() == [0.0] * 6
    assert (found != np.arange(6)).all()


@pytest.mark.parametrize("d", [2, 20])
def test_rows_far_from_all_old_rows_are_found_and_no_others(d: int) -> None:
    rng = np.random.default_rng(1)
    old, new = rng.normal(size=(400, d)), rng.normal(size=(200, d))
    new[7:17, 0] = 30
    found = find_new_rows(old, new)
    assert set(range(7, 17)) <= set(found.rows.tolist())
    false = len(found.rows) - 10  # a fifth of all on average, so 2.5 beside 10; four deviations
    assert false <= 2.5 + 4 * np.sqrt(2.5)
    assert (found.distance[:5] > 3).all()


def test_alike_rows_are_seldom_called_new() -> None:
    """Under the null, any call is false: its chance is the share that may be false, 20 %."""
    rng = np.random.default_rng(2)
    called = [
        len(find_new_rows(rng.normal(size=(150, 2)), rng.normal(size=(100, 2))).rows) > 0
        for _ in range(100)
    ]
    assert np.mean(called) <= 0.2 + 4 * np.sqrt(0.2 * 0.8 / 100)


def test_gaps_within_columns_by_hand() -> None:
    old = np.array([[0.0, 5.0], [1.0, 5.0], [3.0, 5.0]])
    of_old, of_new = column_gaps(old, np.array([[2.0, 5.0], [9.0, 5.0], [1.0, 6.0]]))
    assert of_old.tolist() == [1.0, 1.0, 2.0]
    assert of_new.tolist() == [1.0, 6.0, 1.0]
