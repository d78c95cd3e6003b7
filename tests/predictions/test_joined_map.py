"""A model joins the rule where it helps, judged by other rows, and only there."""

from __future__ import annotations

import numpy as np

from bayesfloor.base.arrays import Floats, Ints
from bayesfloor.bounds.loss import losses
from bayesfloor.predictions import Predictions, join_model


def sample(n: int = 3000) -> tuple[Floats, Floats, Ints, Ints, np.random.Generator]:
    """Return true posteriors, poor ones, labels, parts, and a generator."""
    rng = np.random.default_rng(7)
    p = rng.beta(0.5, 0.5, n)
    eta = np.column_stack([1 - p, p])
    labels = (rng.random(n) < p).astype(np.int64)
    poor = 0.5 + 0.4 * (eta - 0.5)
    return eta, poor, labels, np.arange(n) % 5, rng


def predictions(p: Floats) -> Predictions:
    return Predictions(p.argmax(axis=1), p)


def test_a_better_model_has_nearly_all_the_weight() -> None:
    eta, poor, labels, parts, _ = sample()
    found = join_model(poor, labels, parts, predictions(eta))
    assert found is not None
    assert found.weight > 0.8
    loss = losses(found.posterior, labels).mean()
    assert loss < losses(poor, labels).mean() - 0.05
    np.testing.assert_allclose(found.posterior.sum(axis=1), 1)


def test_a_useless_model_changes_nothing() -> None:
    eta, poor, labels, parts, rng = sample()
    assert join_model(eta, labels, parts, predictions(rng.permutation(eta))) is None
    assert join_model(poor, labels, parts, predictions(rng.permutation(eta))) is None


def test_a_model_that_is_too_sure_is_tempered() -> None:
    eta, poor, labels, parts, _ = sample()
    sharp = eta**4 / (eta**4).sum(axis=1, keepdims=True)
    found = join_model(poor, labels, parts, predictions(sharp))
    assert found is not None
    assert losses(found.posterior, labels).mean() < losses(eta, labels).mean() + 0.01


def test_answers_count_by_how_often_they_are_right_elsewhere() -> None:
    eta, poor, labels, parts, _ = sample()
    found = join_model(poor, labels, parts, Predictions(eta.argmax(axis=1)))
    assert found is not None
    assert losses(found.posterior, labels).mean() < losses(poor, labels).mean() - 0.03


def test_a_rows_own_label_decides_nothing_about_it() -> None:
    eta, poor, labels, parts, _ = sample(500)
    first = join_model(poor, labels, parts, predictions(eta))
    others = labels.copy()
    others[parts == 0] = 1 - others[parts == 0]
    second = join_model(poor, others, parts, predictions(eta))
    assert first is not None
    assert second is not None
    own = parts == 0
    np.testing.assert_array_equal(first.posterior[own], second.posterior[own])


def test_a_single_part_has_no_other_rows_to_judge_by() -> None:
    eta, poor, labels, parts, _ = sample(100)
    assert join_model(poor, labels, 0 * parts, predictions(eta)) is None
