from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import LinearConstraint, linprog, minimize

from bayesfloor.base.arrays import Floats
from bayesfloor.bounds.actions import Actions, AnswerSets, LossTable
from bayesfloor.bounds.loss_planes import best_mixtures
from bayesfloor.bounds.sharpened import lower_scores

SHARPNESS = st.floats(0.01, 500)


@st.composite
def cases(draw: st.DrawFn, most_classes: int = 5) -> tuple[Actions, Floats, Floats]:
    """Some actions with random losses, and two posteriors, some of them at corners or on edges."""
    m, k = draw(st.integers(2, most_classes)), draw(st.integers(2, 6))
    rng = np.random.default_rng(draw(st.integers(0, 2**31)))
    eta, p = rng.dirichlet(np.full(m, draw(st.sampled_from([0.05, 0.3, 1.0, 10.0]))), size=2)
    losses = rng.random((k, m)) * draw(st.sampled_from([0.01, 1.0, 30.0]))
    sets = AnswerSets(draw(st.integers(1, m - 1)), rng.random(m) * 3 + 0.02)
    return (LossTable(losses) if draw(st.booleans()) else sets), eta, p


def expected_score(actions: Actions, eta: Floats, p: Floats, mu: float) -> float:
    """Mean of the scores over labels drawn from eta, with what the mismatch adds."""
    m = len(eta)
    scores = actions.lower_scores(np.tile(p, (m, 1)), np.arange(m), mu)
    return float(eta @ scores + mu * (1 - eta @ eta))


@given(cases(), SHARPNESS)
def test_no_point_loses_less_than_its_bound(
    case: tuple[Actions, Floats, Floats], mu: float
) -> None:
    actions, eta, p = case
    rounding = 1e-9 * max(mu, actions.largest.max(), 1)
    assert expected_score(actions, eta, p, mu) <= actions.expected(eta[None])[0] + rounding


@given(cases())
def test_true_probabilities_give_the_loss_itself(case: tuple[Actions, Floats, Floats]) -> None:
    actions, eta, _ = case
    mu = 1e5 * actions.largest.max()
    near = pytest.approx(actions.expected(eta[None])[0], abs=1e-3 * actions.largest.max())
    assert expected_score(actions, eta, eta, mu) == near


@given(st.integers(2, 8), st.integers(0, 2**31), SHARPNESS)
def test_equal_losses_give_the_bound_of_the_error_or_a_better_one(
    m: int, seed: int, mu: float
) -> None:
    rng = np.random.default_rng(seed)
    p, labels = rng.dirichlet(np.ones(m), 20), rng.integers(0, m, 20)
    plain = lower_scores(p, labels, mu)
    np.testing.assert_allclose(AnswerSets(1, np.ones(m)).lower_scores(p, labels, mu), plain)
    at_p = [
        expected_score(actions, p[0], p[0], mu)
        for actions in (LossTable(1 - np.eye(m)), AnswerSets(1, np.ones(m)))
    ]
    assert at_p[0] >= at_p[1] - 1e-9 * max(mu, 1)


@given(cases(most_classes=2), st.floats(0.02, 100))
def test_two_classes_have_the_best_line(case: tuple[Actions, Floats, Floats], mu: float) -> None:
    """Brute force: the lowest line at p that, with the parabola, is above all actions on a grid."""
    actions, _, p = case
    table = actions if isinstance(actions, LossTable) else LossTable(1 - np.eye(2))
    first = np.linspace(0, 1, 401)
    grid = np.vstack([np.column_stack([first, 1 - first]), p])
    above = (grid @ -table.losses.T).max(axis=1) - mu * ((grid - p) ** 2).sum(axis=1)
    lowest = linprog(p, A_ub=-grid, b_ub=-above, bounds=[(None, None)] * 2).fun
    found = -expected_score(table, p, p, mu)
    tolerance = 1e-4 * table.largest.max() + 1e-7
    assert lowest - tolerance <= found <= lowest + tolerance


@pytest.mark.parametrize("seed", range(20))
def test_mixtures_are_nearly_the_best(seed: int) -> None:
    rng = np.random.default_rng(seed)
    m, k, mu = int(rng.integers(3, 6)), int(rng.integers(2, 6)), 10 ** rng.uniform(-1, 2)
    gains_of, p = -rng.random((k, m)), rng.dirichlet(np.ones(m))
    centred = gains_of - gains_of.mean(axis=1, keepdims=True)
    inner, gains = centred @ centred.T, gains_of @ p
    start = gains + np.diag(inner) / (4 * mu)

    def value(weights: Floats) -> float:
        return float(weights @ start - weights @ inner @ weights / (4 * mu))

    best: Any = minimize(  # type: ignore[call-overload]
        lambda weights: -value(weights),
        np.full(k, 1 / k),
        bounds=[(0.0, 1.0)] * k,
        constraints=LinearConstraint(np.ones((1, k)), 1, 1),
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 500},
    )
    assert value(best_mixtures(gains[None], inner, mu)[0]) >= -best.fun - 1e-3


@given(st.integers(2, 6), st.integers(0, 2**31))
def test_answer_sets_are_a_table_with_a_row_a_set(m: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    k, weights = int(rng.integers(1, m)), rng.random(m) + 0.1
    rows = [[0.0 if c in named else w for c, w in enumerate(weights)]
            for named in combinations(range(m), k)]  # fmt: skip
    sets, table = AnswerSets(k, weights), LossTable(np.array(rows))
    p, labels = rng.dirichlet(np.ones(m), 10), rng.integers(0, m, 10)
    p[0] = 1 / m  # ties, shared alike where the weights are equal
    np.testing.assert_allclose(sets.expected(p), table.expected(p))
    np.testing.assert_allclose(sets.held_out(p, labels)[1:], table.held_out(p, labels)[1:])
    even = AnswerSets(k, np.ones(m)).held_out(p, labels)
    assert even[0] == pytest.approx(1 - k / m)
    shares = rng.dirichlet(np.ones(m))
    np.testing.assert_allclose(sets.best_constant(shares), table.best_constant(shares))


def test_a_reject_option_is_one_more_action() -> None:
    doubtful = LossTable(np.array([[0.0, 1.0], [1.0, 0.0], [0.2, 0.2]]))
    p, labels = np.array([[0.9, 0.1], [0.6, 0.4], [0.8, 0.2]]), np.array([0, 1, 1])
    assert doubtful.held_out(p, labels).tolist() == [0.0, 0.2, pytest.approx(0.6)]  # a tie
    assert doubtful.expected(p) == pytest.approx([0.1, 0.2, 0.2])
