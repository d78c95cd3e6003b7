from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bayesfloor.base.errors import DataError
from bayesfloor.votes.counts import count_matrix, probability_matrix, with_pairs


@pytest.mark.parametrize(
    ("counts", "message"),
    [
        ([[1, -1], [2, 0]], "counts holds -1 in row 0, column 1; a count cannot be negative"),
        ([[2, 0], [1.5, 1]], "counts holds 1.5 in row 1, column 0; counts are whole numbers"),
        ([[0.5, 0.5], [0.2, 0.8]], "like probabilities; pass them to bayes_error_from_prob"),
        ([[1, 1], [0, 0]], "the item in row 1 has no votes; leave it out"),
        ([[1], [2]], "counts has one class only"),
        ([[2, 0], [3, 0]], "all votes are for 0; votes for two classes or more are needed"),
        ([1, 2, 3], "counts is 3; pass a matrix"),
        ([[1, 2], [3]], "counts cannot be read"),
        ([["a", "b"]], "counts cannot be read"),
        ([], "counts is 0; pass a matrix"),
        ([[1, np.nan], [2, 0]], "counts holds nan in row 0, column 1; pass a number"),
        ([[1, np.inf], [2, 0]], "counts holds inf"),
        (None, "counts is a single number"),
    ],
)
def test_wrong_counts_are_one_clear_line(counts: Any, message: str) -> None:
    with pytest.raises(DataError) as caught:
        count_matrix(counts)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("p", "message"),
    [
        ([[0.5, 0.4], [1, 0]], "the probabilities of row 0 sum to 0.9"),
        ([[1.5, -0.5], [1, 0]], "p holds 1.5 in row 0, column 0; probabilities are between"),
        ([[1.0], [1.0]], "p has one class only"),
        ([[0.5, 0.5]], "there is 1 item"),
    ],
)
def test_wrong_probabilities_are_one_clear_line(p: Any, message: str) -> None:
    with pytest.raises(DataError) as caught:
        probability_matrix(p)
    assert message in str(caught.value)


def test_classes_without_votes_are_left_out_and_named() -> None:
    votes = count_matrix([[2, 0, 1], [0, 0, 3]], classes=["cat", "cow", "dog"])
    assert votes.classes.tolist() == ["cat", "dog"]
    assert votes.counts.tolist() == [[2, 1], [0, 3]]
    assert votes.notes == ("Classes that nobody voted for were left out: 'cow'.",)


def test_items_with_one_vote_are_left_out_and_told() -> None:
    votes = with_pairs(count_matrix([[2, 0], [1, 0], [1, 2], [0, 1]], items=np.array([*"abcd"])))
    assert votes.items is not None
    assert votes.items.tolist() == ["a", "c"]
    assert votes.notes[0].startswith("2 items of 4 with a single vote were left out")
    with pytest.raises(DataError, match="1 item of 2 with two votes or more; collect"):
        with_pairs(count_matrix([[2, 1], [1, 0]]))


@pytest.mark.parametrize(
    ("classes", "message"),
    [(["a"], "classes has 1 name, the matrix 2 columns"), (["a", "a"], "equal names")],
)
def test_names_of_classes_are_checked(classes: list[str], message: str) -> None:
    with pytest.raises(DataError, match=message):
        count_matrix([[1, 1], [2, 0]], classes=classes)
