from __future__ import annotations

import io
import json
from typing import Any

import numpy as np
import pandas as pd
import pytest

import bayesfloor as bf
from bayesfloor.base.arrays import Ints
from bayesfloor.report.answer import OUT_OF_REACH, REACHABLE, UNDECIDED, answer
from bayesfloor.report.document import document


@pytest.fixture(scope="module")
def counts() -> Ints:
    rng = np.random.default_rng(0)
    return rng.multinomial(5, rng.dirichlet([0.2, 0.2, 0.2], 600))


@pytest.fixture(scope="module")
def floor(counts: Ints) -> bf.Floor:
    return bf.bayes_error_from_votes(counts, classes=["cat", "dog", "fox"])


def test_the_record_is_whole(floor: bf.Floor, counts: Ints) -> None:
    assert floor.lower_rests_on == floor.method == floor.representation == "votes"
    assert (floor.n, floor.d, floor.columns) == (600, 0, 0)
    assert floor.interval[0] <= floor.lower <= floor.estimate <= floor.upper <= floor.interval[1]
    assert floor.estimate_interval[0] <= floor.estimate <= floor.estimate_interval[1]
    assert floor.votes is not None
    assert (floor.votes.votes, floor.votes.fewest, floor.votes.most) == (3000, 5, 5)
    np.testing.assert_allclose(floor.posterior, counts / 5)
    np.testing.assert_allclose(floor.priors, counts.mean(axis=0) / 5)
    assert floor.loss > floor.mismatch
    assert (floor.curve, floor.learning_curve, floor.maps) == (None, None, {})
    assert "600 items, 5 votes each, 3 classes" in str(floor)
    assert "half as wide" in str(floor)


def test_the_document_is_plain(floor: bf.Floor) -> None:
    made = document(floor, target=0.5, model_error=0.3)
    assert json.loads(json.dumps(made, allow_nan=False))["votes"]["votes"] == 3000
    assert np.array(made["pairwise"]).shape == (3, 3)


def test_a_target_is_reachable_out_of_reach_or_undecided(floor: bf.Floor) -> None:
    low, high = floor.interval
    verdicts = {}
    for accuracy in (1 - high - 0.01, 1 - low + 0.01, 1 - floor.estimate):
        reply = answer(floor, target=accuracy).target
        assert reply is not None
        verdicts[reply.verdict] = reply.sentence
        for word in ("column", "row"):
            assert word not in reply.sentence
    assert set(verdicts) == {REACHABLE, OUT_OF_REACH, UNDECIDED}
    assert "labels that several votes decide" in verdicts[OUT_OF_REACH]
    assert "more votes on each item" in verdicts[UNDECIDED]


def test_more_items_can_decide_a_target(floor: bf.Floor) -> None:
    reply = answer(floor, target=1 - floor.interval[1] + 0.001).target
    assert reply is not None
    assert reply.rows_to_decide is not None
    assert "items like these would likely decide it" in reply.sentence


def test_a_model_is_compared_with_votes(floor: bf.Floor) -> None:
    for error in (0.6, floor.estimate, 0.01):
        reply = answer(floor, model_error=error).model
        assert reply is not None
        assert "of new votes" in reply.sentence
        assert "column" not in reply.sentence


def test_a_page_can_be_drawn(floor: bf.Floor, tmp_path: Any) -> None:
    page = floor.report(tmp_path / "page.html", target=0.9).read_text(encoding="utf-8")
    for words in (
        "600 items · 5 votes each · 3 classes",
        "of new votes",
        "labels that are one vote each",
        "Which classes are confused",
        "of the items the likeliest class has more than 95% of the votes",
        "Items whose votes agree least",
    ):
        assert words in page
    assert " columns" not in page
    assert "Would more rows change it?" not in page
    with pytest.raises(bf.DataError, match="needs columns"):
        floor.chart("growth")
    floor.plot()


def test_what_the_user_wrote_is_escaped(tmp_path: Any) -> None:
    frame = pd.DataFrame({"item": ["<b>1", "<b>1", "2", "2"], "vote": ["<i>a", "b", "b", "b"]})
    floor = bf.bayes_error_from_votes(frame)
    page = floor.report(tmp_path / "page.html").read_text(encoding="utf-8")
    assert "&lt;b&gt;1" in page
    assert "<b>1" not in page
    assert "<i>a" not in page


def test_names_and_order_do_not_matter(counts: Ints, floor: bf.Floor) -> None:
    rng = np.random.default_rng(1)
    other = bf.bayes_error_from_votes(counts[rng.permutation(600)][:, [2, 0, 1]])
    np.testing.assert_allclose(other.interval, floor.interval, atol=1e-12)
    np.testing.assert_allclose([other.lower, other.upper], [floor.lower, floor.upper], atol=1e-12)
    assert other.estimate == pytest.approx(floor.estimate, abs=1e-5)


def test_a_row_a_vote_gives_the_same(counts: Ints, floor: bf.Floor) -> None:
    rows = [
        (item, "cdf"[c], f"person {number}")
        for item, votes in enumerate(counts)
        for number, c in enumerate(np.repeat(np.arange(3), votes))
    ]
    shuffled = pd.DataFrame(rows, columns=["item", "vote", "annotator"]).sample(
        frac=1, random_state=0
    )
    found = bf.bayes_error_from_votes(shuffled)
    np.testing.assert_allclose(found.interval, floor.interval, atol=1e-12)
    assert found.votes is not None
    assert found.votes.annotators == 5
    assert any("All votes are by 5 annotators" in note for note in found.notes)


