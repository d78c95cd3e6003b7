from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

from bayesfloor import populations
from bayesfloor.base.arrays import Floats
from bayesfloor.bounds.henze_penrose import bayes_error_bounds
from bayesfloor.bounds.loss import losses
from bayesfloor.bounds.sharpened import (
    SHARPNESSES,
    KnownMismatch,
    lower_scores,
    project_to_simplex,
    sharpened_bound,
)

SHARPNESS = st.floats(0.05, 500)


@st.composite
def two_posteriors(draw: st.DrawFn) -> tuple[Floats, Floats]:
    """Posteriors of m classes, some of them at a corner or on an edge of the simplex."""
    m, seed = draw(st.integers(2, 20)), draw(st.integers(0, 2**31))
    concentration = draw(st.sampled_from([0.05, 0.3, 1.0, 10.0]))
    eta, p = np.random.default_rng(seed).dirichlet(np.full(m, concentration), size=2)
    return eta, p


def expected_score(eta: Floats, p: Floats, sharpness: float) -> float:
    """Mean of the scores over labels drawn from eta, with what the mismatch adds."""
    m = len(eta)
    scores = lower_scores(np.tile(p, (m, 1)), np.arange(m), sharpness)
    return float(eta @ scores + sharpness * (1 - eta @ eta))


@given(two_posteriors(), SHARPNESS)
def test_no_point_has_less_error_than_its_bound(both: tuple[Floats, Floats], mu: float) -> None:
    eta, p = both
    assert expected_score(eta, p, mu) <= 1 - eta.max() + 1e-9 * max(mu, 1)


@given(two_posteriors())
def test_true_probabilities_give_the_error_itself(both: tuple[Floats, Floats]) -> None:
    eta, _ = both
    assert expected_score(eta, eta, 1e6) == pytest.approx(1 - eta.max(), abs=1e-5)


@given(st.integers(2, 20), st.floats(0, 1))
def test_uniform_probabilities_give_the_henze_penrose_bound(m: int, share: float) -> None:
    most = 1 - 1 / m
    mismatch = share * most
    even, label = np.full((1, m), 1 / m), np.zeros(1, dtype=np.int64)
    best = 0.5 * np.sqrt(most / max(most - mismatch, 1e-12))  # where the derivative vanishes
    found = {
        mu: float(lower_scores(even, label, mu)[0]) + mu * mismatch
        for mu in (0.9 * best, best, 1.1 * best)
    }
    assert max(found, key=found.__getitem__) == best or share > 0.999999
    bound = bayes_error_bounds(mismatch, np.full(m, 1 / m))[0]
    assert found[best] == pytest.approx(bound, abs=1e-5)


@given(two_posteriors(), SHARPNESS)
def test_the_projection_is_the_nearest_point_of_the_simplex(
    both: tuple[Floats, Floats], mu: float
) -> None:
    other, p = both
    (w,) = project_to_simplex(2 * mu * p[None])
    assert w.min() >= 0
    assert w.sum() == pytest.approx(1)
    # The way to any other point of the simplex makes no sharp angle with the way back.
    assert (2 * mu * p - w) @ (other - w) <= 1e-9 * max(mu, 1)


def test_the_projection_by_hand() -> None:
    points = np.array([[0.2, 0.2, 0.2], [1.0, 0.8, 0.0], [5.0, 1.0, 1.0]])
    expected = [[1 / 3, 1 / 3, 1 / 3], [0.6, 0.4, 0.0], [1.0, 0.0, 0.0]]
    np.testing.assert_allclose(project_to_simplex(points), expected)


@pytest.mark.parametrize("excess", [0.001, 0.01, 0.05])
def test_two_classes_have_no_better_bound(excess: float) -> None:
    """A linear programme: the least error that the law of p and the mean excess allow.

    p is calibrated on a grid; at each of its values, eta has any law with that mean.
    """
    p = np.array([0.05, 0.2, 0.35, 0.5, 0.65, 0.8, 0.95])
    eta = np.linspace(0, 1, 401)
    cost = np.tile(np.minimum(eta, 1 - eta), len(p)) / len(p)
    calibrated = np.kron(np.eye(len(p)), np.vstack([np.ones(len(eta)), eta]))
    off = np.concatenate([(eta - one) ** 2 for one in p]) / len(p)
    solved = linprog(
        cost,
        A_eq=np.vstack([calibrated, off]),
        b_eq=np.r_[np.column_stack([np.ones(len(p)), p]).ravel(), excess],
    )
    both = np.column_stack([1 - p, p])
    labels = np.r_[np.zeros(len(p), dtype=np.int64), np.ones(len(p), dtype=np.int64)]
    chance, twice = np.r_[1 - p, p] / len(p), np.tile(both, (2, 1))
    mismatch = float(chance @ losses(twice, labels)) - 2 * excess
    best = max(
        float(chance @ lower_scores(twice, labels, mu)) + mu * mismatch
        for mu in np.geomspace(0.05, 500, 2001)
    )
    assert solved.fun is not None
    assert best == pytest.approx(solved.fun, abs=2e-3)
    assert best <= solved.fun + 1e-6


