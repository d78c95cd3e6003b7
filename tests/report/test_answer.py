from __future__ import annotations

import json
import re
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bayesfloor as bf
from bayesfloor.base.cautions import Caution
from bayesfloor.base.grounds import GROUNDS
from bayesfloor.bounds.prior_error import wilson_limit
from bayesfloor.report.answer import answer, summary_sentences
from bayesfloor.report.document import SCHEMA, document
from bayesfloor.representation import LearningCurve
from bayesfloor.representation.learning_curve import Excess

NEVER_SAID = "not a better model"
"""What a verdict may not say where the lower end rests on models."""


def base_floor() -> bf.Floor:
    rng = np.random.default_rng(0)
    return bf.bayes_error(rng.normal(size=(1000, 1)), np.arange(1000) % 2)


BASE = base_floor()


def floor_of(
    low: float = 0.088,
    lower: float = 0.1,
    estimate: float = 0.13,
    upper: float = 0.18,
    high: float = 0.2,
    **others: Any,
) -> bf.Floor:
    """A floor with chosen ends."""
    return replace(
        BASE,
        lower=lower,
        upper=upper,
        interval=(low, high),
        estimate=estimate,
        **others,
    )


def curve_with(exponent: float) -> LearningCurve:
    """A learning curve that falls by a chosen power of the rows."""
    one = np.ones(1)
    sizes = np.array([800, 400, 200, 100])
    return LearningCurve(
        sizes,
        0.1 + 0.01 * (800 / sizes),
        0 * sizes + 0.001,
        Excess(one, 1.0, one, exponent),
    )


FLOOR = floor_of()
ON_MODELS = floor_of(lower_rests_on="models", maps={"forest": 1.0}, representation="learned")
PUBLISHED = floor_of(method="knn")


def target(floor: bf.Floor, accuracy: float, **asked: Any) -> Any:
    found = answer(floor, target=accuracy, **asked).target
    assert found is not None
    return found


def model(floor: bf.Floor, error: float, **asked: Any) -> Any:
    found = answer(floor, model_error=error, **asked).model
    assert found is not None
    return found


# --- targets


@pytest.mark.parametrize(
    ("wanted", "verdict", "in_errors", "in_accuracies"),
    [
        (
            0.95,
            "out of reach",
            "no classifier errs on 5% or less of new rows from these columns, however many rows it"
            " learns from; the limit is 8.80%",
            "no classifier is right on 95% or more of new rows from these columns, however many"
            " rows it learns from; the limit is 91.20%",
        ),
        (
            0.79,
            "reachable",
            "errs on 18.0% of the others, on 20.0% or less of new rows with 95% confidence, which"
            " meets the target of 21%",
            "is right on 82.0% of the others, on 80.0% or more of new rows with 95% confidence,"
            " which meets the target of 79%",
        ),
        (
            0.81,
            "undecided",
            "19% looks in reach, but 1,000 rows are too few to tell; about",
            "81% looks in reach, but 1,000 rows are too few to tell; about",
        ),
        (
            0.905,
            "undecided",
            "9.5% looks out of reach, but 1,000 rows are too few to tell; about",
            "90.5% looks out of reach, but 1,000 rows are too few to tell; about",
        ),
        (
            0.87,
            "undecided",
            "13% is so close to the best estimate, 13.0%, that no realistic number of",
            "87% is so close to the best estimate, 87.0%, that no realistic number of",
        ),
        (1.0, "out of reach", "errs on 0% or less", "right on 100% or more of new rows"),
    ],
)
def test_a_target_gets_its_verdict(
    wanted: float, verdict: str, in_errors: str, in_accuracies: str
) -> None:
    for measure, words in (("error", in_errors), ("accuracy", in_accuracies)):
        found = target(FLOOR, wanted, shown_as=measure)
        assert found.verdict == verdict
        assert words in found.sentence
        share = 100 * (wanted if measure == "accuracy" else 1 - wanted)
        assert found.heading == f"Target of {share:.4g}% {measure}: {verdict}"


