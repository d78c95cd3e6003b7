from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from bayesfloor.base.p_values import holm
from bayesfloor.two_sample.column_profiles import ColumnValues, column_profile, short_number
from bayesfloor.two_sample.columns import column_features, compare_columns

LABELS = np.repeat([0, 1], [120, 80])


def columns_of(seed: int, moved: float = 0.0) -> list[ColumnValues]:
    rng = np.random.default_rng(seed)
    numbers = rng.normal(size=200) + moved * LABELS
    holes = np.where(rng.uniform(size=200) < 0.2, np.nan, rng.integers(0, 5, 200))
    texts = rng.integers(0, 3, 200).astype(float)
    return [
        ColumnValues("numbers", numbers),
        ColumnValues("holes", holes),
        ColumnValues("texts", texts, ["a", "b", "c"]),
        ColumnValues("constant", np.ones(200)),
    ]


def test_texts_have_pearsons_chi_squared_test() -> None:
    column = columns_of(0)[2]
    counts = np.array([np.bincount(column.values[c == LABELS].astype(int)) for c in (0, 1)])
    expected = stats.chi2_contingency(counts, correction=False)
    (found,) = compare_columns([column], LABELS, permutations=0)
    # the exact variance over permutations has n - 1 in the place of n
    statistic = expected.statistic * 199 / 200
    assert found.p_value == pytest.approx(stats.chi2.sf(statistic, 2))


def test_features_of_a_column_are_orthonormal_and_leave_out_what_adds_nothing() -> None:
    sizes = [column_features(column).shape[1] for column in columns_of(0)]
    assert sizes == [4, 5, 2, 0]
    for column in columns_of(0):
        found = column_features(column)
        np.testing.assert_allclose(found.T @ found, np.eye(found.shape[1]), atol=1e-9)
        np.testing.assert_allclose(found.sum(axis=0), 0, atol=1e-9)


@pytest.mark.parametrize("permutations", [0, 199])
def test_the_column_that_moved_is_named_first(permutations: int) -> None:
    found = compare_columns(columns_of(1, moved=1.0), LABELS, permutations=permutations)
    assert found[0].name == "numbers"
    assert found[0].adjusted <= 0.005
    assert found[0].change.startswith("mean ")
    assert all(found[0].adjusted <= column.adjusted for column in found)
    assert found[-1].name == "constant"
    assert found[-1].adjusted == 1
    assert found[-1].change == "the same value everywhere"


@pytest.mark.parametrize("permutations", [0, 99])
def test_alike_columns_are_called_moved_in_few_samples(permutations: int) -> None:
    """The chance that any is called is 5 %; the bound is that plus four standard errors."""
    false = [
        compare_columns(columns_of(seed), LABELS, permutations=permutations)[0].adjusted <= 0.05
        for seed in range(100)
    ]
    assert np.mean(false) <= 0.05 + 4 * np.sqrt(0.05 * 0.95 / 100)


def test_what_changed_is_told() -> None:
    rng = np.random.default_rng(0)
    wider = ColumnValues("w", rng.normal(size=200) * (1 + 2 * LABELS))
    gaps = ColumnValues("g", np.where(LABELS * rng.uniform(size=200) > 0.5, np.nan, 1.0))
    texts = ColumnValues("t", LABELS.astype(float), ["no", "yes"])
    changes = {
        c.name: c.change for c in compare_columns([wider, gaps, texts], LABELS, permutations=0)
    }
    assert changes["w"].startswith("spread 0.9")
    assert changes["g"].startswith("missing 0% → ")
    assert changes["t"] == "no 100% → 0%"


def test_profiles_hold_all_rows() -> None:
    for column in columns_of(2):
        profile = column_profile(column, LABELS)
        assert len(profile.values) == len(profile.old) == len(profile.new) <= 13
        assert sum(profile.old) == pytest.approx(1)
        assert sum(profile.new) == pytest.approx(1)
    many = ColumnValues("many", np.arange(200.0) % 30, [str(t) for t in range(30)])
    assert column_profile(many, LABELS).values[-1] == "others"
    empty = ColumnValues("empty", np.full(200, np.nan))
    assert column_profile(empty, LABELS).values == ("missing",)


def test_numbers_and_adjusted_p_values_by_hand() -> None:
    assert short_number(1234567.8) == "1234568"
    assert holm(np.array([0.02, 0.02])).tolist() == [0.04, 0.04]
