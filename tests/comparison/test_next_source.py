from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import bayesfloor as bf


def source(delta: float, n: int, seed: int = 0) -> tuple[Any, Any]:
    labels = np.arange(n) % 2
    return np.random.default_rng(seed).normal(delta * labels)[:, None], labels


@pytest.fixture(scope="module")
def floors() -> dict[str, bf.Floor]:
    made = {"weak": (0.3, 400), "good": (2.0, 200), "rival": (2.3, 60)}
    return {name: bf.bayes_error(*source(*one), representation="raw") for name, one in made.items()}


def test_the_next_rows_decide_between_the_best_and_its_rival(floors: dict[str, bf.Floor]) -> None:
    found = bf.next_source(floors)
    assert found.best in ("good", "rival")
    assert found.name == "rival"  # it has fewer rows than the other candidate
    assert not found.settled
    assert found.goal == "lowest"
    assert "as far as is known" in str(found)
    made = json.loads(json.dumps(found.to_dict()))
    assert [one["name"] for one in made["outlooks"]] == list(floors)


def test_widths_shrink_most_where_margins_are_wide_and_rows_few(
    floors: dict[str, bf.Floor],
) -> None:
    found = bf.next_source(floors, goal="width", rows=50)
    gains = {one.name: one.gain for one in found.outlooks}
    assert found.name == max(gains, key=gains.__getitem__)
    for one in found.outlooks:
        floor = floors[one.name]
        width, gap = floor.interval[1] - floor.interval[0], floor.upper - floor.lower
        expected = max(width - gap, 0) * (1 - (floor.n / (floor.n + 50)) ** 0.5)
        assert one.gain == pytest.approx(expected)
    dear = bf.next_source(floors, goal="width", rows=50, costs={found.name: 1000.0})
    assert dear.name != found.name


def test_a_source_that_is_clearly_lower_is_settled() -> None:
    pairs = {"noise": source(0.0, 400), "clear": source(6.0, 400)}
    found = bf.next_source(pairs, representation="raw")
    assert (found.best, found.settled) == ("clear", True)
    assert str(found).endswith("%).")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"goal": "luck"}, "goal is 'luck'; choose one of lowest, width"),
        ({"rows": 0}, "rows is 0"),
        ({"costs": {"other": 1}}, "costs= names 'other'"),
        ({"costs": {"good": 0}}, "the cost of 'good' is 0"),
    ],
)
def test_unusable_choices_are_refused(
    floors: dict[str, bf.Floor], change: dict[str, Any], message: str
) -> None:
    with pytest.raises(bf.DataError, match=message):
        bf.next_source(floors, **change)


def test_sources_that_are_none_are_refused(floors: dict[str, bf.Floor]) -> None:
    with pytest.raises(bf.DataError, match="1 source came; pass two or more"):
        bf.next_source({"good": floors["good"]})
    with pytest.raises(bf.DataError, match="'bad' is neither a floor nor a pair"):
        bf.next_source({"good": floors["good"], "bad": 3})
