from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import bayesfloor as bf
from bayesfloor.base.arrays import Floats, Ints
from bayesfloor.comparison.shared_noise import SharedNoise, errors_of_copies, shared_error
from bayesfloor.comparison.sides import Side, paired_differences, unpaired_differences
from bayesfloor.sample.distinct_points import make_cells
from bayesfloor.sample.gate import make_sample

few_cells = arrays(np.int64, 12, elements=st.integers(0, 3))


@given(few_cells, few_cells, arrays(np.float64, 12, elements=st.floats(-1, 1, width=16)))
def test_rows_that_share_a_cell_of_either_rule_vary_together(
    first: Ints, second: Ints, values: Floats
) -> None:
    apart = values - values.mean()
    near = (first[:, None] == first) | (second[:, None] == second)
    together = float(apart @ near @ apart)
    expected = np.sqrt(max(together, float(apart @ apart))) / 12
    nothing = np.zeros(12)
    found = shared_error(values, *(SharedNoise(c, nothing, None) for c in (first, second)))
    assert found == pytest.approx(expected, abs=1e-9)


def test_only_rows_that_tell_the_rules_apart_add_variance() -> None:
    values, rows = np.array([0.0, 0.0, 1.0, -1.0]), np.arange(4)
    plain, agreeing, differing = (
        SharedNoise(rows, np.array(added), None)
        for added in ([0.0] * 4, [3.0, 3.0, 0.0, 0.0], [0.0, 0.0, 3.0, 3.0])
    )
    base = shared_error(values, plain, plain)
    assert shared_error(values, agreeing, plain) == pytest.approx(base)
    assert shared_error(values, plain, differing) == pytest.approx(2 * base)


def draw_grid(seed: int, n: int = 400) -> tuple[Floats, Ints]:
    """Draw rows of few different values, whose second column tells little."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 3, (n, 3)).astype(float)
    return X, (rng.random(n) < 0.3 + 0.2 * X[:, 0] + 0.05 * X[:, 1]).astype(np.int64)


def test_errors_of_copies_do_not_depend_on_the_order_of_rows() -> None:
    X, y = draw_grid(0)
    order = np.random.default_rng(1).permutation(len(y))
    sample, turned = make_sample(X, y), make_sample(X[order], y[order])
    posterior = np.full((len(y), 2), 0.5)
    found, other = (errors_of_copies(one, posterior, make_cells(one)) for one in (sample, turned))
    np.testing.assert_allclose(found[order], other)


def test_errors_of_copies_are_those_of_rules_learned_on_four_fifths() -> None:
    counts = np.array([[8, 8], [9, 7], [12, 3]])
    X = np.repeat(np.arange(3.0), counts.sum(axis=1))[:, None]
    y = np.concatenate([np.repeat([0, 1], pair) for pair in counts])
    sample = make_sample(X, y)
    found = errors_of_copies(sample, np.full((len(y), 2), 0.5), make_cells(sample))
    rng = np.random.default_rng(0)
    for cell, pair in enumerate(counts):
        for label in (0, 1):
            others = pair - (np.arange(2) == label)
            drawn = rng.binomial(others, 0.8, size=(200_000, 2))
            lead = drawn[:, label] - drawn[:, 1 - label]
            expected = np.mean((lead < 0) + 0.5 * (lead == 0))
            rows = (X[:, 0] == cell) & (y == label)
            draws = 20 * rows.sum()
            assert found[rows].std() < 1e-12
            assert abs(found[rows][0] - expected) < 4 * 0.5 / draws**0.5


def test_the_noise_of_errors_in_tables_of_few_values_is_that_of_other_samples() -> None:
    found = [
        bf.compare({"two": X[:, :2], "three": X}, y).differences["three"].held_out
        for X, y in map(draw_grid, range(24))
    ]
    claimed = np.mean([np.ptp(one.interval) / 3.92 for one in found])
    seen = np.std([one.value for one in found])
    assert 0.6 < seen / claimed < 1.4  # a spread of 24 is known to a seventh


def test_rows_of_a_group_count_as_one_where_all_say_the_same() -> None:
    rng, groups = np.random.default_rng(0), np.repeat(np.arange(90), 10)
    loss, wrong = rng.uniform(size=90)[groups], rng.integers(0, 2, 90)[groups].astype(float)
    found = []
    for of_row in (groups, None):
        noise = SharedNoise(np.arange(900), np.zeros(900), of_row)
        sides = Side(loss, wrong, None, None, noise), Side(0 * loss, 0 * wrong, None, None, noise)
        found.append([paired_differences(*sides, 0.95), unpaired_differences(*sides, 0.95)])
    for grouped, alone in zip(*found, strict=True):
        for one, other in ((grouped.mismatch, alone.mismatch), (grouped.floor, alone.floor)):
            assert np.ptp(one.interval) / np.ptp(other.interval) == pytest.approx(10**0.5, rel=0.03)
