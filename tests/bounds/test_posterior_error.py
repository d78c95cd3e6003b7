from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import brentq
from scipy.special import expit, logit

import bayesfloor as bf
from bayesfloor import populations
from bayesfloor.base.arrays import Floats
from bayesfloor.bounds.henze_penrose import bayes_error_bounds, independent_mismatch
from bayesfloor.bounds.posterior_error import (
    LARGEST_INVERSE_TEMPERATURE,
    PRIOR_SHARE,
    TemperedPosteriors,
)
from bayesfloor.bounds.tempered_posteriors import MultiClassFamily, solve_for_weights


def posteriors(tempered: TemperedPosteriors, mismatch: float) -> Floats:
    return tempered.family.posteriors(tempered.tempering(mismatch))


def test_true_posteriors_give_the_true_error() -> None:
    share = np.random.default_rng(0).beta(0.5, 0.5, 50_000)
    posterior = np.column_stack([share, 1 - share])
    tempered = TemperedPosteriors(posterior, np.array([0.5, 0.5]))
    found = tempered.errors((2 * share * (1 - share)).mean())[0].error
    assert found == pytest.approx(np.minimum(share, 1 - share).mean(), abs=1e-3)


@pytest.mark.parametrize("sharper", [0.3, 3.0])
def test_a_wrong_sharpness_of_the_posteriors_is_corrected(sharper: float) -> None:
    share = np.random.default_rng(1).beta(0.8, 0.8, 50_000)
    wrong = expit(sharper * logit(share))
    tempered = TemperedPosteriors(np.column_stack([wrong, 1 - wrong]), np.array([0.5, 0.5]))
    found = tempered.errors((2 * share * (1 - share)).mean())[0].error
    assert found == pytest.approx(np.minimum(share, 1 - share).mean(), rel=0.02)


@given(
    arrays(np.float64, st.tuples(st.integers(4, 30), st.integers(2, 4)), elements=st.floats(0, 1)),
    st.floats(0, 1),
)
def test_the_error_lies_between_the_bounds_of_the_mismatch(weights: Floats, share: float) -> None:
    posterior = (weights + 1e-6) / (weights + 1e-6).sum(axis=1, keepdims=True)
    priors = posterior.mean(axis=0)
    mismatch = share * independent_mismatch(priors)
    low, high = bayes_error_bounds(mismatch, priors)
    assert low <= TemperedPosteriors(posterior, priors).errors(mismatch)[0].error <= high


def test_the_extremes_are_no_error_and_the_majority_error() -> None:
    tempered = TemperedPosteriors(np.array([[0.9, 0.1], [0.5, 0.5]]), np.array([0.7, 0.3]))
    assert tempered.errors(0.0)[0].error == 0
    assert tempered.errors(0.0)[0].by_class.tolist() == [0, 0]
    assert tempered.errors(0.42)[0].error == pytest.approx(0.3)
    assert tempered.errors(0.42)[0].by_class.tolist() == [
        0,
        1,
    ]  # the best is to say the larger class


@given(st.integers(0, 10_000), st.integers(2, 4))
def test_the_errors_of_the_classes_add_up_to_the_error(seed: int, m: int) -> None:
    rng = np.random.default_rng(seed)
    share = rng.dirichlet(np.ones(m), 80)
    priors = share.mean(axis=0)
    tempered = TemperedPosteriors(share, priors)
    mismatch = 1 - (share**2).sum(axis=1).mean()
    found, best = tempered.errors(mismatch)[0], share.argmax(axis=1)
    wrong = [share[best != c, c].sum() / share[:, c].sum() for c in range(m)]
    np.testing.assert_allclose(found.by_class, wrong, atol=1e-3)
    assert priors @ found.by_class == pytest.approx(found.error, abs=1e-3)


@pytest.mark.parametrize("mismatch", [1e-9, 1e-4, 0.1])
def test_classes_that_no_row_looks_like_have_errors_too(mismatch: float) -> None:
    m, rows = 60, 600
    posterior = np.full((rows, m), 1e-12)
    posterior[np.arange(rows), np.arange(rows) % (m - 1)] = 1
    posterior[:10, :2] = 0.5  # cannot be told apart, however sharp
    posterior /= posterior.sum(axis=1, keepdims=True)
    found = TemperedPosteriors(posterior, np.full(m, 1 / m)).errors(mismatch)[0]
    assert np.isfinite(found.by_class).all()
    assert found.by_class.min() >= 0
    assert found.by_class @ np.full(m, 1 / m) <= 2 * found.error + 1e-12


