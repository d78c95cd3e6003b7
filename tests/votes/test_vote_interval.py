from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from bayesfloor.base.arrays import Ints
from bayesfloor.truth.vote_laws import VOTE_LAWS, VoteLaw
from bayesfloor.votes.interval import bound_by_votes, vote_patterns

CIFAR = Path(__file__).parents[3] / "shared" / "data" / "cifar10h" / "cifar10h-counts.npy"
some_votes = arrays(
    np.int64, st.tuples(st.integers(2, 12), st.integers(2, 4)), elements=st.integers(0, 4)
).map(lambda counts: counts + (counts.sum(axis=1, keepdims=True) < 2) * 2)


SKEWED = VOTE_LAWS["Beta(0.3, 0.3)"]
SLOW = pytest.mark.slow


@pytest.mark.parametrize("votes", [2, 5, pytest.param(3, marks=SLOW), pytest.param(20, marks=SLOW)])
@pytest.mark.parametrize("law", VOTE_LAWS.values(), ids=lambda law: law.name)
def test_intervals_hold_the_truth(law: VoteLaw, votes: int) -> None:
    """Of 60 samples; benchmarks/votes.py has more. Where 95 % hold it, 51 or fewer have 0.2 %."""
    held = 0
    for rng in np.random.default_rng(5).spawn(60):
        counts = law.draw(100, votes, rng)
        low, high = bound_by_votes(counts, confidence=0.95).interval
        held += low - 1e-9 <= law.bayes_error <= high + 1e-9
    assert held > 51


def test_unequal_numbers_of_votes_hold_the_truth() -> None:
    held = 0
    for rng in np.random.default_rng(6).spawn(60):
        counts = SKEWED.draw(200, rng.integers(2, 12, 200), rng)
        low, high = bound_by_votes(counts, confidence=0.95).interval
        held += low <= SKEWED.bayes_error <= high
    assert held > 51


def test_more_votes_narrow_the_interval() -> None:
    rng = np.random.default_rng(0)
    eta = SKEWED.posteriors(1000, rng)
    found = [bound_by_votes(rng.multinomial(t, eta), confidence=0.95) for t in (2, 5, 20, 80)]
    widths = [high - low for low, high in (one.interval for one in found)]
    gaps = [one.upper - one.lower for one in found]
    assert sorted(widths, reverse=True) == widths
    assert sorted(gaps, reverse=True) == gaps
    assert gaps[-1] < 0.004


@given(some_votes)
@settings(deadline=None, max_examples=60)
def test_bounds_are_ordered(counts: Ints) -> None:
    m, found = counts.shape[1], bound_by_votes(counts, confidence=0.9)
    low, high = found.interval
    assert 0 <= low <= found.lower <= found.upper <= high <= 1 - 1 / m + 1e-12
    assert found.published[0] <= found.published[1]
    wider = bound_by_votes(counts, confidence=0.99).interval
    assert wider[0] <= low + 1e-9
    assert wider[1] >= high - 1e-9


@given(some_votes, st.randoms(use_true_random=False))
@settings(deadline=None, max_examples=60)
def test_order_of_classes_and_items_does_not_matter(counts: Ints, random: object) -> None:
    rows, columns = (list(range(size)) for size in counts.shape)
    random.shuffle(rows)  # type: ignore[attr-defined]
    random.shuffle(columns)  # type: ignore[attr-defined]
    before = bound_by_votes(counts, confidence=0.95)
    after = bound_by_votes(counts[rows][:, columns], confidence=0.95)
    for name in ("lower", "upper", "interval", "published", "mismatch", "mismatch_interval"):
        np.testing.assert_allclose(getattr(after, name), getattr(before, name), atol=1e-12)


def test_by_hand() -> None:
    """Ninety items on which two votes agree, ten on which they differ."""
    counts = np.array([[2, 0]] * 45 + [[0, 2]] * 45 + [[1, 1]] * 10)
    found = bound_by_votes(counts, confidence=0.95)
    assert found.mismatch == found.upper == pytest.approx(0.1)
    assert found.published == pytest.approx((0.5 - 0.5 * np.sqrt(0.8), 0.1))
    assert found.mismatch_se == pytest.approx(0.3 / np.sqrt(99))
    assert found.interval[1] == pytest.approx(0.174, abs=1e-3)  # Wilson's limit of 10 in 100
    assert found.lower <= 0.0528 + 1e-3


def test_patterns_forget_classes_and_items() -> None:
    found = vote_patterns(np.array([[3, 1, 0], [0, 1, 3], [1, 3, 0], [4, 0, 0]]))
    assert found.counts.tolist() == [[3, 1, 0], [4, 0, 0]]
    assert found.times.tolist() == [3, 1]
    assert found.items == 4


def test_patterns_are_counted_like_rows_of_any_size() -> None:
    rng = np.random.default_rng(0)
    counts = rng.integers(0, 3, (3000, 3)) * rng.choice([1, 2**20, 2**30], 3)
    counts = np.column_stack([counts, rng.integers(0, 2, (3000, 2))])
    wanted = np.unique(-np.sort(-counts, axis=1), axis=0, return_counts=True)
    found = vote_patterns(counts)
    np.testing.assert_array_equal(found.counts, wanted[0])
    np.testing.assert_array_equal(found.times, wanted[1])


def test_many_items_choose_by_some_of_them() -> None:
    counts = SKEWED.draw(2000, np.arange(2000) % 30 + 2, np.random.default_rng(0))
    whole = bound_by_votes(counts, confidence=0.95)
    some = bound_by_votes(counts, confidence=0.95, most_choosing=500)
    assert some.interval[0] == pytest.approx(whole.interval[0], abs=0.01)
    assert some.interval[1] == whole.interval[1]


def test_millions_of_votes_on_an_item_are_no_matter() -> None:
    counts = SKEWED.draw(200, 10**7, np.random.default_rng(0))
    found = bound_by_votes(counts, confidence=0.95)
    assert found.upper - found.lower < 0.002
    assert found.interval[0] < SKEWED.bayes_error < found.interval[1]


def test_the_most_frequent_class_is_a_rule_too() -> None:
    """Two votes with a chance of 0.9 differ on 18 %, always answering the class errs on 10 %."""
    counts = np.random.default_rng(0).multinomial(2, [0.9, 0.1], 4000)
    found = bound_by_votes(counts, confidence=0.95)
    assert found.mismatch == pytest.approx(0.18, abs=0.02)
    assert found.interval[0] < 0.1 < found.interval[1] < 0.12


@pytest.mark.skipif(not CIFAR.exists(), reason="CIFAR-10H is not beside the checkout")
def test_human_votes_on_photographs() -> None:
    found = bound_by_votes(np.load(CIFAR).astype(np.int64), confidence=0.95)
    low, high = found.interval
    assert 0.041 < low < high < 0.049
    assert found.published == pytest.approx((0.0391, 0.0765), abs=5e-5)
