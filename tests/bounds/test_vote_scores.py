from __future__ import annotations

from functools import partial
from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from bayesfloor.base.arrays import Floats, Ints
from bayesfloor.bounds.minority_polynomials import LAWS
from bayesfloor.bounds.sharpened import lower_scores
from bayesfloor.bounds.vote_scores import (
    leave_one_out_errors,
    leave_one_out_losses,
    pair_mismatch,
    polynomial_scores,
    sharpened_vote_scores,
)

FEW_LAWS = partial(polynomial_scores, law=1.0)
counts_of_items = arrays(
    np.int64, st.tuples(st.integers(1, 6), st.integers(2, 4)), elements=st.integers(0, 5)
).map(lambda counts: counts + (counts.sum(axis=1, keepdims=True) < 2) * 2)
posteriors = st.lists(st.integers(0, 9), min_size=2, max_size=4).filter(any)


def ballots(counts: Ints) -> list[int]:
    """Return the votes on one item, one by one."""
    return [c for c, count in enumerate(counts) for _ in range(count)]


def expected(score: object, eta: Floats, votes: int) -> float:
    """Return the mean of a score over all ways in which votes can fall, each with its chance."""
    total = 0.0
    for cast in product(range(len(eta)), repeat=votes):
        counts = np.bincount(cast, minlength=len(eta))[None]
        total += np.prod(eta[list(cast)]) * score(counts)[0]  # type: ignore[operator]
    return total


def test_by_hand() -> None:
    counts = np.array([[3, 0, 0], [2, 1, 0], [1, 1, 1], [2, 2, 0]])
    np.testing.assert_allclose(pair_mismatch(counts), [0, 2 / 3, 1, 2 / 3])
    # 2 + 1: the lone vote is never predicted, each of the two others faces a tie.
    np.testing.assert_allclose(leave_one_out_errors(counts), [0, 2 / 3, 1, 1])
    np.testing.assert_allclose(leave_one_out_losses(counts)[[0, 2]], [0, 1.5])


@given(counts_of_items)
@settings(deadline=None)
def test_scores_match_leaving_out_one_ballot_after_the_other(counts: Ints) -> None:
    for row, item in enumerate(counts):
        cast, errors, loss, sharpened = ballots(item), [], [], []
        for i, y in enumerate(cast):
            others = np.bincount(cast[:i] + cast[i + 1 :], minlength=len(item))
            best = np.flatnonzero(others == others.max())
            errors.append(1 - (y in best) / len(best))
            p = others / others.sum()
            loss.append(((np.eye(len(item))[y] - p) ** 2).sum())
            smooth = (others + 2 / len(item)) / (others.sum() + 2)
            sharpened.append(lower_scores(smooth[None], np.array([y]), 1.5)[0])
        pairs = [a != b for a, b in permutations(cast, 2)]
        one = item[None]
        np.testing.assert_allclose(leave_one_out_errors(counts)[row], np.mean(errors))
        np.testing.assert_allclose(leave_one_out_losses(one), np.mean(loss), atol=1e-12)
        np.testing.assert_allclose(pair_mismatch(one), np.mean(pairs), atol=1e-12)
        found = sharpened_vote_scores(counts, 1.5, 2.0)[row]
        np.testing.assert_allclose(found, np.mean(sharpened) + 1.5 * np.mean(pairs), atol=1e-12)


@given(posteriors, st.integers(2, 4), st.sampled_from([0.5, 1.0, 4.0]), st.sampled_from(LAWS))
@settings(deadline=None, max_examples=40)
def test_on_average_scores_are_on_their_side_of_the_bayes_error(
    weights: list[int], votes: int, sharpness: float, law: float
) -> None:
    eta = np.array(weights) / sum(weights)
    truth = 1 - eta.max()
    assert expected(leave_one_out_errors, eta, votes) >= truth - 1e-12
    assert np.isclose(expected(pair_mismatch, eta, votes), 1 - eta @ eta)
    for smoothing in (0.0, 2.0, np.inf):
        low = expected(lambda c, s=smoothing: sharpened_vote_scores(c, sharpness, s), eta, votes)
        assert low <= truth + 1e-12
    assert expected(lambda c: polynomial_scores(c, law), eta, votes) <= truth + 1e-7


def test_uniform_probabilities_give_the_henze_penrose_bound() -> None:
    eta = np.array([0.7, 0.3])
    mismatch = 1 - eta @ eta
    best = max(
        expected(lambda c, mu=mu: sharpened_vote_scores(c, mu, np.inf), eta, 2)
        for mu in np.geomspace(0.5, 5, 400)
    )
    assert best == pytest.approx(0.5 - 0.5 * np.sqrt(1 - 2 * mismatch), abs=1e-5)


@given(counts_of_items, st.randoms(use_true_random=False))
def test_classes_are_not_told_apart(counts: Ints, random: object) -> None:
    order = list(range(counts.shape[1]))
    random.shuffle(order)  # type: ignore[attr-defined]
    for score in (
        pair_mismatch,
        leave_one_out_errors,
        leave_one_out_losses,
        lambda c: sharpened_vote_scores(c, 2.0, 0.0),
        lambda c: polynomial_scores(c, 1.0),
    ):
        np.testing.assert_allclose(score(counts[:, order]), score(counts), atol=1e-12)


def test_blocks_of_many_items_are_put_together() -> None:
    counts = np.random.default_rng(0).multinomial(4, [0.5, 0.3, 0.2], 50)
    for score in (partial(sharpened_vote_scores, sharpness=2.0, smoothing=0.0), FEW_LAWS):
        np.testing.assert_array_equal(score(counts, most_cells=21), score(counts))


def test_many_classes_with_few_different_counts_are_those_of_a_class_each() -> None:
    """A class that nobody chose changes the projection of none of the others."""
    counts = np.array([[7, 2, 2, 2, 0], [3, 3, 3, 1, 1], [9, 0, 0, 0, 0]])
    wide = np.pad(counts, ((0, 0), (0, 400)))
    found = sharpened_vote_scores(wide, 3.0, 0.0)
    np.testing.assert_allclose(found, sharpened_vote_scores(counts, 3.0, 0.0), atol=1e-12)