def test_classes_equally_likely_at_a_row_share_its_error() -> None:
    share = np.array([0.5] * 4 + [0.9] * 3 + [0.2] * 3 + [0.3])
    posterior, half = np.column_stack([share, 1 - share]), np.array([0.5, 0.5])
    one, other = (
        TemperedPosteriors(p, half).errors(0.3)[0].by_class for p in (posterior, posterior[:, ::-1])
    )
    np.testing.assert_allclose(one, other[::-1])


@pytest.mark.parametrize(
    "population",
    [populations.shift(2, 1), populations.scale(5, 1.5), populations.ripley(), populations.ring(2)],
    ids=repr,
)
def test_the_estimate_is_the_bayes_error_up_to_chance(population: populations.Population) -> None:
    truth, misses, inside = population.bayes_error(), [], []
    for seed in range(12):
        x, y = population.draw(500, 500, np.random.default_rng([seed, 77]))
        floor = bf.bayes_error(np.r_[x, y], np.repeat([0, 1], 500), representation="raw")
        misses.append(floor.estimate - truth)
        inside.append(floor.estimate_interval[0] <= truth <= floor.estimate_interval[1])
        assert floor.lower <= floor.estimate <= floor.upper
    # The best classifier's own error on 1000 rows has this standard error.
    assert abs(np.mean(misses)) < 4 * np.sqrt(truth * (1 - truth) / 12_000)
    assert sum(inside) >= 9  # of 12 at 95 %: fewer has a chance of about one in 5000


@given(st.integers(0, 10_000), st.floats(0.001, 0.999), st.floats(0.1, 0.9))
def test_sharpened_posteriors_have_the_mismatch_and_the_class_shares(
    seed: int, share: float, rare: float
) -> None:
    rng = np.random.default_rng(seed)
    posterior = rng.dirichlet(np.full(3, rng.choice([0.1, 1.0, 5.0])), 50)
    priors = posterior.mean(axis=0) * [rare, 1, 1]
    priors /= priors.sum()
    tempered, mismatch = TemperedPosteriors(posterior, priors), share * independent_mismatch(priors)
    at, sharpest = posteriors(tempered, mismatch), posteriors(tempered, 0.0)
    found, least = (1 - (one**2).sum(axis=0).mean() for one in (at, sharpest))
    assert found == pytest.approx(max(mismatch, least), abs=1e-4)
    np.testing.assert_allclose(at.mean(axis=1), priors, atol=1e-4)


@pytest.mark.parametrize("mismatch", [0.485, 0.4, 0.2])
def test_certain_posteriors_make_room_for_the_class_shares(mismatch: float) -> None:
    priors = np.array([0.415, 0.585])
    at = posteriors(TemperedPosteriors(np.eye(2)[np.repeat([0, 1], 100)], priors), mismatch)
    np.testing.assert_allclose(at.mean(axis=1), priors, atol=1e-4)
    assert 1 - (at**2).sum(axis=0).mean() == pytest.approx(mismatch, abs=1e-4)


@pytest.mark.parametrize("labels", [5, 30])
def test_posteriors_of_few_labels_keep_the_class_shares(labels: int) -> None:
    for seed in range(60):
        rng = np.random.default_rng([labels, seed])
        share = rng.binomial(labels, rng.beta(0.5, 0.5, 300)) / labels
        priors = np.array([1, rng.uniform(0.3, 3)]) * [share.mean(), 1 - share.mean()]
        priors /= priors.sum()
        tempered = TemperedPosteriors(np.column_stack([share, 1 - share]), priors)
        mismatch = rng.uniform(0.1, 0.95) * independent_mismatch(priors)
        at, sharpest = posteriors(tempered, mismatch), posteriors(tempered, 0.0)
        found, least = (1 - (one**2).sum(axis=0).mean() for one in (at, sharpest))
        np.testing.assert_allclose(at.mean(axis=1), priors, atol=1e-4)
        assert found == pytest.approx(max(mismatch, least), abs=1e-4)


@pytest.mark.parametrize("prior", [0.5, 0.1, 0.02])
@pytest.mark.parametrize("share", [0.95, 0.6, 0.2])
def test_two_classes_match_a_search_of_both_numbers(prior: float, share: float) -> None:
    posterior = np.random.default_rng(3).beta(1, 4, 400)
    priors = np.array([prior, 1 - prior])
    mismatch = share * independent_mismatch(priors)
    mixed = (1 - PRIOR_SHARE) * posterior + PRIOR_SHARE * prior
    score = logit(mixed) - logit(prior)

    def weighed(t: float) -> Floats:
        bias = brentq(lambda b: expit(t * score + b).mean() - prior, -500, 500, xtol=1e-13)
        return np.asarray(expit(t * score + bias))

    def excess(t: float) -> float:
        return float((2 * weighed(t) * (1 - weighed(t))).mean() - mismatch)

    at = weighed(brentq(excess, 1e-6, LARGEST_INVERSE_TEMPERATURE, xtol=1e-12))
    found = posteriors(
        TemperedPosteriors(np.column_stack([posterior, 1 - posterior]), priors), mismatch
    )
    np.testing.assert_allclose(found[0], at, atol=1e-5)