def test_what_the_largest_class_gives_is_said_first() -> None:
    rare = replace(
        floor_of(0.01, 0.02, 0.03, 0.04, 0.06),
        classes=np.array(["no", "yes"]),
        priors=np.array([0.9, 0.1]),
    )
    trivial = target(rare, 0.85, shown_as="accuracy")
    assert trivial.verdict == "trivial"
    assert trivial.sentence.startswith(
        "always answering 'no' is right on 90.0% of these rows, which"
    )
    assert target(rare, 0.85).sentence.startswith("always answering 'no' errs on 10.0% of these")
    met = target(rare, 0.85, model_error=0.05)
    assert met.verdict == "trivial", "the model is no news where a constant would do"
    close = target(rare, 0.895)  # of 1000 rows, 90 % may be 89 %
    assert close.verdict == "reachable"
    assert close.sentence.startswith("always answering 'no' errs on 10.0% of these rows already; a")
    assert "always" not in target(rare, 0.91).sentence
    useless = model(rare, 0.12).sentence
    assert "no better than the largest class: always answering 'no' errs on 10.0%" in useless
    assert "always" not in model(rare, 0.09).sentence


def test_verdicts_speak_of_errors_or_of_accuracies_and_never_of_both() -> None:
    floors = FLOOR, ON_MODELS, PUBLISHED, floor_of(0.0), floor_of(0.01, 0.02, 0.03, 0.04, 0.05)
    for floor in floors:
        for shown_as, other in (("error", "right on|accurac"), ("accuracy", r"\berrs?\b|error")):
            found = answer(
                floor,
                target=[0.4, 0.79, 0.85, 0.95, 0.995],
                model_error=0.21,
                test_rows=90,
                shown_as=shown_as,
            )
            below = answer(floor, model_error=0.001, target=0.9, shown_as=shown_as)
            texts = [str(found), str(below), *summary_sentences(floor, shown_as)]
            texts += [text for name, text in floor.facts(shown_as) if name != "note"]
            texts += [*found.headings(), str(found.targets)]
            for text in texts:
                said = text.replace("margin of error", "")
                assert not re.search(other, said), text


def test_several_targets_make_a_table() -> None:
    found = FLOOR.answer(target=[0.79, 0.81, 0.87, 0.95])
    table = found.targets
    assert [one.verdict for one in table] == ["reachable", "undecided", "undecided", "out of reach"]
    assert found.target == table[0]
    assert len(table) == 4
    lines = str(table).splitlines()
    assert lines[0].split("  ")[0] == "target, error"
    rows = f"about {table[1].rows_to_decide:,}"
    assert re.split(r"\s{2,}", lines[2]) == ["19%", "undecided", rows]
    assert lines[4].endswith("neighbours")
    assert all(len(line) <= 60 for line in lines)
    frame = table.to_frame()
    assert frame["accuracy"].to_list() == [0.79, 0.81, 0.87, 0.95]
    assert frame["rows_to_decide"].to_list() == table.to_dict()["rows_to_decide"]
    html = found._repr_html_()
    assert "rests on" in html
    assert "rests on" not in FLOOR.answer(target=[0.79, 0.81]).targets._repr_html_()
    assert html.count("<tr>") == 5
    one = bf.answer(FLOOR, target=0.95)
    assert one.target == table[3]
    assert str(one) == f"your target     out of reach: {table[3].sentence}"
    assert "<table>" not in one._repr_html_()
    assert FLOOR.answer().targets.to_frame().shape == (0, 6)
    assert str(FLOOR.answer(target=np.array([0.79, 0.95])).targets) == "\n".join(
        FLOOR.answer(target=iter([0.79, 0.95])).targets.lines()
    )


def test_hostile_class_names_stay_inert_in_a_notebook() -> None:
    hostile = replace(
        FLOOR, classes=np.array(["<script>", "b"]), priors=np.array([0.9, 0.1]), n=1000
    )
    html = hostile.answer(target=[0.5, 0.9])._repr_html_()
    assert "&lt;script&gt;" in html
    assert "<script" not in html


