from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import bayesfloor as bf
from bayesfloor.report.answer import answer
from bayesfloor.report.item_steps import ITEMS, LABELS, item_next_steps
from bayesfloor.report.next_steps import (
    BETTER_COLUMNS,
    MODEL,
    NO_NEED,
    ROWS,
    NextSteps,
    next_steps,
)


def test_more_rows_of_the_same_groups_are_not_asked_for() -> None:
    rng = np.random.default_rng(1)
    X, y, groups = rng.normal(size=(300, 1)), np.arange(300) % 2, np.arange(300) // 10
    floor = bf.bayes_error(X, y, groups=groups, representation="raw")
    text = {step.way: step.text for step in steps(floor)[0].steps}[ROWS]
    assert text.endswith("about half as wide, if they are of new groups.")


@pytest.fixture(scope="module")
def floor() -> bf.Floor:
    """Two classes, one of them with six rows in ten, whose interval is 10 % to 20 %."""
    rng = np.random.default_rng(0)
    y = np.repeat(["often", "seldom"], [240, 160])
    found = bf.bayes_error(rng.normal(size=(400, 2)) + 2 * (y == "seldom")[:, None], y)
    return replace(found, lower=0.12, upper=0.18, interval=(0.1, 0.2), estimate=0.15)


def steps(floor: bf.Floor, **asked: Any) -> tuple[NextSteps, dict[str, str]]:
    found = next_steps(floor, answer(floor, **asked))
    return found, {step.way: step.value for step in found.steps}


@pytest.mark.parametrize(
    ("asked", "headline", "first"),
    [
        ({}, "compare your model with the floor", None),
        ({"model_error": 0.3}, "train a better model", MODEL),
        ({"model_error": 0.15}, "look for better columns, the model may be done", BETTER_COLUMNS),
        ({"model_error": 0.01}, "check how the model was tested", None),
        ({"target": 0.95}, "look for better columns", BETTER_COLUMNS),
        ({"target": 0.95, "model_error": 0.15}, "look for better columns", BETTER_COLUMNS),
        ({"target": 0.75}, "train a model", MODEL),
        ({"target": 0.75, "model_error": 0.3}, "train a better model", MODEL),
        ({"target": 0.75, "model_error": 0.22}, "nothing, the target is met", None),
        ({"target": 0.85}, "try a better model", MODEL),
        ({"target": 0.6}, "ask for more than the largest class gives", None),
    ],
)
def test_the_first_step_follows_from_the_verdicts(
    floor: bf.Floor, asked: dict[str, float], headline: str, first: str | None
) -> None:
    found, _ = steps(floor, **asked)
    assert (found.headline, found.first) == (headline, first)


def test_more_rows_are_counted_where_they_decide(floor: bf.Floor) -> None:
    reply = answer(floor, target=0.88).target
    assert reply is not None
    rows = reply.rows_to_decide
    assert rows is not None
    found, values = steps(floor, target=0.88)
    assert found.headline == f"collect rows, about {rows:,} in all"
    assert found.first == ROWS
    assert values[ROWS] == f"about {rows:,} in all"
    assert steps(floor, target=0.85)[1][ROWS] == "would not decide it"
    assert steps(floor, target=0.95)[1][ROWS] == "not needed"
    assert steps(floor)[1][ROWS] == "1,600 halve the margin"


def test_no_step_is_called_needless_while_one_of_several_targets_wants_it(floor: bf.Floor) -> None:
    undecided = answer(floor, target=0.88).target
    assert undecided is not None
    found, values = steps(floor, target=[0.75, 0.88])
    texts = {step.way: step.text for step in found.steps}
    assert found.headline == "train a model"
    assert values[ROWS] == f"about {undecided.rows_to_decide:,} in all"
    assert "the target of 12%" in texts[ROWS]
    assert values[BETTER_COLUMNS] == "the only way below 10.0%"
    found, values = steps(floor, target=[0.75, 0.95])
    assert values[ROWS] == "not needed"
    assert values[BETTER_COLUMNS] == "needed for the target of 5%"
    found, values = steps(floor, target=[0.75, 0.7])
    texts = {step.way: step.text for step in found.steps}
    assert texts[ROWS] == "400 rows decide all targets with 95% confidence."
    assert texts[BETTER_COLUMNS] == "All targets are reached with these."


def test_the_steps_for_items_heed_all_targets() -> None:
    rng = np.random.default_rng(0)
    counts = np.vstack([rng.multinomial(5, p, size=150) for p in ([0.9, 0.1], [0.1, 0.9])])
    floor = replace(bf.bayes_error_from_votes(counts), interval=(0.1, 0.2), estimate=0.15)
    found = item_next_steps(floor, answer(floor, target=[0.75, 0.88]))
    values = {step.way: step.value for step in found.steps}
    assert found.headline == "train a model"
    assert NO_NEED not in values.values()
    found = item_next_steps(floor, answer(floor, target=[0.75, 0.7]))
    texts = {step.way: step.text for step in found.steps}
    assert texts[ITEMS] == "300 items decide all targets."
    assert texts[LABELS] == "All targets are reached with these."


def test_a_better_model_is_worth_what_is_left(floor: bf.Floor) -> None:
    assert steps(floor, model_error=0.3)[1][MODEL] == "10 to 20 points left"
    assert steps(floor, model_error=0.149)[1][MODEL] == "up to 4.9 points left"
    assert steps(floor)[1][MODEL] == "up to 8 points left"
    text = {s.way: s.text for s in steps(floor, model_error=0.3, target=0.75)[0].steps}[MODEL]
    assert text.endswith("The target takes 5 points.")


def test_better_columns_are_said_to_be_for_what_is_confused(floor: bf.Floor) -> None:
    found, values = steps(floor, target=0.95)
    assert values[BETTER_COLUMNS] == "needed"
    text = {step.way: step.text for step in found.steps}[BETTER_COLUMNS]
    assert text.startswith("Only others can pass 10.0%. Look for what tells ")
    assert "seldom" in text
    assert "often" in text
    models = replace(floor, lower_rests_on="models")
    text = {step.way: step.text for step in steps(models, target=0.95)[0].steps}[BETTER_COLUMNS]
    assert text.startswith("Only others or another kind of model can pass 10.0%.")
    assert steps(floor, target=0.75)[1][BETTER_COLUMNS] == "not needed"
    assert steps(floor)[1][BETTER_COLUMNS] == "the only way below 10.0%"


def test_columns_that_may_not_help_come_first() -> None:
    rng = np.random.default_rng(1)
    floor = bf.bayes_error(rng.normal(size=(300, 1)), np.arange(300) % 2, representation="raw")
    assert next_steps(floor, answer(floor)).first == BETTER_COLUMNS
    none = replace(floor, lower=0.0, interval=(0.0, 0.6))
    assert steps(none)[1][BETTER_COLUMNS] == "may be needed"
    clear = replace(none, upper=0.1, interval=(0.0, 0.2))
    assert steps(clear)[1][BETTER_COLUMNS] == "may not be needed"
