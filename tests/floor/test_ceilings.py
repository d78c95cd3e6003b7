from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import norm

import bayesfloor as bf
from bayesfloor import populations
from bayesfloor.floor.ceilings import RATES, roc_curve
from bayesfloor.report.ceiling_facts import ceiling_facts
from bayesfloor.report.charts.roc import roc_sentence
from bayesfloor.report.document import document

TRUTH = populations.shift(2, 2)


@pytest.fixture(scope="module")
def floor() -> bf.Floor:
    x, y = TRUTH.draw(300, 500, np.random.default_rng(4))
    return bf.bayes_error(np.vstack([x, y]), np.repeat(["first", "second"], [300, 500]), workers=1)


def test_the_best_area_and_curve_lie_between_reached_and_not_exceeded(floor: bf.Floor) -> None:
    first, second = floor.ceilings.classes
    low, high = first.auc.interval
    assert low < TRUTH.auc() < high < 1
    assert second.auc.interval == pytest.approx(first.auc.interval)
    best = norm.cdf(2 - norm.isf(RATES))  # the ROC curve of two normals, two standard deviations
    assert (best <= first.not_exceeded + 1e-9).all()
    assert (first.reached <= first.not_exceeded).all()
    assert np.abs(first.reached - best)[RATES > 0.02].max() < 0.12
    assert floor.ceilings.rests_on == floor.lower_rests_on


def test_rates_of_the_rule_are_counted_by_hand(floor: bf.Floor) -> None:
    answers, first = floor.posterior.argmax(axis=1), floor.ceilings.classes[0]
    right = (answers == 0) & (floor.labels == 0)
    assert first.recall.value == pytest.approx(right.sum() / 300)
    assert first.precision.value == pytest.approx(right.sum() / (answers == 0).sum())
    for rate in (first.recall, first.precision):
        assert rate.interval[0] < rate.value < rate.interval[1]
        assert rate.value <= rate.ceiling < 1


def test_a_curve_is_that_of_all_thresholds_with_ties() -> None:
    scores, y = np.array([0.5, 0.5, 0.2, 0.2]), np.array([True, False, True, False])
    assert roc_curve(scores, y, np.array([0.0, 0.25, 0.5, 1.0])).tolist() == [0, 0.25, 0.5, 1]


def test_ceilings_of_many_classes_are_one_against_the_rest() -> None:
    rng = np.random.default_rng(0)
    y = np.arange(300) % 3
    X = rng.normal(size=(300, 2)) + 2 * np.column_stack([y == 1, y == 2])
    many = bf.bayes_error(X, y, representation="raw", workers=1)
    assert [one.code for one in many.ceilings.classes] == [0, 1, 2]
    renamed = bf.bayes_error(X, np.array(["c", "b", "a"])[y], representation="raw", workers=1)
    for one, other in zip(many.ceilings.classes, renamed.ceilings.classes[::-1], strict=True):
        assert other.auc.interval == pytest.approx(one.auc.interval, abs=1e-9)
        assert other.recall.ceiling == pytest.approx(one.recall.ceiling, abs=1e-6)
    assert len([fact for fact in ceiling_facts(many) if fact[0] == "best AUC"]) == 3


def test_ceilings_are_in_the_document_if_asked_for_and_in_a_chart(floor: bf.Floor) -> None:
    assert document(floor)["ceilings"] is None
    made = document(floor, ceilings=True)["ceilings"]
    assert [one["class"] for one in made["classes"]] == ["first", "second"]
    assert made["classes"][0]["auc"]["interval"] == list(floor.ceilings.classes[0].auc.interval)
    assert "nobody gets above" in str(floor.chart("roc").to_dict())


def test_a_ceiling_of_all_rows_is_told_as_none(floor: bf.Floor) -> None:
    first = floor.ceilings.classes[0]
    assert f"nobody finds more than {first.recall.ceiling:.1%}" in roc_sentence(floor, first)
    for ceiling in (1.0, 1 - 1e-9):
        text = roc_sentence(floor, replace(first, recall=replace(first.recall, ceiling=ceiling)))
        assert "more than 100" not in text
        assert "finds all of them without more false alarms cannot be ruled out" in text


def test_methods_and_items_without_ceilings_say_so() -> None:
    X, y = np.random.default_rng(0).normal(size=(60, 1)), np.arange(60) % 2
    with pytest.raises(bf.DataError, match="ceilings need method 'wnn'"):
        _ = bf.bayes_error(X, y, method="knn").ceilings
    grouped = bf.bayes_error(X, y, groups=np.arange(60) // 5)
    with pytest.raises(bf.DataError, match="ceilings need independent rows, and groups="):
        _ = grouped.ceilings
    with pytest.raises(bf.DataError, match="chart 'roc' needs"):
        grouped.chart("roc")
    with pytest.raises(bf.DataError, match="ceilings need rows with columns"):
        _ = bf.bayes_error_from_votes([[3, 1], [0, 4], [2, 2]]).ceilings