@pytest.mark.parametrize("side", [-1, 1], ids=["out of reach", "in reach"])
@pytest.mark.parametrize("exponent", [None, 0.3, 1.0])
def test_the_rows_that_decide_a_target_fall_as_it_moves_away(
    side: int, exponent: float | None
) -> None:
    curve = None if exponent is None else curve_with(exponent)
    floor = floor_of(0.1, 0.14, 0.15, 0.16, 0.2, learning_curve=curve)
    rows = [
        target(floor, 1 - (0.15 + side * apart)).rows_to_decide
        for apart in (0.001, 0.005, 0.01, 0.02, 0.03, 0.04)
    ]
    known = [count for count in rows if count is not None]
    assert rows[0] is None
    assert len(known) >= 3
    assert rows[-len(known) :] == known, "once some rows decide it, they do farther away too"
    assert all(far < near for near, far in pairwise(known))
    assert min(known) > floor.n


@pytest.mark.parametrize("error", [0.11, 0.125, 0.17, 0.185])
@pytest.mark.parametrize("exponent", [None, 0.4])
def test_the_rows_that_decide_a_target_do_decide_it(error: float, exponent: float | None) -> None:
    """With margins and slack shrunk as they are said to, the verdict falls; not before."""
    curve = None if exponent is None else curve_with(exponent)
    floor = floor_of(0.09, 0.12, 0.15, 0.16, 0.19, learning_curve=curve)
    rows = target(floor, 1 - error).rows_to_decide
    rate = 0.5 if exponent is None else exponent
    for factor, decided in ((1.05, True), (0.85, False)):
        times = factor * rows / floor.n
        lower, upper = 0.15 - 0.03 * times**-rate, 0.15 + 0.01 * times**-rate
        ends = lower - 0.03 * times**-0.5, upper + 0.03 * times**-0.5
        later = floor_of(ends[0], lower, 0.15, upper, ends[1], n=int(times * floor.n))
        assert (target(later, 1 - error).verdict != "undecided") == decided


def test_a_slow_learning_curve_takes_more_rows() -> None:
    slow, fast = (
        target(floor_of(learning_curve=curve_with(exponent)), 0.88).rows_to_decide
        for exponent in (0.3, 0.75)
    )
    assert slow > 3 * fast


def test_errors_that_went_unseen_take_fewer_rows_to_rule_out() -> None:
    """Wilson's limit of no error at all shrinks like the rows, not like their root."""

    def undecided(n: int) -> Any:
        return target(floor_of(0.0, 0.0, 0.0, 0.0, wilson_limit(0.0, n, 0.025), n=n), 0.999)

    rows = undecided(1000).rows_to_decide
    assert 3800 <= rows <= 4000
    assert undecided(rows).verdict == "reachable"
    assert undecided(3700).verdict == "undecided"


@given(
    st.lists(st.floats(0, 0.5), min_size=5, max_size=5).map(sorted),
    st.floats(0.001, 1),
    st.sampled_from(["wnn", "knn"]),
)
def test_a_verdict_never_contradicts_the_interval(
    ends: list[float], wanted: float, method: str
) -> None:
    floor = floor_of(*ends, method=method)
    found = target(floor, wanted)
    low, high = floor.interval
    expected = "out of reach" if 1 - wanted < low else "reachable" if 1 - wanted >= high else None
    if found.verdict == "trivial":
        assert 1 - wanted >= 0.5
        return
    assert found.verdict == (expected or "undecided")
    if found.rows_to_decide is not None:
        assert found.rows_to_decide > 0.99 * floor.n


def test_published_bounds_stay_apart_however_many_rows_there_are() -> None:
    between = target(PUBLISHED, 0.85)
    assert between.verdict == "undecided"
    assert between.rows_to_decide is None
    assert "more rows do not bring these together; method wnn may decide it" in between.sentence
    assert target(PUBLISHED, 0.81).rows_to_decide is not None  # beyond the bounds they do
    assert target(FLOOR, 0.85).rows_to_decide is not None


