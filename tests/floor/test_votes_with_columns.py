from __future__ import annotations

import json
from typing import Any

import numpy as np
import polars as pl
import pytest

import bayesfloor as bf
from bayesfloor.base.arrays import Floats, Ints
from bayesfloor.report.document import document
from bayesfloor.votes.guided_interval import bound_with_maps, prior_weights
from bayesfloor.votes.interval import bound_by_votes


def draw(seed: int, n: int = 400, votes: int = 2) -> tuple[Floats, Ints, Floats]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    chance = 1 / (1 + np.exp(-2 * X[:, 0] - X[:, 1]))
    eta = np.column_stack([chance, 1 - chance])
    return X, rng.multinomial(votes, eta), eta


@pytest.fixture(scope="module")
def floor() -> bf.Floor:
    X, counts, _ = draw(0)
    return bf.bayes_error_from_votes(counts, X=X, classes=["yes", "no"])


def test_columns_narrow_the_interval_of_few_votes(floor: bf.Floor) -> None:
    _, counts, eta = draw(0)
    assert floor.votes is not None
    columns = floor.votes.columns
    assert columns is not None
    assert columns.interval_by_votes == bf.bayes_error_from_votes(counts).interval
    low, high = columns.interval_by_votes
    assert low <= floor.interval[0] <= floor.interval[1] < high - 0.03
    assert floor.interval[0] < (1 - eta.max(axis=1)).mean() < floor.interval[1]
    assert floor.interval[0] < columns.error < columns.error_limit
    assert (columns.columns, floor.lower_rests_on) == (2, "votes")


def test_terminal_page_and_document_tell_what_columns_add(floor: bf.Floor, tmp_path: Any) -> None:
    assert "400 items, 2 votes each, 2 columns, 2 classes" in str(floor)
    assert "votes alone" in str(floor)
    assert "columns alone" in str(floor)
    made = json.loads(json.dumps(document(floor), allow_nan=False))
    assert made["votes"]["columns"]["columns"] == 2
    page = tmp_path / "page.html"
    floor.report(page, progress=False)
    text = " ".join(page.read_text(encoding="utf-8").split())
    assert "Maps learned from the columns of other items" in text
    assert "columns alone" in text


def test_neither_names_nor_order_of_classes_and_items_matter() -> None:
    X, counts, _ = draw(1, n=120)
    order = np.random.default_rng(0).permutation(120)
    plain = bf.bayes_error_from_votes(counts, X=X)
    turned = bf.bayes_error_from_votes(counts[order][:, ::-1], X=X[order], classes=["z", "a"])
    np.testing.assert_allclose(plain.interval, turned.interval, atol=1e-9)
    np.testing.assert_allclose(plain.estimate, turned.estimate, atol=1e-9)


def test_features_of_wide_and_long_tables_are_those_of_arrays() -> None:
    X, counts, _ = draw(2, n=100)
    wide = pl.DataFrame({"no": counts[:, 1], "yes": counts[:, 0], "a": X[:, 0], "b": X[:, 1]})
    expected = bf.bayes_error_from_votes(counts, X=X).interval
    found = bf.bayes_error_from_votes(wide, features=["a", "b"])
    assert found.classes.tolist() == ["no", "yes"]
    np.testing.assert_allclose(found.interval, expected, atol=1e-9)
    rows = [
        (i, name, *X[i])
        for i in range(100)
        for name, times in zip(("yes", "no"), counts[i], strict=True)
        for _ in range(times)
    ]
    long = pl.DataFrame(rows, schema=["item", "vote", "a", "b"], orient="row")
    found = bf.bayes_error_from_votes(long, features="a,b")
    np.testing.assert_allclose(found.interval, expected, atol=1e-9)


def test_maps_learn_from_items_with_one_vote_too() -> None:
    X, counts, eta = draw(3)
    single = np.random.default_rng(1).multinomial(1, eta)
    counts[:200] = single[:200]
    found = bf.bayes_error_from_votes(counts, X=X)
    without = bf.bayes_error_from_votes(counts[200:], X=X[200:])
    assert found.n == without.n == 200
    assert found.votes is not None
    assert without.votes is not None
    assert found.votes.columns is not None
    assert without.votes.columns is not None
    assert found.votes.columns.interval_by_votes == without.votes.columns.interval_by_votes
    assert found.votes.columns.error != without.votes.columns.error
    assert any("learned from all" in note for note in found.notes)


