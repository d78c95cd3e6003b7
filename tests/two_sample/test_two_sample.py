from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy import stats

import bayesfloor as bf
from bayesfloor.sample.gate import make_pair
from bayesfloor.two_sample.classifier import run_classifier_test
from bayesfloor.two_sample.record import ALIKE, DIFFER, MAY_DIFFER


@pytest.fixture(scope="module")
def moved() -> bf.TwoSampleTest:
    rng = np.random.default_rng(0)
    old, new = rng.normal(size=(150, 3)), rng.normal(size=(120, 3))
    new[:, 1] += 1
    new[:6] += 9
    return bf.two_sample_test(old, new)


def test_samples_that_differ_are_told_with_columns_and_rows(moved: bf.TwoSampleTest) -> None:
    assert moved.verdict == DIFFER
    assert moved.p_value == 0.001
    assert moved.columns[0].name == "column 1"
    assert "column 1" in {column.name for column in moved.moved}
    assert {row.row for row in moved.new_rows} >= set(range(6))
    assert moved.classifier is not None
    assert moved.classifier.p_value < 0.01
    assert moved.classifier.auc > 0.6
    low, high = moved.divergence.interval
    assert 0 < low < high < 1
    assert "differ" in repr(moved)
    assert "p = 0.001" in str(moved)


def test_the_record_becomes_json(moved: bf.TwoSampleTest) -> None:
    made = json.loads(json.dumps(moved.to_dict()))
    assert made["verdict"] == DIFFER
    assert made["neighbours"]["permutations"] == 1000
    assert made["new_rows"][0]["nearest"] < 150
    assert len(made["columns"]) == 3


def test_alike_samples_are_not_told_apart() -> None:
    rng = np.random.default_rng(5)
    found = bf.two_sample_test(rng.normal(size=(90, 2)), rng.normal(size=(60, 2)))
    assert found.verdict == ALIKE
    assert found.moved == ()
    assert found.divergence.interval[0] == 0
    assert found.headline.startswith("No difference found between the rows of X and Y")


def test_mixed_tables_are_read_together() -> None:
    rng = np.random.default_rng(1)
    old = pl.DataFrame(
        {
            "size": rng.normal(size=200),
            "city": rng.choice(["Rome", "Bonn"], 200),
            "id": np.arange(200),
            "outcome": rng.choice(["a", "b"], 200),
        }
    )
    new = pl.DataFrame(
        {
            "city": rng.choice(["Rome", "Bonn"], 100, p=[0.9, 0.1]),
            "size": rng.normal(size=100),
            "id": np.arange(200, 300),
        }
    )
    found = bf.two_sample_test(old, new, drop="outcome")
    assert [column.name for column in found.moved] == ["city"]
    assert found.moved[0].change.startswith("Bonn ")
    assert found.names == ("the old table", "the new table")
    assert any("'id'" in note for note in found.notes)
    assert {column.name for column in found.columns} == {"size", "city"}
    with pytest.raises(bf.DataError, match="the new table: no column 'outcome', which"):
        bf.two_sample_test(old, new)
    with pytest.raises(bf.DataError, match="no column 'outcom'"):
        bf.two_sample_test(old, new, drop=["outcome", "outcom"])


def test_rows_that_are_left_out_keep_the_numbers_of_the_others() -> None:
    rng = np.random.default_rng(1)
    old = pl.DataFrame({"x": [None, *rng.normal(size=99)], "y": rng.normal(size=100)})
    new = pl.DataFrame({"x": [None, None, *rng.normal(size=58)], "y": rng.normal(size=60)})
    new = new.with_columns(
        pl.when(pl.int_range(60).is_between(10, 17))
        .then(99.0 + pl.int_range(60))
        .otherwise("y")
        .alias("y")
    )
    found = bf.two_sample_test(old, new, missing="drop", permutations=0)
    assert found.new_rows_total == 58
    assert sorted(row.row for row in found.new_rows[:8]) == list(range(10, 18))


def test_unusable_input_is_refused_in_one_sentence() -> None:
    x = np.zeros((5, 2))
    with pytest.raises(bf.DataError, match="X has 2 columns and Y has 3"):
        bf.two_sample_test(x, np.zeros((4, 3)))
    with pytest.raises(bf.DataError, match="permutations is -1"):
        bf.two_sample_test(x, x, permutations=-1)
    with pytest.raises(bf.DataError, match="drop= is for files and data frames"):
        bf.two_sample_test(x, x, drop="a")
    with pytest.raises(bf.DataError, match="confidence is 2"):
        bf.two_sample_test(x, x, confidence=2)


def test_a_handful_of_equal_rows_is_no_difference() -> None:
    found = bf.two_sample_test([[0.0], [0.0], [1.0]], [[0.0], [1.0]])
    assert found.classifier is None
    assert found.verdict == ALIKE
    assert found.neighbours.permutation is not None
    assert found.neighbours.permutation.complete


def test_many_rows_take_the_normal_limit() -> None:
    rng = np.random.default_rng(0)
    found = bf.two_sample_test(
        rng.normal(size=(300, 2)), rng.normal(0.6, 1, size=(300, 2)), permutations=0
    )
    assert found.neighbours.permutation is None
    assert found.p_value < 1e-6
    assert "normal limit" in str(found)


def test_the_classifier_test_is_uniform_if_samples_are_alike_and_finds_differences() -> None:
    """Three learners on 60 rows; 0.001 is the chance of a false alarm."""
    p_values = []
    for r in range(12):
        rng = np.random.default_rng([3, r])
        found = run_classifier_test(make_pair(rng.normal(size=(30, 2)), rng.normal(size=(30, 2))))
        assert found is not None
        p_values.append(found.p_value)
    assert stats.kstest(p_values, "uniform").pvalue > 0.001
    x, y = rng.normal(size=(100, 2)), rng.normal(1, 1, size=(100, 2))
    found = run_classifier_test(make_pair(x, y))
    assert found is not None
    assert found.p_value < 1e-4
    # the best classifier has an area of Φ(1): five standard errors of 160 scored rows
    assert found.auc == pytest.approx(stats.norm.cdf(1), abs=5 * 0.035)


def test_only_a_classifier_may_find_a_difference(moved: bf.TwoSampleTest) -> None:
    from dataclasses import replace

    calm = replace(moved.neighbours, permutation=None, normal_p_value=0.4)
    found = replace(moved, neighbours=calm)
    assert found.verdict == MAY_DIFFER
    assert "a classifier finds a difference" in found.headline
    assert replace(found, classifier=None).verdict == ALIKE


def test_the_page_is_complete_and_escapes_what_it_shows(
    moved: bf.TwoSampleTest, tmp_path: Path
) -> None:
    from dataclasses import replace

    texts = ('a"]', "b'\\", "<script>", "{}")
    profile = replace(moved.columns[0].profile, values=texts, old=(0.25,) * 4, new=(0.25,) * 4)
    wicked = replace(moved.columns[0], name="<script>alert(1)</script>", profile=profile)
    page = tmp_path / "page.html"
    replace(moved, columns=(wicked, *moved.columns[1:])).report(page)
    text = page.read_text(encoding="utf-8")
    assert "The rows of Y differ from those of X (p = 0.001)" in text
    assert "<script" not in text
    assert "&lt;script&gt;" in text
    assert text.count("<svg") >= 2
    with pytest.raises(bf.DataError, match="a page is HTML"):
        moved.report(tmp_path / "page.txt")