@pytest.mark.parametrize(
    ("error", "rows", "verdict"),
    [
        (0.1, None, "already met"),  # 1 − 0.9 is a little less than 0.1
        (0.04, None, "already met"),
        (0.11, None, "undecided"),
        (0.08, 100, "undecided"),  # its margin of error reaches above 10 %
        (0.08, 10_000, "already met"),
    ],
)
def test_a_target_that_the_model_meets_is_already_met(
    error: float, rows: int | None, verdict: str
) -> None:
    found = target(FLOOR, 0.9, model_error=error, test_rows=rows)
    assert found.verdict == verdict
    if verdict == "already met":
        assert found.sentence.startswith("your model errs on 10% or less already")
        assert found.rows_to_decide is None
        assert found.rests_on is None
        assert ("check its test first" in found.sentence) == (error < FLOOR.interval[0])


# --- what the verdicts rest on


@pytest.mark.parametrize("ground", GROUNDS)
def test_verdicts_on_the_lower_end_say_what_it_rests_on(ground: str) -> None:
    floor = replace(FLOOR, lower_rests_on=ground)
    out, below = target(floor, 0.95), model(floor, 0.05)
    assert (out.verdict, below.verdict) == ("out of reach", "below the floor")
    for found in (out, below):
        assert found.rests_on == ground
        assert GROUNDS[ground].condition in found.sentence
        assert "  " not in found.sentence
    reachable, room = target(floor, 0.79), model(floor, 0.3)
    assert (reachable.rests_on, room.rests_on) == (None, None)
    assert GROUNDS[ground].condition not in reachable.sentence + room.sentence


def test_verdicts_on_models_speak_of_the_kinds_that_were_tried() -> None:
    texts = [target(ON_MODELS, 0.95).sentence, model(ON_MODELS, 0.05).sentence]
    texts.append(summary_sentences(ON_MODELS)[0])
    for text in texts:
        assert "model of the kinds that were tried" in text
        assert NEVER_SAID not in text
        assert "no classifier" not in text
        assert "every possible classifier" not in text
    assert "a model of another kind" in texts[0]
    assert NEVER_SAID in target(FLOOR, 0.95).sentence


def test_verdicts_by_published_methods_rest_on_neighbours_at_both_ends() -> None:
    reachable, room = target(PUBLISHED, 0.79), model(PUBLISHED, 0.3)
    assert (reachable.rests_on, room.rests_on) == ("neighbours", "neighbours")
    said = reachable.sentence + room.sentence + summary_sentences(PUBLISHED)[1]
    assert "rule" not in said
    assert "comparing every row with its k-th nearest neighbour" in said
    facts = dict(PUBLISHED.facts())
    assert facts["both ends"].startswith("rests on the labels of near rows; holds if labels do not")


def test_verdicts_on_columns_of_many_texts_have_a_proviso() -> None:
    crowded = replace(FLOOR, texts_merged=True)
    said = "columns of many different texts say no more than could be told apart"
    assert f"spread over many rows and {said}." in target(crowded, 0.99).sentence
    assert said in model(crowded, 0.01).sentence
    assert f"spread over many rows and {said}." in summary_sentences(crowded)[-1]
    assert said not in summary_sentences(FLOOR)[-1]


def test_a_floor_without_its_free_text_asks_for_numbers_from_it() -> None:
    left_out = replace(FLOOR, texts_left_out=("letter", "memo"))
    said = "the free text that was left out ('letter', 'memo') tells no more"
    assert said in dict(left_out.facts())["lower end"]
    needed = "Better columns are needed, such as numbers from the free text that was left out, not"
    assert needed in target(left_out, 0.99).sentence
    assert "free text" not in target(FLOOR, 0.99).sentence


def test_cautions_come_before_other_notes() -> None:
    noted = replace(FLOOR, notes=("one", Caution("Look out", "two"), "three"))
    assert noted.facts()[-3:] == [("caution", "two"), ("note", "one"), ("note", "three")]


# --- models


