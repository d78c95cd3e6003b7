"""The user's model beside the floor: error, regret, calibration, and where it loses."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import bayesfloor as bf
from bayesfloor.base.arrays import Floats
from bayesfloor.base.formatting import percent
from bayesfloor.bounds.prior_error import wilson_limit
from bayesfloor.report.answer import ALREADY_MET, BELOW, ROOM, WITHIN
from bayesfloor.shells.cli.error_axis import BLOCKS, draw_axis

N = 600
bayes_error = partial(bf.bayes_error, representation="raw")  # learns no maps, so it takes no time
SOURCE = bf.populations.shift(d=2, delta=2)


@pytest.fixture(scope="module")
def data() -> tuple[Floats, Any, Floats]:
    """Return points, labels and the true posteriors of both classes."""
    rng = np.random.default_rng(1)
    points = np.vstack(SOURCE.draw(N // 2, N // 2, rng))
    eta = SOURCE.posterior(points)
    return points, np.repeat(["a", "b"], N // 2), np.column_stack([eta, 1 - eta])


@pytest.fixture(scope="module")
def alone(data: Any) -> bf.Floor:
    return bayes_error(data[0], data[1])


@pytest.fixture(scope="module")
def one_sided(data: Any) -> bf.Floor:
    """Return the floor with a model that looks at the first class alone to be unsure."""
    points, labels, eta = data
    tilted = eta * np.array([1.0, 6.0])
    return bayes_error(points, labels, predictions=tilted / tilted.sum(axis=1, keepdims=True))


def test_without_predictions_there_is_no_model(alone: bf.Floor) -> None:
    assert alone.model is None
    assert alone.to_dict()["predictions"] is None


def test_the_error_is_counted_and_has_its_own_margin(data: Any, one_sided: bf.Floor) -> None:
    _, labels, eta = data
    model = one_sided.model
    assert model is not None
    wrong = np.where(eta[:, 0] > 6 * eta[:, 1], "a", "b") != labels
    assert model.error == pytest.approx(wrong.mean())
    high, low = (wilson_limit(one, N, 0.025) for one in (wrong.mean(), 1 - wrong.mean()))
    assert model.interval == pytest.approx((1 - low, high))
    assert model.rows == N


def test_regret_is_paired_and_narrower_than_two_intervals(one_sided: bf.Floor) -> None:
    model = one_sided.model
    assert model is not None
    low, high = model.regret_interval
    assert 0 < low <= model.regret[0] <= model.regret[1] <= high
    assert model.regret[0] == pytest.approx(model.error - model.rule_error)
    unpaired = model.interval[1] - one_sided.interval[0]
    assert high < unpaired
    assert low > model.interval[0] - one_sided.interval[1]
    true = 0.0854  # of this model on 2,000,000 new rows
    assert low < true < high


def test_it_loses_on_the_class_that_it_neglects(one_sided: bf.Floor) -> None:
    model = one_sided.model
    assert model is not None
    first, second = model.classes
    assert first.code == 0
    assert first.interval[0] > 0 > second.interval[1]
    total = sum((one.loss - one.rule_loss) * one.rows for one in model.classes) / N
    assert total == pytest.approx(model.error - model.rule_error)
    assert model.regions
    assert all(one.interval[0] > 0 and one.rows >= 30 for one in model.regions)


def test_rows_lose_what_the_posterior_says(one_sided: bf.Floor) -> None:
    model = one_sided.model
    assert model is not None
    p = one_sided.posterior
    expected = p.max(axis=1) - p[np.arange(N), model.answers]
    np.testing.assert_allclose(model.row_regret, expected, atol=1e-12)


def test_a_tilted_model_is_not_calibrated_and_the_truth_is(data: Any, one_sided: bf.Floor) -> None:
    assert one_sided.model is not None
    assert one_sided.model.calibration is not None
    assert not one_sided.model.calibration.is_honest
    points, labels, eta = data
    honest = bayes_error(points, labels, predictions=eta).model
    assert honest is not None
    assert honest.calibration is not None
    assert honest.calibration.is_honest
    assert honest.regret_interval[0] == 0


def test_a_useless_model_leaves_the_floor_as_it_is(data: Any, alone: bf.Floor) -> None:
    points, labels, eta = data
    shuffled = np.random.default_rng(3).permutation(eta)
    floor = bayes_error(points, labels, predictions=shuffled)
    assert floor.model is not None
    assert floor.model.weight == 0
    assert floor.interval == alone.interval
    np.testing.assert_array_equal(floor.posterior, alone.posterior)
    assert floor.answer().model.verdict == ROOM


def test_a_model_that_has_seen_the_labels_is_told_and_has_no_part(
    data: Any, alone: bf.Floor
) -> None:
    points, labels, _ = data
    seen = np.where(np.random.default_rng(4).random(N) < 0.99, labels, "a")
    floor = bayes_error(points, labels, predictions=seen)
    assert floor.model is not None
    assert floor.model.beats_floor
    assert floor.interval == alone.interval
    assert any("have no part in the floor" in note for note in floor.notes)
    assert floor.answer().model.verdict == BELOW


def test_probabilities_that_know_too_much_are_told_though_their_answers_do_not(data: Any) -> None:
    points, labels, eta = data
    own = np.eye(2)[(labels == "b").astype(int)]
    mixed = 0.55 * eta + 0.45 * own
    unsure = np.where(mixed.argmax(axis=1) == 0, 0.51, 0.49)
    answers = np.where((eta[:, 0] > 0.5) == (unsure > 0.5), mixed[:, 0], unsure)
    floor = bayes_error(points, labels, predictions=np.column_stack([answers, 1 - answers]))
    assert floor.model is not None
    assert floor.model.beats_floor


def test_a_model_that_sees_more_takes_the_rule_over() -> None:
    """Labels depend on a column that the floor is not given; the model was."""
    rng = np.random.default_rng(5)
    points = rng.normal(size=(800, 3))
    p = 1 / (1 + np.exp(-3 * np.sin(4 * points[:, 0]) * np.sign(points[:, 1])))
    labels = (rng.random(800) < p).astype(int)
    alone = bayes_error(points, labels)
    floor = bayes_error(points, labels, predictions=np.column_stack([1 - p, p]))
    assert floor.model is not None
    assert floor.model.weight > 0.5
    assert floor.upper < alone.upper - 0.02
    true = float(np.minimum(p, 1 - p).mean())
    assert floor.interval[0] < true < floor.interval[1]
    assert any("was not learned from" in note for note in floor.notes)
    assert "if the predictions" in str(floor)
    assert floor.answer().model.verdict == WITHIN
    assert floor.answer(target=0.6).target.verdict == ALREADY_MET


def test_names_and_order_of_classes_change_nothing(data: Any, one_sided: bf.Floor) -> None:
    points, labels, eta = data
    tilted = eta * np.array([1.0, 6.0])
    swapped = bayes_error(
        points,
        np.where(labels == "a", "z", "b"),
        predictions=(tilted / tilted.sum(axis=1, keepdims=True))[:, ::-1],
    )
    assert swapped.model is not None
    assert one_sided.model is not None
    assert swapped.model.regret_interval == pytest.approx(one_sided.model.regret_interval, abs=1e-9)


def test_costs_judge_the_model_by_costs(data: Any) -> None:
    points, labels, eta = data
    answers = np.where(eta[:, 0] > 0.5, "a", "b")
    floor = bayes_error(points, labels, predictions=answers, cost={("a", "b"): 10})
    assert floor.model is not None
    by_hand = np.where(labels == answers, 0, np.where(labels == "a", 10, 1)).mean()
    assert floor.model.error == pytest.approx(by_hand)
    assert floor.model.regret_interval[0] > 0
    assert floor.answer().model.verdict == ROOM
    with pytest.raises(bf.DataError, match="top_k= names several"):
        bayes_error(points, np.repeat([0, 1, 2], N // 3), predictions=[0] * N, top_k=2)


def test_equal_costs_say_the_same_of_the_model(data: Any, one_sided: bf.Floor) -> None:
    points, labels, eta = data
    tilted = eta * np.array([1.0, 6.0])
    p = tilted / tilted.sum(axis=1, keepdims=True)
    floor = bayes_error(points, labels, predictions=p, cost={("a", "b"): 1})
    assert floor.model is not None
    assert one_sided.model is not None
    assert floor.model.regret_interval == pytest.approx(one_sided.model.regret_interval, abs=1e-12)


def test_groups_widen_the_models_margin(data: Any) -> None:
    points, labels, eta = data
    groups = np.arange(N) // 20
    floor = bayes_error(points, labels, predictions=eta, groups=groups)
    assert floor.model is not None
    wrong = float((np.where(eta[:, 0] > 0.5, "a", "b") != labels).mean())
    assert floor.model.interval[1] > wilson_limit(wrong, N, 0.025)


def test_a_key_joins_a_table_and_some_rows_may_lack_a_prediction(data: Any, tmp_path: Path) -> None:
    points, labels, eta = data
    ids = [f"r{i}" for i in range(N)]
    table = pl.DataFrame({"id": ids, "x": points[:, 0], "y": points[:, 1], "sort": labels})
    answers = pl.DataFrame({"id": ids, "p": np.where(eta[:, 0] > 0.5, "a", "b")})
    file = tmp_path / "model.csv"
    answers.sample(fraction=0.5, shuffle=True, seed=1).write_csv(file)
    floor = bayes_error(table, "sort", predictions=file, key="id")
    assert floor.model is not None
    assert floor.model.rows == N // 2
    assert floor.columns == 2
    assert any("300 of 600 rows have a prediction" in note for note in floor.notes)
    assert floor.model.weight == 0
    assert np.isnan(floor.model.row_regret).sum() == N // 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"key": "id"}, "key= joins predictions to rows"),
        ({"key": "id", "predictions": [0] * 4}, "key= is for tables"),
        ({"predictions": [0] * 3}, "there are 3 predictions for 4 rows"),
    ],
)
def test_what_does_not_fit_is_one_line(options: Any, message: str) -> None:
    with pytest.raises(bf.DataError, match=message):
        bayes_error([[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1], **options)


def test_a_part_of_the_rows_takes_its_predictions_along(one_sided: bf.Floor) -> None:
    kept = np.arange(N) % 2 == 0
    part = one_sided.run.part(kept)
    assert part.model is not None
    assert part.model.rows == N // 2


def test_the_error_of_a_model_is_not_given_twice(one_sided: bf.Floor) -> None:
    with pytest.raises(bf.DataError, match="leave out model_error="):
        one_sided.answer(model_error=0.2)


def test_the_estimator_takes_predictions(data: Any) -> None:
    points, labels, eta = data
    found = bf.BayesErrorEstimator(representation="raw").fit(points, labels, predictions=eta)
    assert found.floor_.model is not None


def test_text_charts_and_values_speak_of_the_model(one_sided: bf.Floor, tmp_path: Path) -> None:
    text = str(one_sided)
    assert "model's regret" in text
    assert "calibration" in text
    values = one_sided.to_dict()["predictions"]
    assert values["classes"][0]["class"] == "a"
    assert len(values["calibration"]["stated"]) == 10
    page = one_sided.report(tmp_path / "page.html").read_text(encoding="utf-8")
    assert "Where does your model lose?" in page
    assert "Is your model as good as it says?" in page
    assert "Rows where your model loses most" in page
    assert one_sided.facts("accuracy")


def test_the_error_of_a_model_has_the_same_digits_everywhere(data: Any, tmp_path: Path) -> None:
    points, labels, _ = data
    answers = np.where(np.arange(N) % 7 == 0, "a", labels)  # 43 of 600 are wrong: 7.166667 %
    floor = bayes_error(points, labels, predictions=answers)
    assert floor.model is not None
    error = percent(floor.model.error)
    page = floor.report(tmp_path / "page.html").read_text(encoding="utf-8")
    found = set(re.findall(r"[Yy]our model (?:errs on )?(\d[\d.]*%)", page))
    drawn = draw_axis(floor, floor.answer(), width=80, glyphs=BLOCKS)
    assert found == {error}
    assert any(line.plain.endswith(f"your model {error}") for line in drawn)
