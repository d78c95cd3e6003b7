from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bayesfloor.base.arrays import Floats
from bayesfloor.bounds.actions import LossTable
from bayesfloor.bounds.excess_error import make_excess_error, make_excess_loss, plug_in_bound
from bayesfloor.bounds.loss import losses
from bayesfloor.bounds.sharpened import KnownMismatch


def probabilities(n: int, m: int, seed: int, even: float = 1.0) -> Floats:
    return np.random.default_rng(seed).dirichlet(np.full(m, even), n)


@pytest.mark.parametrize("mismatch", [0.1, 0.18, 0.32, 0.48])
def test_even_probabilities_give_the_henze_penrose_bound(mismatch: float) -> None:
    excess = make_excess_error(np.full((50, 2), 0.5))
    published = (1 - (1 - 2 * mismatch) ** 0.5) / 2
    assert 0.5 - excess.at(0.5 - mismatch) == pytest.approx(published, abs=2e-3)


def test_little_that_is_missed_costs_density_times_variance() -> None:
    """Of log-odds off by τ, p(1−p)τ is missed: V is 2τ²/30 for even p, and τ²/16 at ½."""
    p = (np.arange(3000) + 0.5) / 3000
    excess = make_excess_error(np.column_stack([p, 1 - p]))
    assert excess.at(1e-3) == pytest.approx(1e-3 * 15 / 16, rel=0.05)


@settings(max_examples=30)
@given(
    st.integers(2, 12), st.integers(0, 100), st.floats(0.05, 5), st.floats(0, 1), st.floats(0, 1)
)
def test_the_cost_rises_and_never_exceeds_what_vectors_that_far_apart_can_differ(
    m: int, seed: int, even: float, first: float, second: float
) -> None:
    excess = make_excess_error(probabilities(40, m, seed, even), most_perturbed=20_000)
    low, high = sorted((first, second))
    assert 0 <= excess.at(low) <= excess.at(high)
    assert excess.at(high) <= (high * (m - 1) / m) ** 0.5 + 1e-9


@settings(max_examples=20)
@given(st.integers(2, 8), st.integers(0, 50))
def test_the_order_of_rows_and_classes_changes_nothing(m: int, seed: int) -> None:
    p = probabilities(60, m, seed)
    rng = np.random.default_rng(seed)
    other = p[rng.permutation(60)][:, rng.permutation(m)]
    assert make_excess_error(p).at(0.1) == make_excess_error(other).at(0.1)


@pytest.mark.parametrize("m", [2, 3, 9])
def test_rows_that_are_left_out_change_little(m: int) -> None:
    p = probabilities(4000, m, 1)
    some, more = (make_excess_error(p, most).at(0.05) for most in (30_000, 300_000))
    assert some == pytest.approx(more, rel=0.03)


def off_by(
    rng: np.random.Generator, p: Floats, size: float, share: float, two: bool
) -> tuple[Floats, float]:
    """Return posteriors whose log-odds are off in some rows, and their Bayes error."""
    drawn = rng.normal(size=p.shape)
    drawn = np.sign(drawn) if two else drawn
    eta = p * np.exp(size * drawn * (rng.random(len(p)) < share)[:, None])
    eta /= eta.sum(axis=1, keepdims=True)
    return eta, 1 - float(eta.max(axis=1).mean())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("m", "size", "share", "two"),
    [(2, 0.6, 1.0, False), (2, 1.0, 1.0, True), (2, 3.0, 0.2, True), (4, 0.8, 1.0, False)],
)
def test_the_limit_holds_for_what_is_missed_at_random(
    m: int, size: float, share: float, two: bool
) -> None:
    holds, apart = [], []
    for seed in range(25):
        rng = np.random.default_rng([seed, m])
        p = probabilities(1000, m, seed, 0.7)
        eta, truth = off_by(rng, p, size, share, two)
        labels = (rng.random((1000, 1)) < eta.cumsum(axis=1)).argmax(axis=1)
        mismatch = 1 - float((eta**2).sum(axis=1).mean())
        errors = (p.argmax(axis=1) != labels).astype(float)
        below = 1.96 * float(errors.std()) / 1000**0.5
        known = KnownMismatch(mismatch, losses(eta, labels), 0.0)
        found = plug_in_bound(p, labels, known, errors, below)
        holds.append(found.limit <= truth)
        apart.append(found.value - truth)
        assert found.value == pytest.approx(float(found.scores.mean()) + found.shift)
    assert sum(holds) >= 21  # of 25 at 97.5 %: fewer has a chance of one in 2500
    error = float(np.std(apart)) / 25**0.5
    assert np.mean(apart) < 3 * error  # the worst of the shapes costs no less


def test_the_limit_is_never_above_that_of_the_mismatch() -> None:
    p = np.tile([0.99, 0.01], (2000, 1))
    labels = (np.arange(2000) % 200 == 0).astype(int)
    known = KnownMismatch(0.004, losses(p, labels), 0.01)
    assert plug_in_bound(p, labels, known, labels.astype(float), 0.0).limit <= 0


def test_what_is_not_known_of_the_mismatch_lowers_the_limit() -> None:
    p = probabilities(500, 2, 0)
    labels = (np.random.default_rng(0).random(500) < p[:, 1]).astype(int)
    errors = (p.argmax(axis=1) != labels).astype(float)
    limits = []
    for below in (0.0, 0.02, 0.1):
        known = KnownMismatch(float(losses(p, labels).mean()), losses(p, labels), below)
        limits.append(plug_in_bound(p, labels, known, errors, 0.03).limit)
    assert limits[0] > limits[1] > limits[2]
    assert limits[0] == pytest.approx(errors.mean() - 0.03)


def test_a_decision_with_the_losses_of_errors_costs_the_same() -> None:
    p = probabilities(300, 2, 5)
    table = LossTable(np.array([[0.0, 1.0], [1.0, 0.0]]))
    plain, decision = make_excess_error(p), make_excess_loss(p, table.expected)
    for missed in (0.001, 0.03, 0.2):
        assert decision.at(missed) == pytest.approx(plain.at(missed), rel=1e-9)


def test_costly_misses_count_where_they_decide() -> None:
    """With misses of ten alarms the answer changes at 1/11: what is missed at ½ costs nothing."""
    table = LossTable(np.array([[0.0, 10.0], [1.0, 0.0]]))
    at_half, at_edge = (
        make_excess_loss(np.tile([1 - p, p], (20, 1)), table.expected).at(1e-3)
        for p in (0.5, 1 / 11)
    )
    assert at_half < 0.02 * at_edge
