from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayesfloor.base.arrays import Floats, Ints
from bayesfloor.bounds.actions import AnswerSets, LossTable
from bayesfloor.bounds.decisions import decision_bound
from bayesfloor.bounds.loss import losses
from bayesfloor.bounds.prior_error import wilson_limit
from bayesfloor.bounds.sharpened import KnownMismatch, sharpened_bound
from bayesfloor.bounds.strata import Strata, make_strata, mean_limit

MISS = np.array([[0.0, 10.0], [1.0, 0.0]])


def sample(n: int, seed: int, m: int = 2) -> tuple[Floats, Ints, Floats]:
    """Posteriors, labels drawn from them, and probabilities that are off by some noise."""
    rng = np.random.default_rng(seed)
    eta = rng.dirichlet(np.full(m, 0.7), n)
    labels = (rng.random((n, 1)) > eta.cumsum(axis=1)).sum(axis=1).clip(0, m - 1)
    noisy = np.abs(eta + rng.normal(0, 0.05, eta.shape))
    return eta, labels, noisy / noisy.sum(axis=1, keepdims=True)


def known_of(eta: Floats, labels: Ints, below: float = 0.0) -> KnownMismatch:
    influence = losses(eta, labels)
    return KnownMismatch(float(influence.mean()), influence, below)


def test_strata_have_the_mean_and_the_noise_of_their_parts() -> None:
    values, of_row = np.array([1.0, 3.0, 10.0, 20.0]), np.array([0, 0, 1, 1])
    strata = Strata(of_row, np.array([0.9, 0.1]))
    assert strata.mean(values) == pytest.approx(0.9 * 2 + 0.1 * 15)
    assert strata.variance(values) == pytest.approx(0.81 * 2 / 2 + 0.01 * 50 / 2)
    one = make_strata(of_row, None)
    assert one.variance(values) == pytest.approx(values.var(ddof=1) / 4)


@given(st.integers(1, 30), st.integers(30, 90), st.floats(0.1, 20))
def test_a_mean_of_one_kind_of_loss_has_the_limit_of_a_share(
    bad: int, good: int, loss: float
) -> None:
    values, labels = np.repeat([0.0, loss], [good, bad]), np.zeros(good + bad, dtype=np.int64)
    found = mean_limit(values, make_strata(labels, None), np.array([loss]), 1.0, 0.025)
    share = bad / (good + bad)
    assert found == pytest.approx(loss * wilson_limit(share, good + bad, 0.025), rel=1e-6)


def test_given_shares_hold_the_mean_as_often_as_they_say() -> None:
    """Two classes of 200 rows that lose 0.9 and 0.02 with shares of 0.02 and 0.98."""
    rng, held = np.random.default_rng(3), 0
    labels = np.repeat([0, 1], 200)
    strata = make_strata(labels, np.array([0.02, 0.98]))
    truth = 0.02 * 0.9 + 0.98 * 0.02
    for _ in range(1000):
        values = (rng.random(400) < np.where(labels == 0, 0.9, 0.02)).astype(float)
        held += truth <= mean_limit(values, strata, np.ones(2), 1.0, 0.025)
    assert held / 1000 >= 0.975 - 3 * (0.975 * 0.025 / 1000) ** 0.5


@pytest.mark.parametrize("m", [2, 3])
def test_equal_losses_bound_the_error_as_the_plain_bound_does(m: int) -> None:
    eta, labels, p = sample(600, 1, m)
    known, parts = known_of(eta, labels), np.arange(600) % 3
    strata = make_strata(labels, None)
    plain = sharpened_bound(p, labels, known, parts)
    for actions in (LossTable(1 - np.eye(m)), AnswerSets(1, np.ones(m))):
        found = decision_bound(actions, p, labels, known, parts, strata)
        assert found.limit == pytest.approx(plain.limit, abs=0.01)


@pytest.mark.slow
@pytest.mark.parametrize("given_shares", [False, True])
@pytest.mark.parametrize("losses_of", [MISS, 1 - np.eye(2)], ids=["miss", "error"])
def test_the_limit_is_below_the_loss_of_the_best_rule(
    losses_of: Floats, given_shares: bool
) -> None:
    truth = LossTable(losses_of).expected(sample(200_000, 10**6)[0]).mean()
    held, values = 0, []
    for seed in range(25):
        eta, labels, p = sample(300, seed)
        shares = np.bincount(labels) / 300
        ratio = 0.5 / shares if given_shares else 1.0  # the classes of the population are even
        strata = make_strata(labels, shares if given_shares else None)
        found = decision_bound(
            LossTable(losses_of * ratio),
            p,
            labels,
            known_of(eta, labels),
            np.arange(300) % 2,
            strata,
        )
        held += found.limit <= truth
        values.append(found.value)
    assert held >= 22  # 2.5 % may fail; three or fewer do with a chance of 0.997
    assert 0.7 * truth < np.mean(values) < truth


def test_losses_in_another_currency_scale_the_bound() -> None:
    eta, labels, p = sample(800, 5)
    known, parts, strata = (
        known_of(eta, labels, 0.01),
        np.arange(800) % 2,
        make_strata(labels, None),
    )
    one, ten = (
        decision_bound(LossTable(MISS * unit), p, labels, known, parts, strata) for unit in (1, 10)
    )
    assert ten.limit == pytest.approx(10 * one.limit)


def test_the_order_of_classes_changes_nothing() -> None:
    eta, labels, p = sample(300, 6, m=3)
    rng = np.random.default_rng(0)
    cost, order = rng.random((3, 3)) * (1 - np.eye(3)), np.array([2, 0, 1])
    known, parts = known_of(eta, labels, 0.01), np.arange(300) % 3
    shares = np.bincount(labels) / 300
    strata = make_strata(labels, shares)
    one = decision_bound(LossTable(cost), p, labels, known, parts, strata)
    place = np.argsort(order)
    other = decision_bound(
        LossTable(cost[order][:, order]),
        p[:, order],
        place[labels],
        known,
        parts,
        make_strata(place[labels], shares[order]),
    )
    assert other.limit == pytest.approx(one.limit, abs=1e-6)