@pytest.mark.parametrize(
    ("error", "verdict", "to_win", "words"),
    [
        (0.30, "room left", (0.12, 0.2), "can still improve by 10.0 percentage points or more"),
        (0.15, "may be done", (0.0, 0.05), "has at most 6.2 percentage points of improvement left"),
        (0.05, "below the floor", (0.0, 0.0), "would beat every possible classifier"),
    ],
)
def test_a_model_learns_what_is_left_to_win(
    error: float, verdict: str, to_win: tuple[float, float], words: str
) -> None:
    found = model(FLOOR, error)
    assert found.verdict == verdict
    assert found.to_win == pytest.approx(to_win, abs=1e-9)
    assert found.to_win_interval[0] <= found.to_win[0] <= found.to_win[1]
    assert found.error_interval is None
    assert words in found.sentence


@pytest.mark.parametrize(
    ("error", "sure", "unsure"), [(0.24, "room left", 50), (0.07, "below the floor", 200)]
)
def test_a_small_test_set_leaves_its_verdict_open(error: float, sure: str, unsure: int) -> None:
    assert model(FLOOR, error).verdict == sure
    assert model(FLOOR, error, test_rows=100_000).verdict == sure
    found = model(FLOOR, error, test_rows=unsure)
    assert found.verdict == "may be done"
    least, most = found.error_interval
    assert least < error < most
    assert most == pytest.approx(wilson_limit(error, unsure, 0.025))
    assert 1 - least == pytest.approx(wilson_limit(1 - error, unsure, 0.025))
    assert found.to_win_interval[1] == pytest.approx(most - FLOOR.interval[0])
    margin = r" \(\d+\.\d{1,3}% to \d+\.\d{1,3}% by its test rows\) has at most"
    assert re.search(margin, found.sentence)


def test_a_model_without_errors_has_nothing_left_to_win() -> None:
    floor = floor_of(0.0, 0.0, 0.001, 0.002, 0.003)
    found = model(floor, 0)
    assert found.verdict == "may be done"
    assert found.sentence == "a model that errs on 0% of new rows has nothing left to improve."
    assert "nothing left" not in model(floor, 0, test_rows=100).sentence  # it may err after all


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"target": 95}, "target is 95; pass an accuracy above 0 and up to 1, such as 0.95"),
        ({"target": 0}, "target is 0; pass"),
        ({"target": float("nan")}, "target is nan; pass"),
        ({"model_error": "0.1"}, "model_error is '0.1'; pass the share of errors"),
        ({"model_error": -0.1}, "model_error is -0.1; pass"),
        ({"target": [0.9, 95]}, "target is 95; pass an accuracy above 0 and up to 1"),
        ({"target": "95%"}, "target is '95%'; pass an accuracy"),
        ({"model_error": [0.1, 0.2]}, "model_error is [0.1, 0.2]; pass the share of errors"),
        ({"shown_as": "f1"}, "shown_as is 'f1'; choose one of error, accuracy"),
        ({"model_error": True}, "model_error is True; pass"),
        ({"model_error": 10**400}, "model_error is 1000"),
        ({"test_rows": 0}, "test_rows is 0; pass the number of rows that the model was tested on"),
        ({"test_rows": 0.8}, "test_rows is 0.8; pass the number"),
        ({"test_rows": 20.5}, "test_rows is 20.5; pass the number"),
        ({"test_rows": float("inf")}, "test_rows is inf; pass the number"),
        (
            {"test_rows": 100, "target": 0.9},
            "test_rows adds to model_error; pass model_error too or leave it out",
        ),
    ],
)
def test_what_cannot_be_asked_is_refused(asked: dict[str, Any], message: str) -> None:
    with pytest.raises(bf.DataError) as caught:
        answer(FLOOR, **asked)
    assert str(caught.value).startswith(message)


# --- the document and the words


def test_the_document_is_versioned_and_plain() -> None:
    asked = document(ON_MODELS, model_error=0.3, test_rows=500, target=0.95)
    assert asked["schema"] == SCHEMA == 2
    assert asked["model"]["to_win"] == pytest.approx([0.12, 0.2])
    assert len(asked["model"]["error_interval"]) == 2
    assert asked["target"]["verdict"] == "out of reach"
    assert asked["target"]["rests_on"] == "models"
    assert asked["best_accuracy"] == pytest.approx([0.82, 0.9])
    assert json.loads(json.dumps(asked)) == asked
    silent = document(FLOOR)
    assert silent["model"] is None
    assert silent["target"] is None
    assert silent["targets"] == []
    several = document(FLOOR, target=[0.79, 0.95], shown_as="accuracy")
    assert [one["verdict"] for one in several["targets"]] == ["reachable", "out of reach"]
    assert several["target"] == several["targets"][0]
    assert several["target"]["heading"] == "Target of 79% accuracy: reachable"
    assert (asked["shown_as"], several["shown_as"]) == ("error", "accuracy")
    assert silent.keys() == asked.keys()


