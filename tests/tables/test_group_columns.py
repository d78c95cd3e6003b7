from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from bayesfloor.tables.group_columns import SAME_LABEL, looks_like_groups
from bayesfloor.tables.leaks import SKETCH_ROWS, column_divergence

PATIENTS = np.arange(600) // 6  # six rows each
LABELS = (PATIENTS * 7 % 10 < 5).astype(int)
SPREAD = np.random.default_rng(0).integers(0, 10**12, 100)  # numbers of patients, far apart


@pytest.mark.parametrize(
    "values",
    [PATIENTS + 1.0, PATIENTS - 50.0, SPREAD[PATIENTS].astype(float)],
    ids=["from 1", "below 0", "far apart"],
)
def test_numbers_of_patients_look_like_groups(values: np.ndarray) -> None:
    assert looks_like_groups(pl.Series("patient", values), LABELS)


def test_names_look_like_groups_also_where_some_no_longer_occur() -> None:
    names = [f"patient {number:03d}" for number in range(150)]
    column = pl.Series([names[number + 20] for number in PATIENTS], dtype=pl.Enum(names))
    assert looks_like_groups(column, LABELS)


def test_fractions_dates_missing_values_and_free_texts_are_no_groups() -> None:
    fraction = np.where(np.arange(600) < 590, PATIENTS, 0.5)  # beyond the first rows
    missing = pl.Series([None, *PATIENTS[1:].astype(float)])
    assert not looks_like_groups(pl.Series(fraction), LABELS)
    assert not looks_like_groups(missing, LABELS)
    assert not looks_like_groups(pl.Series([f"{j}" for j in range(600)]), LABELS)
    assert not looks_like_groups(pl.Series([], dtype=pl.Float64), LABELS[:0])


def test_a_fraction_after_many_whole_numbers_is_seen() -> None:
    patients, labels = np.tile(PATIENTS, 4).astype(float), np.tile(LABELS, 4)
    assert looks_like_groups(pl.Series(patients), labels)
    assert not looks_like_groups(pl.Series([*patients[:-1], 0.5]), labels)


def test_values_with_both_labels_are_no_groups() -> None:
    labels = np.arange(600) % 2
    assert not looks_like_groups(pl.Series(PATIENTS.astype(float)), labels)


def test_codes_that_do_not_occur_do_not_count() -> None:
    gaps = column_divergence(3 * PATIENTS + 5, LABELS, ordered=False)
    assert gaps == column_divergence(PATIENTS, LABELS, ordered=False)


def test_some_rows_acquit_a_column_before_all_are_looked_at() -> None:
    n = 40 * SKETCH_ROWS
    rng = np.random.default_rng(0)
    ages = rng.integers(18, 90, n).astype(float)
    assert not looks_like_groups(pl.Series(ages), rng.integers(0, 2, n))
    labels = (ages % 2).astype(int)
    assert looks_like_groups(pl.Series(ages), labels)
    labels[::40] = rng.integers(0, 2, SKETCH_ROWS)  # those that are looked at first
    assert column_divergence(ages.astype(int) - 18, labels, ordered=False) > SAME_LABEL
    assert not looks_like_groups(pl.Series(ages), labels)
    wards = (np.arange(n) * 13 % 50).astype(float)
    pure = (wards % 3 == 0).astype(int)
    assert looks_like_groups(pl.Series(wards), pure)  # whatever rows are looked at first
    assert looks_like_groups(pl.Series(np.arange(n) // 4.0 // 1), np.arange(n) // 4 % 2)