def drawn(seed: int, n: int = 1000) -> tuple[Floats, np.ndarray, float, float]:
    """Posteriors of shift(1, 2) at n points, their labels, mismatch and Bayes error."""
    population, rng = populations.shift(1, 2), np.random.default_rng(seed)
    first = rng.binomial(n, 0.5)
    points = np.concatenate(population.draw(first, n - first, rng))
    eta = population.posterior(points)
    labels = np.repeat([0, 1], [first, n - first])
    truth = population.mismatch(), population.bayes_error()
    return np.column_stack([eta, 1 - eta]), labels, *truth


def test_the_limit_holds_and_pairing_makes_it_close() -> None:
    held, paired, alone = [], [], []
    for seed in range(200):
        eta, labels, mismatch, error = drawn(seed)
        off = np.clip(eta + 0.02 * np.array([1, -1]), 0, 1)  # probabilities that are a little off
        influence = losses(eta, labels)
        value = float(influence.mean())  # an efficient estimate of the mismatch
        parts = np.arange(1000) % 2
        known = KnownMismatch(value, influence, 0.004)
        found = sharpened_bound(off, labels, known, parts)
        held.append(found.limit <= error)
        paired.append(found.value - found.limit)
        noise = 1.96 * float(influence.std()) / 1000**0.5
        apart = KnownMismatch(value, np.zeros(1000), float(np.hypot(noise, 0.004)))
        alone.append(sharpened_bound(off, labels, apart, parts).limit - found.limit)
        assert abs(value - mismatch) < 0.05
    assert np.mean(held) >= 0.975 - 4 * np.sqrt(0.025 * 0.975 / 200)
    assert np.mean(alone) < 0  # unpaired noise costs


def test_the_sharpness_is_not_flattered_by_the_rows_it_serves() -> None:
    """Without signal, the best of many values looks good on the rows that chose it, only there."""
    excess = []
    for seed in range(200):
        rng = np.random.default_rng(seed)
        p = rng.beta(4, 4, 200)
        labels = rng.integers(0, 2, 200)
        both = np.column_stack([p, 1 - p])
        known = KnownMismatch(0.5, np.zeros(200), 0.0)
        found = sharpened_bound(both, labels, known, rng.integers(0, 2, 200))
        excess.append(found.value - 0.5)
    assert np.mean(excess) < 4 * np.std(excess) / np.sqrt(200)


@pytest.mark.parametrize("classes", [2, 3])
def test_the_sharpness_is_the_best_for_the_other_rows(classes: int) -> None:
    rng = np.random.default_rng(classes)
    p = rng.dirichlet(np.ones(classes), size=300)
    labels = np.array([rng.choice(classes, p=row) for row in p])
    influence, parts = losses(p, labels), rng.integers(0, 2, 300)
    known = KnownMismatch(float(influence.mean()) - 0.02, influence, 0.01)
    found = sharpened_bound(p, labels, known, parts)
    chosen, values = 0.0, []
    for part in (0, 1):
        others = parts != part

        def limit(mu: float, rows: np.ndarray = others) -> float:
            paired = lower_scores(p[rows], labels[rows], mu) + mu * influence[rows]
            noise = 1.959964 * paired.std() / np.sqrt(len(paired))
            return float(paired.mean() - 0.02 * mu - np.hypot(noise, 0.01 * mu))

        best = max(SHARPNESSES, key=limit)
        rows = parts == part
        chosen += best * rows.mean()
        values.append(lower_scores(p[rows], labels[rows], best) + best * influence[rows])
    assert found.sharpness == pytest.approx(chosen)
    assert found.value == pytest.approx(np.concatenate(values).mean() - 0.02 * chosen)


def test_a_part_of_the_rows_chooses_nearly_as_well() -> None:
    eta, labels, _, _ = drawn(1, 4000)
    known = KnownMismatch(float(losses(eta, labels).mean()), losses(eta, labels), 0.004)
    all_rows, some = (
        sharpened_bound(eta, labels, known, np.arange(4000) % 5, most_rows=most)
        for most in (4000, 900)
    )
    assert some.limit == pytest.approx(all_rows.limit, abs=0.003)
