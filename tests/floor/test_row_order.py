from __future__ import annotations

import numpy as np
import pytest

import bayesfloor as bf
from bayesfloor.base.arrays import Ints
from bayesfloor.base.cautions import Caution
from bayesfloor.floor.row_order import row_order_notes
from bayesfloor.sample.gate import make_sample


def told(labels: Ints) -> bool:
    sample = make_sample(np.random.default_rng(0).normal(size=(len(labels), 2)), labels)
    return bool(list(row_order_notes(sample)))


def recording(n: int = 1000, stay: float = 0.9) -> Ints:
    """Labels that seldom change from one moment to the next."""
    return np.cumsum(np.random.default_rng(1).uniform(size=n) > stay) % 2


def test_labels_that_seldom_change_are_told() -> None:
    assert told(recording())
    assert not told(np.random.default_rng(2).permutation(recording()))


@pytest.mark.parametrize(
    "labels",
    [
        np.repeat([0, 1], 500),
        np.repeat([0, 1, 0, 1, 0, 1], 200),  # three sorted files, one after the other
        np.arange(1000) % 3,
        np.random.default_rng(3).integers(0, 2, 1000),
        recording(60),
    ],
    ids=["sorted", "files", "in turn", "random", "few"],
)
def test_an_order_that_does_no_harm_is_not_told(labels: Ints) -> None:
    assert not told(labels)


def test_the_order_of_rows_is_a_caution_of_the_floor() -> None:
    labels = recording(400)
    points = np.random.default_rng(0).normal(size=(400, 2))
    notes = [n for n in bf.bayes_error(points, labels).notes if isinstance(n, Caution)]
    assert [note.headline for note in notes] == ["Rows in time order, or in groups?"]
    assert "in random order it would on 5" in notes[0]
