from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtri

import bayesfloor as bf
from bayesfloor.bounds.henze_penrose import bayes_error_bounds
from bayesfloor.bounds.prior_error import minority_limit
from bayesfloor.report.answer import answer, summary_sentences
from bayesfloor.report.document import SCHEMA, document


def floor_of(mismatch: float, se: float, *, n: int = 1000, priors: Any = (0.5, 0.5)) -> bf.Floor:
    """A floor with a chosen mismatch, whose bounds and interval follow from it."""
    rng = np.random.default_rng(0)
    m = len(priors)
    base = bf.bayes_error(rng.normal(size=(10 * m, 1)), np.arange(10 * m) % m)
    shares, z = np.array(priors), float(ndtri(0.975))
    low, high = (bayes_error_bounds(mismatch + s * z * se, shares) for s in (-1, 1))
    lower, upper = bayes_error_bounds(mismatch, shares)
    return replace(
        base,
        lower=lower,
        upper=upper,
        interval=(low[0], high[1]),
        mismatch=mismatch,
        mismatch_se=se,
        n=n,
        priors=shares,
    )


FLOOR = floor_of(0.18, 0.01)  # bounds 0.1 and 0.18, interval about 0.088 to 0.2


@pytest.mark.parametrize(
    ("target", "verdict", "words"),
    [
        (0.95, "out of reach", "no classifier on these columns is right on 95% of new rows"),
        (0.79, "reachable", "79% is no more than that"),
        (0.85, "undecided", "More rows do not bring these two together"),
        (0.905, "undecided", "90.5% looks out of reach, but 1,000 rows are too few to tell"),
        (0.81, "undecided", "81% looks in reach, but 1,000 rows are too few to tell"),
        (0.9 + 1e-9, "undecided", "no realistic number of rows decides it"),
        (1.0, "out of reach", "right on 100% of new rows"),
    ],
)
def test_a_target_gets_its_verdict(target: float, verdict: str, words: str) -> None:
    found = answer(FLOOR, target=target).target
    assert found is not None
    assert found.verdict == verdict
    assert words in found.sentence


@pytest.mark.parametrize("priors", [(0.5, 0.5), (0.25, 0.25, 0.25, 0.25)], ids=["two", "four"])
@pytest.mark.parametrize("beyond", [0.002, -0.001], ids=["above", "below"])
def test_the_rows_that_decide_a_target_do_decide_it(beyond: float, priors: Any) -> None:
    """With the interval of R shrunk by the root of the rows, the verdict falls; not before."""
    floor = floor_of(0.18, 0.01, priors=priors)
    error = floor.upper + beyond if beyond > 0 else floor.lower + beyond
    found = answer(floor, target=1 - error).target
    assert found is not None
    assert found.rows_to_decide is not None
    for factor, decided in ((1.0, True), (0.85, False)):
        n = factor * found.rows_to_decide
        later = floor_of(0.18, 0.01 * np.sqrt(1000 / n), n=int(n), priors=priors)
        verdict = answer(later, target=1 - error).target
        assert verdict is not None
        assert (verdict.verdict != "undecided") == decided


def test_errors_that_went_unseen_take_fewer_rows_to_rule_out() -> None:
    def undecided(n: int) -> Any:
        return answer(floor_of(0.0, 1.5 / n, n=n), target=0.999).target

    rows = undecided(1000).rows_to_decide
    assert 2900 <= rows <= 3100
    assert undecided(rows).verdict == "reachable"
    assert undecided(2800).verdict == "undecided"


@pytest.mark.parametrize("error", [0.42, 0.45, 0.465])
def test_rows_decide_where_the_largest_class_limits_the_error(error: float) -> None:
    rng = np.random.default_rng(3)
    floor = bf.bayes_error(rng.normal(size=(200, 1)), np.repeat([0, 1], [120, 80]))
    found = answer(floor, target=1 - error).target
    assert found is not None
    assert found.rows_to_decide is not None
    for factor, decided in ((1.0, True), (0.9, False)):
        n = int(factor * found.rows_to_decide)
        assert (minority_limit(floor.priors, n, 0.025) <= error) == decided


@given(
    st.floats(-0.05, 0.55),
    st.floats(0.0001, 0.2),
    st.floats(0.001, 1),
    st.sampled_from([2, 3, 7]),
    st.floats(1, 9),
)
def test_a_verdict_never_contradicts_the_interval(
    mismatch: float, se: float, target: float, m: int, stretched: float
) -> None:
    floor = floor_of(mismatch, se, priors=(1 / m,) * m)
    (low, high), (lower, upper) = floor.interval, (floor.lower, floor.upper)
    ends = lower - stretched * (lower - low), upper + stretched * (high - upper)
    floor = replace(floor, interval=(max(ends[0], 0.0), min(ends[1], 1 - 1 / m)))
    found = answer(floor, target=target).target
    assert found is not None
    low, high = floor.interval
    expected = "out of reach" if 1 - target < low else "reachable" if 1 - target >= high else None
    assert found.verdict == (expected or "undecided")
    if found.rows_to_decide is not None:
        assert found.rows_to_decide > 0.99 * floor.n