def test_the_document_says_what_the_lower_end_rests_on_and_keeps_the_published_bounds() -> None:
    rng = np.random.default_rng(1)
    labels = np.arange(400) % 2
    floor = bf.bayes_error(rng.normal(size=(400, 8)) + labels[:, None] / 2, labels)
    found = document(floor)
    assert found["lower_rests_on"] == floor.lower_rests_on == "models"
    published = found["henze_penrose"]
    assert published["mismatch"] == floor.mismatch
    assert published["divergence_interval"] == list(floor.henze_penrose.divergence_interval or ())
    assert published["lower"] <= published["upper"]
    assert "mismatch" not in found
    curve = found["learning_curve"]
    assert curve["rows"] == sorted(curve["rows"], reverse=True)
    assert len(curve["rows"]) == len(curve["loss"]) == 4
    assert curve["excess"] >= 0
    assert sum(found["maps"].values()) == pytest.approx(1)
    assert json.loads(json.dumps(found)) == found


def test_the_words_lead_with_the_interval() -> None:
    first, second = summary_sentences(FLOOR, "accuracy")
    assert first == (
        "With 95% confidence, no classifier that sees only this column is right on more than 91.20%"
        " of new rows, and the best possible classifier is right on 80.0% or more."
    )
    assert second == (
        "The lower number is measured: a rule learned on some of the 1,000 rows is right on 82.0%"
        " of the others. The higher one rests on the labels of near rows: it holds if labels do not"
        " change abruptly between near rows and what a rule misses is spread over many rows. The"
        " best estimate of the best possible accuracy is"
        " 87.0%."
    )
    first, second = summary_sentences(FLOOR)
    assert "errs on less than 8.80% of new rows, and the best possible classifier errs on" in first
    assert second.startswith("The higher number is measured: a rule learned on some of the 1,000")
    assert second.endswith("The best estimate of the lowest possible error is 13.0%.")
    assert document(FLOOR)["best_accuracy_interval"] == [1 - 0.2, 1 - 0.088]


def test_facts_lead_with_the_interval_and_what_it_rests_on() -> None:
    errors, accuracies = FLOOR.facts(), FLOOR.facts("accuracy")
    names = ["Bayes error", "estimate", "upper end", "lower end", "data", "classes", "method"]
    assert [name for name, _ in errors][:7] == names
    assert dict(errors)["Bayes error"] == (
        "8.80% to 20.0% with 95% confidence (without the margin of error of 1,000 rows: 10.0% to"
        " 18.0%)"
    )
    assert dict(accuracies)["best accuracy"] == (
        "80.0% to 91.20% with 95% confidence (without the margin of error of 1,000 rows: 82.0% to"
        " 90.0%)"
    )
    assert dict(errors)["upper end"].startswith("rests on a rule that errs on 18.0% of rows it was")
    assert dict(errors)["lower end"].startswith("rests on the labels of near rows; holds if labels")
    assert dict(accuracies)["upper end"] == dict(errors)["lower end"]
    assert "cannot be ruled out" in dict(floor_of(0.0).facts())["lower end"]
    assert str(FLOOR).splitlines()[0] == f"Bayes error     {dict(errors)['Bayes error']}"


@pytest.mark.parametrize("low", [0.0, 1e-7])
def test_a_perfect_classifier_that_cannot_be_ruled_out_is_said_to(low: float) -> None:
    first, second = summary_sentences(floor_of(low))
    assert "that it is never wrong cannot be ruled out" in first
    assert "more than 100%" not in first
    assert second.startswith("This number is measured")
    assert "these rows give none with that confidence" in second
