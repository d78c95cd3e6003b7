from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy.stats import norm

import bayesfloor as bf
from bayesfloor.base.arrays import Floats, Ints
from bayesfloor.comparison.column_sets import read_column_sets
from bayesfloor.comparison.joined_tables import join_tables
from bayesfloor.comparison.record import NOT_SHOWN
from bayesfloor.comparison.sides import unpaired_differences
from bayesfloor.tables import ReadOptions


def gaussian(n: int, deltas: list[float], seed: int) -> tuple[Floats, Ints]:
    """Draw two classes whose means differ by these numbers of standard deviations."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    return rng.normal(size=(n, len(deltas))) + y[:, None] * np.array(deltas), y


def bayes_error_of(deltas: list[float]) -> float:
    return float(norm.cdf(-np.linalg.norm(deltas) / 2))


@pytest.fixture(scope="module")
def found() -> bf.Comparison:
    X, y = gaussian(700, [0.8, 0.8, 0.8, 1.2, 0.0], seed=0)
    sets = {"base": X[:, :3], "base + lab": X[:, :4], "base + noise": X[:, [0, 1, 2, 4]]}
    return bf.compare(sets, y)


def test_a_column_that_tells_lowers_the_floor_by_its_worth(found: bf.Comparison) -> None:
    lab = found.differences["base + lab"]
    worth = bayes_error_of([0.8, 0.8, 0.8, 1.2]) - bayes_error_of([0.8, 0.8, 0.8])
    assert lab.verdict == "lower"
    assert lab.floor.interval[0] <= worth <= lab.floor.interval[1] < 0
    assert "lowers the floor against base by" in lab.sentence
    assert next(iter(found.floors)) == "base + lab"


def test_a_column_of_noise_is_not_called_a_difference(found: bf.Comparison) -> None:
    noise = found.differences["base + noise"]
    assert noise.verdict == NOT_SHOWN
    assert noise.floor.interval[0] <= 0 <= noise.floor.interval[1]
    assert noise.adjusted_p >= noise.mismatch.p_value


def test_pairing_makes_intervals_of_overlapping_sets_twice_as_narrow(found: bf.Comparison) -> None:
    base, noise = found.sides["base"], found.sides["base + noise"]
    apart = unpaired_differences(noise, base, 0.95).mismatch
    assert 2 * np.ptp(found.differences["base + noise"].mismatch.interval) < np.ptp(apart.interval)
    times = {"base + noise": 2.0, "base + lab": 1.75}  # errors of rules that differ have noise
    for name, one in found.differences.items():
        widths = sum(np.ptp(found.floors[each].interval) for each in (name, "base"))
        assert times[name] * np.ptp(one.floor.interval) < widths


def test_any_two_sets_can_be_compared_and_turn_the_sign_when_swapped(found: bf.Comparison) -> None:
    one = found.difference("base + lab", "base + noise")
    other = found.difference("base + noise", "base + lab")
    assert one.mismatch.value == pytest.approx(-other.mismatch.value, abs=1e-9)
    assert one.verdict == "lower"
    assert other.verdict == "higher"
    with pytest.raises(bf.DataError, match="there is no set 'x'"):
        found.difference("x", "base")


def test_the_text_and_the_document_say_the_same(found: bf.Comparison) -> None:
    made = found.to_dict()
    assert [one["name"] for one in made["sets"]] == list(found.floors)
    lab = next(one for one in made["sets"] if one["name"] == "base + lab")
    assert lab["against_reference"]["sentence"] in str(found)
    assert made["sets"][[*found.floors].index("base")]["against_reference"] is None
    assert "2 sets are compared: p-values are adjusted" in str(found)


def test_the_page_is_whole_and_escapes_names(tmp_path: Path) -> None:
    X, y = gaussian(300, [1.0, 1.5], seed=1)
    found = bf.compare({"<b>&": X[:, :1], "both": X}, y)
    page = found.report(tmp_path / "page.html").read_text(encoding="utf-8")
    assert "<b>&" not in page
    assert "&lt;b&gt;&amp;" in page
    assert "<script" not in page
    assert found.differences["both"].sentence.split(" by ")[1] in page
    assert found.chart().to_dict()["layer"]
    assert page.split("The floor of each set", 1)[1].count('stroke="white"') >= 2  # edges of dots


def test_what_a_second_column_is_worth_lies_in_the_interval() -> None:
    worth = bayes_error_of([1.0, 1.0]) - bayes_error_of([1.0])
    held = 0
    for seed in range(4):
        X, y = gaussian(500, [1.0, 1.0], seed=seed)
        found = bf.compare({"one": X[:, :1], "two": X}, y).differences["two"]
        held += found.floor.interval[0] <= worth <= found.floor.interval[1]
    assert held >= 3  # of 4 at 95 %: fewer has a chance of about one in 70


def test_samples_are_compared_without_pairing() -> None:
    (X, y), (Z, v) = gaussian(500, [2.0], seed=2), gaussian(300, [0.5], seed=3)
    found = bf.compare({"north": (X, y), "south": (Z, v)})
    assert not found.paired
    worth = bayes_error_of([0.5]) - bayes_error_of([2.0])
    south = found.differences["south"]
    assert south.floor.interval[0] <= worth <= south.floor.interval[1]
    assert south.verdict == "higher"


def test_the_order_of_rows_changes_nothing() -> None:
    X, y = gaussian(200, [1.0, 0.5, 0.2], seed=4)
    order = np.random.default_rng(0).permutation(200)
    one, other = (
        bf.compare({"a": X[rows, :2], "b": X[rows]}, y[rows]).differences["b"].mismatch
        for rows in (np.arange(200), order)
    )
    assert one.value == pytest.approx(other.value, abs=1e-12)
    assert one.interval == pytest.approx(other.interval, abs=1e-12)


FRAME = pl.DataFrame(
    {
        "age": [1.0, None, 3.0, 4.0, 5.0, 6.0, 2.0, 8.0] * 10,
        "town": ["x", "y", "x", None, "y", "x", "y", "x"] * 10,
        "ill": ["no", "yes"] * 40,
    }
)


def test_rows_that_one_set_leaves_out_are_left_out_of_all() -> None:
    sets = read_column_sets(FRAME, {"a": "age", "b": ["town"]}, "ill", {"missing": "drop"})
    assert sets["a"].X.height == sets["b"].X.height == 60
    assert sets["a"].y.to_list() == sets["b"].y.to_list()


def test_columns_of_a_table_are_named_by_set() -> None:
    found = bf.compare({"a": "age", "both": "age,town"}, "ill", data=FRAME)
    assert [found.floors[name].columns for name in ("a", "both")] == [1, 2]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: bf.compare({"a": [[1.0]]}, [1]), "pass a dict of two sets or more"),
        (lambda: bf.compare({"a": 1, "": 2}, [1]), "a set has no name"),
        (lambda: bf.compare({"a": 1, "b": 2}, [1], reference="c"), "choose one of 'a', 'b'"),
        (lambda: bf.compare({"a": 1, "b": 2}), "a set is a pair of points and labels"),
        (lambda: bf.compare({"a": "age", "b": "town"}, data=FRAME), "pass its name as y"),
        (lambda: bf.compare({"a": "age", "b": "twn"}, "ill", data=FRAME), "did you mean 'town'"),
        (lambda: bf.compare({"a": [[1.0]], "b": 2}, [1], scale="none"), "pass them as data="),
    ],
)
def test_what_cannot_be_compared_is_refused_in_a_sentence(call: object, message: str) -> None:
    with pytest.raises(bf.DataError, match=message):
        call()  # type: ignore[operator]


def test_samples_of_other_classes_are_refused() -> None:
    X, y = gaussian(60, [1.0], seed=5)
    with pytest.raises(bf.DataError, match="different classes"):
        bf.compare({"a": (X, y), "b": (X, y + 1)})


def test_tables_are_joined_by_their_key() -> None:
    left = pl.DataFrame({"id": [1, 2, 3, 4], "age": [5, 6, 7, 8], "ill": list("abab")})
    right = pl.DataFrame({"id": ["3", "1", "2"], "age": [0, 1, 2], "crp": [9, 8, 7]})
    made = join_tables({"l": left, "r": right}, key="id", label="ill", options=ReadOptions())
    assert made.sets == {"l": ["age"], "r": ["age (r)", "crp"], "l + r": ["age", "age (r)", "crp"]}
    assert made.frame.select("id", "ill", "age", "crp").rows() == [
        ("1", "a", 5, 8),
        ("2", "b", 6, 7),
        ("3", "a", 7, 9),
    ]
    assert made.notes == (
        "3 keys are in all tables, which have 4 and 3 rows; the others are left out.",
    )


@pytest.mark.parametrize(
    ("right", "message"),
    [
        ({"id": [1, 1], "x": [1, 2]}, "is not different in every row"),
        ({"id": [8, 9], "x": [1, 2]}, "no key is in all tables"),
        ({"id": [1, 2]}, "is the only column"),
        ({"number": [1, 2], "x": [1, 2]}, "r: no column 'id'"),
    ],
)
def test_tables_that_do_not_join_are_refused(right: dict[str, list[int]], message: str) -> None:
    left = pl.DataFrame({"id": [1, 2, 3], "age": [5, 6, 7], "ill": list("aba")})
    with pytest.raises(bf.DataError, match=message):
        join_tables(
            {"l": left, "r": pl.DataFrame(right)}, key="id", label="ill", options=ReadOptions()
        )
