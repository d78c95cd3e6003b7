"""Predictions in any shape become one record, or one line says what is wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from bayesfloor.base.errors import DataError
from bayesfloor.predictions import RowPlaces, read_predictions

CLASSES = np.array(["a", "b"])
THREE = np.array([1, 2, 3])


def read(predictions: Any, classes: Any = CLASSES, **places: Any) -> Any:
    return read_predictions(predictions, classes, RowPlaces(places.pop("n", 3), **places))


def test_classes_are_found_as_values_or_as_texts() -> None:
    assert read(["a", "b", "a"]).answers.tolist() == [0, 1, 0]
    assert read(np.array([1.0, 3.0, 2.0]), THREE).answers.tolist() == [0, 2, 1]
    assert read(pl.DataFrame({"predicted": ["3", " 1", "2"]}), THREE).answers.tolist() == [2, 0, 1]
    assert read(np.array([[True], [False], [True]]), np.array([False, True])).answers.tolist() == [
        *(1, 0, 1)
    ]


def test_probabilities_go_by_place_in_arrays_and_by_name_in_tables() -> None:
    found = read([[0.9, 0.1], [0.2, 0.8], [0.5, 0.5]])
    assert found.answers.tolist() == [0, 1, 0]
    named = read(pl.DataFrame({"b": [0.1, 0.8, 0.5], "a": [0.9, 0.2, 0.5], "note": ["", "", ""]}))
    np.testing.assert_allclose(named.probabilities, found.probabilities)
    one = read(pl.DataFrame({"b": [0.1, 0.8, 0.5]}))
    np.testing.assert_allclose(one.probabilities, found.probabilities)


def test_rounded_probabilities_are_made_to_sum_to_one() -> None:
    found = read([[0.33, 0.33, 0.33]] * 3, THREE)
    np.testing.assert_allclose(found.probabilities.sum(axis=1), 1)


def test_rows_that_were_left_out_are_passed_over() -> None:
    numbers = np.array([0, 2, 4])
    found = read(["a", "b", "b", "a", "a"], total=5, numbers=numbers)
    assert found.answers.tolist() == [0, 1, 0]
    assert read(["b", "b", "a"], total=5, numbers=numbers).answers.tolist() == [1, 1, 0]


def test_a_key_joins_whatever_the_order_and_leaves_gaps() -> None:
    table = pl.DataFrame({"id": [12, 10, 99], "p": ["a", "b", "b"]})
    key = pl.Series("id", [10.0, 11.0, 12.0])
    found = read(table, key=key)
    assert found.answers.tolist() == [1, -1, 0]
    assert found.known.tolist() == [True, False, True]
    shares = pl.DataFrame({"id": ["12", "10"], "a": [0.7, 0.2], "b": [0.3, 0.8]})
    texts = read(shares, key=pl.Series("id", [" 10", "11", "12"]))
    assert texts.answers.tolist() == [1, -1, 0]
    assert np.isnan(texts.probabilities[1]).all()


def test_missing_values_are_rows_without_a_prediction(tmp_path: Path) -> None:
    assert read(["a", None, "b"]).answers.tolist() == [0, -1, 1]
    found = read([[0.9, 0.1], [np.nan, np.nan], [0.4, 0.6]])
    assert found.answers.tolist() == [0, -1, 1]
    file = tmp_path / "p.csv"
    file.write_text("prediction\na\n\nb\n", encoding="utf-8")
    assert read(file, n=2).answers.tolist() == [0, 1]  # an empty line is none


WRONG: dict[str, tuple[Any, dict[str, Any], str]] = {
    "length": (["a", "b"], {}, "there are 2 predictions for 3 rows"),
    "class": (["a", "b", "c"], {}, r"predictions hold 'c' in row 2, which is no class"),
    "columns": ([[0.1, 0.2, 0.7]] * 3, {}, "predictions have 3 columns and there are 2 classes"),
    "sum": ([[0.9, 0.1], [0.9, 0.2], [1, 0]], {}, "probabilities of row 1 sum to 1.1"),
    "negative": ([[1.1, -0.1]] * 3, {}, "predictions hold 1.1 in row 0"),
    "half missing": ([[0.5, np.nan]] * 3, {}, "predictions hold nan in row 0"),
    "infinite": ([[np.inf, 0.0]] * 3, {}, "predictions hold inf in row 0"),
    "cube": (np.zeros((3, 2, 2)), {}, "predictions is 3 by 2 by 2"),
    "nothing": ([None, None, None], {}, "hardly any row has a prediction"),
    "text": ([["x", "y"]] * 3, {}, "predictions cannot be read"),
    "many columns": (
        pl.DataFrame({"x": [1, 2, 3], "y": [1, 2, 3]}),
        {},
        "pass one column of classes, or a column of probabilities for each class: 'a', 'b'",
    ),
    "no numbers": (
        pl.DataFrame({"a": ["x", "y", "z"], "b": [1, 2, 3]}),
        {},
        "column 'a' of the predictions holds 'x'",
    ),
    "key of an array": (["a"] * 3, {"key": pl.Series("id", [1, 2, 3])}, "key= needs predictions"),
    "no such key": (
        pl.DataFrame({"p": ["a"]}),
        {"key": pl.Series("id", [1, 2, 3])},
        "no column 'id'",
    ),
    "key twice": (
        pl.DataFrame({"id": [1, 1], "p": ["a", "b"]}),
        {"key": pl.Series("id", [1, 2, 3])},
        "predictions have the key 1.0 more than once",
    ),
    "key of rows twice": (
        pl.DataFrame({"id": [1, 2], "p": ["a", "b"]}),
        {"key": pl.Series("id", [1, 1, 3])},
        "the table has the key 1.0 more than once",
    ),
    "other keys": (
        pl.DataFrame({"id": [7, 8], "p": ["a", "b"]}),
        {"key": pl.Series("id", [1, 2, 3])},
        "no key 'id' of the predictions is in the table",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_cannot_be_used_is_one_line(name: str) -> None:
    predictions, places, message = WRONG[name]
    with pytest.raises(DataError, match=message) as caught:
        read(predictions, **places)
    assert "\n" not in str(caught.value)


def test_a_class_without_a_column_is_named() -> None:
    table = pl.DataFrame({"1": [0.2] * 3, "2": [0.8] * 3})
    with pytest.raises(DataError, match="no column for class 3"):
        read(table, THREE)


def test_a_file_of_classes_without_a_name_is_told_so(tmp_path: Path) -> None:
    for classes, lines in ((CLASSES, "b\na\nb\na"), (THREE, "2\n1\n3\n2"), (THREE, "1\n1\n1\n1")):
        (tmp_path / "model.csv").write_text(lines, encoding="ascii")
        with pytest.raises(DataError, match="a class too; put another name in a line above"):
            read(tmp_path / "model.csv", classes)
    (tmp_path / "model.csv").write_text("1\n0\n1\n0", encoding="ascii")  # sure probabilities
    assert read(tmp_path / "model.csv", np.array([0, 1])).answers.tolist() == [0, 1, 0]


def test_a_file_is_read_like_any_table_and_named(tmp_path: Path) -> None:
    file = tmp_path / "model.csv"
    file.write_text("a;b\n0,9;0,1\n0,2;0,8\n0,5;0,5\n", encoding="utf-8")
    assert read(file).answers.tolist() == [0, 1, 0]
    file.write_text("a;b\n0,9;0,4\n0,2;0,8\n0,5;0,5\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"model.csv: .* sum to 1.3"):
        read(str(file))


def test_a_column_that_two_classes_could_mean_is_one_line() -> None:
    places = RowPlaces(2)
    frame = pl.DataFrame({" ": [0.5, 0.5], "b": [0.5, 0.5]})
    with pytest.raises(DataError, match="could be for more than one class"):
        read_predictions(frame, np.array(["", " "]), places)
