"""Whatever votes or probabilities hold, they have a sound floor or one sentence says why not."""

from __future__ import annotations

import math
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import bayesfloor as bf
from bayesfloor.report.document import document
from hostile import ATTACK, NAMES, NO_NUMBERS, attempt, check_floor, questions

VOTES = 3000 if ATTACK else 40
QUICK = settings(max_examples=VOTES, suppress_health_check=list(HealthCheck))
COUNTS = [0, 0, 1, 1, 2, 3, 7, 60, 10**6, 2**31]
WRONG_COUNTS = [-1, 0.5, 2**40, 1e300, *NO_NUMBERS]
CLASSES = [None, "ab", "abc", 5, [None, 1], ["\ud800", "x"], [(1,), [2]], [math.nan, math.inf, 0]]


@st.composite
def count_matrices(draw: Any) -> Any:
    """Draw counts, seldom with something that is none."""
    shape = draw(st.integers(1, 12)), draw(st.integers(1, 5))
    values = st.sampled_from(COUNTS[: draw(st.integers(3, len(COUNTS)))])
    if draw(st.integers(0, 9)) == 0:
        values = st.one_of(values, st.sampled_from(WRONG_COUNTS))
    counts = draw(arrays(np.float64, shape, elements=values.map(float)))
    kinds: list[Any] = [np.asarray, np.ndarray.tolist, np.transpose, pl.DataFrame]
    return draw(st.sampled_from(kinds))(counts)


@st.composite
def probability_matrices(draw: Any) -> Any:
    """Draw probabilities, most of which sum to one."""
    shape = draw(st.integers(1, 12)), draw(st.integers(2, 5))
    p = draw(arrays(np.float64, shape, elements=st.sampled_from([0.0, 1e-300, 1e-9, 0.1, 0.5, 1])))
    total = p.sum(axis=1, keepdims=True)
    if draw(st.integers(0, 9)):
        p = np.where(total > 0, p / np.where(total > 0, total, 1), np.eye(*shape)[:1])
    return p


@QUICK
@given(count_matrices(), st.sampled_from(CLASSES), st.sampled_from([0.95, 0.001, 1 - 1e-9, 2]))
def test_any_counts_have_a_floor_or_are_refused(
    counts: Any, classes: Any, confidence: float
) -> None:
    options = {"confidence": confidence} | ({} if classes is None else {"classes": classes})
    floor = attempt("votes", lambda: bf.bayes_error_from_votes(counts, **options))
    if floor is not None:
        check_floor(floor)
        assert len(str(floor)) < 5000
        floor.hard_rows()


@QUICK
@given(probability_matrices(), questions())
def test_any_probabilities_have_a_floor_or_are_refused(p: Any, asked: dict[str, Any]) -> None:
    floor = attempt("probabilities", lambda: bf.bayes_error_from_probabilities(p))
    if floor is not None:
        check_floor(floor)
        attempt("answers", lambda: document(floor, **asked))


USUAL, ODD = (
    st.sampled_from(["x", "y", "1"]),
    st.one_of(st.sampled_from(NAMES), st.text(max_size=3)),
)
VALUES = st.integers(0, 30).flatmap(lambda turn: USUAL if turn else ODD)


@QUICK
@given(
    rows=st.lists(st.tuples(VALUES, VALUES, VALUES), min_size=1, max_size=20),
    names=st.sampled_from(["item,vote,annotator", "item,vote,x", "a,b,c", ",,", "item,item,vote"]),
    options=st.dictionaries(
        st.sampled_from(["item", "vote", "annotator"]),
        st.sampled_from(["a", "b", "item", 1, -1, 99, "", None]),
    ),
)
def test_any_rows_of_votes_are_counted_or_refused(
    rows: list[tuple[str, ...]], names: str, options: dict[str, Any], tmp_path: Path
) -> None:
    path = tmp_path / "votes.csv"
    cells = [",".join('"{}"'.format(cell.replace('"', '""')) for cell in row) for row in rows]
    path.write_bytes("\n".join([names, *cells]).encode("utf-8", "surrogatepass"))
    floor = attempt("files of votes", lambda: bf.bayes_error_from_votes(path, **options))
    if floor is not None:
        check_floor(floor)


FOUR: dict[str, Any] = {
    "lists": pl.Series([[1], [2], [1], [1]]),
    "arrays": pl.Series([[1, 2], [2, 3], [1, 2], [1, 2]], dtype=pl.Array(pl.Int64, 2)),
    "records": pl.Series([{"a": 1}, {"a": 2}, {"a": 1}, {"a": 1}]),
    "objects": pl.Series([object(), object(), 1, 1], dtype=pl.Object),
    "durations": pl.Series([1, 2, 1, 1]).cast(pl.Duration),
    "long integers": pl.Series([1, 2, 1, 10**25], dtype=pl.Int128),
    "bytes": pl.Series([b"\xff", b"b", b"\xff", b"a"]),
    "categories": pl.Series(["a", "b", "a", "a"], dtype=pl.Categorical),
    "infinities": pl.Series([1.5, math.inf, 1.5, -0.0]),
    "dates": pl.Series([1, 2, 1, 1]).cast(pl.Date),
}


@pytest.mark.parametrize("kind", FOUR)
def test_votes_of_any_type_are_counted_or_refused(kind: str) -> None:
    some, column = [1, 1, 2, 2], FOUR[kind]
    frames: list[tuple[dict[str, Any], dict[str, Any]]] = [
        ({"item": some, "vote": column}, {}),
        ({"item": column, "vote": some}, {}),
        ({"a": column, "b": some}, {}),
        ({"i": column, "a": some, "b": some}, {"item": "i"}),
    ]
    for columns, options in frames:
        table = pl.DataFrame(columns)
        floor = attempt("votes", partial(bf.bayes_error_from_votes, table, **options))
        if floor is not None:
            check_floor(floor)
            document(floor)
        attempt("probabilities", partial(bf.bayes_error_from_probabilities, table))


RNG = np.random.default_rng(0)
SEEDS: dict[str, Any] = {
    "another number of votes on each item": RNG.integers(1, 10**5, (3000, 2)),
    "billions of votes": np.full((3, 50), 2**31),
    "many classes": RNG.multinomial(2000, np.full(1500, 1 / 1500), 40),
    "many different counts": np.array([RNG.permutation(600) for _ in range(20)]),
}


@pytest.mark.parametrize("seed", SEEDS)
def test_votes_that_once_took_minutes_take_a_moment(seed: str) -> None:
    check_floor(bf.bayes_error_from_votes(SEEDS[seed]))


def test_an_item_and_a_class_a_vote_are_refused_before_they_take_the_memory() -> None:
    votes = pl.DataFrame({"item": np.arange(10**5) // 2, "vote": np.arange(10**5)})
    with pytest.raises(bf.DataError, match=r"50,000 items and 100,000 classes would take about"):
        bf.bayes_error_from_votes(votes, max_memory="8GB")