def test_text_and_missing_values_are_encoded() -> None:
    X, counts, _ = draw(4, n=100)
    frame = pl.DataFrame({"a": X[:, 0], "kind": np.where(X[:, 1] > 0, "up", "down")})
    frame = frame.with_columns(
        pl.when(pl.col("a") > 2).then(None).otherwise(pl.col("a")).alias("a")
    )
    found = bf.bayes_error_from_votes(counts, X=frame)
    assert found.votes is not None
    assert found.votes.columns is not None
    assert found.votes.columns.columns == 2


def test_arrays_of_python_numbers_are_arrays_of_numbers() -> None:
    X, counts, _ = draw(6, n=60)
    found = bf.bayes_error_from_votes(counts, X=X.astype(object))
    assert found.interval == bf.bayes_error_from_votes(counts, X=X).interval


def test_few_items_are_bounded_by_votes_alone() -> None:
    counts = np.array([[2, 0], [1, 1], [0, 2], [2, 1]])
    found = bf.bayes_error_from_votes(counts, X=np.arange(4.0)[:, None])
    assert found.interval == bf.bayes_error_from_votes(counts).interval
    assert any("the floor is of votes alone" in note for note in found.notes)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"X": np.zeros((3, 1))}, "X has 3 rows, counts 4 rows"),
        ({"X": np.zeros(4)}, "X is no table"),
        ({"features": "a"}, "features= is for files and data frames"),
        ({"X": np.zeros((4, 1)), "features": "a"}, "both X and features= are given"),
        ({"X": np.zeros((4, 1)), "seed": -1}, "seed"),
        ({"X": [[1.0], [np.inf], [0.0], [2.0]]}, r"row 1; remove the row or leave the column out$"),
        ({"X": pl.DataFrame({"a": [[1]] * 4})}, r"numbers or text, or leave it out$"),
        ({"X": ["a\nb"]}, r"^a\\nb: no such file"),
    ],
)
def test_wrong_columns_are_one_line(options: dict[str, Any], message: str) -> None:
    with pytest.raises(bf.DataError, match=message) as caught:
        bf.bayes_error_from_votes([[2, 0], [1, 1], [0, 2], [2, 1]], **options)
    assert "\n" not in str(caught.value)


def test_an_item_with_two_values_of_a_feature_is_refused() -> None:
    long = pl.DataFrame({"item": [1, 1, 2, 2], "vote": ["a", "b", "a", "a"], "x": [1, 2, 3, 3]})
    with pytest.raises(bf.DataError, match="'x' has two values on item 1, the second in row 1"):
        bf.bayes_error_from_votes(long, features="x")
    with pytest.raises(bf.DataError, match="features= and vote= both name 'vote'"):
        bf.bayes_error_from_votes(long, features="vote")
    with pytest.raises(bf.DataError, match="name features= instead"):
        bf.bayes_error_from_votes(long.drop("x"), X=np.zeros((2, 1)))


@pytest.mark.parametrize("votes", [2, 3, 5])
@pytest.mark.parametrize("kind", ["known", "useless", "wrong"])
def test_intervals_hold_the_truth_however_good_the_maps_are(votes: int, kind: str) -> None:
    """Of 60 samples; where 95 % hold it, 51 or fewer have 0.2 %. The Bayes error is 1/4."""
    held = 0
    for rng in np.random.default_rng(7).spawn(60):
        first = rng.random(150)
        eta = np.column_stack([first, 1 - first])
        prior = {"known": eta, "useless": np.full_like(eta, 0.5), "wrong": eta[:, ::-1]}[kind]
        counts, fold = rng.multinomial(votes, eta), rng.integers(0, 5, 150)
        found = bound_with_maps(counts, prior, fold, confidence=0.95)
        alone = bound_by_votes(counts, confidence=0.95)
        low, high = found.bounds.interval
        assert alone.interval[0] <= low <= high <= alone.interval[1]
        held += low <= 0.25 <= high
    assert held > 51


def test_maps_that_know_more_count_for_more_votes() -> None:
    _, counts, eta = draw(5)
    fold = np.arange(400) % 5
    known, wrong = (prior_weights(counts, q, fold).mean() for q in (eta, eta[:, ::-1]))
    assert known > 8 > 1 > wrong