@pytest.mark.parametrize("m", [2, 3])
@pytest.mark.parametrize("certain", [False, True])
@pytest.mark.parametrize("first", [-0.1, 0.0005, 0.05, 0.25, 0.3, 0.7])
def test_the_first_error_does_not_change_the_others(first: float, certain: bool, m: int) -> None:
    posterior = np.random.default_rng(m).dirichlet(np.full(m, 0.3), 200)
    if certain:
        posterior = np.eye(m)[posterior.argmax(axis=1)]
    posterior[:20] = 1 / m  # however sharp, these stay in doubt
    tempered, others = (
        TemperedPosteriors(posterior, posterior.mean(axis=0)),
        (0.001, 0.1, 0.25, 0.6),
    )
    after = tempered.errors(first, *others)[1:]
    for mismatch, found in zip(others, after, strict=True):
        alone = tempered.errors(mismatch)[0]
        assert found.error == pytest.approx(alone.error, abs=1e-5)
        np.testing.assert_allclose(found.by_class, alone.by_class, atol=1e-4)


def test_the_same_mismatch_twice_gives_the_same_twice() -> None:
    share = np.random.default_rng(17).beta(1, 1, 100)
    tempered = TemperedPosteriors(np.column_stack([share, 1 - share]), np.array([0.5, 0.5]))
    first, second = tempered.errors(0.45, 0.45)
    assert first.error == pytest.approx(second.error, abs=1e-6)


@given(st.integers(0, 10_000), st.floats(0.2, 0.98), st.floats(0.1, 0.9))
def test_two_classes_are_as_any_number_of_them(seed: int, share: float, prior: float) -> None:
    first = np.random.default_rng(seed).beta(0.5, 1, 60)
    posterior, priors = np.column_stack([first, 1 - first]), np.array([prior, 1 - prior])
    two, many = TemperedPosteriors(posterior, priors), TemperedPosteriors(posterior, priors)
    kept = (1 - PRIOR_SHARE) * posterior + PRIOR_SHARE * priors
    many.family = MultiClassFamily(np.log(kept.T / priors[:, None]), priors)
    mismatch = share * independent_mismatch(priors)
    np.testing.assert_allclose(posteriors(two, mismatch), posteriors(many, mismatch), atol=1e-4)


@pytest.mark.parametrize("shuffled", [False, True])
def test_many_rows_in_any_order_give_the_same(shuffled: bool) -> None:
    rng = np.random.default_rng(0)
    n = 20_000
    label = np.arange(n) % 2  # every other row would be of one class
    share = np.where(label == 0, rng.beta(8, 1, n), rng.beta(1, 3, n))
    posterior, half = np.column_stack([share, 1 - share]), np.array([0.5, 0.5])
    mismatch = float((2 * share * (1 - share)).mean())
    rows = rng.permutation(posterior) if shuffled else posterior
    found = TemperedPosteriors(rows, half, most_rows=n // 2).errors(mismatch)[0]
    whole = bayes_error_bounds(mismatch, half)
    assert whole[0] < found.error < whole[1]
    assert found.error == pytest.approx(np.minimum(share, 1 - share).mean(), abs=2e-3)


def test_a_rare_class_is_not_taken_for_a_frequent_one() -> None:
    population, misses, rows = populations.figure4(), [], 1000
    truth = population.bayes_error(0.1)
    for seed in range(20):
        x, y = population.draw(100, 900, np.random.default_rng([seed, 78]))
        labels = np.repeat([0, 1], [100, 900])
        misses.append(bf.bayes_error(np.r_[x, y], labels, representation="raw").estimate - truth)
    # The best classifier's own error on as many rows has this standard error.
    assert abs(np.mean(misses)) < 4 * np.sqrt(truth * (1 - truth) / (20 * rows))


def test_weights_of_very_many_classes_are_those_of_the_equations() -> None:
    rng = np.random.default_rng(0)
    for concentration in (0.05, 1.0):
        eta = rng.dirichlet(np.full(40, concentration), 300).T
        means = eta.mean(axis=1) + 1e-12
        lacking = rng.normal(size=(2, 40))
        lacking -= lacking.mean(axis=1, keepdims=True)  # means sum to one
        found = solve_for_weights(eta, means, lacking, most_classes=1)
        expected = solve_for_weights(eta, means, lacking)
        np.testing.assert_allclose(found, expected, atol=1e-6 * np.abs(expected).max())
