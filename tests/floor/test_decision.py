from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import bayesfloor as bf
from bayesfloor.base.arrays import Floats, Ints
from bayesfloor.base.decision_options import METRICS, DecisionOptions, Metric
from bayesfloor.bounds.actions import AnswerSets, LossTable
from bayesfloor.floor.decision import make_decision
from bayesfloor.sample.gate import make_sample

OPTIONS: dict[str, Any] = {"representation": "raw", "workers": 1}


def sample(m: int = 2, n: int = 400, seed: int = 0) -> tuple[Floats, Ints]:
    rng = np.random.default_rng(seed)
    labels = np.minimum(rng.geometric(0.5, n) - 1, m - 1)
    points = rng.normal(size=(n, 2)) + 1.3 * np.column_stack([labels == 1, labels == 2])
    return points, labels


def numbers(floor: bf.Floor) -> tuple[float, ...]:
    return (floor.lower, floor.upper, *floor.interval, floor.estimate, *floor.estimate_interval)


@pytest.mark.parametrize("m", [2, 3])
def test_equal_costs_and_the_shares_of_the_sample_change_no_digit(m: int) -> None:
    X, y = sample(m)
    plain = bf.bayes_error(X, y, **OPTIONS)
    shares = dict(enumerate(plain.priors.tolist()))
    for options in (
        {"priors": shares},
        {"cost": 1 - np.eye(m)},
        {"metric": "error"},
        {"top_k": 1},
        {"priors": shares, "cost": {(0, 1): 1}, "metric": "cost"},
    ):
        found = bf.bayes_error(X, y, **OPTIONS, **options)
        assert numbers(found) == numbers(plain)
    tenfold = bf.bayes_error(X, y, **OPTIONS, cost=10 * (1 - np.eye(m)))
    assert numbers(tenfold) == tuple(10 * value for value in numbers(plain))


@pytest.mark.parametrize("m", [2, 3])
def test_balanced_errors_are_those_at_equal_shares(m: int) -> None:
    X, y = sample(m)
    balanced = bf.bayes_error(X, y, metric="balanced", **OPTIONS)
    equal = bf.bayes_error(X, y, priors=dict.fromkeys(range(m), 1 / m), **OPTIONS)
    assert numbers(balanced) == numbers(equal)
    assert balanced.constant.loss == pytest.approx(1 - 1 / m)
    assert balanced.constant.limit == balanced.constant.loss
    assert balanced.measure().name == "balanced error"


def test_a_metric_is_an_entry(monkeypatch: pytest.MonkeyPatch) -> None:
    fair = Metric("fair", equal_shares=True, takes_costs=False, adjective="fair ", among=" at par")
    monkeypatch.setitem(METRICS, "fair", fair)
    X, y = sample(2)
    found = bf.bayes_error(X, y, metric="fair", **OPTIONS)
    assert numbers(found) == numbers(bf.bayes_error(X, y, metric="balanced", **OPTIONS))
    assert (found.measure().name, found.measure().among) == ("fair error", " at par")
    assert found.to_dict()["decision"]["metric"] == "fair"
    with pytest.raises(bf.DataError, match="cost= does not go with metric='fair'; leave one"):
        bf.bayes_error(X, y, metric="fair", cost={(0, 1): 2})


def test_balanced_costs_speak_of_equal_class_shares() -> None:
    X, y = sample(2)
    cost: Any = {(0, 1): 5.0}
    balanced = bf.bayes_error(X, y, metric="balanced", cost=cost, **OPTIONS)
    given = bf.bayes_error(X, y, priors={0: 0.5}, cost=cost, **OPTIONS)
    assert numbers(balanced) == numbers(given)
    assert balanced.to_dict()["decision"]["metric"] == "cost"
    assert "rows with equal class shares" in str(balanced.answer(target=0.1))
    assert "rows with the class shares given" in str(given.answer(target=0.1))


@pytest.mark.parametrize(
    "options",
    [
        {"priors": {"a": 0.7, "b": 0.2, "c": 0.1}},
        {"metric": "balanced"},
        {"cost": {("a", "b"): 5.0, ("c", "a"): 3.0}},
        {"cost": {("a", "b"): 5.0}, "reject": 0.4, "priors": {"a": 0.1, "b": 0.1}},
        {"top_k": 2},
    ],
)
def test_names_and_order_of_classes_change_nothing(options: dict[str, Any]) -> None:
    X, y = sample(3)
    one = bf.bayes_error(X, np.array(["a", "b", "c"])[y], **OPTIONS, **options)
    renamed = {"a": "z", "b": "y", "c": "x"}

    def rename(names: Any) -> Any:
        return tuple(map(rename, names)) if isinstance(names, tuple) else renamed[names]

    other_options: dict[str, Any] = {
        name: {rename(key): v for key, v in value.items()} if isinstance(value, dict) else value
        for name, value in options.items()
    }
    other = bf.bayes_error(X, np.array(["z", "y", "x"])[y], **OPTIONS, **other_options)
    assert numbers(other) == pytest.approx(numbers(one), abs=1e-9)


def test_the_held_out_loss_is_that_of_the_best_answers_by_hand() -> None:
    X, y = sample()
    floor = bf.bayes_error(X, y, cost={(1, 0): 10}, **OPTIONS)
    answers = floor.posterior[:, 1] * 10 > floor.posterior[:, 0]
    by_hand = np.where(y == 1, 10 * ~answers, answers).mean()
    assert floor.upper == pytest.approx(min(by_hand, float((y == 0).mean())))
    shifted = bf.bayes_error(X, y, priors={1: 0.1}, **OPTIONS)
    ratio = np.array([0.9, 0.1]) / floor.priors
    answers = floor.posterior[:, 1] * ratio[1] > floor.posterior[:, 0] * ratio[0]
    wrong = answers != (y == 1)
    by_hand = 0.9 * wrong[y == 0].mean() + 0.1 * wrong[y == 1].mean()
    assert shifted.upper == pytest.approx(min(by_hand, 0.1))


