from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bayesfloor.base.arrays import Floats, Ints
from bayesfloor.bounds.guided_votes import (
    guided_errors,
    guided_losses,
    guided_scores,
    posterior_shares,
    prior_errors,
)
from bayesfloor.bounds.sharpened import project_to_simplex
from bayesfloor.bounds.vote_scores import leave_one_out_errors, sharpened_vote_scores


def draw(seed: int, m: int = 3) -> tuple[Ints, Floats, Floats]:
    rng = np.random.default_rng(seed)
    counts = rng.multinomial(rng.integers(2, 6, 12), rng.dirichlet(np.ones(m), 12))
    return counts, rng.dirichlet(np.ones(m), 12), rng.choice([0.5, 2.0, 8.0], 12)


def vote_by_vote(counts: Ints, q: Floats, s: float, mu: float) -> tuple[float, float, float]:
    """Leave out every vote of an item in turn, with plain sums: error, loss, score."""
    votes = [c for c, times in enumerate(counts) for _ in range(times)]
    error = loss = score = 0.0
    for i, y in enumerate(votes):
        others = [c for j, c in enumerate(votes) if j != i]
        p = [(others.count(c) + s * q[c]) / (len(others) + s) for c in range(len(q))]
        w = project_to_simplex(2 * mu * np.array([p]))[0]
        best = [c for c in range(len(q)) if p[c] == max(p)]
        error += 1 - (y in best) / len(best)
        missed = sum((float(c == y) - p[c]) ** 2 for c in range(len(q)))
        loss += missed
        differ = np.mean([c != y for c in others])
        score += 1 - w[y] - (1 - w @ w) / (4 * mu) - mu * missed + mu * float(differ)
    return error / len(votes), loss / len(votes), score / len(votes)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("most_cells", [1, 10, 10**6])
def test_figures_equal_those_of_votes_left_out_one_by_one(seed: int, most_cells: int) -> None:
    counts, q, s = draw(seed)
    expected = [vote_by_vote(*one, mu=1.7) for one in zip(counts, q, s, strict=True)]
    found = (
        guided_errors(counts, q, s, most_cells=most_cells),
        guided_losses(counts, q, s, most_cells=most_cells),
        guided_scores(counts, q, s, 1.7, most_cells=most_cells),
    )
    np.testing.assert_allclose(np.array(found).T, expected, atol=1e-12)


def test_an_even_prior_is_smoothing() -> None:
    counts, q, _ = draw(9)
    even, two = np.full_like(q, 1 / 3), np.full(len(q), 2.0)
    expected = sharpened_vote_scores(counts, 1.3, 2.0)
    np.testing.assert_allclose(guided_scores(counts, even, two, 1.3), expected, atol=1e-12)
    np.testing.assert_allclose(guided_errors(counts, even, two), leave_one_out_errors(counts))


@given(
    st.floats(0.0, 1.0),
    st.floats(0.0, 1.0),
    st.sampled_from([0.25, 1.0, 64.0]),
    st.sampled_from([0.5, 1.0, 5.0, 30.0]),
    st.integers(2, 4),
)
@settings(deadline=None, max_examples=80)
def test_means_lie_beside_the_bayes_error_whatever_prior_and_posterior_are(
    eta: float, q: float, s: float, mu: float, votes: int
) -> None:
    """All sequences of votes on an item, weighed by their chance."""
    score = error = 0.0
    prior, weight, chances = np.array([[q, 1 - q]]), np.array([s]), (eta, 1 - eta)
    for sequence in product((0, 1), repeat=votes):
        counts = np.bincount(sequence, minlength=2)[None]
        chance = float(np.prod([chances[c] for c in sequence]))
        score += chance * float(guided_scores(counts, prior, weight, mu)[0])
        error += chance * float(guided_errors(counts, prior, weight)[0])
    assert score - 1e-9 <= min(chances) <= error + 1e-9


def test_names_of_classes_do_not_matter() -> None:
    counts, q, s = draw(4)
    turned = counts[:, [2, 0, 1]], q[:, [2, 0, 1]]
    np.testing.assert_allclose(guided_errors(counts, q, s), guided_errors(*turned, s))
    np.testing.assert_allclose(guided_losses(counts, q, s), guided_losses(*turned, s))
    found = guided_scores(counts, q, s, 2.0), guided_scores(*turned, s, 2.0)
    np.testing.assert_allclose(*found, atol=1e-12)
    np.testing.assert_allclose(prior_errors(counts, q), prior_errors(*turned))
    np.testing.assert_allclose(posterior_shares(counts, q, s).sum(axis=1), 1)