def test_a_part_of_the_items_answers_alone(counts: Ints, floor: bf.Floor) -> None:
    kept = np.arange(600) < 300
    assert floor.run.part(kept).interval == bf.bayes_error_from_votes(counts[:300]).interval


def test_divergences_of_pairs_by_hand() -> None:
    counts = np.array([[2, 0, 0], [0, 2, 0], [1, 1, 0], [0, 0, 2]])
    table = bf.bayes_error_from_votes(counts).run.pairwise()
    assert table[0, 1] == pytest.approx(1 - (1 / 3) / 0.5)
    assert table[0, 2] == table[1, 2] == 1
    known = bf.bayes_error_from_probabilities(counts / 2).run.pairwise()
    assert known[0, 1] == pytest.approx(1 - (0.5 / 3) / 0.5)


def test_two_classes_have_a_divergence() -> None:
    rng = np.random.default_rng(0)
    yes = rng.binomial(4, rng.beta(0.3, 0.3, 500))
    floor = bf.bayes_error_from_votes(np.column_stack([yes, 4 - yes]))
    assert floor.divergence is not None
    assert floor.divergence_interval is not None
    assert floor.divergence_interval[0] < floor.divergence < floor.divergence_interval[1]
    # of Beta(a, a), R = a / (2a + 1)
    assert floor.divergence_interval[0] < 1 - 0.3 / 1.6 / 0.5 < floor.divergence_interval[1]


def test_votes_that_were_added_where_people_disagreed_raise_a_note() -> None:
    """A third vote is asked for only if the first two differ."""
    rng = np.random.default_rng(0)
    chance = rng.beta(0.5, 0.5, 500)
    cast = rng.random((500, 3)) < chance[:, None]
    cast_counts = np.column_stack([cast.sum(axis=1), (~cast).sum(axis=1)])
    agreed = cast[:, 0] == cast[:, 1]
    cast_counts[agreed] = np.where(cast[agreed, :1], [2, 0], [0, 2])
    notes = bf.bayes_error_from_votes(cast_counts).notes
    assert any("the bounds do not hold" in note for note in notes)
    planned = rng.binomial(1, 0.5, 500) + 2
    yes = rng.binomial(planned, chance)
    fair = bf.bayes_error_from_votes(np.column_stack([yes, planned - yes]))
    assert fair.notes == ()


def test_known_probabilities_give_their_own_error() -> None:
    p = np.array([[0.9, 0.1], [0.3, 0.7], [1.0, 0.0], [0.5, 0.5]])
    floor = bf.bayes_error_from_probabilities(p, classes=["yes", "no"])
    assert floor.lower == floor.upper == floor.estimate == pytest.approx(0.225)
    assert floor.mismatch == floor.loss == pytest.approx(np.mean([0.18, 0.42, 0, 0.5]))
    assert floor.lower_rests_on == "probabilities"
    reply = answer(floor, target=0.99).target
    assert reply is not None
    assert "true ones" in reply.sentence
    part = floor.run.part(np.array([True, True, False, False]))
    assert part.estimate == pytest.approx(0.2)


def test_the_interval_of_known_probabilities_holds_the_truth() -> None:
    held = 0
    for rng in np.random.default_rng(0).spawn(200):
        eta = rng.beta(0.3, 0.3, 100)
        found = bf.bayes_error_from_probabilities(np.column_stack([eta, 1 - eta]))
        held += found.interval[0] <= 0.1338 <= found.interval[1]
    assert held >= 180


def test_a_page_of_probabilities_can_be_drawn(tmp_path: Any) -> None:
    p = np.random.default_rng(0).dirichlet([0.3, 0.3, 0.3], 100)
    floor = bf.bayes_error_from_probabilities(p)
    page = floor.report(tmp_path / "page.html", target=0.99).read_text(encoding="utf-8")
    assert "Every item came with class probabilities" in page
    assert " columns" not in page


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"item": "a"}, "item= is for files and data frames"),
        ({"separator": ";"}, "separator= is for files and data frames"),
        ({"confidence": 2}, "confidence is 2"),
    ],
)
def test_options_that_do_nothing_are_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(bf.DataError, match=message):
        bf.bayes_error_from_votes([[1, 1], [2, 0]], **arguments)


def test_classes_and_options_of_tables_are_checked() -> None:
    frame = pd.DataFrame({"a": [1, 2], "b": [1, 0]})
    for call in (bf.bayes_error_from_votes, bf.bayes_error_from_probabilities):
        with pytest.raises(bf.DataError, match="classes= is for arrays"):
            call(frame, classes=["a", "b"])
        with pytest.raises(TypeError, match="unexpected keyword argument 'scale'"):
            call(frame, scale="rank")
    with pytest.raises(bf.DataError, match="open BytesIO: 0 items of 2 with two votes"):
        bf.bayes_error_from_votes(io.BytesIO(b"a,b\n1,0\n0,1\n"))
    with pytest.raises(bf.DataError, match="open BytesIO: the probabilities of row 0 sum"):
        bf.bayes_error_from_probabilities(io.BytesIO(b"a,b\n0.5,0.4\n0,1\n"))


def test_how_a_file_is_written_is_said_in_the_same_words_everywhere(tmp_path: Any) -> None:
    path = tmp_path / "votes.txt"
    path.write_text("a b\n3 1\n0 4\n2 2\n", encoding="utf-8")
    assert bf.bayes_error_from_votes(path, separator="space").n == 3
    with pytest.raises(bf.DataError, match="separator is 'ab'; pass one character"):
        bf.bayes_error_from_votes(path, separator="ab")