def test_no_answer_costs_no_more_than_it_says_and_no_less_than_all_answers() -> None:
    X, y = sample()
    plain = bf.bayes_error(X, y, **OPTIONS)
    cheap, dear = (bf.bayes_error(X, y, reject=cost, **OPTIONS) for cost in (0.05, 0.9))
    assert cheap.upper <= 0.05
    assert cheap.interval[1] <= 0.05
    assert dear.upper == pytest.approx(plain.upper)
    assert cheap.constant.text == "always giving no answer"


def test_several_answers_err_less_than_one() -> None:
    X, y = sample(4, 600)
    one, two, three = (bf.bayes_error(X, y, top_k=k, **OPTIONS) for k in (1, 2, 3))
    assert one.upper > two.upper > three.upper
    assert two.measure("accuracy").name == "top-2 accuracy"


def test_a_few_sets_of_answers_are_a_table_and_many_are_not() -> None:
    rng = np.random.default_rng(0)
    few, many = (make_sample(rng.normal(size=(100, 1)), np.arange(100) % m) for m in (4, 20))
    options = DecisionOptions(top_k=2)
    for one, kind in ((few, LossTable), (many, AnswerSets)):
        decision = make_decision(options, one)
        assert decision is not None
        assert isinstance(decision.actions, kind)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"priors": [0.5, 0.5]}, "priors is of type list; pass shares by class"),
        ({"priors": {0: 0.5, 1: 0.4}}, "priors sum to 0.9; pass shares that sum to 1"),
        ({"priors": {0: 1.5}}, "priors has 1.5 for class 0; pass a share between 0 and 1"),
        ({"priors": {7: 0.5}}, "priors names class 7; the classes are 0, 1"),
        ({"priors": {0: 0.5, "0": 0.5}}, "priors names class '0' twice"),
        ({"cost": {(0, 1): 1e300}}, "the largest cost is 1e+300; pass costs in another unit"),
        ({"cost": [[0, 1e-300], [0, 0]]}, "the largest cost is 1e-300; pass costs in another"),
        ({"cost": {(0, 1): -1}}, "cost of 0 answered as 1 is -1; pass costs of 0 or more"),
        ({"cost": {0: 1}}, "cost has 0, which is no pair"),
        ({"cost": [[0, 1]]}, r"cost has shape (1, 2), but there are 2 classes"),
        ({"cost": "high"}, "cost is no matrix of numbers"),
        ({"cost": np.zeros((2, 2))}, "cost is zero for all answers"),
        ({"metric": "auc"}, "metric is 'auc'; choose one of error, balanced, cost"),
        ({"metric": "cost"}, "metric='cost' needs costs"),
        ({"metric": "error", "reject": 0.1}, "reject= does not go with metric='error'"),
        ({"metric": "balanced", "priors": {0: 0.5}}, "both say how frequent classes are"),
        ({"reject": 0}, "reject is 0; pass a number above 0"),
        ({"top_k": 2}, "top_k is 2, but there are 2 classes"),
        ({"top_k": 1, "cost": {(0, 1): 2}}, "cost= does not go with top_k="),
        ({"priors": {0: 0.2}, "method": "knn"}, "method 'knn' bounds the error on rows like"),
    ],
)
def test_wrong_decisions_are_refused_in_one_sentence(options: dict[str, Any], message: str) -> None:
    X, y = sample(n=60)
    with pytest.raises(bf.DataError) as refused:
        bf.bayes_error(X, y, **options)
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)


def test_verdicts_know_the_scale_of_costs() -> None:
    X, y = sample()
    floor = bf.bayes_error(X, y, cost={(1, 0): 10, (0, 1): 4}, **OPTIONS)
    assert floor.interval[1] > 1
    found = floor.answer(target=[floor.interval[1] + 0.01, 3.0], model_error=2.5)
    assert [one.verdict for one in found.targets] == ["reachable", "trivial"]
    assert found.targets[0].accuracy is None
    assert found.targets[1].error == 3.0
    assert found.model is not None
    assert found.model.verdict == "room left"
    assert "%" not in found.model.sentence.replace("95%", "")
    with pytest.raises(bf.DataError, match="pass a mean cost"):
        floor.answer(target=-1)
    with pytest.raises(bf.DataError, match="costs have no accuracy"):
        floor.answer(target=1, shown_as="accuracy")
    with pytest.raises(bf.DataError, match="test_rows= is for the error"):
        floor.answer(model_error=1, test_rows=100)


def test_the_record_and_its_parts_keep_the_decision() -> None:
    X, y = sample(3)
    floor = bf.bayes_error(X, y, priors={0: 0.5, 1: 0.3}, reject=0.3, **OPTIONS)
    plain = floor.to_dict()["decision"]
    assert plain["metric"] == "cost"
    assert plain["priors"] == pytest.approx([0.5, 0.3, 0.2])
    assert plain["constant"]["loss"] == pytest.approx(0.3)
    part = floor.run.part(np.arange(len(y)) % 2 == 0)
    assert part.decision is not None
    assert part.decision.reject == 0.3
    assert bf.bayes_error(X, y, **OPTIONS).to_dict()["decision"] is None