def test_verdicts_on_columns_of_many_texts_have_a_proviso() -> None:
    crowded = replace(FLOOR, texts_merged=True)
    asked = answer(crowded, target=0.99, model_error=0.01)
    said = "if columns of many different texts say no more than could be told apart"
    assert asked.target is not None
    assert asked.model is not None
    assert said in asked.target.sentence
    assert said in asked.model.sentence
    assert said in summary_sentences(crowded)[-1]
    both = replace(crowded, maps=("forest",))
    assert f"keeps all that matters and {said[3:]};" in summary_sentences(both)[-1]


def test_verdicts_that_rest_on_what_was_learned_say_so() -> None:
    learned = replace(FLOOR, maps=("forest",))
    for floor, said in ((FLOOR, False), (learned, True)):
        asked = [answer(floor, target=t).target for t in (0.95, 0.79)]
        models = [answer(floor, model_error=e).model for e in (0.05, 0.3)]
        out, reachable, below, room = (found.sentence for found in [*asked, *models] if found)
        assert ["if what was learned" in text for text in (out, below)] == [said, said]
        assert "learned" not in reachable + room
        assert "  " not in out + below


@pytest.mark.parametrize(
    ("error", "verdict", "to_win", "words"),
    [
        (0.30, "room left", (0.12, 0.2), "can still improve by 10.0 to 21.2 percentage points"),
        (0.15, "may be done", (0.0, 0.05), "has at most 6.2 percentage points of improvement left"),
        (0.05, "below the floor", (0.0, 0.0), "would beat every possible classifier"),
    ],
)
def test_a_model_learns_what_is_left_to_win(
    error: float, verdict: str, to_win: tuple[float, float], words: str
) -> None:
    found = answer(FLOOR, model_error=error).model
    assert found is not None
    assert found.verdict == verdict
    assert found.to_win == pytest.approx(to_win, abs=1e-9)
    assert found.to_win_interval[0] <= found.to_win[0] <= found.to_win[1]
    assert words in found.sentence


def test_a_model_without_errors_has_nothing_left_to_win() -> None:
    found = answer(floor_of(0.001, 0.001), model_error=0).model
    assert found is not None
    assert found.verdict == "may be done"
    assert found.sentence == "a model that errs on 0% of new rows has nothing left to improve."


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"target": 95}, "target is 95; pass an accuracy above 0 and up to 1, such as 0.95"),
        ({"target": 0}, "target is 0; pass"),
        ({"target": float("nan")}, "target is nan; pass"),
        ({"model_error": "0.1"}, "model_error is '0.1'; pass the share of errors"),
        ({"model_error": -0.1}, "model_error is -0.1; pass"),
        ({"model_error": True}, "model_error is True; pass"),
        ({"model_error": 10**400}, "model_error is 1000"),
    ],
)
def test_what_is_no_share_is_refused(asked: dict[str, Any], message: str) -> None:
    with pytest.raises(bf.DataError) as caught:
        answer(FLOOR, **asked)
    assert str(caught.value).startswith(message)


def test_the_document_is_versioned_and_plain() -> None:
    asked = document(FLOOR, model_error=0.3, target=0.95)
    assert asked["schema"] == SCHEMA == 1
    assert asked["model"]["to_win"] == pytest.approx([0.12, 0.2])
    assert asked["target"]["verdict"] == "out of reach"
    assert asked["best_accuracy"] == pytest.approx([0.82, 0.9])
    assert json.loads(json.dumps(asked)) == asked
    silent = document(FLOOR)
    assert silent["model"] is None
    assert silent["target"] is None
    assert silent.keys() == asked.keys()


def test_the_words_lead_with_the_interval() -> None:
    low, high = FLOOR.interval
    first, second = summary_sentences(FLOOR)
    assert first == (
        "With 95% confidence, no classifier that sees only this column is right on more than"
        f" {1 - low:.2%} of new rows, and the best possible one is right on {1 - high:.1%} or more."
    )
    assert "Without it they are 90.0% and 82.0%; the best estimate" in second
    assert FLOOR.facts()[3:6:2] == [
        (
            "Bayes error",
            f"{low:.4f} to {high:.4f} with 95% confidence (without the margin of error of"
            " 1,000 rows: 0.1000 to 0.1800)",
        ),
        (
            "best accuracy",
            f"at least {1 - high:.1%}, at most {1 - low:.2%} with 95% confidence (without the"
            " margin of error: 82.0% to 90.0%)",
        ),
    ]
    assert document(FLOOR)["best_accuracy_interval"] == [1 - high, 1 - low]


def test_a_perfect_classifier_that_cannot_be_ruled_out_is_said_to() -> None:
    for mismatch in (0.001, 0.01 * ndtri(0.975) + 1e-7):  # nothing, and next to nothing
        first, _ = summary_sentences(floor_of(mismatch, 0.01))
        assert "that it is never wrong cannot be ruled out" in first
        assert "more than 100%" not in first
